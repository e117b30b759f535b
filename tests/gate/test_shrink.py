"""Shrinking drops what a fault does not need, and nothing that it does."""

from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.engine import Capabilities
from capfuzz.gate.shrink import shrink

GRANT = Capabilities(
    fs_read=("/work/", "/other"), net_hosts=("api.internal",), allowed_tools={"summarize"}
)
WORLD = WorldSpec(
    files={"/work/data.txt": b"x", "/etc/passwd": b"y"}, links={"/l": "/m"}, ticks=(0, 1, 2)
)
BAD = ("fs_read", "/etc/passwd")
OPS = (("fs_read", "/work/data.txt"),) * 5 + (BAD,) + (("tool", "summarize"),) * 4
CASE = Case(GRANT, WORLD, OPS, ("plain-file",) * 5 + ("outside",) + ("granted-tool",) * 4, "test")


def test_only_what_the_fault_needs_is_left():
    """A reproducer would bury the one op that matters."""
    small = shrink(CASE, lambda case: BAD in case.ops and "/etc/passwd" in case.world.files)
    assert (small.ops, small.techniques) == ((BAD,), ("outside",))
    assert dict(small.world.files) == {"/etc/passwd": b"y"}
    assert (small.world.links, small.world.ticks) == ({}, ())
    assert small.grant == Capabilities()


def test_two_ops_that_are_both_needed_stay():
    """A fault in a sequence would be lost by its own reproducer."""
    small = shrink(CASE, lambda case: len(case.ops) >= 2 and BAD in case.ops)
    assert len(small.ops) == 2
    assert BAD in small.ops


def test_an_op_that_does_not_matter_becomes_the_plainest():
    """A budget's finding would read like a finding about a spelling."""
    small = shrink(CASE, lambda case: len(case.ops) == 10)
    assert len(small.ops) == 10
    assert BAD not in small.ops


def test_other_surfaces_keep_their_grant_and_world():
    """A function that was asked below one root would be asked below none."""
    small = shrink(CASE, lambda case: BAD in case.ops, whole=False)
    assert (small.ops, small.grant, small.world) == ((BAD,), GRANT, WORLD)


def test_a_case_that_does_not_shrink_is_returned_after_bounded_tries():
    """A finding would cost minutes to write up."""
    tries = []
    assert shrink(CASE, lambda case: bool(tries.append(case))) == CASE
    assert len(tries) <= 400


def test_an_op_goes_together_with_what_it_took_of_the_output_and_its_tick():
    """A halt that a step of the clock lifts would be told with an op that only used output up."""
    wide = ("fs_read", "/work/data.txt")
    grant = Capabilities(fs_read=("/work",), max_output_bytes=22)
    world = WorldSpec(files={"/work/data.txt": b"x"}, ticks=(0, 1, 2, 0))
    case = Case(grant, world, (wide, ("fs_read", "/work/y"), wide), ("plain-file",) * 3, "test")

    def lifted(smaller):
        """Trip at the last op but one, where each takes 12 bytes; then step back."""
        at, cap = len(smaller.ops) - 1, smaller.grant.max_output_bytes
        tripped = 12 * (at - 1) <= cap < 12 * at
        return tripped and smaller.world.tick(at + 1) < smaller.world.tick(at)

    assert len(shrink(case, lifted).ops) == 2
