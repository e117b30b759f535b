"""After a hard limit nothing runs any more: what an implementation may let through, or forget."""

from collections.abc import Iterator
from dataclasses import replace

from capfuzz.attacks.techniques.scenario_busters import BUSTERS, Buster
from capfuzz.attacks.techniques.scenario_model import DENIED, Ops, Scenario, scenario
from capfuzz.attacks.techniques.scenario_stage import (
    DOORS,
    EMPTY,
    FORBIDDEN,
    READ,
    SECRET,
    WRITE,
    again,
)

# One way to trip each limit; after the last, the clock is back where it started. What is tried
# next costs neither output nor time, so that no budget but the halt itself stands against it.
_TRIPS = {
    buster.budget: buster
    for buster in BUSTERS
    if buster.name in {"reads", "files", "a clock that saws"}
}


def _tripped(buster: Buster, after: Ops, means: str) -> Scenario:
    return replace(buster.bust(10).halted(*after), means=means)


@scenario(
    "halt-after-each",
    group="halt",
    cwe="CWE-841",
    needs="halts after some ways to exceed a budget and not after others",
)
def halt_after_each() -> Iterator[Scenario]:
    """Exceed a budget in each of many ways; an honest op after it is refused."""
    for buster in BUSTERS:
        limit = 4 if buster.budget == "max_ops" else 10  # few guesses: a guard may tire of them
        yield buster.bust(limit).halted(WRITE)


@scenario(
    "halt-door",
    group="halt-door",
    cwe="CWE-841",
    needs="asks whether it has halted before some kinds of op and not before others",
)
def halt_door() -> Iterator[Scenario]:
    """Exceed each budget, then try each kind of op; none may have an effect."""
    doors = {**DOORS, "a tool that reads": again(READ), "a tool that writes": again(WRITE)}
    for budget, buster in _TRIPS.items():
        for name, op in doors.items():
            yield _tripped(buster, (op,), f"{name} after {budget}")


@scenario(
    "halt-forgotten",
    group="halt-forgotten",
    cwe="CWE-841",
    needs="keeps the last result instead of a halt, so that a softer refusal lifts it",
)
def halt_forgotten() -> Iterator[Scenario]:
    """Exceed a budget, try ops that are refused softly elsewhere, then an honest one."""
    soft: dict[str, Ops] = {
        "a forbidden read": (SECRET,),
        "a forbidden tool": (FORBIDDEN["a tool not granted"][0],),
        "a malformed op": (None,),
        "ten forbidden reads": (SECRET,) * 10,
    }
    for budget, buster in _TRIPS.items():
        for name, ops in soft.items():
            yield _tripped(buster, (*ops, WRITE), f"{name} lifts the halt of {budget}")


@scenario(
    "halt-cools-down",
    group="halt-forgotten",
    cwe="CWE-841",
    needs="halts for a number of ops or of ticks, as a rate limit would",
)
def halt_cools_down() -> Iterator[Scenario]:
    """Exceed a budget and go on trying for a long while: the halt is for good."""
    for budget, buster in _TRIPS.items():
        yield _tripped(buster, (WRITE,) * 40, f"patience after {budget}")
    after = {"backwards": -5_000, "on for ever": 10**9, "no more": 2_000}
    for name, tick in after.items():
        yield Scenario(
            ops=(READ, READ, WRITE),
            verdict=DENIED * 3,
            control=(READ, READ, WRITE),
            means=f"a clock that goes {name} after max_wall",
            reason="max_wall",
            world={"ticks": [0, 2_000, tick]},
            control_world={},
        )
    # Output alone is not charged anew: nothing but the halt stands against what costs none.
    moments = {"at once": [100, 101, 102, 1], "late": [100, 101, 102, 103, 104, 1]}
    for name, ticks in moments.items():
        output = _TRIPS["max_output_bytes"].bust(10).halted(*(WRITE,) * 4)
        yield replace(
            output, means=f"a clock that steps back {name} after the halt", world={"ticks": ticks}
        )


@scenario(
    "halt-retry",
    group="halt",
    cwe="CWE-799",
    needs="refuses the op that tripped, and takes it when it is tried again",
)
def halt_retry() -> Iterator[Scenario]:
    """Try the very op again that exceeded the budget, and then a smaller one."""
    for budget, buster in _TRIPS.items():
        retry = (buster.op,) * 3
        yield _tripped(buster, (*retry, EMPTY), f"a retry after {budget}")
