"""What a technique of kind ARCHIVE yields, and the words to write one with."""

from dataclasses import dataclass

from capfuzz.attacks.techniques.registry import Kind, techniques_for

Member = tuple[object, ...]

# The folder to unpack into, and secrets above it, beside it and far away.
JAIL, ROOT = "/cf-jail", "/cf-jail/drop"
ABOVE = f"{JAIL}/secret.txt"
TOP = "/cf-secret.txt"
BESIDE = f"{ROOT}-evil/secret.txt"
FAR = "/cf-vault/secret.txt"
MINE = "mine"

TAR, ZIP, BOTH = ("tar",), ("zip",), ("tar", "zip")


def file(name: str, content: str = MINE, **options: object) -> Member:
    """Return a file."""
    return ("file", name, content, *options.items())


def folder(name: str, **options: object) -> Member:
    """Return a folder."""
    return ("dir", name, "", *options.items())


def link(name: str, target: str, **options: object) -> Member:
    """Return a symbolic link."""
    return ("link", name, target, *options.items())


def hard(name: str, target: str, **options: object) -> Member:
    """Return a hard link; its target is a name in the archive."""
    return ("hardlink", name, target, *options.items())


@dataclass(frozen=True, slots=True)
class Packed:
    """
    An archive: its members in order, and what they hint at.

    ``formats``: those that can hold it. ``honest``: the members of its benign twin.
    """

    members: tuple[Member, ...]
    means: str
    formats: tuple[str, ...] = TAR
    honest: tuple[Member, ...] = ()
    comment: str = ""


archive = techniques_for(Kind.ARCHIVE, "archive")
