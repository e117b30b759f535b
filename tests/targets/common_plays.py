"""The stage on which faulty session targets are shown, and what shows there."""

from collections.abc import Callable
from typing import Any

from capfuzz.attacks.case import Behaviour, Case, WorldSpec
from capfuzz.attacks.trace import Trace
from capfuzz.engine import Capabilities
from capfuzz.targets.session import SessionTarget

Show = Callable[[Any], bool]

GRANT: dict[str, Any] = {
    "fs_read": ("/work",),
    "fs_write": ("/work/out",),
    "net_hosts": ("api.internal",),
    "allowed_tools": {"summarize", "again", "fail"},
}
FILES = {
    "/work/data.txt": b"ledger",
    "/work/backup..2024.json": b"{}",
    "/work/out/old.txt": b"old",
    "/WORK/data.txt": b"twin",
    "/workshop/secret": b"blueprint",
    "/vault/data.txt": b"gold",
    "/backup/work/data.txt": b"copy",
    "/etc/passwd": b"root:x:0:0",
}
HOSTS = {"api.internal": {"/": "ok"}, "evil.test": {"/": "taken"}}
TOOLS = {
    "shell": Behaviour.ECHO,
    "summarize": Behaviour.ECHO,
    "summarize_and_send": Behaviour.ECHO,
    "evil.summarize": Behaviour.ECHO,
    "again": Behaviour.REENTER,
    "fail": Behaviour.RAISE,
}
HONEST = ("fs_read", "/work/data.txt")
SECRET = ("fs_read", "/etc/passwd")


def play(
    *ops: object,
    shows: Callable[[Trace], bool],
    links: dict[str, str] | None = None,
    hosts: dict[str, Any] | None = None,
    ticks: tuple[int, ...] = (),
    **grant: Any,
) -> Show:
    """Return a play: tries ``ops`` on a target and tells whether its trace shows the fault."""
    world = WorldSpec(FILES, links or {}, HOSTS | (hosts or {}), TOOLS, ticks)
    caps = {**GRANT, **grant}

    def show(factory: Any) -> bool:
        case = Case(Capabilities(**caps), world, ops, (), "test")
        return shows(SessionTarget("test", factory, op_limit=0.5).run(case))

    return show


def happened(kind: str, place: str) -> Callable[[Trace], bool]:
    """Tell whether the world saw this."""
    return lambda trace: (
        (kind, place)
        in [(effect.kind, effect.place) for step in trace.steps for effect in step.effects]
    )


def times(kind: str, least: int) -> Callable[[Trace], bool]:
    """Tell whether the world saw this kind of effect at least so often."""
    return lambda trace: least <= sum(e.kind == kind for s in trace.steps for e in s.effects)


def accepted(index: int = -1) -> Callable[[Trace], bool]:
    """Tell whether the target accepted this op."""
    return lambda trace: trace.steps[index].answer.ok


def refused(index: int = -1) -> Callable[[Trace], bool]:
    """Tell whether the target refused this op, which is honest."""
    return lambda trace: not trace.steps[index].answer.ok


def delivered(more_than: int) -> Callable[[Trace], bool]:
    """Tell whether more bytes than these flowed back."""
    return lambda trace: (
        more_than
        < sum(effect.size for step in trace.steps if step.answer.ok for effect in step.effects)
    )


def failed_open(trace: Trace) -> bool:
    """Tell whether an exception came out or an op hung."""
    return any(step.answer.raised or step.answer.hung for step in trace.steps)


def told_apart(trace: Trace) -> bool:
    """Tell whether two refusals read differently."""
    first, second = (step.answer for step in trace.steps)
    return not first.ok and not second.ok and first != second


def served(trace: Trace) -> bool:
    """Tell whether the last op was answered although nothing happened."""
    return trace.steps[-1].answer.ok and not trace.steps[-1].effects
