"""The worker processes of a campaign: started, watched, replaced when they die, ended."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

from capfuzz.fuzz.deaths import HUNG, ended_by
from capfuzz.fuzz.order import Order
from capfuzz.fuzz.records import Reader
from capfuzz.fuzz.slot import Slot
from capfuzz.targets.planted import sweep
from capfuzz.targets.processes import MARK, note

_GRACE = 5.0  # seconds beyond the time limits until a run is taken for one that never ends
_MOST_OPS = 80
_MOST_DEATHS = 5  # of one worker; each costs a start
_SEED_STEP = 7_919  # so that a worker that is started again goes another way


class Death(NamedTuple):
    """The input at which a process ended or hung, None where it was not at one, and how."""

    data: bytes | None
    how: str


@dataclass(slots=True)
class Worker:
    """One process after the other that does one share of the work."""

    order: Order
    base: str
    last: dict[str, Any] = field(default_factory=dict)  # its latest word of what was checked
    deaths: int = 0
    over: bool = False
    process: subprocess.Popen[bytes] = field(init=False)
    _until: float = field(init=False)
    _slot: Slot = field(init=False)
    _reader: Reader = field(init=False)

    def __post_init__(self) -> None:
        """Start the process."""
        self._until = time.monotonic() + self.order.seconds
        self._start()

    def _start(self) -> None:
        folder = Path(self.order.folder)
        folder.mkdir()
        self._slot, self._reader = Slot(folder / "slot"), Reader(folder / "told")
        words = (self.order.harness, self.order.spec, self.order.to_text())
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(  # noqa: S603 - this interpreter, our own module
                # -P: what stands in the folder of the user must not be taken for the library.
                [sys.executable, "-P", "-m", "capfuzz.fuzz.worker", *words],
                env={**os.environ, MARK: self.base},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the parent, who ends it
            )

    @property
    def counts(self) -> tuple[int, int]:
        """Runs and ops of the process that runs now, or of the last."""
        return self._slot.counts

    def look(self) -> Iterator[dict[str, Any] | Death]:
        """Yield what it has told and how it died, if it has; start it again for what is left."""
        ended = self.process.poll() is not None
        hung = not ended and self._overdue()
        if hung:
            self.end()
        yield from self._told()
        if (ended or hung) and not self.over:
            self.over = True
            yield self._died(HUNG if hung else ended_by(_status(self.process)))

    def _told(self) -> Iterator[dict[str, Any]]:
        for record in self._reader.news():
            if "checked" in record:
                self.last = record
            else:
                self.over = self.over or "ended" in record
                yield record

    def _died(self, how: str) -> Death:
        return Death(self._slot.under_way, how)

    def _overdue(self) -> bool:
        """Tell whether the run under way takes longer than all of its ops may."""
        limit = self.order.options.op_limit * (_MOST_OPS + 1) + _GRACE
        if self.order.harness in {"path", "host", "corpus-file"}:
            limit = self.order.options.op_limit + _GRACE
        return 0 < self._slot.began < time.monotonic() - limit

    def again(self, skipped: bytes) -> "Worker | None":
        """Return a worker for the time that is left, which leaves an input out."""
        left = self._until - time.monotonic()
        if left <= 0 or self.deaths + 1 >= _MOST_DEATHS:
            return None
        order = replace(
            self.order,
            seconds=left,
            seed=self.order.seed + _SEED_STEP,
            folder=f"{self.order.folder}+",
            skipped=(*self.order.skipped, skipped.hex()),
        )
        return Worker(order, self.base, deaths=self.deaths + 1)

    def end(self) -> None:
        """End the process and remove what it planted."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        sweep(self.process.pid)

    def log(self) -> str:
        """Return what the process printed."""
        return Path(self.order.folder, "log").read_text(encoding="utf-8", errors="replace")


def _status(process: subprocess.Popen[bytes]) -> int:
    """Return the wait status that ``returncode`` stands for."""
    code = process.returncode
    return -code if code < 0 else code << 8


class Pool:
    """Workers that share a corpus; leaving the block ends them all."""

    def __init__(self, orders: list[Order], base: str) -> None:
        note(base)
        self._orders = orders
        self._base = base
        self.workers: list[Worker] = []
        self._done: list[Worker] = []

    def __enter__(self) -> Self:
        """Start the workers; one that cannot be started ends the others."""
        with ExitStack() as stack:
            stack.callback(self.close)
            self.workers += [Worker(order, self._base) for order in self._orders]
            stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers."""
        self.close()

    def close(self) -> None:
        """End every process."""
        for worker in self.workers:
            worker.end()

    def look(self) -> Iterator[dict[str, Any] | Death]:
        """Yield what there is to tell since the last look."""
        for index, worker in enumerate(self.workers):
            for event in worker.look():
                yield event
                if isinstance(event, Death) and event.data is not None:
                    self._replace(index, event.data)

    def _replace(self, index: int, skipped: bytes) -> None:
        old = self.workers[index]
        old.end()
        new = old.again(skipped)
        if new is not None:
            self._done.append(old)
            self.workers[index] = new

    @property
    def everyone(self) -> list[Worker]:
        """All workers, those that died included."""
        return [*self._done, *self.workers]

    @property
    def runs(self) -> int:
        """Inputs tried so far."""
        return sum(worker.counts[0] for worker in self.everyone)

    @property
    def ops(self) -> int:
        """Ops tried so far."""
        return sum(worker.counts[1] for worker in self.everyone)

    @property
    def coverage(self) -> int:
        """The most edges that a worker has covered, as libFuzzer last told."""
        told = [re.findall(r"cov: (\d+)", worker.log()) for worker in self.workers]
        return max((int(one[-1]) for one in told if one), default=0)

    def last_words(self) -> str:
        """Return the last line that the first worker printed."""
        return (self.workers[0].log().strip().splitlines() or ["it printed nothing"])[-1]

    @property
    def over(self) -> bool:
        """Whether every worker has come to its end."""
        return all(worker.over for worker in self.workers)
