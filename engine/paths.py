"""
Path checks: plain text in, a decision out, no file system touched.

No decoding of any kind happens: ``%2e%2e`` is a literal name (CWE-22, CWE-180).
"""

import posixpath
import re
from collections.abc import Iterable
from dataclasses import FrozenInstanceError, dataclass
from typing import Self

# Up to this many roots one C-level startswith over a tuple beats looking them up.
_SCANNED_ROOTS = 16
_UNSPEAKABLE = re.compile(r"[\x00-\x1f\ud800-\udfff]")


def has_traversal(path: str) -> bool:
    r"""Tell whether any segment is ``..``, with ``\`` counted as a separator; ``a..b`` is honest."""
    return ".." in path and "/../" in f"/{path}/".replace("\\", "/")


def canonical(path: str) -> str:
    """Return ``path`` with ``.``, ``..`` and repeated slashes collapsed; two leading count as one."""
    plain = posixpath.normpath(path)
    return plain[1:] if plain[:2] == "//" else plain


def is_wellformed(path: str) -> bool:
    """Tell whether ``path`` is absolute, without C0 controls and without lone surrogates."""
    return path[:1] == "/" and (path.isprintable() or _UNSPEAKABLE.search(path) is None)


def under_allowlist(path: str, prefixes: Iterable[str]) -> bool:
    """
    Tell whether the canonical form of ``path`` is one of ``prefixes`` or lies below one.

    Compared on a segment boundary: ``/work`` covers ``/work/x``, never ``/workshop``. Nothing
    is under an empty list, and a malformed path or prefix never matches.
    """
    if isinstance(prefixes, str):
        raise TypeError("prefixes must be a collection of paths, not one str")
    roots = Roots(prefix for prefix in prefixes if is_wellformed(prefix))
    return is_wellformed(path) and roots.cover(canonical(path))


@dataclass(frozen=True, slots=True, init=False)
class Roots:
    """Granted prefixes, compiled once into an antichain of ``root/`` strings; immutable."""

    scanned: tuple[str, ...]
    known: frozenset[str]
    lengths: tuple[int, ...]

    def __new__(cls, prefixes: Iterable[str]) -> Self:
        """Return the antichain: no root lies below another."""
        antichain: list[str] = []
        for root in sorted({_with_slash(canonical(prefix)) for prefix in prefixes}):
            # Sorted, a root's descendants follow it directly.
            if not antichain or not root.startswith(antichain[-1]):
                antichain.append(root)
        many = len(antichain) > _SCANNED_ROOTS
        made = object.__new__(cls)  # a slotted dataclass is made anew: no super()
        object.__setattr__(made, "scanned", () if many else tuple(antichain))
        object.__setattr__(made, "known", frozenset(antichain if many else ()))
        object.__setattr__(made, "lengths", tuple(sorted({len(root) for root in made.known})))
        return made

    def __setstate__(self, state: object) -> None:
        """Refuse the back door that a slotted dataclass would otherwise have."""
        raise FrozenInstanceError("roots cannot be changed after they are made")

    def cover(self, path: str) -> bool:
        """Tell whether the canonical ``path`` is a root or lies below one."""
        below = path + "/"
        return below.startswith(self.scanned) if self.scanned else self.look_up(below)

    def look_up(self, below: str) -> bool:
        """Tell the same of many roots and a path with a slash after it."""
        for length in self.lengths:  # noqa: SIM110 - any() over a generator costs thrice as much
            if below[:length] in self.known:
                return True
        return False


def _with_slash(path: str) -> str:
    return path if path == "/" else path + "/"
