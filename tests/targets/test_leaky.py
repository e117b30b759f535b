"""
Every sandbox of the system that can run here, with one thing wrong: a leak of each kind is found.

So a sandbox that holds was attacked by what would have got through it.
"""

import functools

import pytest
from capfuzz.attacks.kernel import FAR
from capfuzz.targets.sandboxes.registry import ADAPTERS

from ..attacks.bite_sandboxes import IN_SANDBOXES  # noqa: TID252 - it stands there once
from .leaks import (
    Leak,
    Leaky,
    after,
    both,
    holding,
    in_its_mounts,
    left_alone,
    not_emptied,
    of_abi,
    sharing,
    sharing_kind,
    spelt,
    unfiltered,
    unfiltered_call,
    unlimited,
    with_rights,
    with_setuid,
    without,
)
from .test_command import ATTACKS, broken, here

_SIGNALS, _ABSTRACT = 4, 5  # sandlock.Protection


def undoing(protection):
    """Return the change by which sandlock leaves out one of the things that it does."""
    return spelt('"clean_env"', f'"disable": [{protection}], "clean_env"')


def letting(*calls):
    """Return the change by which a filter of system calls lets more of them through."""
    return spelt('"brk"', ", ".join(f'"{one}"' for one in ("brk", *calls)))


PLACES = (
    Leak("kernel-list", "a folder opened that was not granted", reads=("/other",)),
    Leak("kernel-list", "the folder above opened", reads=("/",)),
    Leak("kernel-names", "a sibling opened to be written", writes=("/workshop",)),
    Leak("kernel-content", "what may be read opened to be written", writes=("/work",)),
)
NETWORK = (Leak("kernel-network", "the network opened", net=True),)
PORTS = (*NETWORK, Leak("kernel-port", "every port opened", ports=True))
SOCKET = (Leak("kernel-sockets", "the folder of a socket opened", aside=True),)
FOUND = ("kernel-environment", "the environment handed on")
INHERITED = ("kernel-inherited", "a descriptor inherited")
RIGHTS = ("kernel-rights", "rights of root's left")
PROCESSES = ("kernel-processes", "processes shared")
ABSTRACT = ("kernel-sockets", "abstract sockets shared")
CROWDED = ("kernel-tasks", "no limit of processes")
SPACES = ("kernel-spaces", "user namespaces let through by unshare")
OUTLIVED = "what it started not ended"
EMPTY = "/usr/bin/env -i"

BUDGETS = (
    Leak("kernel-flood", "no cap on output", unkept=("max_output_bytes",)),
    Leak("kernel-overtime", "no deadline", unkept=("max_wall",)),
)
# It leaves processes behind that are in no group of a command's.
BY_GROUP = (*BUDGETS, Leak("kernel-overtime", "ended by its group alone", left_alone))
BUBBLEWRAP = (
    *(*PLACES, *NETWORK, *SOCKET, *BUDGETS),
    Leak("kernel-attributes", "what may be read opened to be written", writes=("/work",)),
    Leak("kernel-names", "the whole world opened to be written", writes=("/",)),
    *(
        Leak(technique, "the whole world opened", reads=("/",))
        for technique in ("kernel-made-link", "kernel-beginning", "kernel-stat", "kernel-uring")
    ),
    Leak("kernel-outside", "a folder opened that was not granted", reads=("/other",)),
    *(
        Leak("kernel-far", f"{home} opened", after("/dev", "--ro-bind", home, home))
        for home in FAR.values()
    ),
    Leak(*ABSTRACT, sharing("net")),
    Leak("kernel-raw", "the network shared with rights of root's", with_rights("net")),
    Leak(*PROCESSES, sharing("pid", "user")),
    Leak("kernel-procfs", "the proc file system shared", with_rights("pid")),
    Leak(*RIGHTS, with_rights()),
    Leak("kernel-handle", "rights of root's left", with_rights()),
    Leak("kernel-mount", "the mounts shared", in_its_mounts),
    Leak("kernel-walk", "the environment cleared and not emptied", not_emptied),
    Leak(*FOUND, both(not_emptied, without("--clearenv"))),
    Leak(*INHERITED, holding("/other")),
    *(
        Leak(technique, OUTLIVED, both(sharing("pid"), without("--die-with-parent")))
        for technique in ("kernel-outlived", "kernel-crowd")
    ),
)
BUNDLE = (
    *(*PLACES, *NETWORK, *BY_GROUP),
    Leak("kernel-sockets", "the folder of a socket opened", unfiltered, aside=True),
    Leak(*PROCESSES, sharing_kind("pid")),
    Leak(*RIGHTS, with_setuid),
    Leak(*INHERITED, both(holding("/other"), after("run", "--preserve-fds", "1"))),
    Leak(
        "kernel-keys",
        "the session keyring handed on",
        both(unfiltered, after("run", "--no-new-keyring")),
    ),
    Leak(*CROWDED, unlimited),
    *(
        Leak("kernel-spaces", f"user namespaces let through by {call}", unfiltered_call(call))
        for call in ("unshare", "clone", "clone3")
    ),
)
LEAKS = {
    "bwrap": BUBBLEWRAP,
    "landlock": (
        *(*PLACES, *PORTS, *BY_GROUP),
        Leak(*PROCESSES, of_abi(5)),
        Leak(*ABSTRACT, of_abi(5)),
        Leak("kernel-content", "files not kept from being cut short", of_abi(2)),
        Leak(*INHERITED, holding("/other")),
    ),
    "landlock-seccomp": (
        *(*PLACES, *PORTS, *BY_GROUP),
        Leak(
            "kernel-attributes",
            "changes of attributes let through",
            letting("chmod", "fchmodat", "chown", "fchownat", "utimensat", "setxattr"),
        ),
        Leak("kernel-sockets", "sockets let through", letting("socket", "connect")),
        Leak("kernel-raw", "sockets let through", letting("socket", "bind")),
        Leak(*RIGHTS, letting("setuid", "setresuid", "setreuid")),
        Leak(
            "kernel-keys",
            "the session keyring handed on",
            letting("keyctl", "add_key", "request_key"),
        ),
        Leak(*SPACES, letting("unshare")),
        Leak(*INHERITED, holding("/other")),
    ),
    "sandlock": (
        *(*PLACES, *PORTS, *BY_GROUP),
        Leak(*FOUND, spelt('"clean_env": true', '"clean_env": false')),
        Leak(*PROCESSES, undoing(_SIGNALS)),
        Leak(*ABSTRACT, undoing(_ABSTRACT)),
    ),
    "unshare": (
        *(*PLACES, *NETWORK, *SOCKET),
        Leak(*PROCESSES, without("--pid")),
        Leak(*RIGHTS, spelt("--no-new-privs --bounding-set=-all --inh-caps=-all", "")),
        Leak(*FOUND, spelt(EMPTY, "/usr/bin/env")),
        Leak(*INHERITED, holding("/other")),
        *(
            Leak(technique, OUTLIVED, without("--pid", "--kill-child"))
            for technique in ("kernel-outlived", "kernel-crowd")
        ),
    ),
    "nsjail": (
        *(*PLACES, *NETWORK, *SOCKET),
        Leak(*PROCESSES, spelt("mount_proc: true", "clone_newpid: false")),
        Leak(*FOUND, spelt("mode: ONCE", "mode: ONCE\nkeep_env: true")),
        Leak(*INHERITED, both(holding("/other"), spelt("mode: ONCE", "mode: ONCE\npass_fd: 3"))),
    ),
    "firejail": (
        *(*PLACES, *NETWORK, *SOCKET),
        Leak(*RIGHTS, spelt("caps.drop all\n", "")),
        Leak(*FOUND, spelt(EMPTY, "/usr/bin/env")),
        Leak(*INHERITED, both(holding("/other"), spelt("--quiet", "--quiet --keep-fd=3"))),
    ),
    "nspawn": (
        *(*PLACES, *NETWORK, *SOCKET),
        Leak(*RIGHTS, spelt("--drop-capability=all", "--capability=all")),
        Leak("kernel-walk", "the environment cleared and not emptied", spelt(EMPTY, "env")),
        Leak(*FOUND, both(spelt(EMPTY, "env"), spelt("--quiet", "--setenv=CAPFUZZ_SECRET"))),
    ),
    "podman": (
        *(*PLACES, *NETWORK, *SOCKET),
        Leak(*RIGHTS, spelt("--cap-drop=all", "--cap-add=setuid")),
        Leak(*FOUND, both(spelt(EMPTY, "env"), spelt("--interactive", "--interactive --env-host"))),
        Leak(*INHERITED, both(holding("/other"), spelt("--rm", "--rm --preserve-fds=1"))),
        Leak(*CROWDED, spelt("--pids-limit=16", "--pids-limit=-1")),
    ),
    "docker": (
        *(*PLACES, *NETWORK, *SOCKET),
        Leak(*RIGHTS, spelt("--cap-drop=all", "--cap-add=setuid")),
        Leak(*FOUND, spelt("--interactive", "--interactive --env=CAPFUZZ_SECRET")),
        Leak(*CROWDED, spelt("--pids-limit=16", "--pids-limit=-1")),
        Leak(*SPACES, spelt("--cap-drop=all", "--cap-drop=all --security-opt=seccomp=unconfined")),
    ),
    "runc": BUNDLE,
    "crun": BUNDLE,
    "gvisor": (
        *(*PLACES, *NETWORK),
        Leak(
            "kernel-sockets",
            "the sockets of a folder opened",
            after("runsc", "--fsgofer-host-uds"),
            aside=True,
        ),
    ),
    "node": (
        *(*PLACES, *BUDGETS),
        Leak(*FOUND, without("-i")),
        Leak(
            "kernel-outlived", OUTLIVED, after("--experimental-permission", "--allow-child-process")
        ),
    ),
    "deno": (
        *(*PLACES, *PORTS, *BUDGETS),
        Leak(*FOUND, both(without("-i"), after("run", "--allow-env"))),
        Leak("kernel-outlived", OUTLIVED, after("run", "--allow-run")),
    ),
    "srt": (
        *PLACES,
        Leak(*FOUND, without("-i")),
        Leak(
            "kernel-sockets",
            "the sockets of a folder opened",
            spelt('"deniedDomains"', '"allowAllUnixSockets": true, "deniedDomains"'),
            aside=True,
        ),
        Leak(*SPACES, spelt('"filesystem"', '"allowNestedUserNamespaces": true, "filesystem"')),
    ),
    "codex": (*PLACES, *NETWORK, Leak(*FOUND, without("-i")), Leak(*INHERITED, holding("/other"))),
    "wasmtime": PLACES,
    # What is opened to be written is not what is looked into first.
    "monty": (*PLACES, Leak("kernel-list", "a folder opened to be written", writes=("/other",))),
}
ROWS = [(name, leak) for name, leaks in LEAKS.items() for leak in leaks]


@functools.cache
def attackable(name):
    """Return an adapter that can run here."""
    return here(ADAPTERS[name])


def falls(adapter, *techniques):
    """Return the techniques by any of whose vectors somebody gets through, of those named."""
    vectors = [one for one in ATTACKS if one.technique in techniques]
    return {name for name, hits in broken(adapter, vectors).items() if any(hits)}


@functools.cache
def twin_falls(name):
    """Return the techniques, of all that find a leak of a sandbox, that find one without any."""
    return falls(attackable(name), *(leak.technique for leak in LEAKS[name]))


@pytest.mark.parametrize(
    ("name", "leak"), ROWS, ids=[f"{name}: {leak.wrong}, {leak.technique}" for name, leak in ROWS]
)
def test_a_leak_is_found_and_the_sandbox_holds_without_it(name, leak):
    """A sandbox with a hole of this kind would pass, or a right one would be accused."""
    leaky = Leaky(attackable(name), leak)
    assert {leak.technique} == falls(leaky, leak.technique) - twin_falls(name)


def test_each_technique_has_a_leak():
    """A technique could be there that finds nothing in any sandbox."""
    assert set(IN_SANDBOXES.items()) <= {(leak.technique, leak.wrong) for _, leak in ROWS}


def test_each_sandbox_has_leaks():
    """A sandbox could be held that nothing would ever get out of."""
    assert {*ADAPTERS} - {"e2b", "vercel"} == {*LEAKS}  # for these see `test_elsewhere`
    assert min(map(len, LEAKS.values())) > 2
