"""Arguments of another type than the op takes, and strs that lie about themselves."""

from collections.abc import Iterator

from capfuzz.attacks.codec import LyingStr
from capfuzz.attacks.techniques.scenario_model import (
    ALLOWED,
    CONTAINED,
    DENIED,
    Op,
    Scenario,
    scenario,
)
from capfuzz.attacks.techniques.scenario_shapes import shaped
from capfuzz.attacks.techniques.scenario_stage import ECHO, FETCH, READ, SECRET, WRITE

_LIE = LyingStr


@scenario(
    "type-of-path",
    group="wrong-type",
    cwe="CWE-843",
    needs="asks a path for str methods before it knows that it is one, or decodes or joins it",
)
def type_of_path() -> Iterator[Scenario]:
    """Give a path that is no str: refused, or read inside the grant, and never an exception."""
    place = "/etc/passwd"
    paths = (None, 7, True, float("nan"), place.encode(), [place], ("/work", place))
    for path in paths:
        yield shaped(("fs_read", path), CONTAINED, READ, f"a read of {path!r}")
    for path in (None, place.encode(), [place]):
        yield shaped(("fs_write", path, "mine"), CONTAINED, WRITE, f"a write to {path!r}")


@scenario(
    "type-of-data",
    group="wrong-type",
    cwe="CWE-843",
    needs="opens the file for writing before it knows that the data can be written",
)
def type_of_data() -> Iterator[Scenario]:
    """Give data that is neither str nor bytes: where it is refused, the file stays as it was."""
    for data in (None, 7, True, float("nan"), ["text"], ("text",)):
        op = ("fs_write", "/work/out/report.txt", data)
        yield shaped(op, CONTAINED, WRITE, f"a write of {data!r}")


@scenario(
    "type-of-host",
    group="wrong-type",
    cwe="CWE-843",
    needs="turns a host or a route into a str after the check",
)
def type_of_host() -> Iterator[Scenario]:
    """Give a host or a route that is no str: a number that is an address, bytes, a list."""
    hosts = (None, 2852039166, 2130706433.0, b"evil.test", ["evil.test"], ("api.internal",))
    for host in hosts:
        yield shaped(("net_fetch", host, "/steal"), CONTAINED, FETCH, f"the host {host!r}")
    for route in (None, 7, b"/status", ["/status"]):
        op = ("net_fetch", "api.internal", route)
        yield shaped(op, CONTAINED, FETCH, f"the route {route!r}")


@scenario(
    "type-of-tool",
    group="wrong-type",
    cwe="CWE-843",
    needs="looks a tool up by what is no str, which may be unhashable or equal to a name",
)
def type_of_tool() -> Iterator[Scenario]:
    """Give the name of a tool as no str: none of them is a granted name."""
    for name in (None, 0, True, b"delete_all", ["delete_all"], ("delete_all",)):
        yield shaped(("tool", name, "x"), CONTAINED, ECHO, f"the tool {name!r}")


@scenario(
    "lying-forbidden",
    group="lying-type",
    cwe="CWE-807",
    needs="asks a str subclass whether it equals or starts with what is granted",
)
def lying_forbidden() -> Iterator[Scenario]:
    """Give a forbidden name as a str subclass that claims to equal and to start with anything."""
    lies: dict[str, tuple[Op, Op]] = {
        "path": (("fs_read", _LIE("/etc/passwd")), READ),
        "sibling": (("fs_read", _LIE("/workshop/data.txt")), READ),
        "climb": (("fs_read", _LIE("/work/../etc/passwd")), READ),
        "empty path": (("fs_read", _LIE("")), READ),
        "place": (("fs_write", _LIE("/etc/passwd"), "x"), WRITE),
        "host": (("net_fetch", _LIE("evil.test"), "/steal"), FETCH),
        "address": (("net_fetch", _LIE("169.254.169.254"), "/"), FETCH),
        "tool": (("tool", _LIE("delete_all"), "x"), ECHO),
        "kind": ((_LIE("fs_read"), "/etc/passwd"), READ),
        "kind nobody knows": ((_LIE("fs_delete"), "/work/data.txt"), READ),
        "list": ([_LIE("fs_read"), _LIE("/etc/passwd")], READ),
    }
    for name, (op, honest) in lies.items():
        yield shaped(op, DENIED, honest, f"a {name} that lies")


@scenario(
    "lying-granted",
    group="lying-type",
    cwe="CWE-807",
    needs="compares a str subclass with what it knows, each time with another answer",
)
def lying_granted() -> Iterator[Scenario]:
    """Give a granted name as a lying str, then a forbidden one as a plain str."""
    lies: dict[str, tuple[Op, Op]] = {
        "path": (("fs_read", _LIE("/work/data.txt")), READ),
        "place": (("fs_write", _LIE("/work/out/note"), "text"), WRITE),
        "data": (("fs_write", "/work/out/note", _LIE("text")), WRITE),
        "host": (("net_fetch", _LIE("api.internal"), "/status"), FETCH),
        "route": (("net_fetch", "api.internal", _LIE("/status")), FETCH),
        "tool": (("tool", _LIE("summarize"), "text"), ECHO),
        "kind": ((_LIE("fs_read"), "/work/data.txt"), READ),
    }
    for name, (op, honest) in lies.items():
        yield Scenario(
            ops=(op, SECRET, honest),
            verdict=CONTAINED + DENIED + ALLOWED,
            control=(honest, honest),
            means=f"a {name} that lies is remembered as equal to everything",
            reason="fs_read_denied",
        )
