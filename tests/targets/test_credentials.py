"""Where credentials are looked for: what is looked for is what the reference says."""

from pathlib import Path

import pytest
from capfuzz.targets import credentials

PAGE = Path(__file__).parents[2] / "docs/reference/posture.md"


@pytest.mark.parametrize("name", [*credentials.AT_HOME, *credentials.OF_THE_MACHINE])
def test_the_reference_names_what_is_looked_for(name):
    """Nobody would know what a posture without findings means."""
    assert f"`{name}`" in PAGE.read_text(encoding="utf-8")
