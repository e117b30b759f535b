"""The corpus as it is shipped: every vector is right, explained, and really tried."""

import json
from dataclasses import replace

import pytest
from capfuzz.attacks import naive
from capfuzz.attacks.case import Surface, Verdict
from capfuzz.attacks.invariants import judge
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.rulings import Setting, rule
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import technique
from capfuzz.attacks.urls import rule_url
from capfuzz.attacks.vectors import CORPUS, load
from capfuzz.strategies import decode
from capfuzz.targets.host import HostTarget
from capfuzz.targets.path import PathTarget
from capfuzz.targets.session import SessionTarget, engine_factory

DENY, ALLOW, CONTAIN = Verdict.DENY, Verdict.ALLOW, Verdict.CONTAIN
ENGINE = SessionTarget("engine", engine_factory)
PATHS = PathTarget("nothing", lambda root, path: None)
URLS = HostTarget("nothing", lambda allowed, url: False)
FILES = sorted(file for file in CORPUS.glob("*.json") if file.name != "schema.json")
DOCUMENTS = [json.loads(file.read_text(encoding="ascii")) for file in FILES]
VECTORS = {one.id: one for one in load()}
families = pytest.mark.parametrize("family", [whole["family"] for whole in DOCUMENTS])
# A URL is a name below its root to a function of a root and a path.
OPEN = {"file-scheme"}


def members(family, *surfaces):
    """Return the vectors of a family that any of the surfaces is asked, or all."""
    return [
        one
        for one in VECTORS.values()
        if one.case.family == family and (not surfaces or set(surfaces) & set(one.surfaces))
    ]


def asked(trace):
    """Return the steps that the case itself asked for, each beside its ruling."""
    pairs = zip(trace.steps, rulings(trace), strict=True)
    return [(step, ruling) for step, ruling in pairs if step.asked is not None]


def leaves_open(one, ruled):
    """Tell whether an attack may be less strict than the oracle: a mere name may be refused."""
    return not one.is_control and (ruled is ALLOW or one.technique in OPEN)


def disagreements(one, ruled):
    """Return the verdicts of a vector that are neither the oracle's nor left open."""
    return [
        (one.id, stated, right)
        for stated, right in zip(one.case.verdicts, ruled, strict=True)
        if stated is not right and not (stated is CONTAIN and leaves_open(one, right))
    ]


# ---------------------------------------------------------------- what every vector needs


def test_every_id_stands_once():
    """If it fails, two vectors share a baseline entry and a replay line."""
    ids = [vector["id"] for whole in DOCUMENTS for vector in whole["vectors"]]
    assert len(ids) == len(VECTORS) > 1_000


def test_every_family_is_called_as_its_file():
    """If it fails, `--family` finds nothing, or another file than the one that was meant."""
    assert [file.stem for file in FILES] == [whole["family"] for whole in DOCUMENTS]


@families
def test_every_attack_has_a_control_that_is_allowed(family):
    """If it fails, a target that refuses everything passes."""
    for one in members(family):
        if one.is_control:
            assert (one.id, {ALLOW}) == (one.id, {*one.case.verdicts})
        else:
            twin = VECTORS[one.control]
            assert (one.id, True) == (one.id, twin.is_control)
            assert (one.id, set()) == (one.id, set(one.surfaces) - set(twin.surfaces))


def test_every_attack_is_explained_by_a_flag():
    """If it fails, a finding cannot be understood without reading code."""
    assert [one.id for one in VECTORS.values() if not one.is_control and not one.flags] == []


def test_every_flag_that_is_described_is_used():
    """If it fails, a note explains a fault that nothing looks for."""
    described = {(whole["family"], flag) for whole in DOCUMENTS for flag in whole["notes"]}
    assert described == {(one.case.family, flag) for one in VECTORS.values() for flag in one.flags}


def test_every_technique_of_a_vector_is_described():
    """If it fails, a finding names a technique that nobody explains."""
    assert set() == {one.technique for one in VECTORS.values()} - set(TECHNIQUES)


def test_a_technique_is_described_once():
    """If it fails, one of two techniques of a name silently wins, and half of its vectors go."""
    name, one = next(iter(TECHNIQUES.items()))
    again = technique(name, kind=one.kind, group=one.group, cwe=one.cwe, needs=one.needs)
    with pytest.raises(ValueError, match=f"technique '{name}' is defined twice"):
        again(one.spell)
    assert TECHNIQUES[name] is one


def test_every_technique_is_tried():
    """If it fails, a technique is named and described, and no target ever meets it."""
    odd = {move.technique for move in decode._ODD}
    drawn = {*decode._PATHS, *decode._HOSTS, *decode._TOOLS, *odd}
    assert set() == set(TECHNIQUES) - {one.technique for one in VECTORS.values()} - drawn


@families
def test_files_and_links_stand_where_they_say(family):
    """If it fails, the oracle and the world do not agree on what is there."""
    for world in {id(one.case.world): one.case.world for one in members(family)}.values():
        for place in world.files:
            assert place == naive.resolve(place, world.links)
        for link in world.links:
            folder = link.rpartition("/")[0] or "/"
            assert folder == naive.resolve(folder, world.links)


@families
def test_every_vector_is_taken_by_the_targets_that_it_is_for(family):
    """If it fails, a vector is shipped and counted that no target is ever asked."""
    for target in (ENGINE, URLS):
        mine = members(family, target.surface)
        assert [] == [one.id for one in mine if target.adapt(one.case) is None]
    for one in members(family, Surface.PATH):
        assert (one.id, 1) == (one.id, len(one.case.grant.fs_read))
        assert (one.id, {("fs_read", str)}) == (
            one.id,
            {(kind, type(path)) for kind, path in one.case.ops},
        )


def test_hardly_any_path_is_kept_back():
    """If it fails, what cannot be moved safely into a planted tree is more than an exception."""
    mine = [one for one in VECTORS.values() if Surface.PATH in one.surfaces]
    kept_back = [one.id for one in mine if PATHS.adapt(one.case) is None]
    assert len(kept_back) * 50 < len(mine), kept_back


# ---------------------------------------------------------------- sessions


@families
def test_the_engine_does_what_the_vectors_of_sessions_say(family):
    """If it fails, the engine is wrong, or its corpus demands what is not right."""
    for one in members(family, Surface.SESSION):
        trace = ENGINE.run(one.case)
        for verdict, (step, _) in zip(one.case.verdicts, asked(trace), strict=True):
            assert (one.id, verdict) in {(one.id, CONTAIN), (one.id, said(step.answer))}
        assert (one.id, ()) == (one.id, judge(trace).breaches)
        reasons = {None, *(step.answer.violation for step in trace.steps)}
        assert (one.id, True) == (one.id, one.reason in reasons)


def said(answer):
    """Return an answer as the verdict that it would be right for."""
    return ALLOW if answer.ok else DENY


@families
def test_the_oracle_rules_what_the_vectors_of_sessions_say(family):
    """If it fails, a vector demands what is not right, and a right target is blamed."""
    for one in members(family, Surface.SESSION):
        if one.case.world.at_once:  # which of several threads is refused, nobody can say
            assert {*one.case.verdicts} <= {CONTAIN, ALLOW}
            continue
        trace = ENGINE.run(replace(one.case, verdicts=()))
        assert disagreements(one, [ruling.verdict for _, ruling in asked(trace)]) == []


# ---------------------------------------------------------------- paths and URLs


@families
def test_the_oracle_rules_what_the_vectors_of_paths_say(family):
    """If it fails, a right function of a root and a path is blamed."""
    for one in members(family, Surface.PATH):
        grant, world = one.case.grant, one.case.world
        setting = Setting(grant, world, world.files, surface=Surface.PATH)
        assert disagreements(one, [rule(op, setting).verdict for op in one.case.ops]) == []


@families
def test_the_readers_of_urls_rule_what_the_vectors_of_hosts_say(family):
    """If it fails, a right allow-list of hosts is blamed."""
    for one in members(family, Surface.HOST):
        case = URLS.adapt(one.case)
        hosts = case.grant.net_hosts
        ruled = [rule_url(hosts, url, frozenset()) for _, url in case.ops]
        assert (one.id, list(one.case.verdicts)) == (one.id, ruled)
