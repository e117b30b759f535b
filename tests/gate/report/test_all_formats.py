"""One campaign in every format at once: the same findings, the same exit status."""

import json
import re
from pathlib import Path

import pytest
from capfuzz.gate.report.formats import FORMATS

NAIVE = Path(__file__).with_name("naive.py").read_text()
# One finding of each severity weighs differently under --fail-on.
CASES = {
    "broken": (["py:target:Box"], 1),
    "warnings alone": (["py:target:Honest"], 0),
    "warnings that fail": (["py:target:Honest", "--fail-on", "warning"], 1),
    "held": (["engine"], 0),
    "not measured": (["py:target:Refuser"], 2),
}
OTHERS = '''

class Honest(Box):
    """Lies about why it refuses."""

    def __init__(self, caps, world):
        from capfuzz.targets.session import engine_factory

        self.inner = engine_factory(caps, world)

    def run(self, op):
        """Ask the engine, and give another reason."""
        said, made = self.inner.run(op), Result()
        made.ok, made.output, made.hard = said.ok, said.output, said.hard
        made.violation = {"tool_denied": "egress_denied"}.get(said.violation, said.violation)
        return made


class Refuser(Box):
    """Refuses everything."""

    def run(self, op):
        """Refuse."""
        made = Result()
        made.ok = False
        return made
'''


@pytest.mark.parametrize("case", CASES)
def test_every_format_tells_the_same(case, run, target, tmp_path):
    """A team that changes the format would get another answer."""
    target(NAIVE + OTHERS)
    words, status = CASES[case]
    asked = ["attack", *words, "--profile", "quick", "--family", "tool-names"]
    plain = run(*asked)
    assert status == plain.returncode, plain.stdout + plain.stderr
    files = {name: tmp_path / f"report.{name}" for name in FORMATS}
    done = run(*asked, *(word for name in FORMATS for word in (f"--{name}", files[name])))
    assert status == done.returncode
    ids = {one["id"] for one in json.loads(files["json"].read_text())["findings"]}
    assert bool(ids) == (case != "held")
    assert [ids] * (len(FORMATS) + 1) == [
        set(re.findall(r"CF-[0-9a-f]{10}", text))
        for text in (done.stdout, *(path.read_text() for path in files.values()))
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_on_standard_output_is_all_there_is(name, run, target):
    """A pipe would be fed with the table, too."""
    target(NAIVE)
    asked = ("attack", "py:target:Box", "--profile", "quick", "--family", "tool-names")
    done = run(*asked, f"--{name}", "-")
    assert done.returncode == 1
    assert done.stdout[0] in "{<#"
    assert "invariant" in done.stderr


def test_no_report_is_begun_where_one_cannot_be_written(run, tmp_path):
    """A whole attack would be run for nothing."""
    done = run("attack", "--json", "good.json", "--sarif", "no/bad.sarif")
    assert (2, "") == (done.returncode, done.stdout)
    assert "no/bad.sarif: cannot write the report: no is not a folder" in done.stderr
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("colour", [{}, {"NO_COLOR": "1"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_the_terminal_is_plain_where_nobody_looks_or_no_colour_is_wanted(colour, run):
    """A log of CI would be full of control sequences."""
    done = run("attack", "--profile", "quick", "--family", "tool-names", CI="true", **colour)
    assert done.returncode == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", done.stdout + done.stderr)
