"""Sequences that use up ``max_ops``, and what an implementation may forget to charge."""

from collections.abc import Iterator
from itertools import cycle, islice

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
    DOORS,
    EMPTY,
    EXPLODE,
    FAILING,
    FORBIDDEN,
    FORBIDDEN_CALL,
    HONEST,
    MALFORMED,
    MUTE,
    ODD,
    READ,
    SECRET,
    WRITE,
)


def _spent(spend: Ops, verdict: Verdicts, means: str, *, last: Op = READ) -> Scenario:
    """Return ``spend``, which uses ``max_ops`` up, then one op that must be refused."""
    return Scenario(
        ops=(*spend, last),
        verdict=verdict + DENIED,
        control=tuple(islice(cycle((READ, WRITE)), len(spend))),
        means=means,
        reason="max_ops",
        grant={"max_ops": len(spend)},
    )


@scenario(
    "ops-boundary",
    group="max-ops",
    cwe="CWE-770",
    needs="compares the count with max_ops one off, or keeps it in a byte",
)
def ops_boundary() -> Iterator[Scenario]:
    """Try exactly max_ops allowed ops, all different, and one more, which must be refused."""
    for count in (1, 3, 256):
        spend = tuple(("fs_write", f"/work/out/{number}", "x") for number in range(count))
        yield _spent(spend, ALLOWED * count, f"op {count + 1} of {count}")


@scenario(
    "ops-honest-kind",
    group="charge-honest",
    cwe="CWE-770",
    needs="charges some kinds of op and not others",
)
def ops_honest_kind() -> Iterator[Scenario]:
    """Use max_ops up with two ops of one kind, which an implementation may forget to charge."""
    for name, op in HONEST.items():
        yield _spent((op, op), ALLOWED * 2, f"{name} charges nothing")


@scenario(
    "ops-door-at-limit",
    group="max-ops-door",
    cwe="CWE-770",
    needs="looks at max_ops before some kinds of op and not before others",
)
def ops_door_at_limit() -> Iterator[Scenario]:
    """Try each kind of op in turn as the first over max_ops; the limit stands before each door."""
    for name, op in {**DOORS, **FAILING}.items():
        yield _spent((READ, READ), ALLOWED * 2, f"{name} past the limit", last=op)


@scenario(
    "ops-limit-before-check",
    group="max-ops-order",
    cwe="CWE-696",
    needs="checks the op before its budget, so that guesses go on for ever without a halt",
)
def ops_limit_before_check() -> Iterator[Scenario]:
    """Try a forbidden or malformed op as the first over max_ops: the limit is what is told."""
    for name, (op, _) in FORBIDDEN.items():
        yield _spent((READ,), ALLOWED, f"{name} past the limit", last=op)
    for name, op in MALFORMED.items():
        yield _spent((READ,), ALLOWED, f"{name} past the limit", last=op)


@scenario(
    "ops-denied-charged",
    group="charge-denied",
    cwe="CWE-799",
    needs="charges an op only once it is allowed",
)
def ops_denied_charged() -> Iterator[Scenario]:
    """Use max_ops up with two forbidden ops; the honest op after them is refused."""
    for name, (op, _) in FORBIDDEN.items():
        yield _spent((op, op), DENIED * 2, f"{name} charges nothing")


@scenario(
    "ops-malformed-charged",
    group="charge-malformed",
    cwe="CWE-799",
    needs="charges an op only once its shape is known",
)
def ops_malformed_charged() -> Iterator[Scenario]:
    """Use max_ops up with two malformed ops; the honest op after them is refused."""
    for name, op in MALFORMED.items():
        yield _spent((op, op), DENIED * 2, f"{name} charges nothing")
    for name, op in ODD.items():
        yield _spent((op, op), CONTAINED * 2, f"{name} charges nothing")


@scenario(
    "ops-failure-charged",
    group="charge-failure",
    cwe="CWE-799",
    needs="charges after the effect, or gives the charge back when the effect fails",
)
def ops_failure_charged() -> Iterator[Scenario]:
    """Use max_ops up with two granted ops that fail: a missing file or a raising tool is work."""
    for name, op in FAILING.items():
        yield _spent((op, op), CONTAINED * 2, f"{name} charges nothing")


@scenario(
    "ops-mixed-charges",
    group="charge-denied",
    cwe="CWE-799",
    needs="gives a charge back on a refusal that follows or precedes an honest op",
)
def ops_mixed_charges() -> Iterator[Scenario]:
    """Mix forbidden, malformed, failing and honest ops, which share one count in any order."""
    yield _spent((SECRET, None, READ), DENIED * 2 + ALLOWED, "a refusal gives its unit back")
    yield _spent(
        (READ, FORBIDDEN_CALL, None), ALLOWED + DENIED * 2, "a refusal gives the last unit back"
    )
    yield _spent(
        (None, READ, FORBIDDEN_CALL), DENIED + ALLOWED + DENIED, "a refusal resets the count"
    )
    yield _spent((READ, EXPLODE, READ), ALLOWED + CONTAINED + ALLOWED, "a failure resets the count")
    yield _spent((EMPTY, MUTE, WRITE), ALLOWED * 3, "only ops with output are charged")


@scenario(
    "ops-flood-of-guesses",
    group="tired-guard",
    cwe="CWE-307",
    needs="lets guesses go on for ever as long as each is refused",
)
def ops_flood_of_guesses() -> Iterator[Scenario]:
    """Use max_ops up with fifty guesses at what is forbidden; an honest op after them is refused."""
    guesses: dict[str, Ops] = {
        "one path again and again": (SECRET,) * 50,
        "paths": tuple(("fs_read", f"/etc/{number}") for number in range(50)),
        "places to write": tuple(("fs_write", f"/etc/{number}", "x") for number in range(50)),
        "hosts": tuple(("net_fetch", f"host{number}.test", "/") for number in range(50)),
        "tools": tuple(("tool", f"tool{number}") for number in range(50)),
        "kinds of op": tuple((f"fs_{number}", "/etc/passwd") for number in range(50)),
    }
    for name, spend in guesses.items():
        yield _spent(spend, DENIED * 50, f"guesses at {name} are free")


@scenario(
    "ops-same-again",
    group="redelivery",
    cwe="CWE-799",
    needs="takes an op that it has seen for a redelivery, and charges it once",
)
def ops_same_again() -> Iterator[Scenario]:
    """Repeat one op four times: that is four ops, whether or not its first answer was kept."""
    for name in ("a read", "a write", "a fetch", "a tool"):
        op = HONEST[name]
        yield _spent((op,) * 4, ALLOWED * 4, f"{name} repeated charges once", last=op)
    yield _spent((READ, WRITE) * 2, ALLOWED * 4, "a pair repeated charges once")
