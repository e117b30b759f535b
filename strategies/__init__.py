"""
Hypothesis strategies for sandboxes: grants, worlds, ops, and the spellings that get past checks.

All options are keyword-only, arguments are checked when a strategy is made (they raise
``hypothesis.errors.InvalidArgument``), and each docstring says what the strategy shrinks towards.

- Grants: `grants`, `budgets`; also ``hypothesis.strategies.from_type(Capabilities)``.
- Paths: `paths`, `traversals`, `siblings`, `links`.
- Hosts: `hosts`, `host_spellings`, `ip_spellings`, `url_confusions`.
- Tools: `tool_names`.
- Worlds: `worlds`, `ticks`.
- Ops: `ops`, `op_sequences`, `budget_busters`.
- A whole session: `session_machine`, a state machine over any target.
- Cases as ``capfuzz attack`` draws them: `path_cases`, `url_cases`, `ssrf_cases`.
"""

from capfuzz.strategies._busters import budget_busters
from capfuzz.strategies._grants import budgets, grants
from capfuzz.strategies._hosts import host_spellings, hosts, ip_spellings, url_confusions
from capfuzz.strategies._machine import session_machine
from capfuzz.strategies._paths import links, paths, siblings, traversals
from capfuzz.strategies._sequences import op_sequences, ops
from capfuzz.strategies._tools import tool_names
from capfuzz.strategies._worlds import ticks, worlds
from capfuzz.strategies.cases import path_cases, ssrf_cases, url_cases

__all__ = [
    "budget_busters",
    "budgets",
    "grants",
    "host_spellings",
    "hosts",
    "ip_spellings",
    "links",
    "op_sequences",
    "ops",
    "path_cases",
    "paths",
    "session_machine",
    "siblings",
    "ssrf_cases",
    "ticks",
    "tool_names",
    "traversals",
    "url_cases",
    "url_confusions",
    "worlds",
]
