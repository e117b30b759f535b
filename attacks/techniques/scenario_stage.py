"""
The stage on which sequences play: sizes that are easy to add up, and one op for each door.

Every table maps a short name to an op; `GRANT` and `WORLD` are what the verdicts presume.
"""

from collections.abc import Mapping
from typing import Any

from capfuzz.attacks.techniques.scenario_model import Op

GRANT: dict[str, Any] = {
    "fs_read": ["/work/"],
    "fs_write": ["/work/out/"],
    "net_hosts": ["api.internal"],
    "allowed_tools": ["summarize", "flood", "mute", "explode", "again", "absent"],
    "max_ops": 100,
    "max_output_bytes": 100_000,
    "max_wall": 1_000,
}

WORLD: dict[str, Any] = {
    "files": {
        "/work/data.txt": "honest data",
        "/work/one": "1",
        "/work/ten": "0123456789",
        "/work/empty": "",
        "/work/lot/1": "aaaaaaaaaa",
        "/work/lot/2": "bbbbbbbbbb",
        "/work/lot/3": "cccccccccc",
        "/work/sub/file.txt": "honest file",
        "/work/out/report.txt": "honest report",
        "/etc/passwd": "secret of /etc/passwd",
        "/etc/data.txt": "secret of /etc/data.txt",
        "/workshop/data.txt": "secret of /workshop/data.txt",
        "/work-evil/data.txt": "secret of /work-evil/data.txt",
        "/other/work/data.txt": "secret of /other/work/data.txt",
    },
    "hosts": {
        "api.internal": {
            "/status": "ok",
            "/ten": "0123456789",
            "/empty": "",
            "/lot/1": "aaaaaaaaaa",
            "/lot/2": "bbbbbbbbbb",
            "/lot/3": "cccccccccc",
            "/moved": ["evil.test", "/steal"],
        },
        "evil.test": {"/steal": "taken", "/status": "taken"},
        "169.254.169.254": {"/latest/meta-data/": "credentials"},
    },
    "tools": {
        "summarize": "echo",
        "flood": "flood",
        "mute": "nothing",
        "explode": "raise",
        "again": "reenter",
        "delete_all": "echo",
    },
}

READ: Op = ("fs_read", "/work/data.txt")
ONE: Op = ("fs_read", "/work/one")  # 1 byte
TEN: Op = ("fs_read", "/work/ten")  # 10 bytes
EMPTY: Op = ("fs_read", "/work/empty")
WRITE: Op = ("fs_write", "/work/out/note", "text")
FETCH: Op = ("net_fetch", "api.internal", "/status")  # 2 bytes
ECHO: Op = ("tool", "summarize", "text")  # 4 bytes
MUTE: Op = ("tool", "mute")
EXPLODE: Op = ("tool", "explode")
SECRET: tuple[str, str] = ("fs_read", "/etc/passwd")

# Refused at a door of its own, where the refusal only serves to show that a guard is awake.
FORBIDDEN_CALL: Op = ("tool", "delete_all", "x")

# What the grant allows, one op for each way that an implementation may take.
HONEST: Mapping[str, Op] = {
    "a read": READ,
    "a read of nothing": EMPTY,
    "a write": WRITE,
    "a write of bytes": ("fs_write", "/work/out/raw", b"\x00\xff"),
    "an empty write": ("fs_write", "/work/out/void", ""),
    "a fetch": FETCH,
    "a tool": ECHO,
    "a tool that returns nothing": MUTE,
}

# One of them for each door.
DOORS: Mapping[str, Op] = {"a read": READ, "a write": WRITE, "a fetch": FETCH, "a tool": ECHO}

# What flows back, by the door it comes through, with its size in bytes.
SOURCES: Mapping[str, tuple[Op, int]] = {
    "a file": (TEN, 10),
    "a host": (("net_fetch", "api.internal", "/ten"), 10),
    "a tool": (("tool", "summarize", "0123456789"), 10),
    "a tool with two arguments": (("tool", "summarize", "01234", "6789"), 10),
    "a tool that floods": (("tool", "flood", 10), 10),
    "a tool that tells of a refusal": (("tool", "again", *SECRET), len("False")),
}

# What the grant forbids, one op for each check that may say so first, with the engine's reason.
# All are blunt: what a subtle spelling gets past is the matter of other techniques.
FORBIDDEN: Mapping[str, tuple[Op, str]] = {
    "a read outside": (SECRET, "fs_read_denied"),
    "a read that climbs": (("fs_read", "../etc/passwd"), "path_traversal"),
    "a read with NUL": (("fs_read", "/etc/passwd\0.txt"), "malformed_op"),
    "a relative read": (("fs_read", "etc/passwd"), "malformed_op"),
    "a write outside": (("fs_write", "/etc/passwd", "mine"), "fs_write_denied"),
    "a write that climbs": (("fs_write", "../etc/x", "mine"), "path_traversal"),
    "a fetch elsewhere": (("net_fetch", "evil.test", "/steal"), "egress_denied"),
    "a tool not granted": (FORBIDDEN_CALL, "tool_denied"),
    "a tool nobody knows": (("tool", "format_disk"), "tool_denied"),
}

# What is no op at all, whatever the grant.
MALFORMED: Mapping[str, Op] = {
    "None": None,
    "a number": 7,
    "a sentence": "fs_read /work/data.txt",
    "an empty tuple": (),
    "a batch": (READ, READ),
    "a kind nobody knows": ("fs_delete", "/work/data.txt"),
    "a kind of bytes": (b"fs_read", "/work/data.txt"),
    "a read without a path": ("fs_read",),
    "a write without data": ("fs_write", "/work/out/note"),
    "a fetch without a route": ("net_fetch", "api.internal"),
    "a tool without a name": ("tool",),
}

# What may be refused as odd or taken by its content: charged in any case.
ODD: Mapping[str, Op] = {
    "a path that is None": ("fs_read", None),
    "data that is a number": ("fs_write", "/work/out/note", 7),
    "a route of bytes": ("net_fetch", "api.internal", b"/status"),
    "one argument too many": ("fs_read", "/work/data.txt", "more"),
    "a list for a tuple": ["fs_read", "/work/data.txt"],
}

# What is granted and fails all the same: an error, not a violation.
FAILING: Mapping[str, Op] = {
    "a missing file": ("fs_read", "/work/missing"),
    "a read of a folder": ("fs_read", "/work/sub"),
    "a write below a file": ("fs_write", "/work/out/report.txt/x", "text"),
    "an unknown route": ("net_fetch", "api.internal", "/missing"),
    "a tool that raises": EXPLODE,
    "a granted tool that is not there": ("tool", "absent"),
}


def again(op: Op) -> Op:
    """Return the op that makes a tool run ``op`` from inside; it returns ``True`` or ``False``."""
    assert isinstance(op, tuple)
    return ("tool", "again", *op)
