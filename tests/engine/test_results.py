"""What an op comes back with: the closed set of reasons and the shared refusals."""

import pytest
from capfuzz.engine import Result, Violation, results

SOFT = {
    "TRAVERSAL": "path_traversal",
    "MALFORMED_PATH": "malformed_op",
    "MALFORMED_OP": "malformed_op",
    "READ_DENIED": "fs_read_denied",
    "WRITE_DENIED": "fs_write_denied",
    "EGRESS_DENIED": "egress_denied",
    "TOOL_DENIED": "tool_denied",
}
HARD = {
    "OUT_OF_OPS": "max_ops",
    "OUT_OF_TIME": "max_wall",
    "OUT_OF_OUTPUT": "max_output_bytes",
    "HALTED": "halted",
}


def test_the_reasons_are_a_closed_set():
    """Else a report would meet a reason that it has no word for."""
    assert {*SOFT.values(), *HARD.values()} == {str(reason) for reason in Violation}


@pytest.mark.parametrize("name", SOFT)
def test_a_soft_refusal_leaves_the_sandbox_running(name):
    """Else one denied guess would end an honest run."""
    refusal = getattr(results, name)
    assert (False, None, SOFT[name], False) == refusal[:4]


@pytest.mark.parametrize("name", HARD)
def test_a_hard_refusal_says_that_it_halts(name):
    """Else the driver would go on after a budget is spent."""
    refusal = getattr(results, name)
    assert (False, None, HARD[name], True) == refusal[:4]


def test_every_refusal_has_a_sentence_of_its_own():
    """Else a person could not tell what stood in the way."""
    details = [getattr(results, name).detail for name in {**SOFT, **HARD}]
    assert len(details) == len({*details} - {""})


def test_a_result_is_bare_unless_told_otherwise():
    """Else an allowed op would seem refused, or an error a violation."""
    assert (True, None, None, False, "") == Result(ok=True)


@pytest.mark.parametrize("name", Result._fields)
def test_a_result_cannot_be_changed(name):
    """Else one caller could change the shared refusal that all the others get."""
    with pytest.raises(AttributeError):
        setattr(results.HALTED, name, True)


def test_the_sentence_and_the_kind_of_a_made_refusal_are_kept():
    """Else a refusal would be told in the words of another."""
    assert [
        Result(ok=False, violation=Violation.TOOL_DENIED, detail="no"),
        Result(ok=False, violation=Violation.MAX_OPS, hard=True, detail="stop"),
    ] == [
        results.denied(Violation.TOOL_DENIED, "no"),
        results.halting(Violation.MAX_OPS, "stop"),
    ]
