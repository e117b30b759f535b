"""Sandboxes that need no root, attacked by an ordinary user: whoever has no root has no other."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from capfuzz.targets.sandboxes.registry import ADAPTERS

from .test_command import FAULTS, here

ROOTLESS = (
    *("bwrap", "codex", "firejail", "landlock", "landlock-seccomp", "nsjail", "sandlock", "srt"),
)
NEED_ROOT = ("crun", "docker", "gvisor", "nspawn", "podman", "runc", "unshare")
NEED_NAMESPACES = ("bwrap", "codex", "nsjail", "srt")
NEED_NEITHER = sorted(set(ADAPTERS) - {*NEED_ROOT, *NEED_NAMESPACES})
_FAMILIES = [f"--family=kernel-{one}" for one in ("files", "others", "spend", "tasks")]
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
# Of the namespace of users in which it is written, the setting is that one's own; the machine's stays
# as it is. A program keeps the rights of root's where it was begun once root has a number there.
_ALONE = """
own=$(readlink /proc/$$/ns/user)
(
    until [ "$(readlink /proc/$$/ns/user)" != "$own" ]; do sleep 0.05; done
    echo 0 0 65536 > /proc/$$/gid_map
    echo 0 0 65536 > /proc/$$/uid_map
) &
exec unshare --user sh -euc '
until grep -q . /proc/$$/uid_map; do sleep 0.05; done
exec sh -euc "$0" "$@"
' 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" "$@"' "$@"
"""


def as_user(*arguments, around=()):
    """Return what a command of the suite comes to, run by a user where root runs the tests."""
    command = (str(Path(sys.executable).with_name("capfuzz")), *arguments)
    if os.geteuid() == 0:
        script = "\n".join([*_reachable(), _NAMED, f"exec {shlex.join((*_DROPPED, *command))}"])
        command = (*around, "unshare", "--mount", "sh", "-euc", script)
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    kept["PATH"] = ":".join(one for one in kept["PATH"].split(":") if not one.endswith("sbin"))
    return subprocess.run(
        command, cwd="/", env=kept, capture_output=True, text=True, timeout=300, check=False
    )


def without_namespaces(*arguments):
    """Return what a command comes to, run by a user who may make no namespace of users."""
    if os.geteuid() != 0:
        pytest.skip("NOT tried: who is not root has no second user to be")
    return as_user(*arguments, around=("sh", "-euc", _ALONE, "sh"))


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
def test_a_sandbox_that_needs_no_root_does_for_an_ordinary_user_as_it_does_for_root(name):
    """It would be told to run anywhere, and was only ever tried by root."""
    here(ADAPTERS[name])
    attacked(name, as_user)


def attacked(name, user):
    """Have a user attack a sandbox, see it hold but for known faults, and return the report."""
    done = user("attack", name, *_FAMILIES, "--json", "-")
    assert int(name in FAULTS) == done.returncode, done.stderr
    report = json.loads(done.stdout)
    assert {one["technique"] for one in report["findings"]} <= FAULTS.get(name, set())
    assert 0 < report["invariants"]["control-allowed"]["checked"]
    assert 0 == report["invariants"]["control-allowed"]["broken"]
    return report


@pytest.mark.parametrize("user", [as_user, without_namespaces])
@pytest.mark.parametrize("name", NEED_ROOT)
def test_an_ordinary_user_is_told_what_needs_root(name, user):
    """A campaign of theirs would end in a message of the kernel's."""
    here(ADAPTERS[name])
    done = user("attack", name)
    assert (2, 1) == (done.returncode, len(done.stderr.splitlines())), done.stderr
    assert "needs root" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", NEED_NEITHER)
def test_what_needs_no_namespace_of_users_is_attacked_without(name):
    """Whoever may make none, as on many machines, could not use the suite at all."""
    here(ADAPTERS[name])
    report = attacked(name, without_namespaces)
    assert "user.max_user_namespaces is 0" in " ".join(report["notices"])


@pytest.mark.parametrize("name", NEED_NAMESPACES)
def test_a_user_without_namespaces_is_told_in_one_line_what_needs_them(name):
    """Nobody would know from a message of the kernel's what to do about it."""
    here(ADAPTERS[name])
    done = without_namespaces("attack", name)
    assert (2, 1) == (done.returncode, len(done.stderr.splitlines())), done.stderr
    told = "you may make no user namespace here (user.max_user_namespaces is 0): have that allowed"
    assert f"{told}, or run this as root" in done.stderr
