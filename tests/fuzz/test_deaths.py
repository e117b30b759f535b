"""If these fail, a target that ends its process is not told of, or one that lives is accused."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from capfuzz.fuzz import deaths


def killed():
    """Be ended by a signal."""
    os.kill(os.getpid(), signal.SIGKILL)


def left():
    """End the process."""
    os._exit(7)


@pytest.mark.parametrize(
    ("attempt", "how"),
    [
        (killed, "was ended by SIGKILL"),
        (left, "ended itself with exit status 7"),
        (lambda: None, None),
        (lambda: 1 / 0, None),
        (lambda: time.sleep(60), deaths.HUNG),
    ],
    ids=["killed", "left", "lives", "raises", "hangs"],
)
def test_how_a_process_ends(attempt, how):
    """Broken: a death is taken for a life or the other way round."""
    assert how == deaths.death(attempt, 1.0 if how == deaths.HUNG else 30.0)


def test_no_process_is_left():
    """Broken: children of attempts stay as zombies, or run on."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = children.read_text()  # other tests may have some that serve them to the end
    deaths.death(lambda: time.sleep(60), 0.2)
    deaths.death(lambda: sys.exit(3), 30.0)
    assert before == children.read_text()
