"""Whether a user namespace may be made here, of which all is made that needs no root."""

import os
import subprocess
from pathlib import Path

_TRIED = ("unshare", "--user", "--map-root-user", "--mount", "true")
_TRYING = 10.0  # seconds
_SETTINGS = Path("/proc/sys")
# user_namespaces(7); the second is a patch of Debian's, the third AppArmor's, as in Ubuntu 24.04.
_FORBIDDING = {
    "user/max_user_namespaces": "0",
    "kernel/unprivileged_userns_clone": "0",
    "kernel/apparmor_restrict_unprivileged_userns": "1",
}


def refused() -> str:
    """Return why a user may make none and what to do; nothing where one may, and for root."""
    if os.geteuid() == 0 or _made():
        return ""
    found = [f"{name.replace('/', '.')} is {_read(name)}" for name in _set()]
    why = f" ({', '.join(found)})" if found else ""
    return f"you may make no user namespace here{why}: have that allowed, or run this as root"


def _made() -> bool:
    try:
        done = subprocess.run(_TRIED, capture_output=True, timeout=_TRYING, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):  # nothing to try it with, or nothing to learn
        return True
    return done.returncode == 0


def _set() -> list[str]:
    """Return the settings that forbid it."""
    return [name for name, value in _FORBIDDING.items() if _read(name) == value]


def _read(name: str) -> str:
    try:
        return (_SETTINGS / name).read_text(encoding="ascii").strip()
    except OSError:  # this kernel has no such setting
        return ""
