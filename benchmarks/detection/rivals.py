"""
What people attack a sandbox with who write their own test: plain text, or a downloaded list.

The harness around the strings is the same for each, and a fair one: one comfortable grant with
budgets that a sequence can reach, the root put before a path, honest ops in between.
"""

import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from capfuzz.attacks.case import Case, Surface, WorldSpec
from capfuzz.engine import Capabilities
from capfuzz.strategies import stage
from capfuzz.strategies.decode import honest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

TRAVERSALS = Path(__file__).parent / "traversal-list.txt"
HOSTS = Path(__file__).parent / "host-list.txt"
SURFACES = (Surface.SESSION, Surface.PATH, Surface.HOST)
ALLOWED = "api.internal"
GRANT = Capabilities(
    fs_read=("/work/",),
    fs_write=("/work/out/",),
    net_hosts=(ALLOWED,),
    allowed_tools=("summarize",),
    max_ops=12,
    max_output_bytes=1_000,
    max_wall=14,
)
MAX_OPS = 16
_TEXT = st.text()


@dataclass(frozen=True, slots=True)
class Strings:
    """Where hostile strings come from, by what they are put in for; None: nothing to try there."""

    name: str
    paths: st.SearchStrategy[str] | None = None
    hosts: st.SearchStrategy[str] | None = None
    tools: st.SearchStrategy[str] | None = None


@dataclass(frozen=True, slots=True)
class Drawn:
    """A case and the seconds that drawing it and those before it took."""

    case: Case
    seconds: float


def entries(file: Path) -> tuple[str, ...]:
    """Return the entries of a list, with what stands in braces filled in."""
    lines = file.read_text(encoding="utf-8").splitlines()
    named = [line for line in lines if line and not line.startswith("# ")]
    return tuple(line.replace("{nul}", "\0").replace("{allowed}", ALLOWED) for line in named)


@cache
def rivals() -> dict[str, Strings]:
    """Return the sources of strings by name."""
    known = (
        Strings("text", _TEXT, _TEXT, _TEXT),
        Strings("traversal list", paths=st.sampled_from(entries(TRAVERSALS))),
        Strings("host list", hosts=st.sampled_from(entries(HOSTS))),
    )
    return {one.name: one for one in known}


@cache
def drawn(name: str, surface: Surface, count: int, seed: int) -> tuple[Drawn, ...]:
    """Return up to ``count`` cases of a rival for a surface; none where it has nothing to say."""
    strategy = _cases(rivals()[name], surface)
    found: list[Drawn] = []
    if strategy is None:
        return ()
    started = time.perf_counter()

    @seeded(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=tuple(HealthCheck),
    )
    @given(strategy)
    def collect(case: Case) -> None:
        found.append(Drawn(case, time.perf_counter() - started))

    collect()
    return tuple(found[:count])


def _cases(strings: Strings, surface: Surface) -> st.SearchStrategy[Case] | None:
    """Return the cases of a surface; functions are not asked about links that nobody told them."""
    if surface is Surface.SESSION:
        sequences = st.lists(_op(strings), min_size=1, max_size=MAX_OPS)
        return sequences.map(lambda ops: _case(stage.WORLD, *ops))
    if surface is Surface.PATH:
        return _single("fs_read", None if strings.paths is None else _path(strings.paths))
    return _single("url", None if strings.hosts is None else _url(strings.hosts))


def _single(kind: str, strings: st.SearchStrategy[str] | None) -> st.SearchStrategy[Case] | None:
    return (
        None if strings is None else strings.map(lambda one: _case(stage.PLAIN_WORLD, (kind, one)))
    )


def _case(world: WorldSpec, *ops: object) -> Case:
    return Case(GRANT, world, ops, ("outside",) * len(ops), "generated")


def _op(strings: Strings) -> st.SearchStrategy[object]:
    kinds: list[st.SearchStrategy[object]] = [st.sampled_from([one.op for one in honest(GRANT)])]
    if strings.paths is not None:
        paths = _path(strings.paths)
        kinds += [paths.map(lambda path: ("fs_read", path))]
        kinds += [paths.map(lambda path: ("fs_write", path, b"overwritten"))]
    if strings.hosts is not None:
        kinds += [_host(strings.hosts).map(lambda host: ("net_fetch", host, "/status"))]
    if strings.tools is not None:
        kinds += [strings.tools.map(lambda name: ("tool", name, "abc"))]
    return st.one_of(kinds)


def _path(strings: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    roots = st.sampled_from(("/work/", "", "/work/out/"))
    return st.tuples(roots, strings).map("".join)


def _host(strings: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return hosts: of a URL what stands between its slashes."""
    return strings.map(lambda one: one.partition("://")[2].partition("/")[0] or one)


def _url(strings: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return URLs: a host in one, or what is one already; the honest one among them."""
    return st.one_of(strings.map(_as_url), strings, st.just(f"http://{ALLOWED}/status"))


def _as_url(text: str) -> str:
    return text if ":/" in text or text.startswith("/") else f"http://{text}/"
