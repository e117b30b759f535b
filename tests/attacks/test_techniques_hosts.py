"""Hosts, URLs and tools: the techniques, the vectors made of them, and that each of them bites."""

import functools
import inspect
import json
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest
from capfuzz.attacks.case import Surface, Verdict
from capfuzz.attacks.expansion import hosts, tools, urls
from capfuzz.attacks.expansion.family import text
from capfuzz.attacks.invariants import Severity, judge
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.attacks.trace import Answer, Step, Trace
from capfuzz.attacks.vectors import CORPUS, load
from capfuzz.targets.host import HostTarget
from capfuzz.targets.session import SessionTarget, engine_factory

from . import sloppy_hosts, sloppy_tools, sloppy_urls
from .sloppy_sessions import SESSIONS, Right

FAMILIES = (*hosts.FAMILIES, *urls.FAMILIES, *tools.FAMILIES)
FILES = [CORPUS / f"{family.name}.json" for family in FAMILIES] + [CORPUS / "reports-hosts.json"]
VECTORS = load(FILES)
BY_ID = {vector.id: vector for vector in VECTORS}
ATTACKS = [vector for vector in VECTORS if not vector.is_control]
OURS = {
    name: one
    for name, one in TECHNIQUES.items()
    if one.module.partition("_")[0] in {"addresses", "hosts", "tools", "urls"}
}
GRANTED = (
    "api.internal",
    "10.0.0.1",
    "10.20.30.40",
    "::1",
    "fd00::a",
    "localhost",
    "a",
    "API.internal.",
    "xn--bcher-kva.test",
    "strasse.test",
    "my-api.internal",
    f"{'x' * 63}.internal",
    ".".join(["x" * 49] * 4) + f".{'y' * 53}",
)
MAX_SPELLINGS = 30


def said(name):
    """Return what a technique says to each host, tool or pair that it may be asked about."""
    one = OURS[name]
    if one.kind is Kind.SCENARIO:
        return [list(one.spell())]
    if one.kind is Kind.URL:
        return [list(one.spell(granted, "evil.test")) for granted in GRANTED]
    return [list(one.spell(granted)) for granted in (*GRANTED, "fs.read", "a-b_c", "disk")]


@pytest.mark.parametrize("name", OURS)
def test_a_technique_is_pure_and_bounded(name):
    """A technique that varies, raises or never ends would break replay and campaigns."""
    first, second = said(name), said(name)
    assert first == second
    assert any(first)
    assert max(map(len, first)) <= MAX_SPELLINGS
    assert inspect.isgenerator(OURS[name].spell(*_asked(OURS[name].kind)))


def _asked(kind):
    return {Kind.SCENARIO: (), Kind.URL: ("a.test", "b.test")}.get(kind, ("a.test",))


@pytest.mark.parametrize("name", [name for name in OURS if not name.startswith("granted-")])
def test_a_technique_says_nothing_twice(name):
    """A repeated spelling, or the granted name itself, would be counted as an attack."""
    if OURS[name].kind in {Kind.HOST, Kind.NAME, Kind.TOOL}:
        for granted in GRANTED:
            spelt = list(OURS[name].spell(granted))
            assert not [one for one, count in Counter([granted, *spelt]).items() if count > 1]


@pytest.mark.parametrize("name", OURS)
def test_a_technique_is_described(name):
    """Findings are explained with these words; none may be missing."""
    one = OURS[name]
    assert one.description.endswith(".")
    assert one.needs
    assert one.cwe.startswith("CWE-")
    assert all(ref.startswith(("CVE-", "https://")) for ref in one.refs)


def test_every_technique_has_vectors():
    """A technique without vectors is never tried on a target that draws no cases."""
    assert set() == set(OURS) - {vector.technique for vector in VECTORS}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_corpus_is_what_the_techniques_write(family):
    """A stale file would try something else than the code describes."""
    assert (CORPUS / f"{family.name}.json").read_text(encoding="ascii") == text(family)


def test_no_attack_stands_twice():
    """A copy proves nothing, and makes a count of vectors a lie."""
    shapes = Counter(
        json.dumps([repr(v.case.ops), repr(v.case.grant), repr(v.case.world)])
        for v in ATTACKS
        if v.case.family != "reports-hosts"
    )
    assert not [shape for shape, count in shapes.items() if count > 1]


def traced(vector, target):
    """Run a vector without its stated verdicts, and return its trace."""
    return target.run(replace(vector.case, verdicts=()))


@functools.cache
def engine():
    """Return the reference engine."""
    return SessionTarget("engine", engine_factory)


@pytest.mark.parametrize("family", sorted({vector.case.family for vector in VECTORS}))
def test_stated_verdicts_are_the_oracles(family):
    """A vector and the oracle that disagree accuse somebody wrongly."""
    wrong = []
    for vector in (one for one in VECTORS if one.case.family == family):
        told = _ruled(vector)
        if told != vector.case.verdicts:
            wrong.append((vector.id, told, vector.case.verdicts))
    assert not wrong


def _ruled(vector):
    if vector.surfaces == (Surface.HOST,):
        steps = [
            Step(op, Answer(ok=False), (), 2 * at, 2 * at + 1, at)
            for at, op in enumerate(vector.case.ops)
        ]
        trace = Trace(replace(vector.case, verdicts=()), Surface.HOST, tuple(steps))
    else:
        trace = traced(vector, engine())
    ruled = zip(trace.steps, rulings(trace), strict=True)
    return tuple(one.verdict for step, one in ruled if step.asked is not None)


@pytest.mark.parametrize("family", sorted({vector.case.family for vector in VECTORS}))
def test_the_engine_keeps_every_verdict(family):
    """The engine denies each deny and allows each allow, with the reason that the vector gives."""
    wrong = []
    for vector in VECTORS:
        if vector.case.family != family or Surface.SESSION not in vector.surfaces:
            continue
        trace = engine().run(vector.case)
        asked = [step for step in trace.steps if step.asked is not None]
        for step, verdict in zip(asked, vector.case.verdicts, strict=True):
            expected = {Verdict.DENY: False, Verdict.ALLOW: True}.get(verdict, step.answer.ok)
            if step.answer.ok is not expected:
                wrong.append((vector.id, step.op, verdict))
        reasons = {step.answer.violation for step in trace.steps} - {None}
        if vector.reason is not None and vector.reason not in reasons:
            wrong.append((vector.id, vector.reason, reasons))
        if judge(trace).breaches:
            wrong.append((vector.id, judge(trace).breaches))
    assert not wrong


def test_controls_are_allowed_by_the_plainest_right_answer():
    """A control that a right target may refuse shows no over-blocking."""
    controls = [one for one in VECTORS if one.is_control]
    assert {Verdict.ALLOW} == {verdict for one in controls for verdict in one.case.verdicts}
    assert {one.control for one in ATTACKS} <= {one.id for one in controls}


class Careless:
    """A session whose only guard is a careless one: what it says yes to is done as written."""

    def __init__(self, caps, world, guard, raising):
        self.granted = {"net_fetch": caps.net_hosts, "tool": sorted(caps.allowed_tools)}
        self.world, self.guard, self.raising = world, guard, raising

    def run(self, op):
        """Judge the name, then act."""
        kind, name, *rest = op
        try:
            fine = any(name == one or self.guard(one, name) for one in self.granted[kind])
        except Exception:
            if self.guard in self.raising:
                raise
            fine = False
        if not fine:
            return SimpleNamespace(ok=False)
        act = self.world.net.fetch if kind == "net_fetch" else self.world.tools.get(name)
        try:
            arguments = (name, *rest) if kind == "net_fetch" else rest
            return SimpleNamespace(ok=True, output=act(*arguments))
        except OSError:
            return SimpleNamespace(ok=False)


def careless(guard, raising=frozenset()):
    """Return the target whose only guard this is."""
    return SessionTarget("careless", lambda caps, world: Careless(caps, world, guard, raising))


def bitten(vector, target):
    """Tell whether a vector finds an error in a target that does the honest twin's work."""
    twin = judge(target.run(BY_ID[vector.control].case)).breaches
    found = judge(target.run(vector.case)).breaches
    return not twin and any(one.severity is Severity.ERROR for one in found)


def unbitten(technique, targets, surface):
    """Return the vectors of a technique that find no fault in any of the targets."""
    return [
        vector.case.ops
        for vector in ATTACKS
        if vector.technique == technique
        and surface in vector.surfaces
        and vector.case.family != "reports-hosts"
        and not (surface is Surface.HOST and Verdict.CONTAIN in vector.case.verdicts)
        and not any(bitten(vector, target) for target in targets)
    ]


@pytest.mark.parametrize("technique", sloppy_hosts.GUARDS)
def test_each_host_vector_bites(technique):
    """A vector that separates no careless guard from a right one is padding."""
    targets = [careless(one, sloppy_hosts.RAISING) for one in sloppy_hosts.GUARDS[technique]]
    assert not unbitten(technique, targets, Surface.SESSION)


@pytest.mark.parametrize("technique", sloppy_tools.GUARDS)
def test_each_tool_vector_bites(technique):
    """A vector that separates no careless guard from a right one is padding."""
    targets = [careless(one, sloppy_tools.RAISING) for one in sloppy_tools.GUARDS[technique]]
    assert not unbitten(technique, targets, Surface.SESSION)


def reader(guard):
    """Return the host target that takes plain URLs, and what a careless guard takes too."""
    return HostTarget(
        "careless",
        lambda allowed, url: any(
            sloppy_urls.strict(one, url) or guard(one, url) for one in allowed
        ),
    )


URL_TECHNIQUES = sorted({one.technique for one in ATTACKS if one.surfaces == (Surface.HOST,)})


@pytest.mark.parametrize("technique", URL_TECHNIQUES)
def test_each_url_vector_bites(technique):
    """
    A vector that separates no careless reader from a right one is padding.

    What may be contained is left out: a yes or no does not tell where it leads.
    """
    if technique == "host-empty-list":
        readers = [HostTarget("open", lambda allowed, url: not allowed or "ok.test" in url)]
    else:
        known = technique in sloppy_urls.GUARDS
        guards = sloppy_urls.GUARDS[technique] if known else sloppy_urls.as_host(technique)
        readers = [reader(one) for one in guards]
    assert not unbitten(technique, readers, Surface.HOST)


@pytest.mark.parametrize("technique", SESSIONS)
def test_each_sequence_bites(technique):
    """A sequence that separates no careless session from a right one is padding."""
    targets = [SessionTarget("careless", one, op_limit=0.2) for one in SESSIONS[technique]]
    assert not unbitten(technique, targets, Surface.SESSION)


def test_every_technique_has_a_careless_victim():
    """A technique that is missing here was never shown to bite."""
    victims = {*sloppy_hosts.GUARDS, *sloppy_tools.GUARDS, *sloppy_urls.GUARDS, *SESSIONS}
    controls = {"granted-host", "granted-url", "granted-tool", "honest-url"}
    assert set(OURS) - controls == victims


def test_a_right_session_is_not_bitten():
    """The base of the careless sessions is right, so that only their own faults are found."""
    right = SessionTarget("right", Right)
    names = {*SESSIONS} - {"tool-name-type"}
    found = [v.id for v in ATTACKS if v.technique in names and judge(right.run(v.case)).breaches]
    assert not found
