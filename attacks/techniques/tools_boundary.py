"""Tool names that share text with the granted one."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, technique
from capfuzz.attacks.techniques.spelling import others

_OTHER = "delete_all"


@technique(
    "granted-tool",
    kind=Kind.TOOL,
    group="over-blocking-tool",
    cwe="CWE-863",
    surfaces=("session",),
    needs="refuses more than it must",
)
def granted_tool(name: str) -> Iterator[str]:
    """Name the tool exactly as granted: whoever refuses this allows nothing."""
    yield name


@technique(
    "outside-tool",
    kind=Kind.TOOL,
    group="outside-tool",
    cwe="CWE-862",
    surfaces=("session",),
    needs="judges nothing, or has a deny-list that this tool is not on",
)
@others
def outside_tool(name: str) -> Iterator[str]:
    """Name a tool that was never granted, as it stands."""
    del name
    yield from (_OTHER, "exec", "read_secret")


@technique(
    "implicit-tool",
    kind=Kind.TOOL,
    group="implicit-tool",
    cwe="CWE-862",
    surfaces=("session",),
    needs="adds tools of its own to the grant: help, listing, thinking, finishing",
)
@others
def implicit_tool(name: str) -> Iterator[str]:
    """Name what frameworks add by themselves and nobody granted."""
    del name
    yield from ("help", "list_tools", "tools/list", "think", "final_answer", "bash", "python")


@technique(
    "tool-prefix",
    kind=Kind.TOOL,
    group="tool-boundary",
    cwe="CWE-1023",
    surfaces=("session",),
    needs="asks whether the name begins with the granted one",
)
@others
def tool_prefix(name: str) -> Iterator[str]:
    """Go on after the name: with a letter, a digit, a word behind a separator."""
    yield f"{name}r"
    yield f"{name}2"
    yield f"{name}_and_delete"
    yield f"{name}-all"


@technique(
    "tool-suffix",
    kind=Kind.TOOL,
    group="tool-suffix",
    cwe="CWE-1023",
    surfaces=("session",),
    needs="asks whether the name ends with the granted one",
)
@others
def tool_suffix(name: str) -> Iterator[str]:
    """Put letters and words before the name."""
    yield f"un{name}"
    yield f"delete_and_{name}"
    yield f"x-{name}"


@technique(
    "tool-infix",
    kind=Kind.TOOL,
    group="tool-substring",
    cwe="CWE-185",
    surfaces=("session",),
    needs="searches for the granted name anywhere",
)
@others
def tool_infix(name: str) -> Iterator[str]:
    """Have the name in the middle of another."""
    yield f"un{name}r"
    yield f"delete_{name}_all"


@technique(
    "tool-part",
    kind=Kind.TOOL,
    group="tool-reversed-substring",
    cwe="CWE-187",
    surfaces=("session",),
    needs="asks whether the granted name, or all of them in one text, contains what is asked for",
)
@others
def tool_part(name: str) -> Iterator[str]:
    """Give a part of the name: its start, its end, its middle, one letter."""
    yield name[:-1]
    yield name[1:]
    yield name[2:-2]
    yield name[0]


@technique(
    "tool-nothing",
    kind=Kind.TOOL,
    group="no-tool",
    cwe="CWE-1284",
    surfaces=("session",),
    needs="takes no name for any name, or for a default",
)
@others
def tool_nothing(name: str) -> Iterator[str]:
    """Give no name: nothing, a blank, words that stand for nothing."""
    del name
    yield from ("", " ", "None", "null", "default", "0")


@technique(
    "tool-near",
    kind=Kind.TOOL,
    group="tool-fuzzy",
    cwe="CWE-1025",
    surfaces=("session",),
    needs="guesses which tool was meant: by similarity, by edit distance, by stem",
)
@others
def tool_near(name: str) -> Iterator[str]:
    """Slip: double, drop, swap a letter, spell it the other way, use another form of the word."""
    yield name[0] + name
    yield name[:1] + name[2:]
    yield name[1:2] + name[:1] + name[2:]
    yield name.replace("z", "s") if "z" in name else f"{name[:-1]}1"
    yield f"{name}s"


@technique(
    "tool-pattern",
    kind=Kind.TOOL,
    group="tool-wildcard",
    cwe="CWE-155",
    surfaces=("session",),
    needs="matches with the asked name as the pattern, or takes a star for all",
)
@others
def tool_pattern(name: str) -> Iterator[str]:
    """Give a pattern that the granted name matches: glob, regular expression, SQL LIKE."""
    yield from ("*", "**", ".*", "%", "all", f"{name[:3]}*", f"?{name[1:]}", f"[a-z]{name[1:]}")
    yield f"({name})?"


@technique(
    "tool-list",
    kind=Kind.TOOL,
    group="tool-list",
    cwe="CWE-140",
    surfaces=("session",),
    needs="splits the name and is content with one part that is granted",
)
@others
def tool_list(name: str) -> Iterator[str]:
    """Give two names in one text, with several separators and in both orders."""
    for mark in (",", ";", " ", "|", "\n"):
        yield f"{name}{mark}{_OTHER}"
    yield f"{_OTHER},{name}"
    yield f"{_OTHER} {name}"


@technique(
    "tool-call-text",
    kind=Kind.TOOL,
    group="tool-call-text",
    cwe="CWE-95",
    surfaces=("session",),
    needs="parses the name as a call, as JSON or as a command line",
)
@others
def tool_call_text(name: str) -> Iterator[str]:
    """Write a call, an object and a command line where a name is asked for."""
    yield f"{name}()"
    yield f"{name}({_OTHER}())"
    yield f'{{"name": "{name}"}}'
    yield f"{name} --run {_OTHER}"
    yield f"{name};{_OTHER}()"
    yield f"$({_OTHER})"
    yield f"{name}=1"
    yield f'"{name}"'
    yield f"'{name}'"
    yield f"b'{name}'"
