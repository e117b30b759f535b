"""Path targets with one fault each: ``NAME(root, path)``."""

import errno
import os
import re
from itertools import accumulate
from pathlib import Path
from posixpath import commonprefix
from unicodedata import normalize
from urllib.parse import unquote

from capfuzz.attacks.case import Surface
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.path import settled


def _has_link(base: str, path: str) -> bool:
    steps = accumulate(path.split("/"), lambda at, name: f"{at}/{name}", initial=base)
    return any(map(os.path.islink, list(steps)[1:]))


def _plain(base: str, path: str) -> str:
    """Return ``path`` as it stands; raises for an absolute one, ``..`` as a segment or a link."""
    if path.startswith("/") or ".." in path.split("/") or _has_link(base, path):
        raise PermissionError("refused")
    return path


def _below(base: str, place: str) -> bool:
    return (place + "/").startswith(base + "/")


def _read(base: str, place: str) -> bytes:
    """Return the content of a place that is judged as text; raises for one outside."""
    if not _below(base, place):
        raise PermissionError("refused")
    return Path(place).read_bytes()


@fault(Surface.PATH, "confined", modelled_on="CVE-2018-1002204", style="join of text")
def no_check(root: str, path: str) -> str:
    """
    Join and trust.

    CVE-2018-1002204, adm-zip; CVE-2021-3281, django.
    """
    return f"{root}/{path}"


@fault(Surface.PATH, "confined", modelled_on="CVE-2025-53110")
def prefix_without_boundary(root: str, path: str) -> str | None:
    """
    Compare real places as text, so that ``root-evil`` passes for ``root``.

    CVE-2025-53110, the MCP file system server; CVE-2025-59343, tar-fs.
    """
    base = os.path.realpath(root)
    place = settled(base, path)
    return place if place.startswith(base) else None


@fault(Surface.PATH, "confined", modelled_on="CVE-2023-29159")
def common_prefix_of_characters(root: str, path: str) -> str | None:
    """
    Take ``commonprefix``, which compares characters, for ``commonpath``.

    CVE-2023-29159, starlette; CVE-2026-1703, pip.
    """
    base = os.path.realpath(root)
    place = settled(base, path)
    return place if commonprefix([base, place]) == base else None


@fault(Surface.PATH, "confined", "alias-denied", modelled_on="CVE-2025-53110")
def yes_no_prefix(root: str, path: str) -> bool:
    """Answer yes or no by the same comparison of text. CVE-2025-53110."""
    base = os.path.realpath(root)
    return settled(base, path).startswith(base)


@fault(Surface.PATH, "confined", modelled_on="CVE-2023-30584", style="segments")
def dotdot_only_at_start(root: str, path: str) -> str:
    """
    Refuse a path that starts with ``..`` or ``/``, and look no further.

    CVE-2023-30584, the permission model of Node.js 20.
    """
    if path.partition("/")[0] in {"", ".."} or _has_link(root, path):
        raise PermissionError("refused")
    return f"{root}/{path}"


@fault(Surface.PATH, "confined", modelled_on="CVE-2025-47273", style="join of text")
def absolute_replaces_base(root: str, path: str) -> str:
    """
    Refuse ``..`` and join: an absolute path throws the root away.

    CVE-2025-47273, setuptools. CWE-36.
    """
    _plain(root, path.lstrip("/"))
    return os.path.join(root, path)


@fault(Surface.PATH, "confined", modelled_on="CWE-182", style="join of text")
def strip_once_dotdot(root: str, path: str) -> str:
    """Remove ``../`` once: ``....//`` becomes what was removed. CWE-182."""
    stripped = path.replace("../", "")
    if _has_link(root, stripped):
        raise PermissionError("refused")
    return f"{root}/{stripped}"


@fault(Surface.PATH, "confined", modelled_on="CVE-2014-3744", style="segments")
def decode_after_check(root: str, path: str) -> str:
    """
    Judge the text and open what it decodes to: ``%2e%2e/``.

    CVE-2014-3744, st. CWE-180.
    """
    return f"{root}/{unquote(_plain(root, path))}"


@fault(Surface.PATH, "confined", modelled_on="CVE-2001-0333", style="segments")
def double_decode_after_check(root: str, path: str) -> str:
    """
    Decode before the check and once more after it: ``%252e%252e/``.

    CVE-2001-0333, IIS. CWE-174.
    """
    return f"{root}/{unquote(_plain(root, unquote(path)))}"


@fault(Surface.PATH, "confined", modelled_on="CWE-25 to CWE-28", style="segments")
def backslash_to_slash_after_check(root: str, path: str) -> str:
    r"""Turn ``\`` into ``/`` after the segments were judged. CWE-28."""
    return f"{root}/{_plain(root, path)}".replace("\\", "/")


@fault(Surface.PATH, "confined", modelled_on="CWE-176", style="segments")
def nfkc_after_check(root: str, path: str) -> str:
    """Normalise after the check, where U+2025 becomes ``..``. CWE-176."""
    return f"{root}/{normalize('NFKC', _plain(root, path))}"


@fault(Surface.PATH, "confined", modelled_on="CWE-182, controls removed", style="segments")
def controls_dropped_after_check(root: str, path: str) -> str:
    r"""Remove controls after the check, so that ``.\0.`` becomes ``..``. CWE-182."""
    kept = (char for char in _plain(root, path) if char >= " ")
    return f"{root}/{''.join(kept)}"


@fault(Surface.PATH, "confined", modelled_on="CVE-2006-7243", style="join of text")
def nul_truncates(root: str, path: str) -> str:
    r"""
    Judge the whole text and open it as a C string, which ends at the first NUL.

    ``../secret\0/../root/x`` normalises into the root. CVE-2006-7243, PHP. CWE-158.
    """
    base = os.path.realpath(root)
    place = os.path.join(base, path)
    if not os.path.normpath(place).startswith(base + "/") or _has_link(base, path):
        raise PermissionError("refused")
    return place.partition("\0")[0]


@fault(Surface.PATH, "confined", modelled_on="CVE-2025-55130", style="segments")
def links_followed(root: str, path: str) -> bytes:
    """
    Judge the text, then open it and follow whatever is there; returns the content.

    CVE-2025-55130, the permission model of Node.js; CVE-2025-48387, tar-fs. CWE-59.
    """
    if path.startswith("/") or ".." in path.split("/"):
        raise PermissionError("refused")
    return Path(root, path).read_bytes()


@fault(Surface.PATH, "confined", modelled_on="CVE-2025-53109")
def parent_of_missing(root: str, path: str) -> bytes:
    """
    Judge only the folder where the real place is refused, as if the file were a new one.

    CVE-2025-53109, the MCP file system server: the catch block of its check.
    """
    base = os.path.realpath(root)
    place = settled(base, path)
    if not _below(base, place):
        place = os.path.join(settled(base, os.path.dirname(path)), os.path.basename(path))
    return _read(base, place)


@fault(Surface.PATH, "confined", modelled_on="CVE-2025-4517")
def loop_ends_resolution(root: str, path: str) -> bytes:
    """
    Collapse the text where links cannot be resolved: ``loop/../link`` hides ``link``.

    ``os.path.realpath`` itself does so up to Python 3.12, and did past PATH_MAX (CVE-2025-4517).
    """
    base = os.path.realpath(root)
    try:
        place = os.path.realpath(f"{base}/{path}", strict=True)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        place = os.path.normpath(f"{base}/{path}")
    return _read(base, place)


@fault(Surface.PATH, "control-allowed", modelled_on="a substring test on two dots")
def refuses_dots_in_names(root: str, path: str) -> str | None:
    """Search the whole path for two dots, and refuse ``backup..2024.json``."""
    base = os.path.realpath(root)
    place = settled(base, path)
    return place if ".." not in path and _below(base, place) else None


def _joined(root: str, path: str) -> str:
    """Return the collapsed join; raises for an absolute path or a link, and for nothing else."""
    if path.startswith("/") or _has_link(root, path):
        raise PermissionError("refused")
    return os.path.normpath(f"{root}/{path}")


@fault(Surface.PATH, "confined", modelled_on="CWE-185, a dot that ends at a line", style="regex")
def climb_behind_newline(root: str, path: str) -> str:
    r"""
    Look for ``..`` with a pattern whose dot stops at a line end: ``a\n/../../secret``.

    CWE-185, incorrect regular expression.
    """
    if re.match(r"(?:.*/)?\.\.(?:/|$)", path):
        raise PermissionError("refused")
    return _joined(root, path)


@fault(Surface.PATH, "confined", modelled_on="CWE-46, blanks removed", style="segments")
def segments_stripped_after_check(root: str, path: str) -> str:
    """Remove the blanks around each segment after it was judged: ``.. /`` becomes ``../``."""
    names = [name.strip(" ") for name in _plain(root, path).split("/")]
    return f"{root}/{'/'.join(names)}"


def _steps(names: list[str]) -> list[int]:
    """Return the depth below the root after each of the names."""
    return list(accumulate(-1 if name == ".." else 1 for name in names))


@fault(Surface.PATH, "confined", modelled_on="CWE-23, depth as it is at the end", style="segments")
def depth_judged_at_end(root: str, path: str) -> str:
    """Count the depth and look at it once: ``../other/x`` is two down and one up. CWE-23."""
    if _steps([name for name in path.split("/") if name not in {"", "."}])[-1:] < [1]:
        raise PermissionError("refused")
    return _joined(root, path)


@fault(Surface.PATH, "confined", modelled_on="CVE-2017-14849", style="segments")
def dot_counts_as_depth(root: str, path: str) -> str:
    """
    Count ``.`` and nothing as one segment down, which one ``..`` may then climb: ``./../x``.

    CVE-2017-14849, Node.js 8.5, which miscounted what ``..`` takes away.
    """
    if min(_steps(path.split("/"))) < 0:
        raise PermissionError("refused")
    return _joined(root, path)


@fault(Surface.PATH, "confined", modelled_on="CWE-187, parts that look alike", style="pathlib")
def root_name_among_parts(root: str, path: str) -> str:
    """Look for the name of the root among the parts of the real place, wherever it is. CWE-187."""
    base = os.path.realpath(root)
    place = settled(base, path)
    if Path(base).name not in Path(place).parts:
        raise PermissionError("refused")
    return place
