"""Path targets: which cases they can be asked, and on which trees."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from capfuzz.attacks.case import Case, Verdict
from capfuzz.attacks.invariants import judge
from capfuzz.engine import Capabilities
from capfuzz.targets.path import PathTarget

from .path_plays import CLIMB, HONEST, LINKS, case

pytestmark = pytest.mark.usefixtures("home")


# ---------------------------------------------------------------- what can be asked


def adapted(given, **options):
    """Return a case as a path target is asked it."""
    return PathTarget("x", os.path.join, **options).adapt(given)


def test_a_plain_read_can_be_asked():
    """Nothing would be tried at all."""
    assert case(HONEST, CLIMB) == adapted(case(HONEST, CLIMB))


def test_the_verdict_is_the_oracles():
    """A session's verdict would be held against a function that joins."""
    stated = replace(case(CLIMB), verdicts=(Verdict.DENY,))
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
    target = PathTarget("x", os.path.join)
    for number in range(70):
        target.run(case(HONEST, files={HONEST: b"%d" % number}))
    assert len(list(home.iterdir())) <= 64
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


def test_a_case_that_was_adapted_can_be_adapted_again(served):
    """A finding could not be replayed."""
    for name in ("work", "workspace", "site"):
        folder = served.parent / name
        folder.mkdir(exist_ok=True)
        once = adapted(case(HONEST, CLIMB), fixed_root=str(folder))
        assert once == adapted(once, fixed_root=str(folder))


def test_links_stand_in_the_folder(served):
    """A target with a root of its own could not be seen to follow a link out of it."""
    target = PathTarget(
        "x", lambda _root, path: Path(served, path).read_bytes(), fixed_root=str(served)
    )
    trace = target.run(target.adapt(case(HONEST, "/work/door", links=LINKS)))
    target.close()
    assert [[effect.place for effect in step.effects] for step in trace.steps] == [
        ["/site/data.txt"],
        ["/etc/passwd"],
    ]
    assert [(breach.invariant, breach.step) for breach in judge(trace).breaches] == [
        ("confined", 1)
    ]
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
        case("/work/top/..", links={"/work/top": "/"}),
        case(HONEST, links={"/work/out": "../../etc"}),
        case(HONEST, links={"/work": "/etc"}),
        case("/other/a", root="/other"),
        case("/work/sub/a", root="/work/sub"),
        case("/", root="/"),
    ],
    ids=lambda given: ascii(given.ops[0][1]),
)
def test_what_would_leave_the_folders_parent_is_not_asked(served, given):
    """A faulty target would be sent to the machine's own files."""
    named_alike = served.parent / "work"
    named_alike.mkdir()
    for folder in (served, named_alike):
        assert adapted(given, fixed_root=str(folder)) is None
