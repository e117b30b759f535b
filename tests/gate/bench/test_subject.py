"""A target as a function of one op: asked as in an attack, and nothing left behind."""

import os
from pathlib import Path

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.gate.bench.subject import opened, subject
from capfuzz.gate.bench.workload import workloads
from capfuzz.targets.base import TargetError
from capfuzz.targets.options import Options
from capfuzz.targets.right import RIGHT

from .made import ENGINE, made_of

READ = next(one for one in workloads() if one.name == "fs_read allowed")
FETCH = next(one for one in workloads() if one.name == "net_fetch allowed")


def test_a_path_function_is_given_its_root_and_finds_the_files():
    """A missing file would be timed instead of a granted one."""
    seen = []

    def join(root, path):
        seen.append(os.path.join(root, path))
        return Path(seen[-1]).read_bytes()

    one = made_of(join, "path")
    with opened(one, one.target.adapt(READ.case)) as ready:
        assert all(ready.allows(ready.ask(path)) for path in ready.inputs)
        assert all(map(os.path.isfile, seen))
    assert not any(map(os.path.exists, seen))


def test_a_path_function_of_a_fixed_root_is_given_the_path_alone(tmp_path):
    """``NAME(path)`` would raise TypeError, which counts as a refusal."""
    root = tmp_path / "served"
    root.mkdir()
    seen = []
    one = made_of(lambda path: seen.append(path) or str(root / path), "path", root=str(root))
    with opened(one, one.target.adapt(READ.case)) as ready:
        assert all(ready.allows(ready.ask(path)) for path in ready.inputs)
        assert all((root / path).is_file() for path in seen)
    assert [] == list(root.iterdir())


def test_an_exception_refuses_on_surfaces_of_functions():
    """A guard that raises could not be timed."""

    def guard(allowed, url):
        raise PermissionError(url)

    one = made_of(guard, "host")
    with opened(one, one.target.adapt(FETCH.case)) as ready:
        assert not ready.allows(ready.ask(ready.inputs[0]))


def test_a_host_function_is_given_the_hosts_and_a_url():
    """The URL would be checked against nothing."""
    seen = []
    one = made_of(lambda allowed, url: seen.append((allowed, url)) or True, "host")
    with opened(one, one.target.adapt(FETCH.case)) as ready:
        assert ready.allows(ready.ask(ready.inputs[0]))
    assert [(["api.internal"], "http://api.internal/status")] == seen


def test_a_session_gets_a_world_that_keeps_no_log():
    """A log that grows with every op would be timed, and fill the memory."""
    worlds = []

    class Box:
        def __init__(self, caps, world):
            worlds.append(world)

        def run(self, op):
            worlds[0].vfs.read(op[1])
            worlds[0].clock()
            return True

    with opened(made_of(Box, "session"), READ.case) as ready:
        assert ready.allows(ready.ask(ready.inputs[0]))
    assert [] == worlds[0].effects


@pytest.mark.parametrize(
    ("factory", "said"),
    [
        (lambda caps, world: 1 / 0, "the factory raised ZeroDivisionError"),
        (lambda c, w: 5, "without run"),
    ],
)
def test_a_factory_that_makes_no_session_is_told(factory, said):
    """It would be a traceback from the middle of a measurement."""
    with pytest.raises(TargetError, match=said), opened(made_of(factory, "session"), READ.case):
        pass


def test_a_spec_leads_to_its_function():
    """Something else than the target would be timed."""
    found = subject(ENGINE, Options())
    assert "engine_factory" == found.function.__name__
    assert Surface.SESSION is found.target.surface


def test_a_surface_that_cannot_be_timed_is_refused():
    """An unpacker's time is that of its archives."""
    spec = next(one.spec for one in RIGHT if one.surface is Surface.ARCHIVE)
    with pytest.raises(TargetError, match="archive targets are not timed"):
        subject(spec, Options(surface=Surface.ARCHIVE))
