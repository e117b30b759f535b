"""The process that does jobs: what runs in it from its beginning to its end."""

import os
import select
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from capfuzz.gate.ending import vanish_when_asked
from capfuzz.gate.hand import Outcome, Setup
from capfuzz.gate.supervise import Heart
from capfuzz.gate.tasks import Ground
from capfuzz.gate.watched import load
from capfuzz.targets.base import TargetError
from capfuzz.targets.planted import scratch, sweep
from hypothesis.configuration import set_hypothesis_home_dir

_IDLE = 60.0  # seconds without a job after which nobody seems to need it


def main(connection: int, beats: int, temporary: str) -> None:
    """Do jobs that come in over a descriptor; ``beats`` is the file of a heart; see `ending`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this process hears it, too
    vanish_when_asked(temporary)
    threading.Thread(target=_end_with_peer, args=(connection,), daemon=True).start()
    os.dup2(2, 1)  # standard output is for the reports
    set_hypothesis_home_dir(scratch())  # it would leave a folder where the user stands
    try:
        _serve(Connection(connection), Heart(beats))
    except EOFError:  # nobody is there any more
        pass
    finally:
        sweep(os.getpid())


def _end_with_peer(connection: int) -> None:
    """Wait until whoever hands over the jobs is gone, and end this process."""
    watch = select.poll()
    watch.register(connection, 0)  # a hang-up is told unasked
    watch.poll()
    os.kill(os.getpid(), signal.SIGTERM)


def _serve(connection: "Connection[Any, Any]", heart: Heart) -> None:
    setup = connection.recv()
    _stand(setup)
    made = _outcome(partial(_ground, setup, heart))  # before there is a job
    while connection.poll(_IDLE):
        job = connection.recv()
        connection.send(_outcome(partial(job.done, made.result)) if made.result else made)


def _outcome(work: Callable[[], object]) -> Outcome:
    try:
        return Outcome(work())
    except TargetError as error:
        return Outcome(unmeasured=str(error))
    except Exception:  # noqa: BLE001 - it is told where all is told
        return Outcome(fault=traceback.format_exc())


def _stand(setup: Setup) -> None:
    """Look for modules and files where the command was given, if that is a place here."""
    if os.path.isdir(setup.folder):
        os.chdir(setup.folder)
    sys.path += [place for place in setup.path if place not in sys.path]


def _ground(setup: Setup, heart: Heart) -> Ground:
    return Ground(load(setup.spec, setup.options, heart), setup.plan())
