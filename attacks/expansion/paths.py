"""Families of vectors about paths."""

from collections.abc import Iterator

from capfuzz.attacks import naive
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.path_plan import (
    BESIDE,
    FAR,
    KEPT,
    NEAR,
    OTHER,
    OUTBOX,
    READS,
    SESSION,
    SHORT,
    SYSTEM,
    WRITES,
    Aim,
    Plan,
    Twin,
    family,
)
from capfuzz.attacks.techniques.catalog import TECHNIQUES

_DOTS = Twin("honest-dots", "/work/a..b", "/work/out/a..b")
_PERCENT = Twin("honest-percent", "/work/50%25.png", "/work/out/50%25.png")
_NAMED = Twin("honest-like-root", "/work/workshop/a.txt", "/work/out/outshop/a.txt")

_BESIDE_OUT = Aim("fs_write", "/work/out", "/x/secret.txt")
_SIBLING = Aim("fs_read", "/work", "/x/secret.txt")


TRAVERSAL = family(
    "path-traversal",
    "CWE-22",
    (
        Plan(("climb",), (*READS, OTHER, *WRITES)),
        Plan(("climb-past-top",), (FAR, SYSTEM)),
        Plan(("climb-to-folder",), (FAR, SYSTEM)),
        Plan(("climb-back-and-out", "climb-via-neighbour"), (FAR, NEAR, SYSTEM)),
        Plan(("climb-with-dots", "climb-with-slashes"), (FAR, NEAR, KEPT, SYSTEM)),
        Plan(
            ("climb-after-folder", "climb-after-missing", "climb-after-file"),
            (FAR, NEAR, BESIDE, KEPT, SYSTEM, OUTBOX),
        ),
        Plan(("climb-after-honest-name",), (FAR, NEAR, SYSTEM), _DOTS),
        Plan(("climb-out-and-in",), (FAR, SYSTEM)),
        Plan(
            (
                "rejoined-climb",
                "rejoined-twice",
                "rejoined-backslash",
                "rejoined-here",
                "collapsed-dots",
            ),
            (FAR, NEAR, KEPT, SYSTEM),
            _DOTS,
        ),
    ),
    files=("/work/a..b", "/work/outbox/mail.txt"),
)

ENCODING = family(
    "path-encoding",
    "CWE-177",
    (
        Plan(
            (
                "percent-dots",
                "percent-one-dot",
                "percent-slash",
                "percent-dots-and-slash",
                "percent-backslash",
                "double-percent",
                "double-percent-slash",
            ),
            (FAR, NEAR, BESIDE, KEPT, SYSTEM),
            _PERCENT,
        ),
        Plan(
            (
                "percent-everything",
                "percent-absolute",
                "double-percent-backslash",
                "double-percent-digits",
                "double-percent-mixed",
                "nibble",
                "triple-percent",
                "quadruple-percent",
            ),
            SHORT,
            _PERCENT,
        ),
        Plan(("percent-folder-dots", "percent-root"), (NEAR, SYSTEM), _PERCENT),
    ),
    files=("/work/50%25.png",),
)

OUTSIDE = family(
    "path-outside",
    "CWE-36",
    (
        Plan(("outside",), (FAR, OTHER, SYSTEM, KEPT)),
        Plan(("outside-noncanonical", "outside-many-slashes"), (FAR, OTHER, SYSTEM)),
        Plan(("absolute-below-root",), (FAR, SYSTEM)),
        Plan(("outside-ancestor", "relative", "nothing"), (FAR, SYSTEM)),
        Plan(("blank-before-slash",), (FAR, SYSTEM)),
        Plan(("file-scheme", "other-scheme", "scheme-below-root"), (FAR, SYSTEM)),
    ),
)

SIBLINGS = family(
    "path-siblings",
    "CWE-187",
    (
        Plan(
            (
                "sibling-word",
                "sibling-dash",
                "sibling-dot",
                "sibling-digit",
                "sibling-file",
                "sibling-odd-separator",
                "sibling-noncanonical",
                "climb-to-sibling",
                "shortened-root",
                "root-inside-path",
                "case-twin",
                "case-twin-after-climb",
            ),
            (_SIBLING, _BESIDE_OUT),
            _NAMED,
        ),
    ),
    files=(
        "/work/workshop/a.txt",
        "/work\\secret.txt",
        "/work%2fsecret.txt",
        "/work:secret.txt",
        "/work secret.txt",
        "/work\uff0fsecret.txt",
        "/work~secret.txt",
        "/wor/secret.txt",
        "/w",
        "/other/work/secret.txt",
        "/mirror/work",
        "/WORK/secret.txt",
        "/Work/secret.txt",
        "/worK/secret.txt",
    ),
)


def _honest() -> Iterator[Row]:
    for name, technique in TECHNIQUES.items():
        if technique.kind == "honest":
            for path in technique.spell("/work"):
                yield Row(name, (("fs_read", path),))
            for path in technique.spell("/work/out"):
                yield Row(name, (("fs_write", path, "honest"),), surfaces=SESSION)


_HONEST_FILES = sorted(
    path
    for technique in TECHNIQUES.values()
    if technique.kind == "honest"
    for path in technique.spell("/work")
)

HONEST = family("path-honest", "CWE-863", (), files=_HONEST_FILES, extra=tuple(_honest()))

FAMILIES: tuple[Family, ...] = (TRAVERSAL, ENCODING, OUTSIDE, SIBLINGS, HONEST)
__all__ = ["FAMILIES", "naive"]
