"""Reports of real campaigns, and one whose every text is hostile."""

from dataclasses import replace
from pathlib import Path

import pytest
from capfuzz.attacks.invariants import Severity
from capfuzz.gate.campaign import attack
from capfuzz.gate.events import Acceptance, Report, Source
from capfuzz.gate.plan import Plan
from capfuzz.targets.spec import Options, load

NAIVE = Path(__file__).with_name("naive.py")
FAMILIES = ("budget-ops", "host-names", "path-outside", "sequence-halt", "tool-names")
# Markup, control characters, a lone surrogate, text that turns round, the ends of other formats.
HOSTILE = "<script>alert(1)</script>\x00\x1b[2J\ud800\u202e]]>```|@team &amp; \"'\r\n<!--{{7*7}}"


def campaign(spec, vectors) -> Report:
    """Return the report of a quick campaign over a few families."""
    target = load(spec, Options(surface=None))
    *_, report = attack(target, Plan(vectors, "quick", 0, FAMILIES))
    assert isinstance(report, Report)
    return report


@pytest.fixture(scope="session")
def broken(vectors, tmp_path_factory) -> Report:
    """Return the report of a target that judges nothing."""
    here = tmp_path_factory.mktemp("project")
    (here / "naive_box.py").write_text(NAIVE.read_text())
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(here)
        return replace(campaign("py:naive_box:Box", vectors), source=Source("naive_box.py", 16, 33))


@pytest.fixture(scope="session")
def held(vectors) -> Report:
    """Return the report of the reference engine."""
    return campaign("engine", vectors)


@pytest.fixture
def hostile(broken) -> Report:
    """Return a report whose every text tries to be something else."""
    first, *others = broken.findings
    step = replace(first.steps[-1], op=["fs_read", HOSTILE], observed=HOSTILE, expected=HOSTILE)
    changed = replace(
        first,
        family=HOSTILE,
        technique=HOSTILE,
        group=HOSTILE,
        grant={"fs_read": [HOSTILE]},
        ops=[["fs_read", HOSTILE]],
        observed=HOSTILE,
        expected=HOSTILE,
        refs=(HOSTILE,),
        replay=HOSTILE,
        vector=HOSTILE,
        bug=HOSTILE,
        effect=HOSTILE,
        steps=(step,),
    )
    return replace(
        broken,
        spec=HOSTILE,
        findings=(changed, *others),
        remarks=(HOSTILE,),
        limits=(HOSTILE,),
        accepted={others[0].id: Acceptance(HOSTILE, HOSTILE)},
        fixed=(HOSTILE,),
    )


@pytest.fixture
def partly_accepted(broken) -> Report:
    """Return a report of which a baseline accepts all but the first finding; the last is a note."""
    *others, last = broken.findings
    return replace(
        broken,
        findings=(*others, replace(last, severity=Severity.NOTE)),
        accepted={one.id: Acceptance("known since March", "ana") for one in broken.findings[1:]},
        fixed=("CF-0000000000",),
    )
