"""Sandboxes that need no root, attacked by an ordinary user: whoever has no root has no other."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from capfuzz.targets.sandboxes.registry import ADAPTERS

from .test_command import here

ROOTLESS = ("bwrap", "firejail", "landlock", "nsjail", "sandlock")
NEED_ROOT = ("docker", "gvisor", "nspawn", "podman", "runc", "unshare")
REPOSITORY = Path(__file__).parents[2]
_USER = 54321  # one that has a name and a home: firejail is refused to nobody
_DROPPED = ("setpriv", f"--reuid={_USER}", f"--regid={_USER}", "--clear-groups", "--inh-caps=-all")
_ASIDE = "/mnt"  # covered in a namespace of its own
_NAMED = f"""
mkdir {_ASIDE}/home
chown {_USER} {_ASIDE}/home
echo user:x:{_USER}:{_USER}::{_ASIDE}/home:/bin/sh | cat /etc/passwd - > {_ASIDE}/passwd
mount --bind {_ASIDE}/passwd /etc/passwd
[ ! -d /run/firejail ] || mount -t tmpfs -o mode=755 none /run/firejail
"""


def as_user(*arguments):
    """Return what a command of the suite comes to, run by a user where root runs the tests."""
    command = (str(Path(sys.executable).with_name("capfuzz")), *arguments)
    if os.geteuid() == 0:
        script = "\n".join([*_reachable(), _NAMED, f"exec {shlex.join((*_DROPPED, *command))}"])
        command = ("unshare", "--mount", "sh", "-euc", script)
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return subprocess.run(
        command, cwd="/", env=kept, capture_output=True, text=True, timeout=300, check=False
    )


def _reachable():
    """Yield commands that let anybody reach this suite and its Python, in whose home they are."""
    needed = [Path(one).resolve() for one in (sys.base_prefix, sys.prefix, REPOSITORY)]
    closed = {top for place in needed if (top := _closed(place)) is not None}
    yield f"mount -t tmpfs -o mode=755 none {_ASIDE}"
    for number, place in enumerate(needed):
        yield f"mkdir {_ASIDE}/{number}; mount --rbind {shlex.quote(str(place))} {_ASIDE}/{number}"
    for top in closed:
        yield f"mount -t tmpfs -o mode=755 none {shlex.quote(str(top))}"
    for number, place in enumerate(needed):
        at = shlex.quote(str(place))
        yield f"mkdir -p {at}; mount --rbind {_ASIDE}/{number} {at}"


def _closed(place):
    """Return the first folder on the way to a place that others may not pass."""
    ways = [*reversed(place.parents), place]
    return next((one for one in ways if not one.stat().st_mode & 0o001), None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ROOTLESS)
def test_a_sandbox_that_needs_no_root_holds_for_an_ordinary_user(name):
    """It would be told to run anywhere, and was only ever tried by root."""
    here(ADAPTERS[name])
    done = as_user("attack", name, "--family", "kernel-files", "--family", "kernel-others")
    assert 0 == done.returncode, done.stdout + done.stderr
    assert "held: " in done.stdout


@pytest.mark.parametrize("name", NEED_ROOT)
def test_an_ordinary_user_is_told_what_needs_root(name):
    """A campaign of theirs would end in a message of the kernel's."""
    here(ADAPTERS[name])
    done = as_user("attack", name)
    assert (2, True) == (done.returncode, "needs root" in done.stderr), done.stderr
