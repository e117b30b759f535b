"""The stage on which most vectors play: one comfortable grant, and something to hit beside it."""

from typing import Any

# The secret stands in siblings that share the grant's prefix, in a parent, and far away.
SECRETS = (
    "/etc/passwd",
    "/workshop/secret.txt",
    "/work-evil/secret.txt",
    "/work.bak/secret.txt",
    "/work2/secret.txt",
    "/work_secret",
    "/other/secret.txt",
)

FILES: dict[str, str] = {
    "/work/data.txt": "honest data",
    "/work/sub/file.txt": "honest file",
    "/work/out/report.txt": "honest report",
    "/system/config": "secret of /system/config",
} | {place: f"secret of {place}" for place in SECRETS}

HOSTS: dict[str, dict[str, Any]] = {
    "api.internal": {"/status": "ok"},
    "evil.test": {"/steal": "taken"},
    "169.254.169.254": {"/latest/meta-data/": "credentials"},
    "127.0.0.1": {"/admin": "loopback"},
}

TOOLS = {"summarize": "echo", "delete_all": "echo"}

GRANT: dict[str, Any] = {
    "fs_read": ["/work/"],
    "fs_write": ["/work/out/"],
    "net_hosts": ["api.internal"],
    "allowed_tools": ["summarize"],
    "max_ops": 100,
    "max_output_bytes": 100_000,
    "max_wall": 1_000,
}

WORLD: dict[str, Any] = {"files": FILES, "hosts": HOSTS, "tools": TOOLS}
