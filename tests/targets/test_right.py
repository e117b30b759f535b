"""Right targets in several styles: none shows any of the faults, and all allow honest work."""

import importlib
from pathlib import Path
from typing import Any

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.targets.right import RIGHT
from capfuzz.targets.right.path import clamping_join

from .common_plays import HONEST, accepted, happened, play, refused, times
from .session_plays import PLAYS
from .surface_plays import (
    ALLOWED,
    HONEST_PATHS,
    HONEST_URLS,
    MORE_PATHS,
    MORE_URLS,
    PATHS,
    URLS,
    asked,
    lets_out,
    plant,
)


def _of(surface: Surface) -> list[Any]:
    return [pytest.param(right, id=right.name) for right in RIGHT if right.surface is surface]


def _target(right: Any) -> Any:
    module, _, name = right.spec.removeprefix("py:").partition(":")
    return getattr(importlib.import_module(module), name)


SESSION, PATH, HOST = map(_of, (Surface.SESSION, Surface.PATH, Surface.HOST))


@pytest.mark.parametrize("right", SESSION)
@pytest.mark.parametrize("name", PLAYS)
def test_session_has_no_fault(right: Any, name: str) -> None:
    """A right target with a fault would turn true findings into false alarms."""
    assert not PLAYS[name](_target(right))


@pytest.mark.parametrize("right", SESSION)
@pytest.mark.parametrize(
    "op",
    [
        HONEST,
        ("fs_read", "/work/./out//old.txt"),
        ("fs_read", "/work/backup..2024.json"),
        ("fs_read", "/work/inside"),
        ("fs_write", "/work/out/new/deep.txt", b"x"),
        ("net_fetch", "API.Internal.", "/"),
        ("tool", "summarize", "text"),
    ],
    ids=str,
)
def test_session_allows_honest_work(right: Any, op: tuple[Any, ...]) -> None:
    """A right target that over-blocked would hide what the controls are for."""
    links = {"/work/inside": "data.txt"}
    odd = right.name == "picky" and "//" in op[1]
    assert play(op, shows=refused() if odd else accepted(), links=links)(_target(right))


@pytest.mark.parametrize("right", SESSION)
def test_session_reads_through_a_linked_grant(right: Any) -> None:
    """A grant whose own prefix is a link would grant nothing."""
    linked = play(
        ("fs_read", "/tmp/data.txt"),
        shows=happened("read", "/work/data.txt"),
        links={"/tmp": "/work"},
        fs_read=("/tmp",),
    )
    assert linked(_target(right))


@pytest.mark.parametrize("right", SESSION)
def test_session_grants_everything_to_a_slash(right: Any) -> None:
    """A grant of ``/`` would be compared with ``//`` and grant nothing."""
    assert play(("fs_read", "/etc/passwd"), shows=accepted(), fs_read=("/",))(_target(right))


@pytest.mark.parametrize("right", SESSION)
def test_session_does_nothing_after_a_halt(right: Any) -> None:
    """A refusal would come after the effect, which it cannot take back."""
    late = play(
        HONEST,
        ("fs_write", "/work/out/late", "x"),
        shows=happened("write", "/work/out/late"),
        max_output_bytes=3,
    )
    assert not late(_target(right))


@pytest.mark.parametrize("right", SESSION)
def test_session_takes_an_address_only_as_it_prints(right: Any) -> None:
    """A dot that is taken off a name would be taken off an address too."""
    dotted = play(("net_fetch", "10.0.0.1.", "/"), shows=times("fetch", 1), net_hosts=("10.0.0.1",))
    assert not dotted(_target(right))


@pytest.mark.parametrize("right", SESSION)
def test_session_survives_hostile_values(right: Any) -> None:
    """Something that no op is made of would raise out of ``run``."""
    ops = (None, 7, [], (), ("fs_read", b"/work"), _Evil(), _EvilTuple(("fs_read", "/work")))
    seen = play(*ops, shows=lambda trace: any(s.answer.ok or s.answer.raised for s in trace.steps))
    assert not seen(_target(right))


class _Evil:
    @property
    def __class__(self) -> type:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None


class _EvilTuple(tuple[Any, ...]):
    __slots__ = ()

    def __iter__(self) -> Any:
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError

    def __getitem__(self, index: Any) -> Any:
        raise RuntimeError


@pytest.mark.parametrize("right", PATH)
def test_path_lets_nothing_out(right: Any, tmp_path: Path) -> None:
    """A right target with a fault would turn true findings into false alarms."""
    root = plant(tmp_path)
    links = {"out", "dangling", "loop/../out", "away/secret.txt", "sub/absolute"}
    paths = {path.format(top=tmp_path) for path in (*PATHS.values(), *MORE_PATHS)}
    tried = paths - links if "links" in right.not_promised else paths
    assert not [path for path in sorted(tried) if lets_out(_target(right), root, path)]


@pytest.mark.parametrize("right", PATH)
def test_path_allows_honest_work(right: Any, tmp_path: Path) -> None:
    """A right target that over-blocked would hide what the controls are for."""
    root = plant(tmp_path)
    assert not [path for path in HONEST_PATHS if not asked(_target(right), root, path)]


def test_clamping_takes_the_root_for_a_slash(tmp_path: Path) -> None:
    """An absolute link would be followed from its own folder, to another file of the root."""
    root = plant(tmp_path)
    assert f"{root}/a.txt" == clamping_join(root, "sub/absolute")


@pytest.mark.parametrize("right", HOST)
@pytest.mark.parametrize("url", [*URLS.values(), *MORE_URLS])
def test_host_refuses(right: Any, url: str) -> None:
    """A right target with a fault would turn true findings into false alarms."""
    assert not asked(_target(right), ALLOWED, url)


@pytest.mark.parametrize("right", HOST)
@pytest.mark.parametrize("url", HONEST_URLS)
def test_host_allows_honest_work(right: Any, url: str) -> None:
    """A right target that over-blocked would hide what the controls are for."""
    assert asked(_target(right), ALLOWED, url)


@pytest.mark.parametrize("right", HOST)
def test_host_without_a_grant_allows_nothing(right: Any) -> None:
    """An empty list would be taken for one that allows everything."""
    assert not asked(_target(right), [], "http://ok.test/")


def test_styles_differ() -> None:
    """One style under several names would prove less than it seems to."""
    assert len(RIGHT) == len({right.style for right in RIGHT})
    assert min(len(SESSION) - 6, len(PATH) - 5, len(HOST) - 4) >= 0
