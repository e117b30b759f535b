"""What a function is given: never a path that its reader opens on the machine's own file system."""

import ntpath
import os
import re
import unicodedata
from functools import cache
from urllib.parse import unquote, urlsplit

import pytest
from capfuzz.attacks.dialects import most_lenient
from capfuzz.attacks.vectors import load
from capfuzz.engine import Capabilities
from capfuzz.strategies import cases, decode
from capfuzz.targets.handing import askable, handed, links_may_leave, may_leave
from capfuzz.targets.planted import LEVELS
from hypothesis import given

FLOOR = "/tmp/capfuzz-1-abcd/1/2/3/4/5/6/7/8/9/10/11/12"
PLANTED = ("capfuzz-1-abcd", "/1/2/3")  # nothing of the machine's has one of these in its name


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        # below the root, and the root itself
        ("/work/data.txt", "data.txt"),
        ("/work/../etc/passwd", "../etc/passwd"),
        ("/work/%2e%2e/etc", "%2e%2e/etc"),
        ("/work/a..b", "a..b"),
        ("/work", ""),
        ("/work/", ""),
        ("relative/x", "relative/x"),
        ("", ""),
        # absolute, as everybody reads it
        ("/etc/passwd", "/{floor}/etc/passwd"),
        ("/workshop/x", "/{floor}/workshop/x"),
        ("//etc/passwd", "//{floor}/etc/passwd"),
        ("/work//etc/passwd", "/{floor}/etc/passwd"),
        ("/work///etc/passwd", "//{floor}/etc/passwd"),
        ("/proc/self/root/etc", "/{floor}/proc/self/root/etc"),
        ("/", "/{floor}/"),
        # absolute for who decodes
        ("/work/%2fetc", "%2f{floor}/etc"),
        ("/work/%2Fetc", "%2F{floor}/etc"),
        ("/work/%252fetc", "%252f{floor}/etc"),
        ("/work/%25252fetc", "%25252f{floor}/etc"),
        ("/work/%2f%2fetc%2fx", "%2f%2f{floor}/etc%2fx"),
        ("/work/%5cetc", "%5c{floor}/etc"),
        # absolute for who normalises
        ("/work/\\etc", "\\{floor}/etc"),
        ("/work/\uff0fetc", "\uff0f{floor}/etc"),
        ("/work/\uff3cetc", "\uff3c{floor}/etc"),
        ("/work/\uff05\uff12\uff46etc", "\uff05\uff12\uff46{floor}/etc"),
        ("/work/.//etc", ".//{floor}/etc"),
        # absolute for who trims
        ("/work/ /etc", " /{floor}/etc"),
        ("/work/\t\n/etc", "\t\n/{floor}/etc"),
        ("/work/\ufeff/etc", "\ufeff/{floor}/etc"),
        ("/work/\0/etc", "\0/{floor}/etc"),
        ("/work/'/etc'", "'/{floor}/etc'"),
        # absolute for who takes a scheme or a drive away
        ("file:///etc/passwd", "file:///{floor}/etc/passwd"),
        ("file:/etc/passwd", "file:/{floor}/etc/passwd"),
        ("FILE:////etc", "FILE:////{floor}/etc"),
        ("file://localhost/etc", "file://localhost/{floor}/etc"),
        ("url:file:///etc", "url:file:///{floor}/etc"),
        ("file%3a%2f%2f/etc", "file%3a%2f%2f/{floor}/etc"),
        ("/work/file:///etc", "file:///{floor}/etc"),
        ("/work/C:/etc", "C:/{floor}/etc"),
        ("/work/C:\\etc", "C:\\{floor}/etc"),
        ("/work/C:etc", "C:etc"),
        ("/work/\\\\?\\C:\\etc", "\\\\{floor}/?\\C:\\etc"),
        # the slash stands inside a character
        ("file://\u2100x", "file://\u2100{floor}/x"),
        # a home is made to lead into the tree instead
        ("/work/~", "~"),
        ("/work/$HOME/x", "$HOME/x"),
    ],
)
def test_what_any_reader_takes_as_absolute_is_moved_into_the_tree(path, expected):
    """A function would open the machine's own files, or miss the planted ones."""
    assert expected.format(floor=FLOOR.strip("/")) == handed(path, "/work/", FLOOR)


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/work/a", "/work", "a"),
        ("/work/a", "/work//", "a"),
        ("/a/b", "/", "a/b"),
        ("//a", "/", "/{floor}/a"),
        ("/", "/", ""),
        ("/a/b/c", "/a/b", "c"),
        ("/a/bc", "/a/b", "/{floor}/a/bc"),
    ],
)
def test_the_rest_begins_after_the_root_however_it_is_written(path, root, expected):
    """A function would be given the root twice."""
    assert expected.format(floor=FLOOR.strip("/")) == handed(path, root, FLOOR)


def test_a_very_long_spelling_of_slashes_is_found_quickly():
    """A path of a thousand encoded slashes would take seconds."""
    assert handed("/work/" + "%2f" * 5_000 + "x", "/work/", "/t") == "%2f" * 5_000 + "t/x"


# ---------------------------------------------------------------- nobody is sent to the machine


def _url_path(text):
    try:
        return urlsplit(text).path
    except ValueError:
        return text


# Who removes dots is not among them: of ``../etc`` that leaves ``/etc``, and of ``etc`` nothing is
# left to tell.
READERS = (
    unquote,
    lambda text: unicodedata.normalize("NFKC", text),
    lambda text: text.replace("\\", "/"),
    str.strip,
    lambda text: "".join(filter(str.isprintable, text)),
    lambda text: text.replace("'", "").replace('"', ""),
    _url_path,
    lambda text: ntpath.splitdrive(text)[1],
    lambda text: text.removeprefix("./"),
    lambda text: re.sub(r"^~root(?=/|$)", "/root", text),
)


def readings(text, steps=2):
    """Return what readers that decode and normalise make of a text, one after another."""
    seen = {text}
    for _ in range(steps):
        seen |= {reader(one) for one in seen for reader in READERS}
    return seen


def _is_planted(place):
    return any(name in place for name in PLANTED)


def astray(path, root="/work/"):
    """Return the readings under which a function, given a path, would leave the planted tree."""
    base = FLOOR + root.rstrip("/")
    given_ = handed(path, root, FLOOR)
    return [
        text
        for text in readings(given_)
        if not _is_planted(os.path.normpath(text if text.startswith("/") else f"{base}/{text}"))
    ]


@cache
def asked():
    """Return the root and path of every op of the corpus that a path target is asked."""
    return [
        (vector, root, op[1])
        for vector in load()
        if "path" in vector.surfaces and len(vector.case.grant.fs_read) == 1
        for root in vector.case.grant.fs_read
        for op in vector.case.ops
        if op[0] == "fs_read" and askable(op[1], root)
    ]


def test_no_vector_sends_anybody_to_the_machines_own_files():
    """A faulty function would read them, though nothing was to be touched but what was planted."""
    short = [(root, path) for _, root, path in asked() if len(path) < 300]
    assert len(short) > 500
    assert [] == [path for root, path in short if astray(path, root)]


def test_no_technique_sends_anybody_to_the_machines_own_files():
    """A generated case would do what no vector may."""
    grant = Capabilities(fs_read=("/work/",))
    paths = {
        decode.read(grant, which, where, variant).op[1]
        for which in range(256)
        for where in range(0, 256, 8)
        for variant in range(16)
    }
    assert len(paths) > 1_000
    assert [] == [path for path in paths if askable(path, "/work/") and astray(path)]


@given(cases.path_cases())
def test_no_generated_case_sends_anybody_to_the_machines_own_files(case):
    """Pieces that are put together at random would climb out of the tree."""
    path = case.ops[0][1]
    assert not askable(path, "/work/") or astray(path) == []


def test_no_vector_climbs_higher_than_the_tree_is_deep():
    """A climb would end above the tree, on the machine's own files."""
    climbs = [
        text.split("/").count("..") for _, _, path in asked() for text in (path, most_lenient(path))
    ]
    assert max(climbs) <= LEVELS


def test_controls_are_moved_only_as_everybody_reads_them():
    """An honest file would not be found where it was planted, and refusing it be called a fault."""
    moved = [
        path
        for vector, root, path in asked()
        if vector.is_control
        and not path.startswith(root.rstrip("/") + "/" + handed(path, root, FLOOR))
    ]
    assert [] == moved


# ---------------------------------------------------------------- what is not asked at all


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/work/data.txt", True),
        ("/work/../etc", True),
        ("/etc/../x", True),
        ("/work//../../etc", True),
        ("/work/%2fetc", True),
        ("/work/C:/etc", True),
        ("/work/~", True),
        ("/work/~/x", True),
        ("/work/~nobody-of-that-name/x", True),
        ("/work/data~root", True),
        ("/work/~root", False),
        ("/work/~root/.profile", False),
        ("/work/%7eroot", False),
        ("~root/x", False),
        ("/work/NUL:/../../etc", False),
        ("/work/ /../../etc", False),
        ("/work/\\../etc", False),
        ("/work/\ud800/../../etc", False),
        ("/work/~nobody-of-that-name\0/x", True),
        ("/work/~root\0/x", False),
        ("/work/~\ud800/x", True),
    ],
)
def test_what_cannot_be_moved_without_changing_it_is_not_asked(path, expected):
    """A right answer to another question would be called wrong, or a real home be opened."""
    assert expected is askable(path, "/work/")


@pytest.mark.parametrize(
    "path",
    [
        "/work/data.txt",
        "/work/../etc/passwd",
        "/work/..\\etc\\passwd",
        "/work/%2e%2e%2fetc",
        "/work/\u2025/etc",
        "/work/....//etc",
        "/work/.\t./etc",
        "/work/sub/../../etc",
        "/work/sub/.../...//etc",
        "/work/..hidden",
        "/work/50%25.png",
        "/work/~/x",
        "/etc/passwd",
        "//etc",
        "/",
    ],
)
def test_a_climb_to_the_top_stays_in_the_world(path):
    """Beside a real folder next to nothing could be tried."""
    assert may_leave(path) is False


@pytest.mark.parametrize(
    "path",
    [
        "/work/../../etc/passwd",
        "/work/..\\..\\etc",
        "/work/%2e%2e/%2e%2e/etc",
        "/work/%252e%252e/..",
        "/work/%25252e%25252e/..",
        "/work/....//....//etc",
        "/work/..././..././etc",
        "/work/.\t./.\t./etc",
        "/work/.\t.\\.\t./etc",
        "/work/..;/..;/etc",
        "/work/'..'/'..'/etc",
        "/work/.${X}./.${X}./etc",
        "/work/%c0%ae%c0%ae/%c0%ae%c0%ae/etc",
        "/work/\\056\\056/\\056\\056/etc",
        "/work/\u3002\u3002/\u3002\u3002/etc",
        "/work/..=2F..=2Fetc",
        "/work/a..b/../x",
        "/..",
        "..",
    ],
)
def test_a_climb_that_some_filter_frees_may_leave_the_world(path):
    """A faulty function would climb past the parent of a real folder."""
    assert may_leave(path) is True


# ---------------------------------------------------------------- links

LINKS = {
    "/work/top": "/",
    "/work/up": "..",
    "/work/etc": "/etc",
    "/work/near": "../etc",
    "/work/loop": "loop",
    "/work/chain": "etc/..",
}


@pytest.mark.parametrize(
    "path",
    [
        "/work/a",
        "/work/top/etc/passwd",
        "/work/up/up/etc",
        "/work/etc/../etc/passwd",
        "/work/near/..",
        "/work/chain/etc",
        "/work/loop/../../../x",
        "/work/../work/etc/x",
    ],
)
def test_a_way_through_links_that_stays_below_the_top(path):
    """An attack that touches planted files alone would be left out."""
    assert not links_may_leave(LINKS, [path])


@pytest.mark.parametrize(
    ("path", "links"),
    [
        ("/work/top/..", LINKS),
        ("/work/top/%2e%2e/x", LINKS),
        ("/work/top\\..\\x", LINKS),
        ("/work/etc/../../x", LINKS),
        ("/work/up/..", LINKS),
        ("/work/chain/..", LINKS),
        ("/work/a", {"/work/out": "../../x"}),
        ("/work/a", {"/work/out": "/../x"}),
        ("/work/a", {"/work/out": "top/../x", "/work/top": "/"}),
    ],
)
def test_a_way_through_links_that_leads_above_the_top(path, links):
    """A server would be sent to files of the machine, through links that the suite made."""
    assert links_may_leave(links, [path])
