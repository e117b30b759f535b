"""If these fail, what the corpus knows is not what fuzzing starts from, or right targets are accused."""

import re
import zipfile

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.attacks.invariants import Severity
from capfuzz.attacks.vectors import load
from capfuzz.fuzz import paths, seeds
from capfuzz.fuzz.harness import HARNESSES
from capfuzz.fuzz.text import encoded
from capfuzz.targets.right import registry
from capfuzz.targets.spec import Options
from capfuzz.targets.spec import load as load_target

# What asks one op is tried on functions, what asks many on sessions.
ASKED = {"path": "path", "host": "host", "session": "sequence"}
PAIRS = [
    pytest.param(one, HARNESSES[ASKED[one.surface]], id=one.spec.rpartition(".")[2])
    for one in registry.registered()
    if one.surface in ASKED
]


def errors(look, harness, surface):
    """Return the faults of severity error that seeds show."""
    return [
        (fault.key, seed)
        for seed in seeds.seeds(harness.name, surface)
        for fault in look(seed)
        if fault.key.severity is Severity.ERROR
    ]


@pytest.mark.parametrize("harness", HARNESSES.values(), ids=HARNESSES)
def test_no_seed_shows_a_fault_of_the_reference_engine(engine, harness):
    """Broken: the engine, the reading of corpus files, or the judge of a harness."""
    surface = harness.surfaces[0] if harness.surfaces else None
    look = harness.look(engine if harness.surfaces else None)

    assert [] == errors(look, harness, surface)
    assert look.log.cases > 50


@pytest.mark.slow
@pytest.mark.parametrize(("right", "harness"), PAIRS)
def test_no_seed_accuses_a_right_target(right, harness):
    """Broken: a harness asks or judges otherwise than an attack does."""
    target = load_target(right.spec, Options(surface=right.surface))
    try:
        assert [] == errors(harness.look(target), harness, right.surface)
    finally:
        target.close()


def path_of(op):
    """Return the path that an op reads, None for any other op."""
    match op:
        case ("fs_read", str(path)):
            return str.__str__(path)
        case _:
            return None


@pytest.mark.parametrize("surface", [Surface.SESSION, Surface.PATH])
def test_every_path_of_the_corpus_is_a_seed_as_it_stands(surface):
    """Broken: a spelling changes, so that what the corpus finds is not found from seeds."""
    spelt = {
        path
        for vector in load()
        if surface in vector.surfaces
        for path in map(path_of, vector.case.ops)
        if path and len(encoded(path)) < HARNESSES["path"].most_bytes
    }
    asked = {
        paths.case_of(seed, surface).ops[0][1]
        for seed in seeds.seeds("path", surface)
        if seed[:1] == b"1"
    }

    assert set() == spelt - asked


def test_seeds_are_the_same_every_time():
    """Broken: two machines fuzz from different inputs."""
    first = seeds.seeds("path", Surface.SESSION)
    seeds.seeds.cache_clear()

    assert first == seeds.seeds("path", Surface.SESSION)


def test_dictionaries_hold_the_tokens_of_techniques():
    """Broken: libFuzzer has to guess what the techniques know."""
    assert {b"..", b"%2e", b"\\", b"\xef\xbc\x8e", b"\0"} <= set(seeds.tokens("path"))
    assert {b"@", b"0x7f"} <= set(seeds.tokens("host"))
    assert b'"fs_read"' in seeds.tokens("corpus-file") or b'"vectors"' in seeds.tokens(
        "corpus-file"
    )
    for harness in HARNESSES:
        for line in seeds.dictionary(harness).splitlines():
            assert re.fullmatch(r'"([ !#-\[\]-~]|\\x[0-9a-f]{2})+"', line)


def test_the_export_has_what_the_services_look_for(tmp_path):
    """Broken: OSS-Fuzz finds no seeds or no dictionary beside a fuzzer."""
    seeds.main([str(tmp_path)])

    names = {f"fuzz_{name.replace('-', '_')}" for name in HARNESSES}
    assert {f"{name}.dict" for name in names} | {f"{name}_seed_corpus.zip" for name in names} == {
        file.name for file in tmp_path.iterdir()
    }
    with zipfile.ZipFile(tmp_path / "fuzz_path_seed_corpus.zip") as zipped:
        held = {zipped.read(name) for name in zipped.namelist()}
    assert set(seeds.seeds("path", Surface.SESSION)) == held
