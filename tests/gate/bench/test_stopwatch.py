"""The stopwatch times the target's function alone, as often as it is called."""

import pytest
from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.engine import Capabilities, Sandbox
from capfuzz.gate.bench.stopwatch import Stopwatch, clocked

from .made import engine, made_of


def burn(steps=200_000):
    """Use the processor for a while."""
    return sum(range(steps))


def session(ops, **granted):
    """Return a case of a session in a small world."""
    world = WorldSpec(files={"/work/a": b"a"}, hosts={"h": {"/": "ok"}})
    return Case(Capabilities(**granted), world, ops, ("t",) * len(ops), "f")


def test_what_is_outside_is_left_out():
    """The suite's own world would be held against the target."""
    watch = Stopwatch()
    outside = watch.outside(burn)
    with_world, alone = watch.timed(lambda: [outside() for _ in range(20)]), watch.timed(burn)
    with_world()
    alone()
    assert watch.spent[0] < watch.spent[1]  # twenty times the work, and none of it counts


def test_an_exception_is_timed_too():
    """A guard that raises after a long look would have cost nothing."""
    watch = Stopwatch()

    def refuse():
        burn()
        raise PermissionError

    for _ in range(2):
        with pytest.raises(PermissionError):
            watch.timed(refuse)()
    assert 2 == len(watch.spent)
    assert min(watch.spent) > 0


def test_every_op_of_a_session_is_timed_and_still_recorded():
    """Effects could not be seen any more, or times belong to other ops."""
    made = clocked(engine())
    ops = (("fs_read", "/work/a"), ("fs_read", "/etc/x"), ("net_fetch", "h", "/"))
    trace, spent = made.run(session(ops, fs_read=("/work",), net_hosts=("h",)))
    assert [True, False, True] == [step.answer.ok for step in trace.steps]
    assert ["read", "fetch"] == [effect.kind for step in trace.steps for effect in step.effects]
    assert 3 == len(spent)


def test_times_do_not_pile_up_over_cases():
    """The second case would be told the times of the first."""
    made = clocked(engine())
    for _ in range(2):
        _, spent = made.run(session((("fs_read", "/work/a"),), fs_read=("/work",)))
        assert 1 == len(spent)


def test_a_session_that_loads_attributes_of_the_world_finds_them():
    """An engine that asks whether there are links would not start."""

    def make(caps, world):
        assert world.vfs.has_links is False
        return Sandbox(caps, vfs=world.vfs, net=world.net, tools=world.tools, clock=world.clock)

    trace, _ = clocked(made_of(make, "session")).run(
        session((("fs_read", "/work/a"),), fs_read=("/work",))
    )
    assert trace.steps[0].answer.ok


def test_a_fixed_host_is_asked_with_the_url_alone():
    """``NAME(url)`` would raise TypeError, and every URL seem refused at no cost."""
    seen = []
    made = clocked(made_of(lambda url: seen.append(url) or True, "host", allow_host="h"))
    case = session((("url", "http://h/"),), net_hosts=("h",))
    _, spent = made.run(made.target.adapt(case))
    assert ["http://h/"] == seen
    assert 1 == len(spent)
