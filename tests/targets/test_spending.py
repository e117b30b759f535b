"""Budgets around a sandbox are tried: what comes out is counted, and what lives on is looked for."""

from dataclasses import replace

import pytest
from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.attacks.invariants import judge
from capfuzz.attacks.trace import Effect
from capfuzz.engine import Capabilities
from capfuzz.targets import TargetError
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.command_forms import adapted
from capfuzz.targets.outlived import marked
from capfuzz.targets.sandboxes.bare import Bare
from capfuzz.targets.sandboxes.base import Rendered

READABLE = "/work/data.txt"
GRANT = Capabilities(fs_read=("/work/",), max_output_bytes=4096, max_wall=1)
MOST = 4 * 1024 * 1024  # bytes that the probe writes, whatever it is asked


class Bounded(Bare):
    """Nothing but the budgets around it."""

    meters = frozenset()
    lingers = True
    before = ""

    def render(self, grant, layout):
        """Return the command, started after whatever stands before it."""
        script = f'{self.before}exec "$@"'
        return Rendered(("sh", "-c", script, "sh", *layout.command), lingers=self.lingers)


def begins(before):
    """Return a sandbox in which something is run before what is to run."""
    made = Bounded()
    made.before = before
    return made


def asked(*op, grant=GRANT):
    """Return a case of one op."""
    world = WorldSpec(files={READABLE: b"honest data"})
    return Case(grant, world, (op,), ("kernel-flood",), "kernel-test")


def tried(adapter, *op, grant=GRANT, late=3.0):
    """Return the effects of an op, the invariants that it broke, and what is left of it."""
    target = CommandTarget("bounded", adapter, late=late)
    try:
        trace = target.run(target.adapt(asked(*op, grant=grant)))
        left = marked(target._own)
        return trace.steps[0].effects, [one.invariant for one in judge(trace).breaches], left
    finally:
        target.close()


READ = Effect("read", READABLE, 11)


def test_output_within_its_budget_comes_through_whole():
    """Honest work would be cut off, and a cap on everything would pass for a right one."""
    assert ((READ,), [], []) == tried(Bounded(), "use_output", READABLE, 1_000)


def test_output_beyond_its_budget_is_seen():
    """A program could fill the memory of whoever keeps what it prints."""
    flood = (READ, Effect("tool", "flood"))
    assert ((), [], []) == tried(Bounded(), "use_output", READABLE, 1_000_000)
    assert (flood, ["confined"], []) == tried(Bare(), "use_output", READABLE, 1_000_000)


def test_the_probe_writes_no_more_than_it_may_of_itself():
    """Whoever asks for all there is would have a full disk."""
    grant = replace(GRANT, max_output_bytes=MOST + 1_000)
    with pytest.raises(TargetError, match="use_output did not begin in 8 s: honest data"):
        tried(Bare(), "use_output", READABLE, 10**12, grant=grant)


def test_what_is_cut_short_is_no_honest_work():
    """A cap of half the budget would be called right."""

    class Short(Bare):
        def render(self, grant, layout):
            made = super().render(grant, layout)
            return replace(made, command=("sh", "-c", '"$@" | head -c 500', "sh", *made.command))

    assert ((), ["control-allowed"], []) == tried(Short(), "use_output", READABLE, 2_000)


def test_what_lives_on_after_the_deadline_is_seen_and_ended():
    """A program could go on for ever, and what the suite has let loose, too."""
    overtime = (Effect("tool", "overtime"),)
    assert ((), [], []) == tried(Bounded(), "use_time", 20)
    assert (overtime, ["confined"], []) == tried(Bare(), "use_time", 20, late=1.0)


def test_a_group_alone_is_not_all():
    """``timeout`` would pass for a deadline where a program may leave its group."""

    class Grouped(Bounded):
        lingers = False

    assert (Effect("tool", "overtime"),) == tried(Grouped(), "use_time", 20)[0]


def test_what_begins_late_is_given_longer():
    """On a busy machine nothing would begin before its deadline, and that be called held."""
    assert ((), [], []) == tried(begins("sleep 1.5; "), "use_time", 20)


def test_what_never_begins_is_told():
    """A sandbox in which nothing runs would hold."""
    with pytest.raises(TargetError, match="use_time did not begin in 8 s: no room"):
        tried(begins("echo no room; exit 1; "), "use_time", 20)


def test_other_ops_beside_it_are_not_asked():
    """They would be tried in a sandbox that has ended."""
    case = asked("use_time", 20)
    mixed = replace(case, ops=(*case.ops, ("fs_read", READABLE)), techniques=("kernel-flood",) * 2)
    assert adapted(case, Bare()) is not None
    assert adapted(mixed, Bare()) is None
