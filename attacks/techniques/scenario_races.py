"""Threads that meet at the last unit of a budget."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.scenario_model import CONTAINED, Op, Scenario, scenario
from capfuzz.attacks.techniques.scenario_stage import DOORS, TEN

_AT_ONCE = {"at_once": True}
_LONG_ANSWERS: dict[str, Op] = {
    "a read": TEN,
    "a fetch": ("net_fetch", "api.internal", "/ten"),
    "a tool": ("tool", "summarize", "0123456789"),
}


@scenario(
    "race-for-last-op",
    group="race",
    cwe="CWE-362",
    needs="counts the ops so far and adds its own in two steps that a second thread can part",
)
def race_for_last_op() -> Iterator[Scenario]:
    """Ask from several threads together for more than max_ops has left: no more than that pass."""
    asked = {name: (op,) * 4 for name, op in DOORS.items()} | {"every door": (*DOORS.values(),)}
    for name, ops in asked.items():
        for left in (1, 3):
            yield Scenario(
                ops=ops,
                verdict=CONTAINED * len(ops),
                control=ops[:1],
                means=f"{name} from {len(ops)} threads, with {left} left in max_ops",
                reason="max_ops",
                comment="which of them pass is open, how many is not",
                grant={"max_ops": left},
                world=_AT_ONCE,
                control_world={},
            )


@scenario(
    "race-for-last-bytes",
    group="race",
    cwe="CWE-362",
    needs="compares the output so far and adds to it in two steps that a second thread can part",
)
def race_for_last_bytes() -> Iterator[Scenario]:
    """Ask from several threads together for more than max_output_bytes has left."""
    asked = {name: (op,) * 4 for name, op in _LONG_ANSWERS.items()}
    for name, ops in (asked | {"every door": (*_LONG_ANSWERS.values(),)}).items():
        yield Scenario(
            ops=ops,
            verdict=CONTAINED * len(ops),
            control=ops[:1],
            means=f"10 bytes by {name} from {len(ops)} threads, with 15 left in max_output_bytes",
            reason="max_output_bytes",
            comment="which of them passes is open, how many is not",
            grant={"max_output_bytes": 15},
            world=_AT_ONCE,
            control_world={},
        )
