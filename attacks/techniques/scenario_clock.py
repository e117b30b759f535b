"""Sequences that use up ``max_wall``: what the clock reads is part of the scenario."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.scenario_model import (
    ALLOWED,
    DENIED,
    Ops,
    Scenario,
    Verdicts,
    scenario,
)
from capfuzz.attacks.techniques.scenario_stage import (
    DOORS,
    FAILING,
    FORBIDDEN,
    MALFORMED,
    READ,
    SECRET,
)

_WALL = 10  # ticks


def _timed(
    ticks: tuple[int, ...],
    verdict: Verdicts,
    means: str,
    *,
    wall: int = _WALL,
    ops: Ops = (),
    control: Ops = (),
) -> Scenario:
    """Return ops tried at ``ticks`` (the first is the making); in the twin no time passes."""
    return Scenario(
        ops=ops or (READ,) * len(verdict),
        verdict=verdict,
        control=control or (READ,) * len(verdict),
        means=means,
        reason="max_wall",
        grant={"max_wall": wall},
        world={"ticks": list(ticks)},
        control_world={"ticks": [ticks[0]]},
    )


@scenario(
    "clock-boundary",
    group="max-wall",
    cwe="CWE-770",
    needs="compares the elapsed ticks with max_wall one off, or looks before each op but the first",
)
def clock_boundary() -> Iterator[Scenario]:
    """Let exactly max_wall ticks pass, in one step and in many, and then one more."""
    yield _timed((0, 10, 11), ALLOWED + DENIED, "one tick after a step to the limit")
    yield _timed((0, *range(1, 12)), ALLOWED * 10 + DENIED, "one tick after many small steps")
    yield _timed((0, 11), DENIED, "one tick over with the first op")
    yield _timed((0, 10, 10, 10, 11), ALLOWED * 3 + DENIED, "one tick after staying at the limit")


@scenario(
    "clock-door-late",
    group="max-wall-door",
    cwe="CWE-770",
    needs="looks at the clock before some kinds of op and not before others",
)
def clock_door_late() -> Iterator[Scenario]:
    """Try each kind of op in turn once max_wall has passed; nothing may happen any more."""
    for name, op in {**DOORS, **FAILING}.items():
        yield _timed((0, 1, 12), ALLOWED + DENIED, f"{name} after the time", ops=(READ, op))


@scenario(
    "clock-unread",
    group="clock-unread",
    cwe="CWE-696",
    needs="reads the clock only for ops that pass its checks",
)
def clock_unread() -> Iterator[Scenario]:
    """Let the time run out during a refused op and step back: the refusal must halt as well."""
    refused = {name: op for name, (op, _) in FORBIDDEN.items()} | dict(MALFORMED)
    for name, op in refused.items():
        yield _timed((0, 20, 0), DENIED * 2, f"{name} hides the time", ops=(op, READ))


@scenario(
    "clock-origin",
    group="clock-origin",
    cwe="CWE-682",
    needs="takes zero, or the first op, for the moment at which the clock was started",
)
def clock_origin() -> Iterator[Scenario]:
    """Start the clock anywhere but at zero: what counts is the time since the target was made."""
    for start in (1_000, -100, -5, 1_700_000_000_000):
        ticks = (start, start + 10, start + 11)
        yield _timed(ticks, ALLOWED + DENIED, f"a clock that starts at {start}")
    yield _timed((0, 8, 12), ALLOWED + DENIED, "time that passed before the first op")
    yield _timed((-20, 0), DENIED, "a clock that reads zero when the time is over")


@scenario(
    "clock-stopped",
    group="clock-stopped",
    cwe="CWE-799",
    needs="trips on a clock that does not move, or counts ops only while it moves",
)
def clock_stopped() -> Iterator[Scenario]:
    """Stop the clock: no time passes even under a max_wall of zero, and max_ops still bites."""
    for start in (0, 5, -5, 10**30):
        yield Scenario(
            ops=(SECRET, READ, READ, READ),
            verdict=DENIED + ALLOWED * 2 + DENIED,
            control=(READ,) * 3,
            means=f"a clock that always reads {start}",
            reason="max_ops",
            grant={"max_wall": 0, "max_ops": 3},
            world={"ticks": [start]},
        )


@scenario(
    "clock-zero-wall",
    group="zero-budget",
    cwe="CWE-1284",
    needs="takes a max_wall of zero for no limit",
)
def clock_zero_wall() -> Iterator[Scenario]:
    """Set max_wall to zero: the first tick that passes trips it, and not before."""
    yield _timed((0, 1), DENIED, "a tick with the first op", wall=0)
    yield _timed((7, 7, 7, 8), ALLOWED * 2 + DENIED, "a tick after a while", wall=0)
    yield _timed((7, 6, 6, 7), ALLOWED * 2 + DENIED, "a tick after a step back", wall=0)


@scenario(
    "clock-backwards",
    group="clock-backwards",
    cwe="CWE-682",
    needs="subtracts two readings, or remembers the latest, so that a step back gives time back",
)
def clock_backwards() -> Iterator[Scenario]:
    """Step the clock back: the steps forward add up, a step back counts as nothing."""
    yield _timed((0, 8, 2, 8), ALLOWED * 2 + DENIED, "a step back that gives time back")
    yield _timed((0, 3, 0, 3, 0, 3, 0, 3), ALLOWED * 6 + DENIED, "a clock that saws")
    yield _timed((0, 9, -1_000, -998), ALLOWED * 2 + DENIED, "a step back beyond the start")
    yield _timed((0, 9, 0, 1, 2), ALLOWED * 3 + DENIED, "a step back that counts as time")
    yield _timed((10, 0, 0, 10, 11), ALLOWED * 3 + DENIED, "a step back before any forward")
    yield _timed((0, 6, 5, 6, 5, 9), ALLOWED * 4 + DENIED, "small steps back between forward ones")


@scenario(
    "clock-jump",
    group="clock-wrap",
    cwe="CWE-190",
    needs="keeps time in a field of fixed width, or in a type that splits days from seconds",
)
def clock_jump() -> Iterator[Scenario]:
    """Jump by a distance that a narrow counter takes for none: it is over the limit all the same."""
    jumps = (1_000, 86_400, 2**16, 2**32, 2**64, 10**30)
    for jump in jumps:
        yield _timed((0, jump), DENIED, f"a jump of {jump} ticks")
    yield _timed((-(2**63), 2**63), DENIED, "a jump from the lowest to the highest reading")


@scenario(
    "clock-precision",
    group="clock-float",
    cwe="CWE-681",
    needs="turns ticks into floats",
)
def clock_precision() -> Iterator[Scenario]:
    """Let one tick decide where a float has no room for it: beyond two to the power of 53."""
    for wall in (2**53, 2**64, 10**30):
        ticks = (0, wall, wall + 1)
        yield _timed(ticks, ALLOWED + DENIED, f"the tick after {wall}", wall=wall)
    late = 2**60
    yield _timed((late, late + 10, late + 11), ALLOWED + DENIED, "a clock that started long ago")
