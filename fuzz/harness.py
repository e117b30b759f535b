"""The five harnesses by name: what each may be aimed at, and how it looks at an input."""

from collections.abc import Callable
from dataclasses import dataclass

from capfuzz.attacks.case import Case, Surface
from capfuzz.fuzz import hosts, paths, sequences
from capfuzz.fuzz.corpus_files import FileLook
from capfuzz.fuzz.grants import GrantLook
from capfuzz.fuzz.looking import CaseLook, Look
from capfuzz.targets.base import Target

Decode = Callable[[bytes, Surface], Case | None]


@dataclass(frozen=True, slots=True)
class Harness:
    """
    One way to read bytes.

    ``surfaces`` are those of the targets that it can be aimed at, none for one that asks no target.
    ``single`` has the kinds of op where it asks one op at a time, ``most_bytes`` bounds an input.
    """

    name: str
    surfaces: tuple[Surface, ...]
    decode: Decode | None = None
    single: frozenset[str] = frozenset()
    most_bytes: int = 256

    def tries(self, case: Case) -> bool:
        """Tell whether a case is of the shape that the harness makes."""
        kinds = {op[0] if isinstance(op, tuple) and op else None for op in case.ops}
        return not self.single or (len(case.ops) == 1 and kinds <= self.single)

    def look(self, target: Target | None) -> Look:
        """Return what tries inputs against ``target``."""
        if target is None:
            return FileLook()
        decode = self.decoder(target)
        if decode is None:
            return GrantLook(CaseLook(target, sequences.case_of))
        return CaseLook(target, decode)

    def decoder(self, target: Target) -> Decode | None:
        """Return how bytes become cases for ``target``, None where there is more to do than that."""
        return paths.for_target(target) if self.decode is paths.case_of else self.decode


_FILES = frozenset({"fs_read", "fs_write"})
_HOSTS = frozenset({"net_fetch", "url"})
HARNESSES = {
    one.name: one
    for one in (
        Harness("path", (Surface.SESSION, Surface.PATH), paths.case_of, _FILES),
        Harness("host", (Surface.SESSION, Surface.HOST), hosts.case_of, _HOSTS),
        Harness("sequence", (Surface.SESSION,), sequences.case_of, most_bytes=1024),
        Harness("grant", (Surface.SESSION,), most_bytes=512),
        Harness("corpus-file", (), most_bytes=4096),
    )
}
