"""MCP targets: a Model Context Protocol server over stdio that reads and writes below one root."""

import base64
import binascii
import os
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.trace import Answer, Effect, Step, Trace
from capfuzz.targets.base import PLACES_ALONE, TargetError
from capfuzz.targets.canaries import shown
from capfuzz.targets.ground import Ground
from capfuzz.targets.mcp_forms import ROOT, adapted, argument, folders, text
from capfuzz.targets.mcp_tools import Door, Doors, discovered, from_file
from capfuzz.targets.mcp_wire import Died, Nonsense, Wire, texts
from capfuzz.targets.processes import Child, program

_STARTING = 45.0  # seconds until it has told its tools
_STARTING_AGAIN = 20.0
_STARTING_IN_ALL = 300.0  # seconds for all starts: some servers end at every odd request
_MOST_PAGES = 20  # of the list of tools


class McpTarget:
    """
    A server process and the tree that it works on.

    What it reads is told by the content that comes back, what it writes by a look at the tree.
    ``follows_links``: it is documented to follow links, so that none are planted.
    """

    surface = Surface.MCP
    unobservable = PLACES_ALONE

    def __init__(
        self,
        spec: str,
        command: Callable[[str], list[str]],
        *,
        op_limit: float = 2.0,
        dialect: frozenset[str] = frozenset(),
        tool_map: str | None = None,
        follows_links: bool = False,
    ) -> None:
        self.spec = spec
        self._op_limit = op_limit
        self._dialect = dialect
        self._follows_links = follows_links
        self._ground = Ground(ROOT)
        self._command = command(self._ground.root)
        self._started = 0.0  # seconds
        self._child: Child | None = None
        try:
            known = from_file(tool_map) if tool_map else None
            listed = self._start(_STARTING)
            self._doors = known or self._found(listed)
        except BaseException:
            self.close()
            raise

    def adapt(self, case: Case) -> Case | None:
        """Return the case as reads and writes below one root, None where it is about others."""
        return adapted(case, writes=bool(self._doors.writing), follows_links=self._follows_links)

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Call the tools that an op stands for, one after the other, on a fresh tree."""
        self._ground.become(case.world, folders(case))
        limit = self._op_limit * patience
        files = dict(case.world.files)  # as they are by now
        steps = tuple(self._step(case, files, index, limit) for index in range(len(case.ops)))
        return Trace(case, self.surface, steps, dialect=self._dialect)

    def close(self) -> None:
        """End the server with all that it started, and remove the tree."""
        if self._child is not None:
            self._child.close()
        self._ground.close()

    def _start(self, seconds: float) -> list[Any]:
        """Start the server and return the tools that it lists; raises `TargetError`."""
        began = time.monotonic()
        if self._started > _STARTING_IN_ALL:
            raise TargetError(f"{self.spec}: ends again and again, and is not started any more")
        if self._child is not None:
            self._child.close()
        ground = self._ground
        try:
            self._child = Child(self._command, ground.base, ground.root, {"HOME": ground.floor})
            self._wire = Wire(self._child)
            self._wire.open(seconds)
            listed = self._listed(seconds)
        except OSError as error:
            reason = error if not isinstance(error, TimeoutError) else self._silent(seconds)
            raise TargetError(f"{self.spec}: did not start: {reason}") from error
        except (Died, Nonsense) as error:
            raise TargetError(f"{self.spec}: did not start: {error}") from error

        self._started += time.monotonic() - began
        return listed

    def _silent(self, seconds: float) -> str:
        said = self._child.drain() if self._child is not None else ""
        return f"no answer within {seconds:g} s; {said}"

    def _listed(self, seconds: float) -> list[Any]:
        tools: list[Any] = []
        params: dict[str, Any] = {}
        for _ in range(_MOST_PAGES):
            result = self._wire.ask("tools/list", params, seconds).get("result")
            if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
                raise Nonsense("tools/list was not answered with a list of tools")
            tools += result["tools"]
            if not isinstance(result.get("nextCursor"), str):
                break
            params = {"cursor": result["nextCursor"]}
        return tools

    def _found(self, listed: list[Any]) -> Doors:
        doors = discovered(listed)
        if not doors.reading and not doors.writing:
            names = ", ".join(str(one.get("name")) for one in listed if isinstance(one, dict))
            raise TargetError(
                f"{self.spec}: no tool takes a path and nothing else that must be given; it has "
                f"{names or 'none'}; name them in a file with --tool-map"
            )
        return doors

    def _step(self, case: Case, files: dict[str, bytes], index: int, seconds: float) -> Step:
        op: Any = case.ops[index]
        path = argument(op[1], self._ground.floor)
        content = text(op[2]) if op[0] == "fs_write" else None
        doors = self._doors.reading if content is None else self._doors.writing
        deadline = time.monotonic() + seconds
        answer, effects = Answer(ok=False), list[Effect]()
        for door in doors:
            answer, back = self._called(door, door.arguments(path, content), deadline)
            now = replace(case, world=replace(case.world, files=files))
            changed = self._ground.changes()
            effects += [*shown(back, now), *(Effect("write", one) for one in changed)]
            self._note(changed, files)
            if answer.hung or answer.raised:
                break
        found = tuple(dict.fromkeys(effects))
        # isError, or its absence, proves nothing.
        answer = replace(answer, ok=bool(found) and not (answer.hung or answer.raised))
        return Step(op, answer, found, 2 * index, 2 * index + 1, index)

    def _note(self, changed: list[str], files: dict[str, bytes]) -> None:
        """Keep what was written: a later read may bring it back."""
        for place in changed:
            files.pop(place, None)
            content = self._ground.content(place)
            if content is not None:
                files[place] = content

    def _called(
        self, door: Door, arguments: dict[str, Any], deadline: float
    ) -> tuple[Answer, bytes]:
        try:
            asked = {"name": door.tool, "arguments": arguments}
            said = self._wire.ask("tools/call", asked, max(0.01, deadline - time.monotonic()))
        except TimeoutError:
            self._start(_STARTING_AGAIN)
            return Answer(ok=False, hung=True), b""
        except Died:
            self._start(_STARTING_AGAIN)
            return Answer(ok=False, raised="ServerDied"), b""
        except Nonsense:
            self._start(_STARTING_AGAIN)
            return Answer(ok=False, raised="Nonsense"), b""
        return Answer(ok=False), _content(said)


def _content(said: dict[str, Any]) -> bytes:
    """Return all text of an answer as bytes, with what is decoded of it where it is base64."""
    found = texts(said)
    whole = [one.encode("utf-8", "surrogatepass") for one in found]
    for one in found:
        try:
            whole.append(base64.b64decode(one, validate=True))
        except (binascii.Error, ValueError):
            continue
    return b"\n".join(whole)


def _found(word: str) -> str:
    """Return a file that is named from here by its whole path: the server runs in its root."""
    named = "{root}" not in word and (os.sep in word or os.path.splitext(word)[1])
    return os.path.abspath(word) if named and os.path.exists(word) else word


def command_of(spec: str) -> Callable[[str], list[str]]:
    """Return the command of ``mcp:COMMAND`` for a root; raises `TargetError`."""
    try:
        words = shlex.split(spec.removeprefix("mcp:"))
    except ValueError as error:
        raise TargetError(f"{spec}: not a command: {error}") from None
    if not any("{root}" in word for word in words):
        raise TargetError(f"{spec}: write {{root}} where the command takes the folder to serve")
    return lambda root: [_found(word).replace("{root}", root) for word in words]


def command_calling(spec: str) -> Callable[[str], list[str]]:
    """Return the command that calls the function of ``py:MODULE:NAME`` with a root."""
    module, _, name = spec.removeprefix("py:").partition(":")
    calling = program(module, name, "sys.argv[1]")
    return lambda root: [sys.executable, "-c", calling, root]
