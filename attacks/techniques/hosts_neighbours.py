"""Names that are not the granted host but share text with it."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.spelling import others

_EVIL = "evil.test"


@technique(
    "granted-host",
    kind=Kind.HOST,
    group="over-blocking-host",
    cwe="CWE-863",
    surfaces=("session", "host"),
    needs="refuses more than it must",
)
def granted_host(host: str) -> Iterator[str]:
    """Name the host exactly as granted: whoever refuses this allows nothing."""
    yield host


@technique(
    "outside-host",
    kind=Kind.NAME,
    group="outside-host",
    cwe="CWE-918",
    surfaces=("session", "host"),
    needs="judges nothing, or has a deny-list that this host is not on",
)
@others
def outside_host(host: str) -> Iterator[str]:
    """Name a host that was never granted, as it stands: a name and an address, no trick."""
    del host
    yield from (_EVIL, "unlisted.example", "203.0.113.7", "2001:db8::7")


@technique(
    "implicit-host",
    kind=Kind.NAME,
    group="implicit-host",
    cwe="CWE-918",
    surfaces=("session", "host"),
    needs="adds to the grant what it takes for granted: this machine, its gateway, its metadata",
)
@others
def implicit_host(host: str) -> Iterator[str]:
    """Name this machine, the machine around it and the metadata services of cloud providers."""
    del host
    yield from ("localhost", "127.0.0.1", "::1", "0.0.0.0", "::")  # noqa: S104 - nothing is bound
    yield from ("host.docker.internal", "kubernetes.default.svc", "metadata.google.internal")
    yield from ("169.254.169.254", "169.254.170.2", "100.100.100.200", "fd00:ec2::254")
    yield "10.0.0.1"


@technique(
    "host-suffix",
    kind=Kind.NAME,
    group="suffix",
    cwe="CWE-1023",
    surfaces=("session", "host"),
    needs="asks whether the name ends with the granted one, with no dot before it",
)
@others
def host_suffix(host: str) -> Iterator[str]:
    """Put letters, a dash or an underscore before the host: ``notok.test`` ends with ``ok.test``."""
    yield f"not{host}"
    yield f"evil-{host}"  # a word boundary of a regular expression lies after the dash
    yield f"x_{host}"
    yield f"evil.not{host}"


@technique(
    "host-subdomain",
    kind=Kind.NAME,
    group="subdomain",
    cwe="CWE-183",
    surfaces=("session", "host"),
    needs="lets a granted host cover every name below it",
)
@others
def host_subdomain(host: str) -> Iterator[str]:
    """Name hosts below the granted one, which its owner may not even know of."""
    yield f"evil.{host}"
    yield f"a.b.c.{host}"
    yield f"_acme.{host}"


@technique(
    "host-www",
    kind=Kind.NAME,
    group="www",
    cwe="CWE-1023",
    surfaces=("session", "host"),
    needs="takes www. away before it compares, or any of its letters as lstrip does",
)
@others
def host_www(host: str) -> Iterator[str]:
    """Put ``www.`` before the host, and letters that a careless removal of it would eat."""
    yield f"www.{host}"
    yield f"www.www.{host}"
    yield f"ww{host}"
    yield f"w.{host}"


@technique(
    "host-prefix",
    kind=Kind.NAME,
    group="prefix",
    cwe="CWE-1023",
    surfaces=("session", "host"),
    needs="asks whether the name begins with the granted one",
)
@others
def host_prefix(host: str) -> Iterator[str]:
    """Go on after the host: with more labels, with letters, a dash, a digit."""
    yield f"{host}.{_EVIL}"
    yield f"{host}{_EVIL}"
    yield f"{host}-{_EVIL}"
    yield f"{host}0"


@technique(
    "host-infix",
    kind=Kind.NAME,
    group="host-substring",
    cwe="CWE-185",
    surfaces=("session", "host"),
    needs="searches for the granted name anywhere, as `in` and an unanchored pattern do",
)
@others
def host_infix(host: str) -> Iterator[str]:
    """Have the host in the middle, among whole labels and inside one."""
    yield f"x.{host}.{_EVIL}"
    yield f"x{host}x.{_EVIL}"
    yield f"x-{host}-x.{_EVIL}"


@technique(
    "host-part",
    kind=Kind.NAME,
    group="reversed-substring",
    cwe="CWE-187",
    surfaces=("session", "host"),
    needs="asks whether the granted name, or all of them in one text, contains what is asked for",
)
@others
def host_part(host: str) -> Iterator[str]:
    """Give a part of the host: its first label, its last, and text that cuts labels."""
    first, _, rest = host.partition(".")
    yield first
    yield rest
    yield host[1:]
    yield host[:-1]
    yield host[2:-2]


@technique(
    "host-nothing",
    kind=Kind.NAME,
    group="no-host",
    cwe="CWE-1284",
    surfaces=("session",),
    needs="takes no host for any host: the empty text is in, begins and ends every other",
)
@others
def host_nothing(host: str) -> Iterator[str]:
    """Give no host: nothing, the root's dot, a blank."""
    del host
    yield from ("", ".", " ", "..")


@technique(
    "host-sibling",
    kind=Kind.NAME,
    group="sibling-host",
    cwe="CWE-183",
    surfaces=("session", "host"),
    needs="compares the registrable domain, or all labels but the first",
)
@others
def host_sibling(host: str) -> Iterator[str]:
    """Name hosts beside the granted one, below the same parent."""
    parent = host.partition(".")[2]
    yield f"admin.{parent}"
    yield f"x.y.{parent}"


@technique(
    "host-first-label",
    kind=Kind.NAME,
    group="first-label",
    cwe="CWE-1023",
    surfaces=("session", "host"),
    needs="compares the first label, as a short host name is compared",
)
@others
def host_first_label(host: str) -> Iterator[str]:
    """Keep the first label and move it to another domain, or to none."""
    first = host.partition(".")[0]
    yield f"{first}.{_EVIL}"
    yield f"{first}.local"


@technique(
    "host-label-order",
    kind=Kind.NAME,
    group="label-order",
    cwe="CWE-697",
    surfaces=("session", "host"),
    needs="compares labels as a set, or from the wrong end",
)
@others
def host_label_order(host: str) -> Iterator[str]:
    """Give the labels in reverse, and one of them twice."""
    labels = host.split(".")
    yield ".".join(reversed(labels))
    yield ".".join([*labels, labels[-1]])


@technique(
    "host-near",
    kind=Kind.NAME,
    group="fuzzy",
    cwe="CWE-1025",
    surfaces=("session", "host"),
    needs="forgives slips of the pen: compares by similarity or by edit distance",
)
@others
def host_near(host: str) -> Iterator[str]:
    """Double, drop, swap and change a letter, as a person who mistypes does."""
    yield host[0] + host
    yield host[:1] + host[2:]
    yield host[1:2] + host[:1] + host[2:]
    yield host[:-1] + "1"


@technique(
    "host-slug",
    kind=Kind.NAME,
    group="slug",
    cwe="CWE-289",
    surfaces=("session", "host"),
    needs="compares slugs: dots, dashes and underscores all alike, or all dropped",
)
@others
def host_slug(host: str) -> Iterator[str]:
    """Write dots as dashes, as underscores, as nothing; and dashes as underscores and dots."""
    yield host.replace(".", "-")
    yield host.replace(".", "_")
    yield host.replace(".", "")
    if "-" in host:
        yield host.replace("-", "_")
        yield host.replace("-", ".")
        yield host.replace("-", "")
        yield host.replace("-", "--")
