"""
A seccomp profile for a grant, in the form that container engines and OCI runtimes read.

What is not named is refused with EPERM. A filter sees no paths and no hosts: it leaves out whole
kinds of calls of which the grant has nothing, and what no grant speaks of at all, such as mounts,
namespaces, tracing, keys, BPF and io_uring. Names that a kernel does not have are skipped.
"""

from typing import Any, Final

from capfuzz.engine import Capabilities

_EPERM, _ENOSYS = 1, 38
_ARCHITECTURES = ("SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64")
_NEW_NAMESPACES = 0x7E020000  # clone(2): every CLONE_NEW* that it takes
_FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK (which looks up interfaces)

_FILES = """
read pread64 readv preadv preadv2 write pwrite64 writev pwritev pwritev2 close close_range lseek dup
dup2 dup3 fcntl flock fsync fdatasync sync_file_range fadvise64 readahead splice tee sendfile
copy_file_range pipe pipe2 ioctl open openat openat2 stat fstat lstat newfstatat statx statfs fstatfs
access faccessat faccessat2 readlink readlinkat getdents getdents64 getcwd chdir fchdir getxattr
lgetxattr fgetxattr listxattr llistxattr flistxattr umask inotify_init inotify_init1
inotify_add_watch inotify_rm_watch ftruncate fallocate
"""
_MEMORY = """
brk mmap munmap mprotect mremap madvise mincore mlock mlock2 munlock mlockall munlockall msync
memfd_create membarrier pkey_alloc pkey_free pkey_mprotect rseq mseal map_shadow_stack getrandom
"""
_PROCESSES = """
fork vfork execve execveat exit exit_group wait4 waitid kill tkill tgkill getpid getppid gettid getpgid
getpgrp setpgid getsid setsid set_tid_address set_robust_list get_robust_list futex futex_waitv
futex_wait futex_wake futex_requeue arch_prctl prctl getrusage getrlimit setrlimit prlimit64 times
uname sysinfo getuid getgid geteuid getegid getresuid getresgid getgroups capget capset pidfd_open
pidfd_send_signal sched_yield sched_getaffinity sched_setaffinity sched_getparam sched_setparam
sched_getscheduler sched_setscheduler sched_get_priority_max sched_get_priority_min
sched_rr_get_interval sched_getattr sched_setattr getpriority setpriority ioprio_get ioprio_set getcpu
seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self
"""
_SIGNALS_AND_TIME = """
rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait rt_sigqueueinfo
rt_tgsigqueueinfo sigaltstack signalfd signalfd4 pause restart_syscall alarm clock_gettime clock_getres
clock_nanosleep nanosleep gettimeofday time getitimer setitimer timer_create timer_delete timer_settime
timer_gettime timer_getoverrun timerfd_create timerfd_settime timerfd_gettime poll ppoll select pselect6
epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2
"""
# Of a pair of sockets, too, which reaches nobody else.
_MESSAGES = """
socketpair sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg shutdown getsockname getpeername getsockopt
setsockopt
"""
_WRITING = """
creat mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat mknod
mknodat truncate
"""
_ATTRIBUTES = """
chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes utimensat futimesat setxattr
lsetxattr fsetxattr removexattr lremovexattr fremovexattr
"""
_NETWORK = "bind connect listen accept accept4"
_ALWAYS: Final = f"{_FILES} {_MEMORY} {_PROCESSES} {_SIGNALS_AND_TIME} {_MESSAGES}".split()


def profile(grant: Capabilities, *, attributes: bool = True) -> dict[str, Any]:
    """
    Return the profile: what every program needs, and the calls of which the grant has something.

    Without ``attributes`` nothing changes those of files, whatever may be written.
    """
    written = f"{_WRITING} {_ATTRIBUTES if attributes else ''}"
    named = [*_ALWAYS, *(written.split() if grant.fs_write else ())]
    named += _NETWORK.split() if grant.net_hosts else ()
    families = _FAMILIES if grant.net_hosts else ()
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": _EPERM,
        "architectures": list(_ARCHITECTURES),
        "syscalls": [
            _allowed(sorted(named)),
            _allowed(["clone"], 0, "SCMP_CMP_MASKED_EQ", _NEW_NAMESPACES),
            # Its flags stand in memory, where no filter looks; programs then take clone.
            {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": _ENOSYS},
            *(_allowed(["socket"], 0, "SCMP_CMP_EQ", one) for one in families),
        ],
    }


def _allowed(names: list[str], index: int = 0, op: str = "", value: int = 0) -> dict[str, Any]:
    rule: dict[str, Any] = {"names": names, "action": "SCMP_ACT_ALLOW"}
    if op:
        rule["args"] = [{"index": index, "value": value, "valueTwo": 0, "op": op}]
    return rule
