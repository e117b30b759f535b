"""Anthropic's sandbox-runtime: bubblewrap, a filter of system calls, proxies for the network."""

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    environment,
    missing,
    reading_what_it_writes,
    said,
    write_only,
)
from capfuzz.targets.sandboxes.scripts import refuse, with_ports
from capfuzz.targets.sandboxes.trying import refusal_of_namespaces

_PACKAGE = "@anthropic-ai/sandbox-runtime"
_OLDEST = (0, 0, 83)  # npm installs an older one without a word where Node is older than 22.12
_NODE = (22, 12)
_TOOLS = ("bwrap", "socat", "rg")
_PATTERNS = "sandbox-runtime takes *, ?, [ and ] for a pattern where it is to write"
_PROXIES = "sandbox-runtime, Known Limitations: the network is there for programs that speak to its proxies"
_LONGEST = 60  # bytes of a folder in which the address of a socket still has room (unix(7))


class _Installed(NamedTuple):
    """The program, the folder of its package, its version and what runs it."""

    program: str
    package: str
    version: tuple[int, ...]

    @property
    def path(self) -> str:
        """Where its Node is, one that came with it first, and its other tools."""
        own = os.path.dirname(self.program)
        search = os.pathsep.join((own, os.environ.get("PATH", "/usr/bin")))
        found = filter(None, (shutil.which(one, path=search) for one in ("node", *_TOOLS)))
        return os.pathsep.join(dict.fromkeys((*map(os.path.dirname, found), "/usr/bin", "/bin")))


class SandboxRuntime:
    """``srt``, with everything hidden but what is granted; the network by way of its proxies."""

    name = "srt"
    meaning = "Anthropic's sandbox-runtime: bubblewrap, seccomp and proxies"
    cannot: Mapping[str, str] = MappingProxyType({})
    refuses: Mapping[str, str] = MappingProxyType(dict.fromkeys(("net_tcp", "net_udp"), _PROXIES))
    # Its settings: allowNestedUserNamespaces, which is false by default.
    claims = frozenset({"net_port", "priv_unshare"})
    opens_devices = False  # it has a /dev of its own

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        found = _found()
        if found is None:
            return f"srt is not installed: npm install -g {_PACKAGE}"
        if found.version < _OLDEST:
            return f"srt {_dotted(found.version)}: {_dotted(_OLDEST)} or newer is needed"
        node = _numbers(said(shutil.which("node", path=found.path) or "false", "--version"))
        if node < _NODE:
            return (
                f"Node {_dotted(node) or 'is not installed'}: {_dotted(_NODE)} or newer is needed"
            )
        return missing(*_TOOLS) or refusal_of_namespaces(self)

    def version(self) -> str:
        """Return the version that is installed."""
        found = _found()
        return _dotted(found.version) if found else ""

    def expressed(self, grant: Capabilities) -> Capabilities | None:
        """Return the grant with what may be written readable, None where a place is a pattern."""
        return None if _patterns(grant) else reading_what_it_writes(grant)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the settings for a grant of real places, and the command; raises `TargetError`."""
        refuse(self.name, _patterns(grant), _PATTERNS)
        found = _found() or _Installed("srt", "", ())
        sockets = _short(layout)
        made = ("/bin/sh", "-c", 'mkdir -p "$0" && exec "$@"', sockets)
        own = environment(layout, PATH=found.path, TMPDIR=sockets)
        words = (*made, *own, found.program, "--settings", "settings.json", "--")
        named = f"net_hosts: {_PROXIES}, at localhost: for that name grant /etc/hosts to be read"
        shared = (named,) if grant.net_hosts else ()
        return Rendered(
            (*words, *layout.command),
            {"settings.json": json.dumps(_settings(grant, layout, found), indent=2) + "\n"},
            (*write_only(grant), *shared),
            ending=("rm", "-rf", "--", sockets),
        )


def _settings(grant: Capabilities, layout: Layout, found: _Installed) -> dict[str, object]:
    """
    Return the settings file: everything is hidden, and opened again by name.

    What may be read comes back after what may be written and covers it; a place of the second kind
    in one of the first is hidden once more, so that it comes back last.
    """
    # By its proxies' sockets a program inside is served, through what srt itself starts there.
    proxies = (_short(layout),) if grant.net_hosts else ()
    places = reading_what_it_writes(grant).fs_read
    reads = [*layout.runtime, found.package, *layout.inside, *proxies, *places]
    return {
        "filesystem": {
            "denyRead": ["/", *map(_literal, grant.fs_write)],
            "allowRead": [_literal(one) for one in reads if one],
            "allowWrite": [_bare(one) for one in grant.fs_write],
            "denyWrite": [],
        },
        "network": {"allowedDomains": with_ports(grant, layout), "deniedDomains": []},
    }


def _literal(place: str) -> dict[str, object]:
    """Return a place that is no pattern, whatever its name."""
    return {"path": _bare(place), "literal": True}


def _bare(place: str) -> str:
    return place.rstrip("/") or "/"


def _short(layout: Layout) -> str:
    """Return a folder for its sockets whose name leaves room for theirs; `sweep` knows it."""
    own = os.path.abspath(f"{layout.folder}/sockets")
    return own if len(os.fsencode(own)) <= _LONGEST else f"/tmp/{layout.mark}-srt"  # noqa: S108


def _patterns(grant: Capabilities) -> list[str]:
    return [one for one in grant.fs_write if re.search(r"[*?\[\]]", one)]


def _found() -> _Installed | None:
    """Return what is installed under the name; another program of that name is not it."""
    program = shutil.which("srt")
    package = Path(program).resolve().parents[1] if program else Path()
    try:
        told = json.loads((package / "package.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if program is None or told.get("name") != _PACKAGE:
        return None
    return _Installed(program, str(package), _numbers(told.get("version", "")))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
