"""How far fuzzing has come: a line that moves on a terminal, plain lines every now and then in CI."""

import time
from typing import Self

from rich.console import Console
from rich.status import Status

_PLAIN = 10.0  # seconds between two plain lines
_MOVING = 0.5


class Ticker:
    """Shows runs a second, coverage and faults."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = Status("fuzzing", console=console) if console.is_terminal else None
        self._began = time.monotonic()
        self._next = self._began + (_MOVING if console.is_terminal else _PLAIN)

    def __enter__(self) -> Self:
        """Begin to draw."""
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the terminal clean."""
        if self._status is not None:
            self._status.stop()

    def due(self) -> bool:
        """Tell whether it is time for another line."""
        return time.monotonic() >= self._next

    def show(self, runs: int, coverage: int, faults: int, *, last: bool = False) -> None:
        """Show one line; the last one stays."""
        now = time.monotonic()
        passed = now - self._began
        reached = f", coverage {coverage}" if coverage else ""  # told once the seeds are through
        rate = runs / passed
        line = f"fuzzing: {passed:.0f} s, {runs} runs ({rate:.0f}/s){reached}, faults {faults}"
        self._next = now + (_PLAIN if self._status is None else _MOVING)
        if last or self._status is None:
            self._console.print(line, highlight=False, soft_wrap=True)
        else:
            self._status.update(line)
