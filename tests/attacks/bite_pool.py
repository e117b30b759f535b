"""Every broken checker by name: the shipped faults, the careless guards, and those made here."""

import importlib

from capfuzz.attacks.case import Surface
from capfuzz.targets.broken import FAULTS
from capfuzz.targets.host import HostTarget
from capfuzz.targets.session import SessionTarget

from . import sloppy_hosts, sloppy_sessions, sloppy_tools, sloppy_urls
from .bite_archive import ARCHIVE
from .bite_eval import EVAL
from .bite_http import HTTP
from .bite_meters import HOSTS, METERS, OVERBLOCKING
from .bite_paths import GRANTS, PATHS
from .bite_sessions import SESSIONS
from .bite_ssrf import SSRF
from .test_techniques_hosts import careless, reader

_LIMIT = 0.5  # seconds; only what never ends takes as long


def _fault(one):
    module, _, name = one.spec.removeprefix("py:").partition(":")
    made = getattr(importlib.import_module(module), name)
    if one.surface is Surface.HOST:
        return HostTarget(one.name, made)
    return SessionTarget(one.name, made, op_limit=_LIMIT)


def _numbered(kind, guards, made):
    return {
        f"{kind} {technique}" + (f" {index + 1}" if index else ""): made(guard)
        for technique, several in guards.items()
        for index, guard in enumerate(several)
    }


CHECKERS = {
    **{
        f"url fault {one.name}" if one.surface is Surface.HOST else f"fault {one.name}": _fault(one)
        for one in FAULTS
        if one.surface in {Surface.SESSION, Surface.HOST}
    },
    **_numbered(
        "host guard", sloppy_hosts.GUARDS, lambda guard: careless(guard, sloppy_hosts.RAISING)
    ),
    **_numbered(
        "tool guard", sloppy_tools.GUARDS, lambda guard: careless(guard, sloppy_tools.RAISING)
    ),
    **_numbered("url guard", sloppy_urls.GUARDS, reader),
    **{
        f"session {one.__name__}": SessionTarget(one.__name__, one, op_limit=_LIMIT)
        for several in sloppy_sessions.SESSIONS.values()
        for one in several
    },
    **{
        name: SessionTarget(name, factory, op_limit=_LIMIT)
        for pool in (PATHS, GRANTS, SESSIONS, METERS, OVERBLOCKING)
        for name, factory in pool.items()
    },
    **HOSTS,
    **ARCHIVE,
    **EVAL,
    **SSRF,
    **HTTP,
}
