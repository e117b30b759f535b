"""Standard streams that are there, whatever the caller has closed or filled."""

import os
import sys


def complete() -> None:
    """Open each standard stream that the caller has closed on nothing; its number is kept."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            silence(number)
            mode = "r" if number == 0 else "w"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def silence(number: int) -> None:
    """Let a standard stream lead to nothing from now on, in programs that are started as well."""
    nothing = os.open(os.devnull, os.O_RDWR)
    if nothing == number:
        os.set_inheritable(number, True)  # noqa: FBT003 - it takes no name
        return
    os.dup2(nothing, number)
    os.close(nothing)
