"""Faults of the tool guard: names that resemble a granted one, and tools that misbehave."""

from fnmatch import fnmatchcase
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.names import ToolGuard


class _Wildcard(Session):
    """Takes the requested name for a pattern and calls the first tool that fits."""

    def call(self, name: str, *args: object) -> Any:
        [first, *_] = [tool for tool in self.world.tools if fnmatchcase(tool, name)]
        return self.world.tools[first](*args)


class _AnyGrantFits(ToolGuard):
    def covers(self, name: str) -> bool:
        return any(fnmatchcase(granted, name) for granted in self.tools)


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CWE-155", style="tool names")
def wildcard_tool(caps: Capabilities, world: World) -> Session:
    """Expand ``*`` in the requested name, and call the first tool that it fits. CWE-155."""
    return _Wildcard(caps, world, Pieces(tools=_AnyGrantFits))


class _GrantIsPattern(ToolGuard):
    def covers(self, name: str) -> bool:
        return any(fnmatchcase(name, granted) for granted in self.tools)


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="a literal star replayed as a wildcard",
    style="tool names",
)
def wildcard_in_granted_tool(caps: Capabilities, world: World) -> Session:
    """Expand ``*`` in a granted name, which stands for itself. CWE-155."""
    return Session(caps, world, Pieces(tools=_GrantIsPattern))


class _AnyCase(ToolGuard):
    def admit(self, name: str) -> str:
        for granted in self.tools:
            if granted.lower() == name.lower():
                return granted
        return super().admit(name)


@fault(Surface.SESSION, "alias-denied", "confined", modelled_on="CWE-178", style="tool names")
def tool_case_insensitive(caps: Capabilities, world: World) -> Session:
    """Find a granted tool under any case of its name, although names are exact. CWE-178."""
    return Session(caps, world, Pieces(tools=_AnyCase))


class _Prefix(ToolGuard):
    def covers(self, name: str) -> bool:
        return any(name.startswith(granted) for granted in self.tools)


@fault(
    Surface.SESSION,
    "confined",
    "alias-denied",
    modelled_on="CWE-187, joined server and tool",
    style="tool names",
)
def tool_prefix_match(caps: Capabilities, world: World) -> Session:
    """Accept whatever starts like a granted tool: ``summarize_and_send``. CWE-187."""
    return Session(caps, world, Pieces(tools=_Prefix))


class _Namespace(ToolGuard):
    def covers(self, name: str) -> bool:
        return name.rpartition(".")[2] in self.tools


@fault(
    Surface.SESSION,
    "confined",
    "alias-denied",
    modelled_on="a namespaced name passed the list",
    style="tool names",
)
def tool_namespace_dropped(caps: Capabilities, world: World) -> Session:
    """Judge a name without its namespace: ``evil.summarize`` passes for ``summarize``. CWE-187."""
    return Session(caps, world, Pieces(tools=_Namespace))


class _Uncontained(Session):
    def tool(self, name: str, *args: object) -> Any:
        output = self.call(self.tools.admit(name), *args)
        self.meter.settle(self.meter.size(output))
        return output


@fault(Surface.SESSION, "fail-closed", modelled_on="CWE-248", style="tool names")
def tool_error_raises(caps: Capabilities, world: World) -> Session:
    """Let what a tool raises out of ``run``. CWE-248, uncaught exception."""
    return _Uncontained(caps, world)
