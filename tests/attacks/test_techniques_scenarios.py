"""Scenarios: what they state is what the oracle rules, and the reference engine keeps to it."""

import json
from collections import Counter
from functools import cache

import pytest
from capfuzz.attacks.case import Case, Verdict
from capfuzz.attacks.codec import grant_from_json, op_from_json, op_to_json, world_from_json
from capfuzz.attacks.expansion.family import text
from capfuzz.attacks.expansion.scenarios import FAMILIES
from capfuzz.attacks.invariants import judge
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.scenario_busters import BUSTERS
from capfuzz.attacks.techniques.scenario_model import ALLOWED, Scenario
from capfuzz.attacks.vectors import CORPUS
from capfuzz.targets.session import SessionTarget, engine_factory

ENGINE = SessionTarget("engine", engine_factory)
# Right targets may differ on half a character, which the oracle lets pass; of threads that race,
# nobody knows which one is refused.
LENIENT = {"unit-lone-surrogate", "race-for-last-op", "race-for-last-bytes"}

OURS = {
    name: one
    for name, one in TECHNIQUES.items()
    if one.spell.__module__.startswith("capfuzz.attacks.techniques.scenario_")
}


def case_of(document, vector, *, stated=True):
    """Return the case of a vector as it is checked in, its verdicts left to the oracle or not."""
    return Case(
        grant=grant_from_json({**document["grant"], **vector.get("grant", {})}),
        world=world_from_json({**document["world"], **vector.get("world", {})}),
        ops=tuple(map(op_from_json, vector["ops"])),
        techniques=(vector["technique"],) * len(vector["ops"]),
        family=document["family"],
        verdicts=tuple(map(Verdict, vector["verdict"])) if stated else (),
        source=vector["id"],
    )


@cache
def documents():
    """Return the families as they are read back from their JSON."""
    return [json.loads(text(family)) for family in FAMILIES]


def vectors():
    """Return every vector, expanded or written by hand, beside its family."""
    by_hand = json.loads((CORPUS / "reports-budgets.json").read_text(encoding="ascii"))
    return [
        pytest.param(document, vector, id=vector["id"])
        for document in (*documents(), by_hand)
        for vector in document["vectors"]
    ]


def asked(trace, values):
    """Return the values of the ops that the case itself asked for."""
    pairs = zip(trace.steps, values, strict=True)
    return [value for step, value in pairs if step.asked is not None]


@pytest.mark.parametrize(("document", "vector"), vectors())
def test_stated_verdicts_are_the_oracles(document, vector):
    """If it fails, a verdict written by hand and the specification disagree."""
    trace = ENGINE.run(case_of(document, vector, stated=False))
    ruled = [str(ruling and ruling.verdict) for ruling in asked(trace, rulings(trace))]
    if vector["technique"] in LENIENT:
        ruled = [
            said if said == "contain" else one
            for one, said in zip(ruled, vector["verdict"], strict=True)
        ]
    assert vector["verdict"] == ruled


@pytest.mark.parametrize(("document", "vector"), vectors())
def test_engine_keeps_to_it(document, vector):
    """If it fails, the engine refuses honest work, allows what it must not, or acts on a refusal."""
    trace = ENGINE.run(case_of(document, vector))
    said = asked(trace, [step.answer for step in trace.steps])
    for verdict, answer in zip(vector["verdict"], said, strict=True):
        assert verdict == "contain" or (verdict == "allow") == answer.ok
    assert vector["reason"] in {None, *(step.answer.violation for step in trace.steps)}
    assert judge(trace).breaches == ()


@pytest.mark.parametrize("document", documents(), ids=lambda document: document["family"])
def test_attacks_have_twins(document):
    """If it fails, an attack lacks its benign twin, so refusing everything would look right."""
    by_id = {vector["id"]: vector for vector in document["vectors"]}
    for vector in document["vectors"]:
        if vector["control"] is None:
            assert set(vector["verdict"]) == {"allow"}
        else:
            assert by_id[vector["control"]]["control"] is None
            assert vector["means"]


def test_no_vector_is_lost_or_doubled():
    """If it fails, two scenarios are one vector: one of them is padding."""
    for name, one in OURS.items():
        scenes = [
            repr((list(map(op_to_json, scene.ops)), scene.grant, scene.world))
            for scene in one.spell()
        ]
        made = [v for d in documents() for v in d["vectors"] if v["technique"] == name]
        assert (name, []) == (name, [s for s, n in Counter(scenes).items() if n > 1])
        # A scene that a plainer technique of the family asks already is left to that one.
        attacks = sum(vector["control"] is not None for vector in made)
        assert 0 < attacks <= len(scenes)


def test_every_scenario_technique_has_a_family():
    """If it fails, a technique is named and described but never tried."""
    assert set(OURS) == {vector["technique"] for d in documents() for vector in d["vectors"]}


@pytest.mark.parametrize("buster", BUSTERS, ids=lambda buster: buster.name)
@pytest.mark.parametrize("limit", [0, 1, 2, 3, 9, 10, 29, 30])
def test_busters_exceed_any_limit_with_their_last_op(buster, limit):
    """If it fails, a template trips too early or not at all for some limit."""
    scene = buster.bust(limit)
    document = {
        "family": "busters",
        "grant": {**documents()[0]["grant"], **scene.grant},
        "world": {**documents()[0]["world"], **scene.world},
    }
    case = Case(
        grant_from_json(document["grant"]),
        world_from_json(document["world"]),
        scene.ops,
        (buster.name,) * len(scene.ops),
        "busters",
    )
    trace = ENGINE.run(case)
    assert list(scene.verdict) == [ruling.verdict for ruling in asked(trace, rulings(trace))]
    assert any(ruling.hard for ruling in rulings(trace))


def test_a_scenario_says_something_of_each_op():
    """If it fails, a verdict can be forgotten, and all verdicts after it slip by one."""
    with pytest.raises(ValueError, match="2 ops, 1 verdicts"):
        Scenario((None, None), ALLOWED, (None,), "one verdict short")
    with pytest.raises(ValueError, match="no twin: 1 ops"):
        Scenario((None,), ALLOWED, (), "no twin")
