"""Samples and rows as if they had been measured, for tests that must not depend on a clock."""

from capfuzz.attacks.case import Surface
from capfuzz.gate.bench.measure import Sample
from capfuzz.gate.bench.results import Row
from capfuzz.gate.bench.subject import Subject, subject
from capfuzz.targets.options import Options
from capfuzz.targets.spec import load

ENGINE = "py:capfuzz.targets.session:engine_factory"


_WORKLOAD = {
    "name": "fs_read allowed",
    "kind": "fs_read",
    "group": "kind",
    "size": 1,
    "allowed": True,
    "calls": 100,
    "paired": (),
}


def sample(**changed) -> Sample:
    """Return one workload in one process."""
    times = {"nanoseconds": (900.0, 1000.0, 2000.0), "units": (9.0, 10.0, 20.0)}
    return Sample(**{**_WORKLOAD, **times, **changed})


def row(**changed) -> Row:
    """Return one workload over three processes."""
    times = {"nanoseconds": (900.0, 1000.0, 1100.0, 5000.0), "units": (9.0, 10.0, 11.0)}
    return Row(**{**_WORKLOAD, **times, **changed})


def made_of(function, surface, **options) -> Subject:
    """Return a subject of a surface whose function is this one."""
    surface = Surface(surface)
    spec = f"py:capfuzz.targets.right.{surface}:{_SOME[surface]}"
    asked = Options(surface=surface, **options)
    return Subject(load(spec, asked), function, asked)


def engine() -> Subject:
    """Return the reference engine."""
    return subject("engine", Options())


_SOME = {Surface.PATH: "lexical_join", Surface.HOST: "rebuilt", Surface.SESSION: "terse"}
