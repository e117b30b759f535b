"""The world in which grants are spelled oddly or stand beside one another, and how one is tried."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.scenario_model import DENIED, Scenario, Spell

_FOLDERS = (
    # What shares a prefix with /work, sorting before and after the slash that ends it.
    *("/work", "/work/sub", "/work/sub/deep", "/work/subway", "/work/out", "/work/outbox"),
    *("/work ", "/work!", "/work-evil", "/work-evil2", "/work.bak", "/work.d", "/work0", "/work2"),
    *("/works", "/workshop", "/workshop2", "/workxd", "/wor", "/w", "/worker", "/working"),
    # What lies apart, and what has a root's name further down.
    *(
        "/",
        "/etc",
        "/other",
        "/others",
        "/other/work",
        "/mirror/other",
        "/mirror/work",
        "/zoo",
        "/aaa",
        "/drop",
    ),
    *(
        "/absentee",
        "/private",
        "/private/scratch",
        "/private/scratch-evil",
        "/scratch-evil",
        "/data/work",
    ),
    "/data/work/sub",
    # What a pattern, a variable, a list or a folding would not take for a name.
    *("/work*", "/work/*", "/work/**", "/wor?", "/[w]ork", "/{work,other}", "/w.rk", "/work+"),
    *("/work|/etc", "/(work)", "/work$", "/~", "/$HOME", "/%77ork", "/work/%2e%2e", "/work\\"),
    *("/work\\sub", "/work,/etc", "/work:/etc", "/work;/etc", "/WORK", "/Work", "/work/.hidden"),
    *("/caf\u00e9", "/cafe\u0301", "/\uff57ork", "/wor\u212a", "/wo\u200brk"),
)

FILES: dict[str, str] = {
    f"{folder.rstrip('/')}/note.txt": f"text of {folder}/note.txt" for folder in _FOLDERS
} | {
    "/work/data.txt": "honest data",
    "/work/data.txt.bak": "secret of /work/data.txt.bak",
    "/work/data.txt2": "secret of /work/data.txt2",
    "/work/data": "secret of /work/data",
}

LINKS: dict[str, str] = {
    "/scratch": "/private/scratch",
    "/gone": "/nowhere/at/all",
    "/ring": "/ring",
    "/link": "/data/work",
}

GRANT: dict[str, Any] = {
    "fs_read": ["/work/"],
    "fs_write": [],
    "net_hosts": ["api.internal"],
    "max_ops": 100,
    "max_output_bytes": 100_000,
    "max_wall": 1_000,
}
WORLD: dict[str, Any] = {
    "files": FILES,
    "links": LINKS,
    "hosts": {"api.internal": {"/status": "ok"}},
}


def note(folder: str) -> str:
    """Return the file that lies in ``folder``."""
    return f"{folder.rstrip('/')}/note.txt"


def op(kind: str, path: str) -> tuple[str, ...]:
    """Return the op that reads or writes ``path``."""
    return (kind, path) if kind == "fs_read" else (kind, path, "overwritten")


def tried(
    roots: Sequence[str], probe: str, honest: Iterable[str], kind: str = "fs_read"
) -> Scenario:
    """Return a forbidden path under a grant of ``roots``; each of ``honest`` is allowed there."""
    return Scenario(
        ops=(op(kind, probe),),
        verdict=DENIED,
        control=tuple(op(kind, path) for path in honest),
        means=probe,
        grant={"fs_read": [], "fs_write": []} | {kind: list(roots)},
    )


def grants(
    name: str,
    *,
    group: str,
    cwe: str,
    needs: str,
    surfaces: tuple[str, ...] = ("session",),
    refs: tuple[str, ...] = (),
) -> Callable[[Spell], Spell]:
    """Register a technique that arranges grants; it yields a grant and what is tried under it."""
    return technique(
        name,
        kind=Kind.SCENARIO,
        group=group,
        cwe=cwe,
        needs=needs,
        surfaces=surfaces,
        refs=refs,
    )


def orders(roots: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield ``roots`` sorted, reversed, and turned by one, without repeats."""
    plain = tuple(sorted(roots))
    turned = (*plain[1:], *plain[:1])
    yield from dict.fromkeys((plain, plain[::-1], turned))
