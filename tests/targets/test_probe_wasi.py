"""The probe as a guest of wasmtime: what it tries really happens where everything is opened."""

import json

import pytest
from capfuzz.attacks.kernel import FAR, KINDS
from capfuzz.attacks.vectors import CORPUS, load
from capfuzz.targets.sandboxes.wasm import OFFERED, Wasmtime

from ..absent import absent  # noqa: TID252 - it stands there once
from .landing import landed

KERNEL = load(sorted(CORPUS.glob("kernel-*.json")))
# Nothing is inherited, no environment is given, and the root of a process is a link that it never follows.
OUT_OF_REACH = {"env_read", "fds_inherited", "proc_root"}


class Open(Wasmtime):
    """wasmtime with the whole machine opened to its guest."""

    def render(self, grant, layout):
        """Return the root as the one folder that is opened."""
        rendered = super().render(grant, layout)
        rendered.files["preopens.json"] = json.dumps([["/", True]])
        return rendered


def here():
    """Tell that wasmtime is here; CI may not go without."""
    missing = Wasmtime().unavailable()
    if missing:
        absent(f"wasmtime was NOT tried: {missing}")


@pytest.mark.slow
def test_every_attack_lands_where_everything_is_opened():
    """An attack that cannot land would be held, and prove nothing."""
    here()
    attacks = [one for one in KERNEL if not one.is_control]
    found = landed(Open(), attacks, lambda _, case: case.ops[-1][0])
    assert {kind for kind, hits in found.items() if not all(hits)} == OUT_OF_REACH
    tried = {op[0] for vector in KERNEL for op in vector.case.ops} & OFFERED
    assert tried - {"fs_mkdir", "fs_symlink", "fs_link"} <= {*found}


def test_what_the_guest_tries_is_what_is_said():
    """An op that is never tried would be held."""
    here()
    from capfuzz.targets.probe.wasi import OPS

    assert {*OPS} == OFFERED
    assert {*KINDS} == OFFERED | {*FAR} | {kind for kind in Wasmtime.cannot if kind in KINDS}
