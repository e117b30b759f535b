"""Names that lead inside, by what they are or by what a name server says of them."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, techniques_for

address = techniques_for(Kind.ADDRESS, "ssrf")
_CWE = "CWE-918"


@address(
    "internal-name",
    group="internal-name",
    cwe=_CWE,
    needs="knows localhost in one spelling, or no name at all (RFC 6761)",
)
def internal_name() -> Iterator[str]:
    """Name this machine by names: in capitals, with a dot, below localhost, by older aliases."""
    yield from (
        "localhost",
        "LOCALHOST",
        "localhost.",
        "LocalHost.",
        "x.localhost",
        "a.b.localhost",
    )
    yield from ("localhost.localdomain", "ip6-localhost", "ip6-loopback", "\u24db\u24decalhost")


@address(
    "internal-metadata-name",
    group="internal-metadata-name",
    cwe=_CWE,
    needs="does not know the names of metadata services, and lets through what it cannot look up",
)
def internal_metadata_name() -> Iterator[str]:
    """Name the metadata services and the control plane of clouds as their documentation does."""
    yield from ("metadata.google.internal", "METADATA.google.internal.", "metadata.goog")
    yield from ("metadata", "instance-data", "instance-data.ec2.internal")
    yield from ("metadata.tencentyun.test", "kubernetes.default.svc")


@address(
    "resolved-inside",
    group="resolved-inside",
    cwe="CWE-350",
    needs="looks a name up, and judges the name or a part of what it is told",
)
def resolved_inside() -> Iterator[str]:
    """Name hosts whose one address is internal: of each kind, and those that carry it in a label."""
    yield from ("loopback.public.test", "private.public.test", "link.public.test")
    yield from ("carrier.public.test", "unspecified.public.test", "six-loopback.public.test")
    yield from ("six-private.public.test", "mapped.public.test", "LOOPBACK.public.test.")
    yield from ("127.0.0.1.ip.test", "10-20-30-40.ip.test")


@address(
    "resolved-to-several",
    group="resolved-to-several",
    cwe="CWE-350",
    needs="judges one of several addresses, or of one family, while its client tries them all",
)
def resolved_to_several() -> Iterator[str]:
    """Name hosts that have a public address and an internal one, in either order and family."""
    yield from ("second.public.test", "first.public.test", "third.public.test")
    yield "other-family.public.test"


@address(
    "public-address",
    group="over-blocking-address",
    cwe="CWE-863",
    needs="takes more for internal than is",
)
def public_address() -> Iterator[str]:
    """Name public addresses and a public name: whoever refuses these allows nothing."""
    yield from ("8.8.8.8", "93.184.215.14", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001::8a")
    yield "www.public.test"


@address(
    "near-miss",
    group="over-blocking-near-miss",
    cwe="CWE-185",
    needs="compares blocks by text or by a mask that is too short",
)
def near_miss() -> Iterator[str]:
    """Name the public addresses just before and just behind each internal block."""
    yield from ("1.0.0.1", "9.255.255.254", "11.0.0.1", "100.63.255.254", "100.128.0.1")
    yield from ("126.255.255.254", "128.0.0.1", "169.253.255.254", "169.255.0.1")
    yield from ("172.15.255.254", "172.32.0.1", "172.100.1.1", "192.0.1.1", "192.0.3.1")
    yield from ("192.167.255.254", "192.169.0.1", "198.17.255.254", "198.20.0.1")
    yield from ("198.51.99.254", "198.51.101.1", "203.0.112.254", "203.0.114.1", "223.255.255.254")
    yield from ("2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2a10:fe80::1")


@address(
    "public-url",
    group="over-blocking-public-url",
    cwe="CWE-185",
    needs="searches the whole URL for internal addresses that are harmless behind the authority",
)
def public_url() -> Iterator[str]:
    """Name a public address in plain URLs, with an internal one in path, query and fragment."""
    for rest in ("/", "/a/b.html?c=d&e=f", "/127.0.0.1", "/?next=http://10.0.0.1/", "/@user/post"):
        yield f"http://93.184.215.14{rest}"
    yield "http://8.8.8.8/#http://localhost/"
    yield "http://[2606:4700:4700::1111]/status"
