"""Reading and writing under a grant: paths, links, and the place that an effect acts on."""

from itertools import product

import pytest
from capfuzz.engine import (
    VFS,
    Capabilities,
    Sandbox,
    canonical,
    has_traversal,
    under_allowlist,
)
from capfuzz.engine.paths import is_wellformed

from .drawn import Mute

# Paths, and what reading them comes to under a grant of /work/.
READS = [
    ("/work/data.txt", b"ledger"),
    ("//work/./data.txt", b"ledger"),
    ("/work//data.txt", b"ledger"),
    ("/work/data.txt/", b"ledger"),
    ("/work/out/old.txt", b"old"),
    ("/workshop/secret", "fs_read_denied"),
    ("/workshop", "fs_read_denied"),
    ("/etc/passwd", "fs_read_denied"),
    ("/etc/missing", "fs_read_denied"),
    ("/", "fs_read_denied"),
    ("/WORK/data.txt", "fs_read_denied"),
    ("/work\\data.txt", "fs_read_denied"),
    ("/work/../etc/passwd", "path_traversal"),
    ("/work/..", "path_traversal"),
    ("/work\\..\\etc\\passwd", "path_traversal"),
    ("", "malformed_op"),
    (".", "malformed_op"),
    ("work/data.txt", "malformed_op"),
    ("file:///work/data.txt", "malformed_op"),
    ("/work/data.txt\0", "malformed_op"),
    ("/work/data.txt\n", "malformed_op"),
    ("/etc/passwd\0/work/", "malformed_op"),
    ("/work/\ud800", "malformed_op"),
    ("/work/missing", "fs_read failed: FileNotFoundError"),
    ("/work/%2e%2e/etc/passwd", "fs_read failed: FileNotFoundError"),
    ("/work/\uff0e\uff0e/etc/passwd", "fs_read failed: FileNotFoundError"),
    ("/work/\x7f", "fs_read failed: FileNotFoundError"),
    ("/work", "fs_read failed: IsADirectoryError"),
    ("/work/out/", "fs_read failed: IsADirectoryError"),
]


@pytest.mark.parametrize(("path", "expected"), READS)
def test_a_read_is_what_the_grant_makes_of_the_path(world, told, path, expected):
    """Else something would be read that was not granted, or a grant not honoured."""
    before = world.state()
    assert expected == told(world.box().run(("fs_read", path)))
    assert before == world.state()


WRITES = [
    ("/work/out/new", "/work/out/new"),
    ("/work/out/old.txt", "/work/out/old.txt"),
    ("/work/out/deep/er/new", "/work/out/deep/er/new"),
    ("//work/out//./new", "/work/out/new"),
    ("/work/out/a..b", "/work/out/a..b"),
    ("/work/out/%2e%2e", "/work/out/%2e%2e"),
    ("/work/data.txt", "fs_write_denied"),
    ("/work/outside", "fs_write_denied"),
    ("/system/x", "fs_write_denied"),
    ("/", "fs_write_denied"),
    ("/work/out/../data.txt", "path_traversal"),
    ("work/out/x", "malformed_op"),
    ("/work/out/\0", "malformed_op"),
    ("/work/out", "fs_write failed: IsADirectoryError"),
    ("/work/out/old.txt/x", "fs_write failed: NotADirectoryError"),
]


@pytest.mark.parametrize(("path", "expected"), WRITES)
def test_a_write_is_what_the_grant_makes_of_the_path(world, told, path, expected):
    """Else something would be written that was not granted, or before it was judged."""
    before, box = world.vfs.snapshot(), world.box()
    said = told(box.run(("fs_write", path, b"new")))
    if expected.startswith("/"):
        assert [None, {**before, expected: b"new"}, 3] == [
            said,
            world.vfs.snapshot(),
            box.bytes_written,
        ]
    else:
        assert [expected, before, 0] == [said, world.vfs.snapshot(), box.bytes_written]


def test_a_write_whose_answer_cannot_be_told_is_not_counted():
    """Else an error would count as a write."""

    class Answering(VFS):
        """Files that answer a write with what has no text."""

        def write_place(self, place, data):
            return Mute()

    box = Sandbox(Capabilities(fs_write=("/",)), vfs=Answering())
    assert box.run(("fs_write", "/x", "data")).detail.startswith("fs_write failed: ")
    assert [0, 0, False] == [box.output_bytes, box.bytes_written, box.halted]


@pytest.mark.parametrize("prefixes", [["/"], ["/a", "/\\"], [f"/{'a' * n}" for n in range(1, 40)]])
def test_the_short_cut_agrees_with_the_long_way_on_every_short_path(prefixes):
    """Else the fast path and the right one would differ on some spelling."""

    class Told(VFS):
        """Files that tell where a read arrives."""

        def read_place(self, place):
            return place.encode()

    box = Sandbox(Capabilities(fs_read=prefixes, max_ops=10**6), vfs=Told())
    spellings = ["".join(parts) for n in range(7) for parts in product("/.a\\\0", repeat=n)]

    def expected(path):
        if has_traversal(path):
            return "path_traversal"
        if not is_wellformed(path):
            return "malformed_op"
        return canonical(path) if under_allowlist(path, prefixes) else "fs_read_denied"

    def said(path):
        result = box.run(("fs_read", path))
        return result.output.decode() if result.ok else result.violation

    assert [] == [path for path in spellings if expected(path) != said(path)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", b""),
        ("", b""),
        ("ü", b"\xc3\xbc"),
        (b"\0\xff", b"\0\xff"),
        ("\ud800", b"\xed\xa0\x80"),
    ],
)
def test_data_is_bytes_or_text_in_utf_8(world, data, expected):
    """Else text would be written in another encoding, or a lone surrogate raise out of run."""
    box = world.box(max_output_bytes=0)
    assert box.run(("fs_write", "/work/out/x", data)).ok is True
    assert [expected, len(expected), 0] == [
        world.vfs.read("/work/out/x"),
        box.bytes_written,
        box.output_bytes,
    ]


@pytest.mark.parametrize(
    ("fs_read", "fs_write", "readable", "writable"),
    [
        ((), (), False, False),
        (("/",), (), True, False),
        ((), ("/",), False, True),
        (("/work",), ("/work/data.txt",), True, True),
        (("/work/data.txt/",), (), True, False),
        (("/work/dat",), ("/work/data",), False, False),
        (("/workshop", "/work"), ("/workshop",), True, False),
        ((*(f"/r/{n}" for n in range(40)), "/work"), (), True, False),
        (tuple(f"/r/{n}" for n in range(40)), (), False, False),
    ],
)
def test_reading_and_writing_are_granted_apart(world, fs_read, fs_write, readable, writable):
    """Else leave to read would be leave to write, or an empty list leave to do either."""
    box = world.box(fs_read=fs_read, fs_write=fs_write)
    assert [readable, writable] == [
        box.run(("fs_read", "/work/data.txt")).ok,
        box.run(("fs_write", "/work/data.txt", b"")).ok,
    ]


LINKED_FILES = {
    "/work/f": b"in",
    "/etc/passwd": b"out",
    "/private/tmp/f": b"tmp",
    "/work/out/o": b"o",
}
LINKS = {
    "/work/inside": "f",
    "/work/outside": "/etc/passwd",
    "/work/dir": "/etc",
    "/work/missing": "/etc/missing",
    "/work/up": "../etc",
    "/work/loop": "loop",
    "/work/out/leaf": "/etc/created",
    "/work/out/stay": "/work/out/made",
    "/work/out/read": "/work/f",
    "/work/chain": "/work/dir",
    "/tmp": "/private/tmp",
    "/spin": "/spin",
    "/etc/back": "/work/f",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/work/f", b"in"),
        ("/work/inside", b"in"),
        ("/tmp/f", b"tmp"),
        ("/work/outside", "fs_read_denied"),
        ("/work/dir/passwd", "fs_read_denied"),
        ("/work/dir", "fs_read_denied"),
        ("/work/missing", "fs_read_denied"),
        ("/work/up/passwd", "fs_read_denied"),
        ("/work/chain/passwd", "fs_read_denied"),
        ("/work/loop", "fs_read_denied"),
        ("/work/loop/x", "fs_read_denied"),
        ("/etc/back", "fs_read_denied"),
        ("/etc/passwd", "fs_read_denied"),
        ("/private/tmp/f", "fs_read_denied"),
        ("/spin", "fs_read_denied"),
        ("/spin/f", "fs_read_denied"),
        ("/work/inside/../f", "path_traversal"),
        ("/tmp/none", "fs_read failed: FileNotFoundError"),
    ],
)
def test_a_link_is_judged_by_where_it_leads(told, path, expected):
    """Else a link inside the grant would lead out of it, or a granted link nowhere."""
    caps = Capabilities(fs_read=("/spin", "/work", "/tmp"))
    box = Sandbox(caps, vfs=VFS(LINKED_FILES, LINKS))
    assert expected == told(box.run(("fs_read", path)))


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/work/out/new", "/work/out/new"),
        ("/work/out/stay", "/work/out/made"),
        ("/tmp/new", "/private/tmp/new"),
        ("/work/out/leaf", None),
        ("/work/out/read", None),
        ("/work/outside", None),
        ("/private/tmp/new", None),
        ("/spin", None),
    ],
)
def test_a_write_through_a_link_lands_inside_or_nowhere(path, place):
    """Else a dangling link would let a write create a file outside the grant."""
    vfs = VFS(LINKED_FILES, LINKS)
    box = Sandbox(Capabilities(fs_write=("/spin", "/work/out", "/tmp")), vfs=vfs)
    result = box.run(("fs_write", path, b"new"))
    changed = {**LINKED_FILES, place: b"new"} if place else LINKED_FILES
    assert [place is not None, changed] == [result.ok, vfs.snapshot()]


def test_a_link_that_appears_later_does_not_move_the_grant():
    """Else whoever may exchange a granted link could point the whole grant elsewhere."""
    vfs = VFS(LINKED_FILES, LINKS)
    box = Sandbox(Capabilities(fs_read=("/tmp",), fs_write=("/tmp",)), vfs=vfs)
    vfs._links["/tmp"] = "/etc"
    assert "fs_read_denied" == box.run(("fs_read", "/tmp/passwd")).violation
    assert "fs_write_denied" == box.run(("fs_write", "/tmp/passwd", b"")).violation
    assert LINKED_FILES == vfs.snapshot()


def test_the_effect_acts_on_the_place_that_was_judged():
    """Else a link exchanged between check and use would lead the effect elsewhere."""

    class Exchanging(VFS):
        """Files whose link leads inside while it is judged, and outside from then on."""

        def resolve(self, path):
            place = super().resolve(path)
            self._links = {"/work/l": "/etc/passwd"}
            return place

        def read(self, path):
            raise AssertionError("resolved again")

        write = read

    vfs = Exchanging(LINKED_FILES)
    vfs._links, vfs.has_links = {"/work/l": "/work/f"}, True
    caps = Capabilities(fs_read=("/work",), fs_write=("/work",))
    box = Sandbox(caps, vfs=vfs)
    vfs._links = {"/work/l": "/work/f"}
    assert b"in" == box.run(("fs_read", "/work/l")).output
    vfs._links = {"/work/l": "/work/f"}
    box.run(("fs_write", "/work/l", b"new"))
    assert {**LINKED_FILES, "/work/f": b"new"} == vfs.snapshot()
