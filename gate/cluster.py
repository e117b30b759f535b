"""
A crew on a cluster of Dask: its scheduler hands the jobs out, and again where a worker is lost.

A worker of Dask runs jobs in threads, where no time limit could be held; so each keeps processes of
its own for them, as a crew on this machine does.
"""

import contextlib
import logging
import platform
import threading
import time
import uuid
from collections import Counter
from collections.abc import Generator, Sequence
from importlib.metadata import version
from typing import Any, Self, TypeVar

from capfuzz.gate.crew import LOCAL
from capfuzz.gate.errors import UsageError
from capfuzz.gate.hand import Answer, Hand, Job, Setup
from dask import config
from distributed import CancelledError, Client, Future, KilledWorker, LocalCluster, get_worker, wait

_Result = TypeVar("_Result")
_PATIENCE = 10.0  # seconds for a scheduler to answer, and for a first worker to be there
_DESERTED = 30.0  # seconds without any worker after which none is waited for
# Nobody looks at what Dask measures of workers that only wait for their own processes.
_UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.tick.interval": "1s",
}
_LOOK = 1.0  # seconds between two looks at whether there are workers


class Cluster:
    """The workers of a scheduler, or as many as were asked for on this machine."""

    def __init__(self, address: str, setup: Setup, jobs: int) -> None:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # told in our own words
        self._address = address
        self._setup = setup
        self._campaign = uuid.uuid4().hex
        self._begun: Counter[str] = Counter()  # by job, how often a worker began it
        self._handed = 0
        self._local = _started(jobs) if address == LOCAL else None
        self._client = self._connected()

    def __enter__(self) -> Self:
        """See that there are workers, and that they would try the same cases."""
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise self._error("has no workers") from None
        here = about()
        for worker, there in self._client.run(about, on_error="return").items():
            if there != here:
                raise self._error(f"{worker} has {there}, here is {here}; the cases would differ")
        self._client.subscribe_topic(self._campaign, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        """Have the workers end what they keep for this campaign."""
        with contextlib.suppress(Exception):  # the scheduler may be gone, or a worker
            self._client.run(release, self._campaign, on_error="ignore")
        self._client.close(timeout=_PATIENCE)
        if self._local is not None:
            self._local.close()

    def each(self, jobs: Sequence[Job[_Result]]) -> Generator[Answer[_Result]]:
        """Do all and yield the answers in order; see `capfuzz.gate.crew.Crew`."""
        futures = [self._submitted(job) for job in jobs]
        try:
            for job, future in zip(jobs, futures, strict=True):
                yield self._answer(job, future)
        finally:
            with contextlib.suppress(CancelledError, OSError):
                self._client.cancel([future for future in futures if not future.done()])

    def _connected(self) -> Client:
        try:
            return Client(self._local or self._address, timeout=_PATIENCE)
        except (OSError, ValueError) as error:
            raise self._error(f"no scheduler answers there ({error})") from error

    def _submitted(self, job: Job[_Result]) -> Future[Answer[_Result]]:
        self._handed += 1
        key = f"capfuzz-{self._campaign}-{self._handed}"
        arguments = (self._campaign, key, self._setup, job)
        return self._client.submit(attempt, *arguments, key=key, pure=False, retries=1)

    def _answer(self, job: Job[_Result], future: Future[Answer[_Result]]) -> Answer[_Result]:
        """Wait for an answer; raises whatever the job did, and `UsageError` for a lost cluster."""
        self._wait_for(future)
        try:
            answer = future.result()
        except KilledWorker:
            return Answer(job.lost("took every worker of the cluster with it", hung=False))
        except (CancelledError, OSError) as error:
            raise self._error("the scheduler is gone") from error
        if self._begun[str(future.key)] == 1:
            return answer
        again = f"{job}: the worker of the cluster was lost; tried again on another"
        return Answer(answer.result, (again, *answer.notices))

    def _wait_for(self, future: Future[Any]) -> None:
        seen = time.monotonic()
        while not future.done():
            with contextlib.suppress(TimeoutError):
                wait([future], timeout=_LOOK)
            if self._client.status == "running" and self._client.nthreads():
                seen = time.monotonic()
            elif time.monotonic() - seen > _DESERTED:
                raise self._error("the scheduler is gone, or all its workers are")

    def _note(self, event: tuple[float, str]) -> None:
        self._begun[event[1]] += 1

    def _error(self, what: str) -> UsageError:
        return UsageError(f"--cluster {self._address}: {what}")


def _started(jobs: int) -> LocalCluster:
    with config.set(_UNWATCHED):
        return LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            dashboard_address=None,
            memory_limit=0,  # the memory is used elsewhere, in the processes of the workers
            silence_logs=logging.CRITICAL,
        )


# ---------------------------------------------------------------- on the workers


def about() -> str:
    """Return on what the cases depend that are tried here."""
    return (
        f"capfuzz {version('capfuzz')}, Python {platform.python_version()}, "
        f"Hypothesis {version('hypothesis')}"
    )


_LOCK = threading.Lock()
_HANDS: dict[str, list[Hand]] = {}  # by campaign, all that were made
_FREE: dict[str, list[Hand]] = {}  # and those with nothing to do


def attempt(campaign: str, key: str, setup: Setup, job: Job[_Result]) -> Answer[_Result]:
    """Do a job in a process of this worker, and let it be known that it was begun."""
    get_worker().log_event(campaign, key)
    hand = _hand(campaign, setup)
    try:
        return hand.do(job)
    finally:
        with _LOCK:
            _FREE.setdefault(campaign, []).append(hand)


def release(campaign: str) -> None:
    """End the processes that this worker keeps for a campaign."""
    with _LOCK:
        _FREE.pop(campaign, None)
        hands = _HANDS.pop(campaign, [])
    for hand in hands:
        hand.close()


def _hand(campaign: str, setup: Setup) -> Hand:
    with _LOCK:
        free = _FREE.setdefault(campaign, [])
        if free:
            return free.pop()
        hand = Hand(setup)
        _HANDS.setdefault(campaign, []).append(hand)
        return hand
