"""Families of vectors about places: outside, beside, behind a link, in /proc, and honest ones."""

from collections.abc import Iterable, Iterator

from capfuzz.attacks import naive
from capfuzz.attacks.case import Verdict
from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.path_plan import (
    FAR,
    KEPT,
    OTHER,
    SESSION,
    SHORT,
    SYSTEM,
    Aim,
    Plan,
    Twin,
    family,
)
from capfuzz.attacks.techniques import paths_links, paths_procfs
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind

_ALARMING = Twin("honest-alarming", "/work/etc/passwd", "/work/out/etc/passwd")
_NAMED = Twin("honest-like-root", "/work/workshop/a.txt", "/drop/dropshop/a.txt")
_MEMORY = Twin("honest-alarming", "/work/proc/self/environ", "/work/out/proc/self/environ")

OUTSIDE = family(
    "path-outside",
    "CWE-36",
    (
        Plan(("outside",), (FAR, OTHER, SYSTEM), _ALARMING),
        Plan(
            ("outside-noncanonical", "outside-many-slashes"),
            (FAR, OTHER, SYSTEM),
            _ALARMING,
        ),
        Plan(("absolute-below-root", "outside-ancestor", "relative", "nothing"), SHORT, _ALARMING),
        # A function of root and path may take a URL for a relative name, and is right.
        Plan(("file-scheme",), SHORT, _ALARMING, verdict=(Verdict.CONTAIN,)),
        Plan(("other-scheme", "scheme-below-root"), SHORT, _ALARMING),
    ),
    files=("/work/etc/passwd",),
)

_BESIDE = (Aim("fs_read", "/work", "/x/secret.txt"), Aim("fs_write", "/drop", "/x/secret.txt"))
_SIBLINGS = (
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
            "outside-with-ending",
            "case-twin",
            "case-twin-after-climb",
            "compatible-root",
            "ignorable-in-root",
            "encoded-root",
        ),
        _BESIDE,
        _NAMED,
    ),
)


def _twins(root: str, *techniques: str) -> tuple[Plan, ...]:
    """Return plans for a root whose letters have twins, for reading and for writing."""
    twin = Twin("honest-of-odd-grant", f"{root}/sub/note.txt", f"{root}/sub/note.txt")
    aims = (Aim("fs_read", root, "/x/secret.txt"), Aim("fs_write", root, "/x/secret.txt"))
    grant = {"fs_read": [root], "fs_write": [root]}
    return (Plan(techniques, aims, twin, grant=grant),)


_TWINS = (
    *_twins("/desks/files", "folding-letters", "folding-letters-after-climb", "case-twin"),
    *_twins("/press", "folding-letters", "folding-letters-after-climb"),
    *_twins("/caf\u00e9", "decomposed-root", "case-twin"),
)


def _landings(plans: Iterable[Plan]) -> Iterator[str]:
    """Yield the place that each path read names, where nothing else stands in its way."""
    for plan in plans:
        for _, aim, path in plan.spelt():
            place = naive.resolve(path, {})
            if aim.kind == "fs_read" and place.endswith((".txt", "_secret", "/mirror/work")):
                yield place
        yield plan.twin.read


SIBLINGS = family(
    "path-siblings",
    "CWE-187",
    (*_SIBLINGS, *_TWINS),
    files={*_landings((*_SIBLINGS, *_TWINS))},
    grant={"fs_write": ["/drop/"]},
)

_LINKED = (
    "link-to-file",
    "link-to-directory",
    "link-noncanonical",
    "link-chain",
    "link-chain-too-long",
    "link-loop",
    "link-dangling",
    "link-new-leaf",
    "link-then-climb",
    "link-loop-then-climb",
    "link-target-spelling",
    "link-to-ancestor",
    "link-inside",
    "link-portal",
)

LINKS = family(
    "path-links",
    "CWE-59",
    (Plan(_LINKED), Plan(("link-to-sibling",), (FAR,)), Plan(("link-to-readable",), (KEPT,))),
    files=("/workshop/passwd",),
    links={
        **paths_links.links(FAR.root, FAR.target),
        **paths_links.links(SYSTEM.root, SYSTEM.target),
    },
)

_DOORS, _PROC_FILES = paths_procfs.procfs(FAR.root, FAR.target)
_TO_PASSWD = Aim("fs_write", "/work/out", "/etc/passwd")
_THROUGH = ("procfs-root", "procfs-cwd", "procfs-descriptor", "procfs-executable")


def _granted(root: str) -> Plan:
    """Return a plan under a grant of /proc or /dev, whose links lead out of it."""
    twin = Twin("plain-file", f"{root}/version", f"{root}/note")
    grant = {"fs_read": [root], "fs_write": [root]}
    return Plan(_THROUGH, (FAR, _TO_PASSWD), twin, grant=grant, below=f"{root}/")


PROCFS = family(
    "path-procfs",
    "CWE-59",
    (
        Plan(
            (*_THROUGH, "procfs-data", "kernel-files", "procfs-below-root"),
            (FAR, _TO_PASSWD),
            _MEMORY,
        ),
        Plan(("procfs-alias",), (FAR,), _MEMORY),
        _granted("/proc"),
        _granted("/dev"),
    ),
    files=(*_PROC_FILES, "/work/proc/self/environ", "/proc/version", "/dev/version"),
    links=_DOORS,
)


def _honest() -> Iterator[Row]:
    for name, technique in TECHNIQUES.items():
        if technique.kind is Kind.HONEST:
            for path in technique.spell("/work"):
                yield Row(name, (("fs_read", path),), flags=(technique.group,))
            for path in technique.spell("/work/out"):
                op = ("fs_write", path, "honest")
                yield Row(name, (op,), flags=(technique.group,), surfaces=SESSION)


_HONEST = tuple(_honest())
HONEST = family(
    "path-honest",
    "CWE-863",
    (),
    files=[str(row.ops[0][1]) for row in _HONEST if not row.surfaces],  # type: ignore[index]
    extra=_HONEST,
)

FAMILIES: tuple[Family, ...] = (OUTSIDE, SIBLINGS, LINKS, PROCFS, HONEST)
