"""The catalogue of techniques, whose order names findings and generated cases."""

import subprocess
import sys

import pytest
from capfuzz.attacks.techniques.catalog import TECHNIQUES

_ORDER = "from capfuzz.attacks.techniques.catalog import TECHNIQUES; print(*TECHNIQUES)"


@pytest.mark.parametrize(
    "first", ["paths_links", "scenario_races", "urls_authority"], ids="{} first".format
)
def test_the_order_does_not_depend_on_what_was_imported_first(first):
    """The same seed would give other cases and other names in another program."""
    code = f"import capfuzz.attacks.techniques.{first}; {_ORDER}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert list(TECHNIQUES) == run.stdout.split()
