"""MCP servers that touch nothing outside of ``root``: ``NAME(root)``, a process each."""

import os
from contextlib import ExitStack
from pathlib import Path

from capfuzz.attacks.case import Surface
from capfuzz.targets.right.path import segments, settled
from capfuzz.targets.right.registry import right
from capfuzz.targets.right.speaking import speak

_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


@right(Surface.MCP, "realpath and commonpath")
def mcp_realpath(root: str) -> None:
    """Read and write where the real place is below the root."""
    base = os.path.realpath(root)

    def place(path: str) -> Path:
        real = settled(base, path)
        if os.path.commonpath([base, real]) != base:
            raise PermissionError("outside")
        return Path(real)

    speak(lambda path: place(path).read_text(), lambda path, text: _write(place(path), text))


@right(Surface.MCP, "pathlib, no link on the way")
def mcp_without_links(root: str) -> None:
    """Take plain names below the root, absolute or not, and no links."""
    base = Path(root).resolve()

    def place(path: str) -> Path:
        asked = Path(path)
        names = segments(str(asked.relative_to(base) if asked.is_absolute() else asked))
        found = base.joinpath(*names)
        if found.resolve() != found:
            raise PermissionError("a link")
        return found

    speak(lambda path: place(path).read_text(), lambda path, text: _write(place(path), text))


@right(Surface.MCP, "descriptors, each step opened from the last")
def mcp_descriptors(root: str) -> None:
    """Open segment by segment with ``O_NOFOLLOW``."""
    base = os.path.realpath(root)

    def opened(stack: ExitStack, path: str, flags: int) -> int:
        rest = os.path.relpath(path, base) if path.startswith(base + "/") else path
        *folders, leaf = segments(rest)
        at = os.open(base, os.O_RDONLY | os.O_DIRECTORY)
        stack.callback(os.close, at)
        for name in folders:
            at = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            stack.callback(os.close, at)
        return os.open(leaf, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644, dir_fd=at)

    def read(path: str) -> str:
        with ExitStack() as stack, os.fdopen(opened(stack, path, os.O_RDONLY), "rb") as file:
            return file.read().decode()

    def write(path: str, text: str) -> None:
        with ExitStack() as stack, os.fdopen(opened(stack, path, _NEW), "wb") as file:
            file.write(text.encode())

    speak(read, write)


def _write(place: Path, text: str) -> None:
    place.write_text(text)
