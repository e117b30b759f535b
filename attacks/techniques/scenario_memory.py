"""Guards that remember: caches keyed too loosely, guards that tire, states that an error leaves."""

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
    ECHO,
    EMPTY,
    FAILING,
    FETCH,
    FORBIDDEN,
    MUTE,
    READ,
    SECRET,
    WRITE,
)

_READ_DENIED, _WRITE_DENIED = "fs_read_denied", "fs_write_denied"
_EGRESS_DENIED, _TOOL_DENIED = "egress_denied", "tool_denied"
_LookAlikes = dict[str, tuple[Op, Op, str]]  # by what the key is: allowed, forbidden, reason


def _confused(pairs: _LookAlikes) -> Iterator[Scenario]:
    """Yield each allowed op, its forbidden look-alike, and the allowed op once more."""
    for key, (allowed, look_alike, reason) in pairs.items():
        yield Scenario(
            ops=(allowed, look_alike, allowed),
            verdict=ALLOWED + DENIED + ALLOWED,
            control=(allowed, allowed),
            means=f"a decision remembered by {key}",
            reason=reason,
        )


@scenario(
    "cache-path-key",
    group="cache-key",
    cwe="CWE-706",
    needs="remembers a decision on a path under a part of it, or under a folded form",
)
def cache_path_key() -> Iterator[Scenario]:
    """Read an allowed file, then a forbidden one that a loose key takes for the same."""
    yield from _confused(
        {
            "the last name": (READ, ("fs_read", "/etc/data.txt"), _READ_DENIED),
            "the last two names": (WRITE, ("fs_write", "/etc/out/note", "text"), _WRITE_DENIED),
            "the first letters": (WRITE, ("fs_write", "/work/ours", "text"), _WRITE_DENIED),
            "the length": (EMPTY, ("fs_read", "/etc/passwd"), _READ_DENIED),
            "letters without case": (READ, ("fs_read", "/WORK/data.txt"), _READ_DENIED),
            "compatible letters": (READ, ("fs_read", "/wor\u212a/data.txt"), _READ_DENIED),
            "letters without case, of writes": (
                WRITE,
                ("fs_write", "/WORK/out/note", "text"),
                _WRITE_DENIED,
            ),
            "compatible letters, of writes": (
                WRITE,
                ("fs_write", "/\uff57ork/out/note", "text"),
                _WRITE_DENIED,
            ),
            "the letters alone": (READ, ("fs_read", "/workdata/.txt"), _READ_DENIED),
            "the letters in any order": (READ, ("fs_read", "/wrok/data.txt"), _READ_DENIED),
        }
    )


@scenario(
    "cache-op-key",
    group="cache-key",
    cwe="CWE-706",
    needs="remembers a decision under a part of the op: its kind, one argument, all of them joined",
)
def cache_op_key() -> Iterator[Scenario]:
    """Try an allowed op, then a forbidden one that shares the part that a loose key is made of."""
    note = ("fs_write", "/work/out/note", "/etc/passwd")
    call = ("tool", "summarize", "delete_all")
    yield from _confused(
        {
            "kind, of reads": (READ, SECRET, _READ_DENIED),
            "kind, of writes": (WRITE, ("fs_write", "/etc/x", "mine"), _WRITE_DENIED),
            "kind, of fetches": (FETCH, ("net_fetch", "evil.test", "/steal"), _EGRESS_DENIED),
            "kind, of calls": (ECHO, ("tool", "delete_all"), _TOOL_DENIED),
            "path, whatever the kind": (READ, ("fs_write", "/work/data.txt", "x"), _WRITE_DENIED),
            "data": (WRITE, ("fs_write", "/etc/note", "text"), _WRITE_DENIED),
            "route": (FETCH, ("net_fetch", "evil.test", "/status"), _EGRESS_DENIED),
            "first letters of the host": (
                FETCH,
                ("net_fetch", "api.internal.evil.test", "/status"),
                _EGRESS_DENIED,
            ),
            "last letters of the host": (
                FETCH,
                ("net_fetch", "internal", "/status"),
                _EGRESS_DENIED,
            ),
            "a tool's arguments": (ECHO, ("tool", "delete_all", "text"), _TOOL_DENIED),
            "arguments in any order": (call, ("tool", "delete_all", "summarize"), _TOOL_DENIED),
            "the last argument": (note, SECRET, _READ_DENIED),
            "any argument": (("tool", "summarize", "/etc/passwd"), SECRET, _READ_DENIED),
            "host and route joined": (
                FETCH,
                ("net_fetch", "api.interna", "l/status"),
                _EGRESS_DENIED,
            ),
            "path and data joined": (
                ("fs_write", "/work/out/a", "bc"),
                ("fs_write", "/work/ou", "t/abc"),
                _WRITE_DENIED,
            ),
            "tool and argument joined": (
                ("tool", "summarize", "it"),
                ("tool", "summarize it"),
                _TOOL_DENIED,
            ),
            "any argument, for a name": (call, ("tool", "delete_all"), _TOOL_DENIED),
        }
    )


@scenario(
    "cache-of-refusals",
    group="cache-refusal",
    cwe="CWE-706",
    needs="remembers a refusal under a loose key, and refuses honest work for it",
)
def cache_of_refusals() -> Iterator[Scenario]:
    """Try a forbidden op, then an honest one that a loose key takes for the same."""
    pairs: dict[str, tuple[Op, str, Op]] = {
        "the last name": (("fs_read", "/etc/data.txt"), _READ_DENIED, READ),
        "kind": (SECRET, _READ_DENIED, READ),
        "data": (("fs_write", "/etc/note", "text"), _WRITE_DENIED, WRITE),
        "route": (("net_fetch", "evil.test", "/status"), _EGRESS_DENIED, FETCH),
        "a tool's arguments": (("tool", "delete_all", "text"), _TOOL_DENIED, ECHO),
        "any argument": (SECRET, _READ_DENIED, ("tool", "summarize", "/etc/passwd")),
    }
    for key, (forbidden, reason, honest) in pairs.items():
        yield Scenario(
            ops=(forbidden, honest),
            verdict=DENIED + ALLOWED,
            control=(honest, honest),
            means=f"a refusal remembered by {key}",
            reason=reason,
        )


@scenario(
    "tired-guard",
    group="tired-guard",
    cwe="CWE-307",
    needs="gives in after a number of refusals, or locks honest ops out after them",
)
def tired_guard() -> Iterator[Scenario]:
    """Try one forbidden op sixty times: the last is refused as the first, and honest ops pass."""
    for name, (op, reason) in FORBIDDEN.items():
        yield Scenario(
            ops=(op,) * 60 + (READ,),
            verdict=DENIED * 60 + ALLOWED,
            control=(READ,) * 10,
            means=f"a guard that tires of {name}",
            reason=reason,
        )


@scenario(
    "refusals-evicted",
    group="tired-guard",
    cwe="CWE-636",
    needs="remembers refusals in a list of a fixed size, and lets through what has dropped out",
)
def refusals_evicted() -> Iterator[Scenario]:
    """Try a forbidden op, others until a list of refusals is full, and the first once more."""
    for size in (1, 2, 3, 8, 32, 64):
        others: Ops = tuple(("fs_write", f"/etc/note-{number}", "text") for number in range(size))
        reads: Ops = tuple(("fs_read", f"/etc/note-{number}") for number in range(size))
        for kind, between in {"writes": others, "reads": reads}.items():
            yield Scenario(
                ops=(SECRET, *between, SECRET),
                verdict=DENIED * (size + 2),
                control=(READ, READ),
                means=f"a refusal forgotten after {size} other {kind}",
                reason=_READ_DENIED,
            )


@scenario(
    "trusting-guard",
    group="tired-guard",
    cwe="CWE-284",
    needs="checks less once an agent has behaved for a while, or checks a sample",
)
def trusting_guard() -> Iterator[Scenario]:
    """Try sixty honest ops and then a forbidden one of the same kind: good conduct earns nothing."""
    habits = {
        "a read outside": READ,
        "a write outside": WRITE,
        "a fetch elsewhere": FETCH,
        "a tool not granted": ECHO,
    }
    for name, honest in habits.items():
        op, reason = FORBIDDEN[name]
        yield Scenario(
            ops=(honest,) * 60 + (op, honest),
            verdict=ALLOWED * 60 + DENIED + ALLOWED,
            control=(honest,) * 61,
            means=f"{name} after sixty honest ops",
            reason=reason,
        )


@scenario(
    "sampled-guard",
    group="tired-guard",
    cwe="CWE-799",
    needs="checks every other op, or keeps a state that each op toggles",
)
def sampled_guard() -> Iterator[Scenario]:
    """Mix honest and forbidden ops in rhythms of two, three and four: each is judged for itself."""
    call = FORBIDDEN["a tool not granted"][0]
    rhythms: dict[str, tuple[Ops, Verdicts, str]] = {
        "every other op": ((READ, SECRET), ALLOWED + DENIED, _READ_DENIED),
        "two of three ops": ((READ, SECRET, SECRET), ALLOWED + DENIED * 2, _READ_DENIED),
        "every fourth op": ((READ, WRITE, FETCH, call), ALLOWED * 3 + DENIED, _TOOL_DENIED),
    }
    for name, (ops, verdict, reason) in rhythms.items():
        yield Scenario(
            ops=ops * 6,
            verdict=verdict * 6,
            control=(READ, WRITE, FETCH),
            means=f"{name} is forbidden",
            reason=reason,
        )


@scenario(
    "after-failure",
    group="fail-open",
    cwe="CWE-636",
    needs="fails open: an error leaves its checks in a state in which they pass",
)
def after_failure() -> Iterator[Scenario]:
    """Let a granted op fail, then try a forbidden one behind each door, and an honest one."""
    doors = ("a read outside", "a write outside", "a fetch elsewhere", "a tool not granted")
    forbidden = tuple(FORBIDDEN[door][0] for door in doors)
    for name, op in FAILING.items():
        yield Scenario(
            ops=(op, *forbidden, READ),
            verdict=CONTAINED + DENIED * 4 + ALLOWED,
            control=(READ, WRITE, FETCH, ECHO),
            means=f"a guard that stays open after {name}",
            reason=_READ_DENIED,
        )


@scenario(
    "after-other-doors",
    group="session-trust",
    cwe="CWE-862",
    needs="authorises a session by its first allowed op, or one door by another",
)
def after_other_doors() -> Iterator[Scenario]:
    """Pass every other door honestly, then try a forbidden op: no door opens the next."""
    doors = {
        "a read outside": (WRITE, FETCH, ECHO),
        "a write outside": (READ, FETCH, MUTE),
        "a fetch elsewhere": (READ, WRITE, ECHO),
        "a tool not granted": (READ, WRITE, FETCH),
    }
    for name, honest in doors.items():
        op, reason = FORBIDDEN[name]
        yield Scenario(
            ops=(*honest, op),
            verdict=ALLOWED * 3 + DENIED,
            control=honest,
            means=f"{name} after the other doors",
            reason=reason,
        )
