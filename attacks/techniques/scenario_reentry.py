"""Tools that run ops from inside: the same checks, and one account for both."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.scenario_model import (
    ALLOWED,
    DENIED,
    Op,
    Ops,
    Scenario,
    Verdicts,
    scenario,
)
from capfuzz.attacks.techniques.scenario_stage import (
    ECHO,
    EXPLODE,
    FORBIDDEN,
    MUTE,
    ONE,
    READ,
    SECRET,
    TEN,
    WRITE,
    again,
)

_TWICE = again(again(READ))


def _shared(
    ops: Ops, verdict: Verdicts, budget: str, limit: int, means: str, ticks: tuple[int, ...] = ()
) -> Scenario:
    """Return ops of which the last is too many, because a tool's own ops were charged."""
    return Scenario(
        ops=ops,
        verdict=verdict,
        control=(again(WRITE),),
        means=means,
        reason=budget,
        grant={budget: limit},
        world={"ticks": list(ticks)} if ticks else {},
        control_grant={},
        control_world={},
    )


@scenario(
    "reenter",
    group="reentrancy",
    cwe="CWE-441",
    needs="trusts an op that comes from a tool, or leaves its checks open while one runs",
)
def reenter() -> Iterator[Scenario]:
    """Let a granted tool try a forbidden op from inside; then try it from outside."""
    for name, (op, reason) in FORBIDDEN.items():
        yield Scenario(
            ops=(again(op), op, READ),
            verdict=ALLOWED + DENIED + ALLOWED,
            control=(again(READ), READ),
            means=f"{name} from inside a tool",
            reason=reason,
        )


@scenario(
    "reenter-malformed",
    group="reentrancy",
    cwe="CWE-441",
    needs="checks the shape of an op at its outer door only",
)
def reenter_malformed() -> Iterator[Scenario]:
    """Let a tool try what is no op from inside: it is refused there, and nobody is hurt."""
    inner: dict[str, Ops] = {
        "nothing": (),
        "a kind alone": ("fs_read",),
        "a kind nobody knows": ("fs_delete", "/work/data.txt"),
        "a number": (7,),
        "an op inside": (SECRET,),
    }
    for name, op in inner.items():
        yield Scenario(
            ops=(again(op), SECRET, READ),
            verdict=ALLOWED + DENIED + ALLOWED,
            control=(again(READ), READ),
            means=f"{name} from inside a tool",
            reason="fs_read_denied",
        )


@scenario(
    "reenter-nested",
    group="reentrancy",
    cwe="CWE-674",
    needs="locks itself out, forgets the outer op, or trusts the second level",
)
def reenter_nested() -> Iterator[Scenario]:
    """Let tools call tools, two and twenty levels deep, and a forbidden op at the bottom."""
    for levels in (2, 20):
        deep: Op = SECRET
        honest: Op = READ
        for _ in range(levels):
            deep, honest = again(deep), again(honest)
        yield Scenario(
            ops=(deep, SECRET, honest, READ),
            verdict=ALLOWED + DENIED + ALLOWED * 2,
            control=(honest, READ),
            means=f"a forbidden read {levels} levels down",
            reason="fs_read_denied",
        )


@scenario(
    "reenter-trust-left",
    group="reentry-state",
    cwe="CWE-266",
    needs="marks that a tool is running, and does not take the mark back",
)
def reenter_trust_left() -> Iterator[Scenario]:
    """Try each forbidden op right after a tool that ran an honest op, or failed, inside."""
    kinds = ("a read outside", "a write outside", "a fetch elsewhere", "a tool not granted")
    inside: dict[str, tuple[Op, tuple[str, ...]]] = {
        "an honest op": (READ, kinds),
        "what raises": (EXPLODE, kinds[:1]),
        "a forbidden op": (SECRET, kinds[:1]),
    }
    for tried, (inner, names) in inside.items():
        for name in names:
            op, reason = FORBIDDEN[name]
            yield Scenario(
                ops=(again(inner), op, again(ECHO)),
                verdict=ALLOWED + DENIED + ALLOWED,
                control=(again(READ), READ, again(ECHO)),
                means=f"{name} after a tool that tried {tried}",
                reason=reason,
            )


@scenario(
    "reenter-ops",
    group="reentry-ops",
    cwe="CWE-770",
    needs="does not charge a tool's own ops, or charges them to an account of their own",
)
def reenter_ops() -> Iterator[Scenario]:
    """Let a tool spend the last of max_ops: its ops and the call itself are charged alike."""
    budget = "max_ops"
    in_time, late = ALLOWED + DENIED, DENIED * 2
    yield _shared((again(READ), READ), late, budget, 1, "an inner op over the limit")
    yield _shared((again(WRITE), WRITE), late, budget, 1, "an inner write over the limit")
    yield _shared((again(READ), READ), in_time, budget, 2, "an inner op is free")
    yield _shared((again(SECRET), READ), in_time, budget, 2, "an inner refusal is free")
    yield _shared((again(()), READ), in_time, budget, 2, "an inner malformed op is free")
    yield _shared((again(EXPLODE), READ), in_time, budget, 2, "an inner failure is free")
    yield _shared((_TWICE, READ), in_time, budget, 3, "the innermost op is free")
    yield _shared((_TWICE, READ), late, budget, 2, "the innermost op over the limit")
    yield _shared((READ, again(WRITE)), in_time, budget, 2, "a fresh account for the tool")
    yield _shared((again(READ),) * 3, ALLOWED * 2 + DENIED, budget, 5, "the last unit for a tool")


@scenario(
    "reenter-output",
    group="reentry-output",
    cwe="CWE-770",
    needs="does not charge what a tool's own ops gave back, since only the tool saw it",
)
def reenter_output() -> Iterator[Scenario]:
    """Let a tool read from inside: what it read and what it returns are charged, both."""
    budget, read, told = "max_output_bytes", 10, len("True")
    in_time, late = ALLOWED + DENIED, DENIED * 2
    inner = again(TEN)
    yield _shared((inner, ONE), in_time, budget, read + told, "what a tool read is free")
    yield _shared((inner, WRITE), late, budget, read + told - 1, "what a tool returns is free")
    yield _shared((inner, WRITE), late, budget, read - 1, "a tool may read too much")
    yield _shared((again(inner), ONE), in_time, budget, read + 2 * told, "two levels down is free")
    yield _shared((again(inner), WRITE), late, budget, read + 2 * told - 1, "the outer answer")
    yield _shared((again(MUTE), ONE), in_time, budget, told, "an inner None is output")
    yield _shared((inner, TEN), in_time, budget, 2 * read + told - 1, "an account for tools")


@scenario(
    "reenter-time",
    group="reentry-time",
    cwe="CWE-770",
    needs="stops its clock while a tool runs, or starts another one for it",
)
def reenter_time() -> Iterator[Scenario]:
    """Let the time run out inside a tool: the inner op is refused, and so is the call."""
    budget, wall = "max_wall", 10
    in_time, late = ALLOWED + DENIED, DENIED * 2
    inner = again(WRITE)
    yield _shared((inner, READ), late, budget, wall, "time inside a tool", (0, 5, 20, 0))
    yield _shared((inner, READ), in_time, budget, wall, "a tick after a tool", (0, 5, 10, 11))
    yield _shared((inner, READ), in_time, budget, wall, "a tool that turns back", (0, 8, 2, 8))
    yield _shared((inner, READ), in_time, budget, wall, "only inner time counts", (0, 6, 6, 12))
    yield _shared((inner, READ), in_time, budget, wall, "only outer time counts", (0, 0, 10, 11))
