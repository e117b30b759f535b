"""Kinds of effect: those that a fault consists of, and none of what was granted."""

from dataclasses import replace
from pathlib import Path

import pytest
from capfuzz.attacks.case import Case, Surface, WorldSpec
from capfuzz.attacks.invariants import judge
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.trace import Answer, Effect, Step, Trace
from capfuzz.engine import Capabilities
from capfuzz.gate import effects, grouping
from capfuzz.gate.log import Log
from capfuzz.gate.write_up import breaches, write_up
from capfuzz.targets.spec import Options, load

GRANT = Capabilities(fs_read=["/work/"], fs_write=["/work/"], max_ops=1)
READ_OUT, WRITE_OUT = Effect("read", "/etc/passwd", 6), Effect("write", "/etc/passwd")
READ_IN, WRITE_IN = Effect("read", "/work/a", 6), Effect("write", "/work/a")


def trace(op, *seen, ok=True, grant=GRANT):
    """Return the trace of one op with these effects."""
    world = WorldSpec(files={"/etc/passwd": b"secret", "/work/a": b"honest"})
    case = Case(family="path-outside", grant=grant, world=world, ops=(op,), techniques=("outside",))
    return Trace(case, Surface.SESSION, (Step(op, Answer(ok), seen, 0, 1, 0),))


def shown(one):
    """Return by which kinds of effect the breach of a trace shows."""
    (breach,) = judge(one).breaches
    key = grouping.key(one, rulings(one)[breach.step], breach)
    return effects.shown_by(key, one, breach)


READ, WRITE = ("fs_read", "/etc/passwd"), ("fs_write", "/etc/passwd", "x")
SHOWN = {
    "one": (trace(READ, READ_OUT), ("read",)),
    "both": (trace(WRITE, WRITE_OUT, READ_OUT), ("read", "write")),
    "what was granted besides": (trace(WRITE, READ_IN, WRITE_OUT), ("write",)),
    "what was granted after": (trace(READ, READ_OUT, WRITE_IN), ("read",)),
    "done and denied": (trace(WRITE, READ_OUT, WRITE_OUT, ok=False), ("write",)),
    "a budget": (trace(READ, READ_OUT, grant=Capabilities(max_ops=0)), ()),
    "honest work refused": (trace(("fs_read", "/work/a"), READ_IN, ok=False), ()),
}


@pytest.mark.parametrize(("one", "kinds"), SHOWN.values(), ids=SHOWN)
def test_a_fault_has_the_effects_that_make_it_one(one, kinds):
    """A target that reads its own files would look as if it had learnt to read outside."""
    assert kinds == shown(one)


def test_logs_merged_know_every_kind_and_the_plainest_case_of_each():
    """Several processes would report another finding than one."""
    traces = [trace(READ, READ_OUT), trace(WRITE, WRITE_OUT), trace(READ, READ_OUT, READ_IN)]
    whole, merged = Log(), Log()
    for one in traces:
        part = Log()
        for log in (whole, part):
            log.add(one, judge(one))
        merged.merge(part)
    (hit,), (again,) = whole.hits.values(), merged.hits.values()
    assert {"read": traces[0].case, "write": traces[1].case} == {
        kind: one.case for kind, one in hit.examples.items()
    }
    assert (hit.effects, hit.examples) == (again.effects, again.examples)


def test_shrinking_keeps_an_op_with_the_effect_that_is_to_be_shown(monkeypatch):
    """A finding that is new for its writes would be told by a read that everybody knows."""
    monkeypatch.syspath_prepend(Path(__file__).parent / "report")
    target = load("py:naive:Box", Options(surface=None))
    both = trace(WRITE).case
    both = replace(both, ops=(WRITE, READ), techniques=("outside", "outside"))
    ((key, _),) = breaches(target, both)[1]
    found = write_up(target, key, both, "outside", "write")
    assert [list(WRITE)] == found.ops
    assert found.observed == "accepted; wrote '/etc/passwd'"
