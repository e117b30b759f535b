"""Where trees are planted."""

import tempfile

import pytest


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Plant in a folder of the test's own, which is returned."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder
