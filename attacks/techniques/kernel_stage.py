"""The stage of attacks on sandboxes of the system: places, and how a scenario is made of them."""

from typing import Any

from capfuzz.attacks.techniques.registry import Kind, techniques_for
from capfuzz.attacks.techniques.scenario_model import DENIED, Op, Ops, Scenario

READ = ("fs_read", "/work/data.txt")
READABLE = "/work/data.txt"
WRITABLE = "/work/out/report.txt"
# Outside: far away, beside the root and sharing its letters, and a file beside the folder.
OUTSIDE = ("/other/secret.txt", "/workshop/secret.txt", "/work_secret")

kernel = techniques_for(Kind.SCENARIO, "command")


def tried(*ops: Op, means: str, control: Ops = (READ,), **more: Any) -> Scenario:
    """Return ops that no sandbox may let happen, and honest ones of the same kind."""
    return Scenario(ops=ops, verdict=DENIED * len(ops), control=control, means=means, **more)
