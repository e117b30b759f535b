"""
browser-use's list of domains that an agent's browser may open.

The check itself is real; the agent and the browser driver around it (several hundred megabytes
that it never touches) are left out.
"""

# ruff: noqa: PLC0415 - the package is only there where it is attacked

import importlib.util
import sys
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

_DRIVER_TYPES = ("Browser", "BrowserContext", "ElementHandle", "FrameLocator", "Page")


def allowed(allowed_hosts: list[str], url: str) -> bool:
    """Tell whether the browser would open ``url``."""
    kind = _context_class()
    context = kind.__new__(kind)  # the check reads the configuration and nothing else
    context.config = SimpleNamespace(allowed_domains=list(allowed_hosts), keep_alive=True)
    context.session = None
    return bool(context._is_url_allowed(url))  # noqa: SLF001 - where the CVE is


@cache
def _context_class() -> Any:
    _without_agent()
    _without_driver()
    from browser_use.browser.context import BrowserContext

    return BrowserContext


def _without_agent() -> None:
    found = importlib.util.find_spec("browser_use")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("browser_use is not installed")
    package = ModuleType("browser_use")  # its own __init__ imports the agent
    package.__path__ = list(found.submodule_search_locations)
    sys.modules["browser_use"] = package


def _without_driver() -> None:
    _stand_in("patchright.async_api", _DRIVER_TYPES)
    _stand_in("patchright._impl._errors", ("TimeoutError",))


def _stand_in(name: str, types: tuple[str, ...]) -> None:
    for depth in range(1, name.count(".") + 2):
        sys.modules.setdefault(".".join(name.split(".")[:depth]), ModuleType(name))
    for each in types:
        setattr(sys.modules[name], each, type(each, (Exception,), {}))
