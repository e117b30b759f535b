"""
The tables of the page about invariants, made from the code that judges.

A hook of MkDocs.
"""

from collections.abc import Iterator
from typing import Any

from capfuzz.attacks.invariants import CHECKS, INVARIANTS
from capfuzz.targets.archive import ArchiveTarget
from capfuzz.targets.command import CommandTarget
from capfuzz.targets.eval import EvalTarget
from capfuzz.targets.host import HostTarget
from capfuzz.targets.http import HttpTarget
from capfuzz.targets.mcp import McpTarget
from capfuzz.targets.path import PathTarget
from capfuzz.targets.session import SessionTarget
from capfuzz.targets.ssrf import SsrfTarget
from escaped import prose

_SURFACES = {
    "session": SessionTarget,
    "path": PathTarget,
    "host": HostTarget,
    "ssrf": SsrfTarget,
    "archive": ArchiveTarget("", print),
    "eval": EvalTarget,
    "http": HttpTarget,
    "mcp": McpTarget,
    "command": CommandTarget,
}
_COMPARED = {
    "no-existence-leak": "A denial reads the same whether or not the forbidden thing exists.",
    "deterministic": "The same case gives the same answers, and a refusal leaves nothing behind.",
    "monotone-authority": "A smaller grant never allows more; the order of its lists changes nothing.",
}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Put the tables in the places that the page leaves for them."""
    if page.file.src_uri != "reference/invariants.md":
        return markdown
    with_list = markdown.replace("<!-- invariants -->", "\n".join(_list()))
    return with_list.replace("<!-- surfaces -->", "\n".join(_surfaces()))


def _list() -> Iterator[str]:
    yield "| | |"
    yield "|---|---|"
    told = {name: check.__doc__ or "" for name, check in CHECKS.items()} | _COMPARED
    for name in INVARIANTS:
        yield f"| `{name}` | {prose(told[name])} |"


def _surfaces() -> Iterator[str]:
    yield f"| | {' | '.join(_SURFACES)} |"
    yield "|---|" + ":-:|" * len(_SURFACES)
    for name in INVARIANTS:
        seen = ("·" if name in one.unobservable else "✓" for one in _SURFACES.values())
        yield f"| `{name}` | {' | '.join(seen)} |"
