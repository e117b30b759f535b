"""
The same sandbox with the naive oracle for its checks: the specification, asked anew at each op.

What a campaign asks the oracle again and again is remembered there; here nothing is, since a
remembered answer is no check.
"""

import functools
import importlib.util
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, TypeVar
from unittest import mock

from capfuzz.attacks import naive
from capfuzz.engine import VFS, Capabilities, Net
from plainway import Outcome, PlainSandbox

_Function = TypeVar("_Function")


def _forgetting(maxsize: int) -> Callable[[_Function], _Function]:
    """Stand in for `functools.lru_cache`."""
    del maxsize
    return lambda function: function


def forgetful() -> ModuleType:
    """Return a copy of the oracle that remembers nothing."""
    spec = importlib.util.spec_from_file_location("forgetful_oracle", naive.__file__)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    with mock.patch.object(functools, "lru_cache", _forgetting):
        spec.loader.exec_module(made)
    return made


ORACLE = forgetful()


class OracleSandbox(PlainSandbox):
    """Judges as the oracle does, and charges, acts and meters as the plain sandbox does."""

    def __init__(
        self, caps: Capabilities, vfs: VFS, net: Net, tools: Mapping[str, Callable[..., Any]]
    ) -> None:
        super().__init__(caps, vfs, net, tools)
        self.admits = lambda host, granted: not ORACLE.host_refused(host, granted)

    def _refused(self, path: str, prefixes: tuple[str, ...], violation: str) -> Outcome | None:
        reason = ORACLE.path_refusal(path, prefixes)
        if reason is None:
            return None
        return Outcome(ok=False, violation=violation if reason == "denied" else reason)
