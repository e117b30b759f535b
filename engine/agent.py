"""The driver of one run: ops in, results out, stopped at the first hard limit."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from capfuzz.engine.results import Result
from capfuzz.engine.sandbox import Sandbox


class Run(NamedTuple):
    """What came of a sequence of ops."""

    results: list[Result]
    stopped_reason: Literal["completed", "hard_limit"]


class SandboxedAgent:
    """Feeds ops to a sandbox as an agent's loop would."""

    def __init__(self, box: Sandbox) -> None:
        self._box = box

    def run_all(self, ops: Iterable[object]) -> Run:
        """Run ``ops`` in order up to and including the first that is refused hard."""
        outcomes: list[Result] = []
        for op in ops:
            outcomes.append(self._box.run(op))
            if outcomes[-1].hard:
                return Run(outcomes, "hard_limit")
        return Run(outcomes, "completed")
