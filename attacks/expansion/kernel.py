"""Families of attacks on sandboxes of the system: ops of a program that runs inside one."""

from collections.abc import Mapping
from typing import Any

from capfuzz.attacks.expansion.family import Family
from capfuzz.attacks.expansion.scenario_notes import note
from capfuzz.attacks.expansion.scenarios import Stage
from capfuzz.attacks.expansion.stage import FILES

_GRANT: Mapping[str, Any] = {"fs_read": ["/work/"], "fs_write": ["/work/out/"]}
_NOTES = {
    "kernel-outside": note(
        "More of the machine can be seen than was granted.",
        "A program inside reads files outside, or writes them.",
        552,
    ),
    "kernel-content": note(
        "Opening to write is guarded, and not every other way to change what a file holds.",
        "A file outside, or one that may only be read, is changed.",
        732,
    ),
    "kernel-attributes": note(
        "Mode, owner, times and extended attributes are not guarded.",
        "A file that may not be written is made open to others, or is made to look older.",
        732,
    ),
    "kernel-names": note(
        "Making, moving and removing names is not guarded as writing is.",
        "A file outside disappears, or is brought to where it may be written.",
        59,
        732,
    ),
    "kernel-made-link": note(
        "Links are looked at when the sandbox starts, and not those that are made inside.",
        "A link made inside opens any place.",
        61,
    ),
    "kernel-list": note("Files are guarded and folders are not.", "Names outside are told.", 548),
    "kernel-beginning": note(
        "Granted places are kept as a tree of letters, and where they part is taken for one of them.",
        "What bears the common beginning of several granted names as its own name is open.",
        187,
    ),
    "kernel-stat": note(
        "What is known of a file is not guarded as what it holds.",
        "Whether a file outside is there, how large it is and when it was written are told.",
        200,
    ),
    "kernel-doors": note(
        "The calls that open files are guarded, and not the other doors to them.",
        "A file outside is read.",
        693,
    ),
    "kernel-inherited": note(
        "Descriptors that are open when the sandbox starts stay open.",
        "Whatever they opened is open inside.",
        403,
    ),
    "kernel-network": note(
        "The network is shared, or one protocol of several is filtered.",
        "A program that was granted no host talks to services of this machine.",
        923,
    ),
    "kernel-sockets": note(
        "Unix domain sockets are not part of what is guarded.",
        "Services of this machine, such as a container engine, can be told what to do.",
        923,
    ),
    "kernel-processes": note(
        "Other processes can be seen and acted on.",
        "A process outside is signalled, or its memory read.",
        653,
    ),
    "kernel-procfs": note(
        "The proc file system of the machine can be read.",
        "Secrets in the environment of others, and every file by way of their roots.",
        552,
    ),
    "kernel-walk": note(
        "One process too many shows in the proc file system, such as the sandbox's own.",
        "Secrets in its environment, and every file by way of its root.",
        552,
    ),
    "kernel-environment": note(
        "The environment is handed on.", "Keys and tokens of whoever starts it are told.", 526
    ),
    "kernel-rights": note(
        "Rights of root's are left that reach beyond the sandbox.",
        "A program inside acts as another user, or on the machine's kernel and mounts.",
        250,
    ),
    "kernel-keys": note(
        "Keyrings belong to no namespace, and a session's is handed on.",
        "Tickets and keys of whoever starts it are told.",
        522,
    ),
    "kernel-tasks": note(
        "Nothing limits how many processes and threads there are at once.",
        "A program inside takes all that the machine can have of them: others cannot start.",
        770,
    ),
    "kernel-spaces": note(
        "User namespaces can be made, in which a program has every right of root's.",
        "More of the kernel is open to be attacked than a filter of system calls should leave.",
        250,
    ),
    "kernel-outlived": note(
        "The process that was started is ended, and not what that one has started.",
        "A program goes on beyond its deadline.",
        772,
    ),
    "kernel-flood": note(
        "Output is not counted, or not all of it.",
        "A program fills the memory or the disk of whoever keeps what it prints.",
        770,
    ),
    "kernel-overtime": note(
        "At the deadline a program is asked to end, or is ended without its descendants.",
        "A program goes on beyond its deadline.",
        772,
    ),
}


_STAGE = Stage("command", _GRANT, {"files": FILES}, _NOTES)
FAMILIES: tuple[Family, ...] = (
    _STAGE.family("kernel-files", "CWE-732", ["kernel_files"]),
    _STAGE.family("kernel-others", "CWE-653", ["kernel_others"]),
    _STAGE.family("kernel-spend", "CWE-770", ["kernel_spend"]),
    _STAGE.family("kernel-tasks", "CWE-770", ["kernel_tasks"]),
)
