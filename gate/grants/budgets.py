"""Budgets that leave no room, or that are no limit."""

from collections.abc import Iterator

from capfuzz.gate.grants.rules import NOTE, WARNING, Remark, Rule, Subject
from capfuzz.targets.grant_file import BUDGETS

ZERO = Rule(
    "CL401",
    "zero-budget",
    WARNING,
    "The first op that needs any of it halts the agent for good.",
    "Give it what a run needs: capfuzz replay TRANSCRIPT --suggest counts it.",
)
NO_LIMIT = Rule(
    "CL402",
    "no-limit",
    WARNING,
    "A budget that no run can use up stops none that has gone wrong.",
    "Give it what a run needs, and some room: capfuzz replay TRANSCRIPT --suggest counts it.",
)
DEFAULT = Rule(
    "CL403",
    "default-budget",
    NOTE,
    "A budget that is left out is not unlimited: the default holds.",
    "Write down what is meant.",
)
# More than an agent can use in a day: a call every tenth of a second, a gigabyte, a tick a
# microsecond.
_MOST = {"max_ops": 1_000_000, "max_output_bytes": 10**9, "max_wall": 10**11}


def remarks(subject: Subject) -> Iterator[Remark]:
    """Yield what is to be said of each budget."""
    for key, default in BUDGETS.items():
        value = subject.budgets.get(key)
        if value is None:
            if key not in subject.stated:
                yield Remark(DEFAULT, NOTE, key, None, f"is left out: {default:,} holds")
        elif value == 0:
            yield Remark(ZERO, ZERO.severity, key, None, "is 0")
        elif value > _MOST[key]:
            yield Remark(
                NO_LIMIT, NO_LIMIT.severity, key, None, f"is {value:,}, which limits nothing"
            )
