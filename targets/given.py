"""Files that a person names on the command line: read whole and parsed, or refused in one line."""

import os
import stat
from collections.abc import Callable
from typing import Any

_SAID = 200  # characters of what a parser says


class GivenError(ValueError):
    """A file that cannot be read as what it should be; says why in one line, without its name."""


def parsed(path: str, parse: Callable[[str], Any], form: str, most: int) -> Any:
    """
    Return what ``parse`` makes of a regular file's text; raises `GivenError`.

    ``form`` is JSON or TOML, ``most`` how many bytes it may have.
    """
    try:
        return parse(_text(path, most))
    except GivenError:
        raise
    except OSError as error:
        raise GivenError(f"cannot be read: {error.strerror}") from None
    except RecursionError:
        raise GivenError(f"is no {form} that can be read: nested too deeply") from None
    except ValueError as error:
        raise GivenError(f"is no {form}: {short(str(error))}") from None


def short(text: str, most: int = _SAID) -> str:
    """Return a text cut to what still reads in one line, with nothing that a terminal obeys."""
    plain = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[: most + 1])
    return plain if len(text) <= most else f"{plain[:most]}..."


def _text(path: str, most: int) -> str:
    # A pipe without a writer would block for ever; what is no regular file may have no end.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        seen = os.fstat(file.fileno())
        if not stat.S_ISREG(seen.st_mode):
            raise GivenError("cannot be read: is no regular file")
        if seen.st_size > most:
            raise GivenError(f"cannot be read: is larger than {most:,} bytes")
        return file.read().decode("utf-8")
