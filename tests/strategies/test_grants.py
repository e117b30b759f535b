"""Grants and budgets: all legal, all arrangements reached, and shrunk to what is needed."""

from random import Random

import pytest
from capfuzz.attacks import naive
from capfuzz.engine import Capabilities, canonical
from capfuzz.strategies import budgets, grants
from hypothesis import find, given, settings
from hypothesis import strategies as st

SEARCH = settings(max_examples=5_000, database=None, deadline=None)
COMFORTABLE = {"max_ops": 100, "max_output_bytes": 100_000, "max_wall": 1_000}


def smallest(strategy, wanted=lambda _: True):
    """Return what a failing example of ``strategy`` shrinks to."""
    return find(strategy, wanted, settings=SEARCH, random=Random(0))


@given(grants())
def test_grants_are_grants(grant):
    """What no sandbox accepts would be drawn."""
    assert type(grant) is Capabilities
    assert len(grant.fs_read) <= 8
    assert len(grant.fs_write) <= 8


@given(st.data(), st.integers(1, 3))
def test_no_more_roots_than_asked_for(data, most):
    """A sandbox that takes one root could not be tested."""
    grant = data.draw(grants(max_roots=most))
    assert max(len(grant.fs_read), len(grant.fs_write)) <= most


def _nested(roots):
    plain = [canonical(root) for root in roots]
    return any(a != b and naive.within(a, [b]) for a in plain for b in plain)


def _sharing(roots):
    plain = [canonical(root) for root in roots]
    return any(
        a != b and a.startswith(b) and not naive.within(a, [b]) for a in plain for b in plain
    )


ARRANGEMENTS = {
    "nothing": lambda grant: not grant.fs_read and grant.fs_write,
    "everything": lambda grant: "/" in grant.fs_read,
    "eight roots": lambda grant: len(grant.fs_read) == 8,
    "nested": lambda grant: _nested(grant.fs_read),
    "shared prefix": lambda grant: _sharing(grant.fs_read),
    "read and write overlap": lambda grant: {*grant.fs_read} & {*grant.fs_write},
    "twice": lambda grant: len({*grant.fs_read}) < len(grant.fs_read),
    "twice in two spellings": lambda grant: (
        len({*map(canonical, grant.fs_read)}) < len({*grant.fs_read})
    ),
    "slash at the end": lambda grant: any(root[1:].endswith("/") for root in grant.fs_read),
    "doubled slash": lambda grant: any("//" in root for root in grant.fs_read),
    "dot": lambda grant: any("/./" in root for root in grant.fs_write),
    "pattern": lambda grant: any("*" in root for root in grant.fs_read),
    "a host of several": lambda grant: len(grant.net_hosts) > 1,
    "an address": lambda grant: "fd00::a:1" in grant.net_hosts,
    "a capital": lambda grant: "API.INTERNAL" in grant.net_hosts,
    "a tool like a pattern": lambda grant: "*" in grant.allowed_tools,
    "no op": lambda grant: grant.max_ops == 0,
    "few ops": lambda grant: 1 <= grant.max_ops <= 3,
    "no output": lambda grant: grant.max_output_bytes == 0,
    "no time": lambda grant: grant.max_wall == 0,
}


@pytest.mark.parametrize("arranged", ARRANGEMENTS.values(), ids=ARRANGEMENTS)
def test_every_arrangement_is_drawn(arranged):
    """A fault that needs this grant would never be seen."""
    assert arranged(smallest(grants(), arranged))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (lambda _: True, Capabilities(**COMFORTABLE)),
        (lambda grant: grant.fs_read, Capabilities(fs_read=("/work/",), **COMFORTABLE)),
        (lambda grant: grant.net_hosts, Capabilities(net_hosts=("api.internal",), **COMFORTABLE)),
        (
            lambda grant: grant.allowed_tools,
            Capabilities(allowed_tools={"summarize"}, **COMFORTABLE),
        ),
        (lambda grant: grant.max_ops < 50, Capabilities(**{**COMFORTABLE, "max_ops": 0})),
        (lambda grant: len(grant.fs_read) > 1, Capabilities(("/work/", "/work/"), **COMFORTABLE)),
    ],
)
def test_a_grant_shrinks_to_what_is_needed(wanted, expected):
    """A finding would be told with roots, hosts and limits that have nothing to do with it."""
    assert expected == smallest(grants(), wanted)


@given(budgets())
def test_budgets_are_what_a_grant_takes(drawn):
    """The keywords would have to be spelt by each user."""
    assert drawn == {name: getattr(Capabilities(**drawn), name) for name in COMFORTABLE}


def test_budgets_shrink_to_comfortable_ones():
    """A finding about one budget would be told with the others tight."""
    assert smallest(budgets()) == COMFORTABLE
    assert {**COMFORTABLE, "max_wall": 0} == smallest(budgets(), lambda one: one["max_wall"] < 9)


@given(grants(budgets=st.just({"max_ops": 3})))
def test_budgets_can_be_chosen(grant):
    """A user could not hold one budget fixed."""
    assert (3, Capabilities().max_wall) == (grant.max_ops, grant.max_wall)
