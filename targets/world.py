"""The world of a session target: as lenient as a real one, hostile on demand, all recorded."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from capfuzz.attacks.case import Behaviour, WorldSpec
from capfuzz.attacks.trace import Effect
from capfuzz.engine import VFS, Net, Redirect
from capfuzz.engine.world import reached

_FLOOD = 1_000_000
_MAX_FLOOD = 10_000_000
Record = Callable[[Effect], None]


Pause = Callable[[str], None]
CLOCK = "clock"
EFFECT = "effect"


def _never(_at: str) -> None:
    """Wait for nobody."""


class World:
    """
    Files, hosts, tools and a clock that log what really happens to them.

    ``vfs``, ``net``, ``tools`` and ``clock`` are what a target acts on; ``effects`` lists what it
    did. ``tried`` counts the ops so far and moves the clock; ``reenter`` is what a re-entrant
    tool calls; ``pause`` is called with `CLOCK` or `EFFECT` before each look at the clock and each effect.
    """

    def __init__(
        self,
        spec: WorldSpec | None = None,
        record: Record | None = None,
        pause: Pause = _never,
    ) -> None:
        self.spec = WorldSpec() if spec is None else spec
        self.effects: list[Effect] = []
        self.pause = pause
        record = self.effects.append if record is None else record
        self.vfs: VFS = _RecordedVFS(self.spec, record, pause)
        self.net: Net = _RecordedNet(self.spec, record, pause)
        self.tools: Mapping[str, Callable[..., Any]] = {
            name: _Tool(name, kind, self, record) for name, kind in self.spec.tools.items()
        }
        self.tool_calls: list[tuple[str, tuple[Any, ...]]] = []
        self.tried = 0
        self.reenter: Callable[[object], object] = _nobody

    def clock(self) -> int:
        """Return the ticks of the op under way, however often it is read."""
        self.pause(CLOCK)
        return self.spec.tick(self.tried)


def output_bytes(output: object) -> int:
    """Return the size of what flows back, in UTF-8 bytes; 0 where it cannot even be told."""
    if output is None:
        return 0
    if isinstance(output, bytes):
        return len(output)
    try:
        return len(str(output).encode("utf-8", "surrogatepass"))
    except Exception:  # noqa: BLE001 - a target's own object may do anything
        return 0


@lru_cache(maxsize=64)
def _placed(
    files_as_items: tuple[tuple[str, bytes], ...], links_as_items: tuple[tuple[str, str], ...]
) -> dict[str, bytes]:
    """Return the files by where they really are; most cases have the same."""
    return VFS(dict(files_as_items), dict(links_as_items)).snapshot()


class _RecordedVFS(VFS):
    def __init__(self, spec: WorldSpec, record: Record, pause: Pause) -> None:
        super().__init__(links=spec.links)
        self._files = dict(_placed(tuple(spec.files.items()), tuple(spec.links.items())))
        self._record = record
        self._pause = pause

    def read_place(self, place: str) -> bytes:
        self._pause(EFFECT)
        try:
            data = super().read_place(place)
        except OSError:
            self._record(Effect("read", place, failed=True))
            raise
        self._record(Effect("read", place, len(data)))
        return data

    def write_place(self, place: str, data: bytes) -> None:
        self._pause(EFFECT)
        try:
            super().write_place(place, data)
        except OSError:
            self._record(Effect("write", place, failed=True))
            raise
        self._record(Effect("write", place))


@lru_cache(maxsize=64)
def _hosts(
    hosts_as_items: tuple[tuple[str, tuple[tuple[str, str | tuple[str, str]], ...]], ...],
) -> dict[str, dict[str, str]]:
    """Return the answers of the hosts by the name under which they are reached."""
    return {
        reached(host): {
            route: answer if isinstance(answer, str) else Redirect(*answer)
            for route, answer in routes
        }
        for host, routes in hosts_as_items
    }


class _RecordedNet(Net):
    def __init__(self, spec: WorldSpec, record: Record, pause: Pause) -> None:
        super().__init__()
        hosts = _hosts(tuple((host, tuple(routes.items())) for host, routes in spec.hosts.items()))
        self._hosts = {place: dict(routes) for place, routes in hosts.items()}
        self._record = record
        self._pause = pause

    def answer(self, place: str, path: str) -> str:
        self._pause(EFFECT)
        try:
            text = super().answer(place, path)
        except (OSError, TypeError):  # TypeError: a route that is no str
            self._record(Effect("fetch", place, failed=True))
            raise
        self._record(Effect("fetch", place, output_bytes(text)))
        return text


class _Tool:
    """One tool of the world, doing what its behaviour says."""

    def __init__(self, name: str, kind: Behaviour, world: World, record: Record) -> None:
        self._name = name
        self._act = getattr(self, kind)
        self._world = world
        self._record = record

    def __call__(self, *arguments: Any) -> Any:
        self._world.tool_calls.append((self._name, arguments))
        self._world.pause(EFFECT)
        try:
            output = self._act(*arguments)
        except BaseException:
            self._record(Effect("tool", self._name, failed=True))
            raise
        self._record(Effect("tool", self._name, output_bytes(output)))
        return output

    def echo(self, *arguments: Any) -> str:
        return " ".join(map(str, arguments))

    def nothing(self, *_: Any) -> None:
        return None

    def flood(self, size: Any = _FLOOD, *_: Any) -> str:
        return "x" * min(size if isinstance(size, int) else _FLOOD, _MAX_FLOOD)

    def reenter(self, *op: Any) -> str:
        return str(self._world.reenter(tuple(op)))

    def __getattr__(self, name: str) -> Any:
        # `raise` cannot be written as a method's name.
        if name == Behaviour.RAISE:
            return self._raise
        raise AttributeError(name)

    def _raise(self, *_: Any) -> None:
        raise RuntimeError("this tool always fails")


def _nobody(_op: object) -> object:
    raise RuntimeError("no session is under way")
