"""Path targets: asked on a real tree, and judged by the places and the bytes that they give."""

import os
import time
from pathlib import Path

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.attacks.invariants import judge
from capfuzz.attacks.trace import Answer, Effect
from capfuzz.targets import TargetError
from capfuzz.targets.path import PathTarget

from .path_plays import CLIMB, FILES, HONEST, LINKS, case

LIMIT = 0.3
pytestmark = pytest.mark.usefixtures("home")


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

    def failing(_root, path):
        if path != "data.txt":
            del os.environ["HOME"]
        if error is not None:
            raise error
        return time.sleep(30)

    for path in (HONEST, CLIMB):
        answer = step(failing, path).answer
        assert (answer.hung, answer.raised) == (
            error is None,
            "SystemExit" if error is SystemExit else None,
        )
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
    "answer",
    ["\ud800", "missing/\ud800", "x" * 5_000, "", ".", Path(), "a\\..\\b", "/work/loop/x"],
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
