"""Which code is given coverage counters; imports nothing of ours but what it instruments."""

import importlib
from contextlib import AbstractContextManager
from typing import Any

import atheris

_ENGINE = "capfuzz.engine"
_READERS = "capfuzz.attacks.vectors"  # with what it reads vectors by


def own_code(harness: str, spec: str) -> None:
    """Import with counters what a harness tries of our own."""
    if harness == "corpus-file":
        _imported(_READERS)
    elif spec == "engine" or harness == "grant":
        _imported(_ENGINE)


def _imported(module: str) -> None:
    with atheris.instrument_imports(include=["capfuzz"]):
        importlib.import_module(module)


def code_of(spec: str) -> AbstractContextManager[Any]:
    """Let what is imported meanwhile have counters where it belongs to the package of ``spec``."""
    package = spec.removeprefix("py:").partition(":")[0].partition(".")[0]
    hooks: AbstractContextManager[Any] = atheris.instrument_imports(include=[package])
    return hooks
