"""One process's share: the numbers belong to the ops, and wrong answers are not timed."""

import pytest
from capfuzz.gate.bench import measure
from capfuzz.gate.bench.measure import Hung, Task, measured
from capfuzz.targets.base import TargetError
from capfuzz.targets.options import Options

from .made import ENGINE, made_of


def task(**changed):
    """Return a small task for the engine."""
    fields = {"spec": "engine", "options": Options(), "sizes": (1,), "rounds": 3}
    return Task(**{**fields, **changed})


def share_of(factory, monkeypatch, **changed):
    """Measure a session that is no module's, as if its spec led to it."""
    monkeypatch.setattr(measure, "subject", lambda _spec, _options: made_of(factory, "session"))
    return measured(task(**changed))


def test_every_workload_gets_its_rounds_and_ratios():
    """A table would have holes, or columns of different length."""
    share = measured(task(only=frozenset({"tool denied", "net_fetch allowed"})))
    assert ["net_fetch allowed", "tool denied"] == [one.name for one in share.samples]
    for one in share.samples:
        assert 3 == len(one.nanoseconds) == len(one.units)
        assert () == one.paired
        assert min(one.nanoseconds) > 0
    assert () == share.remarks


def test_a_second_target_is_timed_in_turn():
    """The comparison with another target would have nothing to go by."""
    (only,) = measured(task(against=ENGINE, only=frozenset({"tool denied"}))).samples
    assert 3 == len(only.paired)


def test_calls_that_were_settled_are_kept():
    """A number of calls that flips makes most of the noise of short benchmarks."""
    (only,) = measured(task(only=frozenset({"tool denied"}), calls={"tool denied": 7})).samples
    assert 7 == only.calls


class _Refusing:
    def __init__(self, caps, world):
        self.roots = tuple(root + "/" for root in caps.fs_read)

    def run(self, op):
        return op[0] == "fs_read" and op[1].startswith(self.roots)


def test_a_kind_that_is_refused_altogether_is_told_once(monkeypatch):
    """A session that knows only some kinds could not be timed at all."""
    share = share_of(_Refusing, monkeypatch)
    assert "fs_read allowed" in [one.name for one in share.samples]
    assert {"fs_read"} == {one.kind for one in share.samples if one.group == "kind"}
    assert 1 == sum("tool: every honest op was refused" in one for one in share.remarks)


class _Open(_Refusing):
    def run(self, op):
        return True


def test_a_denial_that_is_none_is_not_timed(monkeypatch):
    """The time of an allowance would be shown as that of a denial."""
    share = share_of(_Open, monkeypatch)
    assert all(one.allowed for one in share.samples)
    assert 1 == sum(one.startswith("fs_read: ") for one in share.remarks)


class _Halting(_Refusing):
    left = 40

    def run(self, op):
        self.left -= 1
        return self.left > 0 and super().run(op)


def test_a_session_that_halts_is_not_timed(monkeypatch):
    """A halted session is fast, and its numbers would look fine."""
    for name in ("fs_read allowed", "fs_read denied", "fs_read denied depth=3"):
        with pytest.raises(TargetError, match="does it halt"):
            share_of(_Halting, monkeypatch, only=frozenset({name}))


class _Busy:
    """A session that waits for good for what it would refuse, or for what it is asked first."""

    first = False

    def __init__(self, caps, world):
        self.tools, self.asked = caps.allowed_tools, 0

    def run(self, op):
        self.asked += 1
        while op[1] not in self.tools or (self.first and self.asked == 1):
            pass
        return True


class _BusyAtFirst(_Busy):
    first = True


@pytest.mark.parametrize(
    ("factory", "name", "hung"),
    [
        (_Busy, "tool denied", (Hung("tool denied", 0, hostile=True),)),
        (_Busy, "tool allowed", ()),
        (_BusyAtFirst, "tool denied", ()),
    ],
)
def test_a_hostile_op_that_hangs_is_told_apart(factory, name, hung, monkeypatch):
    """A target that hangs on what it should refuse would only be left out, or one that always does be accused."""
    monkeypatch.setattr(measure, "PATIENCE", 1.0)
    made = made_of(factory, "session", op_limit=0.05)
    monkeypatch.setattr(measure, "subject", lambda _spec, _options: made)
    said = []
    share = measured(task(only=frozenset({name})), said.append)
    assert hung == share.hung
    assert [one for one in said if one is not None]  # each op was announced
