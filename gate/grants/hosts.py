"""Hosts that lead inside, or to more than one party, and tools that make all other limits moot."""

import re
from collections.abc import Iterator
from ipaddress import ip_address

from capfuzz.attacks.special_addresses import INTERNAL, Reach, reach, within
from capfuzz.gate.grants.rules import ERROR, NOTE, WARNING, Entry, Remark, Rule, Subject, said

THIS_MACHINE = Rule(
    "CL301",
    "this-machine",
    WARNING,
    "Services on loopback often ask for no password: databases, debuggers, other agents' tools.",
    "Name the service by a tool of its own, or run the agent where loopback is its own.",
)
METADATA = Rule(
    "CL302",
    "metadata",
    ERROR,
    "A cloud hands the machine's credentials to whoever asks there (CWE-918).",
    "Leave it out; give the agent what it needs of it through a tool.",
)
INTERNAL_ADDRESS = Rule(
    "CL303",
    "internal-address",
    WARNING,
    "It is not on the public internet: what answers there depends on the network that one is in.",
    "Name the host; keep the address only where it is fixed for good.",
)
SHARED_SUFFIX = Rule(
    "CL304",
    "shared-suffix",
    NOTE,
    "Below it anybody can have a name. Here only this one name is granted; a target that lets "
    "subdomains through grants them all.",
    "Name the one host below it that is meant.",
)
RUNS_COMMANDS = Rule(
    "CL209",
    "runs-commands",
    WARNING,
    "What runs a command reads, writes and contacts what it likes: the lists of paths and hosts say "
    "nothing of it.",
    "Grant narrower tools, or confine the process that runs the commands.",
)
_MACHINE = re.compile(
    r"(?:.*\.)?localhost|localhost\.localdomain|ip6-(?:localhost|loopback)|host\.docker\.internal"
    r"|(?:.*\.)?(?:localtest\.me|lvh\.me|vcap\.me)"
)
_LOOPBACK = ("127.0.0.0/8", "::1/128", "0.0.0.0/32", "::/128")
# Addresses and names under which clouds serve credentials, by their own documentation.
_METADATA = {
    "100.100.100.200": "Alibaba Cloud",
    "168.63.129.16": "Azure",
    "169.254.0.23": "Tencent Cloud",
    "169.254.169.254": "most clouds",
    "169.254.170.2": "the containers of AWS",
    "169.254.170.23": "the pods of AWS",
    "192.0.0.192": "Oracle Cloud",
    "fd00:ec2::254": "AWS",
    "fd00:ec2::23": "the pods of AWS",
    "fd20:ce::254": "Google Cloud",
    "instance-data": "AWS",
    "instance-data.ec2.internal": "AWS",
    "metadata": "Google Cloud",
    "metadata.goog": "Google Cloud",
    "metadata.google.internal": "Google Cloud",
    "metadata.tencentyun.com": "Tencent Cloud",
}
# Top-level domains, and suffixes below which a provider lets anybody have a name.
_SHARED = frozenset(
    ["ai", "app", "com", "cloud", "dev", "edu", "gov", "info", "internal", "io", "local", "me", "net", "org", "test", "xyz", "ac.uk", "co.in", "co.jp", "co.uk", "com.au", "com.br", "com.cn", "org.uk", "amazonaws.com", "azurewebsites.net", "blob.core.windows.net", "cloudapp.azure.com", "cloudfront.net", "fly.dev", "firebaseapp.com", "github.io", "githubusercontent.com", "gitlab.io", "herokuapp.com", "netlify.app", "ngrok.io", "ngrok-free.app", "nip.io", "onrender.com", "pages.dev", "r2.dev", "readthedocs.io", "run.app", "s3.amazonaws.com", "sslip.io", "storage.googleapis.com", "trycloudflare.com", "vercel.app", "web.app", "workers.dev"]
)  # fmt: skip
_SHELLS = re.compile(
    r"(?:.*(?:__|[./:]))?(?:bash|sh|zsh|cmd|powershell|pwsh|shell|terminal|exec|eval|python|node"
    r"|(?:run|execute|exec)[_-]?(?:a[_-])?(?:command|cmd|shell|bash|code|script|python|terminal"
    r"|in[_-]terminal)s?|(?:shell|bash|terminal|command|code)[_-](?:exec(?:ute)?|tool|run(?:ner)?)"
    r"|code[_-]?interpreter)",
    re.IGNORECASE,
)


def remarks(subject: Subject) -> Iterator[Remark]:
    """Yield what is to be said of each host and of each tool."""
    for one in subject.entries["net_hosts"]:
        yield from _host(one, subject.dialect)
    for one in subject.entries["allowed_tools"]:
        if _SHELLS.fullmatch(one.text):
            yield said(RUNS_COMMANDS, one, "is named as what runs commands or code")


def _host(one: Entry, dialect: frozenset[str]) -> Iterator[Remark]:
    host = one.plain
    if host in _METADATA:
        yield said(METADATA, one, f"serves the metadata of {_METADATA[host]}")
    elif _MACHINE.fullmatch(host):
        yield said(THIS_MACHINE, one, "is this machine")
    elif host in _SHARED:
        severity = ERROR if "subdomains" in dialect else None
        yield said(SHARED_SUFFIX, one, "is a suffix that many parties share", severity)
    elif host.rpartition(".")[2].isdigit() or ":" in host:
        yield from _address(one)


def _address(one: Entry) -> Iterator[Remark]:
    address = ip_address(one.plain)
    if any(within(address, network) for network in _LOOPBACK):
        yield said(THIS_MACHINE, one, "is this machine")
    elif reach(one.plain) is Reach.INTERNAL:
        meant = next(
            (INTERNAL[net] for net in INTERNAL if within(address, net)), "carries one inside"
        )
        yield said(INTERNAL_ADDRESS, one, f"is no public address ({meant})")
