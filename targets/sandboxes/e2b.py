"""E2B: a machine elsewhere, to which what is granted is copied by E2B's own SDK."""

import os
from collections.abc import Iterator
from typing import Any

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.elsewhere import Elsewhere

_KEY = "E2B_API_KEY"


class E2B(Elsewhere):
    """A sandbox of E2B."""

    name = "e2b"
    title = "E2B"
    sdk = module = "e2b"
    calls = "e2b_calls.py"

    def unnamed(self) -> str | None:
        """Return that the key is not set, None if it is."""
        return None if os.environ.get(_KEY) else f"{_KEY} is not set"

    def settings(self, grant: Capabilities) -> dict[str, Any]:
        """Return whether there is a network, since that is all that is told."""
        return {"internet": bool(grant.net_hosts)}

    def told(self, grant: Capabilities) -> Iterator[str]:
        """Yield that all of the network is open where any host is granted."""
        if grant.net_hosts:
            yield "net_hosts: the whole internet is open"
