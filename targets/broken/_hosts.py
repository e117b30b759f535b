"""Faults of the host guard: names that resemble a granted one, and clients that read another."""

import re
from socket import inet_aton
from typing import Any
from unicodedata import normalize

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.names import HostGuard


class _Suffix(HostGuard):
    def covers(self, plain: str) -> bool:
        return any(plain.endswith(granted) for granted in self.hosts)


@fault(Surface.SESSION, "confined", modelled_on="CWE-1023, suffix of a domain", style="host names")
def host_suffix_match(caps: Capabilities, world: World) -> Session:
    """Accept whatever ends like a granted host: ``evil-api.internal``. CWE-1023."""
    return Session(caps, world, Pieces(hosts=_Suffix))


class _Prefix(HostGuard):
    def covers(self, plain: str) -> bool:
        return any(plain.startswith(granted) for granted in self.hosts)


@fault(Surface.SESSION, "confined", modelled_on="CVE-2024-0243", style="host names")
def host_prefix_match(caps: Capabilities, world: World) -> Session:
    """
    Accept whatever starts like a granted host: ``api.internal.evil.test``.

    CVE-2024-0243, langchain.
    """
    return Session(caps, world, Pieces(hosts=_Prefix))


class _Pattern(HostGuard):
    def covers(self, plain: str) -> bool:
        return any(re.fullmatch(granted, plain) for granted in self.hosts)


@fault(Surface.SESSION, "confined", modelled_on="CWE-625", style="host names")
def host_dot_matches_any(caps: Capabilities, world: World) -> Session:
    """Use a granted host as a regular expression: ``apixinternal``. CWE-625."""
    return Session(caps, world, Pieces(hosts=_Pattern))


class _UserInfo(HostGuard):
    def admit(self, host: str) -> str:
        super().admit(host.partition("@")[0])
        return host.rpartition("@")[2]


@fault(Surface.SESSION, "confined", modelled_on="CVE-2025-47241", style="host names")
def host_userinfo(caps: Capabilities, world: World) -> Session:
    """
    Judge the text before ``@`` and contact the host after it.

    CVE-2025-47241, browser-use.
    """
    return Session(caps, world, Pieces(hosts=_UserInfo))


class _PortStripped(HostGuard):
    def admit(self, host: str) -> str:
        if host.count(":") != 1:  # more of them are IPv6
            return super().admit(host)
        name, _, port = host.partition(":")
        return f"{super().admit(name)}:{port}"


@fault(
    Surface.SESSION,
    "confined",
    "alias-denied",
    modelled_on="any port on an allowed name was open",
    style="host names",
)
def host_port_stripped(caps: Capabilities, world: World) -> Session:
    """Judge the name without its port and contact any port of it. CWE-923."""
    return Session(caps, world, Pieces(hosts=_PortStripped))


class _AnyRadix(HostGuard):
    def admit(self, host: str) -> str:
        numbers = {_number(granted) for granted in self.hosts} - {None}
        return host if _number(host) in numbers else super().admit(host)


def _number(host: str | None) -> bytes | None:
    try:
        return inet_aton(host or "")
    except (OSError, ValueError):
        return None


@fault(
    Surface.SESSION, "alias-denied", "confined", modelled_on="CVE-2023-42282", style="host names"
)
def host_decimal_ip(caps: Capabilities, world: World) -> Session:
    """
    Compare addresses by number: ``0x7f.1`` and ``2130706433`` pass for ``127.0.0.1``.

    The spellings of CVE-2023-42282, node-ip. CWE-1389.
    """
    return Session(caps, world, Pieces(hosts=_AnyRadix))


class _ZerosDropped(HostGuard):
    def admit(self, host: str) -> str:
        super().admit(re.sub(r"\b0+(?=[0-9])", "", host))
        return host


@fault(Surface.SESSION, "confined", modelled_on="CVE-2021-29921", style="host names")
def host_octal_read_as_decimal(caps: Capabilities, world: World) -> Session:
    """
    Read ``010.0.0.1`` as ``10.0.0.1``, where the client reads octal and goes to ``8.0.0.1``.

    CVE-2021-29921, ipaddress; CVE-2021-28918, netmask.
    """
    return Session(caps, world, Pieces(hosts=_ZerosDropped))


class _Folded(HostGuard):
    def admit(self, host: str) -> str:
        super().admit(normalize("NFKC", host).casefold())
        return host


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CWE-176", style="host names")
def host_case_unfolded_unicode(caps: Capabilities, world: World) -> Session:
    """Judge the folded name and contact the one that was written, fullwidth and all. CWE-176."""
    return Session(caps, world, Pieces(hosts=_Folded))


class _Stripped(HostGuard):
    def admit(self, host: str) -> str:
        super().admit(host.strip())
        return host


@fault(Surface.SESSION, "confined", "alias-denied", modelled_on="CVE-2020-8124", style="host names")
def host_blank_stripped(caps: Capabilities, world: World) -> Session:
    """
    Judge the name without the blanks around it and contact it with them.

    CVE-2020-8124, url-parse; CVE-2023-24329, urllib.
    """
    return Session(caps, world, Pieces(hosts=_Stripped))


class _AllDots(HostGuard):
    def admit(self, host: str) -> str:
        super().admit(host.rstrip("."))
        return host


@fault(
    Surface.SESSION,
    "confined",
    "alias-denied",
    modelled_on="CWE-1289, trailing dots",
    style="host names",
)
def host_trailing_dots_stripped(caps: Capabilities, world: World) -> Session:
    """Judge the name without any of its trailing dots, though only one is empty. CWE-1289."""
    return Session(caps, world, Pieces(hosts=_AllDots))


class _Follower(Session):
    def net_fetch(self, host: str, path: str) -> Any:
        answer = super().net_fetch(host, path)
        for _ in range(5):
            if not hasattr(answer, "host"):
                break
            answer = self.perform("net_fetch", self.world.net.fetch, answer.host, answer.path)
        return answer


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="CWE-918, only the first address is judged",
    style="host names",
)
def follows_redirects(caps: Capabilities, world: World) -> Session:
    """Judge the first host and go wherever its answer points. CWE-918, CWE-601."""
    return _Follower(caps, world)
