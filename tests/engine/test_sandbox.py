"""One run of the sandbox: its order, the shapes it takes, and how it is made."""

import pytest
from capfuzz.engine import VFS, Capabilities, Net, Result, Sandbox, results

from .twins import Twin

MALFORMED = results.MALFORMED_OP


class _Liar(str):
    """A str that equals, starts with and hashes as whatever a check hopes for."""

    __slots__ = ()

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return hash("summarize")

    def startswith(self, *_):
        return True

    def encode(self, *_):
        return b""


class _Tuple(tuple):
    """A tuple that shows other items than it holds."""

    __slots__ = ()

    def __getitem__(self, at):
        return ("fs_read", "/work/data.txt")[at]

    def __len__(self):
        return 2


class _Bytes(bytes):
    """Bytes that claim to be none."""

    def __len__(self):
        return 0


class _Hostile:
    """A thing that raises whatever is asked of it."""

    def __getattribute__(self, name):
        raise SystemExit(name)

    def __eq__(self, other):
        raise SystemExit

    def __bool__(self):
        raise SystemExit

    __hash__ = None


class _TextTwin(str, metaclass=Twin):
    """A str whose class equals str and bytes."""

    __slots__ = ()

    def encode(self, *_):
        return b"twin"


class _TupleTwin(tuple, metaclass=Twin):
    """A tuple whose class equals tuple."""

    __slots__ = ()


MALFORMED_OPS = {
    "None": None,
    "int": 7,
    "str": "fs_read",
    "list": ["fs_read", "/work/data.txt"],
    "dict": {"fs_read": "/work/data.txt"},
    "empty": (),
    "tuple subclass": _Tuple(("fs_read", "/etc/passwd")),
    "hostile": _Hostile(),
    "hostile kind": (_Hostile(), "/work/data.txt"),
    "hostile path": ("fs_read", _Hostile()),
    "hostile data": ("fs_write", "/work/out/x", _Hostile()),
    "hostile host": ("net_fetch", _Hostile(), "/status"),
    "hostile tool": ("tool", _Hostile()),
    "unknown kind": ("fs_delete", "/work/data.txt"),
    "unknown kind, else a write": ("fs_delete", "/work/out/x", b"1"),
    "unknown kind, else a fetch": ("net", "api.internal", "/status"),
    "unknown kind, else a tool": ("tools", "summarize"),
    "kind in capitals": ("FS_READ", "/work/data.txt"),
    "kind with a blank": ("fs_read ", "/work/data.txt"),
    "kind in bytes": (b"fs_read", "/work/data.txt"),
    "kind that lies": (_Liar("fs_read"), "/work/data.txt"),
    "unhashable kind": (["fs_read"], "/work/data.txt"),
    "private kind": ("_fs_read", "/work/data.txt"),
    "read, nothing": ("fs_read",),
    "read, one too many": ("fs_read", "/work/data.txt", "/work/data.txt"),
    "read, bytes": ("fs_read", b"/work/data.txt"),
    "read, None": ("fs_read", None),
    "read, list": ("fs_read", ["/work/data.txt"]),
    "read, liar": ("fs_read", _Liar("/etc/passwd")),
    "write, nothing": ("fs_write",),
    "write, no data": ("fs_write", "/work/out/x"),
    "write, one too many": ("fs_write", "/work/out/x", b"1", b"2"),
    "write, None": ("fs_write", "/work/out/x", None),
    "write, int": ("fs_write", "/work/out/x", 7),
    "write, bytearray": ("fs_write", "/work/out/x", bytearray(b"1")),
    "write, bytes subclass": ("fs_write", "/work/out/x", _Bytes(b"1")),
    "write, str subclass": ("fs_write", "/work/out/x", _Liar("1")),
    "write, path in bytes": ("fs_write", b"/work/out/x", b"1"),
    "write, path that lies": ("fs_write", _Liar("/etc/passwd"), b"1"),
    "fetch, nothing": ("net_fetch",),
    "fetch, no path": ("net_fetch", "api.internal"),
    "fetch, one too many": ("net_fetch", "api.internal", "/status", "/status"),
    "fetch, host in bytes": ("net_fetch", b"api.internal", "/status"),
    "fetch, host None": ("net_fetch", None, "/status"),
    "fetch, host that lies": ("net_fetch", _Liar("evil.com"), "/status"),
    "fetch, path in bytes": ("net_fetch", "api.internal", b"/status"),
    "fetch, path that lies": ("net_fetch", "api.internal", _Liar("/status")),
    "tool, nothing": ("tool",),
    "tool, bytes": ("tool", b"summarize"),
    "tool, None": ("tool", None),
    "tool, liar": ("tool", _Liar("summarize")),
    "tool, list": ("tool", ["summarize"]),
    "op of a twin class": _TupleTwin(("fs_read", "/work/data.txt")),
    "kind of a twin class": (_TextTwin("fs_read"), "/work/data.txt"),
    "read, path of a twin class": ("fs_read", _TextTwin("/work/data.txt")),
    "write, path of a twin class": ("fs_write", _TextTwin("/work/out/x"), b"1"),
    "write, data of a twin class": ("fs_write", "/work/out/x", _TextTwin("1")),
    "fetch, host of a twin class": ("net_fetch", _TextTwin("api.internal"), "/status"),
    "fetch, path of a twin class": ("net_fetch", "api.internal", _TextTwin("/status")),
    "tool, name of a twin class": ("tool", _TextTwin("summarize")),
}


@pytest.mark.parametrize("name", MALFORMED_OPS)
def test_an_op_of_another_shape_is_refused_softly(world, name):
    """Else it would raise out of run, or be judged by what it claims to be."""
    box, before = world.box(), world.state()
    assert MALFORMED == box.run(MALFORMED_OPS[name])
    assert [before, 1, False] == [world.state(), box.ops, box.halted]


# An op that more than one rule would refuse, and the rule that speaks.
PRECEDENCE = {
    "shape before traversal": ({}, ("fs_read", "/../etc/passwd", 1), "malformed_op"),
    "traversal before malformed path": ({}, ("fs_read", "../etc/passwd"), "path_traversal"),
    "traversal before control": ({}, ("fs_read", "/work/../\0"), "path_traversal"),
    "traversal before surrogate": ({}, ("fs_write", "\ud800\\..", ""), "path_traversal"),
    "traversal inside the grant": ({}, ("fs_read", "/work/out/../data.txt"), "path_traversal"),
    "traversal outside the grant": ({}, ("fs_read", "/etc/../etc/passwd"), "path_traversal"),
    "malformed path before denial": ({}, ("fs_read", "/etc/passwd\0"), "malformed_op"),
    "data before path": ({}, ("fs_write", "/etc/../passwd", 7), "malformed_op"),
    "denial before output": ({"max_output_bytes": 0}, ("fs_read", "/etc/passwd"), "fs_read_denied"),
    "denial before missing": ({}, ("fs_read", "/etc/missing"), "fs_read_denied"),
    "ops before time": ({"max_ops": 0, "max_wall": 0}, ("fs_read", "/work/data.txt"), "max_ops"),
    "ops before shape": ({"max_ops": 0}, None, "max_ops"),
    "ops before denial": ({"max_ops": 0}, ("fs_read", "/etc/passwd"), "max_ops"),
    "time before shape": ({"max_wall": 0}, None, "max_wall"),
    "time before denial": ({"max_wall": 0}, ("fs_read", "/etc/passwd"), "max_wall"),
    "time before output": (
        {"max_wall": 0, "max_output_bytes": 0},
        ("fs_read", "/work/data.txt"),
        "max_wall",
    ),
}


@pytest.mark.parametrize(("changes", "op", "expected"), PRECEDENCE.values(), ids=PRECEDENCE)
def test_the_first_rule_in_order_speaks(world, changes, op, expected):
    """Else the reason would depend on which check happens to come first today."""
    before = world.state()
    assert expected == world.box(**changes).run(op).violation
    assert before == world.state()


def test_a_halted_sandbox_touches_nothing(world):
    """Else work would go on behind a tripped breaker."""
    readings = []
    box = world.box(clock=lambda: readings.append(0) or 0, max_ops=1)
    box.run(None)
    box.run(None)
    before = len(readings), box.ops, box.elapsed, box.output_bytes, box.bytes_written, world.state()
    ops = [
        ("fs_read", "/work/data.txt"),
        ("fs_write", "/work/out/x", b"1"),
        ("net_fetch", "api.internal", "/status"),
        ("tool", "summarize"),
        ("fs_read", "/../etc"),
        None,
    ]
    assert [results.HALTED] * 6 == [box.run(op) for op in ops]
    after = len(readings), box.ops, box.elapsed, box.output_bytes, box.bytes_written, world.state()
    assert before == after


def test_denied_and_malformed_ops_are_charged(world):
    """Else ten thousand denied guesses would cost nothing."""
    box = world.box(max_ops=5)
    guesses = [
        ("fs_read", "/etc/shadow"),
        ("fs_read", "/../etc"),
        ("net_fetch", "evil.com", "/"),
        ("tool", "shell"),
        None,
        ("fs_read", "/work/data.txt"),
    ]
    assert [False] * 5 + [True] == [box.run(op).hard for op in guesses]
    assert "max_ops" == Sandbox(Capabilities(max_ops=0)).run(None).violation


def test_the_clock_is_read_once_an_op(world):
    """Else an op would be charged for time twice, or a malformed one not at all."""
    readings = []
    box = world.box(clock=lambda: readings.append(0) or len(readings))
    for op in (
        ("fs_read", "/work/data.txt"),
        ("fs_read", "/etc/passwd"),
        None,
        ("tool", "summarize"),
    ):
        box.run(op)
    assert [5, 4] == [len(readings), box.elapsed]


def test_an_op_is_one_tick_unless_a_clock_is_given():
    """Else the default would be the machine's own time."""
    box = Sandbox(Capabilities(max_wall=2))
    assert [None, None, "max_wall"] == [_hard(box.run(None)) for _ in range(3)]
    assert 3 == box.elapsed


def _hard(result):
    return result.violation if result.hard else None


def test_an_op_in_flight_when_another_trips_keeps_its_effect_and_says_halted(world):
    """Else an answer would be handed over after the halt, or a done write denied to have been."""
    other = []
    world.tools["summarize"] = lambda: (
        other.append(box.run(("fs_write", "/work/out/x", b"1"))),
        other.append(box.run(None)),
        1 / 0,
    )
    box = world.box(max_ops=2)
    assert results.HALTED is box.run(("tool", "summarize"))
    assert [True, "max_ops"] == [other[0].ok, other[1].violation]
    assert b"1" == world.vfs.read("/work/out/x")


def test_a_write_in_flight_when_another_op_trips_is_counted(make_world):
    """Else bytes that are on the disk would be missing from the count."""

    class Slow(VFS):
        """Files whose write gives another op its chance."""

        def write_place(self, place, data):
            super().write_place(place, data)
            box.run(None)

    world = make_world(vfs=Slow())
    box = world.box(max_ops=1)
    assert results.HALTED is box.run(("fs_write", "/work/out/x", b"123"))
    assert [3, {"/work/out/x": b"123"}] == [box.bytes_written, world.vfs.snapshot()]


def test_the_grant_in_force_can_be_read(world):
    """Else nobody could report under which grant a run was made."""
    caps = Capabilities()
    box = Sandbox(caps)
    assert box.caps is caps
    with pytest.raises(AttributeError):
        box.caps = Capabilities(fs_read=("/",))


@pytest.mark.parametrize("name", ["halted", "ops", "output_bytes", "elapsed", "bytes_written"])
def test_a_count_cannot_be_set(world, name):
    """Else a workload could give itself back what it spent."""
    with pytest.raises(AttributeError):
        setattr(world.box(), name, 0)


class _Wider(Capabilities):
    """A grant that answers as it likes."""

    __slots__ = ()


class _GrantTwin(Capabilities, metaclass=Twin):
    """A grant whose class equals Capabilities."""

    __slots__ = ()


@pytest.mark.parametrize("caps", [None, {"fs_read": ("/",)}, _Wider(), _GrantTwin(), Capabilities])
def test_a_sandbox_takes_nothing_but_a_grant(caps):
    """Else a subclass could answer differently each time it is asked."""
    with pytest.raises(TypeError, match=r"^caps must be Capabilities, not"):
        Sandbox(caps)


def test_a_sandbox_needs_nothing_but_a_grant(told):
    """Else an empty world would have to be spelt out each time."""
    box = Sandbox(Capabilities(fs_read=("/",), fs_write=("/",), net_hosts=("h",)))
    assert ["fs_read failed: FileNotFoundError", None, "net_fetch failed: NetError"] == [
        told(box.run(op))
        for op in (("fs_read", "/x"), ("fs_write", "/x", ""), ("net_fetch", "h", "/"))
    ]
    assert Result(ok=True, output=b"") == box.run(("fs_read", "/x"))


def test_two_sandboxes_do_not_share_their_world_unless_they_are_told_to():
    """Else one run would see what another wrote."""
    caps = Capabilities(fs_read=("/",), fs_write=("/",))
    first, second = Sandbox(caps), Sandbox(caps)
    first.run(("fs_write", "/x", ""))
    assert second.run(("fs_read", "/x")).ok is False


def test_an_empty_world_that_is_given_is_the_one_used():
    """Else an empty VFS or Net would be exchanged for another, and its log stay empty."""
    vfs, net = VFS(), Net()
    box = Sandbox(Capabilities(fs_write=("/",), net_hosts=("h",)), vfs=vfs, net=net)
    box.run(("fs_write", "/x", b"1"))
    box.run(("net_fetch", "h", "/"))
    assert [{"/x": b"1"}, [("h", "/")]] == [vfs.snapshot(), net.calls]
