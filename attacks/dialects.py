"""What a consumer makes of a spelling: declared by a target, never guessed."""

import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from urllib.parse import unquote

from capfuzz.attacks.naive import segments


def _windows(path: str) -> str:
    """Backslashes separate, and a segment loses trailing dots and blanks (MS-FSCC 2.1.5)."""
    parts = path.replace("\\", "/").split("/")
    return "/".join(part if part in {".", ".."} else part.rstrip(". ") for part in parts)


def _normalised(path: str) -> str:
    return unicodedata.normalize("NFKC", path)


# In the order in which a consumer that does several does them.
_PATH_READERS: dict[str, Callable[[str], str]] = {
    "decodes-once": unquote,
    "decodes-twice": lambda path: unquote(unquote(path)),
    "normalises-unicode": _normalised,
    "windows": _windows,
}

# `posix` is what every consumer does; the last two concern what a grant covers.
DIALECTS = ("posix", *_PATH_READERS, "case-insensitive", "subdomains")


def readings(path: str, dialect: frozenset[str]) -> tuple[str, ...]:
    """Return ``path`` as it stands, as each declared dialect reads it, and as all of them do."""
    if not dialect:
        return (path,)
    declared = [read for name, read in _PATH_READERS.items() if name in dialect]
    read = (path, *(read(path) for read in declared), _in_turn(path, declared))
    return tuple(dict.fromkeys(read))


def _in_turn(path: str, readers: Iterable[Callable[[str], str]]) -> str:
    """Return what is left of ``path`` when each reader reads what the last one made of it."""
    for read in readers:
        path = read(path)
    return path


@lru_cache(maxsize=16_384)
def hints_outside(path: str, root: str) -> bool:
    """Tell whether some consumer, though not declared, would read ``path`` as leaving ``root``."""
    everyone = (*readings(path, frozenset(_PATH_READERS)), most_lenient(path))
    return any(_climbs_out(text, root) for text in everyone)


def most_lenient(path: str) -> str:
    """Return ``path`` as a consumer that does everything would read it."""
    return _in_turn(path, (_PATH_READERS["decodes-twice"], _normalised, _windows))


def _climbs_out(path: str, root: str) -> bool:
    depth = len(segments(root))
    kept: list[str] = []
    for name in segments(path):
        kept = kept[:-1] if name == ".." else [*kept, name]
        if tuple(kept[:depth]) != segments(root)[: len(kept)]:
            return True
    return len(kept) < depth
