"""Who does the tasks of a campaign: processes of this machine, as many as were asked for."""

import queue
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol, Self, TypeVar

from capfuzz.gate.errors import UsageError
from capfuzz.gate.hand import Answer, Hand, Job, Setup
from capfuzz.gate.workers import cores
from capfuzz.targets.options import Options

_Result = TypeVar("_Result")
LOCAL = "local"  # where an address could stand: a cluster that is started here, and ended


class Crew(Protocol):
    """Whoever does jobs elsewhere than in this process."""

    def each(self, jobs: Sequence[Job[_Result]]) -> Generator[Answer[_Result]]:
        """
        Do all, as many at once as there are hands, and yield the answers in the jobs' order.

        Closed early, it leaves out what nobody has begun. Raises `TargetError` where nothing can be
        measured.
        """


@dataclass(frozen=True, slots=True)
class Hands:
    """
    How many processes were asked for, and on which cluster.

    ``cluster`` is the address of a scheduler of Dask, or ``local`` for one that is started here.
    """

    jobs: int | None = None
    cluster: str | None = None

    def check(self, options: Options) -> None:
        """Raise `UsageError` where the processes could not do what was asked."""
        if self.cluster is not None and find_spec("distributed") is None:
            raise UsageError("--cluster: needs Dask's scheduler; pip install 'capfuzz[cluster]'")
        if self.cluster not in {None, LOCAL} and self.jobs is not None:
            raise UsageError(
                f"-j {self.jobs}: the cluster at {self.cluster} has the workers that it has; "
                "leave -j away"
            )
        if options.root is not None and (self.cluster is not None or (self.jobs or 1) > 1):
            raise UsageError(
                f"--root {options.root}: several processes would plant in the same folder and "
                "take each other's canaries away; leave -j and --cluster away"
            )


@contextmanager
def crew_of(hands: Hands, setup: Setup) -> Iterator[Crew | None]:
    """Gather a crew, and end it; None where all is to be done in this process."""
    if hands.cluster is not None:
        from capfuzz.gate.cluster import Cluster  # noqa: PLC0415 - an extra

        with Cluster(hands.cluster, setup, hands.jobs or cores()) as cluster:
            yield cluster
    elif (hands.jobs or 1) > 1:
        with Local(setup, hands.jobs or 1) as local:
            yield local
    else:
        yield None


class Local:
    """A number of processes on this machine."""

    def __init__(self, setup: Setup, jobs: int) -> None:
        self._hands = [Hand(setup) for _ in range(jobs)]
        self._free: queue.SimpleQueue[Hand] = queue.SimpleQueue()
        for hand in self._hands:
            self._free.put(hand)
        # A thread only waits for its process.
        self._threads = ThreadPoolExecutor(jobs)

    def each(self, jobs: Sequence[Job[_Result]]) -> Generator[Answer[_Result]]:
        """Do all and yield the answers in order; see `Crew`."""
        answers = [self._threads.submit(self._do, job) for job in jobs]
        try:
            for answer in answers:
                yield answer.result()
        finally:
            for answer in answers:
                answer.cancel()

    def __enter__(self) -> Self:
        """Have all processes load what they need."""
        for hand in self._hands:
            hand.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes, whatever they do."""
        for hand in self._hands:
            hand.close()
        self._threads.shutdown(cancel_futures=True)

    def _do(self, job: Job[_Result]) -> Answer[_Result]:
        hand = self._free.get()
        try:
            return hand.do(job)
        finally:
            self._free.put(hand)
