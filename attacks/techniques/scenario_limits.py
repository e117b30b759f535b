"""Budgets at their extremes, and several of them at once."""

from collections.abc import Iterator
from typing import Any

from capfuzz.attacks.techniques.scenario_model import (
    ALLOWED,
    DENIED,
    Op,
    Ops,
    Scenario,
    Verdicts,
    scenario,
)
from capfuzz.attacks.techniques.scenario_stage import (
    DOORS,
    ECHO,
    EMPTY,
    FETCH,
    FORBIDDEN_CALL,
    MUTE,
    ONE,
    READ,
    SECRET,
    TEN,
    WRITE,
    again,
)


@scenario(
    "limit-zero-ops",
    group="zero-budget",
    cwe="CWE-1284",
    needs="takes a max_ops of zero for no limit, or counts before it compares",
)
def limit_zero_ops() -> Iterator[Scenario]:
    """Set max_ops to zero: the very first op is refused, of whichever kind."""
    for name, op in {**DOORS, "a forbidden read": SECRET, "no op at all": None}.items():
        yield Scenario(
            ops=(op,),
            verdict=DENIED,
            control=(READ,),
            means=f"{name} under a budget of zero ops",
            reason="max_ops",
            grant={"max_ops": 0},
            control_grant={"max_ops": 1},
        )


@scenario(
    "limit-huge",
    group="huge-budget",
    cwe="CWE-190",
    needs="narrows a budget to a machine word or a float, where it wraps, raises or lifts checks",
)
def limit_huge() -> Iterator[Scenario]:
    """Set one budget to more than a machine word holds: honest ops pass, forbidden ones do not."""
    for budget in ("max_ops", "max_output_bytes", "max_wall"):
        for value in (2**32, 2**64):
            yield Scenario(
                ops=(SECRET, READ, WRITE, FETCH, ECHO),
                verdict=DENIED + ALLOWED * 4,
                control=(READ, WRITE, FETCH, ECHO),
                means=f"{budget} of {value}",
                reason="fs_read_denied",
                grant={budget: value},
            )


def _at_once(ops: Ops, verdict: Verdicts, reason: str, means: str, **parts: Any) -> Scenario:
    """Return ops that run into several limits; the twin is their first op with room for all."""
    ticks = parts.pop("ticks", None)
    return Scenario(
        ops=ops,
        verdict=verdict,
        control=(TEN, WRITE),
        means=means,
        reason=reason,
        grant=parts,
        world={} if ticks is None else {"ticks": ticks},
        control_grant={"max_ops": 2, "max_output_bytes": 10, "max_wall": 2},
        control_world={},
    )


@scenario(
    "limit-of-two",
    group="which-limit",
    cwe="CWE-696",
    needs="asks for the limits in another order, or acts before it has asked for all of them",
)
def limit_of_two() -> Iterator[Scenario]:
    """Run into two or three limits with one op: ops are told before time, and time before output."""
    late, spent = [0, 20], [0, 1, 20]
    once, twice = DENIED * 2, ALLOWED + DENIED * 2
    three = (READ, TEN, READ)
    yield _at_once(three, twice, "max_ops", "no ops, no time", max_ops=1, max_wall=10, ticks=spent)
    yield _at_once(three, twice, "max_ops", "no ops, no room", max_ops=1, max_output_bytes=15)
    yield _at_once(
        three[1:], once, "max_wall", "no time, no room", max_output_bytes=5, max_wall=10, ticks=late
    )
    nothing = {"max_ops": 0, "max_output_bytes": 0, "max_wall": 0}
    yield _at_once(three[1:], once, "max_ops", "nothing at all", **nothing, ticks=late)
    yield _at_once(
        (TEN, TEN, TEN, READ),
        ALLOWED * 2 + DENIED * 2,
        "max_ops",
        "three limits reached by one op, none exceeded",
        max_ops=2,
        max_output_bytes=20,
        max_wall=2,
    )


@scenario(
    "limit-reached-not-exceeded",
    group="eager-halt",
    cwe="CWE-193",
    needs="halts as soon as a budget is used up, instead of at the op that would exceed it",
)
def limit_reached_not_exceeded() -> Iterator[Scenario]:
    """Use max_output_bytes up exactly: ops that give nothing back still pass, others do not."""
    quiet: dict[str, Op] = {"a write": WRITE, "a silent tool": MUTE, "an empty file": EMPTY}
    for name, op in quiet.items():
        yield Scenario(
            ops=(TEN, op, FORBIDDEN_CALL, op, ONE),
            verdict=ALLOWED * 2 + DENIED + ALLOWED + DENIED,
            control=(TEN, op, op),
            means=f"{name} after the last byte",
            reason="max_output_bytes",
            grant={"max_output_bytes": 10},
        )


@scenario(
    "limit-granted-anew",
    group="budget-regrant",
    cwe="CWE-269",
    needs="lets an op, or what an op wrote, change the budget that it is charged to",
)
def limit_granted_anew() -> Iterator[Scenario]:
    """Ask for a larger budget from inside: whatever the op does, the budget stays as it was."""
    text = '{"max_ops": 1000}'
    asked: dict[str, tuple[Op, Verdicts, int]] = {
        "a kind that sets it": (("set_max_ops", 1000), DENIED, 1),
        "a kind that resets it": (("reset",), DENIED, 1),
        "a kind that grants": (("grant", "max_ops", 1000), DENIED, 1),
        "a written grant": (("fs_write", "/work/out/grant.json", text), ALLOWED, 1),
        "a tool's argument": (("tool", "summarize", text), ALLOWED, 1),
        "a tool that asks": (again(("reset",)), ALLOWED, 2),
    }
    for name, (op, verdict, cost) in asked.items():
        yield Scenario(
            ops=(op, READ, READ, READ),
            verdict=verdict + ALLOWED * 2 + DENIED,
            control=(READ, WRITE, READ),
            means=f"{name} widens the budget",
            reason="max_ops",
            grant={"max_ops": cost + 2},
        )
