"""Sharing failures: a reader replays what a writer found, and leaves what is shared as it was."""

import contextlib
import os
import shutil
import socket
import subprocess
import time

import pytest
import redis
from capfuzz.strategies import siblings
from hypothesis import given, settings
from hypothesis.database import (
    DirectoryBasedExampleDatabase,
    MultiplexedDatabase,
    ReadOnlyDatabase,
)
from hypothesis.extra.redis import RedisExampleDatabase

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


class Folder:
    """A folder that several may reach."""

    def __init__(self, place):
        self.place = place

    def database(self):
        """Return the database that is shared."""
        return DirectoryBasedExampleDatabase(self.place)

    def snapshot(self):
        """Return every file below it, with its bytes and its time."""
        found = {}
        for place, _, names in os.walk(self.place):
            for name in names:
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    found[path] = (file.read(), os.stat(path).st_mtime_ns)
        return found


class Redis:
    """A Redis server that several may reach."""

    def __init__(self, client):
        self.client = client

    def database(self):
        """Return the database that is shared."""
        return RedisExampleDatabase(self.client)

    def snapshot(self):
        """Return every example, by its test."""
        return {key: self.client.smembers(key) for key in self.client.scan_iter()}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Start a Redis of its own on loopback, and end it."""
    program = shutil.which("redis-server")
    if program is None:
        # CI installs it, so that this is tried there every time.
        (pytest.fail if os.environ.get("CI") else pytest.skip)(
            "no redis-server; apt-get install it"
        )
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    folder = str(tmp_path_factory.mktemp("redis"))
    process = subprocess.Popen(
        [program, "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", folder],
        stdout=subprocess.DEVNULL,
    )
    with redis.Redis(port=int(port)) as client:
        try:
            wait_for(client)
            yield client
        finally:
            process.terminate()
            process.wait()


def wait_for(client):
    """Wait until a server answers; the tests fail by their own assertions if it never does."""
    for _ in range(600):
        with contextlib.suppress(redis.ConnectionError):
            client.ping()
            return
        time.sleep(0.05)


@pytest.fixture(params=["folder", "redis"])
def shared(request, tmp_path):
    """Return what is shared, in which a writer has found a failure."""
    if request.param == "folder":
        made = Folder(tmp_path / "shared")
    else:
        made = Redis(request.getfixturevalue("server"))
        made.client.flushall()
    assert "/work-evil/secret.txt" == attempt(made.database(), [], 200)
    return made


@pytest.fixture
def local(tmp_path):
    """Return the folder of somebody who reads what is shared."""
    return Folder(tmp_path / "local")


def reader(shared, local):
    """Return the database of somebody who may read what is shared."""
    return MultiplexedDatabase(local.database(), ReadOnlyDatabase(shared.database()))


def test_a_reader_replays_the_shared_failure_first(shared, local):
    """A failure that CI found would have to be found again by everybody."""
    tried = []
    assert "/work-evil/secret.txt" == attempt(reader(shared, local), tried, 200)
    assert "/work-evil/secret.txt" == tried[0]


def test_a_reader_leaves_what_is_shared_as_it_was(shared, local):
    """A reader without rights would fail, and one with rights would spoil the others' runs."""
    before = shared.snapshot()
    attempt(reader(shared, local), [], 200)
    assert before == shared.snapshot()
    assert before
    assert local.snapshot()  # what was replayed is kept, locally


def test_a_failure_that_is_mended_stays_shared(shared, local):
    """A reader that has the fix would take the failure away from those who have not."""
    before, tried = shared.snapshot(), []
    assert attempt(reader(shared, local), tried, 20, judge=mended) is None
    assert "/work-evil/secret.txt" == tried[0]
    assert before == shared.snapshot()


def test_without_the_guard_a_mended_failure_is_taken_away(shared):
    """The tests above would pass whatever the database does."""
    before = shared.snapshot()
    assert attempt(shared.database(), [], 20, judge=mended) is None
    assert before != shared.snapshot()
