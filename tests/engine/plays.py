"""A play: a sandbox over a world that logs every effect, and every step that was tried in it."""

import threading
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from capfuzz.engine import VFS, Capabilities, Net, Redirect, Result, Sandbox

FILES = {
    "/work/data.txt": b"ledger",
    "/work/out/old": b"old",
    "/work/%2e%2e/x": b"literal",
    "/workshop/secret": b"blueprint",
    "/etc/passwd": b"root",
    "/private/tmp/f": b"tmp",
}
LINKS = {
    "/work/in": "data.txt",
    "/work/away": "/etc",
    "/work/up": "../etc/passwd",
    "/work/spin": "spin",
    "/work/out/leaf": "/etc/made",
    "/work/out/back": "/work/out",
    "/tmp": "/private/tmp",
}
HOSTS = ["api.internal", "evil.com", "10.0.0.7", "127.0.0.1", "2001:db8::1"]
TOOLS = ["echo", "raise", "exit", "flood", "nothing", "call", "wait", "object"]


@dataclass(slots=True)
class Step:
    """One op, what it came back with, and the world before and after."""

    op: object
    result: Result
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    was_halted: bool


class Files(VFS):
    """Files that log every place read or written."""

    def __init__(self, files, links):
        super().__init__(files, links)
        self.touched = []

    def read_place(self, place):
        """Log and read."""
        self.touched.append(("read", place))
        return super().read_place(place)

    def write_place(self, place, data):
        """Log and write."""
        self.touched.append(("write", place))
        super().write_place(place, data)


@dataclass(slots=True)
class Play:
    """
    A sandbox under ``caps``, its clock reading ``ticks``, the last for good.

    An exception class among the ticks is raised. Tools: ``call`` runs its arguments as an op,
    ``wait`` does so in a thread that it waits for, ``flood`` returns a million bytes and one.
    """

    caps: Capabilities
    ticks: tuple[object, ...] = tuple(range(200))
    files: dict[str, bytes] = field(default_factory=lambda: FILES)
    links: dict[str, str] = field(default_factory=lambda: LINKS)
    hosts: list[str] = field(default_factory=lambda: HOSTS)
    steps: list[Step] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    readings: list[object] = field(default_factory=list)
    vfs: Files = field(init=False)
    net: Net = field(init=False)
    box: Sandbox = field(init=False)

    def __post_init__(self):
        """Build the world and the sandbox."""
        self.vfs = Files(self.files, self.links)
        routes = {"/s": "ok", "/away": Redirect("evil.com", "/s")}
        self.net = Net(dict.fromkeys(self.hosts, routes))
        tools = {name: partial(self._tool, name) for name in TOOLS}
        self.box = Sandbox(self.caps, self.vfs, self.net, tools, self._clock)

    def run(self, op):
        """Run one op and keep the step."""
        before, was_halted = self.state(), self.box.halted
        result = self.box.run(op)
        self.steps.append(Step(op, result, before, self.state(), was_halted))
        return result

    def run_all(self, ops):
        """Run every op, also those after a hard refusal."""
        for op in ops:
            self.run(op)
        return self

    def state(self):
        """Return all that an op could have changed, and the log of all that was touched."""
        return self.vfs.snapshot(), (*self.vfs.touched,), (*self.net.calls,), (*self.called,)

    def spent(self):
        """Return every count, and how often the clock was read."""
        box = self.box
        return box.ops, box.elapsed, box.output_bytes, box.bytes_written, len(self.readings)

    def outcome(self):
        """Return what the play came to; a bare object is told by its kind alone."""
        return [_said(step.result) for step in self.steps], self.state(), self.spent()

    def _clock(self):
        now = self.ticks[min(len(self.readings), len(self.ticks) - 1)]
        self.readings.append(now)
        return _die(now()) if isinstance(now, type) else now

    def _tool(self, name, *args):
        self.called.append(name)
        return {
            "echo": lambda: " ".join(map(str, args)),
            "raise": lambda: _die(RuntimeError("/etc/passwd")),
            "exit": lambda: _die(SystemExit(0)),
            "flood": lambda: "x" * 1_000_001,
            "nothing": lambda: None,
            "call": lambda: str(self.run(args).ok),
            "wait": lambda: in_threads([partial(self.run, args)]),
            "object": object,
        }[name]()


def in_threads(works):
    """Run each of ``works`` in a thread of its own; return how many hang."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return sum(thread.is_alive() for thread in threads)


def _die(error):
    raise error


def _said(result):
    return result.ok, _shown(result.output), result.violation, result.hard, result.detail


def _shown(output):
    return object if type(output) is object else output
