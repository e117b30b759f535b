"""MCP servers with one fault each: ``NAME(root)``, a process each."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from capfuzz.attacks.case import Surface
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.mcp import acts_at
from capfuzz.targets.right.path import settled
from capfuzz.targets.right.speaking import Act, speak

Place = Callable[[str], str]


def _speak(reading: Place, writing: Place) -> None:
    speak(
        read_file=_acts(reading)["read_file"],
        write_file=_acts(writing)["write_file"],
    )


def _acts(place: Place) -> dict[str, Act]:
    return acts_at(lambda path: Path(place(path)))


def _speak_but(root: str, **acts: Act) -> None:
    """Judge the place at every usual tool, but have these act as they are given."""
    speak(**{**_acts(_judged(root)), **acts})


def _judged(root: str) -> Place:
    """Return what answers with the real place of a path; raises for one that is not below root."""
    base = os.path.realpath(root)

    def place(path: str) -> str:
        real = settled(base, path)
        if not (real + "/").startswith(base + "/"):
            raise PermissionError("outside")
        return real

    return place


def _begun(root: str) -> Place:
    """Return what answers with the real place of a path; raises where it begins otherwise."""
    base = os.path.realpath(root)

    def place(path: str) -> str:
        real = settled(base, path)
        if not real.startswith(base):
            raise PermissionError("outside")
        return real

    return place


def _as_text(root: str) -> Place:
    """Return what judges the collapsed text alone, and answers with it."""
    base = os.path.realpath(root)

    def place(path: str) -> str:
        whole = os.path.normpath(os.path.join(base, path))
        if not (whole + "/").startswith(base + "/"):
            raise PermissionError("outside")
        return whole

    return place


@fault(Surface.MCP, "confined", modelled_on="CVE-2025-53110")
def mcp_prefix_without_boundary(root: str) -> None:
    """
    Compare real places as text, so that ``root-evil`` passes for ``root``.

    CVE-2025-53110, the file system server of MCP. CWE-187.
    """
    _speak(_begun(root), _begun(root))


@fault(Surface.MCP, "confined", modelled_on="CVE-2025-53109")
def mcp_parent_of_refused(root: str) -> None:
    """
    Judge the folder above where the real place is refused, as if the file were a new one.

    CVE-2025-53109, the file system server of MCP: the catch block of its check. CWE-59.
    """
    base, judged = os.path.realpath(root), _judged(root)

    def place(path: str) -> str:
        try:
            return judged(path)
        except PermissionError:
            whole = os.path.normpath(os.path.join(base, path))
            return f"{judged(os.path.dirname(whole))}/{os.path.basename(whole)}"

    _speak(place, place)


@fault(Surface.MCP, "confined", modelled_on="CWE-59, links followed")
def mcp_links_followed(root: str) -> None:
    """Judge the collapsed text, and open whatever stands there. CWE-59."""
    _speak(_as_text(root), _as_text(root))


@fault(Surface.MCP, "confined", modelled_on="CWE-862, one door without a guard")
def mcp_writes_unjudged(root: str) -> None:
    """Judge what is read, and not what is written. CWE-862."""
    base = os.path.realpath(root)
    _speak(_judged(root), lambda path: os.path.join(base, path))


@fault(Surface.MCP, "confined", modelled_on="CWE-862, one door without a guard")
def mcp_reads_unjudged(root: str) -> None:
    """Judge what is written, and not what is read. CWE-862."""
    base = os.path.realpath(root)
    _speak(lambda path: os.path.join(base, path), _judged(root))


@fault(Surface.MCP, "confined", modelled_on="CWE-180, a URI decoded after the check")
def mcp_decodes_after_check(root: str) -> None:
    """Judge the text, and open what it decodes to, as a ``file:`` URI is read. CWE-180."""
    base, judged = os.path.realpath(root), _judged(root)

    def place(path: str) -> str:
        judged(path)
        return os.path.join(base, unquote(path))

    _speak(place, place)


@fault(Surface.MCP, "confined", modelled_on="CWE-706, a URI where a path is meant")
def mcp_uri_unjudged(root: str) -> None:
    """Open the path of a ``file:`` URI, which as a path is a name below the root. CWE-706."""
    judged = _judged(root)

    def place(path: str) -> str:
        judged(path)
        return urlsplit(path).path if path.lower().startswith("file:") else judged(path)

    _speak(place, place)


@fault(Surface.MCP, "confined", modelled_on="CVE-2018-1002204")
def mcp_joins_alone(root: str) -> None:
    """Refuse absolute paths, join and trust: ``../x``. CWE-22."""
    base = os.path.realpath(root)

    def place(path: str) -> str:
        rest = path.removeprefix(base + "/")
        if rest.startswith("/"):
            raise PermissionError("outside")
        return f"{base}/{rest}"

    _speak(place, place)


@fault(Surface.MCP, "fail-closed", modelled_on="CWE-248, an error that ends the server")
def mcp_ends_at_nul(root: str) -> None:
    r"""End where a path cannot be opened: a ``\0`` in it. CWE-248."""
    judged = _judged(root)

    def place(path: str) -> str:
        if "\0" in path:
            os._exit(1)
        return judged(path)

    _speak(place, place)


@fault(Surface.MCP, "confined", modelled_on="CVE-2025-53110", style="list")
def mcp_list_prefix_without_boundary(root: str) -> None:
    """List whatever begins like the root; every other door is right. CVE-2025-53110, CWE-187."""
    _speak_but(root, list_directory=_acts(_begun(root))["list_directory"])


@fault(Surface.MCP, "confined", modelled_on="CVE-2025-53109", style="list")
def mcp_list_through_links(root: str) -> None:
    """Judge the text of what is listed, and list what a link leads to. CVE-2025-53109, CWE-59."""
    _speak_but(root, list_directory=_acts(_as_text(root))["list_directory"])


@fault(Surface.MCP, "confined", modelled_on="CWE-61, a link taken for a folder", style="tree")
def mcp_tree_through_links(root: str) -> None:
    """Judge where a tree begins, and go through the links in it. CWE-61."""
    judged = _judged(root)

    def tree(path: str) -> str:
        entries = [*Path(judged(path)).iterdir()]
        below = [name for one in entries if one.is_dir() for name in os.listdir(one)]
        return "\n".join([one.name for one in entries] + below)

    _speak_but(root, directory_tree=tree)


@fault(Surface.MCP, "confined", modelled_on="CWE-862, one door without a guard", style="list alone")
def mcp_lists_above(root: str) -> None:
    """List and nothing else, and take the text of a path as it comes. CWE-22."""
    base = os.path.realpath(root)
    speak(list_directory=_acts(lambda path: os.path.join(base, path))["list_directory"])


@fault(Surface.MCP, "confined", modelled_on="CWE-862, one operand without a guard", style="move")
def mcp_move_destination_unjudged(root: str) -> None:
    """Judge what is moved, and not where to. CWE-862."""
    base, judged = os.path.realpath(root), _judged(root)

    def move(source: str, destination: str) -> None:
        os.rename(judged(source), os.path.join(base, destination))

    _speak_but(root, move_file=move)


@fault(Surface.MCP, "confined", modelled_on="CVE-2026-27735", style="copy")
def mcp_copy_source_unjudged(root: str) -> None:
    """
    Judge where a copy goes, and not what is copied, so that it can be read inside afterwards.

    CVE-2026-27735, the git server of MCP, which staged files from outside. CWE-22.
    """
    base, judged = os.path.realpath(root), _judged(root)

    def copy(source: str, destination: str) -> None:
        shutil.copyfile(os.path.join(base, source), judged(destination))

    _speak_but(root, copy_file=copy)


@fault(Surface.MCP, "confined", modelled_on="CWE-862, one door without a guard", style="edit")
def mcp_append_unjudged(root: str) -> None:
    """Judge every tool but the one that appends. CWE-862."""
    base = os.path.realpath(root)
    _speak_but(root, append_file=_acts(lambda path: os.path.join(base, path))["append_file"])


@fault(Surface.MCP, "confined", modelled_on="CVE-2025-68143", style="folders")
def mcp_folders_unjudged(root: str) -> None:
    """
    Make folders wherever they are asked for.

    CVE-2025-68143, the git server of MCP, which made repositories anywhere. CWE-22.
    """
    base = os.path.realpath(root)

    def make(path: str) -> None:
        os.makedirs(os.path.join(base, path))

    _speak_but(root, create_directory=make)


@fault(Surface.MCP, "confined", modelled_on="CVE-2025-53110", style="delete")
def mcp_delete_prefix_without_boundary(root: str) -> None:
    """Delete whatever begins like the root. CVE-2025-53110, CWE-187."""
    _speak_but(root, delete_file=_acts(_begun(root))["delete_file"])
