"""A harness on the reference engine as a program of its own, as OSS-Fuzz builds and runs it."""

import atheris
from capfuzz.attacks.invariants import Severity
from capfuzz.fuzz.harness import HARNESSES
from capfuzz.fuzz.looking import Fault
from capfuzz.targets.spec import Options, load


class FaultFound(Exception):  # noqa: N818 - what libFuzzer shows as the crash
    """An input broke an invariant; says which, and by what."""


def main(name: str, arguments: list[str]) -> None:
    """Fuzz with libFuzzer's own command line; never returns."""
    harness = HARNESSES[name]
    look = harness.look(load("engine", Options()) if harness.surfaces else None)

    def attempt(data: bytes) -> None:
        for fault in look(data):
            if fault.key.severity is Severity.ERROR:
                raise FaultFound(_said(fault))

    atheris.Setup(arguments, attempt)
    atheris.Fuzz()


def _said(fault: Fault) -> str:
    seen = fault.observed or (fault.case and f"{fault.case.grant} {fault.case.ops}")
    return f"{fault.key.invariant} broken by {fault.technique}: {seen}"
