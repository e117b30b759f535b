"""The corpus's own faults: verdicts that do not hold, controls that fail, techniques unused."""

from collections.abc import Iterator, Sequence

from capfuzz.attacks.case import Surface, Verdict
from capfuzz.attacks.codec import op_to_json
from capfuzz.attacks.evaluators import readable
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.rulings import Setting, rule
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.trace import Trace
from capfuzz.attacks.vectors import Vector
from capfuzz.targets.archive import LEVELS
from capfuzz.targets.archive_members import harmless, members
from capfuzz.targets.session import SessionTarget, engine_factory


def lint(vectors: Sequence[Vector]) -> Iterator[str]:
    """Yield one sentence a fault: the vector, the rule and what is wrong."""
    yield from _controls(vectors)
    yield from _twins(vectors)
    yield from _techniques(vectors)
    engine = SessionTarget("engine", engine_factory)
    for vector in vectors:
        if Surface.SESSION in vector.surfaces:
            yield from _session(vector, engine.run(vector.case))
        elif Surface.HOST in vector.surfaces or Surface.SSRF in vector.surfaces:
            yield from _urls(vector)
        elif Surface.EVAL in vector.surfaces:
            yield from _sources(vector)
        elif Surface.ARCHIVE in vector.surfaces:
            yield from _archives(vector)


def _controls(vectors: Sequence[Vector]) -> Iterator[str]:
    by_id = {vector.id: vector for vector in vectors}
    for vector in vectors:
        control = by_id.get(vector.control or vector.id)
        if control is None or not control.is_control:
            yield f"{vector.id}: control: {vector.control} is not a control"
        elif set(control.case.verdicts) != {Verdict.ALLOW}:
            yield f"{vector.id}: control: {control.id} is not allowed in every op"


def _twins(vectors: Sequence[Vector]) -> Iterator[str]:
    seen: dict[str, str] = {}
    for vector in vectors:
        case = vector.case
        ops = [op_to_json(op) for op in case.ops]  # a lying str would claim to be its twin
        told = repr((case.grant, case.world, ops, vector.surfaces))
        if seen.setdefault(told, vector.id) != vector.id and not vector.is_control:
            yield f"{vector.id}: twins: asks the same as {seen[told]}"


def _techniques(vectors: Sequence[Vector]) -> Iterator[str]:
    used = {vector.technique for vector in vectors}
    for name in sorted(used - TECHNIQUES.keys()):
        yield f"{name}: technique: used by a vector and not registered"
    for name in sorted(TECHNIQUES.keys() - used):
        yield f"{name}: technique: registered and in no vector"


def _session(vector: Vector, trace: Trace) -> Iterator[str]:
    """Compare the stated verdicts with the engine's answers and with the oracle's rulings."""
    ruled = rulings(trace)
    for index, step in enumerate(trace.steps):
        if step.asked is None:
            continue
        stated, ruling = vector.case.verdicts[step.asked], ruled[index]
        if stated is not Verdict.CONTAIN and step.answer.ok != (stated is Verdict.ALLOW):
            yield f"{vector.id}: verdict: op {step.asked + 1} is {stated}, the engine says otherwise"
        open_ = trace.case.world.at_once  # which of several threads a budget refuses
        if ruling is not None and ruling.hard and stated is not Verdict.DENY and not open_:
            yield f"{vector.id}: verdict: op {step.asked + 1} is {stated}, a budget denies it"
    if len(ruled) == 1 and ruled[0] is not None and not ruled[0].hard:
        yield from _single(vector)


def _single(vector: Vector) -> Iterator[str]:
    case = vector.case
    (stated,) = case.verdicts
    oracle = rule(case.ops[0], Setting(case.grant, case.world, case.world.files)).verdict
    if Verdict.CONTAIN not in {stated, oracle} and stated is not oracle:
        yield f"{vector.id}: verdict: stated {stated}, the oracle says {oracle}"


def _sources(vector: Vector) -> Iterator[str]:
    """Look for sources that nobody can read, and for verdicts that effects alone can give."""
    known = TECHNIQUES.get(vector.technique)
    python = known is not None and "python" in known.platforms
    for op, stated in zip(vector.case.ops, vector.case.verdicts, strict=True):
        if stated is Verdict.DENY:
            yield f"{vector.id}: verdict: deny; what is evaluated is judged by its effects"
        if python and not readable(op):
            yield f"{vector.id}: source: {str(op)[:80]} is not Python"


def _archives(vector: Vector) -> Iterator[str]:
    """Look for ops that are no archives, or that are kept back for what they might do here."""
    for op, stated in zip(vector.case.ops, vector.case.verdicts, strict=True):
        packed = members(op)
        if packed is None:
            yield f"{vector.id}: archive: {str(op)[:80]} describes none"
        elif not harmless(packed, LEVELS):
            yield f"{vector.id}: archive: might touch the machine's own files, and is never tried"
        if stated is Verdict.DENY:
            yield f"{vector.id}: verdict: deny; what is taken in is judged by its effects"


def _urls(vector: Vector) -> Iterator[str]:
    case = vector.case
    for op, stated in zip(case.ops, case.verdicts, strict=True):
        oracle = rule(op, Setting(case.grant, case.world, (), surface=Surface.HOST)).verdict
        if stated is not oracle:
            yield f"{vector.id}: verdict: {op!r} is stated {stated}, the oracle says {oracle}"
