"""A process that is asked to end does, whatever it is about."""

import signal
import subprocess
import sys

BUSY = """
import os, signal, tempfile
from capfuzz.gate.ending import vanish_when_asked

vanish_when_asked()
with tempfile._once_lock:  # as `tempfile.gettempdir` holds it, the first time
    os.kill(os.getpid(), signal.SIGTERM)
"""


def test_it_ends_while_a_temporary_folder_is_looked_up():
    """A worker would wait for a lock that it holds itself, and outlive the suite."""
    ended = subprocess.run([sys.executable, "-c", BUSY], timeout=30, check=False)
    assert ended.returncode == 128 + signal.SIGTERM
