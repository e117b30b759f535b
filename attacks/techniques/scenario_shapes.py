"""Ops of an odd kind, number or size: what is no op must be refused, and do no harm."""

from collections.abc import Callable, Iterator

from capfuzz.attacks.techniques.scenario_model import (
    ALLOWED,
    CONTAINED,
    DENIED,
    Op,
    Scenario,
    Verdicts,
    scenario,
)
from capfuzz.attacks.techniques.scenario_stage import (
    ECHO,
    FETCH,
    FORBIDDEN,
    FORBIDDEN_CALL,
    MALFORMED,
    ODD,
    READ,
    SECRET,
    WRITE,
)

# A forbidden op behind each door, and its honest twin.
FORBIDDEN_DOORS: dict[str, tuple[tuple[object, ...], Op]] = {
    "read": (SECRET, READ),
    "write": (("fs_write", "/etc/passwd", "mine"), WRITE),
    "fetch": (("net_fetch", "evil.test", "/steal"), FETCH),
    "tool": (("tool", "delete_all", "x"), ECHO),
}


def shaped(op: Op, verdict: Verdicts, control: Op, means: str) -> Scenario:
    """Return one op of an odd shape, refused as malformed where it is not taken by its content."""
    reason = "malformed_op" if verdict == DENIED else None
    return Scenario((op,), verdict, (control,), means, reason)


@scenario(
    "kind-look-alike",
    group="unknown-kind",
    cwe="CWE-20",
    needs="matches the kind of an op loosely where it acts, and exactly where it checks",
)
def kind_look_alike() -> Iterator[Scenario]:
    """Spell the kind of a forbidden op so that a loose match takes it and an exact one does not."""
    spellings: dict[str, Callable[[str], str]] = {
        "in capitals": str.upper,
        "with a blank": lambda kind: f"{kind} ",
        "with a line end": lambda kind: f"{kind}\n",
        "with one letter more": lambda kind: f"{kind}s",
        "with one letter less": lambda kind: kind[:-1],
        "in full width": lambda kind: kind.translate({n: n + 0xFEE0 for n in range(0x61, 0x7B)}),
    }
    for name, ((kind, *arguments), honest) in FORBIDDEN_DOORS.items():
        for how, spell in spellings.items():
            if name in {"write", "fetch"} and how not in {"in capitals", "with a blank"}:
                continue  # one door is like another but for these
            yield shaped((spell(str(kind)), *arguments), DENIED, honest, f"a {name} {how}")


@scenario(
    "kind-of-no-handler",
    group="unknown-kind",
    cwe="CWE-470",
    needs="looks the kind up among its own attributes, or lets unknown kinds fall through",
)
def kind_of_no_handler() -> Iterator[Scenario]:
    """Name a kind that is no kind: nothing, an attribute of the target, or some other operation."""
    nothing = ("", "\0", "*", "fs_read,fs_write")
    attributes = ("__init__", "__class__", "run", "_fs_read", "vfs", "caps")
    operations = ("fs_delete", "fs_list", "fs_append", "exec", "read", "open")
    for kind in (*nothing, *attributes, *operations):
        yield shaped((kind, "/etc/passwd"), DENIED, READ, f"the kind {kind!r}")
    yield shaped(("net_post", "evil.test", "/steal", "x"), DENIED, FETCH, "the kind net_post")
    yield shaped(("tool_call", "delete_all"), DENIED, ECHO, "the kind tool_call")


@scenario(
    "kind-of-no-str",
    group="wrong-type",
    cwe="CWE-843",
    needs="looks the kind up before it knows that it is a str, or turns it into one",
)
def kind_of_no_str() -> Iterator[Scenario]:
    """Give a kind that is no str: unhashable, equal to nothing, or a str once decoded."""
    for kind in (None, 0, True, float("nan"), b"fs_read", ["fs_read"], ("fs_read",)):
        yield shaped((kind, "/etc/passwd"), DENIED, READ, f"the kind {kind!r}")


@scenario(
    "arity-short",
    group="arity",
    cwe="CWE-234",
    needs="takes a missing argument for a default, or fails on it",
)
def arity_short() -> Iterator[Scenario]:
    """Leave arguments out: neither a default nor an argument of the op before takes their place."""
    yield shaped((), DENIED, READ, "nothing at all")
    for name, ((kind, *arguments), honest) in FORBIDDEN_DOORS.items():
        needed = arguments[:1] if name == "tool" else arguments
        for given in range(len(needed)):
            op = (kind, *arguments[:given])
            yield shaped(op, DENIED, honest, f"a {name} with {given} arguments")
    for op, honest in (
        (("fs_write", "/work/out/x"), WRITE),
        (("net_fetch", "api.internal"), FETCH),
    ):
        yield Scenario(
            ops=(honest, op),
            verdict=ALLOWED + DENIED,
            control=(honest, honest),
            means="an argument of the op before",
            reason="malformed_op",
        )


@scenario(
    "arity-long",
    group="arity",
    cwe="CWE-237",
    needs="checks the first argument and acts on the last, or the other way round",
)
def arity_long() -> Iterator[Scenario]:
    """Give one argument too many, of which one is granted and one is not."""
    for name, ((kind, first, *rest), honest) in FORBIDDEN_DOORS.items():
        if name == "tool":  # takes any number
            continue
        assert isinstance(honest, tuple)
        granted = honest[1]
        yield shaped((kind, first, *rest, granted), DENIED, honest, f"a {name}, granted last")
        yield shaped((kind, granted, *rest, first), CONTAINED, honest, f"a {name}, granted first")


@scenario(
    "sequence-of-other-type",
    group="sequence-type",
    cwe="CWE-843",
    needs="takes any sequence for an op, or checks one level of it and acts on another",
)
def sequence_of_other_type() -> Iterator[Scenario]:
    """Give lists for tuples, ops inside ops, and what is no sequence at all."""
    for name, (forbidden, honest) in FORBIDDEN_DOORS.items():
        assert isinstance(honest, tuple)
        yield shaped(list(forbidden), DENIED, honest, f"a forbidden {name} as a list")
        yield shaped(list(honest), CONTAINED, honest, f"an honest {name} as a list")
    nested = {
        "one op inside": (SECRET,),
        "an op in a list": [SECRET],
        "an op two levels down": ((SECRET,),),
        "a kind one level down": (("fs_read",), "/etc/passwd"),
        "a kind with its argument, and another": (READ, "/etc/passwd"),
    }
    for name, op in nested.items():
        yield shaped(op, DENIED, READ, name)
    for it in ("fs_read /etc/passwd", "fs_read", b"fs_read", 7, True, float("nan"), float("inf")):
        yield shaped(it, DENIED, READ, f"{it!r}, which is no sequence of arguments")


@scenario(
    "batch",
    group="batch",
    cwe="CWE-799",
    needs="runs several ops that came as one, and charges or checks the first",
)
def batch() -> Iterator[Scenario]:
    """Put several ops into one; the batch is malformed and charged once, whatever it holds."""
    batches: dict[str, Op] = {
        "two honest ops": (READ, WRITE),
        "a forbidden op behind an honest one": (READ, SECRET),
        "a list of ops": [READ, SECRET],
        "many ops": (READ,) * 20,
        "an empty batch": ("batch",),
        "a kind for batches": ("batch", READ, WRITE),
        "a kind for batches, with a forbidden op": ("batch", READ, SECRET),
        "ops end to end": (*SECRET, "fs_read", "/work/data.txt"),
    }
    for name, op in batches.items():
        yield Scenario(
            ops=(op, READ, READ),
            verdict=DENIED + ALLOWED + DENIED,
            control=(READ, WRITE),
            means=name,
            reason="max_ops",
            grant={"max_ops": 2},
        )


@scenario(
    "after-malformed",
    group="after-malformed",
    cwe="CWE-636",
    needs="halts on a malformed op, or leaves its checks in a state in which they pass",
)
def after_malformed() -> Iterator[Scenario]:
    """Try a malformed op, a forbidden one and an honest one: the first changes neither answer."""
    for name, op in MALFORMED.items():
        yield _unmoved(op, DENIED, name)
    for name, op in ODD.items():
        yield _unmoved(op, CONTAINED, name)


def _unmoved(op: Op, verdict: Verdicts, name: str) -> Scenario:
    return Scenario(
        ops=(op, SECRET, READ),
        verdict=verdict + DENIED + ALLOWED,
        control=(READ, READ),
        means=f"a check that is lost after {name}",
        reason="fs_read_denied",
    )


@scenario(
    "overlong",
    group="overlong",
    cwe="CWE-400",
    needs="cuts a long text before it checks it, takes too long over it, or fails on it",
)
def overlong() -> Iterator[Scenario]:
    """Give each part of an op a hundred thousand characters; it is judged like a short one."""
    long = "a" * 100_000
    denied: dict[str, tuple[Op, str, Op]] = {
        "kind": ((long, "/etc/passwd"), "malformed_op", READ),
        "path": (("fs_read", long), "malformed_op", READ),
        "path of slashes": (("fs_read", "/" * 100_000), "fs_read_denied", READ),
        "path of dots": (("fs_read", "." * 100_000), "malformed_op", READ),
        "host": (("net_fetch", long, "/steal"), "egress_denied", FETCH),
        "tool": (("tool", long), "tool_denied", ECHO),
    }
    for name, (op, reason, honest) in denied.items():
        yield Scenario((op,), DENIED, (honest,), f"an overlong {name}", reason)
    for end in ("", "/"):
        yield Scenario(
            ops=(("fs_read", f"/work/{'a' * 5_000}{end}"), FORBIDDEN_CALL, READ),
            verdict=CONTAINED + DENIED + ALLOWED,
            control=(READ, READ),
            means=f"an overlong granted path that ends in {end or 'a letter'}",
            reason="tool_denied",
        )
    climb = FORBIDDEN["a write that climbs"][0]
    ops = (("fs_write", "/work/out/long", long), ("fs_read", "/work/out/long"), climb)
    yield Scenario(
        ops,
        ALLOWED * 2 + DENIED,
        (WRITE, READ),
        "a forbidden op after overlong data",
        "path_traversal",
    )
