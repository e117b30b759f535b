"""The properties that hold whatever the input."""

import copy
import dataclasses
import pickle
from contextlib import suppress
from functools import partial
from itertools import pairwise
from math import inf, nan

import pytest
from capfuzz.engine import VFS, Capabilities, GrantError, Net, Result, Sandbox, Violation
from capfuzz.engine.results import HALTED
from hypothesis import given, settings
from hypothesis import strategies as st

from .drawn import CLOCKS, GRANTS, HOSTILE, OPS, SEQUENCES, check, lists, pairs
from .plays import FILES, HOSTS, LINKS, Play, in_threads

pytestmark = pytest.mark.slow


@check
@given(GRANTS, CLOCKS, SEQUENCES)
def test_a_denial_has_no_effect(caps, ticks, ops):
    """Else the sandbox would act first and refuse afterwards."""
    # Output that is too long, and an op in flight, follow an effect that was allowed.
    after_the_fact = {None, Violation.MAX_OUTPUT_BYTES, Violation.HALTED}
    for step in Play(caps, ticks).run_all(ops).steps:
        if step.was_halted or step.result.violation not in after_the_fact:
            assert step.before == step.after


@check
@given(GRANTS, CLOCKS, SEQUENCES)
def test_nothing_happens_after_a_hard_refusal(caps, ticks, ops):
    """Else a tripped breaker would let something through."""
    play = Play(caps, ticks)
    moments = [(play.run(op).hard, play.spent(), play.state()) for op in ops]
    for (halted, *before), (hard, *after) in pairwise(moments):
        assert not halted or (hard and before == after)
    assert all(step.result is HALTED for step in play.steps if step.was_halted)


def _size(output):
    """Return the bytes of an output, counted the slow way."""
    if output is None:
        return 0
    text = output if isinstance(output, bytes) else str(output).encode("utf-8", "surrogatepass")
    return len(text)


def _hold_budgets(play):
    caps, box = play.caps, play.box
    handed = sum(_size(step.result.output) for step in play.steps if step.result.ok)
    soft = sum(not step.result.hard for step in play.steps)
    assert soft <= box.ops <= caps.max_ops
    assert handed == box.output_bytes <= caps.max_output_bytes
    assert box.halted or box.elapsed <= caps.max_wall
    assert box.halted == any(step.result.hard for step in play.steps)


@check
@given(GRANTS, CLOCKS, SEQUENCES)
def test_no_budget_is_exceeded(caps, ticks, ops):
    """Else an agent would do, take or wait more than it was granted, alone or through a tool."""
    play = Play(caps, ticks).run_all(ops)
    _hold_budgets(play)
    if all(type(now) is int for now in play.readings):
        forward = sum(max(0, after - before) for before, after in pairwise(play.readings))
        assert forward == play.box.elapsed


@settings(check, max_examples=100)
@given(GRANTS, st.lists(SEQUENCES, min_size=2, max_size=4))
def test_no_budget_is_exceeded_by_several_threads(caps, sequences):
    """Else threads would each take the last unit of a budget, or wait for each other for good."""
    play = Play(caps)
    assert 0 == in_threads([partial(play.run_all, ops) for ops in sequences])
    _hold_budgets(play)
    assert set(play.called) <= caps.allowed_tools


def _inside(place, prefixes, links):
    """Tell whether a place lies below where a prefix leads, compared segment by segment."""
    world, roots = VFS({}, links), []
    for prefix in prefixes:
        with suppress(OSError):
            roots.append(_segments(world.resolve(prefix)))
    return any(_segments(place)[: len(root)] == root for root in roots)


def _segments(path):
    return [name for name in path.split("/") if name]


@check
@given(GRANTS, st.sampled_from([LINKS, {}]), CLOCKS, SEQUENCES)
def test_every_effect_is_inside_the_grant(caps, links, ticks, ops):
    """Else something would be touched that was not granted."""
    play = Play(caps, ticks, links=links).run_all(ops)
    prefixes = {"read": caps.fs_read, "write": caps.fs_write}
    assert [] == [
        (kind, place)
        for kind, place in play.vfs.touched
        if not _inside(place, prefixes[kind], links)
    ]
    hosts = {host.lower().removesuffix(".") for host in caps.net_hosts}
    assert {host for host, _ in play.net.calls} <= hosts
    assert set(play.called) <= caps.allowed_tools


class _Wider(Capabilities):
    """A grant whose class answers in its place."""

    __slots__ = ()


FIELDS = [field.name for field in dataclasses.fields(Capabilities)]


def _values(caps):
    return [getattr(caps, name) for name in FIELDS]


def _extend(_caps, wide, sources):
    for source, more in zip(sources, lists(wide), strict=True):
        source.extend(more)


def _set_all(caps, wide, _sources):
    for name, value in zip(FIELDS, _values(wide), strict=True):
        _quietly(setattr, caps, name, value)


def _delete_all(caps, _wide, _sources):
    for name in FIELDS:
        _quietly(delattr, caps, name)


def _quietly(way, *args):
    with suppress(AttributeError, TypeError):
        way(*args)


WAYS = {
    "sources": _extend,
    "attributes": _set_all,
    "deleted": _delete_all,
    "setstate": lambda caps, wide, _: caps.__setstate__(_values(wide)),
    "init": lambda caps, wide, _: caps.__init__(*lists(wide)),
    "roots": lambda caps, wide, _: caps.readable.__init__(wide.fs_read),
    "class": lambda caps, _wide, _: setattr(caps, "__class__", _Wider),
    "vars": lambda caps, wide, _: vars(caps).update(zip(FIELDS, _values(wide), strict=True)),
    "replace": lambda caps, wide, _: dataclasses.replace(caps, fs_read=wide.fs_read, max_ops=9),
    "copy": lambda caps, wide, _: copy.copy(caps).__init__(*lists(wide)),
    "pickle": lambda caps, wide, _: pickle.loads(pickle.dumps(caps)).__init__(*lists(wide)),
}


@check
@given(GRANTS, GRANTS, st.sampled_from(list(WAYS)), SEQUENCES)
def test_a_grant_cannot_be_changed(twin, wide, way, ops):
    """Else a workload that holds its grant, or the lists it came from, could widen it."""
    sources = [list(some) for some in lists(twin)]
    caps = Capabilities(*sources, twin.max_ops, twin.max_output_bytes, twin.max_wall)
    before = Play(caps)
    _quietly(WAYS[way], caps, wide, sources)
    assert [twin, Capabilities] == [caps, type(caps)]
    expected = Play(twin).run_all(ops).outcome()
    assert expected == before.run_all(ops).outcome()
    assert expected == Play(caps).run_all(ops).outcome()


@check
@given(GRANTS)
def test_a_subclass_is_no_grant(wide):
    """Else a grant could answer differently each time it is asked."""
    with pytest.raises(TypeError, match="caps must be Capabilities"):
        Sandbox(_Wider(*lists(wide)))


@check
@given(GRANTS, CLOCKS, SEQUENCES)
def test_the_same_input_gives_the_same_results(caps, ticks, ops):
    """Else a finding could not be replayed."""
    once, again = (Play(caps, ticks).run_all(ops).outcome() for _ in range(2))
    assert once == again


@settings(check, max_examples=1_000)
@given(pairs(), OPS)
def test_a_smaller_grant_never_allows_more(pair, op):
    """Else taking authority away would give some."""
    large, small = map(Play, pair)
    allowed = small.run(op).ok
    assert large.run(op).ok or not allowed
    # What a tool tries is tried under the same grant.
    assert set(small.vfs.touched) <= set(large.vfs.touched)
    assert set(small.net.calls) <= set(large.net.calls)
    assert set(small.called) <= set(large.called)


@settings(check, max_examples=1_000)
@given(GRANTS, OPS)
def test_a_denial_does_not_tell_whether_the_thing_exists(caps, op):
    """Else an agent could map what it may not see by being refused."""
    granted = (*caps.fs_read, *caps.fs_write)
    files = {path: data for path, data in FILES.items() if _inside(path, granted, LINKS)}
    whole = Play(caps).run(op)
    bare = Play(caps, files=files, hosts=[host for host in HOSTS if host in caps.hosts]).run(op)
    if whole.violation or bare.violation:
        assert whole == bare


@settings(check, max_examples=1_000)
@given(st.lists(HOSTILE, min_size=1, max_size=4), st.booleans())
def test_no_input_raises_out_of_run(ops, hand_back):
    """Else a hostile op, or a tool that hands it back, would end the host's loop."""
    box = Sandbox(
        Capabilities(("/",), ("/",), ("api.internal",), ("use",)),
        vfs=VFS(FILES, LINKS),
        net=Net({"api.internal": {"/s": "ok"}}),
        tools={"use": lambda thing=None: thing if hand_back else box.run(thing)},
    )
    for op in ops:
        assert isinstance(box.run(op), Result)
    assert box.halted is False
    assert box.ops == len(ops) if hand_back else box.ops >= len(ops)


NO_COUNTS = [nan, inf, -inf, 0.0, 1j, b"1", (), "7"]


@check
@given(
    st.sampled_from(["max_ops", "max_output_bytes", "max_wall"]),
    st.one_of(
        st.integers(max_value=-1),
        st.booleans(),
        st.floats(),
        st.text(),
        st.none(),
        st.sampled_from(NO_COUNTS),
    ),
)
def test_a_budget_that_is_no_count_is_refused(name, value):
    """Else a budget would be unlimited, or mean less than nothing."""
    with pytest.raises(GrantError, match=f"^{name}: must "):
        Capabilities(**{name: value})


@check
@given(st.integers(0, 40), st.integers(0, 45))
def test_a_budget_of_ops_is_exact(limit, tried):
    """Else one op too many, or one too few, would be admitted."""
    play = Play(Capabilities(max_ops=limit)).run_all([None] * tried)
    admitted = [step.result.violation for step in play.steps].count("malformed_op")
    assert min(limit, tried) == admitted


@check
@given(st.integers(0, 60), st.lists(st.integers(0, 20), max_size=8))
def test_a_budget_of_output_is_exact(limit, sizes):
    """Else one byte too many would flow back, or the last one be refused."""
    play = Play(Capabilities(allowed_tools=("echo",), max_output_bytes=limit))
    play.run_all([("tool", "echo", "x" * size) for size in sizes])
    fitting = [sum(sizes[: n + 1]) <= limit for n in range(len(sizes))]
    assert fitting == [step.result.ok for step in play.steps]


@check
@given(st.integers(0, 60), st.lists(st.integers(-20, 20), min_size=1, max_size=9))
def test_a_budget_of_time_is_exact(limit, ticks):
    """Else one tick too many would pass, or a step back give some back."""
    play = Play(Capabilities(max_wall=limit), tuple(ticks)).run_all([None] * (len(ticks) - 1))
    steps = [max(0, after - before) for before, after in pairwise(ticks)]
    in_time = [sum(steps[: n + 1]) <= limit for n in range(len(steps))]
    assert in_time == [not step.result.hard for step in play.steps]
