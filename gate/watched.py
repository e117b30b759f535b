"""A target whose every run is announced to whoever watches over the process."""

from capfuzz.attacks.case import Case
from capfuzz.attacks.trace import Trace
from capfuzz.gate.supervise import LOADING, Heart
from capfuzz.targets.base import Target, limits_of
from capfuzz.targets.options import Options
from capfuzz.targets.planted import planting
from capfuzz.targets.spec import load as load_target
from capfuzz.targets.times import times_of

_GRACE = 30.0  # seconds beyond the time limits, planting included, until the parent steps in


class Watched:
    """A target whose every run is announced to the supervising process."""

    def __init__(self, target: Target, heart: Heart, op_limit: float) -> None:
        self._target = target
        self._heart = heart
        self._op_limit = op_limit
        self.spec = target.spec
        self.surface = target.surface
        self.unobservable = target.unobservable
        self.limits = limits_of(target)
        self.times = times_of(target)
        self.adapt = planting()(target.adapt)
        self.close = target.close

    @planting()
    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Run the case; the promise covers the making of the target and every op's limit."""
        self._heart.beat(self._op_limit * patience * (len(case.ops) + 1) + _GRACE)
        trace = self._target.run(case, patience)
        self._heart.rest()
        return trace


def load(spec: str, options: Options, heart: Heart) -> Watched:
    """Return the target named by ``spec``, watched while it loads too; raises `TargetError`."""
    heart.beat(LOADING)
    target = load_target(spec, options)
    heart.rest()
    return Watched(target, heart, options.op_limit)
