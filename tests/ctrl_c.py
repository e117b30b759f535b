"""Ctrl-C for a process that a test starts."""

import signal


def hear_ctrl_c():
    """Let the process hear Ctrl-C, though a shell that runs the tests in the background does not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
