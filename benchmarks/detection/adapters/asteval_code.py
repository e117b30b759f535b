"""asteval's interpreter, with the names that it offers by itself."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked

from typing import Any


def run(source: str) -> Any:
    """Return the value of the last expression; what asteval would print raises."""
    from asteval import Interpreter

    return Interpreter(use_numpy=False).eval(source, raise_errors=True, show_errors=False)
