"""The world that path targets are tried in."""

from capfuzz.attacks.case import Case, WorldSpec
from capfuzz.engine import Capabilities

FILES = {
    "/work/data.txt": b"honest data",
    "/work/sub/file.txt": b"honest file",
    "/workshop/secret.txt": b"secret of the shop",
    "/etc/passwd": b"secret of etc",
    "/x": b"ab",
}
LINKS = {"/work/door": "/etc/passwd", "/work/alias": "sub/file.txt", "/work/loop": "loop"}
HONEST = "/work/data.txt"
CLIMB = "/work/../etc/passwd"


def case(*paths, links=None, root="/work/", files=FILES):
    """Return a case that reads ``paths`` under a grant of ``root``."""
    ops = tuple(("fs_read", path) for path in paths)
    return Case(Capabilities(fs_read=(root,)), WorldSpec(files, links or {}), ops, (), "test")
