"""Calling a function under attack: what its exceptions mean, and where it is at home."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from capfuzz.attacks.trace import Answer
from capfuzz.targets.limits import OpTimeout


def called(function: Callable[..., Any], *arguments: object) -> tuple[Any, Answer | None]:
    """
    Return what a function returns; or what it raised, and the answer that this is.

    An exception refuses; what is no Exception came out, and only an interruption is let through.
    """
    try:
        return function(*arguments), None
    except Exception as error:  # noqa: BLE001 - an exception refuses
        return error, Answer(ok=False)
    except (OpTimeout, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - not our code
        return error, Answer(ok=False, raised=type(error).__name__)


def with_truth(value: Any) -> tuple[Any, bool]:
    """Return a value with its truth, which may raise as the function itself may."""
    return value, bool(value)


@contextmanager
def at_home(folder: str) -> Iterator[None]:
    """Let ``~`` and ``$HOME`` lead to ``folder``, not to the files of whoever runs the suite."""
    before = os.environ.get("HOME")
    os.environ["HOME"] = folder
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("HOME", None)
        else:
            os.environ["HOME"] = before
