"""No technique is dead weight: each has a small broken checker that falls to it."""

import functools
from collections import defaultdict

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.attacks.invariants import Severity, judge
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.vectors import load
from capfuzz.gate.comparisons import RELATIONS, broken
from capfuzz.targets.host import HostTarget
from capfuzz.targets.right import archive as right_archives
from capfuzz.targets.right import eval as right_evaluators
from capfuzz.targets.right import host as right_hosts
from capfuzz.targets.right import session as right_sessions
from capfuzz.targets.right import ssrf as right_ssrf
from capfuzz.targets.session import SessionTarget, engine_factory

from .bite_archive import Unpacks
from .bite_eval import Evaluates
from .bite_pool import CHECKERS
from .bite_sandboxes import IN_SANDBOXES
from .bite_ssrf import Asked
from .bite_table import COMPARED, FALLS_TO, WARNED

VECTORS = load()
BY_ID = {vector.id: vector for vector in VECTORS}
# Surfaces with vectors of their own, that a session cannot be asked.
APART = (Surface.ARCHIVE, Surface.EVAL, Surface.HOST, Surface.HTTP, Surface.SSRF)
RIGHT = [
    SessionTarget("engine", engine_factory),
    SessionTarget("string_prefix", right_sessions.string_prefix),
    SessionTarget("realpath", right_sessions.realpath),
    HostTarget("strict_regex", right_hosts.strict_regex),
    HostTarget("lenient_spellings", right_hosts.lenient_spellings),
    Unpacks("files_and_folders", right_archives.files_and_folders),
    Evaluates("tree_walker", right_evaluators.tree_walker),
    Evaluates("number_template", right_evaluators.number_template),
    Unpacks("leaves_out", right_archives.leaves_out),
    Asked("resolved_urls", right_ssrf.resolved_urls),
    Asked("by_value", right_ssrf.by_value),
]


@functools.cache
def own():
    """Return the vectors of every technique: its attacks, or its controls if it has no others."""
    attacks, controls = defaultdict(list), defaultdict(list)
    for vector in VECTORS:
        (controls if vector.is_control else attacks)[vector.technique].append(vector)
    return controls | attacks


def fits(target, vector):
    """Tell whether a vector is asked of this kind of target: of a session where of no other."""
    own = next((one for one in APART if vector.surfaces == (one,)), Surface.SESSION)
    return target.surface is own


def shows(target, vector):
    """Return what a vector shows of a target: error, warning, comparison or nothing."""
    breaches = judge(target.run(vector.case)).breaches
    seen = {breach.severity for breach in breaches}
    for severity in (Severity.ERROR, Severity.WARNING):
        if severity in seen:
            return str(severity)
    if vector.technique in COMPARED:
        leaks = any(broken(target, vector.case, name) for name in RELATIONS)
        return "comparison" if leaks else None
    return None


def expected(technique):
    """Return what the table says that a technique shows."""
    if technique in COMPARED:
        return "comparison"
    return "warning" if technique in WARNED else "error"


def is_bitten(target, vector):
    """Tell whether a vector shows what it should in a target that does the honest twin's work."""
    wanted = expected(vector.technique)
    if not fits(target, vector) or shows(target, vector) != wanted:
        return False
    if vector.is_control:
        return True
    # Over-blocking shows in the twin just as well; an escape there would be another fault.
    return shows(target, BY_ID[vector.control]) in {None, wanted} - {"error", "comparison"}


@functools.cache
def bite(technique):
    """Return the first of a technique's own vectors that bites its checker, or None."""
    target = CHECKERS[FALLS_TO[technique]]
    return next((one for one in own()[technique] if is_bitten(target, one)), None)


def test_the_table_has_every_technique_and_no_other():
    """A new technique could be added that finds nothing in anybody, and none would notice."""
    assert set(TECHNIQUES) == set(FALLS_TO) | set(IN_SANDBOXES)
    assert set(TECHNIQUES) >= WARNED | COMPARED
    assert set(CHECKERS) >= set(FALLS_TO.values())


@pytest.mark.parametrize("technique", FALLS_TO)
def test_a_broken_checker_falls_to_it(technique):
    """A technique that no broken checker falls to is dead weight."""
    assert bite(technique) is not None, FALLS_TO[technique]


@pytest.mark.parametrize("right", RIGHT, ids=lambda one: one.spec)
def test_no_right_target_falls_to_what_bites(right):
    """A vector that bites a right target too would show nothing about the broken one."""
    biting = [bite(technique) for technique in FALLS_TO]
    asked = [one for one in biting if one and fits(right, one) and right.adapt(one.case)]
    found = [one.id for one in asked if shows(right, one)]
    assert [] == found


def test_every_checker_made_for_the_table_is_in_it():
    """A checker that stands in no row would be code that shows nothing."""
    borrowed = (
        "archive fault ",
        "eval fault ",
        "fault ",
        "ssrf fault ",
        "url fault ",
        "host guard ",
        "http fault ",
        "tool guard ",
        "url guard ",
        "session ",
    )
    made = {name for name in CHECKERS if not name.startswith((*borrowed, "opens "))}
    assert set() == made - set(FALLS_TO.values())
