"""simpleeval, with a module among the names that an application hands to it."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked

import os.path
from typing import Any


def evaluate(source: str) -> Any:
    """Return the value of an expression over the module ``os.path``."""
    from simpleeval import SimpleEval

    return SimpleEval(names={"path": os.path}).eval(source)
