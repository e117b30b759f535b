"""Time as injected data: the tick clock, and that nothing else tells the time."""

import ast
from itertools import islice
from pathlib import Path

import capfuzz.engine
import pytest
from capfuzz.engine import make_tick_clock

MODULES = sorted(Path(capfuzz.engine.__file__).parent.glob("*.py"))
# Nothing here opens a file or a socket, reads a clock or draws a random number.
HARMLESS = {
    *(
        "bisect",
        "collections.abc",
        "dataclasses",
        "enum",
        "errno",
        "ipaddress",
        "io",  # a buffer in memory alone
        "itertools",
    ),
    *("posixpath", "re", "sys", "threading", "types", "typing"),
}


@pytest.mark.parametrize(
    ("step", "expected"),
    [(1, [0, 1, 2, 3]), (5, [0, 5, 10, 15]), (0, [0, 0, 0, 0]), (-2, [0, -2, -4, -6])],
)
def test_a_tick_clock_steps_once_a_reading(step, expected):
    """Else a run would not take the same time twice."""
    clock = make_tick_clock(step)
    assert expected == [clock() for _ in range(4)]


def test_a_tick_is_one_unless_told_otherwise():
    """Else the default clock would spend the budget at another pace."""
    assert [0, 1, 2] == list(islice(iter(make_tick_clock(), None), 3))


def test_two_clocks_do_not_share_their_time():
    """Else one sandbox would age another."""
    first, second = make_tick_clock(), make_tick_clock()
    first()
    assert [1, 0] == [first(), second()]


def _imported(module):
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_the_engine_touches_no_real_file_socket_or_clock(module):
    """Else a run would depend on the machine, and the model would have real effects."""
    foreign = {name for name in _imported(module) if not name.startswith("capfuzz.engine")}
    assert set() == foreign - HARMLESS


def test_the_modules_of_the_engine_are_found():
    """Else the test above would pass over nothing."""
    assert {"clock", "sandbox", "world"} <= {path.stem for path in MODULES}
