"""If these fail, what a worker knows is lost when it is killed, or comes to its parent changed."""

import subprocess
import sys

from capfuzz.attacks.case import Surface
from capfuzz.fuzz import records
from capfuzz.fuzz.harness import HARNESSES
from capfuzz.fuzz.order import Order
from capfuzz.fuzz.slot import Slot
from capfuzz.targets.spec import Options, load

KILLED = """
import os, signal, sys
from pathlib import Path
from capfuzz.fuzz.records import Teller
from capfuzz.fuzz.slot import Slot
folder = Path(sys.argv[1])
slot = Slot(folder / "slot")
slot.end(6, 60)
slot.begin(b"the last \\0 input", 7, 70)
Teller(folder / "told").tell(remark="said at once")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_input_under_way_and_what_was_told_survive_a_kill(tmp_path):
    """Broken: a reproducer dies with the process that it killed."""
    slot, reader = Slot(tmp_path / "slot"), records.Reader(tmp_path / "told")
    assert (None, []) == (slot.under_way, reader.news())

    subprocess.run([sys.executable, "-c", KILLED, tmp_path], check=False)

    assert b"the last \0 input" == slot.under_way
    assert (7, 70) == slot.counts
    assert [{"remark": "said at once"}] == reader.news()
    assert [] == reader.news()


def test_a_record_that_is_not_complete_yet_is_read_later(tmp_path):
    """Broken: half a line is read as JSON, or lost."""
    reader = records.Reader(tmp_path / "told")
    (tmp_path / "told").write_bytes(b'{"a": 1}\n{"b"')
    assert [{"a": 1}] == reader.news()

    with (tmp_path / "told").open("ab") as told:
        told.write(b": 2}\n")
    assert [{"b": 2}] == reader.news()


def test_a_fault_comes_to_the_parent_as_it_was_seen():
    """Broken: the parent minimises another case than the worker saw, or under another key."""
    target = load("py:capfuzz.targets.broken.session:prefix_without_boundary", Options())
    data = b"1/workshop/secret.txt"
    (seen,) = HARNESSES["path"].look(target)(data)

    fault, told = records.to_fault(records.of_fault(seen, Surface.SESSION, data))

    assert (seen.key, seen.technique, data) == (fault.key, fault.technique, told)
    assert (seen.case.grant, seen.case.ops) == (fault.case.grant, fault.case.ops)
    assert seen.case.techniques == fault.case.techniques


def test_an_order_says_the_same_to_the_worker():
    """Broken: a worker asks the target otherwise than the command line says."""
    options = Options(surface=Surface.HOST, dialect=frozenset({"posix"}), allow_host="x.test")
    order = Order("host", "py:a:b", options, 3.0, 7, "/f", ("/c", "/d"), "/w", skipped=("00ff",))

    assert order == Order.of_text(order.to_text())
