"""
Vercel Sandbox: a machine elsewhere, to which what is granted is copied by Vercel's own SDK.

Sources: the SDK (``vercel-sandbox`` 0.10), and vercel.com/docs/sandbox/concepts on the firewall and
on security.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import addresses
from capfuzz.targets.sandboxes.elsewhere import Elsewhere

_ACCOUNT = ("VERCEL_TOKEN", "VERCEL_TEAM_ID", "VERCEL_PROJECT_ID")
_LINKED = ("VERCEL_OIDC_TOKEN", "VERCEL_OIDC_TOKEN_FILE")  # names all three


@dataclass(frozen=True)
class Vercel(Elsewhere):
    """A sandbox of Vercel's; ``api`` is where it is asked for, None for what the SDK calls."""

    name = "vercel"
    title = "Vercel Sandbox"
    sdk = "vercel-sandbox"
    module = "vercel.sandbox"
    calls = "vercel_calls.py"
    where = "a microVM with a kernel of its own (vercel.com/docs/sandbox/concepts/security)"
    api: str | None = None

    def unnamed(self) -> str | None:
        """Return which variables are not set, None if there are enough for the SDK."""
        left = [one for one in _ACCOUNT if not os.environ.get(one)]
        if not left or any(os.environ.get(one) for one in _LINKED):
            return None
        return f"set VERCEL_OIDC_TOKEN, or {', '.join(left)}"

    def expressed(self, grant: Capabilities) -> Capabilities | None:
        """Return the grant, None where it has an IPv6 address: ranges of those are not documented."""
        return None if any(":" in one for one in grant.net_hosts) else super().expressed(grant)

    def settings(self, grant: Capabilities) -> dict[str, Any]:
        """Return what the firewall there lets out: names, and ranges of addresses."""
        names, beyond = _hosts(grant)
        return {"api": self.api, "names": names, "ranges": [f"{one}/32" for one in beyond]}

    def told(self, grant: Capabilities) -> Iterator[str]:
        """Yield what the firewall there looks at, which differs between names and addresses."""
        names, beyond = _hosts(grant)
        for one in names:
            yield f"net_hosts {one}: by the name in a TLS handshake; nothing unencrypted goes there"
        for one in beyond:
            yield f"net_hosts {one}: whatever name a TLS handshake has"
        for one in grant.net_hosts:
            if one not in {*names, *beyond}:
                yield f"net_hosts {one}: NOT opened: it is that machine's own"


def _hosts(grant: Capabilities) -> tuple[list[str], list[str]]:
    """Return the granted hosts that are names, and the addresses beyond the machine itself."""
    found, names = addresses(grant)
    return names, [one for one in found if not ip_address(one).is_loopback]
