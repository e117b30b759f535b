"""Sequences that use up ``max_output_bytes``: bytes that flow back, through whichever door."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.scenario_model import (
    ALLOWED,
    CONTAINED,
    DENIED,
    Op,
    Ops,
    Scenario,
    Verdicts,
    scenario,
)
from capfuzz.attacks.techniques.scenario_stage import (
    EMPTY,
    FAILING,
    FETCH,
    FORBIDDEN,
    MUTE,
    ONE,
    SOURCES,
    TEN,
    WRITE,
)

_REASON = "max_output_bytes"


def _flowed(flow: Ops, verdict: Verdicts, cap: int, means: str, *, last: Op = ONE) -> Scenario:
    """Return ``flow``, whose output is ``cap`` bytes, then one op that must be refused."""
    return Scenario(
        ops=(*flow, last),
        verdict=verdict + DENIED,
        control=tuple(op for op, one in zip(flow, verdict, strict=True) if one in ALLOWED),
        means=means,
        reason=_REASON,
        grant={_REASON: cap},
    )


def _over(op: Op, size: int, cap: int, means: str) -> Scenario:
    """Return one op whose ``size`` bytes exceed ``cap``; its twin has room for them."""
    return Scenario(
        ops=(op,),
        verdict=DENIED,
        control=(op,),
        means=means,
        reason=_REASON,
        grant={_REASON: cap},
        control_grant={_REASON: size},
    )


@scenario(
    "output-exact",
    group="max-output",
    cwe="CWE-770",
    needs="charges the output of some doors only, or compares it one off",
)
def output_exact() -> Iterator[Scenario]:
    """Let exactly max_output_bytes flow back through one door, which passes, then one byte."""
    for name, (op, size) in SOURCES.items():
        yield _flowed((op,), ALLOWED, size, f"{name} charges nothing")


@scenario(
    "output-one-over",
    group="max-output",
    cwe="CWE-770",
    needs="hands over the output that exceeds the budget and only then stops, or never looks",
)
def output_one_over() -> Iterator[Scenario]:
    """Let one door alone give back one byte more than max_output_bytes; it is withheld."""
    for name, (op, size) in SOURCES.items():
        yield _over(op, size, size - 1, f"{name} gives one byte too many")


@scenario(
    "output-door-at-limit",
    group="max-output-door",
    cwe="CWE-770",
    needs="looks at the output that is left in some doors and not in others",
)
def output_door_at_limit() -> Iterator[Scenario]:
    """Use max_output_bytes up with a file, then let each door in turn give something back."""
    for name, (op, _) in SOURCES.items():
        yield _flowed((TEN,), ALLOWED, 10, f"{name} after the last byte", last=op)


@scenario(
    "output-accumulated",
    group="output-sum",
    cwe="CWE-770",
    needs="compares each output with the budget instead of their sum, or sums them door by door",
)
def output_accumulated() -> Iterator[Scenario]:
    """Let three outputs flow back that fit one by one, while together they do not."""
    files = tuple(("fs_read", f"/work/lot/{number}") for number in (1, 2, 3))
    routes = tuple(("net_fetch", "api.internal", f"/lot/{number}") for number in (1, 2, 3))
    calls = tuple(("tool", "summarize", letter * 10) for letter in "abc")
    mixed = (files[0], routes[1], calls[2])
    for name, flow in {"files": files, "routes": routes, "calls": calls, "doors": mixed}.items():
        yield _flowed(flow[:2], ALLOWED * 2, 29, f"three {name} together", last=flow[2])
    pairs = {"file, host": (files[0], routes[0]), "file, tool": (files[0], calls[0])}
    for name, (first, last) in pairs.items():
        yield _flowed((first,), ALLOWED, 19, f"a meter each for {name}", last=last)


@scenario(
    "output-same-again",
    group="redelivery",
    cwe="CWE-770",
    needs="charges the output of a repeated op once, because its answer was kept",
)
def output_same_again() -> Iterator[Scenario]:
    """Repeat one op: its output flows back again, so it is charged again."""
    for name, (op, size) in SOURCES.items():
        yield _flowed((op,) * 2, ALLOWED * 2, size * 3 - 1, f"{name} again", last=op)


@scenario(
    "output-zero",
    group="zero-budget",
    cwe="CWE-1284",
    needs="takes a budget of zero for no budget, or asks only after something was spent",
)
def output_zero() -> Iterator[Scenario]:
    """Set max_output_bytes to zero and ask each door for something."""
    for name in ("a file", "a host", "a tool"):
        op, size = SOURCES[name]
        yield _over(op, size, 0, f"{name} under a budget of zero bytes")


@scenario(
    "output-empty",
    group="output-empty",
    cwe="CWE-131",
    needs="charges an empty output, the text None, or what is written",
)
def output_empty() -> Iterator[Scenario]:
    """Try ops that give nothing back under a budget of zero bytes: they pass; one byte does not."""
    nothing: dict[str, Op] = {
        "an empty file": EMPTY,
        "an empty answer": ("net_fetch", "api.internal", "/empty"),
        "a tool that returns None": MUTE,
        "a tool that returns an empty text": ("tool", "summarize"),
        "a flood of nothing": ("tool", "flood", 0),
        "a write": WRITE,
        "a long write": ("fs_write", "/work/out/long", "x" * 5000),
    }
    for name, op in nothing.items():
        yield _flowed((op, op), ALLOWED * 2, 0, f"{name} is output")


@scenario(
    "output-of-refusal",
    group="size-channel",
    cwe="CWE-203",
    needs="charges what a refused op would have given back, so that the budget tells its size",
)
def output_of_refusal() -> Iterator[Scenario]:
    """Try a forbidden op, then use the whole max_output_bytes: the refusal cost none of it."""
    for name, (op, _) in FORBIDDEN.items():
        yield _flowed((op, TEN), DENIED + ALLOWED, 10, f"{name} tells a size")


@scenario(
    "output-of-failure",
    group="output-failure",
    cwe="CWE-131",
    needs="charges the message of an error as output",
)
def output_of_failure() -> Iterator[Scenario]:
    """Try a granted op that fails, then use the whole max_output_bytes: the error cost none."""
    for name, op in FAILING.items():
        yield _flowed((op, TEN), CONTAINED + ALLOWED, 10, f"{name} is output")


@scenario(
    "output-grown-file",
    group="stale-size",
    cwe="CWE-367",
    needs="keeps the size that a file had when it was first read or written",
)
def output_grown_file() -> Iterator[Scenario]:
    """Change the size of a file between two reads: what is charged is what flows back."""
    place = "/work/out/changing"
    short, long, read = (
        ("fs_write", place, "x"),
        ("fs_write", place, "y" * 10),
        ("fs_read", place),
    )
    yield _flowed((short, read, long), ALLOWED * 3, 10, "a file that has grown", last=read)
    yield _flowed((long, read, short, read), ALLOWED * 4, 11, "a file that has shrunk")
    old = ("fs_read", "/work/out/report.txt")
    cut = ("fs_write", "/work/out/report.txt", "")
    yield _flowed((cut, old, FETCH), ALLOWED * 3, 2, "a file that was emptied")


@scenario(
    "output-redirect",
    group="redirect",
    cwe="CWE-770",
    needs="charges the answer that a redirect leads to, or nothing, instead of what it says itself",
)
def output_redirect() -> Iterator[Scenario]:
    """Fetch a redirect: it is handed back like any answer, and its text is charged."""
    moved, size = ("net_fetch", "api.internal", "/moved"), len("302 evil.test/steal")
    yield _flowed((moved,), ALLOWED, size, "a redirect charges nothing")
    yield _over(moved, size, size - 1, "a redirect gives one byte too many")


@scenario(
    "output-flood",
    group="max-output",
    cwe="CWE-400",
    needs="hands a very large output over before it is measured",
)
def output_flood() -> Iterator[Scenario]:
    """Call a tool that returns a million characters or more, with room for a tenth or just so."""
    flood = ("tool", "flood")
    yield _over(flood, 1_000_000, 100_000, "a million characters")
    yield _over(("tool", "flood", 10_000_000), 10_000_000, 9_999_999, "ten million characters")
    yield _flowed((flood,), ALLOWED, 1_000_000, "a million characters just fit")
