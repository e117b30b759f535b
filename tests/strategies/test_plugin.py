"""The entry point: from_type gives grants, and importing Hypothesis stays cheap."""

import subprocess
import sys
from importlib.metadata import entry_points
from random import Random

from capfuzz.engine import Capabilities
from capfuzz.gate.hypothesis_plugin import register
from hypothesis import find, settings
from hypothesis import strategies as st

NAME = "capfuzz.gate.hypothesis_plugin:register"
LOADED = """
import sys
from capfuzz.gate.hypothesis_plugin import register
register()
print(*sorted(name for name in sys.modules if name.startswith("capfuzz")))
"""


def test_a_type_gives_grants():
    """``@given`` could not infer a grant from an annotation."""
    register()
    search = settings(max_examples=2_000, database=None, deadline=None)
    drawn = st.from_type(Capabilities)
    assert find(drawn, lambda grant: len(grant.fs_read) > 2, settings=search, random=Random(0))
    assert find(drawn, lambda grant: True, settings=search) == Capabilities(
        max_ops=100, max_output_bytes=100_000, max_wall=1_000
    )


def test_a_type_inside_another_gives_grants():
    """A user's own class that holds a grant could not be built."""
    register()

    class Holder:
        def __init__(self, caps: Capabilities) -> None:
            self.caps = caps

    search = settings(max_examples=100, database=None, deadline=None)
    assert type(find(st.builds(Holder), lambda _: True, settings=search).caps) is Capabilities


def test_registering_loads_the_engine_and_nothing_else():
    """Every project that has capfuzz installed would pay for its techniques in each test run."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, timeout=120
    )
    rooms = {name.split(".")[1] for name in done.stdout.split() if "." in name}
    assert {"engine", "gate"} == rooms
    gate = [name for name in done.stdout.split() if name.startswith("capfuzz.gate.")]
    assert ["capfuzz.gate.hypothesis_plugin"] == gate


def test_the_entry_point_is_installed():
    """Hypothesis would never call it."""
    ours = [one for one in entry_points(group="hypothesis") if one.value.startswith("capfuzz.")]
    assert [NAME] == [one.value for one in ours]
    assert ours[0].load() is register
