"""Strategies for grants and budgets: as adversarial as the ops that are tried under them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TypedDict

from capfuzz.attacks.techniques.registry import Kind
from capfuzz.attacks.techniques.scenario_stage import GRANT
from capfuzz.engine import Capabilities, GrantError
from capfuzz.strategies import _arguments
from capfuzz.strategies._spellings import picks, scenarios, spelt_by
from capfuzz.strategies.moves import named
from hypothesis import strategies as st

_HOST, _ADDRESS = "api.internal", "fd00::a:1"
_MOST_HOSTS, _MOST_TOOLS = 4, 6
_TIGHT = 192  # bytes below this pick the comfortable budget, the others one near zero
# Every one of these grants has dozens of roots, which are all alike.
_MANY = "/work/sub/"


class Budgets(TypedDict):
    """What `capfuzz.engine.Capabilities` takes as budgets: ``Capabilities(**drawn)``."""

    max_ops: int
    max_output_bytes: int
    max_wall: int


def grants(
    *, max_roots: int = 8, budgets: st.SearchStrategy[Mapping[str, int]] | None = None
) -> st.SearchStrategy[Capabilities]:
    """
    Return grants of up to ``max_roots`` roots for reading, and as many for writing.

    Roots share prefixes, nest, overlap, come twice, are ``/``, and are spelt in every way that is
    legal: slashes at the end or doubled, dots, patterns that are names. Hosts and tools likewise.
    ``budgets`` are comfortable or near zero, see `budgets`.

    Shrinks towards a grant of nothing under comfortable budgets, then towards ``/work``,
    ``api.internal`` and ``summarize``. Raises ``InvalidArgument`` for ``max_roots`` below 1 and
    for budgets that are no strategy.
    """
    _arguments.check_size("max_roots", max_roots, least=1)
    if budgets is not None:
        _arguments.check_strategy("budgets", budgets)
    roots, hosts, tools = _pool()
    return st.builds(
        _grant,
        picks(roots, max_size=max_roots),
        picks(roots, max_size=max_roots),
        picks(hosts, max_size=_MOST_HOSTS),
        picks(tools, max_size=_MOST_TOOLS),
        _budgets() if budgets is None else budgets,
    )


def budgets() -> st.SearchStrategy[Budgets]:
    """
    Return the three budgets of a grant, each comfortable or near zero.

    As keywords: ``Capabilities(fs_read=["/work"], **drawn)``. Shrinks towards comfortable ones,
    then towards zero.
    """
    return _budgets()


def _budgets() -> st.SearchStrategy[Budgets]:
    drawn = st.binary(min_size=3, max_size=3)
    return drawn.map(
        lambda picked: Budgets(
            max_ops=_budget("max_ops", picked[0]),
            max_output_bytes=_budget("max_output_bytes", picked[1]),
            max_wall=_budget("max_wall", picked[2]),
        )
    )


def _budget(name: str, byte: int) -> int:
    comfortable: int = GRANT[name]
    near = byte - _TIGHT
    return comfortable if near < 0 else near * near // (256 - _TIGHT)  # the dense end is zero


def _grant(
    reads: Sequence[str],
    writes: Sequence[str],
    hosts: Sequence[str],
    tools: Sequence[str],
    budgets: Mapping[str, int],
) -> Capabilities:
    return Capabilities(reads, writes, hosts, tools, **budgets)


@cache
def _pool() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the roots, hosts and tools that some technique grants, plainest first."""
    respelt = spelt_by(named(Kind.HOST), _HOST)
    hosts = (*_granted("net_hosts"), _ADDRESS, *(host for host in respelt if _grantable(host)))
    roots = (root for name in ("fs_read", "fs_write") for root in _granted(name))
    return (
        tuple(dict.fromkeys(root for root in roots if not _one_of_many(root))),
        tuple(dict.fromkeys(host for host in hosts if not _numbered(host))),
        tuple(dict.fromkeys((*GRANT["allowed_tools"], *_granted("allowed_tools")))),
    )


def _granted(field: str) -> Iterator[str]:
    yield from GRANT[field]
    for scene in scenarios():
        yield from scene.grant.get(field, ())
        yield from (scene.control_grant or {}).get(field, ())


def _one_of_many(root: str) -> bool:
    return root.startswith(_MANY) and root.removeprefix(_MANY).isdigit()


def _numbered(host: str) -> bool:
    return host[1:3].isdigit() and host.endswith(f".{_HOST.partition('.')[2]}")


def _grantable(host: str) -> bool:
    try:
        Capabilities(net_hosts=(host,))
    except GrantError:
        return False
    return True
