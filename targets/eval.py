"""Eval targets: a function that evaluates restricted code, each source in a process of its own."""

import contextlib
import io
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.evaluators import (
    ANSWER,
    ENVIRONMENT,
    FAILING,
    FILE,
    FILES,
    HARMLESS,
    LANGUAGES,
    LISTENER,
    MARKER,
    SECRET_FILE,
    as_raised,
    as_statements,
    has_statements,
)
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.trace import Answer, Effect, Step, Trace
from capfuzz.targets.base import TargetError
from capfuzz.targets.eval_ground import Ground
from capfuzz.targets.forked import Outcome
from capfuzz.targets.limits import time_limit

_WARMING = 30.0  # seconds for a first call, which may import a lot
_PROBING = 20.0  # seconds more than an op has, for the first questions
_STARTING = 0.5  # seconds more than an op has, for its process to start
# What one answer cannot show, or what evaluated code has no say in.
_UNOBSERVABLE = frozenset(
    {
        "halt-after-hard",
        "within-budget",
        "alias-denied",
        "right-reason",
        "grant-immutable",
        "no-existence-leak",
        "deterministic",
        "monotone-authority",
    }
)
EXPOSED = {"files": {FILE}, "environment": {ENVIRONMENT}, "network": {LISTENER}}
_ANY = "any"  # a technique that no language is named for
BOUNDED = "bounded"  # a technique for targets that promise an end


@dataclass(frozen=True, slots=True)
class _Speech:
    """What a target understands: a language, its expressions, its statements."""

    language: str
    expressions: bool
    statements: bool
    silent: bool = False  # runs statements, and gives back what they raise alone

    def spelt(self, source: str) -> str | None:
        """Return a source in a form that is understood, None where there is none."""
        if self.language != "python":
            return source
        if self.silent:
            return as_raised(source)
        if has_statements(source):
            return source if self.statements else None
        return source if self.expressions else as_statements(source)


class EvalTarget:
    """
    A function ``NAME(source)``.

    It answers with the value of an expression, or after statements with that of the variable
    ``result``; None, False and an exception refuse. ``language`` is found out where it is not
    given. ``exposes``: what it is documented to hand to the code. ``bounded``: it promises an
    end to whatever the code computes.
    """

    surface = Surface.EVAL
    unobservable = _UNOBSERVABLE

    def __init__(
        self,
        spec: str,
        function: Callable[[str], Any],
        *,
        op_limit: float = 2.0,
        language: str | None = None,
        exposes: frozenset[str] = frozenset(),
        bounded: bool = False,
    ) -> None:
        self.spec = spec
        self._function = function
        self._op_limit = op_limit
        self._languages = [one for one in LANGUAGES if language in {None, one.name}]
        self._exposed = {place for one in exposes for place in EXPOSED[one]}
        self._bounded = bounded or bool(getattr(function, "bounded", False))
        self._known: _Speech | None = None
        self._ground: Ground | None = None

    def adapt(self, case: Case) -> Case | None:
        """Return the case if its sources are of this language, in a form that is understood."""
        ops: Any = case.ops
        if not all(type(op) is tuple and len(op) == 2 and op[0] == "eval" for op in ops):  # noqa: PLR2004
            return None
        if not all(type(source) is str for _, source in ops) or not self._wants(case.techniques):
            return None
        sources = [self._speech().spelt(source) for _, source in ops]
        if None in sources:
            return None
        return replace(case, ops=tuple(("eval", source) for source in sources))

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Have every source of the case evaluated."""
        limit = self._op_limit * patience + _STARTING
        steps = tuple(self._step(case, index, limit) for index in range(len(case.ops)))
        return Trace(case, self.surface, steps)

    def close(self) -> None:
        """End what still runs and remove what was planted."""
        if self._ground is not None:
            self._ground.close()
            self._ground = None

    def _wants(self, techniques: tuple[str, ...]) -> bool:
        """Tell whether the techniques are for this target: in its language, for its promises."""
        fitting = {_ANY, self._speech().language, *([BOUNDED] if self._bounded else [])}
        known = [TECHNIQUES[name] for name in techniques if name in TECHNIQUES]
        return all(fitting.issuperset(one.platforms) for one in known)

    def _step(self, case: Case, index: int, seconds: float) -> Step:
        op: Any = case.ops[index]
        outcome, effects = self._on_ground().ask(self._function, op[1], seconds)
        kept = tuple(one for one in effects if one.place not in self._exposed)
        answer = _answer(outcome, kept, silent=self._speech().silent)
        return Step(op, answer, kept, 2 * index, 2 * index + 1, index)

    def _on_ground(self) -> Ground:
        if self._ground is None:
            self._ground = Ground()
        return self._ground

    def _warm(self, source: str) -> None:
        """
        Let the function import what it needs; it has answered the same in a child in time.

        Not where it keeps threads: they stay behind in a fork, and whoever waits for them hangs.
        """
        outcome, _ = self._on_ground().ask(self._threads, source, self._op_limit + _PROBING)
        if outcome.text.isdigit() and int(outcome.text) > 1:
            return
        aside = io.StringIO()
        quiet = contextlib.redirect_stdout(aside), contextlib.redirect_stderr(aside)
        with quiet[0], quiet[1], time_limit(_WARMING), contextlib.suppress(Exception, SystemExit):
            self._function(source)

    def _threads(self, source: str) -> str:
        """Return in digits how many threads there are once the function has answered (proc(5))."""
        self._function(source)
        return str(len(os.listdir("/proc/self/task")))

    def _speech(self) -> _Speech:
        if self._known is None:
            self._known = self._found_out()
        return self._known

    def _found_out(self) -> _Speech:
        """Return what the function understands; raises `TargetError` if nothing."""
        for language in self._languages:
            plain, several = map(self._understands, (language.probe, language.statements))
            if plain or several:
                self._warm(language.probe if plain else language.statements)
                self._note_deliberate()
                return _Speech(language.name, plain, several)
        if self._runs(HARMLESS) and not self._runs(FAILING):
            return _Speech("python", expressions=False, statements=True, silent=True)
        probes = ", ".join(repr(one.probe) for one in self._languages)
        raise TargetError(
            f"{self.spec}: does not answer {ANSWER} to any of {probes}; it must return the value "
            "of an expression, or after statements that of the variable result"
        )

    def _note_deliberate(self) -> None:
        """
        Take an ``open`` that reads and does not write for one that is meant to be there.

        Whoever has made it has decided that files may be read; what nobody decided does both.
        """
        effects = [
            effect
            for source in (f"open('{SECRET_FILE}').read()", f"open('{MARKER}', 'w').write('x')")
            for effect in self._on_ground().ask(self._function, source, self._op_limit + _STARTING)[
                1
            ]
        ]
        if [effect.place for effect in effects] == [FILE]:
            self._exposed.add(FILE)

    def _runs(self, source: str) -> bool:
        """Tell whether statements are run without an answer and without an exception."""
        outcome, _ = self._on_ground().ask(self._function, source, self._op_limit + _PROBING)
        return any(one.name == "python" for one in self._languages) and outcome.how == "nothing"

    def _understands(self, source: str) -> bool:
        if not source:
            return False
        outcome, _ = self._on_ground().ask(self._function, source, self._op_limit + _PROBING)
        return outcome.how in {"value", "nothing"} and ANSWER in outcome.text


def _answer(outcome: Outcome, effects: tuple[Effect, ...], *, silent: bool) -> Answer:
    """Return what the target said; a refusal carries what came back with it all the same."""
    if outcome.how == "hung":
        return Answer(ok=False, hung=True)
    if outcome.how in {"base", "died"}:
        return Answer(ok=False, raised=outcome.name)
    said = " ".join(FILES[one.place] for one in effects if one.kind == "read")
    told = {"value", "nothing"} if silent else {"value"}
    return Answer(ok=outcome.how in told, detail=said)
