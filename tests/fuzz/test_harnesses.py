"""If these fail, some input stops a harness, or a fault that an input shows is not told."""

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.attacks.invariants import Severity
from capfuzz.engine import Capabilities, GrantError
from capfuzz.fuzz import corpus_files, grants, hosts, named, paths
from capfuzz.fuzz.harness import HARNESSES
from capfuzz.fuzz.looking import CaseLook
from capfuzz.gate.grouping import TECHNIQUES
from capfuzz.targets.spec import Options, load
from hypothesis import given
from hypothesis import strategies as st

BROKEN = "py:capfuzz.targets.broken"


def errors(look, data):
    """Return the faults of severity error that an input shows."""
    return [fault for fault in look(data) if fault.key.severity is Severity.ERROR]


@pytest.mark.parametrize("name", HARNESSES)
@given(data=st.binary(max_size=80))
def test_any_bytes_are_an_input_and_the_engine_holds(engine, name, data):
    """Broken: an input raises in a harness, or the engine falls to it."""
    look = HARNESSES[name].look(engine if HARNESSES[name].surfaces else None)

    assert [] == errors(look, data)


@pytest.mark.parametrize(
    ("harness", "surface", "target", "data"),
    [
        ("path", "session", "session:prefix_without_boundary", b"1/workshop/secret.txt"),
        ("path", "session", "session:write_before_check", b"3/etc/passwd"),
        ("path", "path", "path:prefix_without_boundary", b"1/workshop/secret.txt"),
        ("path", "path", "path:links_followed", b"1/work/shortcut/passwd"),
        ("host", "session", "session:host_decimal_ip", b"1167772161"),
        ("host", "host", "host:url_substring", b"1http://evil.test/?api.internal"),
        (
            *("sequence", "session", "session:no_halt_after_hard"),
            b"1B\x1f12\x1er\x1f/work/data.txt\x1er\x1f/work/data.txt\x1et\x1fsummarize\x1fa",
        ),
        ("grant", "session", "session:prefix_without_boundary", b"1R\x1f/work"),
    ],
)
def test_a_harness_shows_the_fault_of_a_broken_target(harness, surface, target, data):
    """Broken: an input is decoded to something else, or judged otherwise than in an attack."""
    attacked = load(f"{BROKEN}.{target}", Options(surface=Surface(surface)))
    try:
        assert errors(HARNESSES[harness].look(attacked), data)
    finally:
        attacked.close()


def test_what_is_documented_to_follow_links_is_asked_without_any():
    """Broken: a target with --follows-links is asked nothing at all, and held."""
    target = load(
        f"{BROKEN}.path:prefix_without_boundary",
        Options(surface=Surface.PATH, follows_links=True),
    )
    look = HARNESSES["path"].look(target)
    try:
        assert errors(look, b"1/workshop/secret.txt")
    finally:
        target.close()


def test_refusals_without_effect_are_counted_and_a_quoting_one_is_judged():
    """Broken: the short cut for refusals hides one that carries a secret, or cases go uncounted."""
    target = load("engine", Options())
    look = HARNESSES["path"].look(target)
    for number in range(40):
        look(b"1/etc/%d" % number)
    assert 40 == look.log.cases
    assert look.log.ops == 40

    class Result:
        ok, output, violation, hard = False, None, "fs_read_denied", False

        def __init__(self, detail):
            self.detail = detail

    class Box:
        def __init__(self, _caps, world):
            self.world = world

        def run(self, op):
            try:
                return Result(f"refused: {self.world.spec.files[op[1]]!r}")
            except (LookupError, TypeError):
                return Result("refused")

    from capfuzz.targets.session import SessionTarget

    told = CaseLook(SessionTarget("box", Box), paths.case_of)
    assert ["confined"] == [fault.key.invariant for fault in errors(told, b"1/etc/passwd")]


@pytest.mark.parametrize(
    ("name", "text", "technique"),
    [
        ("path", "/work/../etc", "climb"),
        ("path", "/work/%2e%2e/etc", "percent-dots"),
        ("path", "/work/%252e", "double-percent"),
        ("path", "/work\\..\\etc", "backslash-climb"),
        ("path", "/work/\0", "nul-inside-dots"),
        ("path", "/workshop/x", "sibling-word"),
        ("path", "/work/\u2025/x", "dot-leaders"),
        ("host", "167772161", "ipv4-decimal"),
        ("host", "0xa.1", "ipv4-octal"),
        ("host", "API.internal", "host-case"),
        ("host", "ap\u0131.internal", "host-homograph"),
        ("url", "http://a@b/", "url-userinfo"),
        ("url", "http://a\\@b/", "url-backslash"),
    ],
)
def test_spellings_out_of_nowhere_get_the_name_that_they_come_closest_to(name, text, technique):
    """Broken: what fuzzing finds has another id than the same fault found by an attack."""
    assert technique == getattr(named, name)(text)


def test_every_name_is_a_technique_of_the_catalogue():
    """Broken: a finding names a technique that nobody can look up."""
    tables = (*named._PATHS, *named._HOSTS, *named._URLS)

    assert {name for _, name in tables} <= set(TECHNIQUES)


def test_a_grant_that_raises_anything_else_is_a_fault(engine, monkeypatch):
    """Broken: a constructor that fails on hostile arguments goes unseen."""

    def fails(**_made):
        raise KeyError("x")

    monkeypatch.setattr(grants, "Capabilities", fails)
    (fault,) = errors(HARNESSES["grant"].look(engine), b"1R\x1f/work")

    assert ("fail-closed", "KeyError") == (fault.key.invariant, fault.key.group)


def test_a_grant_that_keeps_a_list_is_a_fault(engine, monkeypatch):
    """Broken: a grant that grows with the list that it was made from goes unseen."""

    class Grant:
        def __init__(self, **made):
            self.made = made

    monkeypatch.setattr(grants, "Capabilities", Grant)
    monkeypatch.setattr(grants, "grant_to_json", lambda grant: grant.made)
    monkeypatch.setattr(grants, "_moves", lambda *_: iter([grants._ELSEWHERE[0]]))
    (fault,) = errors(HARNESSES["grant"].look(engine), b"1R\x1f/work")

    assert ("grant-immutable", "lists") == (fault.key.invariant, fault.key.group)


def test_hostile_arguments_are_refused_and_honest_ones_made(engine):
    """Broken: the grant harness makes only grants, or only refusals."""
    look = HARNESSES["grant"].look(engine)
    made = refused = 0
    for byte in range(256):
        try:
            Capabilities(**grants.arguments(bytes([0, byte, 3, byte, 5, byte, 7, byte])))
            made += 1
        except GrantError:
            refused += 1
        assert [] == errors(look, bytes([0, byte, 3, byte, 5, byte, 7, byte]))

    assert made > 0
    assert refused > 0


def test_reading_that_raises_anything_else_is_a_fault(monkeypatch):
    """Broken: a corpus file that crashes the reader goes unseen."""

    def fails(_files):
        raise KeyError("x")

    monkeypatch.setattr(corpus_files, "load", fails)
    (fault,) = errors(HARNESSES["corpus-file"].look(None), b"1{}")

    assert ("fail-closed", "KeyError") == (fault.key.invariant, fault.key.group)


def test_vectors_that_read_differently_when_written_are_a_fault(monkeypatch):
    """Broken: an export that changes a vector goes unseen."""
    monkeypatch.setattr(corpus_files, "_survives", lambda _case: False)
    (fault,) = errors(HARNESSES["corpus-file"].look(None), b"\0")

    assert "deterministic" == fault.key.invariant


def test_the_example_loads_and_hostile_parts_are_put_into_it():
    """Broken: every generated file is refused at once, so nothing behind the schema is tried."""
    look = HARNESSES["corpus-file"].look(None)
    look(b"\0")

    assert 1 == look.log.checked["deterministic"]
    assert corpus_files.text_of(b"\0\x05\x00") != corpus_files.text_of(b"\0")


def test_urls_and_hosts_are_put_together_from_pieces():
    """Broken: the tables of the host harness are not reached."""
    url = hosts.case_of(bytes([6, 1, 4, 2, 3]), Surface.HOST).ops[0][1]
    host = hosts.case_of(bytes([2, 0, 1]), Surface.SESSION).ops[0][1]

    assert "http://api.internal@evil.test/" + "" == url
    assert "10.0.0.1." == host


@pytest.mark.parametrize("name", [name for name, one in HARNESSES.items() if one.surfaces])
def test_honest_work_is_told_from_none(engine, name):
    """Broken: a target that tires while it is fuzzed is held."""
    from capfuzz.targets.session import SessionTarget

    class Tired:
        def __init__(self, _caps, _world):
            pass

        def run(self, _op):
            return False

    assert HARNESSES[name].works(engine)
    assert not HARNESSES[name].works(SessionTarget("tired", Tired))
