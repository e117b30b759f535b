"""Ops that prepare the ground for the next: each is honest, together they would widen the grant."""

from collections.abc import Iterator
from typing import Any

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
from capfuzz.attacks.techniques.scenario_stage import FETCH, FORBIDDEN_CALL, READ, SECRET, WRITE

_READ_DENIED, _WRITE_DENIED = "fs_read_denied", "fs_write_denied"


def _prepared(ops: Ops, verdict: Verdicts, reason: str, means: str, **parts: Any) -> Scenario:
    """Return ops whose last one the others prepare; the twin is the honest ones among them."""
    honest = tuple(op for op, one in zip(ops, verdict, strict=True) if one in ALLOWED)
    return Scenario(ops, verdict, honest or (READ,), means, reason, **parts)


def _write(path: str, data: str = "x") -> Op:
    return ("fs_write", path, data)


@scenario(
    "widen-beside",
    group="grant-widening",
    cwe="CWE-284",
    needs="adds what was written, or the folder that it was written to, to what may be reached",
)
def widen_beside() -> Iterator[Scenario]:
    """Write where it is granted, then reach beside it: what an op made grants nothing."""
    narrow = {"fs_read": ["/work/out/"]}  # what may be read is no way round
    for place in ("/work/plan", "/work/sub/file.txt", "/work/a/b/plan"):
        writes = (_write("/work/out/a/b/note"), _write(place))
        means = f"a write to {place} after one inside"
        yield _prepared(writes, ALLOWED + DENIED, _WRITE_DENIED, means, grant=narrow)
    for kind, op in {"read": SECRET, "write": _write("/etc/x")}.items():
        ops, grant = (_write("/etc/out/note"), op, READ), {"fs_write": ["/etc/out/"]}
        reason, verdict = f"fs_{kind}_denied", ALLOWED + DENIED + ALLOWED
        yield _prepared(ops, verdict, reason, f"a {kind} two folders above a write", grant=grant)
    apart, note = {"fs_read": ["/work/"], "fs_write": ["/out/"]}, "/out/note"
    back = (_write(note), ("fs_read", note), _write(note))
    verdict = ALLOWED + DENIED + ALLOWED
    yield _prepared(back, verdict, _READ_DENIED, "a read of what was written", grant=apart)


@scenario(
    "widen-by-refused-op",
    group="grant-widening",
    cwe="CWE-696",
    needs="acts before it refuses, or remembers a refused place as its own",
)
def widen_by_refused_op() -> Iterator[Scenario]:
    """Try a forbidden write, then to read it back: it was not made, and may not be read."""
    for place in ("/etc/new", "/etc/data.txt", "/new/folder/file"):
        ops = (_write(place), ("fs_read", place), READ)
        yield _prepared(ops, DENIED * 2 + ALLOWED, _WRITE_DENIED, f"a refused write to {place}")
    around = (SECRET, _write("/etc/passwd"), SECRET)
    yield _prepared(around, DENIED * 3, _READ_DENIED, "a refused read opens a write")


@scenario(
    "widen-by-content",
    group="grant-widening",
    cwe="CWE-829",
    needs="reads its configuration from where the agent may write, or takes a text for a link",
)
def widen_by_content() -> Iterator[Scenario]:
    """Write what looks like a grant, a link or a script: it is a file and no more."""
    grant = '{"fs_read": ["/"], "fs_write": ["/"]}'
    for name in ("grant.json", "capabilities.toml", ".sandboxrc", ".allow"):
        ops = (_write(f"/work/out/{name}", grant), SECRET, _write("/etc/x"))
        verdict = ALLOWED + DENIED * 2
        yield _prepared(ops, verdict, _READ_DENIED, f"a grant written to {name}")
    link = "/work/out/link"
    reads = (("fs_read", link), ("fs_read", f"{link}/x"), SECRET)
    verdict = ALLOWED * 2 + CONTAINED + DENIED
    yield _prepared(
        (_write(link, "/etc/passwd"), *reads), verdict, _READ_DENIED, "a path written into a file"
    )


@scenario(
    "widen-by-unknown-op",
    group="grant-widening",
    cwe="CWE-269",
    needs="has ops of its own that move, mount or link, and does not check them",
)
def widen_by_unknown_op() -> Iterator[Scenario]:
    """Try an op that no grant names, then what it would have opened: both are refused."""
    openers: dict[str, tuple[Op, Op, str]] = {
        "a change of folder": (("chdir", "/etc"), ("fs_read", "passwd"), "malformed_op"),
        "a grant": (("grant", "fs_read", "/"), SECRET, _READ_DENIED),
        "a new root": (("chroot", "/etc"), ("fs_read", "/passwd"), _READ_DENIED),
        "a mount": (("mount", "/etc", "/mnt"), ("fs_read", "/mnt/passwd"), _READ_DENIED),
    }
    for name, (opener, op, reason) in openers.items():
        yield _prepared((opener, op, READ), DENIED * 2 + ALLOWED, reason, name)
    for opener in (("fs_link", "/etc", "/work/out/l"), ("fs_rename", "/etc", "/work/out/l")):
        ops = (opener, ("fs_read", "/work/out/l/passwd"), READ)
        verdict = DENIED + CONTAINED + ALLOWED
        yield _prepared(ops, verdict, "malformed_op", f"the kind {opener[0]}")


@scenario(
    "rights-crossed",
    group="right-crossing",
    cwe="CWE-863",
    needs="takes one list of paths for both rights, or lets writing imply reading",
)
def rights_crossed() -> Iterator[Scenario]:
    """Grant reading and writing in separate places: neither right brings the other along."""
    files = {"/in/data": "honest data", "/out/old": "old report", "/etc/passwd": "secret of it"}
    apart = {
        "grant": {"fs_read": ["/in/"], "fs_write": ["/out/"]},
        "world": {"files": files},
    }
    # The forbidden op comes first: what a write before it may open is widening, not crossing.
    read, write = ("fs_read", "/in/data"), _write("/out/note")
    pairs: dict[str, tuple[Op, Op, str]] = {
        "a read where writing is granted": (("fs_read", "/out/old"), write, _READ_DENIED),
        "a write over what may be read": (_write("/in/data"), read, _WRITE_DENIED),
        "a write beside what may be read": (_write("/in/new"), read, _WRITE_DENIED),
    }
    for name, (op, honest, reason) in pairs.items():
        yield _prepared((op, honest), DENIED + ALLOWED, reason, name, **apart)
    readable = {"grant": {"fs_read": ["/in/"], "fs_write": []}, "world": {"files": files}}
    writable = {"grant": {"fs_read": [], "fs_write": ["/in/"]}, "world": {"files": files}}
    over = _write("/in/data")
    yield _prepared((over, read), DENIED + ALLOWED, _WRITE_DENIED, "reading alone", **readable)
    yield _prepared((read, over), DENIED + ALLOWED, _READ_DENIED, "writing alone", **writable)


@scenario(
    "overwritten",
    group="stale-answer",
    cwe="CWE-367",
    needs="answers a read or a write from memory, without doing it",
)
def overwritten() -> Iterator[Scenario]:
    """Write, read, write something else and read again: each op really happens, in its order."""
    read = ("fs_read", "/work/out/note")
    ops = (WRITE, read, _write("/work/out/note", "other"), read, WRITE, read, FORBIDDEN_CALL)
    yield _prepared(ops, ALLOWED * 6 + DENIED, "tool_denied", "an answer from memory")
    pairs = (READ, READ, FETCH, FETCH, WRITE, WRITE, FORBIDDEN_CALL)
    yield _prepared(pairs, ALLOWED * 6 + DENIED, "tool_denied", "the second of a pair is skipped")
