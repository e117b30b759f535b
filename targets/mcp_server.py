"""The process of an MCP server under attack: started, asked, and started again where it ends."""

import base64
import binascii
import time
from collections.abc import Callable
from typing import Any

from capfuzz.attacks.trace import Answer
from capfuzz.targets.base import TargetError
from capfuzz.targets.ground import Ground
from capfuzz.targets.mcp_calls import Call
from capfuzz.targets.mcp_wire import Died, Nonsense, Wire, texts
from capfuzz.targets.processes import Child

_STARTING = 45.0  # seconds until it has told its tools
_STARTING_AGAIN = 20.0
_STARTING_IN_ALL = 300.0  # seconds for all starts: some servers end at every odd request
_MOST_PAGES = 20  # of the list of tools


class McpServer:
    """One process at a time, working on a ground."""

    def __init__(self, spec: str, command: Callable[[str], list[str]], ground: Ground) -> None:
        self._spec = spec
        self._command = command(ground.root)
        self._ground = ground
        self._started = 0.0  # seconds
        self._child: Child | None = None

    def start(self) -> list[Any]:
        """Start the process and return the tools that it lists; raises `TargetError`."""
        return self._start(_STARTING)

    def restart(self) -> None:
        """End the process and start another one; raises `TargetError`."""
        self._start(_STARTING_AGAIN)

    def ask(self, call: Call, seconds: float) -> tuple[Answer, bytes]:
        """
        Return what became of a call, and all that came back.

        The answer says no more than whether there was one: ``isError``, or its absence, proves
        nothing. A server that gave none is started again; raises `TargetError`.
        """
        try:
            asked = {"name": call.tool, "arguments": call.arguments}
            return Answer(ok=False), _content(self._wire.ask("tools/call", asked, seconds))
        except TimeoutError:
            answer = Answer(ok=False, hung=True)
        except Died:
            answer = Answer(ok=False, raised="ServerDied")
        except Nonsense:
            answer = Answer(ok=False, raised="Nonsense")
        self.restart()
        return answer, b""

    def close(self) -> None:
        """End the server with all that it started."""
        if self._child is not None:
            self._child.close()

    def _start(self, seconds: float) -> list[Any]:
        began = time.monotonic()
        if self._started > _STARTING_IN_ALL:
            raise TargetError(f"{self._spec}: ends again and again, and is not started any more")
        self.close()
        ground = self._ground
        try:
            self._child = Child(self._command, ground.base, ground.root, {"HOME": ground.floor})
            self._wire = Wire(self._child)
            self._wire.open(seconds)
            listed = self._listed(seconds)
        except OSError as error:
            reason = error if not isinstance(error, TimeoutError) else self._silent(seconds)
            raise TargetError(f"{self._spec}: did not start: {reason}") from error
        except (Died, Nonsense) as error:
            raise TargetError(f"{self._spec}: did not start: {error}") from error

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
