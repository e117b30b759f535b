"""The search for inputs that cost too much: the corpus first, then spellings made longer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.trace import Step, Trace
from capfuzz.attacks.vectors import Vector
from capfuzz.gate.bench.complexity import (
    DOUBLINGS,
    EXPONENT,
    TIMES,
    Ladder,
    like_lengths,
    stands_out,
)
from capfuzz.gate.bench.stopwatch import Clocked
from capfuzz.gate.bench.stretch import Stretch, plain_twin, stretches
from capfuzz.gate.bench.timing import collector_off
from capfuzz.gate.events import Progress
from capfuzz.gate.log import hung
from capfuzz.gate.tasks import PATIENCE
from capfuzz.strategies.cases import is_asked
from capfuzz.targets.base import TargetError
from capfuzz.targets.options import Options

# The shortest of a ladder's lengths; the longest is the longest path that a system takes, where
# one is asked (PATH_MAX), and elsewhere what still fits a request line of most servers.
_SHORTEST = {Surface.PATH: 256, Surface.SESSION: 2_000, Surface.HOST: 2_000}
_TRIES = 3  # of which the fastest counts: noise only ever adds
_ROUNDS = ("first", "again")  # in each of which a fault must show
_FREIGHT = 64 * 1024  # bytes that flow back, beyond which their own weight is what is timed
_MOST_HANGS = 2  # each costs the time limit
_HONEST = 3  # ops of which one must be answered
_MOST_LADDERS = 4  # of ops of one kind, beyond which they would tell nothing new
_COLLECTED = 64  # cases until the garbage of all is collected
_DEFAULTS = Options()


@dataclass(frozen=True, slots=True)
class Fault:
    """One input, or one ladder of inputs, that costs too much; ``cost`` in nanoseconds."""

    kind: str  # hang, growth or outlier
    technique: str
    case: Case
    cost: float
    observed: str
    expected: str
    vector: str = ""

    @property
    def door(self) -> object:
        """The kind of the op at fault, the last of its case."""
        op: Any = self.case.ops[-1]
        return op[0] if type(op) is tuple and op else None


@dataclass(frozen=True, slots=True)
class _Timed:
    """One op of a vector and what it took."""

    case: Case
    index: int
    nanoseconds: float

    @property
    def length(self) -> int:
        return _length(self.case.ops[self.index])


class Hunt:
    """A search through one target; ``faults`` holds what was found so far."""

    def __init__(
        self,
        clocked: Clocked,
        vectors: Sequence[Vector],
        only: frozenset[str],
        options: Options = _DEFAULTS,
    ) -> None:
        self._clocked = clocked
        surface = clocked.target.surface
        asked = [one for one in vectors if is_asked(surface, one.surfaces)]
        self._only = only
        self._limit = options.op_limit
        self._honest = [one for one in asked if one.is_control][:_HONEST]
        # All of them even for one: their costs are what is usual.
        wanted = any(self._wants(one.technique) for one in asked)
        self._vectors = asked if wanted else []
        self._stretches = [one for one in stretches(asked) if self._wants(one.name)]
        self.faults: list[Fault] = []
        self.counts = {"attacks": 0, "controls": 0, "generated": 0, "ops": 0}
        self._hangs = 0

    def _wants(self, name: str) -> bool:
        return not self._only or name in self._only

    def run(self) -> Iterator[Progress]:
        """Try everything; raises `TargetError` where nothing can be measured."""
        with collector_off() as collect:
            self._greet()
            for done, progress in enumerate(self._parts()):
                if done % _COLLECTED == 0:
                    collect()
                yield progress
                if self._hangs >= _MOST_HANGS:
                    return

    def _greet(self) -> None:
        """Ask an honest op first: where none is answered, a hang tells nothing of an attack."""
        asked = [self._clocked.target.adapt(one.case) for one in self._honest]
        honest = [case for case in asked if case is not None]
        if honest and all(hung(self._clocked.run(case, PATIENCE)[0]) for case in honest):
            raise TargetError(
                f"{self._clocked.target.spec}: hangs on honest ops, such as "
                f"{honest[0].ops[0]!r}, so nothing can be said of hostile ones"
            )

    def _parts(self) -> Iterator[Progress]:
        timed: list[_Timed] = []
        yield Progress("vectors", 0, len(self._vectors))
        for done, vector in enumerate(self._vectors, 1):
            timed += self._swept(vector)
            yield Progress("vectors", done, len(self._vectors))
        self._outliers(timed)
        for done, stretch in enumerate(self._stretches, 1):
            self._climb(stretch)
            yield Progress("lengths", done, len(self._stretches))

    def _swept(self, vector: Vector) -> Iterator[_Timed]:
        """Run a vector once and yield its ops, but for those that time something else."""
        case = self._clocked.target.adapt(vector.case)
        if case is None or case.world.at_once:
            return
        self.counts["controls" if vector.is_control else "attacks"] += 1
        trace, spent = self._run(case)
        if hung(trace) or len(spent) != len(trace.steps):
            return
        if any(step.asked is None for step in trace.steps):  # ops within ops
            return
        for step, nanoseconds in zip(trace.steps, spent, strict=True):
            if step.asked is not None and _freight(step) <= _FREIGHT:
                yield _Timed(case, step.asked, nanoseconds)

    def _outliers(self, timed: Sequence[_Timed]) -> None:
        """Confirm what cost far more than its like, and more than a plain twin of its own."""
        lengths = [one.length for one in timed]
        usual = like_lengths(lengths, [one.nanoseconds for one in timed])
        for one, middle in zip(timed, usual, strict=True):
            wanted = self._wants(one.case.techniques[one.index])
            if wanted and stands_out(one.nanoseconds, middle):
                self._confirm(one, middle)

    def _confirm(self, one: _Timed, usual: float) -> None:
        twin, index = _twin(one.case, one.index), one.index
        first, again = (self._apart(one, twin, usual) for _ in _ROUNDS)
        if first is None or again is None:
            return
        spent, plain = again
        observed = (
            f"{_milli(spent)} for {one.length} characters; the median of like length is "
            f"{_milli(usual)}, a plain text of the same shape {_milli(plain)}"
        )
        expected = f"no more than {TIMES:g} times what its like costs"
        case = replace(one.case, ops=one.case.ops[: index + 1], verdicts=())
        self.faults.append(
            Fault("outlier", case.techniques[index], case, spent, observed, expected, case.source)
        )

    def _apart(self, one: _Timed, twin: Case, usual: float) -> tuple[float, float] | None:
        """Return what an op and its twin cost, None where that is not far enough apart."""
        spent = self._fastest(one.case, one.index)
        plain = self._fastest(twin, one.index)
        if spent is None or plain is None or not stands_out(spent, max(usual, plain)):
            return None
        return spent, plain

    def _climb(self, stretch: Stretch) -> None:
        """Time one spelling at growing lengths, all of them only where a look at three calls for it."""
        shortest = _SHORTEST[self._clocked.target.surface]
        asked = [self._clocked.target.adapt(stretch.of(shortest * by)) for by in DOUBLINGS]
        cases = [case for case in asked if case is not None]
        known = sum(one.kind == "growth" and one.door == stretch.kind for one in self.faults)
        if known >= _MOST_LADDERS or len(cases) < len(asked):
            return
        if len({_length(case.ops[0]) for case in cases[-3:]}) < 3:  # noqa: PLR2004
            return  # so long itself that it does not grow
        self.counts["generated"] += 1
        look = self._ladder(cases[-3:], tries=1)
        if look is None or not look.is_doubtful:
            return
        first, again = (self._ladder(cases, _TRIES) for _ in _ROUNDS)
        if first is None or again is None:
            return
        if first.is_superlinear and again.is_superlinear:
            self._grows(stretch, cases[0], again)

    def _ladder(self, cases: Sequence[Case], tries: int) -> Ladder | None:
        """Time a spelling at each length; None where it hung."""
        spent = [self._fastest(case, 0, tries) for case in cases]
        known = tuple(one for one in spent if one is not None)
        if len(known) < len(cases):
            return None
        return Ladder(tuple(_length(case.ops[0]) for case in cases), known)

    def _grows(self, stretch: Stretch, shortest: Case, ladder: Ladder) -> None:
        steps = zip(ladder.lengths, ladder.nanoseconds, strict=True)
        observed = ", ".join(f"{length}: {_milli(spent)}" for length, spent in steps)
        self.faults.append(
            Fault(
                "growth",
                stretch.name,
                shortest,
                ladder.nanoseconds[-1],
                f"by length in characters {observed}; grows with exponent {ladder.exponent:.1f}",
                f"a cost that grows as the input does, with exponent {EXPONENT:g} at the most",
            )
        )

    def _fastest(self, case: Case, index: int, tries: int = _TRIES) -> float | None:
        """Return the nanoseconds of the fastest of some runs of a case; None where it hung."""
        fastest = float("inf")
        for _ in range(tries):
            trace, spent = self._run(case)
            if hung(trace) or len(spent) <= index:
                return None
            fastest = min(fastest, spent[index])
        return fastest

    def _run(self, case: Case) -> tuple[Trace, list[float]]:
        """Run a case, with more patience where an op ran into the time limit; a fault if it still does."""
        self.counts["ops"] += len(case.ops)
        trace, spent = self._clocked.run(case)
        if hung(trace):
            trace, spent = self._clocked.run(case, PATIENCE)
        if hung(trace):
            self._hangs += 1
            self.faults.append(self._hung(trace, spent[-1] if spent else 0.0))
        return trace, spent

    def _hung(self, trace: Trace, spent: float) -> Fault:
        step = next(step for step in trace.steps if step.answer.hung)
        waited = (
            f"within {PATIENCE * self._limit:g} s, {PATIENCE:g} times the limit, "
            f"after {_milli(spent)} of processor time"
        )
        index = min(len(trace.steps), len(trace.case.ops)) - 1 if step.asked is None else step.asked
        return hang(trace.case, index, spent, waited)


def hang(case: Case, index: int, spent: float, waited: str) -> Fault:
    """Return the fault of a case whose op at ``index`` was not answered; ``waited`` says how long."""
    asked = replace(case, ops=case.ops[: index + 1], verdicts=())
    observed = f"{_length(case.ops[index])} characters, and no answer {waited}"
    return Fault("hang", case.techniques[index], asked, spent, observed, "an answer", case.source)


def _freight(step: Step) -> int:
    return sum(effect.size for effect in step.effects)


def _length(op: object) -> int:
    """Return the characters and bytes in an op, however deep."""
    if isinstance(op, str | bytes):
        return len(op)
    return sum(map(_length, op)) if isinstance(op, tuple | list) else 1


def _twin(case: Case, index: int) -> Case:
    """Return the case with one op in plain letters; its kind, its roots and its data stay."""
    roots = sorted((*case.grant.fs_read, *case.grant.fs_write), key=len, reverse=True)
    op: Any = case.ops[index]
    if type(op) is not tuple:
        return case
    plain = tuple(part if at == 0 else _plain(part, roots) for at, part in enumerate(op))
    return replace(case, ops=(*case.ops[:index], plain, *case.ops[index + 1 :]), verdicts=())


def _plain(part: object, roots: Sequence[str]) -> object:
    if type(part) is not str:
        return part
    kept = next((root for root in roots if part.startswith(root.rstrip("/") + "/")), "")
    return plain_twin(part, kept)


def _milli(nanoseconds: float) -> str:
    milli = nanoseconds / 1e6
    return f"{milli:.3g} ms" if milli < 100 else f"{milli:,.0f} ms"  # noqa: PLR2004
