"""Ssrf targets: an address, a host or a URL in, a yes or a no out, and nothing is ever sent."""

import importlib
import os
import socket
import subprocess
import sys
import time
from ipaddress import ip_address

import pytest
from capfuzz.attacks.case import Case, Surface, Verdict, WorldSpec
from capfuzz.attacks.invariants import judge
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.ssrf import HONEST_NAME, ZONE
from capfuzz.attacks.vectors import CORPUS
from capfuzz.attacks.vectors import load as corpus
from capfuzz.engine import Capabilities
from capfuzz.gate.campaign import attack
from capfuzz.gate.plan import Plan
from capfuzz.targets.base import TargetError
from capfuzz.targets.broken import FAULTS
from capfuzz.targets.lookups import no_network
from capfuzz.targets.right import RIGHT
from capfuzz.targets.right.ssrf import by_value, canonical_address, literal_urls, resolved_urls
from capfuzz.targets.spec import Options, load
from capfuzz.targets.ssrf import SsrfTarget

VECTORS = corpus(sorted(CORPUS.glob("ssrf-*.json")))
FAMILIES = sorted({one.case.family for one in VECTORS})
ALLOW, DENY = Verdict.ALLOW, Verdict.DENY


def case(*texts, verdicts=()):
    """Return the case that asks about these texts."""
    ops = tuple(("ssrf", text) for text in texts)
    return Case(Capabilities(), WorldSpec(), ops, ("internal-loopback",) * len(ops), "f", verdicts)


def answers(target, *texts):
    """Return the answers of a target to each text, in its own form."""
    return [step.answer.ok for step in target.run(target.adapt(case(*texts))).steps]


def report(target, *families):
    """Return the report of a quick campaign, or of the corpus alone where families are named."""
    *_, last = attack(target, Plan(VECTORS, "quick", families=families))
    return last


def of(registry):
    """Return the registered targets of this surface."""
    return [pytest.param(one, id=one.name) for one in registry if one.surface is Surface.SSRF]


# ---------------------------------------------------------------- right and broken


@pytest.mark.parametrize("right", of(RIGHT))
def test_a_right_target_holds(right):
    """A right filter would be accused, and nobody would believe the next finding."""
    found = report(load(right.spec, Options(surface=Surface.SSRF)))
    assert ("held", []) == (found.verdict, [str(one.ops) for one in found.findings])


@pytest.mark.parametrize("fault", of(FAULTS))
def test_a_fault_is_found(fault):
    """A filter with a hole would be called safe."""
    target = load(fault.spec, Options(surface=Surface.SSRF, op_limit=0.5))
    found = [one for one in report(target, *FAMILIES).findings if one.invariant in fault.breaks]
    assert {1} == {len(one.ops) for one in found}
    over_blocks = fault.breaks == ("control-allowed",)
    assert {"warning" if over_blocks else "error"} == {str(one.severity) for one in found}


@pytest.mark.parametrize("fault", of(FAULTS))
def test_a_fault_is_one_fault(fault):
    """A target that lets everything through, or nothing, would be found by anything."""
    target = load(fault.spec, Options(surface=Surface.SSRF))
    assert [False, False] == answers(target, "127.0.0.1", "10.0.0.1")
    assert [True, True] == answers(target, "8.8.8.8", "1.1.1.1")


def test_both_registries_have_several_of_this_surface():
    """The self-test would show little of the surface."""
    assert len(of(RIGHT)) >= 3
    assert len(of(FAULTS)) >= 6


# ---------------------------------------------------------------- how it is asked


@pytest.mark.parametrize(
    ("function", "form", "names"),
    [
        (canonical_address, "address", False),
        (by_value, "address", False),
        (literal_urls, "url", False),
        (resolved_urls, "url", True),
        (lambda text: text == HONEST_NAME or canonical_address(text), "host", True),
        (
            lambda text: not text.startswith(("127.", "10.", "192.168.", "169.254.")),
            "address",
            False,
        ),
        (lambda url: url.startswith("https://") and literal_urls(url), "url", False),
    ],
    ids=["canonical", "value", "urls", "resolving", "names", "by text", "https alone"],
)
def test_the_form_is_found_out(function, form, names):
    """A function would be asked what it was never made for, and its answers taken for faults."""
    manner = SsrfTarget("t", function).manner
    assert (form, names) == (manner.form, manner.names)


def test_a_stated_form_is_kept():
    """Whoever knows better could not say so."""
    assert "host" == SsrfTarget("t", canonical_address, takes="host").manner.form
    assert [False] == answers(SsrfTarget("t", canonical_address, takes="host"), "localhost")


def test_an_address_function_is_not_asked_about_names():
    """A function of addresses would be blamed for a name that it calls no private address."""
    target = SsrfTarget("t", canonical_address)
    assert [None, None, None] == [
        target.adapt(case(text)) for text in ("localhost", "http://127.0.0.1/", "[::1]")
    ]


def test_a_url_function_is_asked_in_urls():
    """What stands bare in the corpus would never reach a function of URLs."""
    adapted = SsrfTarget("t", literal_urls).adapt(case("::1", "127.1", verdicts=(DENY, DENY)))
    assert (("ssrf", "http://[::1]/"), ("ssrf", "http://127.1/")) == adapted.ops
    assert () == adapted.verdicts


def test_https_alone_is_asked_in_https():
    """Every honest URL would be refused for its scheme, and nothing be measured."""
    target = SsrfTarget("t", lambda url: url.startswith("https://") and literal_urls(url))
    assert (("ssrf", "https://8.8.8.8/"),) == target.adapt(case("8.8.8.8")).ops


def test_a_function_without_ipv6_is_not_blamed_for_refusing_it():
    """A filter of IPv4 alone would be warned of over-blocking."""
    target = SsrfTarget("t", lambda text: ":" not in text and canonical_address(text))
    assert target.adapt(case("2606:4700:4700::1111")) is None
    assert target.adapt(case("::1")) is not None


def test_invert_reads_truth_as_inside():
    """A right is_private would be called broken in every answer."""
    target = SsrfTarget("t", lambda text: not canonical_address(text), invert=True)
    assert [True, False] == answers(target, "8.8.8.8", "10.0.0.1")


def test_an_exception_refuses_with_invert_too():
    """A function that fails closed would be taken to let everything through."""
    target = SsrfTarget("t", lambda text: not ip_address(text).is_global, invert=True)
    assert [False] == answers(target, "0x7f.1")


def test_a_declared_network_may_be_let_through():
    """What a package documents would be reported as its fault."""

    def lets_groups(text):
        return text.startswith("224.") or canonical_address(text)

    strict, told = (
        SsrfTarget("t", lets_groups, public=public) for public in ((), ("224.0.0.0/4",))
    )
    asked = case("224.0.0.1", verdicts=(DENY,))
    assert [1, 0] == [len(judge(one.run(asked)).breaches) for one in (strict, told)]


def test_a_declared_network_never_covers_this_machine():
    """Whoever declares compatible addresses public would declare ``::1`` so, too."""
    target = SsrfTarget("t", lambda text: ":" in text or canonical_address(text), public=("::/96",))
    broken = [bool(judge(target.run(case(text))).breaches) for text in ("::1", "::", "::7f00:1")]
    assert [True, True, False] == broken


# ---------------------------------------------------------------- targets that misbehave


def test_a_function_that_lets_nothing_through_cannot_be_measured():
    """Whoever refuses everything would pass, or a forgotten --invert look like a fault."""
    with pytest.raises(TargetError, match=r"no public address was let through.*--invert"):
        SsrfTarget("t", lambda text: False)


def test_a_function_that_hangs_on_a_plain_question_is_told():
    """The campaign would spend the time limit on every question there is."""
    with pytest.raises(TargetError, match=r"t: hung on 'http://8\.8\.8\.8/'"):
        SsrfTarget("t", lambda text: time.sleep(9), op_limit=0.05)


def test_a_hang_is_an_answer():
    """A filter that never comes back would stop the campaign."""

    def hangs(text):
        while text == "127.1":
            pass
        return canonical_address(text)

    (step,) = SsrfTarget("t", hangs, op_limit=0.1).run(case("127.1")).steps
    assert (True, False) == (step.answer.hung, step.answer.ok)


def test_an_exit_is_an_answer():
    """A filter that ends the process would end the campaign."""

    def exits(text):
        return sys.exit() if text == "127.1" else canonical_address(text)

    (step,) = SsrfTarget("t", exits).run(case("127.1")).steps
    assert ("SystemExit", False) == (step.answer.raised, step.answer.ok)


def test_a_pair_is_told_rather_than_believed():
    """``(False, "why")`` would count as yes, for every address."""
    with pytest.raises(TargetError, match="answered with a tuple"):
        SsrfTarget("t", lambda text: (False, "private"))


def test_nonsense_is_not_asked():
    """A session's op would reach a function of addresses."""
    target = SsrfTarget("t", canonical_address)
    odd = [("net_fetch", "a", "/"), ("ssrf",), ("ssrf", 7), None]
    grant, world = Capabilities(), WorldSpec()
    assert [None] * 4 == [target.adapt(Case(grant, world, (op,), ("x",), "f")) for op in odd]


# ---------------------------------------------------------------- names, and no network


def test_names_are_answered_by_the_zone():
    """A filter that resolves would be measured by whoever runs the next name server."""
    with no_network() as lookups:
        found = {one[4][0] for one in socket.getaddrinfo("second.public.test", 80)}
        first = socket.gethostbyname("second.public.test")
        with pytest.raises(socket.gaierror):
            socket.getaddrinfo("elsewhere.test", 80)
    assert (set(ZONE["second.public.test"]), "93.184.215.14") == (found, first)
    assert "elsewhere.test" in lookups.asked


def test_what_went_before_is_given_back():
    """The rest of the process would be cut off from its network."""
    before = socket.getaddrinfo
    with no_network():
        assert before is not socket.getaddrinfo
    assert before is socket.getaddrinfo


_PAST_THE_FUNCTIONS = """
import _socket, socket
from capfuzz.targets.lookups import no_network
got = []
with no_network():
    for attempt in (
        lambda: _socket.getaddrinfo("elsewhere.test", 80),
        lambda: _socket.gethostbyname("elsewhere.test"),
        lambda: socket.socket(type=socket.SOCK_DGRAM).connect(("192.0.2.1", 9)),
        lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 9)),
    ):
        try:
            attempt()
        except OSError as error:
            got.append("this machine" in str(error))
    socket.socket(type=socket.SOCK_DGRAM).connect(("127.0.0.1", 9))
socket.socket(type=socket.SOCK_DGRAM).connect(("127.0.0.2", 9))
print(got)
"""


def test_nothing_is_sent_past_the_functions():
    """A filter that kept its own reference to the C function would look names up for real."""
    run = subprocess.run(
        [sys.executable, "-c", _PAST_THE_FUNCTIONS],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
    )
    assert ("[True, True, True, True]\n", "") == (run.stdout, run.stderr)


def test_a_resolving_target_is_judged_by_addresses():
    """A name that leads inside would be held for a public one."""
    target = SsrfTarget("t", resolved_urls)
    trace = target.run(target.adapt(case("private.public.test", "public.test", HONEST_NAME)))
    assert [DENY, ALLOW] == [one.verdict for one in (rulings(trace)[0], rulings(trace)[2])]
    assert [False, True, True] == [step.answer.ok for step in trace.steps]


def test_a_target_that_resolves_nothing_is_not_blamed_for_names():
    """Whoever leaves names to the client would be accused of what no filter of text can see."""
    target = SsrfTarget("t", lambda text: text.endswith(".public.test") or canonical_address(text))
    assert ("host", False) == (target.manner.form, target.manner.resolves)
    assert () == judge(target.run(case("private.public.test"))).breaches


# ---------------------------------------------------------------- the command line's options


@pytest.mark.parametrize(
    "option", [{"invert": True}, {"takes": "url"}, {"public": ("10.0.0.0/8",)}]
)
def test_options_of_this_surface_are_refused_elsewhere(option):
    """An option would be dropped without a word, and the verdict be about something else."""
    (name,) = option
    with pytest.raises(TargetError, match=f"--{name} is for ssrf targets"):
        load("py:os:getcwd", Options(surface=Surface.HOST, **option))


def test_options_reach_the_target():
    """A flag would be accepted and do nothing."""
    spec = "py:capfuzz.targets.right.ssrf:canonical_address"
    asked = load(spec, Options(surface=Surface.SSRF, takes="host", public=("10.0.0.0/8",)))
    assert ("host", ()) == (asked.manner.form, judge(asked.run(case("10.0.0.1"))).breaches)
    assert importlib.import_module("capfuzz.targets.right.ssrf").canonical_address("8.8.8.8")
