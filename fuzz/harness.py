"""The five harnesses by name: what each may be aimed at, and how it looks at an input."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.invariants import judge
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
    ``single`` has the kinds of op where it asks one op at a time, ``honest`` an input that is
    honest work on a surface, ``most_bytes`` bounds an input.
    """

    name: str
    surfaces: tuple[Surface, ...]
    decode: Decode | None = None
    single: frozenset[str] = frozenset()
    honest: Mapping[Surface, bytes] = field(default_factory=dict)
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

    def works(self, target: Target) -> bool:
        """Tell whether ``target`` does honest work."""
        decode = self.decoder(target) or sequences.case_of
        case = decode(self.honest[target.surface], target.surface)
        adapted = None if case is None else target.adapt(case)
        return adapted is not None and not judge(target.run(adapted)).breaches

    def decoder(self, target: Target) -> Decode | None:
        """Return how bytes become cases for ``target``, None where there is more to do than that."""
        return paths.for_target(target) if self.decode is paths.case_of else self.decode


_READ = b"1r\x1f/work/data.txt"
HARNESSES = {
    one.name: one
    for one in (
        Harness(
            "path",
            (Surface.SESSION, Surface.PATH),
            paths.case_of,
            frozenset({"fs_read", "fs_write"}),
            dict.fromkeys((Surface.SESSION, Surface.PATH), b"1/work/data.txt"),
        ),
        Harness(
            "host",
            (Surface.SESSION, Surface.HOST),
            hosts.case_of,
            frozenset({"net_fetch", "url"}),
            {Surface.SESSION: b"1api.internal", Surface.HOST: b"1http://api.internal/status"},
        ),
        Harness(
            "sequence",
            (Surface.SESSION,),
            sequences.case_of,
            honest={Surface.SESSION: _READ},
            most_bytes=1024,
        ),
        Harness("grant", (Surface.SESSION,), honest={Surface.SESSION: _READ}, most_bytes=512),
        Harness("corpus-file", (), most_bytes=4096),
    )
}
