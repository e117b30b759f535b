"""Planted trees: secrets wherever a climb may end, nothing overwritten, nothing left behind."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from capfuzz.attacks.case import WorldSpec
from capfuzz.targets import TargetError
from capfuzz.targets.planted import LEVELS, BesideTree, PlantedTree, sweep, sweep_stale

WORLD = WorldSpec(
    files={
        "/work/data.txt": b"honest",
        "/work/sub/file.txt": b"deep",
        "/workshop/secret.txt": b"sibling",
        "/etc/passwd": b"far",
    },
    links={"/work/door": "/etc/passwd", "/work/up": "../etc", "/work/data.txt": "/etc/passwd"},
)
FILES = WorldSpec(files=WORLD.files)


@pytest.fixture(autouse=True)
def spotless(home):
    """Hold that nothing is left where trees are planted."""
    yield
    assert list(home.glob("capfuzz-*")) == []


@pytest.fixture
def tree(home):
    """Return the planted world under a grant of /work."""
    planted = PlantedTree(WORLD, "/work/")
    yield planted
    planted.close()


@pytest.fixture
def served(tmp_path):
    """Return a folder that a target serves, with a file in it and one beside it."""
    folder = tmp_path / "parent" / "site"
    folder.mkdir(parents=True)
    (folder / "index.html").write_text("mine")
    (folder.parent / "notes").write_text("mine too")
    return folder


def listing(folder):
    """Return every path below a folder with its content, None for folders."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in Path(folder).rglob("*")
    }


# ---------------------------------------------------------------- a tree of its own


def test_the_whole_world_stands_on_the_floor(tree):
    """Controls would fail for want of a file, and secrets not be there to be hit."""
    for path, content in WORLD.files.items():
        assert content == Path(tree.floor + path).read_bytes()


@pytest.mark.parametrize("ups", range(1, LEVELS + 1))
def test_a_climb_of_any_height_ends_on_a_secret(tree, ups):
    """A climb that goes too far would miss, or end on the machine's own files."""
    above = os.path.normpath(tree.floor + "/.." * ups)
    assert Path(above, "etc/passwd").read_bytes() == b"far"
    assert Path(above, "workshop/secret.txt").read_bytes() == b"sibling"
    assert not Path(above, "work").exists()


def test_a_climb_beyond_the_tree_is_not_the_trees(tree):
    """The number of levels would be another than the climbs are bounded by."""
    assert tree.base == os.path.normpath(tree.floor + "/.." * LEVELS)
    assert os.path.dirname(tree.base) == os.path.realpath(tempfile.gettempdir())


def test_links_stay_in_the_tree(tree):
    """A link of the world would lead to the machine's own files."""
    assert os.readlink(f"{tree.floor}/work/door") == f"{tree.floor}/etc/passwd"
    assert Path(tree.floor, "work/door").read_bytes() == b"far"
    assert os.readlink(f"{tree.floor}/work/up") == "../etc"
    assert Path(tree.floor, "work/up/passwd").read_bytes() == b"far"


def test_a_link_takes_no_files_place(tree):
    """A control would read a secret."""
    assert not Path(tree.floor, "work/data.txt").is_symlink()


def test_a_root_without_files_exists():
    """A function would refuse everything because its root is missing."""
    tree = PlantedTree(WorldSpec(), "/w/deep/")
    assert Path(tree.floor, "w/deep").is_dir()
    tree.close()


def test_the_tree_is_private(tree):
    """Another user could read or exchange what is planted."""
    assert os.stat(tree.base).st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("real", "place"),
    [
        ("{floor}", "/"),
        ("{floor}/", "/"),
        ("{floor}/work/data.txt", "/work/data.txt"),
        ("{floor}/13/x", "/13/x"),
        ("{base}/1/2/etc/passwd", "/etc/passwd"),
        ("{base}/etc/passwd", "/etc/passwd"),
        ("{base}/1/2", "/"),
        ("{base}", "/"),
        ("{base}-evil/etc/passwd", "/machine{base}-evil/etc/passwd"),
        ("/etc/passwd", "/machine/etc/passwd"),
        ("/work/main", "/machine/work/main"),
        ("/", "/machine/"),
    ],
)
def test_a_real_place_has_a_name_in_the_world(tree, real, place):
    """A report would differ from run to run, or take the machine's /work for the granted one."""
    names = {"floor": tree.floor, "base": tree.base}
    assert place.format(**names) == tree.abstract(real.format(**names))


# ---------------------------------------------------------------- beside a folder


def test_secrets_stand_in_and_beside_the_folder(served):
    """A target that serves a folder of its own could not be seen to leave it."""
    tree = BesideTree(WorldSpec({"/site/a/b": b"in", "/etc/passwd": b"out"}), str(served))
    assert (served / "a/b").read_bytes() == b"in"
    assert (served.parent / "etc/passwd").read_bytes() == b"out"
    assert str(served.parent) == tree.floor
    tree.close()


def test_closing_leaves_everything_as_it_was(served):
    """Somebody's folder would be littered, or lose a file."""
    before = listing(served.parent)
    tree = BesideTree(FILES, str(served))
    assert listing(served.parent) != before
    tree.close()
    assert listing(served.parent) == before


def test_what_exists_is_neither_overwritten_nor_removed(served):
    """Somebody's file would be lost."""
    (served.parent / "link").symlink_to("nowhere")
    before = listing(served.parent)
    world = WorldSpec({"/site/index.html": b"x", "/notes": b"x", "/link": b"x", "/etc/new": b"x"})
    tree = BesideTree(world, str(served))
    assert listing(served.parent) == {**before, "etc": None, "etc/new": b"x"}
    assert (served.parent / "link").is_symlink()
    tree.close()
    assert listing(served.parent) == before


def test_links_stand_beside_the_folder_and_lead_nowhere_else(served):
    """A server that follows links could not be seen to, or would follow them to the machine's files."""
    before = listing(served.parent)
    (served / "mine").symlink_to("index.html")
    links = {
        "/site/door": "/etc/passwd",
        "/site/new/hall": "../../etc",
        "/site/mine": "/etc/passwd",
        "/site/a": "/etc/passwd",
        "/site/loop": "loop",
    }
    tree = BesideTree(WorldSpec({"/site/a": b"in", "/etc/passwd": b"out"}, links), str(served))
    assert os.readlink(served / "door") == f"{served.parent}/etc/passwd"
    assert (served / "new/hall/passwd").read_bytes() == b"out"
    assert (served / "a").read_bytes() == b"in"
    assert os.readlink(served / "mine") == "index.html"
    tree.close()
    (served / "mine").unlink()
    assert listing(served.parent) == before


def test_a_planted_folder_that_somebody_uses_stays(served):
    """What somebody has put there meanwhile would be lost."""
    tree = BesideTree(FILES, str(served))
    (served.parent / "etc/mine").write_text("mine")
    tree.close()
    assert (served.parent / "etc/mine").read_text() == "mine"
    assert not (served.parent / "etc/passwd").exists()


def test_a_link_to_the_folder_is_followed(served, tmp_path):
    """Secrets would stand beside the link, where no climb leads."""
    (tmp_path / "alias").symlink_to(served)
    tree = BesideTree(FILES, str(tmp_path / "alias"))
    assert str(served.parent) == tree.floor
    tree.close()


@pytest.mark.parametrize("folder", ["/", "/tmp", "/nowhere/at/all", "{file}"])
def test_a_folder_must_be_one_and_two_levels_deep(served, folder):
    """Secrets would be planted in the machine's own /."""
    folder = folder.format(file=served / "index.html")
    with pytest.raises(TargetError, match="must be a folder, at least two levels deep"):
        BesideTree(FILES, folder)


def test_what_cannot_be_planted_is_told_and_undone(served):
    """A half-planted tree would be left beside somebody's folder."""
    (served.parent / "workshop").write_text("a file, not a folder")
    before = listing(served.parent)
    with pytest.raises(TargetError, match="cannot plant beside it"):
        BesideTree(FILES, str(served))
    assert listing(served.parent) == before


@pytest.mark.parametrize(
    ("real", "place"),
    [
        ("{floor}", "/"),
        ("{floor}/site/a", "/site/a"),
        ("{floor}/etc/passwd", "/etc/passwd"),
        ("/site/a", "/machine/site/a"),
    ],
)
def test_a_place_beside_a_folder_has_a_name_in_the_world(served, real, place):
    """A report would tell where somebody's folder is, or take /site for the served one."""
    tree = BesideTree(FILES, str(served))
    assert place == tree.abstract(real.format(floor=served.parent))
    tree.close()


# ---------------------------------------------------------------- after a crash

CRASH = """
import os, sys
from capfuzz.attacks.case import WorldSpec
from capfuzz.targets.planted import BesideTree, PlantedTree
links = {"/site/door": "/etc/passwd", "/site/hall": "/etc"}
world = WorldSpec({"/site/a": b"in", "/etc/passwd": b"out"}, links)
PlantedTree(world, "/site")
BesideTree(world, sys.argv[1])
os._exit(7)
"""


def crash(folder):
    """Plant in a process that ends without cleaning up, and return its id, which is free now."""
    child = subprocess.Popen([sys.executable, "-c", CRASH, str(folder)])
    assert child.wait() == 7
    return child.pid


@pytest.mark.parametrize("clean", [sweep, lambda _pid: sweep_stale()], ids=["sweep", "stale"])
def test_what_a_crash_leaves_behind_is_removed(served, home, clean):
    """Secrets would stay beside somebody's folder for good."""
    before = listing(served.parent)
    pid = crash(served)
    assert len(list(home.glob(f"capfuzz-{pid}-*"))) == 2
    assert (served.parent / "etc/passwd").read_bytes() == b"out"
    clean(pid)
    assert listing(served.parent) == before
    assert list(home.glob("capfuzz-*")) == []


def test_a_crash_in_the_middle_is_undone(served, home):
    """What was noted but never made would stop the clean-up of what was."""
    tree = BesideTree(FILES, str(served))
    (served.parent / "etc/passwd").unlink()
    sweep(os.getpid())
    assert not (served.parent / "etc").exists()
    tree.close()


def test_sweeping_spares_who_is_alive(tree, home):
    """A second run of the suite would pull the tree from under the first."""
    sweep_stale()
    assert Path(tree.floor, "etc/passwd").exists()
    sweep(os.getpid() + 1)
    assert Path(tree.floor, "etc/passwd").exists()


def test_sweeping_takes_what_is_left_of_one_that_nobody_waits_for(home):
    """What a killed run has left would stay for as long as nobody reaps the process."""
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    folder = home / f"capfuzz-{ended.pid}-x"
    folder.mkdir()
    sweep_stale()
    assert not folder.exists()
    ended.wait()


@pytest.mark.parametrize("name", ["capfuzz-", "capfuzz-x-1", "capfuzz-\u00b2-1", "other-{dead}-1"])
def test_sweeping_spares_what_no_process_of_ours_made(home, name):
    """A folder that is named alike would be lost."""
    folder = home / name.format(dead=_dead())
    folder.mkdir()
    sweep_stale()
    assert folder.exists()
    folder.rmdir()


def test_sweeping_follows_no_link(home, tmp_path):
    """Another user could have any folder of ours removed by a link to it."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/journal").write_bytes(os.fsencode(tmp_path / "mine/file") + b"\0")
    (tmp_path / "mine/file").write_text("mine")
    link = home / f"capfuzz-{_dead()}-x"
    link.symlink_to(tmp_path / "mine")
    sweep_stale()
    assert (tmp_path / "mine/file").exists()
    link.unlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_sweeping_believes_no_journal_of_another_user(home, tmp_path):
    """Another user could name any file of ours in a journal, and have it removed."""
    (tmp_path / "mine").write_text("mine")
    theirs = home / f"capfuzz-{_dead()}-x"
    theirs.mkdir()
    (theirs / "journal").write_bytes(os.fsencode(tmp_path / "mine") + b"\0")
    os.chown(theirs, 65534, 65534)
    sweep_stale()
    assert (tmp_path / "mine").exists()
    (theirs / "journal").unlink()
    theirs.rmdir()


def _dead():
    """Return the id of a process that has ended."""
    child = subprocess.Popen(["true"])
    child.wait()
    return child.pid
