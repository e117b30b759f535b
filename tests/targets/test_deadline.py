"""The program around a sandbox that ends nothing: at the deadline nothing of the command is left."""

import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from capfuzz.targets import probe
from capfuzz.targets.outlived import marked

PROGRAM = (sys.executable, "-S", str(Path(probe.__file__).with_name("deadline.py")))
LIVES = "import time; time.sleep(30)"
APART = f"import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        {LIVES}\n"
ANOTHER = """\
import os, time
end = time.monotonic() + 30
while time.monotonic() < end:
    if os.fork():
        os._exit(0)
    os.setsid()
"""
DEAF = f"import signal\nfor one in (1, 2, 15, 18): signal.signal(one, signal.SIG_IGN)\n{LIVES}"
LEFT = {"deaf": DEAF, "apart": f"{APART}{LIVES}", "apart and alone": APART, "another": ANOTHER}


@pytest.fixture
def mark():
    """Return a name that stands in command lines; what bears it is ended afterwards."""
    made = secrets.token_hex(16)
    yield made
    for pid in marked(made):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("kind", LEFT)
def test_nothing_is_left_at_the_deadline(kind, mark):
    """A program could go on in a session of its own, where no group is ended."""
    inside = (sys.executable, "-S", "-c", f"{LEFT[kind]}\n# {mark}")
    subprocess.run([*PROGRAM, "1", *inside], check=False, timeout=25)
    assert [] == marked(mark)


@pytest.mark.parametrize(
    ("script", "status"), [("exit 3", 3), ("kill -9 $$", 137), ("sleep 30", 137), ("true", 0)]
)
def test_it_exits_as_the_command_does(script, status):
    """Whoever looks at the status would not know whether it failed, or was ended."""
    assert status == subprocess.run([*PROGRAM, "1", "sh", "-c", script], check=False).returncode


def test_a_command_that_is_not_there_is_told():
    """A traceback would be the only answer."""
    done = subprocess.run([*PROGRAM, "1", "no-such"], capture_output=True, text=True, check=False)
    assert (127, "deadline: no-such: No such file or directory\n") == (done.returncode, done.stderr)


def test_a_deadline_beyond_all_numbers_is_one():
    """A grant without a limit of its own would be a traceback."""
    done = subprocess.run([*PROGRAM, str(10**30), "echo", "done"], capture_output=True, check=False)
    assert (0, b"done\n") == (done.returncode, done.stdout)


def test_a_command_hears_that_nobody_reads_its_output():
    """``yes | head`` would fail with a message instead of ending."""
    with subprocess.Popen([*PROGRAM, "20", "yes"], stdout=subprocess.PIPE) as process:
        assert b"y\n" == process.stdout.readline()
        process.stdout.close()
        assert 128 + signal.SIGPIPE == process.wait(15)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_ends_all_where_it_is_asked_to_end(end, mark):
    """Ctrl-C would end what is seen, and leave what has hidden itself."""
    inside = (sys.executable, "-S", "-c", f"{LEFT['apart']}\n# {mark}")
    with subprocess.Popen([*PROGRAM, "25", *inside]) as process:
        _seen(mark, 3)
        process.send_signal(end)
        assert 137 == process.wait(15)
    assert [] == marked(mark)


def test_it_ends_all_with_whoever_started_it(mark):
    """What was started by a program that is killed outright would go on."""
    inside = (sys.executable, "-S", "-c", f"{LEFT['apart']}\n# {mark}")
    starting = f"import subprocess; subprocess.run({[*PROGRAM, '25', *inside]!r})"
    with subprocess.Popen([sys.executable, "-S", "-c", starting]) as process:
        _seen(mark, 5)
        process.kill()
    deadline = time.monotonic() + 15
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [] == marked(mark)


def _seen(mark, number):
    """Wait until so many processes bear a mark, the program itself among them."""
    deadline = time.monotonic() + 15
    while len(marked(mark)) < number and time.monotonic() < deadline:
        time.sleep(0.02)
    assert number <= len(marked(mark))
