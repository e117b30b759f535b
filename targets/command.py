"""
Command targets: a sandbox of the system, with a probe inside that is told one op at a time.

The granted places are the same inside and outside, so that a path means one thing. What the probe
answers proves nothing by itself: effects are what this side sees.
"""

import os
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.kernel import BUDGETED, FAR
from capfuzz.attacks.naive import within
from capfuzz.attacks.trace import Answer, Effect, Step, Trace
from capfuzz.engine import Capabilities
from capfuzz.targets import probe
from capfuzz.targets.base import PLACES_ALONE, TargetError
from capfuzz.targets.canaries import shown
from capfuzz.targets.command_forms import adapted, folders, real
from capfuzz.targets.far import Far
from capfuzz.targets.ground import Ground
from capfuzz.targets.kernel_objects import APART, Objects
from capfuzz.targets.listeners import Listeners
from capfuzz.targets.mcp_names import Names
from capfuzz.targets.mcp_wire import Died, Nonsense, Wire
from capfuzz.targets.outlived import Background, inner_number, marked
from capfuzz.targets.planted import remove, remove_cgroups, scratch
from capfuzz.targets.processes import MARK, Child
from capfuzz.targets.rendering.budgets import bounded
from capfuzz.targets.sandboxes.base import (
    Adapter,
    Rendered,
    ended,
    grantable_in_memory,
    layout_for,
    limits_told,
    meters_of,
    searched,
)
from capfuzz.targets.sandboxes.trying import written
from capfuzz.targets.spending import LATE, LONGER, Spender, began, shows, spent_beyond
from capfuzz.targets.tasks import HOLDING, Tasks
from capfuzz.targets.times import Times
from capfuzz.targets.victim import Victim

_STARTING = 20.0  # seconds
_ARRIVING = 0.05  # seconds; what is sent on this machine is there at once
_ROOT = "/work"
_LEAVING = frozenset({"proc_background", "proc_forks", "proc_respawn"})
_SCRIPT = Path(probe.__file__).with_name("probe.mjs")


class CommandTarget:
    """
    A sandbox, the tree that it opens parts of, and what stands outside to be reached.

    A sandbox holds what it was started with, so it is started anew for another grant, and where
    another file or folder stands at a granted place. ``transposed`` puts a case under the one grant
    of a sandbox that is told none; without it each case keeps its own. ``apart`` is what the folders are
    called that stand in those of the machine; None for what this target's own is called. ``late`` is how
    many seconds after a deadline nothing of a sandbox may be left.
    """

    surface = Surface.COMMAND
    unobservable = PLACES_ALONE

    def __init__(
        self,
        spec: str,
        adapter: Adapter,
        *,
        op_limit: float = 2.0,
        transposed: Callable[[Case], Case | None] = lambda case: case,
        apart: str | None = None,
        late: float = LATE,
    ) -> None:
        self.spec = spec
        self._late = late
        self._transposed = transposed
        self.limits = limits_told(adapter)
        self.times = Times()
        self._adapter = adapter
        self._op_limit = op_limit
        self._child: Child | None = None
        self._made: list[str] = []  # outside of the grant, when it was started
        self._started: object = None  # under which grant, and what stood at the granted places
        self._names = Names(_ROOT)
        self._rendered = Rendered(())
        self._background, self._objects, self._tasks = Background(), Objects(), Tasks()
        with ExitStack() as undone:  # until all stands
            self._plant_around(apart, undone)
            undone.pop_all()

    def _plant_around(self, apart: str | None, undone: ExitStack) -> None:
        in_memory = grantable_in_memory(self._adapter)
        self._ground = Ground(_ROOT, in_memory=in_memory)
        undone.callback(self._ground.close)
        # Apart from the ground: what changes here is nobody's write.
        self._own = scratch(in_memory=in_memory)
        undone.callback(remove, self._own)
        inside, aside = f"{self._own}/inside", f"{self._own}/aside"
        for folder in (inside, aside):
            os.mkdir(folder)
        self._probe = f"{inside}/probe.py"
        Path(self._probe).write_text(probe.program(), encoding="utf-8")
        shutil.copy(_SCRIPT, inside)
        self._far = Far(apart or os.path.basename(self._own))
        undone.callback(self._far.close)
        self._listeners = Listeners(aside)
        undone.callback(self._listeners.close)
        self._victim = Victim()

    def adapt(self, case: Case) -> Case | None:
        """Return the case under the grant as the system has it, None where it cannot be asked."""
        told = self._transposed(case)
        return None if told is None else adapted(told, self._adapter)

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Try the ops one after the other in the sandbox that the grant becomes."""
        self._plant(case)
        files = dict(case.world.files)  # as they are by now
        steps = [
            self._step(case, files, index, self._op_limit * patience)
            for index in range(len(case.ops))
        ]
        return Trace(case, self.surface, tuple(steps))

    def looked(self, case: Case, kind: str, arguments: list[Any]) -> bytes:
        """Return what the probe answers to something that is no op of a case, under its grant."""
        self._plant(case)
        return self._told(kind, arguments)

    def process_of(self, pid: int, space: str) -> int | None:
        """Return the probe's number on this machine by that inside; None in another kernel."""
        found = marked(self._probe)
        return next((one for one in found if inner_number(one) == (pid, space)), None)

    def close(self) -> None:
        """End the sandbox with all that runs in it, and remove the tree."""
        self._stop()
        self._victim.close()
        self._listeners.close()
        self._far.close()
        self._ground.close()
        remove_cgroups(os.path.basename(self._own))
        remove(self._own)

    def _plant(self, case: Case) -> None:
        self._ground.become(self._names.planted(case.world), folders(case))
        granted = (*case.grant.fs_read, *case.grant.fs_write)
        ops: tuple[Any, ...] = case.ops
        if any(op[0] in BUDGETED for op in ops):  # each has a sandbox of its own
            return
        around = self._objects.around if any(op[0] in APART for op in ops) else ()
        wanted = (case.grant, self._ground.identities(granted), around)
        if self._started != wanted or self._child is None or not self._child.alive:
            self._start(case.grant, around)
            # Some make places to mount over; what they make elsewhere is told with the first op.
            made = self._ground.changes()
            self._made = [one for one in made if not within(one, case.grant.fs_write)]
            self._started = wanted

    def _start(self, grant: Capabilities, around: tuple[str, ...]) -> None:
        folder, environment = self._configured(grant)
        command = (*around, *self._rendered.command)
        begun = time.perf_counter()
        try:
            self._child = Child(command, self._own, folder, environment)
            self._wire = Wire(self._child)
            self._wire.ask("env_read", {"arguments": []}, _STARTING)
        except (OSError, Died, Nonsense) as error:
            told = self._child.drain() if self._child is not None else ""
            reason = error if str(error) else f"no answer within {_STARTING:g} s; {told}"
            raise TargetError(f"{self.spec}: did not start: {reason}") from error
        self.times.starts.append(time.perf_counter() - begun)

    def _configured(self, grant: Capabilities) -> tuple[str, dict[str, str]]:
        """Write what a grant becomes; return the folder and the environment in which it is started."""
        self._stop()
        folder = f"{self._own}/configuration"
        layout = replace(
            layout_for(self._probe),
            environment=(f"{MARK}={self._own}",),
            folder=folder,
            mark=os.path.basename(self._own),
            ports=self._listeners.opened,
        )
        self._rendered = self._adapter.render(self._real(grant), layout)
        remove(folder)
        written(self._rendered, folder)
        return folder, {**self._victim.environment, "PATH": searched()}

    def _stop(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None
            ended(self._rendered)

    def _real(self, grant: Capabilities) -> Capabilities:
        floor = self._ground.floor
        return replace(
            grant,
            fs_read=tuple(floor + one for one in grant.fs_read),
            fs_write=tuple(floor + one for one in grant.fs_write),
        )

    def _step(self, case: Case, files: dict[str, bytes], index: int, limit: float) -> Step:
        op: Any = case.ops[index]
        budgeted = op[0] in BUDGETED
        answer, back, beyond = (
            self._spent(case.grant, op) if budgeted else (*self._asked(op, limit), ())
        )
        now = replace(case, world=replace(case.world, files=files))
        changed, self._made = [*self._made, *self._ground.changes()], []
        effects = (
            *shown(back, now),
            *self._names.shown(back),
            *self._ground.attributes_shown(op, back),
            *self._far.shown(op, back),
            *(Effect("write", self._names.told(place)) for place in changed),
            *self._listeners.reached(_ARRIVING if op[0].startswith("net_") else 0.0),
            *self._victim.shown(back),
            *self._victim.signalled(_ARRIVING if op[0].startswith("proc_") else 0.0),
            *self._objects.shown(op, back, self._child.process.pid if self._child else None),
            *self._tasks.shown(op),
            *self._outlived(op),
            *beyond,
        )
        self._let_go(op)
        self._ground.note(changed, files)
        found = tuple(dict.fromkeys(effects))
        answer = answer._replace(ok=bool(found) and not (answer.hung or answer.raised))
        return Step(op, answer, found, 2 * index, 2 * index + 1, index)

    def _asked(self, op: Any, limit: float) -> tuple[Answer, bytes]:
        """Return what became of an op: whether there was an answer at all, and all that came."""
        kind, *given = op
        begun = time.perf_counter()
        try:
            sent, arguments = self._sent(kind, given)
            said = self._wire.ask(sent, {"arguments": arguments}, limit)
        except TimeoutError:
            self._started = None
            return Answer(ok=False, hung=True), b""
        except (Died, Nonsense):  # refused the hard way, as a sandbox may
            self._started = None
            return Answer(ok=False), b""
        self.times.answers.append(time.perf_counter() - begun)
        return Answer(ok=False), _out(said)

    def _spent(self, grant: Capabilities, op: Any) -> tuple[Answer, bytes, tuple[Effect, ...]]:
        """Return what became of an op in a sandbox of its own, bounded as `capfuzz render` has it."""
        kind, *given = op
        self._started = None
        for longer in LONGER:
            told = replace(grant, max_wall=longer * grant.max_wall)
            folder, environment = self._configured(told)
            made = bounded(self.spec, meters_of(self._adapter), told, self._rendered)
            spender = Spender(self._own, folder, environment, self._late)
            spent = spender.spend(made, kind, self._arguments(kind, given), told.max_wall)
            if began(op, spent, told):
                break
        if not shows(op, spent, told):
            never = f"{kind} did not begin in {told.max_wall} s: {spent.said}"
            raise TargetError(f"{self.spec}: did not start: {never}")
        return Answer(ok=False), *spent_beyond(op, spent, told)

    def _sent(self, kind: str, given: list[Any]) -> tuple[str, list[Any]]:
        """Return what the probe is told: the kind of op, and what it takes."""
        return (
            self._far.asked(kind, *given) if kind in FAR else (kind, self._arguments(kind, given))
        )

    def _arguments(self, kind: str, given: list[Any]) -> list[Any]:
        if kind.startswith("net_"):
            return list(self._listeners.arguments(kind.removeprefix("net_")))
        if kind in {"proc_trace", "proc_memory"}:
            return list(self._victim.memory)
        if kind in HOLDING:
            return [*given, self._tasks.mark]
        told = self._objects.arguments(kind, real(kind, given, self._ground.floor))
        if kind in _LEAVING:
            return [*told, self._background.mark]
        if kind == "use_time":
            return [*told, self._own]
        found = kind.startswith("proc_") and kind != "proc_walk"
        return [self._victim.pid, *told] if found else told

    def _let_go(self, op: Any) -> None:
        """End what an op has started that was kept to be seen."""
        if op[0] in HOLDING and self._started is not None:
            self._told("use_end", [])

    def _told(self, kind: str, arguments: list[Any]) -> bytes:
        try:
            said = self._wire.ask(kind, {"arguments": arguments}, _STARTING)
        except (TimeoutError, Died, Nonsense):
            self._started = None
            return b""
        return _out(said)

    def _outlived(self, op: Any) -> tuple[Effect, ...]:
        """After processes were started in the background, end the sandbox and look for them."""
        if op[0] not in _LEAVING or self._child is None:
            return ()
        self._started = None
        return self._background.outlived(self._child, self._rendered)


def _out(said: dict[str, Any]) -> bytes:
    """Return what the probe has to tell in an answer of its, nothing where it is an error."""
    result = said.get("result")
    out = result.get("out") if isinstance(result, dict) else ""
    return str(out).encode("latin-1", "replace")
