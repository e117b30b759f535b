"""The world of the engine's tests: what is granted stands beside what is not, and both exist."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from capfuzz.engine import VFS, Capabilities, Net, Result, Sandbox

GRANT = {
    "fs_read": ("/work/",),
    "fs_write": ("/work/out/",),
    "net_hosts": ("api.internal",),
    "allowed_tools": {"summarize"},
    "max_ops": 100,
    "max_output_bytes": 1_000,
    "max_wall": 1_000,
}


def _files() -> VFS:
    return VFS(
        {
            "/work/data.txt": b"ledger",
            "/work/out/old.txt": b"old",
            "/workshop/secret": b"blueprint",
            "/etc/passwd": b"root:x:0:0",
        }
    )


def _hosts() -> Net:
    return Net({"api.internal": {"/status": "ok"}, "evil.com": {"/steal?data=secrets": "taken"}})


@dataclass(slots=True)
class World:
    """Files, hosts and tools, with a log of every tool that really ran."""

    vfs: VFS = field(default_factory=_files)
    net: Net = field(default_factory=_hosts)
    called: list[tuple[Any, ...]] = field(default_factory=list)
    tools: dict[str, Callable[..., Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Offer a granted tool and one that is not granted; both exist."""
        self.tools.setdefault("summarize", lambda *args: self.called.append(("summarize", *args)))
        self.tools.setdefault("shell", lambda *args: self.called.append(("shell", *args)))

    def box(self, clock: Callable[[], int] | None = None, **changes: object) -> Sandbox:
        """Return a sandbox over this world, with the usual grant but for ``changes``."""
        caps = Capabilities(**{**GRANT, **changes})
        return Sandbox(caps, vfs=self.vfs, net=self.net, tools=self.tools, clock=clock)

    def state(self) -> tuple[object, ...]:
        """Return a copy of all that an op could have changed."""
        return self.vfs.snapshot(), list(self.net.calls), list(self.called)


@pytest.fixture
def world() -> World:
    """Return a fresh world."""
    return World()


@pytest.fixture(scope="session")
def make_world() -> type[World]:
    """Return the maker of worlds, for tests that need several."""
    return World


@pytest.fixture(scope="session")
def told() -> Callable[[Result], object]:
    """Return a reader of results: the output, the violation or the error, whichever it is."""

    def read(result: Result) -> object:
        if result.ok:
            assert Result(ok=True, output=result.output) == result
            return result.output
        assert [None, False] == [result.output, result.hard]
        return result.violation or result.detail

    return read
