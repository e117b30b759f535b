"""Where a target is written: a wrong line sends a reader to the wrong code."""

import os

import pytest
from capfuzz.gate.events import Source
from capfuzz.gate.source import source_of


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Stand in an empty project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_target_of_the_project_has_its_file_and_its_lines(here):
    """An annotation on a pull request would stand beside the fault."""
    (here / "srcpkg").mkdir()
    (here / "srcpkg" / "paths.py").write_text(
        "import os\n\n\ndef join(root, path):\n    return 1\n"
    )
    assert Source("srcpkg/paths.py", 4, 5) == source_of("py:srcpkg.paths:join")


@pytest.mark.parametrize(
    "spec", ["engine", "py:os.path:join", "py:os:stat", "http://127.0.0.1:1/", "mcp:true"]
)
def test_what_lies_elsewhere_has_no_place_in_the_project(here, spec):
    """A report would name a file that nobody has, or differ between machines."""
    assert os.listdir(here) == []
    assert source_of(spec) is None
