"""MCP targets: a Model Context Protocol server over stdio that works on files below one root."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.trace import Answer, Effect, Step, Trace
from capfuzz.targets.base import PLACES_ALONE, TargetError
from capfuzz.targets.canaries import shown
from capfuzz.targets.command_words import words_of
from capfuzz.targets.ground import Ground
from capfuzz.targets.mcp_calls import Call, Places, first_calls, further_calls, is_inside
from capfuzz.targets.mcp_forms import ROOT, Asked, adapted, folders
from capfuzz.targets.mcp_names import Names
from capfuzz.targets.mcp_server import McpServer
from capfuzz.targets.mcp_tools import Doors, discovered
from capfuzz.targets.processes import program
from capfuzz.targets.tool_map import check_listed, from_file


class McpTarget:
    """
    A server process and the tree that it works on.

    What it reads is told by the content that comes back, what it lists by names that nobody can
    guess, what it changes by a look at the tree. ``follows_links``: it is documented to follow
    links, so that none are planted.
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
        self._names = Names(ROOT)
        known = from_file(tool_map) if tool_map else None
        self._ground = Ground(ROOT)
        self._server = McpServer(spec, command, self._ground)
        try:
            tools = self._server.start()
            if known and tool_map:
                check_listed(known, tools, tool_map)
            self._doors = known or found_doors(spec, tools)
        except BaseException:
            self.close()
            raise
        self._kinds = asked_of(self._doors)

    def adapt(self, case: Case) -> Case | None:
        """Return the case as reads and writes below one root, None where it is about others."""
        return adapted(case, self._kinds, follows_links=self._follows_links)

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Call the tools that the ops stand for, one after the other, and then all others."""
        self._plant(case)
        limit = self._op_limit * patience
        files = dict(case.world.files)  # as they are by now
        steps, left = list[Step](), list[float]()
        for index in range(len(case.ops)):
            began = time.monotonic()
            steps.append(self._step(case, files, index, began + limit))
            left.append(limit + began - time.monotonic())
        if not any(map(_ended, steps)):
            steps = self._with_further(case, steps, left, limit / 2)
        return Trace(case, self.surface, tuple(steps), dialect=self._dialect)

    def close(self) -> None:
        """End the server with all that it started, and remove the tree."""
        self._server.close()
        self._ground.close()

    def _plant(self, case: Case) -> None:
        if self._ground.restored():
            self._server.restart()  # it may work in what was removed
        self._ground.become(self._names.planted(case.world), folders(case))

    def _step(self, case: Case, files: dict[str, bytes], index: int, deadline: float) -> Step:
        op: Any = case.ops[index]
        answer, effects, through = Answer(ok=False), list[Effect](), list[str]()
        lists = not self._doors.reading  # else a name in the root says nothing of a file there
        for call in first_calls(self._doors, op, self._ground.floor):
            answer, back = self._asked(call, deadline)
            now = replace(case, world=replace(case.world, files=files))
            changed = self._ground.changes()
            names = [one for one in self._names.shown(back) if lists or not is_inside(one.place)]
            seen = [*shown(back, now), *names, *self._written(changed)]
            effects += seen
            through += [call.tool] if _outside(seen) else []
            self._ground.note(changed, files)
            if answer.hung or answer.raised:
                break
        found = tuple(dict.fromkeys(effects))
        ok = bool(found) and not (answer.hung or answer.raised)
        answer = answer._replace(ok=ok, detail=", ".join(through) or None)
        return Step(op, answer, found, 2 * index, 2 * index + 1, index)

    def _with_further(
        self, case: Case, steps: list[Step], left: list[float], least: float
    ) -> list[Step]:
        """Return the steps with what the other doors let out, up to the first without an answer."""
        done = list[Step]()
        for step, seconds in zip(steps, left, strict=True):
            stopped = bool(done) and _ended(done[-1])
            done.append(step if stopped else self._further(case, step, seconds, least))
        return done

    def _further(self, case: Case, step: Step, seconds: float, least: float) -> Step:
        """
        Ask at the other doors, each time on a fresh tree; what shows inside the root is no news.

        A call that would have less than ``least`` seconds is left out: it would seem to hang.
        """
        answer, effects = step.answer, list[Effect]()
        through = [step.answer.detail] if step.answer.detail else []
        deadline = time.monotonic() + seconds
        self._plant(case)
        for call in further_calls(self._doors, step.op, case.world.links, self._places()):
            if deadline - time.monotonic() < least:
                break
            called, back = self._asked(call, deadline)
            seen = self._seen(case, back, step.op)
            effects += _outside(seen)
            through += [call.tool] if _outside(seen) else []
            if called.hung or called.raised:
                answer = called
                break
            if any(one.kind == "write" for one in seen):
                self._plant(case)
        found = tuple(dict.fromkeys([*step.effects, *effects]))
        let_out = bool(effects) and not (answer.hung or answer.raised)
        answer = answer._replace(ok=answer.ok or let_out, detail=", ".join(through) or None)
        return step._replace(answer=answer, effects=found)

    def _seen(self, case: Case, back: bytes, op: Any) -> list[Effect]:
        """Return what a call showed and changed, content that was carried to the root included."""
        changed = self._ground.changes()
        came = [place for place in changed if op[0] == "fs_read" and is_inside(place)]
        brought = map(self._ground.content, came)
        told = b"\n".join([back, *(one for one in brought if one is not None)])
        return [*shown(told, case), *self._names.shown(told), *self._written(changed)]

    def _written(self, changed: Sequence[str]) -> list[Effect]:
        return [Effect("write", self._names.told(place)) for place in changed]

    def _places(self) -> Places:
        floor = self._ground.floor
        return Places(floor, floor + self._names.scratch, floor + self._names.fresh)

    def _asked(self, call: Call, deadline: float) -> tuple[Answer, bytes]:
        return self._server.ask(call, max(0.01, deadline - time.monotonic()))


def _outside(effects: Sequence[Effect]) -> list[Effect]:
    return [one for one in effects if not is_inside(one.place)]


def _ended(step: Step) -> bool:
    """Tell whether a step ended without an answer, so that what follows proves nothing."""
    return bool(step.answer.hung or step.answer.raised)


def found_doors(spec: str, tools: list[Any]) -> Doors:
    """Return the doors among a server's tools; raises `TargetError` where it has none to ask."""
    doors = discovered(tools)
    if not (doors.reading or doors.writing or doors.listing):
        names = ", ".join(str(one.get("name")) for one in tools if isinstance(one, dict))
        raise TargetError(
            f"{spec}: no tool takes a path and nothing else that must be given; it has "
            f"{names or 'none'}; name them in a file with --tool-map"
        )
    return doors


def asked_of(doors: Doors) -> Asked:
    """Return what can be asked of a server with these doors."""
    told = {"fs_read": doors.reading or doors.listing, "fs_write": doors.writing}
    tried = {"fs_read": doors.moving, "fs_write": doors.moving or doors.editing}
    return Asked(*(frozenset(kind for kind in kinds if kinds[kind]) for kinds in (told, tried)))


def command_of(spec: str) -> Callable[[str], list[str]]:
    """Return the command of ``mcp:COMMAND`` for a root; raises `TargetError`."""
    words = words_of(spec, "mcp:")
    if not any("{root}" in word for word in words):
        raise TargetError(f"{spec}: write {{root}} where the command takes the folder to serve")
    return lambda root: [word.replace("{root}", root) for word in words]


def command_calling(spec: str) -> Callable[[str], list[str]]:
    """Return the command that calls the function of ``py:MODULE:NAME`` with a root."""
    module, _, name = spec.removeprefix("py:").partition(":")
    calling = program(module, name, "sys.argv[1]")
    return lambda root: [sys.executable, "-c", calling, root]
