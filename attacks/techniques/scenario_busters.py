"""Ways to use one budget up, as templates: any limit in, ops out of which the last is too many."""

from dataclasses import dataclass
from itertools import accumulate

from capfuzz.attacks.techniques.scenario_model import (
    ALLOWED,
    CONTAINED,
    DENIED,
    Op,
    Scenario,
    Verdicts,
)
from capfuzz.attacks.techniques.scenario_stage import (
    ECHO,
    EXPLODE,
    FETCH,
    READ,
    SECRET,
    TEN,
    WRITE,
    again,
)


@dataclass(frozen=True, slots=True)
class Buster:
    """
    One op that is repeated until ``budget``, a field of the grant, is exceeded.

    ``verdict`` is the op's while the budget lasts and ``cost`` what ``repeat`` of them take.
    ``steps`` is how the clock moves with the ops tried meanwhile, from ``start`` on, over and
    over; only forward steps cost.
    """

    name: str
    budget: str
    op: Op
    cost: int
    verdict: Verdicts = ALLOWED
    repeat: int = 1
    steps: tuple[int, ...] = ()
    start: int = 0

    def bust(self, limit: int) -> Scenario:
        """Return a scenario of ``limit * repeat // cost`` ops within ``limit``, and one too many."""
        times = limit // self.cost
        within = times * self.repeat
        return Scenario(
            ops=(self.op,) * (within + 1),
            verdict=self.verdict * within + DENIED,
            control=(WRITE,),
            means=f"{self.name} that exceed a {self.budget} of {limit}",
            reason=self.budget,
            grant={self.budget: limit},
            world={"ticks": self._ticks(times)} if self.steps else {},
            control_grant={self.budget: max(limit, 1)},
            control_world={},
        )

    def _ticks(self, times: int) -> list[int]:
        # Back to the start at the end: a halt that asks the clock again is found out.
        return [*accumulate(self.steps * (times + 1), initial=self.start), self.start]


BUSTERS: tuple[Buster, ...] = (
    Buster("reads", "max_ops", READ, 1),
    Buster("writes", "max_ops", WRITE, 1),
    Buster("fetches", "max_ops", FETCH, 1),
    Buster("calls", "max_ops", ECHO, 1),
    Buster("guesses", "max_ops", SECRET, 1, DENIED),
    Buster("malformed ops", "max_ops", None, 1, DENIED),
    Buster("failing calls", "max_ops", EXPLODE, 1, CONTAINED),
    Buster("re-entrant calls", "max_ops", again(WRITE), 2),
    Buster("nested calls", "max_ops", again(again(WRITE)), 3),
    Buster("files", "max_output_bytes", TEN, 10),
    Buster("answers", "max_output_bytes", ("net_fetch", "api.internal", "/ten"), 10),
    Buster("arguments", "max_output_bytes", ("tool", "summarize", "x" * 7), 7),
    Buster("wide characters", "max_output_bytes", ("tool", "summarize", "\U0001f600"), 4),
    Buster("floods", "max_output_bytes", ("tool", "flood", 100), 100),
    Buster("what tools read", "max_output_bytes", again(TEN), len("True") + 10),
    Buster("ticks", "max_wall", READ, 1, steps=(1,)),
    Buster("long ticks", "max_wall", READ, 7, steps=(7,)),
    Buster("a clock that saws", "max_wall", READ, 3, repeat=2, steps=(3, -3)),
    Buster("a clock that sinks", "max_wall", READ, 2, repeat=2, steps=(2, -5), start=100),
    Buster("ticks during guesses", "max_wall", SECRET, 4, DENIED, steps=(4,)),
    Buster("ticks during malformed ops", "max_wall", None, 4, DENIED, repeat=2, steps=(4, -4)),
    Buster("ticks inside a tool", "max_wall", again(WRITE), 4, steps=(2, 2)),
)
