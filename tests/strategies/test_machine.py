"""The state machine: it finds faults that need a sequence, says all of one, and accuses nobody."""

import re
import unittest

import pytest
from capfuzz.engine import Capabilities
from capfuzz.strategies import grants, session_machine
from capfuzz.targets.broken import session as broken
from capfuzz.targets.right import session as right
from capfuzz.targets.session import SessionTarget, engine_factory
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

# Every health check is on, and the same runs are made each time.
STRICT = settings(
    database=None,
    deadline=None,
    derandomize=True,
    suppress_health_check=(),
    stateful_step_count=20,
    print_blob=False,
)
HOLDS = settings(STRICT, max_examples=60)
FINDS = settings(STRICT, max_examples=2_000, phases=[Phase.generate], report_multiple_bugs=False)
SHRINKS = settings(
    STRICT,
    max_examples=500,
    phases=[Phase.generate, Phase.shrink],
    report_multiple_bugs=False,
)
RIGHT = {
    "engine": engine_factory,
    "realpath": right.realpath,
    "string_prefix": right.string_prefix,
    "picky": right.picky,
}
FAULTS = {
    "cache_keyed_too_loosely": {"confined"},
    "no_halt_after_hard": {"halt-after-hard"},
    "grant_widened_by_write": {"confined"},
    "max_ops_off_by_one": {"within-budget"},
    # A denial that should have been the last op stops nothing, and the op after it runs.
    "denied_ops_not_charged": {"within-budget", "halt-after-hard"},
    "links_followed": {"confined", "no-effect-on-denial"},
    "write_before_check": {"no-effect-on-denial"},
}


_PATIENT = 30.0  # seconds; a busy machine is no fault of a target


def breach(fault, how, drawn=None):
    """Return what the machine says of a faulty target."""
    machine = session_machine(SessionTarget(fault, getattr(broken, fault), _PATIENT), grants=drawn)
    with pytest.raises(AssertionError) as told:
        run_state_machine_as_test(machine, settings=how)
    return str(told.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_said_of_a_right_target(name):
    """Users would be sent after faults that they do not have."""
    run_state_machine_as_test(session_machine(SessionTarget(name, RIGHT[name])), settings=HOLDS)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_that_need_a_sequence_are_found(fault):
    """The machine would pass whatever it is pointed at."""
    assert breach(fault, FINDS).partition(" ")[0] in FAULTS[fault]


@pytest.mark.slow
def test_a_fault_of_the_clock_is_found_under_a_tight_limit():
    """Clocks that step back would never meet a limit."""
    hasty = grants(max_roots=2, budgets=st.just({"max_wall": 4}))
    told = breach("clock_gives_time_back", FINDS, hasty)
    assert told.partition(" ")[0] in {"within-budget", "halt-after-hard"}


@pytest.mark.slow
def test_a_finding_is_shrunk_and_says_all_that_is_needed():
    """A user could neither understand nor repeat it."""
    told = breach("max_ops_off_by_one", SHRINKS)
    lines = told.splitlines()
    assert lines[0].startswith("within-budget is broken by ")
    assert lines[1].startswith("  observed: accepted")
    assert lines[2] == "  expected: halted, without effect (max_ops)"
    assert "max_ops=0" in lines[3]
    assert lines[4:7] == ["  links:    {}", "  ticks:    0, 1, 2, ...", "  ops:"]
    assert len(lines) == 8  # the shortest: one op under a budget of none


def test_the_machine_is_a_test_case():
    """It could not stand in a test file as any other state machine does."""
    machine = session_machine(SessionTarget("engine", engine_factory), max_ops=7)
    assert issubclass(machine, RuleBasedStateMachine)
    assert issubclass(machine.TestCase, unittest.TestCase)
    assert machine.TestCase.settings.stateful_step_count == 7
    assert Phase.shrink in machine.TestCase.settings.phases


def test_two_machines_do_not_share_their_targets():
    """A test would attack another test's sandbox."""
    first = session_machine(SessionTarget("one", engine_factory), max_ops=3)
    second = session_machine(SessionTarget("two", engine_factory), max_ops=4)
    assert ["one", "two"] == [first.target.spec, second.target.spec]
    assert first.TestCase.settings.stateful_step_count == 3


def test_a_grant_of_ones_own_is_the_only_one():
    """A sandbox with one fixed grant could not be attacked."""
    own, seen = Capabilities(fs_read=("/srv",), max_ops=9), set()

    class Watched(SessionTarget):
        def run(self, case, patience=1.0):
            seen.add(case.grant)
            assert len(case.ops) <= 5
            return super().run(case, patience)

    machine = session_machine(Watched("engine", engine_factory), grants=st.just(own))
    how = settings(STRICT, max_examples=10, stateful_step_count=5)
    run_state_machine_as_test(machine, settings=how)
    assert {own} == seen


def test_every_kind_of_op_is_tried():
    """A whole class of ops would never be tried."""
    kinds = set()

    class Watched(SessionTarget):
        def run(self, case, patience=1.0):
            op = case.ops[-1]
            kinds.add(op[0] if type(op) is tuple and op and type(op[0]) is str else "odd")
            return super().run(case, patience)

    machine = session_machine(Watched("engine", engine_factory))
    run_state_machine_as_test(machine, settings=settings(STRICT, max_examples=30))
    assert {"fs_read", "fs_write", "net_fetch", "tool", "odd"} <= kinds


def test_the_message_names_the_ops_in_order():
    """A user would try them in another order, and see nothing."""
    told = breach("no_halt_after_hard", FINDS)
    assert re.search(r"\n  ops:\n(    .+\n)+    .+\Z", told)
