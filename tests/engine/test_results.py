"""What an op comes back with: the closed set of reasons and the shared refusals."""

import copy
import pickle

import pytest
from capfuzz.engine import Result, Violation, results
from capfuzz.engine.results import Allowed

FIELDS = ("ok", "output", "violation", "hard", "detail")

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


def _told(result):
    return tuple(getattr(result, name) for name in FIELDS)


def test_the_reasons_are_a_closed_set():
    """Else a report would meet a reason that it has no word for."""
    assert {*SOFT.values(), *HARD.values()} == {str(reason) for reason in Violation}


@pytest.mark.parametrize("name", SOFT)
def test_a_soft_refusal_leaves_the_sandbox_running(name):
    """Else one denied guess would end an honest run."""
    refusal = getattr(results, name)
    assert (False, None, SOFT[name], False) == _told(refusal)[:4]


@pytest.mark.parametrize("name", HARD)
def test_a_hard_refusal_says_that_it_halts(name):
    """Else the driver would go on after a budget is spent."""
    refusal = getattr(results, name)
    assert (False, None, HARD[name], True) == _told(refusal)[:4]


def test_every_refusal_has_a_sentence_of_its_own():
    """Else a person could not tell what stood in the way."""
    details = [getattr(results, name).detail for name in {**SOFT, **HARD}]
    assert len(details) == len({*details} - {""})


def test_a_result_is_bare_unless_told_otherwise():
    """Else an allowed op would seem refused, or an error a violation."""
    assert (True, None, None, False, "") == _told(Result(ok=True))


@pytest.mark.parametrize("name", [*FIELDS, "more"])
@pytest.mark.parametrize("shared", [results.HALTED, results.NO_OUTPUT], ids=["HALTED", "NO_OUTPUT"])
def test_a_shared_result_cannot_be_changed(shared, name):
    """Else one caller could change the refusal that all the others get."""
    with pytest.raises(AttributeError):
        setattr(shared, name, True)
    with pytest.raises(AttributeError):
        delattr(shared, name)


def test_a_shared_result_cannot_be_made_anew():
    """Else the ways by which objects are usually made and copied would change the refusal of all."""
    with pytest.raises(AttributeError):
        results.HALTED.__init__(ok=True)
    assert (False, None, "halted", True) == _told(results.HALTED)[:4]


def _allowed(output):
    made = Allowed()
    made.output = output
    return made


@pytest.mark.parametrize("name", [name for name in FIELDS if name != "output"])
def test_an_allowed_op_stays_allowed(name):
    """Else what an op came to could be rewritten in the list of results."""
    with pytest.raises(AttributeError):
        setattr(_allowed("x"), name, False)


def test_results_are_compared_by_what_they_say():
    """Else a result made the short way would differ from the same one made the long way."""
    assert _allowed("x") == Result(ok=True, output="x")
    assert 1 == len({_allowed("x"), Result(ok=True, output="x")})
    assert _allowed("x") != _allowed("y")
    assert Result(ok=True, output="x") != Result(ok=True, output="x", detail="d")
    assert Result(ok=True) != (True, None, None, False, "")


@pytest.mark.parametrize("result", [results.HALTED, _allowed(b"x")], ids=["refused", "allowed"])
@pytest.mark.parametrize(
    "way", [copy.copy, copy.deepcopy, lambda of: pickle.loads(pickle.dumps(of))]
)
def test_a_copy_says_the_same(result, way):
    """Else a result that crosses to another process would arrive empty."""
    assert result == way(result)


def test_a_result_is_shown_with_what_it_says():
    """Else a person in a debugger would see an address."""
    shown = "Result(ok=True, output='x', violation=None, hard=False, detail='')"
    assert [shown, shown] == [repr(_allowed("x")), repr(Result(ok=True, output="x"))]


def test_the_sentence_and_the_kind_of_a_made_refusal_are_kept():
    """Else a refusal would be told in the words of another."""
    assert [
        Result(ok=False, violation=Violation.TOOL_DENIED, detail="no"),
        Result(ok=False, violation=Violation.MAX_OPS, hard=True, detail="stop"),
    ] == [
        results.denied(Violation.TOOL_DENIED, "no"),
        results.halting(Violation.MAX_OPS, "stop"),
    ]
