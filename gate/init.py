"""``capfuzz init``: a project's section and test, written once and whole."""

import importlib.util
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capfuzz.gate.errors import UsageError
from capfuzz.gate.report import files
from capfuzz.gate.settings import FILE, read
from capfuzz.gate.toml import written

_TEST = '''\
"""Attacks on the sandbox; [tool.capfuzz] in pyproject.toml says which, and how much is tried."""


def test_sandbox(capfuzz_cell):
    capfuzz_cell.check()
'''
_NEXT = """\
wrote [tool.capfuzz] to {file}, and {test}. Next:
  pytest             # each family of attacks against each invariant{without}
  capfuzz attack     # the same as one table, with every finding

A finding that you have to live with for now:
  capfuzz baseline update capfuzz-baseline.toml --reason '...' --owner NAME --expires DAY
  and baseline = "capfuzz-baseline.toml" in [tool.capfuzz]
"""


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a project that has not used capfuzz yet: the section's, and the test's."""

    before: str
    test: str

    def write(self, settings: Mapping[str, Any]) -> None:
        """Add the section, all else left as it is, and the test; raises `UsageError`."""
        files.write(FILE, extended(self.before, settings), what="the section")
        files.write(self.test, _TEST, what="the test")

    def next_steps(self) -> str:
        """Return what to do next."""
        missing = importlib.util.find_spec("pytest") is None
        without = "; pip install pytest first" if missing else ""
        return _NEXT.format(file=FILE, test=self.test, without=without)


def prepared(test: str | None) -> Files:
    """Return the files that can be written; raises `UsageError` where one would be overwritten."""
    if test is None:
        test = "tests/test_capfuzz.py" if Path("tests").is_dir() else "test_capfuzz.py"
    if read():
        raise UsageError(f"{FILE}: has [tool.capfuzz] already; edit it there")
    if Path(test).exists():
        raise UsageError(f"{test}: is there already; name another file with --test-file")
    for path in (FILE, test):
        files.check_writable(path, what="there")
    return Files(_text(), test)


def extended(before: str, settings: Mapping[str, Any]) -> str:
    """Return the text of a TOML file with a section more; raises `UsageError` where it cannot be."""
    end = "\r\n" if "\r\n" in before else "\n"
    lines = [f"{key} = {written(value)}" for key, value in settings.items()]
    gap = "" if not before else end if before.endswith(("\n", end)) else end + end
    after = before + gap + end.join(("[tool.capfuzz]", *lines, ""))
    try:
        made = tomllib.loads(after)["tool"]["capfuzz"]
    except tomllib.TOMLDecodeError:
        made = None
    if made != settings:
        raise UsageError(f"{FILE}: cannot be added to; write by hand: {' '.join(lines)}")
    return after


def _text() -> str:
    """Return the text of the project's file with its line ends as they are; none is no text."""
    try:
        with open(FILE, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
