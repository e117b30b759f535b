"""Mounts that lie below what is granted: a bind that may only be read leaves them as they are."""

import re
from collections.abc import Iterator
from pathlib import Path

from capfuzz.attacks.naive import within
from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import Layout, in_depth, standing

_TABLE = Path("/proc/self/mounts")
_ESCAPED = re.compile(r"\\([0-7]{3})")  # proc(5): blanks and backslashes, in octal


def mounted(grant: Capabilities, layout: Layout) -> Iterator[tuple[str, bool]]:
    """
    Yield all places that stand inside and the mounts below them, and whether each may be written.

    It is for systems whose read-only binds do not reach into other mounts: nsjail, podman and
    Docker before 25.
    """
    places = dict(standing(grant, layout))
    yield from places.items()
    for mount in in_depth(tuple(_mounts())):
        if mount not in places and within(mount, places):
            yield mount, within(mount, grant.fs_write)


def _mounts() -> Iterator[str]:
    for line in _TABLE.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        yield _ESCAPED.sub(lambda found: chr(int(found[1], 8)), line.split(" ")[1])
