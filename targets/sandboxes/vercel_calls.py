"""The calls of Vercel's SDK, for the program that stands between the suite and a sandbox."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from vercel.sandbox.sync import (
    NetworkPolicy,
    NetworkPolicySubnets,
    SandboxServiceOptions,
    SyncSandboxClient,
)


class Machine:
    """A sandbox that was started for a plan, and the program in it."""

    archive = "/vercel/sandbox/granted.tar"  # where its user may write, as whom files are written

    def __init__(self, plan: dict[str, Any]) -> None:
        self._sandbox = _client(plan).create_sandbox(
            execution_time_limit=plan["lasts"],
            network_policy=_policy(plan["names"], plan["ranges"]),
            persistent=False,
            tags={"capfuzz": plan["mark"]},
        )
        self.name = self._sandbox.name

    @cached_property
    def user(self) -> str:
        """The number of the user as whom the program runs."""
        return (self._ran("id", "-u").stdout or "").strip()

    def put(self, place: str, data: bytes) -> None:
        """Write a file there."""
        self._sandbox.fs.write_bytes(place, data)

    def as_root(self, script: str) -> None:
        """Run a script there; raises where it fails."""
        self._ran("sh", "-c", script, sudo=True)

    def start(self, command: list[str]) -> None:
        """Start the program as the ordinary user."""
        program, *arguments = command
        self._program = self._sandbox.create_process(
            program, arguments, cwd="/", stdin=subprocess.PIPE
        )

    def printed(self) -> Iterator[tuple[str | None, str | None]]:
        """Yield what the program prints, as it comes, until it ends."""
        errors = threading.Thread(target=self._print_errors, daemon=True)
        errors.start()
        assert self._program.stdout is not None
        for line in self._program.stdout:
            yield line, None
        errors.join()

    def send(self, line: str) -> None:
        """Hand the program a line."""
        assert self._program.stdin is not None
        self._program.stdin.write(line.encode())

    def close_input(self) -> None:
        """Tell the program that no line will follow."""
        assert self._program.stdin is not None
        self._program.stdin.close()

    def _print_errors(self) -> None:
        assert self._program.stderr is not None
        for line in self._program.stderr:
            sys.stderr.write(line)

    def _ran(self, program: str, *arguments: str, sudo: bool = False) -> Any:
        done = self._sandbox.run_process(program, arguments, sudo=sudo, capture_output=True)
        if done.returncode:
            raise RuntimeError(f"{program} failed there: {done.stderr}")
        return done


def end(plan: dict[str, Any], name: str) -> None:
    """End a sandbox by its name, with all that runs in it, and leave nothing of it."""
    sandbox = _client(plan).get_sandbox(name=name)
    try:
        sandbox.stop()
    finally:
        sandbox.destroy(delete_orphan_snapshots=True)


def _client(plan: dict[str, Any]) -> SyncSandboxClient:
    return SyncSandboxClient.create(options=SandboxServiceOptions(base_url=plan["api"]))


def _policy(names: list[str], ranges: list[str]) -> NetworkPolicy:
    if not names and not ranges:
        return NetworkPolicy.deny_all()
    return NetworkPolicy.custom(
        dict.fromkeys(names, ()), NetworkPolicySubnets(allow=ranges) if ranges else None
    )
