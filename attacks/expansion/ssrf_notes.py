"""Why each kind of ssrf vector exists, said once a group: the bug and its effect."""

_INSIDE = "Requests that others choose reach what is behind the firewall."
_SELF = "Requests that others choose reach services of the machine itself."
_KEYS = "Whoever chooses the address is handed the credentials of the machine."
_RIGHT = "Honest requests are refused."
_STALE = "The table of special addresses lags behind the registry."
_CARRIER = "The outside of an IPv6 address is judged, and not the IPv4 address that it carries."

SSRF: dict[str, tuple[str, str]] = {
    "internal-loopback": ("One loopback address is known, or a part of the block.", _SELF),
    "internal-unspecified": ("0.0.0.0 and its block are taken for public.", _SELF),
    "internal-private": ("Private blocks are compared as text, or with a wrong mask.", _INSIDE),
    "internal-link-local": ("A part of the link-local block is known.", _KEYS),
    "internal-metadata": ("The addresses of metadata services are not known.", _KEYS),
    "internal-shared": ("The addresses that carriers share are taken for public.", _INSIDE),
    "internal-assigned": (_STALE, _INSIDE),
    "internal-documentation": ("Blocks for documentation are taken for public.", _INSIDE),
    "internal-benchmark": ("The block for benchmarks is taken for public.", _INSIDE),
    "internal-multicast": ("Groups are taken for hosts.", _INSIDE),
    "internal-reserved": ("Reserved addresses and broadcast are taken for public.", _INSIDE),
    "internal-unique-local": ("Unique local addresses are compared as text.", _INSIDE),
    "internal-link-local-six": ("Link-local IPv6 is compared by its first digits.", _INSIDE),
    "internal-site-local": ("Site-local addresses are taken for public.", _INSIDE),
    "internal-nat64-local": (_STALE, _INSIDE),
    "internal-name": ("Names of this machine are not known in every spelling.", _SELF),
    "internal-metadata-name": ("Names of metadata services are not known.", _KEYS),
    "resolved-inside": ("A name is judged, and not where it leads.", _INSIDE),
    "resolved-to-several": ("One of several addresses is judged, and another used.", _INSIDE),
    "carried-mapped": (_CARRIER, _INSIDE),
    "carried-compatible": (_CARRIER, _INSIDE),
    "carried-translated": (_CARRIER, _INSIDE),
    "carried-nat64": (_CARRIER, _INSIDE),
    "carried-6to4": (_CARRIER, _INSIDE),
    "carried-teredo": (_CARRIER, _INSIDE),
    "over-blocking-address": ("Public addresses are taken for internal.", _RIGHT),
    "over-blocking-near-miss": ("Blocks are compared as text, or with a short mask.", _RIGHT),
    "over-blocking-public-url": ("The whole URL is searched for internal addresses.", _RIGHT),
}
