"""Tool names that a namespace, a separator or an escape makes of the granted one."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.spelling import others

_SESSION = ("session",)
_SEPARATORS = "._-/:"


@technique(
    "tool-namespace",
    kind=Kind.TOOL,
    group="tool-namespace",
    cwe="CWE-1289",
    surfaces=_SESSION,
    needs="compares what comes after the last separator, or lets every namespaced name pass",
)
@others
def tool_namespace(name: str) -> Iterator[str]:
    """Put a server, a package or a plug-in before the name: another tool of the same last name."""
    for before in (
        "srv.",
        "srv/",
        "srv:",
        "srv__",
        "mcp__srv__",
        "srv-",
        "::",
    ):
        yield f"{before}{name}"


@technique(
    "tool-member",
    kind=Kind.TOOL,
    group="tool-member",
    cwe="CWE-1289",
    surfaces=_SESSION,
    needs="compares what comes before the first separator: the granted name taken for a namespace",
)
@others
def tool_member(name: str) -> Iterator[str]:
    """Put a member after the name: granting a parent is not granting its children."""
    for mark in (".", "/", ":", "__", "::", "?", "->"):
        yield f"{name}{mark}delete_all"
    yield f"{name}."
    yield f"{name}/"


@technique(
    "tool-separator",
    kind=Kind.TOOL,
    group="tool-separator",
    cwe="CWE-289",
    surfaces=_SESSION,
    needs="takes separators for one another: the wire form of a name is not the name",
)
@others
def tool_separator(name: str) -> Iterator[str]:
    """Exchange the separators of the name, double them, and leave them out."""
    present = [mark for mark in _SEPARATORS if mark in name]
    for mark in present:
        for other in (*_SEPARATORS, "__", " ", "", mark * 2):
            if other != mark:
                yield name.replace(mark, other)


@technique(
    "tool-camel",
    kind=Kind.TOOL,
    group="tool-camel",
    cwe="CWE-289",
    surfaces=_SESSION,
    needs="converts between the styles in which languages write names",
)
@others
def tool_camel(name: str) -> Iterator[str]:
    """Write a name of several words in other styles: camel, Pascal, constant."""
    words = name.replace("-", "_").replace(".", "_").split("_")
    if len(words) > 1:
        yield words[0] + "".join(word.title() for word in words[1:])
        yield "".join(word.title() for word in words)
        yield "_".join(words).upper()


@technique(
    "tool-path",
    kind=Kind.TOOL,
    group="tool-path",
    cwe="CWE-22",
    surfaces=_SESSION,
    needs="looks tools up as files or routes, and normalises the name for the check",
)
@others
def tool_path(name: str) -> Iterator[str]:
    """Write the name as a path: absolute, with dots, with a climb to another tool, with a suffix."""
    yield f"/{name}"
    yield f"./{name}"
    yield f"{name}/../delete_all"
    yield f"../tools/{name}"
    yield f"/usr/bin/{name}"
    yield f"{name}.py"
    yield f"{name}.exe"
    yield f"tools\\{name}"


@technique(
    "tool-escaped",
    kind=Kind.TOOL,
    group="tool-escaped",
    cwe="CWE-177",
    surfaces=_SESSION,
    needs="decodes the name for the check, for the call, or for one of them only",
)
@others
def tool_escaped(name: str) -> Iterator[str]:
    """Write one letter percent-encoded once and twice, as an entity and as escapes of source text."""
    code = ord(name[0])
    for escape in (
        f"%{code:02x}",
        f"%25{code:02x}",
        f"&#{code};",
        f"\\u{code:04x}",
        f"\\x{code:02x}",
    ):
        yield f"{escape}{name[1:]}"
    yield f"{name}%00"
    yield f"{name}+"


@technique(
    "tool-attribute",
    kind=Kind.TOOL,
    group="tool-attribute",
    cwe="CWE-470",
    surfaces=_SESSION,
    needs="looks the name up as an attribute or in an inherited table (CWE-1321)",
)
@others
def tool_attribute(name: str) -> Iterator[str]:
    """Name what every object has: special methods, methods of a mapping, inherited properties."""
    yield from (
        "__class__",
        "__init__",
        "__call__",
        "get",
        "pop",
        "run",
    )
    yield from ("constructor", "__proto__", "toString", "_tools", "eval", "getattr")
    yield f"{name}.__globals__"
    yield f"__{name}__"


@technique(
    "tool-op-kind",
    kind=Kind.TOOL,
    group="tool-op-kind",
    cwe="CWE-441",
    surfaces=_SESSION,
    needs="dispatches kinds of op and tools in one table, so that a tool call is any other op",
)
@others
def tool_op_kind(name: str) -> Iterator[str]:
    """Name a kind of op as though it were a tool."""
    del name
    yield from ("fs_read", "fs_write", "net_fetch", "tool")
