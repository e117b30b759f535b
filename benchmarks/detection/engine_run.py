"""
One engine of discovery against one faulty target: ``engine_run.py ENGINE SPEC SURFACE SECONDS SEED``.

Prints a JSON object with the seconds of processor time until the fault was seen, null if it was not.
"""

import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from capfuzz.attacks.case import Surface
from capfuzz.targets.base import Target
from capfuzz.targets.spec import Options

ENGINES = ("corpus", "strategies", "atheris", "atheris through Hypothesis")
_OPS = 16  # in a generated sequence, as in the standard profile
_HARNESSES = {Surface.SESSION: "sequence", Surface.PATH: "path", Surface.HOST: "host"}


def main(engine: str, spec: str, surface: str, seconds: str, seed: str) -> NoReturn:
    """Load the target, run the engine until the fault shows or the time is over, and say when."""
    run = _Run(spec, Surface(surface), float(seconds), int(seed))
    {
        "corpus": run.corpus,
        "strategies": run.strategies,
        "atheris": run.atheris,
        "atheris through Hypothesis": run.through_hypothesis,
    }[engine]()
    run.end(found=False)


class _Run:
    """One target under one clock."""

    def __init__(self, spec: str, surface: Surface, seconds: float, seed: int) -> None:
        self._spec, self._surface, self._seconds, self._seed = spec, surface, seconds, seed

    def corpus(self) -> None:
        """Try controls, the corpus and its comparisons."""
        from capfuzz.attacks.vectors import load  # noqa: PLC0415 - not where nothing is read
        from capfuzz.gate.log import Log  # noqa: PLC0415
        from capfuzz.gate.plan import Plan  # noqa: PLC0415
        from capfuzz.gate.trials import trials  # noqa: PLC0415

        vectors = load()
        families = tuple(dict.fromkeys(one.case.family for one in vectors))
        target, log = self._load(), Log()
        self._follow(log, trials(target, Plan(vectors, "standard", self._seed, families), log))

    def strategies(self) -> None:
        """Try generated cases alone, for as long as there is time."""
        from capfuzz.gate.explore import explore  # noqa: PLC0415
        from capfuzz.gate.log import Log  # noqa: PLC0415

        target, log = self._load(), Log()
        self._follow(log, explore(target, 10**9, _OPS, self._seed, log))

    def atheris(self) -> None:
        """Have libFuzzer mutate bytes from nothing, led by coverage of the target's own code."""
        import atheris  # noqa: PLC0415
        from capfuzz.fuzz.harness import HARNESSES  # noqa: PLC0415
        from capfuzz.fuzz.instrument import code_of  # noqa: PLC0415

        with code_of(self._spec):
            target = self._load()
        look = HARNESSES[_HARNESSES[self._surface]].look(target)
        self._fuzz(atheris, look, lambda: look.log)

    def through_hypothesis(self) -> None:
        """Have libFuzzer make the choices of a Hypothesis strategy."""
        import atheris  # noqa: PLC0415
        from capfuzz.attacks.invariants import judge  # noqa: PLC0415
        from capfuzz.fuzz.instrument import code_of  # noqa: PLC0415
        from capfuzz.gate.log import Log  # noqa: PLC0415
        from capfuzz.strategies.cases import cases_for  # noqa: PLC0415
        from hypothesis import given, settings  # noqa: PLC0415

        with code_of(self._spec):
            target = self._load()
        log = Log()

        @settings(database=None, deadline=None)
        @given(cases_for(self._surface, max_size=_OPS))
        def attempt(case: Any) -> None:
            adapted = target.adapt(case)
            if adapted is not None:
                trace = target.run(adapted)
                log.add(trace, judge(trace))

        self._fuzz(atheris, attempt.hypothesis.fuzz_one_input, lambda: log)

    def end(self, *, found: bool) -> NoReturn:
        """Say what came of it and end at once: libFuzzer would not return."""
        seconds = time.process_time() - self._began if found else None
        self._target.close()
        os.write(self._out, json.dumps({"seconds": seconds}).encode() + b"\n")
        os._exit(0)

    def _load(self) -> Target:
        from capfuzz.gate.selftest_tasks import op_limit, shown  # noqa: PLC0415 - after hooks are set
        from capfuzz.targets.spec import function_of, load  # noqa: PLC0415

        self._out = os.dup(1)
        os.dup2(2, 1)  # whatever a target or libFuzzer prints
        function_of(self._spec)  # its module registers the fault
        from capfuzz.targets.broken import FAULTS  # noqa: PLC0415

        fault = next(one for one in FAULTS if one.spec == self._spec)
        self._shown: Callable[..., object] = lambda log: shown(fault, log)
        self._target = load(self._spec, Options(surface=self._surface, op_limit=op_limit(fault)))
        self._began = time.process_time()
        return self._target

    def _follow(self, log: Any, steps: Iterator[object]) -> None:
        for _ in steps:
            if self._shown(log):
                self.end(found=True)
            if self._is_over():
                break

    def _is_over(self) -> bool:
        return time.process_time() - self._began > self._seconds

    def _fuzz(self, atheris: Any, look: Callable[[bytes], object], log: Callable[[], Any]) -> None:
        runs = itertools.count(1)

        def attempt(data: bytes) -> None:
            look(data)
            if self._shown(log()):
                self.end(found=True)
            if next(runs) % 16 == 0 and self._is_over():
                self.end(found=False)

        words = ["engine_run", f"-seed={self._seed + 1}", "-max_len=512", "-use_value_profile=1"]
        self._began = time.process_time()
        atheris.Setup(words, attempt)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
