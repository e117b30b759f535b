"""What a right target does with one op, budgets and earlier ops left aside."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from capfuzz.attacks import naive
from capfuzz.attacks.case import Behaviour, Surface, Verdict, WorldSpec
from capfuzz.attacks.dialects import hints_outside, readings
from capfuzz.attacks.fence import Fence
from capfuzz.attacks.kernel import COUNTED, FAR, LOOPBACK
from capfuzz.attacks.ssrf import rule_ssrf
from capfuzz.attacks.urls import rule_url
from capfuzz.engine import Capabilities

POSIX = frozenset[str]()
PLAIN_IN_URLS = "/!$&'()*+,;=:@"  # what stands for itself in the path of a URL (RFC 3986, 3.3)
# What some consumer would read otherwise: an escape, a backslash, anything beyond ASCII.
_ODD_SPELLING = re.compile(r"[^\x00-\x7f]|[%\\]")


class Ruling(NamedTuple):
    """
    The verdict on one op, and the reasons that a right refusal may give.

    ``strict``: accepting is a fault even where the effect stays inside the grant. ``hard``: the
    refusal halts. ``late``: the effect is right, only its output must not come back.
    """

    verdict: Verdict
    reasons: frozenset[str] = frozenset()
    strict: bool = False
    hard: bool = False
    late: bool = False


MALFORMED = Ruling(Verdict.DENY, frozenset({"malformed_op"}), strict=True)


@dataclass(frozen=True, slots=True)
class Setting:
    """What an op is judged against: the grant, the world, the files there are by now."""

    grant: Capabilities
    world: WorldSpec
    files: Collection[str]
    dialect: frozenset[str] = POSIX
    surface: Surface = Surface.SESSION
    fence: Fence = field(init=False)

    def __post_init__(self) -> None:
        """Work out where the grant leads."""
        object.__setattr__(self, "fence", Fence(self.grant, self.world))


def rule(op: object, setting: Setting) -> Ruling:
    """
    Return the ruling on ``op``.

    An op of no known kind or without its arguments can only be refused. One that is merely of an
    odd type (a list, a lying str) may be read by its content, and is judged by its effect.
    """
    if not isinstance(op, tuple | list) or not op or not isinstance(op[0], str):
        return MALFORMED
    kind, arguments = str.__str__(op[0]), op[1:]
    rules = _OF_COMMAND if setting.surface is Surface.COMMAND else _RULES
    if kind not in rules:
        return MALFORMED
    takes, judge = rules[kind]
    if len(arguments) < len(takes):
        return MALFORMED
    if not all(isinstance(given, one) for given, one in zip(arguments, takes, strict=False)):
        return Ruling(Verdict.CONTAIN, frozenset({"malformed_op"}))
    ruling = judge(setting, *arguments[: len(takes)])
    plain = type(op) is tuple and all(
        type(given) in (str, bytes, int) for given in (op[0], *arguments[: len(takes)])
    )
    exact = kind == "tool" or len(arguments) == len(takes)
    return ruling if plain and exact else _odd(ruling)


def _odd(ruling: Ruling) -> Ruling:
    verdict = Verdict.DENY if ruling.verdict is Verdict.DENY else Verdict.CONTAIN
    return Ruling(verdict, ruling.reasons | MALFORMED.reasons)


class _Reach(NamedTuple):
    """One of a grant's two lists of prefixes, and the reason of a refusal outside it."""

    prefixes: tuple[str, ...]
    covers: Callable[[str], bool]
    denial: str


def _read(setting: Setting, path: str) -> Ruling:
    reach = _Reach(setting.grant.fs_read, setting.fence.readable, "fs_read_denied")
    ruling = _path(setting, path, reach)
    if not _plain(ruling):
        return ruling
    meant = unquote(path) if setting.surface is Surface.HTTP else path
    # A server may refuse an honest name that no client would spell so.
    odd = setting.surface is Surface.HTTP and quote(meant, safe=PLAIN_IN_URLS) != path
    missing = naive.resolve(meant, setting.world.links) not in setting.files
    # A function may take absolute paths alone, and a relative one is not there by its text.
    uncertain = odd or missing or not path.startswith("/")
    return ruling._replace(verdict=Verdict.CONTAIN) if uncertain else ruling


def _write(setting: Setting, path: str, _data: object) -> Ruling:
    reach = _Reach(setting.grant.fs_write, setting.fence.writable, "fs_write_denied")
    ruling = _path(setting, path, reach)
    if _plain(ruling) and _blocked(path, setting.files):
        return ruling._replace(verdict=Verdict.CONTAIN)
    return ruling


def _plain(ruling: Ruling) -> bool:
    return ruling.verdict is Verdict.ALLOW


def _blocked(path: str, files: Collection[str]) -> bool:
    """Tell whether a folder stands where a file should go, or a file where a folder should."""
    return path == "/" or any(
        name.startswith(f"{path}/") or path.startswith(f"{name}/") for name in files
    )


def _path(setting: Setting, path: str, reach: _Reach) -> Ruling:
    path, prefixes = str.__str__(path), reach.prefixes
    reasons = {reach.denial}
    if naive.climbs(path):
        reasons.add("path_traversal")
    if not path.startswith("/") or naive.unspeakable(path):
        reasons.add("malformed_op")
    if "\0" in path and setting.surface is Surface.SESSION:  # elsewhere nothing can open it
        return Ruling(Verdict.DENY, frozenset(reasons), strict=True)
    joined = setting.surface in {Surface.PATH, Surface.HTTP}
    if joined and prefixes and not path.startswith("/"):
        path = f"{prefixes[0].rstrip('/')}/{path}"  # a function joins it to its root
    try:
        places = [
            naive.resolve(text, setting.world.links) for text in readings(path, setting.dialect)
        ]
    except OSError:
        return Ruling(Verdict.DENY, frozenset(reasons))
    if not all(map(reach.covers, places)):
        return Ruling(Verdict.DENY, frozenset(reasons))
    allowed = naive.path_refusal(path, prefixes) is None and places[0] == path
    if allowed and _ODD_SPELLING.search(path):
        allowed = not any(hints_outside(path, prefix) for prefix in prefixes)
    return Ruling(Verdict.ALLOW if allowed else Verdict.CONTAIN, frozenset(reasons))


def _fetch(setting: Setting, host: str, path: str) -> Ruling:
    host = str.__str__(host)
    granted = {naive.host_name(one) for one in setting.grant.net_hosts}
    name, denied = naive.host_name(host), frozenset({"egress_denied"})
    if name in granted:
        routes = setting.world.hosts.get(host, {})
        known = host == name and path in routes
        return Ruling(Verdict.ALLOW if known else Verdict.CONTAIN, denied)
    if naive.reached(host) in granted:
        # An address has one spelling; octal, hex, decimal, short and upper-case forms are refused.
        dotted = host.endswith(".") and host[:-1] in granted
        return Ruling(Verdict.CONTAIN if dotted else Verdict.DENY, denied, strict=not dotted)
    if "subdomains" in setting.dialect and host.endswith(
        tuple(f".{one}" for one in granted if one)
    ):
        return Ruling(Verdict.CONTAIN, denied)
    spelt = granted.intersection(naive.lenient_names(host))
    return Ruling(Verdict.CONTAIN if spelt else Verdict.DENY, denied)


def _tool(setting: Setting, name: str) -> Ruling:
    denied = frozenset({"tool_denied"})
    if name not in setting.grant.allowed_tools:
        return Ruling(Verdict.DENY, denied, strict=True)
    behaviour = setting.world.tools.get(name, Behaviour.RAISE)
    works = behaviour is not Behaviour.RAISE
    return Ruling(Verdict.ALLOW if works else Verdict.CONTAIN, denied)


def _url(setting: Setting, url: str) -> Ruling:
    verdict = rule_url(setting.grant.net_hosts, url, setting.dialect)
    return Ruling(verdict, frozenset({"egress_denied"}))


def _ssrf(setting: Setting, text: str) -> Ruling:
    return Ruling(rule_ssrf(text, setting.dialect), frozenset({"egress_denied"}))


def _list(setting: Setting, path: str) -> Ruling:
    """Folders above a granted place may show themselves; their names are judged as effects."""
    reach = _Reach(setting.grant.fs_read, setting.fence.readable, "fs_read_denied")
    ruling = _path(setting, path, reach)
    above = any(naive.within(root, [path]) for root in reach.prefixes)
    filled = any(naive.within(name, [path]) and name != path for name in setting.files)
    if above and not _plain(ruling):
        return ruling._replace(verdict=Verdict.CONTAIN)
    return ruling if filled or not _plain(ruling) else ruling._replace(verdict=Verdict.CONTAIN)


def _by_another_door(setting: Setting, path: str, *_: object) -> Ruling:
    """Read by a door that a sandbox may well keep shut to everybody."""
    ruling = _read(setting, path)
    return ruling._replace(verdict=Verdict.CONTAIN) if _plain(ruling) else ruling


def _attributes(setting: Setting, path: str) -> Ruling:
    """Look at what stands there without opening it: a file, or a folder as one that is listed."""
    return _read(setting, path) if path in setting.files else _list(setting, path)


def _change(setting: Setting, path: str, *_: object) -> Ruling:
    """Change what stands there: content or attributes."""
    ruling = _make(setting, path)
    there = naive.resolve(path, setting.world.links) in setting.files if _plain(ruling) else True
    return ruling if there else ruling._replace(verdict=Verdict.CONTAIN)


def _remove(setting: Setting, path: str) -> Ruling:
    """Remove what stands there; a granted place itself may be held, by a mount or the folder around."""
    ruling = _change(setting, path)
    granted = map(naive.segments, (*setting.grant.fs_read, *setting.grant.fs_write))
    held = _plain(ruling) and naive.segments(path) in granted
    return ruling._replace(verdict=Verdict.CONTAIN) if held else ruling


def _make(setting: Setting, path: str) -> Ruling:
    reach = _Reach(setting.grant.fs_write, setting.fence.writable, "fs_write_denied")
    return _path(setting, path, reach)


def _lead(setting: Setting, _target: str, path: str) -> Ruling:
    """Make a link: where it leads is judged when somebody goes there."""
    return _make(setting, path)


def _both(setting: Setting, path: str, other: str) -> Ruling:
    """Rename, exchange or link: both ends change, and a system may refuse to cross a mount."""
    ends = (_make(setting, path), _make(setting, other))
    worst = next((one for one in ends if one.verdict is Verdict.DENY), ends[0])
    return worst if worst.verdict is Verdict.DENY else worst._replace(verdict=Verdict.CONTAIN)


def _loopback(setting: Setting) -> Ruling:
    verdict = Verdict.ALLOW if LOOPBACK in setting.grant.net_hosts else Verdict.DENY
    return Ruling(verdict, frozenset({"egress_denied"}))


def _unlisted(_setting: Setting) -> Ruling:
    """Reach a granted host at a port that whoever runs the sandbox has not opened."""
    return Ruling(Verdict.DENY, frozenset({"egress_denied"}))


def _far(_setting: Setting, how: str) -> Ruling:
    """Reach a file in a folder of the machine's, which no grant of the world's names."""
    return Ruling(Verdict.DENY, frozenset({f"fs_{'read' if how == 'read' else 'write'}_denied"}))


def _past_protocols(setting: Setting) -> Ruling:
    """Reach loopback as root alone may, which whoever grants a host need not let happen."""
    ruling = _loopback(setting)
    return ruling._replace(verdict=Verdict.CONTAIN) if _plain(ruling) else ruling


def _never(_setting: Setting, *_: object) -> Ruling:
    """Reach what no grant covers: other processes, sockets without an address, inherited secrets."""
    return Ruling(Verdict.DENY, frozenset({"malformed_op"}))


def _at_once(setting: Setting, number: int) -> Ruling:
    """Start so many at once; what a sandbox runs beside the program may count with them."""
    most = setting.grant.max_ops
    verdict = Verdict.ALLOW if number <= most // 2 else Verdict.CONTAIN
    return Ruling(verdict if number <= most else Verdict.DENY, frozenset({"max_ops"}))


def _by_effect(_setting: Setting, *_: object) -> Ruling:
    """Leave it to the effects: whatever is taken in, nothing outside may be touched."""
    return Ruling(Verdict.CONTAIN, frozenset({"malformed_op"}))


def _much(setting: Setting, path: str, size: int) -> Ruling:
    """Write out what may be read; near the budget, what else is printed may be too much."""
    if size > setting.grant.max_output_bytes:
        return Ruling(Verdict.DENY, frozenset({"max_output_bytes"}))
    ruling = _read(setting, path)
    near = 2 * size > setting.grant.max_output_bytes
    return ruling._replace(verdict=Verdict.CONTAIN) if near and _plain(ruling) else ruling


def _long(setting: Setting, seconds: int) -> Ruling:
    over = seconds > setting.grant.max_wall
    return Ruling(Verdict.DENY if over else Verdict.CONTAIN, frozenset({"max_wall"}))


_RULES: dict[str, tuple[tuple[type | Any, ...], Callable[..., Ruling]]] = {
    "fs_read": ((str,), _read),
    "fs_write": ((str, str | bytes), _write),
    "net_fetch": ((str, str), _fetch),
    "tool": ((str,), _tool),
    "url": ((str,), _url),
    "ssrf": ((str,), _ssrf),
    "unpack": ((str, list | tuple), _by_effect),  # the format, the members
    "eval": ((str,), _by_effect),  # the source
    "request": ((str,), _by_effect),  # the request target, as it is sent
}
# Of a program in a sandbox of the system.
_OF_COMMAND = _RULES | {
    "fs_list": ((str,), _list),
    **dict.fromkeys(("fs_stat", "fd_stat"), ((str,), _attributes)),
    "fs_mkdir": ((str,), _make),
    "fs_unlink": ((str,), _remove),
    "fs_symlink": ((str, str), _lead),
    **dict.fromkeys(("fs_rename", "fs_exchange", "fs_link"), ((str, str), _both)),
    **dict.fromkeys(("fs_append", "fd_reopen"), ((str, str), _change)),
    **dict.fromkeys(("fs_truncate", "fs_chmod", "fd_chmod"), ((str, int), _change)),
    **dict.fromkeys(("fs_utimes", "fd_utimes"), ((str, int), _change)),
    **dict.fromkeys(("fs_chown", "fd_chown"), ((str, int, int), _change)),
    "fs_xattr": ((str, str, str), _change),
    **dict.fromkeys(("net_tcp", "net_udp"), ((), _loopback)),
    **dict.fromkeys(FAR, ((str,), _far)),
    "net_port": ((), _unlisted),
    "fs_handle": ((str, str), _by_another_door),
    "fs_uring": ((str,), _by_another_door),
    **dict.fromkeys(("net_raw", "net_packet"), ((), _past_protocols)),
    **dict.fromkeys(("priv_bpf", "priv_keyctl", "priv_unshare"), ((), _never)),
    **dict.fromkeys(COUNTED, ((int,), _at_once)),
    "priv_setuid": ((int,), _never),
    "priv_mount": ((str,), _never),
    **dict.fromkeys(("net_unix", "net_abstract"), ((), _never)),
    **dict.fromkeys(("proc_signal", "proc_trace", "proc_memory", "proc_environ"), ((), _never)),
    **dict.fromkeys(("env_read", "fds_inherited"), ((), _never)),
    **dict.fromkeys(("proc_root", "proc_walk"), ((str,), _never)),
    **dict.fromkeys(("proc_background", "proc_forks", "proc_respawn"), ((int,), _never)),
    "use_output": ((str, int), _much),
    "use_time": ((int,), _long),
}
