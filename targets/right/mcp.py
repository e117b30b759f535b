"""MCP servers that touch nothing outside of ``root``: ``NAME(root)``, a process each."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from capfuzz.attacks.case import Surface
from capfuzz.targets.right.path import segments, settled
from capfuzz.targets.right.registry import right
from capfuzz.targets.right.speaking import Act, speak

_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


@right(Surface.MCP, "realpath and commonpath")
def mcp_realpath(root: str) -> None:
    """Work on whatever has its real place below the root."""
    base = os.path.realpath(root)

    def place(path: str) -> Path:
        real = settled(base, path)
        if os.path.commonpath([base, real]) != base:
            raise PermissionError("outside")
        return Path(real)

    speak(**acts_at(place))


@right(Surface.MCP, "pathlib, no link on the way")
def mcp_without_links(root: str) -> None:
    """Take plain names below the root, absolute or not, and no links."""
    speak(**acts_at(_unlinked(Path(root).resolve())))


@right(Surface.MCP, "descriptors, each step opened from the last")
def mcp_descriptors(root: str) -> None:
    """Open segment by segment with ``O_NOFOLLOW``, and name the last one in what was opened."""
    base = os.path.realpath(root)

    @contextmanager
    def above(path: str) -> Iterator[tuple[int, str]]:
        rest = os.path.relpath(path, base) if path.startswith(base + "/") else path
        *folders, leaf = segments(rest)
        with ExitStack() as stack:
            at = os.open(base, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, at)
            for name in folders:
                at = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                stack.callback(os.close, at)
            yield at, leaf

    def opened(path: str, flags: int) -> int:
        with above(path) as (at, leaf):
            return os.open(leaf, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644, dir_fd=at)

    def read(path: str) -> str:
        with os.fdopen(opened(path, os.O_RDONLY), "rb") as file:
            return file.read().decode()

    def write(path: str, text: str) -> None:
        with os.fdopen(opened(path, _NEW), "wb") as file:
            file.write(text.encode())

    def listed(path: str) -> str:
        folder = os.open(base, os.O_RDONLY) if path == base else opened(path, os.O_DIRECTORY)
        try:
            return "\n".join(os.listdir(folder))
        finally:
            os.close(folder)

    def move(source: str, destination: str) -> None:
        with above(source) as (at, name), above(destination) as (to, new):
            os.rename(name, new, src_dir_fd=at, dst_dir_fd=to)

    speak(read_file=read, write_file=write, list_directory=listed, move_file=move)


@right(Surface.MCP, "trees and copies, links as links")
def mcp_trees(root: str) -> None:
    """List whole trees without a look behind links, and copy what is no link."""
    base = Path(root).resolve()
    place = _unlinked(base)

    def tree(path: str) -> str:
        return "\n".join(str(one) for one in _below(base if path == str(base) else place(path)))

    def copy(source: str, destination: str) -> None:
        shutil.copyfile(place(source), place(destination))

    speak(read_file=lambda path: place(path).read_text(), directory_tree=tree, copy_file=copy)


@right(Surface.MCP, "a list and nothing else")
def mcp_lists_alone(root: str) -> None:
    """Tell the names in a folder whose real place is below the root."""
    base = Path(root).resolve()

    def listed(path: str) -> str:
        real = Path(settled(str(base), path))
        if not real.is_relative_to(base):
            raise PermissionError("outside")
        return "\n".join(one.name for one in real.iterdir())

    speak(list_directory=listed)


def acts_at(place: Callable[[str], Path]) -> dict[str, Act]:
    """Return what the usual tools do, each where ``place`` says."""
    return {
        "read_file": lambda path: place(path).read_text(),
        "write_file": lambda path, text: _written(place(path), text, "w"),
        "append_file": lambda path, text: _written(place(path), text, "a"),
        "list_directory": lambda path: "\n".join(os.listdir(place(path))),
        "create_directory": lambda path: place(path).mkdir(),
        "delete_file": lambda path: place(path).unlink(),
        "move_file": lambda source, to: os.rename(place(source), place(to)),
    }


def _written(place: Path, text: str, mode: str) -> None:
    with place.open(mode) as file:
        file.write(text)


def _unlinked(base: Path) -> Callable[[str], Path]:
    def place(path: str) -> Path:
        asked = Path(path)
        names = segments(str(asked.relative_to(base) if asked.is_absolute() else asked))
        found = base.joinpath(*names)
        if found.resolve() != found:
            raise PermissionError("a link")
        return found

    return place


def _below(folder: Path) -> Iterator[Path]:
    for one in folder.iterdir():
        yield one
        if one.is_dir() and not one.is_symlink():
            yield from _below(one)
