"""Sharing failures: a reader replays what a writer found, and leaves the shared folder as it was."""

import os

import pytest
from capfuzz.strategies import siblings
from hypothesis import given, settings
from hypothesis.database import (
    DirectoryBasedExampleDatabase,
    MultiplexedDatabase,
    ReadOnlyDatabase,
)

ROOT = "/work"


class _MissedError(Exception):
    """Raised by the function under test, so that a failure has one place."""


def careless(path):
    """Take text that begins like the root for a path below it, but for plain words (CWE-187)."""
    if path.startswith(ROOT) and not path.startswith("/workshop"):
        raise _MissedError(path)


def mended(_path):
    """Take nothing for a path below the root that is none."""


def attempt(database, tried, examples, judge=careless):
    """Run the same test as writer and reader do; return what it ended on, None if it passed."""

    @settings(database=database, max_examples=examples, derandomize=False, deadline=None)
    @given(siblings(ROOT))
    def a_sibling_is_no_place_below(path):
        tried.append(path)
        judge(path)

    try:
        a_sibling_is_no_place_below()
    except _MissedError as missed:
        return str(missed)
    return None


def snapshot(folder):
    """Return every file below a folder, with its bytes and its time."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[path] = (file.read(), os.stat(path).st_mtime_ns)
    return found


@pytest.fixture
def folders(tmp_path):
    """Return a shared folder in which a writer has found a failure, and a local one."""
    shared, local = tmp_path / "shared", tmp_path / "local"
    found = attempt(DirectoryBasedExampleDatabase(shared), [], 200)
    assert found == "/work-evil/secret.txt"
    return shared, local


def reader(shared, local):
    """Return the database of somebody who may read the shared folder."""
    return MultiplexedDatabase(
        DirectoryBasedExampleDatabase(local),
        ReadOnlyDatabase(DirectoryBasedExampleDatabase(shared)),
    )


def test_a_reader_replays_the_shared_failure_first(folders):
    """A failure that CI found would have to be found again by everybody."""
    tried = []
    assert attempt(reader(*folders), tried, 200) == "/work-evil/secret.txt"
    assert tried[0] == "/work-evil/secret.txt"


def test_a_reader_leaves_the_shared_folder_as_it_was(folders):
    """A reader without rights would fail, and one with rights would spoil the others' runs."""
    shared, local = folders
    before = snapshot(shared)
    attempt(reader(shared, local), [], 200)
    assert before == snapshot(shared)
    assert before
    assert snapshot(local)  # what was replayed is kept, locally


def test_a_failure_that_is_mended_stays_in_the_shared_folder(folders):
    """A reader that has the fix would take the failure away from those who have not."""
    shared, local = folders
    before, tried = snapshot(shared), []
    assert attempt(reader(shared, local), tried, 20, judge=mended) is None
    assert tried[0] == "/work-evil/secret.txt"
    assert before == snapshot(shared)


def test_without_the_guard_a_mended_failure_is_taken_away(folders):
    """The tests above would pass whatever the database does."""
    shared, _ = folders
    before = snapshot(shared)
    assert attempt(DirectoryBasedExampleDatabase(shared), [], 20, judge=mended) is None
    assert before != snapshot(shared)
