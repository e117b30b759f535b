"""Roots that reach too far, and what writing below them means."""

import re
from collections.abc import Iterator

from capfuzz.attacks.naive import segments
from capfuzz.gate.grants.rules import (
    ERROR,
    NOTE,
    WARNING,
    Entry,
    Remark,
    Rule,
    Subject,
    ancestors,
    said,
)

WHOLE_TREE = Rule(
    "CL201",
    "whole-tree",
    ERROR,
    "It covers every file of the machine: keys, sockets, the memory of processes.",
    "Name the folders that the agent works in.",
)
SYSTEM_FOLDER = Rule(
    "CL202",
    "system-folder",
    WARNING,
    "It holds far more than one agent's work.",
    "Name the files or the folder below it that are needed.",
)
HOME_FOLDER = Rule(
    "CL203",
    "home-folder",
    WARNING,
    "A home holds keys, tokens, histories and what a shell runs at its start.",
    "Name the project's folder below it.",
)
SECRETS = Rule(
    "CL204",
    "secrets",
    WARNING,
    "Credentials are kept there: who reads them can act elsewhere, where this grant says nothing.",
    "Leave it out; hand the agent a tool that uses the credential instead.",
)
CONTROL_SOCKET = Rule(
    "CL205",
    "control-socket",
    ERROR,
    "Who talks to a container runtime starts containers with any folder of the host in them.",
    "Leave it out; there is no safe part of it.",
)
EXECUTED_LATER = Rule(
    "CL206",
    "executed-later",
    WARNING,
    "What is written there is run later by somebody else, outside of this grant.",
    "Write elsewhere, and have what was written looked at before it is moved there.",
)
WRITE_ABOVE_READ = Rule(
    "CL207",
    "write-above-read",
    WARNING,
    "What the agent is to read it can also rewrite, and all beside it, though not read that.",
    "Narrow the root for writing, or grant reading of all of it if that is meant.",
)
WRITE_OUTSIDE_READ = Rule(
    "CL208",
    "write-outside-read",
    NOTE,
    "The engine lets nobody read back what was written there; a sandbox that mounts it does.",
    "Right for a drop box; add it to fs_read if the agent has to see its own work.",
)
_PROGRAMS = "the machine's programs"
_SOCKETS = "the sockets of the services that run the machine"
_DISKS = "other disks"
_SHARED = "what everybody on the machine leaves there"
_SYSTEM = {
    "/Applications": _PROGRAMS,
    "/Library": "the machine's settings and services",
    "/System": "the operating system",
    "/Users": "everybody's homes",
    "/Volumes": _DISKS,
    "/bin": _PROGRAMS,
    "/boot": "the kernel",
    "/dev": "every device, raw disks and terminals among them",
    "/dev/fd": "the open files of whoever looks, wherever those are",
    "/etc": "the machine's settings, accounts and keys",
    "/home": "everybody's homes",
    "/lib": _PROGRAMS,
    "/lib64": _PROGRAMS,
    "/media": _DISKS,
    "/mnt": _DISKS,
    "/opt": "installed software",
    "/private": "the settings, logs and temporary files of a Mac",
    "/private/etc": "the machine's settings, accounts and keys",
    "/private/tmp": _SHARED,
    "/private/var": "the data of every service, and logs",
    "/proc": "the environment, memory and open files of every process",
    "/run": _SOCKETS,
    "/sbin": _PROGRAMS,
    "/sys": "the kernel's own settings",
    "/tmp": _SHARED,  # noqa: S108 - named, not used
    "/usr": _PROGRAMS,
    "/usr/local": "installed software",
    "/var": "the data of every service, and logs",
    "/var/lib": "the data of every service",
    "/var/run": _SOCKETS,
    "/var/tmp": _SHARED,  # noqa: S108
}
_PROCESS = re.compile(r"/proc/(?:self|thread-self|\d+)(?:/.*)?")
_HOME = re.compile(r"/(?:home|Users)/[^/]+|/root|/var/root|/private/var/root")
_KEPT = frozenset(
    [".aws", ".azure", ".docker", ".env", ".git-credentials", ".gnupg", ".kube", ".netrc", ".npmrc", ".password-store", ".pypirc", ".ssh", "gcloud", "id_ecdsa", "id_ed25519", "id_rsa"]
)  # fmt: skip
_KEPT_PLACES = re.compile(
    r"(?:/private)?/etc/(?:g?shadow|sudoers(?:\.d)?|ssh|ssl/private)(?:/.*)?"
    r"|(?:/var)?/run/secrets(?:/.*)?"
)
_RUNTIMES = frozenset(
    [
        "docker.sock",
        "containerd.sock",
        "podman.sock",
        "crio.sock",
        "buildkitd.sock",
        "dockershim.sock",
    ]
)
_RUN = frozenset(
    [".bash_profile", ".bashrc", ".git", ".github", ".husky", ".profile", ".vscode", ".zprofile", ".zshenv", ".zshrc", "LaunchAgents", "LaunchDaemons", "node_modules", "site-packages"]
)  # fmt: skip
_RUN_PLACES = re.compile(
    r"(?:/usr(?:/local)?)?/(?:bin|sbin|lib|lib64|libexec)(?:/.*)?"
    r"|/etc/(?:cron[^/]*|init\.d|ld\.so[^/]*|profile(?:\.d)?|rc\.local|systemd)(?:/.*)?"
    r"|/var/spool/cron(?:/.*)?"
)


def remarks(subject: Subject) -> Iterator[Remark]:
    """Yield what is to be said of the roots, each by itself and writing beside reading."""
    for one in subject.paths:
        yield from _reach(one)
    for one in subject.entries["fs_write"]:
        yield from _executed(one)
    yield from _written(subject)


def _reach(one: Entry) -> Iterator[Remark]:
    path, names = one.plain, segments(one.plain)
    kept = _KEPT.intersection(names)
    if path == "/":
        yield said(WHOLE_TREE, one, "is the whole file system")
    elif path in _SYSTEM:
        # Who writes there changes the machine; reading may be an honest, careless wish.
        severity = ERROR if one.key == "fs_write" and _SYSTEM[path] != _SHARED else None
        yield said(SYSTEM_FOLDER, one, f"holds {_SYSTEM[path]}", severity)
    elif _PROCESS.fullmatch(path):
        yield said(SYSTEM_FOLDER, one, "has links of the kernel's below it that lead anywhere")
    elif _HOME.fullmatch(path):
        yield said(HOME_FOLDER, one, "is a whole home")
    elif _RUNTIMES.intersection(names):
        yield said(CONTROL_SOCKET, one, "controls a container runtime")
    elif kept or _KEPT_PLACES.fullmatch(path):
        where = f"lies at or below {min(kept)}" if kept else "is one of the machine's own secrets"
        yield said(SECRETS, one, f"{where}, where credentials are kept" if kept else where)


def _executed(one: Entry) -> Iterator[Remark]:
    found = _RUN.intersection(segments(one.plain))
    if found:
        yield said(EXECUTED_LATER, one, f"lies at or below {min(found)}, which others run from")
    elif _RUN_PLACES.fullmatch(one.plain):
        yield said(EXECUTED_LATER, one, "is where the machine keeps what it runs")


def _written(subject: Subject) -> Iterator[Remark]:
    reads = {one.plain: one for one in subject.entries["fs_read"]}
    above: dict[str, list[str]] = {}
    for path, one in reads.items():
        for folder in ancestors(path):
            above.setdefault(folder, []).append(one.text)
    for one in subject.entries["fs_write"]:
        if reads.keys() & {one.plain, *ancestors(one.plain)}:
            continue
        below = above.get(one.plain)
        if below:
            more = f" and {len(below) - 1} more" if len(below) > 1 else ""
            yield said(
                WRITE_ABOVE_READ, one, f"covers '{below[0]}'{more}, granted for reading alone"
            )
        else:
            yield said(WRITE_OUTSIDE_READ, one, "lies below no root of fs_read")
