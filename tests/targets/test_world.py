"""The recorded world: it answers as a real one would, confines nothing, and tells all it saw."""

import pytest
from capfuzz.attacks.case import Behaviour, WorldSpec
from capfuzz.attacks.trace import Effect
from capfuzz.engine import NetError
from capfuzz.targets import World
from capfuzz.targets.world import output_bytes

SPEC = WorldSpec(
    files={
        "/work/data.txt": b"honest",
        "/etc/passwd": b"root:x",
        "/work/a\\b": b"",
        "/%2e": b"dot",
    },
    links={"/work/door": "/etc", "/work/up": "../etc/passwd", "/work/loop": "loop"},
    hosts={
        "api.internal": {"/status": "ok", "/away": ("evil.test", "/steal"), "/long": "h\u00f4te"},
        "127.0.0.1": {"/": "loopback"},
    },
    tools={kind.value: kind for kind in Behaviour},
)


@pytest.fixture
def world():
    """Return a fresh world."""
    return World(SPEC)


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/work/data.txt", "/work/data.txt"),
        ("//work///./data.txt", "/work/data.txt"),
        ("/work/../etc/passwd", "/etc/passwd"),
        ("/../../etc/passwd", "/etc/passwd"),
        ("/work/no/../../etc/passwd", "/etc/passwd"),
        ("etc/passwd", "/etc/passwd"),
        ("/work/door/passwd", "/etc/passwd"),
        ("/work/up", "/etc/passwd"),
        ("/work/door/../data.txt", "/data.txt"),
        ("/work/%2e%2e/x", "/work/%2e%2e/x"),
        ("/work/..\\x", "/work/..\\x"),
    ],
)
def test_paths_resolve_as_posix_says(world, path, place):
    """A target that passes a raw path through would not really be led outside."""
    assert place == world.vfs.resolve(path)


def test_reads_and_writes_are_recorded_at_the_place_that_they_led_to(world):
    """An escape through a link or a climb would be judged by its harmless spelling."""
    assert world.vfs.read("/work/../etc/./passwd") == b"root:x"
    world.vfs.write("/work/door/shadow", b"x")
    assert [Effect("read", "/etc/passwd", 6), Effect("write", "/etc/shadow")] == world.effects
    assert world.vfs.snapshot() == {**SPEC.files, "/etc/shadow": b"x"}


def test_what_the_world_itself_refuses_is_recorded_as_failed(world):
    """An attempt outside the grant would be missed because the forbidden thing is not there."""
    with pytest.raises(FileNotFoundError):
        world.vfs.read("/etc/missing")
    with pytest.raises(IsADirectoryError):
        world.vfs.write("/etc", b"x")
    assert [
        Effect("read", "/etc/missing", failed=True),
        Effect("write", "/etc", failed=True),
    ] == world.effects


@pytest.mark.parametrize("path", ["/work/loop", "/work/data\0.txt"])
def test_a_path_that_leads_nowhere_has_no_effect(world, path):
    """A read that no kernel would carry out would count as one."""
    with pytest.raises((OSError, ValueError)):
        world.vfs.read(path)
    assert world.effects == []


def test_a_look_whether_something_exists_has_no_effect(world):
    """A target that looks before it refuses would be blamed for reading."""
    assert [world.vfs.exists(path) for path in ("/etc/passwd", "/work/door", "/nowhere")] == [
        True,
        True,
        False,
    ]
    assert world.effects == []


# ---------------------------------------------------------------- hosts


@pytest.mark.parametrize(
    ("host", "place"),
    [
        ("api.internal", "api.internal"),
        ("API.Internal.", "api.internal"),
        ("api.internal..", "api.internal."),
        ("127.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("127.0.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0X7F.1", "127.0.0.1"),
        ("0177.0.0.01", "127.0.0.1"),
        ("017700000001", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("256.0.0.1", "256.0.0.1"),
        ("\uff11\uff12\uff17.1", "\uff11\uff12\uff17.1"),
        ("API.\u0130nternal", "api.\u0130nternal"),
        ("api.internal:80", "api.internal:80"),
    ],
)
def test_a_lenient_client_reaches_a_host_by_every_spelling(world, host, place):
    """A spelling that real clients follow would seem to lead nowhere, and its escape be missed."""
    known = place in SPEC.hosts
    route = "/" if place == "127.0.0.1" else "/status"
    if known:
        assert world.net.fetch(host, route)
    else:
        with pytest.raises(NetError):
            world.net.fetch(host, route)
    assert [(place, route)] == world.net.calls
    assert [(place, not known)] == [(effect.place, effect.failed) for effect in world.effects]


def test_what_a_host_answers_is_measured_in_bytes(world):
    """An output budget would be judged in characters."""
    assert world.net.fetch("api.internal", "/long") == "h\u00f4te"
    assert [Effect("fetch", "api.internal", 5)] == world.effects


@pytest.mark.parametrize("route", ["/nowhere", ["/status"], None])
def test_a_route_that_is_none_still_reaches_the_host(world, route):
    """A call outside the grant would be missed because its route is unknown, or no route at all."""
    with pytest.raises((NetError, TypeError)):
        world.net.fetch("api.internal", route)
    assert [Effect("fetch", "api.internal", failed=True)] == world.effects


def test_a_redirect_is_handed_back_and_not_followed(world):
    """A target could not be seen to follow redirects, as the world would follow them itself."""
    answer = world.net.fetch("api.internal", "/away")
    assert (answer.host, answer.path) == ("evil.test", "/steal")
    assert world.net.calls == [("api.internal", "/away")]
    assert [effect.place for effect in world.effects] == ["api.internal"]


# ---------------------------------------------------------------- tools


@pytest.mark.parametrize(
    ("name", "arguments", "output"),
    [
        ("echo", ("a", 1, b"b"), "a 1 b'b'"),
        ("echo", (), ""),
        ("nothing", ("a",), None),
        ("flood", (12,), "x" * 12),
        ("flood", ("no number",), "x" * 1_000_000),
        ("flood", (10**12,), "x" * 10_000_000),
    ],
)
def test_a_tool_does_what_its_behaviour_says(world, name, arguments, output):
    """A budget or a denial would be tried against a tool that does something else."""
    assert output == world.tools[name](*arguments)
    assert [(name, arguments)] == world.tool_calls
    size = 0 if output is None else len(output)
    assert [Effect("tool", name, size)] == world.effects


def test_a_tool_that_raises_was_called(world):
    """A forbidden tool would seem untouched because it failed."""
    with pytest.raises(RuntimeError):
        world.tools["raise"]("a")
    assert [Effect("tool", "raise", failed=True)] == world.effects
    assert world.tool_calls == [("raise", ("a",))]


def test_a_tool_that_chokes_on_its_arguments_was_called(world):
    """An argument made to raise would hide the call of a forbidden tool."""

    class Hostile:
        def __str__(self):
            raise LookupError

    with pytest.raises(LookupError):
        world.tools["echo"](Hostile())
    assert [Effect("tool", "echo", failed=True)] == world.effects


def test_a_reentrant_tool_asks_for_what_it_is_given(world):
    """Ops tried from inside a tool would never be tried."""
    asked = []
    world.reenter = lambda op: asked.append(op) or True
    assert world.tools["reenter"]("fs_read", "/etc/passwd") == "True"
    assert asked == [("fs_read", "/etc/passwd")]
    assert [Effect("tool", "reenter", 4)] == world.effects


def test_a_reentrant_tool_without_a_session_fails(world):
    """A target's own test would pass for an op that nobody tried."""
    with pytest.raises(RuntimeError, match="no session"):
        world.tools["reenter"]("fs_read", "/etc/passwd")
    assert [Effect("tool", "reenter", failed=True)] == world.effects


# ---------------------------------------------------------------- clock and sizes


@pytest.mark.parametrize(
    ("ticks", "expected"),
    [((), [0, 0, 1, 1, 2, 2]), ((5, 1, 9), [5, 5, 1, 1, 9, 9]), ((7,), [7, 7, 7, 7, 7, 7])],
)
def test_the_clock_moves_by_the_op_tried_however_often_it_is_read(ticks, expected):
    """A target that reads the clock twice an op would be held to another wall limit."""
    world = World(WorldSpec(ticks=ticks))
    readings = []
    for tried in range(3):
        world.tried = tried
        readings += [world.clock(), world.clock()]
    assert expected == readings


def test_the_last_tick_stays():
    """A case with more ops than ticks would crash the suite."""
    world = World(WorldSpec(ticks=(0, 3)))
    world.tried = 9
    assert world.clock() == 3


def test_a_world_can_be_made_from_nothing():
    """A target's own test would have to name what it does not need."""
    world = World()
    assert (world.vfs.snapshot(), dict(world.tools), world.clock()) == ({}, {}, 0)


def test_effects_go_where_the_maker_wants_them():
    """The effects of one op would be told of another."""
    seen = []
    world = World(SPEC, seen.append)
    world.vfs.read("/etc/passwd")
    assert [Effect("read", "/etc/passwd", 6)] == seen
    assert world.effects == []


@pytest.mark.parametrize(
    ("output", "size"),
    [(None, 0), (b"abc", 3), ("\u20ac", 3), ("\ud800", 3), (7, 1), (["a"], 5)],
)
def test_what_flows_back_is_measured_in_bytes(output, size):
    """Characters would be counted for bytes, or a lone surrogate crash the suite."""
    assert size == output_bytes(output)


def test_an_output_that_cannot_be_told_is_nothing():
    """A target's own object would crash the suite."""

    class Mute:
        def __str__(self):
            raise ValueError

    assert output_bytes(Mute()) == 0
