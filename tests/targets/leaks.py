"""
How sandboxes of the system go wrong in practice: changes of what a grant is rendered to.

A leak opens nothing but what the suite planted, loopback and processes of its own.
"""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from capfuzz.targets.planted import LEVELS
from capfuzz.targets.sandboxes.base import Rendered, Strict, meters_of

Change = Callable[[Rendered, str], Rendered]


def unchanged(rendered, _floor):
    """Return a configuration as it is."""
    return rendered


class Leak(NamedTuple):
    """
    What is wrong, and the technique by which it is found.

    ``change`` is made to what a grant is rendered to, on a machine where the world's ``/`` is
    ``floor``. ``reads``, ``writes`` and ``net`` are opened beside what is granted, as one line too
    many in a configuration does; ``aside`` opens the folder in which a socket of ours stands, and
    ``ports`` every port of what is granted. ``unkept`` are budgets that nothing around it keeps.
    """

    technique: str
    wrong: str
    change: Change = unchanged
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    net: bool = False
    aside: bool = False
    ports: bool = False
    unkept: tuple[str, ...] = ()


class Leaky:
    """An adapter with a leak, and otherwise as it is."""

    def __init__(self, adapter: Any, leak: Leak) -> None:
        self._adapter, self._leak = adapter, leak
        self.meters = {*meters_of(adapter), *leak.unkept}
        if isinstance(adapter, Strict):  # which is told by what an object has itself
            self.refuses, self.opens_devices = adapter.refuses, adapter.opens_devices

    def __getattr__(self, name: str) -> Any:
        """Return what the adapter has."""
        return getattr(self._adapter, name)

    def render(self, grant, layout):
        """Return what a wider grant is rendered to, with the change."""
        floor = f"{grant.fs_read[0].rpartition(f'/{LEVELS}/')[0]}/{LEVELS}"
        leak = self._leak
        aside = (f"{os.path.dirname(layout.folder)}/aside",) if leak.aside else ()
        wider = replace(
            grant,
            fs_read=(*grant.fs_read, *(floor + one for one in leak.reads), *aside),
            fs_write=(*grant.fs_write, *(floor + one for one in leak.writes)),
            net_hosts=("127.0.0.1",) if leak.net else grant.net_hosts,
        )
        told = replace(layout, ports=()) if leak.ports else layout
        return leak.change(self._adapter.render(wider, told), floor)


def commanded(edit):
    """Return the change of a command's words by ``edit(words, floor)``."""
    return lambda rendered, floor: replace(
        rendered, command=tuple(edit(list(rendered.command), floor))
    )


def without(*left_out):
    """Return the change that leaves words out of a command."""
    return commanded(lambda words, _floor: [one for one in words if one not in left_out])


def after(word, *more):
    """Return the change that puts words after one of a command."""

    def edit(words, _floor):
        at = words.index(word) + 1
        return [*words[:at], *more, *words[at:]]

    return commanded(edit)


def spelt(old, new):
    """Return the change of a piece of text wherever it stands, in a command or in a file."""

    def change(rendered, _floor):
        command = tuple(word.replace(old, new) for word in rendered.command)
        files = {name: text.replace(old, new) for name, text in rendered.files.items()}
        changed = replace(rendered, command=command, files=files)
        assert changed != rendered, f"{old} does not stand in what was rendered"
        return changed

    return change


def left_alone(rendered, _floor):
    """Return what is ended by its group alone, and nothing of it removed afterwards."""
    return replace(rendered, ending=(), lingers=False)


def configured(edit):
    """Return the change that ``edit`` makes in a bundle's configuration, as `oci` renders it."""

    def change(rendered, _floor):
        config = json.loads(rendered.files["config.json"])
        edit(config)
        return replace(rendered, files={**rendered.files, "config.json": json.dumps(config)})

    return change


def both(one, other):
    """Return two changes, one after the other."""
    return lambda rendered, floor: other(one(rendered, floor), floor)


def holding(place):
    """Return the change that starts it with a place outside held open."""
    return commanded(
        lambda words, floor: ["sh", "-c", 'exec 3<"$0"; exec "$@"', floor + place, *words]
    )


@commanded
def not_emptied(words, _floor):
    """Start it in the environment of whoever starts it, which it clears for itself."""
    return words[words.index("bwrap") :]


@commanded
def in_its_mounts(words, _floor):
    """Run what runs inside by hand, in namespaces of its own but for that of mounts."""
    inside = words[words.index("--") + 1 :]
    return ["unshare", "--net", "--pid", "--ipc", "--uts", "--fork", "--kill-child", *inside]


def sharing(*kept):
    """Return the change by which bubblewrap unshares all namespaces but those named."""
    spaces = {"user", "ipc", "pid", "net", "uts", "cgroup"} - set(kept)

    def edit(words, _floor):
        at = words.index("--unshare-all")
        return [*words[:at], *(f"--unshare-{one}" for one in sorted(spaces)), *words[at + 1 :]]

    return commanded(edit)


def with_rights(*kept):
    """Return some namespaces shared, with the rights of whoever runs the suite over them."""
    return both(sharing("user", *kept), spelt("--cap-drop", "--cap-add"))


def sharing_kind(kind):
    """Return the change by which a bundle makes no namespace of a kind."""

    def edit(config):
        spaces = config["linux"]["namespaces"]
        spaces[:] = [one for one in spaces if one["type"] != kind]

    return configured(edit)


@configured
def unfiltered(config):
    """Leave out the filter of system calls."""
    del config["linux"]["seccomp"]


@configured
def unlimited(config):
    """Leave out the limit of processes."""
    del config["linux"]["resources"]["pids"]


def unfiltered_call(name):
    """Return the change by which a bundle's filter lets a call through, whatever it is given."""

    def edit(config):
        rules = config["linux"]["seccomp"]["syscalls"]
        rules[:] = [one for one in rules if name not in one["names"]]
        rules.append({"names": [name], "action": "SCMP_ACT_ALLOW"})

    return configured(edit)


@configured
def with_setuid(config):
    """Leave a process the right to be anybody, with no filter of system calls before it."""
    for rights in config["process"]["capabilities"].values():
        rights.append("CAP_SETUID")
    del config["linux"]["seccomp"]


_OLD_RULES = """\
import sys
sys.path.insert(0, sys.argv[1].rpartition("/")[0])
import landlock
landlock.abi = lambda: {version}
landlock.main(sys.argv[2:])
"""


def of_abi(version):
    """Return Landlock's rules told by a launcher that knows no newer version of them."""

    def edit(words, _floor):
        python, bare, launcher, *rest = words
        return [python, bare, "-c", _OLD_RULES.format(version=version), launcher, *rest]

    return commanded(edit)
