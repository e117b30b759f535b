"""OpenAI Codex's sandbox: its own bubblewrap and seccomp, told by a profile of permissions."""

import functools
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from capfuzz.attacks.naive import within
from capfuzz.engine import Capabilities
from capfuzz.targets.base import TargetError
from capfuzz.targets.sandboxes.base import (
    Layout,
    Rendered,
    environment,
    plain,
    reading_what_it_writes,
    said,
    shared_network,
    write_only,
)
from capfuzz.targets.sandboxes.scripts import refuse
from capfuzz.targets.sandboxes.trying import refusal_of_namespaces

_PACKAGE = "@openai/codex"
_OLDEST = (0, 138)  # profiles of permissions: developers.openai.com/codex/permissions
_PATTERN = re.compile(r"[*?\[\]]")
_NO_NAME = re.compile(r"[*?\[\]]|[^ -~]")  # nor is every one of the machine's a text in TOML
_PATTERNS = "Codex takes *, ?, [ and ] for a pattern"
# Without ":minimal" no link such as /lib64 is there, and no program is loaded; this it opens beside.
_MORE = "/etc"


class Codex:
    """``codex sandbox``, with what a system needs to run and the granted places; no model asked."""

    name = "codex"
    meaning = "OpenAI Codex's sandbox: bubblewrap and seccomp"
    cannot: Mapping[str, str] = MappingProxyType(
        {"files granted to be written": "Codex 0.171.0 mounts .git and more in what may be written"}
    )
    refuses: Mapping[str, str] = MappingProxyType({})
    opens_devices = False  # it has a /dev of its own

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        program = _program()
        if program is None:
            return f"codex is not installed: npm install -g {_PACKAGE}"
        told = _version(program)
        known = tuple(map(int, re.findall(r"\d+", told)[:2]))
        if known < _OLDEST:
            return f"{told or program}: 0.138 or newer is needed"
        return refusal_of_namespaces(self)

    def version(self) -> str:
        """Return the version that is installed."""
        return _version(_program() or "codex")

    def expressed(self, grant: Capabilities) -> Capabilities | None:
        """Return the grant with what may be written readable, None where a place is a pattern."""
        return None if _patterns(grant) else reading_what_it_writes(grant)

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the profile for a grant of real places, and the command; raises `TargetError`."""
        refuse(self.name, _patterns(grant), _PATTERNS)
        program = _program() or "codex"
        kept = (*layout.runtime, *layout.inside, *grant.fs_read, *grant.fs_write)
        hidden = [*_beside(_MORE, kept)]
        left = [f"{one!a}: cannot be hidden" for one in filter(_NO_NAME.search, hidden)]
        folder = os.path.abspath(layout.folder)
        home, other = f"{folder}/home", f"{folder}/scratch"  # it runs from no TMPDIR
        own = environment(layout, CODEX_HOME=home, HOME=home, TMPDIR=other)
        return Rendered(
            (*own, program, "sandbox", "--", *layout.command),
            {
                "home/config.toml": "\n".join(_profile(grant, layout, program, hidden)) + "\n",
                "scratch/empty": "",  # the folder must be there
            },
            (*write_only(grant), *left, *shared_network(grant)),
        )


def _profile(grant: Capabilities, layout: Layout, program: str, hidden: list[str]) -> Iterator[str]:
    """Yield the lines of the configuration; it starts itself once more inside, by a link in its home."""
    yield 'default_permissions = "capfuzz"'
    yield "[permissions.capfuzz.filesystem]"
    yield '":minimal" = "read"'
    itself = (os.path.realpath(program), os.path.abspath(f"{layout.folder}/home/tmp"))
    # A place that is named to be read is not written, though it lies in one that is.
    own = (one for one in grant.fs_read if not within(one, grant.fs_write))
    reads = dict.fromkeys(map(plain, (*itself, *layout.inside, *own)), "read")
    writes = dict.fromkeys(map(plain, grant.fs_write), "write")
    denied = dict.fromkeys((one for one in hidden if not _NO_NAME.search(one)), "deny")
    for place, mode in {**reads, **writes, **denied}.items():
        yield f'{json.dumps(place)} = "{mode}"'
    yield "[permissions.capfuzz.network]"
    yield f"enabled = {json.dumps(bool(grant.net_hosts))}"


def _beside(folder: str, kept: tuple[str, ...]) -> Iterator[str]:
    """Yield what stands in a folder beside what is kept; where links lead is judged by itself."""
    for place in _in(folder):
        if within(place, kept):
            continue
        if os.path.isdir(place) and any(within(one, (place,)) for one in kept):
            yield from _beside(place, kept)
        else:
            yield place


def _in(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(one.path for one in entries if not one.is_symlink())
    except FileNotFoundError:
        return []
    except OSError as error:
        told = f"{Codex.name}: {folder}: what is in it cannot be hidden: {error.strerror}"
        raise TargetError(told) from None


def _patterns(grant: Capabilities) -> list[str]:
    return [*filter(_PATTERN.search, (*grant.fs_read, *grant.fs_write))]


@functools.cache
def _version(program: str) -> str:
    return said(program, "--version")


def _program() -> str | None:
    """Return the program itself, which npm puts behind a script that runs it."""
    script = shutil.which("codex")
    if script is None or Path(script).resolve().name != "codex.js":
        return script
    beside = Path(script).resolve().parents[2]
    own = beside.glob("codex-linux-*/vendor/*/bin/codex")
    return next((str(one) for one in own), None)
