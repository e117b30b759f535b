"""Faults of order: the effect comes before the check."""

from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Session, World


class _WriteFirst(Session):
    def fs_write(self, path: str, data: str | bytes) -> Any:
        raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
        self.perform("fs_write", self.world.vfs.write, path, raw)
        self.writable.locate(path)


@fault(
    Surface.SESSION,
    "no-effect-on-denial",
    "confined",
    modelled_on="CWE-696, truncating open",
    style="session",
)
def write_before_check(caps: Capabilities, world: World) -> Session:
    """
    Open the file for writing, and judge the path only then.

    Tools that open with truncation and check the descriptor afterwards. CWE-696.
    """
    return _WriteFirst(caps, world)


class _ReadFirst(Session):
    def fs_read(self, path: str) -> Any:
        content = self.perform("fs_read", self.world.vfs.read, path)
        self.readable.locate(path)
        return content


@fault(
    Surface.SESSION,
    "no-existence-leak",
    "confined",
    modelled_on="CWE-696, read then filter",
    style="session",
)
def read_before_check(caps: Capabilities, world: World) -> Session:
    """
    Read the file, and throw its content away where the path turns out to be forbidden.

    A forbidden file that is missing then reads unlike one that is there. CWE-696, CWE-203.
    """
    return _ReadFirst(caps, world)


class _FetchFirst(Session):
    def net_fetch(self, host: str, path: str) -> Any:
        answer = self.perform("net_fetch", self.world.net.fetch, host, path)
        self.hosts.admit(host)
        return answer


@fault(
    Surface.SESSION,
    "no-effect-on-denial",
    "confined",
    modelled_on="CWE-696, early request",
    style="session",
)
def fetch_before_check(caps: Capabilities, world: World) -> Session:
    """
    Send the request before the host is judged, so that what it carries is out.

    Pre-flight requests (robots, HEAD, a name look-up) through the unguarded client. CWE-696.
    """
    return _FetchFirst(caps, world)


class _ToolFirst(Session):
    def tool(self, name: str, *args: object) -> Any:
        answer = self.perform("tool", self.call, name, *args)
        self.tools.admit(name)
        return answer


@fault(
    Surface.SESSION,
    "no-effect-on-denial",
    "confined",
    modelled_on="CWE-696, filtered results",
    style="session",
)
def tool_before_check(caps: Capabilities, world: World) -> Session:
    """
    Run the tool, and let the allow-list filter its result.

    CWE-696, incorrect behaviour order.
    """
    return _ToolFirst(caps, world)
