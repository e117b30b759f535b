"""
Ops that a program in a sandbox of the system can try, beyond those of a session.

By kind, what its arguments are: ``p`` a place of the world, ``d`` data. Sockets and the process
that ``net_`` and ``proc_`` are about belong to whoever asks.
"""

from typing import Final

KINDS: Final = {
    "fs_read": "p",
    "fs_write": "pd",
    "fs_append": "pd",
    "fs_truncate": "pd",
    "fs_list": "p",
    "fs_stat": "p",
    "fd_stat": "p",
    "fs_handle": "pp",  # the file, and a place on whose file system it is looked for
    "fs_uring": "p",
    "fs_rename": "pp",
    "fs_exchange": "pp",
    "fs_link": "pp",
    "fs_symlink": "pp",
    "fs_mkdir": "p",
    "fs_unlink": "p",
    "fs_chmod": "pd",
    "fs_chown": "pdd",
    "fs_utimes": "pd",
    "fs_xattr": "pdd",
    "fd_chmod": "pd",
    "fd_chown": "pdd",
    "fd_utimes": "pd",
    "fd_reopen": "pd",
    "fds_inherited": "",
    "far_memory": "d",  # read or append; as the two below it
    "far_temporary": "d",
    "far_var": "d",
    "net_tcp": "",
    "net_udp": "",
    "net_port": "",  # by TCP, to a granted host, at a port that is not open
    "net_raw": "",
    "net_packet": "",
    "net_unix": "",
    "net_abstract": "",
    "proc_signal": "",
    "proc_trace": "",
    "proc_memory": "",
    "proc_environ": "",
    "proc_root": "p",
    "proc_walk": "p",
    "proc_background": "d",
    "proc_forks": "d",
    "proc_respawn": "d",
    "priv_setuid": "d",
    "priv_bpf": "",
    "priv_keyctl": "",
    "priv_mount": "p",
    "priv_unshare": "",
    "use_processes": "d",  # so many at once; as the one below it
    "use_threads": "d",
    "env_read": "",
    "use_output": "pd",  # the file that is written out, and how many bytes of it in all
    "use_time": "d",
}
# What is tried in a sandbox of its own, with the grant's budgets around it; otherwise there are none.
BUDGETED: Final = frozenset({"use_output", "use_time"})
# Where files stand that are apart from the tree: the machine's own folders for temporary files.
FAR: Final = {"far_memory": "/dev/shm", "far_temporary": "/tmp", "far_var": "/var/tmp"}  # noqa: S108
# What a program can use up, by the kind that does: the budget of a grant that limits it.
USES: Final = {"processes": "max_ops", "threads": "max_ops"}
COUNTED: Final = tuple(f"use_{one}" for one in USES)
# What is not kept from the one is not kept from the other, whatever a system's manual names.
KIN: Final = {
    "proc_forks": "proc_background",
    "proc_respawn": "proc_background",
    "net_raw": "net_udp",
    "net_packet": "net_udp",
}
# What no sandbox is asked that does not say that it confines it, and why not.
ASKED_IF_CLAIMED: Final = {
    "priv_keyctl": "keyrings(7): no namespace separates session keyrings",
    "priv_unshare": "user_namespaces(7): one that is made inside reaches nobody outside",
    **dict.fromkeys(COUNTED, "most systems are told of no limit that max_ops could become"),
    "net_port": "most systems open every port of what is granted, or none",
}
LOOPBACK: Final = "127.0.0.1"  # what a kernel can be told to open or close of a network here
