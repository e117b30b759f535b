"""What one fuzzing process does: libFuzzer mutates bytes, every input is looked at, faults are told."""

import os
import time
import traceback
from pathlib import Path
from typing import NoReturn

import atheris
from capfuzz.attacks.invariants import Severity
from capfuzz.fuzz.harness import HARNESSES
from capfuzz.fuzz.instrument import code_of
from capfuzz.fuzz.looking import Fault
from capfuzz.fuzz.order import Order
from capfuzz.fuzz.records import Teller, of_fault
from capfuzz.fuzz.slot import Slot
from capfuzz.gate.grouping import Key
from capfuzz.targets.base import Target, TargetError
from capfuzz.targets.processes import end_with_parent
from capfuzz.targets.spec import load

_TELL = 0.5  # seconds between two words of what was checked
_RUNS = 16  # between two looks at the clock
_TIRED = (
    "honest work that was allowed at first is refused by now, so nothing that was refused "
    "meanwhile proves anything"
)
_MOST_HANGS = 2  # each costs the time limit


def work(order: str) -> NoReturn:
    """Fuzz as ordered, and end the process."""
    end_with_parent()
    Work(Order.of_text(order)).fuzz()


class Work:
    """One process's work."""

    def __init__(self, order: Order) -> None:
        folder = Path(order.folder)
        self._order = order
        self._harness = HARNESSES[order.harness]
        self._slot = Slot(folder / "slot")
        self._teller = Teller(folder / "told")
        self._skipped = frozenset(map(bytes.fromhex, order.skipped))
        self._known: set[Key] = set()
        self._runs = 0
        self._until = self._next = 0.0
        self._target: Target | None = None

    def fuzz(self) -> NoReturn:
        """Load the target, hand over to libFuzzer, and end the process when it comes back."""
        try:
            self._target = self._loaded()
        except TargetError as error:
            self._end(problem=str(error))
        self._look = self._harness.look(self._target)
        self._worked = self._works()
        atheris.Setup(self._options(), self._attempt)
        self._until = time.monotonic() + self._order.seconds
        atheris.Fuzz()
        self._end()

    def _loaded(self) -> Target | None:
        if not self._harness.surfaces:
            return None
        if self._order.spec == "engine":  # instrumented as it was imported
            return load(self._order.spec, self._order.options)
        with code_of(self._order.spec):
            return load(self._order.spec, self._order.options)

    def _works(self) -> bool:
        return self._target is None or self._harness.works(self._target)

    def _options(self) -> list[str]:
        """Return the words that libFuzzer is started with."""
        signals = ("segv", "bus", "abrt", "ill", "fpe", "int", "term", "xfsz", "usr1", "usr2")
        return [
            "capfuzz",
            f"-seed={self._order.seed}",
            f"-max_len={self._harness.most_bytes}",
            f"-artifact_prefix={self._order.folder}/",
            f"-dict={self._order.dictionary}",
            "-use_value_profile=1",
            "-timeout=86400",  # the parent and the target's own limit look after time
            *(f"-handle_{one}=0" for one in signals),  # a death is seen by the parent as it is
            *self._order.corpora,
        ]

    def _attempt(self, data: bytes) -> None:
        if data in self._skipped:
            return
        log = self._look.log
        self._runs += 1
        self._slot.begin(data, self._runs, log.ops)
        try:
            faults = self._look(data)
        except TargetError as error:
            self._end(problem=str(error))
        except Exception:  # noqa: BLE001 - a fault of our own must not look like a verdict
            self._end(problem=f"input {data.hex()}: {traceback.format_exc()}")
        self._slot.end(self._runs, log.ops)
        for fault in faults:
            self._tell(fault, data)
        if self._runs % _RUNS == 0 or log.hangs >= _MOST_HANGS:
            self._consider(time.monotonic())

    def _tell(self, fault: Fault, data: bytes) -> None:
        if fault.key not in self._known:
            self._known.add(fault.key)
            surface = self._target.surface if self._target is not None else None
            self._teller.tell(fault=of_fault(fault, surface, data))
            if fault.key.severity is Severity.ERROR and not self._order.collect_all:
                self._end()

    def _consider(self, now: float) -> None:
        """Say what was checked every now and then, and end when the time is over."""
        if self._look.log.hangs >= _MOST_HANGS:
            self._end(remark="left out what was left of the time, since ops ran into the limit")
        if now >= self._until:
            self._end(remark=_TIRED if self._worked and not self._works() else "")
        if now >= self._next:
            self._next = now + _TELL
            self._tell_checked()

    def _tell_checked(self) -> None:
        log = self._look.log
        hits = [[list(key), hit.count] for key, hit in log.hits.items()]
        self._teller.tell(checked=log.checked, broken=log.broken, hits=hits)

    def _end(self, problem: str = "", remark: str = "") -> NoReturn:
        """Say the last words and end at once: libFuzzer would not return."""
        if hasattr(self, "_look"):
            self._tell_checked()
        if self._target is not None:
            self._target.close()
        self._teller.tell(ended=True, problem=problem, remark=remark)
        os._exit(0)
