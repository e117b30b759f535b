"""What npm packages say of an address: ``ip``, ``netmask`` and ``private-ip``."""

from __future__ import annotations

from node_asked import ask

# A filter as people write it with netmask: the blocks of IPv4 that are not public.
_BLOCKS = """require => {
  const { Netmask } = require('netmask')
  const blocks = ['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16',
    '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15',
    '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'].map(block => new Netmask(block))
  return address => !blocks.some(block => block.contains(address))
}"""


def ip_is_public(address: str) -> bool:
    """Tell whether ``ip`` calls an address public."""
    return bool(ask("require => require('ip').isPublic", address))


def netmask_outside(address: str) -> bool:
    """Tell whether an address lies in none of the blocks that are not public."""
    return bool(ask(_BLOCKS, address))


def private_ip_denies(address: str) -> bool:
    """Tell whether ``private-ip`` says that an address is not private; of others it says nothing."""
    made = "require => { const m = require('private-ip'); return m.default || m }"
    return ask(made, address) is False
