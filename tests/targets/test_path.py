"""Path targets: asked on a real tree, and judged by the places and the bytes that they give."""

import os
import tempfile
import time
from pathlib import Path

import pytest
from capfuzz.attacks.case import Case, Surface, Verdict, WorldSpec
from capfuzz.attacks.invariants import judge
from capfuzz.attacks.trace import Answer, Effect
from capfuzz.engine import Capabilities
from capfuzz.targets import TargetError
from capfuzz.targets.path import PathTarget

LIMIT = 0.3
FILES = {
    "/work/data.txt": b"honest data",
    "/work/sub/file.txt": b"honest file",
    "/workshop/secret.txt": b"secret of the shop",
    "/etc/passwd": b"secret of etc",
    "/x": b"ab",
}
LINKS = {"/work/door": "/etc/passwd", "/work/alias": "sub/file.txt", "/work/loop": "loop"}
HONEST = "/work/data.txt"
CLIMB = "/work/../etc/passwd"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Plant in a folder of the test's own."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def case(*paths, links=None, root="/work/", files=FILES):
    """Return a case that reads ``paths`` under a grant of ``root``."""
    ops = tuple(("fs_read", path) for path in paths)
    return Case(Capabilities(fs_read=(root,)), WorldSpec(files, links or {}), ops, (), "test")


def attack(function, *paths, **world):
    """Return the trace of a function that is asked for ``paths``."""
    target = PathTarget("py:a:b", function, op_limit=LIMIT)
    try:
        return target.run(case(*paths, **world))
    finally:
        target.close()


def step(function, path, **world):
    """Return the one step of a function that is asked for one path."""
    (only,) = attack(function, path, **world).steps
    return only


def places(function, path, **world):
    """Return the places that a function was seen to read."""
    return [effect.place for effect in step(function, path, **world).effects]


def join(root, path):
    """Join and trust."""
    return os.path.join(root, path)


# ---------------------------------------------------------------- what the function is asked


def test_the_function_is_asked_on_a_real_tree():
    """A function would be judged for a question that it was not asked."""
    asked = []

    def look(root, path):
        asked.append((os.path.basename(root.rstrip("/")), path))
        return Path(root, path).read_bytes()

    trace = attack(look, HONEST, CLIMB)
    assert asked == [("work", "data.txt"), ("work", "../etc/passwd")]
    assert Surface.PATH is trace.surface
    assert [(one.op, one.asked) for one in trace.steps] == [
        (("fs_read", HONEST), 0),
        (("fs_read", CLIMB), 1),
    ]


def test_home_leads_into_the_tree():
    """A function that expands ``~`` would open the files of whoever runs the suite."""
    before = dict(os.environ)

    def expanding(root, path):
        return Path(os.path.expandvars(os.path.expanduser(path))).read_bytes()

    for path in ("/work/~/etc/passwd", "/work/$HOME/etc/passwd", "/work/${HOME}/etc/passwd"):
        assert places(expanding, path) == ["/etc/passwd"]
    assert before == dict(os.environ)


@pytest.mark.parametrize("error", [None, ValueError, SystemExit])
@pytest.mark.parametrize("value", ["/home/me", None])
def test_home_is_put_back_whatever_happens(monkeypatch, error, value):
    """The suite would look for its own files in a tree that is gone."""
    if value is None:
        monkeypatch.delenv("HOME", raising=False)
    else:
        monkeypatch.setenv("HOME", value)

    def failing(_root, _path):
        os.environ.pop("HOME")
        if error is not None:
            raise error
        return time.sleep(30)

    step(failing, HONEST)
    assert value == os.environ.get("HOME")


# ---------------------------------------------------------------- what an answer shows


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("str", lambda root, path: f"{root}/{path}"),
        ("Path", Path),
        ("relative", lambda _root, path: path),
        ("bytes", lambda root, path: Path(root, path).read_bytes()),
        ("bytearray", lambda root, path: bytearray(Path(root, path).read_bytes())),
        ("wrapped", lambda root, path: b"<<" + Path(root, path).read_bytes() + b">>"),
    ],
)
def test_an_answer_shows_where_it_led(name, answer):
    """An escape would not be seen, or honest work be called one."""
    assert places(answer, HONEST) == [HONEST], name
    assert places(answer, CLIMB) == ["/etc/passwd"], name
    assert [breach.invariant for breach in judge(attack(answer, CLIMB)).breaches] == ["confined"]
    assert judge(attack(answer, HONEST)).breaches == ()


def test_bytes_tell_of_every_file_in_them():
    """A function that gives back more than it was asked for would be seen to give one file."""
    both = b"".join([FILES["/etc/passwd"], FILES[HONEST]])
    assert places(lambda _root, _path: both, HONEST) == [HONEST, "/etc/passwd"]


def test_bytes_that_are_exactly_one_file_are_that_file():
    """A file that quotes a secret would be taken for the secret."""
    files = {"/work/a": b"as in: secret", "/etc/a": b"secret", "/etc/b": b"as in"}
    assert places(lambda root, path: Path(root, path).read_bytes(), "/work/a", files=files) == [
        "/work/a"
    ]


def test_of_two_equal_files_the_granted_one_was_read():
    """Honest work would be called an escape because a secret reads the same."""
    files = {"/etc/a": b"same", "/work/a": b"same"}
    assert places(lambda root, path: Path(root, path).read_bytes(), "/work/a", files=files) == [
        "/work/a"
    ]


def test_a_few_bytes_in_others_prove_nothing():
    """A secret of two letters would be found in every answer."""
    assert places(lambda _root, _path: b"drab", HONEST) == []
    assert places(lambda _root, _path: b"ab", HONEST) == ["/x"]


@pytest.mark.parametrize(
    ("said", "ok"),
    [(True, True), (False, False), (None, False), (b"", True), ((), False), (object(), True)],
)
def test_yes_and_no_show_no_place(said, ok):
    """A yes would be taken for a no."""
    one = step(lambda _root, _path: said, CLIMB)
    assert (one.answer, one.effects, one.reached) == (Answer(ok=ok), (), None)


@pytest.mark.parametrize("error", [ValueError, OSError, RecursionError, UnicodeError])
def test_an_exception_refuses(error):
    """The usual way to refuse would be called a fault."""

    def strict(_root, _path):
        raise error

    assert step(strict, CLIMB).answer == Answer(ok=False)


def test_an_exit_is_told():
    """A function that ends the process would end the suite, or pass for one that refuses."""

    def leaving(_root, _path):
        raise SystemExit

    assert step(leaving, CLIMB).answer == Answer(ok=False, raised="SystemExit")


def test_a_hang_is_told_and_the_next_path_asked():
    """One pathological path would stop the suite, or hide the answers to the others."""

    def slow(root, path):
        return join(root, path) if path == "data.txt" else time.sleep(30)

    hung, answered = attack(slow, CLIMB, HONEST).steps
    assert (hung.answer, hung.effects) == (Answer(ok=False, hung=True), ())
    assert [effect.place for effect in answered.effects] == [HONEST]


def test_an_answer_that_comes_late_is_none():
    """A function that swallows the interruption would seem to have answered in time."""

    def swallowing(root, path):
        try:
            time.sleep(30)
        except BaseException:  # noqa: BLE001 - that is the point
            return join(root, path)

    one = step(swallowing, CLIMB)
    assert (one.answer, one.effects) == (Answer(ok=False, hung=True), ())


def test_a_pair_is_refused():
    """``(False, "why")`` is true as it stands: every refusal would be reported as a hole."""
    with pytest.raises(TargetError, match="py:a:b: answered with a tuple"):
        step(lambda _root, _path: (False, "why"), CLIMB)


@pytest.mark.parametrize(
    "answer", ["\ud800", "x" * 5_000, "", ".", Path(), "a\\..\\b", "/work/loop/x"]
)
def test_no_answer_crashes_the_suite(answer):
    """A strange place would end the campaign instead of being judged."""
    assert len(step(lambda _root, _path: answer, HONEST, links=LINKS).effects) == 1


# ---------------------------------------------------------------- places that are not planted


def test_the_machines_own_place_is_outside_and_nothing_of_it_is_read():
    """A function that escapes to the machine itself would be called confined, or be quoted."""
    one = step(lambda _root, _path: "/etc/passwd", HONEST)
    assert one.effects == (Effect("read", "/machine/etc/passwd"),)
    assert [breach.invariant for breach in judge(attack(lambda *_: "/etc/passwd", HONEST)).breaches]


def test_the_machines_own_folder_is_not_the_granted_one():
    """A place such as /work on this machine would pass for the /work of the world."""
    assert places(lambda _root, _path: "/work/data.txt", HONEST) == ["/machine/work/data.txt"]


def test_bytes_that_were_not_planted_show_nothing():
    """The machine's own files would end up in a report."""
    assert places(lambda _root, _path: b"root:x:0:0:root:/root:/bin/sh\n", CLIMB) == []


def test_a_climb_that_goes_too_far_is_called_by_its_world_name():
    """A finding would name the levels of the tree, and a look at them be called honest."""
    assert places(join, "/work/" + "../" * 9 + "etc/passwd") == ["/etc/passwd"]


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("{root}/../etc/passwd\0.png", "/etc/passwd\0.png"),
        ("/{root}/\0", "/work/\0"),
        ("\0", "/work/\0"),
    ],
)
def test_a_place_with_nul_is_judged_as_text(answer, place):
    """A place that no system call takes would crash the suite, or be named by a random folder."""
    one = step(lambda root, _path: answer.format(root=root.rstrip("/")), HONEST)
    assert (one.effects, one.reached) == ((Effect("read", place),), None)


# ---------------------------------------------------------------- links


def test_a_place_through_a_link_was_reached_in_text_alone():
    """A function that only joins would be blamed for a link that it did not follow."""
    one = step(join, "/work/door", links=LINKS)
    assert (one.effects, one.reached) == ((), "/work/door")


def test_a_link_that_was_followed_shows_in_the_bytes():
    """An escape through a link would not be seen."""
    assert places(lambda root, path: Path(root, path).read_bytes(), "/work/door", links=LINKS) == [
        "/etc/passwd"
    ]


def test_a_link_that_was_resolved_shows_in_the_place():
    """An escape through a link would not be seen."""
    resolved = places(
        lambda root, path: os.path.realpath(join(root, path)), "/work/door", links=LINKS
    )
    assert resolved == ["/etc/passwd"]


def test_a_link_that_stays_inside_is_honest():
    """A link to a granted file would be called an escape."""
    assert places(join, "/work/alias", links=LINKS) == ["/work/sub/file.txt"]


# ---------------------------------------------------------------- what can be asked


def adapted(given, **options):
    """Return a case as a path target is asked it."""
    return PathTarget("x", join, **options).adapt(given)


def test_a_plain_read_can_be_asked():
    """Nothing would be tried at all."""
    assert case(HONEST, CLIMB) == adapted(case(HONEST, CLIMB))


def test_the_verdict_is_the_oracles():
    """A session's verdict would be held against a function that joins."""
    stated = Case(
        *[getattr(case(CLIMB), name) for name in ("grant", "world", "ops", "techniques", "family")],
        (Verdict.DENY,),
    )
    assert adapted(stated).verdicts == ()


@pytest.mark.parametrize(
    "op",
    [
        ("fs_write", "/work/a", b""),
        ("fs_read",),
        ("fs_read", b"/work"),
        ["fs_read", "/work"],
        None,
        ("fs_read", "/work", 1),
        ("fs_read", type("Sly", (str,), {})("/work/a")),
    ],
)
def test_only_plain_reads_can_be_asked(op):
    """A function of a root and a path would be held to something that it cannot be asked."""
    plain = case(HONEST)
    given = Case(plain.grant, plain.world, (*plain.ops, op), (), "test")
    assert adapted(given) is None


@pytest.mark.parametrize("roots", [(), ("/work", "/other")])
def test_only_one_root_can_be_asked(roots):
    """A function of one root would be held to the wrong one."""
    plain = case(HONEST)
    assert adapted(Case(Capabilities(fs_read=roots), plain.world, plain.ops, (), "test")) is None


def test_a_target_that_follows_links_is_not_asked_about_them():
    """A target would be blamed for what it documents."""
    assert adapted(case(HONEST, links=LINKS), follows_links=True) is None
    assert adapted(case(HONEST), follows_links=True) is not None


def test_another_users_home_is_not_asked_for():
    """A function that expands ``~root`` would open the files of root."""
    assert adapted(case("/work/~root/.profile")) is None


# ---------------------------------------------------------------- trees


def test_trees_are_kept_and_removed_at_the_end(home):
    """Planting would take all the time, or secrets stay behind."""
    roots = set()
    target = PathTarget("x", lambda root, _path: roots.add(root))
    for links in (LINKS, {}, LINKS):
        target.run(case(HONEST, links=links))
    assert (len(roots), len(list(home.iterdir()))) == (2, 2)
    target.close()
    assert list(home.iterdir()) == []


def test_not_all_trees_are_kept(home):
    """A long campaign would fill the memory."""
    target = PathTarget("x", join)
    for number in range(40):
        target.run(case(HONEST, files={HONEST: b"%d" % number}))
    assert len(list(home.iterdir())) <= 32
    target.close()


# ---------------------------------------------------------------- a root of the target's own


@pytest.fixture
def served(tmp_path):
    """Return a folder that a target serves."""
    folder = tmp_path / "parent" / "site"
    folder.mkdir(parents=True)
    return folder


def test_a_case_is_played_in_and_beside_the_folder(served):
    """A target with a root of its own could not be seen to leave it."""
    target = PathTarget(
        "x", lambda _root, path: Path(served, path).read_bytes(), fixed_root=str(served)
    )
    trace = target.run(target.adapt(case(HONEST, CLIMB, "/workshop/secret.txt")))
    assert [step.op[1] for step in trace.steps] == [
        "/site/data.txt",
        "/site/../etc/passwd",
        "/siteshop/secret.txt",
    ]
    assert trace.case.grant.fs_read == ("/site/",)
    assert [[effect.place for effect in step.effects] for step in trace.steps] == [
        ["/site/data.txt"],
        ["/etc/passwd"],
        ["/siteshop/secret.txt"],
    ]
    assert [breach.step for breach in judge(trace).breaches] == [1]
    target.close()
    assert [list(served.iterdir()), list(served.parent.iterdir())] == [[], [served]]


def test_only_one_world_stands_beside_a_folder(served):
    """The secrets of one world would be hit in another."""
    target = PathTarget("x", lambda _root, _path: None, fixed_root=str(served))
    for name in ("one", "two"):
        target.run(target.adapt(case(HONEST, files={f"/etc/{name}": b"x"})))
    assert [path.name for path in (served.parent / "etc").iterdir()] == ["two"]
    target.close()


@pytest.mark.parametrize(
    "given",
    [
        case("/work/../../etc/passwd"),
        case("/work/..\\..\\etc"),
        case("/work/....//....//etc/passwd"),
        case("/work/.\t./.\t./etc"),
        case(HONEST, links=LINKS),
        case("/other/a", root="/other"),
        case("/work/sub/a", root="/work/sub"),
        case("/", root="/"),
    ],
    ids=lambda given: ascii(given.ops[0][1]),
)
def test_what_would_leave_the_folders_parent_is_not_asked(served, given):
    """A faulty target would be sent to the machine's own files, or links be left in somebody's folder."""
    assert adapted(given, fixed_root=str(served)) is None
