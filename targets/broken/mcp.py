"""MCP servers with one fault each: ``NAME(root)``, a process each."""

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from capfuzz.attacks.case import Surface
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.path import settled
from capfuzz.targets.right.speaking import speak

Place = Callable[[str], str]


def _speak(reading: Place, writing: Place) -> None:
    speak(
        lambda path: Path(reading(path)).read_text(),
        lambda path, text: _write(Path(writing(path)), text),
    )


def _write(place: Path, text: str) -> None:
    place.write_text(text)


def _judged(root: str) -> Place:
    """Return what answers with the real place of a path; raises for one that is not below root."""
    base = os.path.realpath(root)

    def place(path: str) -> str:
        real = settled(base, path)
        if not (real + "/").startswith(base + "/"):
            raise PermissionError("outside")
        return real

    return place


@fault(Surface.MCP, "confined", modelled_on="CVE-2025-53110")
def mcp_prefix_without_boundary(root: str) -> None:
    """
    Compare real places as text, so that ``root-evil`` passes for ``root``.

    CVE-2025-53110, the file system server of MCP. CWE-187.
    """
    base = os.path.realpath(root)

    def place(path: str) -> str:
        real = settled(base, path)
        if not real.startswith(base):
            raise PermissionError("outside")
        return real

    _speak(place, place)


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
    base = os.path.realpath(root)

    def place(path: str) -> str:
        whole = os.path.normpath(os.path.join(base, path))
        if not whole.startswith(base + "/"):
            raise PermissionError("outside")
        return whole

    _speak(place, place)


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
