"""Every faulty target shows its fault once, by an effect, and nothing else is wrong with it."""

import importlib
from pathlib import Path
from typing import Any

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.attacks.invariants import INVARIANTS
from capfuzz.targets.broken import FAULTS

from .common_plays import accepted, happened, play
from .session_plays import PLAYS
from .surface_plays import ALLOWED, HONEST_PATHS, HONEST_URLS, PATHS, URLS, asked, lets_out, plant


def _of(surface: Surface) -> list[Any]:
    return [pytest.param(fault, id=fault.name) for fault in FAULTS if fault.surface is surface]


def _target(fault: Any) -> Any:
    module, _, name = fault.spec.removeprefix("py:").partition(":")
    return getattr(importlib.import_module(module), name)


def _blocks(fault: Any) -> bool:
    return "control-allowed" in fault.breaks


@pytest.mark.parametrize("fault", _of(Surface.SESSION))
def test_session_shows_its_fault(fault: Any) -> None:
    """A target that hid its fault would teach nothing: an attack could not be blamed to miss it."""
    assert PLAYS[fault.name](_target(fault))


@pytest.mark.parametrize("fault", _of(Surface.SESSION))
def test_session_is_usable_otherwise(fault: Any) -> None:
    """A target that refused everything, or let everything through, would be found by anything."""
    assert play(("tool", "summarize"), shows=accepted())(_target(fault))
    outside = play(
        ("fs_write", "/srv/x", "x"), shows=happened("write", "/srv/x"), fs_read=("/work", "/srv/in")
    )
    assert (fault.name == "write_before_check") == outside(_target(fault))


@pytest.mark.parametrize("fault", _of(Surface.PATH))
def test_path_shows_its_fault(fault: Any, tmp_path: Path) -> None:
    """A target that hid its fault would teach nothing: an attack could not be blamed to miss it."""
    root = plant(tmp_path)
    if _blocks(fault):
        assert not all(asked(_target(fault), root, path) for path in HONEST_PATHS)
    else:
        assert lets_out(_target(fault), root, PATHS[fault.name].format(top=tmp_path))


@pytest.mark.parametrize("fault", _of(Surface.PATH))
def test_path_has_one_fault(fault: Any, tmp_path: Path) -> None:
    """A target with two faults could be found for the wrong one."""
    root = plant(tmp_path)
    assert asked(_target(fault), root, "a.txt")
    if fault.name == "no_check":
        return
    same = {PATHS.get(fault.name), *_KIN.get(fault.name, ())}
    others = [path.format(top=tmp_path) for path in PATHS.values() if path not in same]
    assert not [path for path in others if lets_out(_target(fault), root, path)]


# The same fault reads these wrongly too.
_KIN = {
    "prefix_without_boundary": {PATHS["common_prefix_of_characters"]},
    "common_prefix_of_characters": {PATHS["prefix_without_boundary"]},
    "yes_no_prefix": {PATHS["common_prefix_of_characters"]},
    "parent_of_missing": {PATHS["loop_ends_resolution"]},
    "dotdot_only_at_start": {PATHS["climb_behind_newline"], PATHS["dot_counts_as_depth"]},
    "depth_judged_at_end": {PATHS["root_name_among_parts"]},
}


@pytest.mark.parametrize("fault", _of(Surface.HOST))
def test_host_shows_its_fault(fault: Any) -> None:
    """A target that hid its fault would teach nothing: an attack could not be blamed to miss it."""
    if _blocks(fault):
        assert not all(asked(_target(fault), ALLOWED, url) for url in HONEST_URLS)
    else:
        assert asked(_target(fault), ALLOWED, URLS[fault.name])


@pytest.mark.parametrize("fault", _of(Surface.HOST))
def test_host_is_usable_otherwise(fault: Any) -> None:
    """A target that refused everything, or let everything through, would be found by anything."""
    assert asked(_target(fault), ALLOWED, "http://ok.test/")
    assert not asked(_target(fault), ALLOWED, "http://evil.test/")


def test_registry_is_sound() -> None:
    """A fault that names no invariant, or one that does not exist, could never be confirmed."""
    names = [fault.spec for fault in FAULTS]
    assert len(set(names)) == len(names)
    assert not [fault.name for fault in FAULTS if not set(fault.breaks) <= set(INVARIANTS)]
    assert all(fault.breaks and fault.modelled_on for fault in FAULTS)
    # Leaky sandboxes of the system are in tests/targets/test_leaky.py: they are configurations.
    assert set(Surface) - {Surface.COMMAND} == {fault.surface for fault in FAULTS}


def test_a_third_of_the_faults_need_a_sequence() -> None:
    """Attacks that try one op at a time would look better than they are."""
    sequences = [fault for fault in FAULTS if fault.in_sequence]
    assert len(_of(Surface.SESSION)) <= 3 * len(sequences)
    assert {Surface.SESSION} == {fault.surface for fault in sequences}


@pytest.mark.parametrize(
    "fault", [one for one in _of(Surface.SESSION) if one.values[0].in_sequence]
)
def test_two_sessions_share_no_memory(fault: Any) -> None:
    """State outside the session would make a finding depend on what ran before it."""
    first, second = (PLAYS[fault.name](_target(fault)) for _ in range(2))
    assert first is second is True
    assert play(("tool", "summarize"), shows=accepted())(_target(fault))
    assert not play(("fs_read", "/etc/passwd"), shows=accepted())(_target(fault))
