"""HTTP servers that let nothing out of ``root``: ``NAME(root, prefix, listener)``, a process each."""

import os
import socket
import stat
from contextlib import ExitStack
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from capfuzz.attacks.case import Surface
from capfuzz.targets.right.path import segments, settled
from capfuzz.targets.right.registry import right
from capfuzz.targets.right.serving import follows_links, path_of, rest_of, serve, serve_with

PRIVATE = "admin"  # below the root; kept back by the servers that say so


@right(Surface.HTTP, "decodes once, then realpath and commonpath")
def realpath_once_decoded(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve what the decoded rest leads to, if that is below the root."""

    def answer(target: str) -> bytes | None:
        place = settled(root, "./" + unquote(rest_of(target, prefix)))
        inside = os.path.commonpath([os.path.realpath(root), place]) == os.path.realpath(root)
        return Path(place).read_bytes() if inside else None

    serve(listener, answer)


@right(Surface.HTTP, "splits, decodes each segment, refuses .. and separators in one")
def segment_by_segment_decoded(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve a file whose segments are plain names, links left out."""

    def answer(target: str) -> bytes | None:
        place = Path(root).resolve()
        for name in map(unquote, rest_of(target, prefix).split("/")):
            if name in {"", ".", ".."} or "/" in name or "\\" in name:
                return None
            place /= name
        return place.read_bytes() if place.resolve() == place else None

    serve(listener, answer)


@right(Surface.HTTP, "the standard library's handler for a folder", not_promised=("links",))
@follows_links
def library_handler(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve with ``SimpleHTTPRequestHandler``, which is documented to follow links."""

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, directory=root, **options)

        def do_GET(self) -> None:
            if not path_of(self.path).startswith(prefix):
                self.send_error(404)
                return
            self.path = "/" + self.path[self.path.index(prefix) + len(prefix) :]
            super().do_GET()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Print nothing."""

    serve_with(listener, Handler)


@right(Surface.HTTP, "opens segment by segment with O_NOFOLLOW")
def opens_beneath(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve a regular file that is opened step by step from the root."""

    def answer(target: str) -> bytes | None:
        *folders, leaf = segments(unquote(rest_of(target, prefix))) or [""]
        with ExitStack() as opened:
            at = _opened(opened, root, os.O_DIRECTORY, None)
            for name in folders:
                at = _opened(opened, name, os.O_DIRECTORY | os.O_NOFOLLOW, at)
            file = _opened(opened, leaf, os.O_NOFOLLOW | os.O_NONBLOCK, at)
            if not stat.S_ISREG(os.fstat(file).st_mode):
                return None
            return os.read(file, os.fstat(file).st_size)

    serve(listener, answer)


def _opened(opened: ExitStack, name: str, flags: int, at: int | None) -> int:
    descriptor = os.open(name, os.O_RDONLY | flags, dir_fd=at)
    opened.callback(os.close, descriptor)
    return descriptor


@right(Surface.HTTP, "a table of the files that are there, made at each request")
def table_of_files(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve a file whose decoded path is one of those that a walk from the root finds."""

    def answer(target: str) -> bytes | None:
        known = {
            prefix + os.path.relpath(os.path.join(folder, name), root): os.path.join(folder, name)
            for folder, _, names in os.walk(root)
            for name in names
        }
        place = known.get(unquote(path_of(target)))
        return None if place is None or os.path.islink(place) else Path(place).read_bytes()

    serve(listener, answer)


@right(Surface.HTTP, "judges the text, then each name on the way by lstat")
def no_link_on_the_way(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve a file below the root to which no link leads, as nginx with ``disable_symlinks``."""

    def answer(target: str) -> bytes | None:
        place = Path(root)
        for name in segments(unquote(rest_of(target, prefix))):
            place /= name
            if place.is_symlink():
                return None
        return place.read_bytes()

    serve(listener, answer)


@right(Surface.HTTP, "a private folder, kept back by its real place")
def keeps_private_back(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve what is below the root, but not what is below its private folder."""

    def answer(target: str) -> bytes | None:
        base = os.path.realpath(root)
        place = settled(base, "./" + unquote(rest_of(target, prefix)))
        private = os.path.join(base, PRIVATE)
        if os.path.commonpath([base, place]) != base or Path(place).is_relative_to(private):
            return None
        return Path(place).read_bytes()

    serve(listener, answer)


keeps_private_back.__dict__["private"] = PRIVATE  # what the suite asks for
