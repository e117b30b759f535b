"""The campaign bites what is broken, accuses nothing that is right, and repeats itself."""

import json

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.gate.campaign import attack
from capfuzz.gate.events import Report
from capfuzz.gate.plan import Plan
from capfuzz.gate.report.as_json import to_dict
from capfuzz.targets.broken import FAULTS
from capfuzz.targets.right import RIGHT
from capfuzz.targets.spec import Options, load

# What each of the classic faults must be reported as: the invariant and the technique's group.
CLASSICS = {
    "prefix_without_boundary": ("confined", "boundary"),
    "dotdot_only_at_start": ("confined", "traversal"),
    "decode_after_check": ("confined", "decoding"),
    "backslash_to_slash_after_check": ("confined", "backslash"),
    "links_followed": ("confined", "links"),
    "write_before_check": ("no-effect-on-denial", "outside"),
    "fetch_before_check": ("no-effect-on-denial", "outside-host"),
    "max_ops_off_by_one": ("within-budget", "max-ops"),
    "no_halt_after_hard": ("halt-after-hard", "halt"),
    "output_in_characters": ("within-budget", "output-unit"),
    "clock_gives_time_back": ("within-budget", "clock-backwards"),
    "host_suffix_match": ("confined", "suffix"),
    "host_userinfo": ("confined", "userinfo"),
}


def campaign(spec, surface, vectors, **plan) -> Report:
    """Run a whole campaign and return its report."""
    target = load(spec, Options(surface=surface))
    try:
        *_, report = attack(target, Plan(vectors, **{"profile": "quick", **plan}))
    finally:
        target.close()
    assert isinstance(report, Report)
    return report


def affordable(vectors, surface):
    """Return honest work and, where each op costs several calls of a process, an eighth of the rest."""
    step = 8 if surface is Surface.MCP else 1
    return [one for index, one in enumerate(vectors) if one.is_control or index % step == 0]


def errors(report):
    """Return the findings that fail a build."""
    return [finding for finding in report.findings if finding.severity == "error"]


@pytest.mark.parametrize(
    "fault",
    [fault for fault in FAULTS if fault.surface is Surface.SESSION and fault.name in CLASSICS],
    ids=lambda fault: fault.name,
)
def test_a_classic_fault_is_one_finding_that_names_it(fault, vectors):
    """A fault that people really make would pass the suite, or be hard to recognise."""
    report = campaign(fault.spec, fault.surface, vectors)
    (finding,) = errors(report)
    assert report.verdict == "broken"
    assert CLASSICS[fault.name] == (finding.invariant, TECHNIQUES[finding.technique].group)
    assert len(finding.ops) <= fault.max_ops_in_reproducer <= 4


def test_every_classic_fault_is_among_them():
    """A name that changed would silently not be checked."""
    assert set(CLASSICS) <= {fault.name for fault in FAULTS if fault.surface is Surface.SESSION}


def test_an_empty_list_that_means_all_is_told_for_each_door(vectors):
    """Three doors stand open, and fixing one must not hide the others."""
    report = campaign(
        "py:capfuzz.targets.broken.session:empty_list_means_all", Surface.SESSION, vectors
    )
    confined = {one.technique for one in errors(report) if one.invariant == "confined"}
    assert confined == {"outside", "outside-host", "outside-tool"}


@pytest.mark.parametrize("right", RIGHT, ids=lambda right: right.spec.removeprefix("py:capfuzz."))
def test_no_right_target_is_accused(right, vectors):
    """A false alarm would teach people to ignore the suite."""
    report = campaign(right.spec, right.surface, affordable(vectors, right.surface))
    assert errors(report) == []
    assert report.verdict == "held"


def test_the_engine_holds_with_nothing_to_remark(vectors):
    """The reference would be wrong, or the oracle would."""
    report = campaign("engine", None, vectors, profile="standard")
    assert report.findings == ()
    assert report.verdict == "held"
    assert all(tally.observable for tally in report.invariants.values())


def test_the_same_seed_gives_the_same_report(vectors):
    """A finding could not be looked at again, and CI would flicker."""
    spec = "py:capfuzz.targets.broken.session:decode_after_check"
    one, two = (to_dict(campaign(spec, Surface.SESSION, vectors, seed=7)) for _ in range(2))
    assert one | {"duration_s": 0} == two | {"duration_s": 0}


def test_ids_do_not_depend_on_the_seed(vectors):
    """An accepted finding would come back under another name."""
    spec = "py:capfuzz.targets.broken.session:links_followed"
    ids = [
        {finding.id for finding in errors(campaign(spec, Surface.SESSION, vectors, seed=seed))}
        for seed in (1, 2)
    ]
    assert ids[0] == ids[1]


def test_a_family_can_be_asked_for_alone(vectors):
    """A team that works on hosts would wait for everything else."""
    report = campaign("engine", None, vectors, families=("host-names",))
    asked = [vector for vector in vectors if vector.case.family == "host-names"]
    assert report.counts["attacks"] + report.counts["controls"] == len(asked)
    assert report.counts["generated"] == 0
    assert not report.invariants["within-budget"].observable


@pytest.mark.parametrize("seed", [1, 2])
def test_generated_cases_alone_find_the_classics(seed, vectors):
    """The strategies would add nothing to the corpus."""
    for name in ("prefix_without_boundary", "max_ops_off_by_one", "links_followed"):
        spec = f"py:capfuzz.targets.broken.session:{name}"
        report = campaign(spec, Surface.SESSION, (), families=("generated",), seed=seed)
        assert report.verdict == "broken", name


@pytest.mark.parametrize("spec", ["engine", "py:capfuzz.targets.broken.session:links_followed"])
def test_the_order_of_hashes_changes_nothing(spec, run):
    """The same seed would give another report in the next process, or on another machine."""
    asked = ("attack", spec, "--profile=quick", "--json=-")
    reports = [json.loads(run(*asked, PYTHONHASHSEED=order).stdout) for order in ("1", "2")]
    one, two = (report | {"duration_s": 0} for report in reports)
    assert one == two


def test_the_families_add_up_to_the_whole(vectors):
    """A heat map would show other figures than the table."""
    report = campaign("py:capfuzz.targets.broken.session:links_followed", Surface.SESSION, vectors)
    for name, tally in report.invariants.items():
        rows = [row[name] for row in report.matrix.values() if name in row]
        added = (sum(one.checked for one in rows), sum(one.broken for one in rows))
        assert (tally.checked, tally.broken) == added
    assert report.matrix["path-links"]["confined"].broken


@pytest.mark.parametrize("name", ["links_followed", "max_ops_off_by_one", "charged_after_effect"])
def test_whatever_broke_in_a_family_is_explained_by_a_finding(name, vectors):
    """A test of one family would fail without a word, or pass over what another explains."""
    spec = f"py:capfuzz.targets.broken.session:{name}"
    report = campaign(spec, Surface.SESSION, vectors)
    broken = {
        (family, invariant)
        for family, row in report.matrix.items()
        for invariant, tally in row.items()
        if tally.broken
    }
    assert broken == {cell for one in report.findings for cell in one.seen}


def test_a_finding_tells_op_by_op_what_happened(vectors):
    """A reader would see the ops and not which of them did it."""
    report = campaign(
        "py:capfuzz.targets.broken.session:no_halt_after_hard", Surface.SESSION, vectors
    )
    (finding,) = [one for one in report.findings if one.invariant == "halt-after-hard"]
    assert finding.ops == [step.op for step in finding.steps if not step.nested]
    assert [finding.observed] == [step.observed for step in finding.steps if step.breaks]
    assert {"allowed", "halted", "refused"} >= {step.outcome for step in finding.steps}
    assert finding.bug
