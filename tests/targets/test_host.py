"""Host targets: a URL in, a yes or a no out, and nothing is ever sent."""

import time

import pytest
from capfuzz.attacks.case import Case, Surface, Verdict, WorldSpec
from capfuzz.attacks.trace import Answer
from capfuzz.engine import Capabilities
from capfuzz.targets import TargetError
from capfuzz.targets.host import HostTarget

LIMIT = 0.2
OK = ("url", "http://ok.test/")
EVIL = ("url", "http://evil.test/")


def case(*ops, hosts=("ok.test",), verdicts=()):
    """Return a case under a grant of ``hosts``."""
    return Case(Capabilities(net_hosts=hosts), WorldSpec(), ops, (), "test", verdicts)


def target(function, **options):
    """Return a target that asks ``function``."""
    return HostTarget("py:a:b", function, op_limit=LIMIT, **options)


def answers(function, *ops):
    """Return the answers of ``function`` to the ops."""
    return [step.answer for step in target(function).run(case(*ops)).steps]


# ---------------------------------------------------------------- asking


def test_the_function_is_asked_with_the_hosts_and_the_url():
    """A function would be judged for a question that it was not asked."""
    asked = []
    trace = target(lambda *question: asked.append(question)).run(case(OK, EVIL, hosts=("a", "b")))
    assert asked == [(["a", "b"], OK[1]), (["a", "b"], EVIL[1])]
    assert [(step.op, step.asked, step.effects) for step in trace.steps] == [
        (OK, 0, ()),
        (EVIL, 1, ()),
    ]
    assert Surface.HOST is trace.surface


def test_a_function_cannot_change_what_is_allowed():
    """The second question would be asked under a grant that the first one widened."""

    def widening(allowed, url):
        allowed.append("evil.test")
        return len(allowed) > 2

    assert answers(widening, OK, EVIL) == [Answer(ok=False)] * 2


@pytest.mark.parametrize(
    ("said", "ok"), [(True, True), (False, False), (None, False), ("", False), ("ok.test", True)]
)
def test_truth_is_the_answer(said, ok):
    """A yes would be taken for a no."""
    assert answers(lambda _allowed, _url: said, OK) == [Answer(ok=ok)]


@pytest.mark.parametrize("error", [ValueError, UnicodeError, RecursionError, AssertionError])
def test_an_exception_refuses(error):
    """A parser that raises on a hostile URL would be called broken."""

    def strict(_allowed, _url):
        raise error

    assert answers(strict, OK, EVIL) == [Answer(ok=False)] * 2


def test_an_exit_is_told():
    """A function that ends the process would end the suite, or pass for one that refuses."""

    def leaving(_allowed, _url):
        raise SystemExit

    assert answers(leaving, OK) == [Answer(ok=False, raised="SystemExit")]


def test_a_truth_that_raises_refuses():
    """An object of the function's own would crash the suite."""

    class Vague:
        def __bool__(self):
            raise ValueError

    assert answers(lambda _allowed, _url: Vague(), OK) == [Answer(ok=False)]


def test_a_hang_is_told_and_the_next_url_asked():
    """One pathological URL would stop the suite, or hide the answers to the others."""

    def slow(_allowed, url):
        return url == OK[1] or time.sleep(30) is None

    assert answers(slow, EVIL, OK) == [Answer(ok=False, hung=True), Answer(ok=True)]


def test_patience_lengthens_the_limit():
    """A busy machine would be told from a hang by nobody."""
    asked = HostTarget("x", lambda _a, _u: time.sleep(LIMIT) is None, op_limit=LIMIT / 2)
    assert [asked.run(case(OK), patience).steps[0].answer.hung for patience in (1, 100)] == [
        True,
        False,
    ]


@pytest.mark.parametrize("pair", [(False, "why"), (True, None), (False,)])
def test_a_pair_is_refused(pair):
    """``(False, "why")`` is true as it stands: every refusal would be reported as a hole."""
    with pytest.raises(TargetError, match="py:a:b: answered with a tuple"):
        answers(lambda _allowed, _url: pair, OK)


def test_a_declared_dialect_is_in_the_trace():
    """A function would be judged without what it says of itself."""
    dialect = frozenset({"subdomains"})
    assert dialect == target(bool, dialect=dialect).run(case(OK)).dialect


# ---------------------------------------------------------------- from ops to URLs


@pytest.mark.parametrize(
    ("op", "url"),
    [
        (("url", "whatever it is"), "whatever it is"),
        (("net_fetch", "ok.test", "/status"), "http://ok.test/status"),
        (("net_fetch", "2001:db8::1", "/"), "http://[2001:db8::1]/"),
        (("net_fetch", "::ffff:10.0.0.1", ""), "http://[::ffff:10.0.0.1]"),
    ],
)
def test_an_op_becomes_a_url(op, url):
    """A vector would be asked as something else than it hints at."""
    assert target(bool).adapt(case(op)).ops == (("url", url),)


@pytest.mark.parametrize(
    "op", [("fs_read", "/x"), ("url",), ("url", 7), None, ["url", "x"], ("tool", "x")]
)
def test_what_is_no_url_cannot_be_asked(op):
    """A function would be held to an answer for something that it knows nothing of."""
    if op == ["url", "x"]:  # a list reads like the tuple, and asks the same
        assert target(bool).adapt(case(op)).ops == (("url", "x"),)
    else:
        assert target(bool).adapt(case(OK, op)) is None


def test_the_verdict_of_the_vector_stays():
    """A vector would lose what it says of a right target."""
    kept = target(bool).adapt(case(OK, EVIL, verdicts=(Verdict.ALLOW, Verdict.DENY)))
    assert kept.verdicts == (Verdict.ALLOW, Verdict.DENY)


# ---------------------------------------------------------------- one host of the target's own


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://ok.test/", "http://my.example/"),
        ("http://OK.TEST./", "http://MY.EXAMPLE./"),
        ("http://ok.test@evil.test/", "http://my.example@evil.test/"),
        ("http://evil.test/?ok.test#ok.test", "http://evil.test/?my.example#my.example"),
        ("http://notok.test/", "http://notmy.example/"),
        ("http://evil.test/", "http://evil.test/"),
    ],
)
def test_a_fixed_host_takes_the_place_of_the_granted_one(url, expected):
    """A function that allows one host of its own could not be attacked with its look-alikes."""
    fixed = target(bool, allow_host="my.example").adapt(
        case(("url", url), verdicts=(Verdict.DENY,))
    )
    assert fixed.ops == (("url", expected),)
    assert fixed.grant.net_hosts == ("my.example",)
    assert fixed.verdicts == ()


@pytest.mark.parametrize("hosts", [(), ("ok.test", "other.test")])
def test_a_fixed_host_stands_for_exactly_one(hosts):
    """A vector about several hosts would be asked as though it were about one."""
    assert target(bool, allow_host="my.example").adapt(case(OK, hosts=hosts)) is None


def test_closing_is_harmless():
    """The suite would crash at its end."""
    target(bool).close()
