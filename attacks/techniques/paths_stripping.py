"""Climbs that appear only when a filter has taken something away (CWE-182)."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import ways
from capfuzz.attacks.techniques.registry import Kind, technique


@technique(
    "rejoined-climb",
    kind=Kind.PATH,
    group="stripping",
    cwe="CWE-34",
    needs="removes ../ once and does not look at what is left",
)
def rejoined_climb(root: str, target: str) -> Iterator[str]:
    """Nest ``../`` in itself, so that removing it once leaves another: ``....//``, ``..././``."""
    yield from ways(root, target, "....//", "..././", ".../...//")


@technique(
    "rejoined-twice",
    kind=Kind.PATH,
    group="stripping",
    cwe="CWE-182",
    needs="removes ../ a fixed number of times, twice or more",
)
def rejoined_twice(root: str, target: str) -> Iterator[str]:
    """Nest ``../`` twice and three times, for a filter that runs more than once."""
    yield from ways(root, target, "......///", "........////")


@technique(
    "rejoined-backslash",
    kind=Kind.PATH,
    group="stripping",
    cwe="CWE-182",
    needs=r"removes ..\ once, whatever separator comes after it",
)
def rejoined_backslash(root: str, target: str) -> Iterator[str]:
    r"""Nest ``..\`` in ``../``, so that removing it leaves a climb."""
    yield from ways(root, target, "....\\/", "...\\./")


@technique(
    "rejoined-here",
    kind=Kind.PATH,
    group="stripping",
    cwe="CWE-182",
    needs="removes ./ once to tidy the path, after the check for ..",
)
def rejoined_here(root: str, target: str) -> Iterator[str]:
    """Nest ``./`` in ``../``: ``...//`` loses its middle and becomes a climb."""
    yield from ways(root, target, "...//")


@technique(
    "collapsed-dots",
    kind=Kind.PATH,
    group="stripping",
    cwe="CWE-33",
    needs="replaces .. by . once, or reads three dots as two levels up, as Windows 9x did",
)
def collapsed_dots(root: str, target: str) -> Iterator[str]:
    """Write more dots than two, of which a replacement leaves two."""
    yield from ways(root, target, ".../", "..../")
