"""
What people put before an agent's files and requests today, beside ours.

A `Peer` makes a function of the rules; that one takes a text and answers with a place or True, or
refuses with None or False, never with an exception. Each is called as its documentation shows.
What takes one root only is measured with one; what compares is asked in a loop over the roots, as
a user would.
"""

# ruff: noqa: PLC0415 - each peer is asked for only where it is installed

import importlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath

Ask = Callable[[str], object]


class Takes(StrEnum):
    """What a peer is handed of the same workload."""

    PATH = "the whole path"
    REST = "what follows the root"
    HOST = "the host"
    URL = "a URL"


@dataclass(frozen=True, slots=True)
class Peer:
    """
    One way to check.

    ``package`` and ``module`` are empty for the standard library. ``sizes``: the numbers of rules
    it is measured with. ``real``: it looks at the file system, so it also answers for links.
    ``linear``: each rule costs time, so fewer ops are timed with many.
    """

    name: str
    make: Callable[[Sequence[str]], Ask]
    takes: Takes
    package: str = ""
    module: str = ""
    sizes: tuple[int, ...] = (1, 10, 100, 1_000, 10_000)
    real: bool = False
    linear: bool = False


def available(peer: Peer) -> str:
    """Return why a peer cannot be measured here, or nothing."""
    if not peer.package:
        return ""
    try:
        version(peer.package)
        importlib.import_module(peer.module)
    except PackageNotFoundError:
        return f"{peer.package} is not installed"
    except Exception as error:  # noqa: BLE001 - a native library may fail in any way
        return f"{peer.module} cannot be imported: {type(error).__name__}: {error}"
    return ""


def edition(peer: Peer) -> str:
    """Return the name and version of what is measured."""
    return f"{peer.package} {version(peer.package)}" if peer.package else "standard library"


def werkzeug_join(roots: Sequence[str]) -> Ask:
    """`werkzeug.utils` serves files below one folder with this join; text only."""
    from werkzeug.security import safe_join

    (root,) = roots
    return lambda text: safe_join(root, text)


def django_join(roots: Sequence[str]) -> Ask:
    """Django's storage joins names to its one folder like this; text only."""
    from django.core.exceptions import SuspiciousFileOperation
    from django.utils._os import safe_join

    (root,) = roots

    def ask(text: str) -> object:
        try:
            return safe_join(root, text)
        except SuspiciousFileOperation:
            return None

    return ask


def realpath_commonpath(roots: Sequence[str]) -> Ask:
    """Do as many answers say: follow links, then compare segments."""
    bases = [os.path.realpath(root) for root in roots]

    def ask(text: str) -> object:
        try:
            place = os.path.realpath(text)
        except (OSError, ValueError):
            return None
        for base in bases:
            if os.path.commonpath([base, place]) == base:
                return place
        return None

    return ask


def pure_pathlib(roots: Sequence[str]) -> Ask:
    """`PurePath.is_relative_to`, which compares segments and leaves ``..`` where it stands."""
    bases = [PurePosixPath(root) for root in roots]

    def ask(text: str) -> object:
        place = PurePosixPath(text)
        return next((text for base in bases if place.is_relative_to(base)), None)

    return ask


def resolving_pathlib(roots: Sequence[str]) -> Ask:
    """`Path.resolve`, then ``is_relative_to``."""
    bases = [Path(root).resolve() for root in roots]

    def ask(text: str) -> object:
        try:
            place = Path(text).resolve()
        except (OSError, ValueError, RuntimeError):
            return None
        return next((place for base in bases if place.is_relative_to(base)), None)

    return ask


def starlette_lookup(roots: Sequence[str]) -> Ask:
    """`StaticFiles` looks a file up below its one folder; a missing file is refused, too."""
    from starlette.staticfiles import StaticFiles

    (root,) = roots
    files = StaticFiles(directory=root, check_dir=False)

    def ask(text: str) -> object:
        try:
            place, found = files.lookup_path(text)
        except (OSError, ValueError):
            return None
        return place if found is not None else None

    return ask


def fsspec_folder(roots: Sequence[str]) -> Ask:
    """`DirFileSystem` puts its one folder before every name; a missing file is granted, too."""
    from fsspec.implementations.dirfs import DirFileSystem
    from fsspec.implementations.local import LocalFileSystem

    (root,) = roots
    folder = DirFileSystem(path=root, fs=LocalFileSystem())

    def ask(text: str) -> object:
        try:
            return folder._join(text)  # noqa: SLF001 - what each of its operations does first
        except (OSError, ValueError):
            return None

    return ask


PATH_PEERS = (
    Peer("werkzeug safe_join", werkzeug_join, Takes.REST, "werkzeug", "werkzeug.security", (1,)),
    Peer("django safe_join", django_join, Takes.REST, "django", "django.utils._os", (1,)),
    Peer(
        "fsspec DirFileSystem",
        fsspec_folder,
        Takes.REST,
        "fsspec",
        "fsspec.implementations.dirfs",
        (1,),
    ),
    Peer("PurePosixPath.is_relative_to", pure_pathlib, Takes.PATH, linear=True),
    Peer("realpath + commonpath", realpath_commonpath, Takes.PATH, real=True, linear=True),
    Peer("Path.resolve + is_relative_to", resolving_pathlib, Takes.PATH, real=True, linear=True),
    Peer(
        "starlette lookup_path",
        starlette_lookup,
        Takes.REST,
        "starlette",
        "starlette.staticfiles",
        (1,),
        real=True,
    ),
)
