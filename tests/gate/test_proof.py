"""Attacks that did not land without a sandbox prove nothing where one refuses them."""

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.attacks.vectors import CORPUS, load
from capfuzz.gate import proof
from capfuzz.gate.plan import Plan
from capfuzz.gate.proof import control_of
from capfuzz.gate.tasks import Ground
from capfuzz.targets import TargetError
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.control import Control
from capfuzz.targets.sandboxes.bare import Bare

KERNEL = load(sorted(CORPUS.glob("kernel-*.json")))


class Still:
    """A heart that nobody listens to."""

    def beat(self, limit):
        """Promise nothing."""

    def rest(self):
        """Promise nothing any more."""


class Asked:
    """A target that is never asked."""

    spec = "asked"

    def __init__(self, surface):
        self.surface = surface


def _tried(unproven):
    """Return the kinds of op in the attacks, and how many controls there are."""
    target = CommandTarget("bare", Bare())
    try:
        ground = Ground(target, Plan(KERNEL, unproven=frozenset(unproven)))
    finally:
        target.close()
    return {op[0] for case in ground.attacks for op in case.ops}, len(ground.controls)


def test_an_attack_that_proves_nothing_is_not_tried():
    """It would count as held."""
    everything, controls = _tried(())
    assert (everything - {"net_tcp", "priv_bpf"}, controls) == _tried({"net_tcp", "priv_bpf"})


def test_a_target_that_is_no_sandbox_needs_no_control_run(monkeypatch):
    """Each attack on a function would take seconds more, or need rights."""
    monkeypatch.setattr(proof, "control", lambda: pytest.fail("it was run"))
    assert Control() == control_of(Asked(Surface.PATH), Still())


def test_nothing_is_measured_where_a_file_cannot_be_read_without_a_sandbox(monkeypatch):
    """Every sandbox would hold."""
    made = Control(frozenset({"fs_read"}), "fs_read: not tried")
    monkeypatch.setattr(proof, "control", lambda: made)
    with pytest.raises(TargetError, match="asked: fs_read: not tried"):
        control_of(Asked(Surface.COMMAND), Still())
