"""The calls of E2B's SDK, for the program that stands between the suite and a sandbox."""

import shlex
from collections.abc import Iterator
from typing import Any

from e2b import Sandbox

_ENDING = 20.0  # seconds


class Machine:
    """A sandbox that was started for a plan, and the program in it."""

    archive = "/root/granted.tar"
    user = "user"

    def __init__(self, plan: dict[str, Any]) -> None:
        self._sandbox = Sandbox.create(
            timeout=plan["lasts"],
            allow_internet_access=plan["internet"],
            metadata={"capfuzz": plan["mark"]},
        )
        self.name = self._sandbox.sandbox_id

    def put(self, place: str, data: bytes) -> None:
        """Write a file there."""
        self._sandbox.files.write(place, data, user="root")

    def as_root(self, script: str) -> None:
        """Run a script there; raises where it fails."""
        self._sandbox.commands.run(script, user="root")

    def start(self, command: list[str]) -> None:
        """Start the program as the ordinary user."""
        self._program = self._sandbox.commands.run(
            f"cd / && exec {shlex.join(command)}",
            background=True,
            stdin=True,
            user=self.user,
            timeout=0,
        )

    def printed(self) -> Iterator[tuple[str | None, str | None]]:
        """Yield what the program prints, as it comes, until it ends."""
        for out, err, _ in self._program:
            yield out, err

    def send(self, line: str) -> None:
        """Hand the program a line."""
        self._program.send_stdin(line)

    def close_input(self) -> None:
        """Tell the program that no line will follow."""
        self._program.close_stdin()


def end(plan: dict[str, Any], name: str) -> None:
    """End a sandbox by its name, with all that runs in it."""
    del plan
    Sandbox.kill(name, request_timeout=_ENDING)
