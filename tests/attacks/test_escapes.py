"""The table of known ways out, and the page that shows it."""

from collections import Counter
from pathlib import Path

from capfuzz.attacks.escapes import ESCAPES, SIGNS

PAGE = Path(__file__).parents[2] / "docs/reference/posture.md"


def test_the_scenarios_are_those_of_the_benchmark():
    """One of the 18 would be left out, or told twice."""
    assert {"orchestration": 4, "runtime": 8, "kernel": 6} == Counter(one.layer for one in ESCAPES)
    assert len(ESCAPES) == len({one.name for one in ESCAPES})


def test_every_scenario_has_a_sign_or_a_reason():
    """A scenario would be passed over in silence."""
    assert {one.sign for one in ESCAPES} - {one.name for one in SIGNS} == {None}
    assert all(one.sign or one.note for one in ESCAPES)


def test_the_page_shows_the_table():
    """A reader would be told of other scenarios than the command."""
    rows = [line.split(" | ") for line in PAGE.read_text("utf-8").splitlines() if "| " in line]
    shown = [(row[0].removeprefix("| "), *row[1:3]) for row in rows if len(row) == 4][1:]
    signs = [f"`{one.sign}`" if one.sign else "out of scope" for one in ESCAPES]
    assert [(one.name, one.layer, sign) for one, sign in zip(ESCAPES, signs, strict=True)] == shown
    table = PAGE.read_text("utf-8").partition("## The signs")[2].partition("\n#")[0]
    meanings = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
    assert [f"| `{one.name}`" for one in SIGNS] == meanings
