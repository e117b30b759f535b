"""One grant, spelled oddly: what the spelling means, and what it must not be taken for."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.paths_grants_stage import grants, note, tried
from capfuzz.attacks.techniques.scenario_model import Scenario

_GROUP = "grant-spelling"
_BOTH = ("session", "path")
_ETC = note("/etc")
_WORK = note("/work")


def _spelled(root: str, honest: str, *probes: str, kind: str = "fs_read") -> Iterator[Scenario]:
    for probe in probes:
        yield tried([root], probe, [honest], kind)


def _beside(root: str, *probes: str) -> Iterator[Scenario]:
    """Try under a grant that its own fault would make useless, so that another one is the twin."""
    for probe in probes:
        yield tried([root, "/drop"], probe, [note("/drop")])


@grants(
    "sibling-of-spelled-grant",
    group="boundary",
    cwe="CWE-187",
    surfaces=_BOTH,
    needs="relies on the grant ending with a slash, or strips one slash only",
    refs=("CVE-2025-53110",),
)
def sibling_of_spelled_grant() -> Iterator[Scenario]:
    """End the grant with no slash, one, two or three, and continue its name."""
    for root in ("/work", "/work/", "/work//", "/work///"):
        yield from _spelled(root, _WORK, note("/workshop"), note("/work-evil"))


@grants(
    "sibling-of-odd-grant",
    group="boundary",
    cwe="CWE-187",
    needs="makes the grant canonical and loses its final slash, or compares it as it stands",
)
def sibling_of_odd_grant() -> Iterator[Scenario]:
    """Double the slashes of a grant, put dots into it, and continue its name."""
    for root in ("//work", "///work/", "/./work", "/work/.", "/work/./", "//./work//"):
        yield from _spelled(root, _WORK, note("/workshop"))
    for root in ("/work//sub", "/work/./sub/"):
        yield from _spelled(root, note("/work/sub"), note("/work/subway"))


@grants(
    "grant-with-slashes",
    group=_GROUP,
    cwe="CWE-50",
    needs="takes an empty part of the grant for a grant of /, or for none",
)
def grant_with_slashes() -> Iterator[Scenario]:
    """Double slashes at the end, at the beginning and inside the grant."""
    for root in ("/work", "/work/", "/work//", "//work", "///work///"):
        yield from _spelled(root, _WORK, _ETC, "/note.txt")
    yield from _spelled("/work//sub", note("/work/sub"), _WORK, _ETC)


@grants(
    "grant-with-dots",
    group=_GROUP,
    cwe="CWE-55",
    needs="stops at a dot of the grant, or drops names that have them",
)
def grant_with_dots() -> Iterator[Scenario]:
    """Put ``/.`` into the grant, and grant folders whose names hold dots."""
    for root in ("/work/.", "/./work", "/.//work/./"):
        yield from _spelled(root, _WORK, _ETC, "/note.txt")
    yield from _spelled("/work/./sub", note("/work/sub"), _WORK)
    yield from _spelled("/work/.hidden", note("/work/.hidden"), _ETC, _WORK)


@grants(
    "grant-like-glob",
    group="grant-as-pattern",
    cwe="CWE-155",
    surfaces=_BOTH,
    needs="matches the grant as a shell pattern, while it is a name",
)
def grant_like_glob() -> Iterator[Scenario]:
    """Grant folders that are called like patterns, and name what the patterns would match."""
    yield from _spelled("/work*", note("/work*"), _WORK, note("/workshop"))
    yield from _spelled("/work/*", note("/work/*"), _WORK, note("/work/sub"))
    yield from _spelled("/work/**", note("/work/**"), _WORK, note("/work/sub/deep"))
    yield from _spelled("/wor?", note("/wor?"), _WORK)
    yield from _spelled("/[w]ork", note("/[w]ork"), _WORK)
    yield from _spelled("/{work,other}", note("/{work,other}"), _WORK, note("/other"))


@grants(
    "grant-like-regex",
    group="grant-as-pattern",
    cwe="CWE-185",
    surfaces=_BOTH,
    needs="matches the grant as a regular expression without quoting it",
)
def grant_like_regex() -> Iterator[Scenario]:
    """Grant folders whose names hold operators, and name what the expressions would match."""
    yield from _spelled("/work.d", note("/work.d"), note("/workxd"))
    yield from _spelled("/w.rk", note("/w.rk"), _WORK)
    yield from _spelled("/work+", note("/work+"), _WORK)
    yield from _spelled("/work|/etc", note("/work|/etc"), _ETC, _WORK)
    yield from _spelled("/(work)", note("/(work)"), _WORK)
    yield from _spelled("/work$", note("/work$"), _WORK)


@grants(
    "grant-like-list",
    group="grant-as-list",
    cwe="CWE-140",
    needs="splits the grant on a separator of lists",
)
def grant_like_list() -> Iterator[Scenario]:
    """Grant one folder whose name holds a separator, and name what either half would be."""
    for mark in ",:;":
        root = f"/work{mark}/etc"
        yield from _beside(root, _ETC, _WORK)


@grants(
    "grant-like-variable",
    group="grant-expanded",
    cwe="CWE-74",
    needs="expands the grant, decodes it or takes backslashes in it for slashes",
)
def grant_like_variable() -> Iterator[Scenario]:
    r"""Grant folders called like ``~``, ``$HOME``, ``%77ork`` and ``work\sub``."""
    yield from _beside("/~", _WORK, "/root/note.txt")
    yield from _beside("/$HOME", _ETC, "/root/note.txt")
    yield from _beside("/%77ork", _WORK)
    yield from _beside("/work/%2e%2e", _WORK, _ETC)
    yield from _beside("/work\\sub", note("/work/sub"), _WORK)
    yield from _beside("/work\\", _WORK)


@grants(
    "grant-with-blank",
    group="grant-trimmed",
    cwe="CWE-46",
    needs="trims the grant",
)
def grant_with_blank() -> Iterator[Scenario]:
    """Grant a folder whose name ends with a blank, and name the one without it."""
    yield from _beside("/work ", _WORK)


@grants(
    "grant-case-twin",
    group="case",
    cwe="CWE-178",
    surfaces=_BOTH,
    needs="compares without regard to case, or folds one side",
)
def grant_case_twin() -> Iterator[Scenario]:
    """Grant a folder in one case and name its twins in others."""
    yield from _spelled("/Work", note("/Work"), _WORK, note("/WORK"))
    yield from _spelled("/WORK", note("/WORK"), _WORK)


@grants(
    "grant-unicode-twin",
    group="normalisation",
    cwe="CWE-176",
    needs="normalises the grant or the path, and not both or neither",
)
def grant_unicode_twin() -> Iterator[Scenario]:
    """Grant a folder in one form of Unicode and name its twin in another."""
    yield from _beside("/caf\u00e9", note("/cafe\u0301"))
    yield from _beside("/cafe\u0301", note("/caf\u00e9"))
    for twin in ("/\uff57ork", "/wo\u200brk"):
        yield from _beside(twin, _WORK)


@grants(
    "grant-twice",
    group=_GROUP,
    cwe="CWE-863",
    needs="drops, merges or confuses entries that mean the same",
)
def grant_twice() -> Iterator[Scenario]:
    """Write one grant twice, in one spelling and in two."""
    for roots in (("/work", "/work"), ("/work", "/work/"), ("/work/", "//work/.")):
        yield tried(roots, _ETC, [_WORK])
