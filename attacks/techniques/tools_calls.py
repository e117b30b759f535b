"""Calls in which the tool named is not the one that may run: arguments, twins, re-entry, memory."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.scenario_model import (
    ALLOWED,
    CONTAINED,
    DENIED,
    Ops,
    Scenario,
    Verdicts,
    scenario,
)

_WORK = ("tool", "summarize", "text")
_EVIL = ("tool", "delete_all", "x")


def _denied(*ops: object, means: str, grant: dict[str, object], tools: dict[str, str]) -> Scenario:
    """Return ops that are all refused; the twin is the same with all of them granted."""
    return Scenario(
        ops=ops,
        verdict=DENIED * len(ops),
        control=ops,
        means=means,
        reason="tool_denied",
        grant=grant,
        world={"tools": tools},
        control_grant={"allowed_tools": [str(op[1]) for op in ops if isinstance(op, tuple)]},
    )


@scenario(
    "tool-empty-list",
    group="empty-tool-list",
    cwe="CWE-636",
    needs="takes an empty list for no limit",
)
def tool_empty_list() -> Iterator[Scenario]:
    """Grant no tool at all and call one: it exists, another, one that the framework might add."""
    for name in ("summarize", "delete_all", "help"):
        yield _denied(
            ("tool", name, "x"),
            means=name,
            grant={"allowed_tools": []},
            tools={name: "echo"},
        )


@scenario(
    "tool-literal-star",
    group="tool-wildcard-grant",
    cwe="CWE-155",
    needs="takes a star or a dot in a granted name for a pattern, though names are exact",
)
def tool_literal_star() -> Iterator[Scenario]:
    """Grant names that hold pattern characters, and call what they would match."""
    for granted, name in (
        ("*", "delete_all"),
        ("pkg.*", "pkg.delete"),
        ("pkg.*", "pkgxdelete"),
        ("fs.read", "fs_read_all"),
        ("fs.read", "fsxread"),
        ("s?m", "sum"),
        ("[ab]c", "ac"),
        ("a|b", "b"),
        ("srv:", "srv:delete"),
        ("srv/", "srv/delete"),
    ):
        yield Scenario(
            ops=(("tool", name, "x"),),
            verdict=DENIED,
            control=(("tool", granted, "x"),),
            means=name,
            reason="tool_denied",
            grant={"allowed_tools": [granted]},
            world={"tools": {granted: "echo", name: "echo"}},
        )


@scenario(
    "tool-several-grants",
    group="tool-joined",
    cwe="CWE-187",
    needs="keeps all granted names in one text, or compares parts of several",
)
def tool_several_grants() -> Iterator[Scenario]:
    """Grant several tools and call what only their names together contain."""
    granted = ["get_user", "list_item", "read"]
    for name in ("get_item", "get_userlist_item", "get_user,list_item", "r", "ser,li", "user"):
        yield Scenario(
            ops=(("tool", name, "x"),),
            verdict=DENIED,
            control=tuple(("tool", one, "x") for one in granted),
            means=name,
            reason="tool_denied",
            grant={"allowed_tools": granted},
            world={"tools": {**dict.fromkeys(granted, "echo"), name: "echo"}},
        )


@scenario(
    "tool-arguments",
    group="tool-arguments",
    cwe="CWE-88",
    needs="finds the tool to run among the arguments of the call",
)
def tool_arguments() -> Iterator[Scenario]:
    """Call the granted tool with arguments that name another: they are its input, nothing more."""
    for arguments in (
        ("delete_all",),
        ("delete_all", "x"),
        ("tool", "delete_all"),
        ("name=delete_all",),
        ('{"tool": "delete_all"}',),
        ('{"name": "delete_all", "arguments": {}}',),
        ("--tool", "delete_all"),
        ("x; delete_all",),
        ("$(delete_all)",),
        ("text\ntool: delete_all",),
        ("<tool>delete_all</tool>",),
    ):
        yield Scenario(
            ops=(("tool", "summarize", *arguments),),
            verdict=ALLOWED,
            control=(_WORK,),
            means="delete_all",
            comment="the granted tool runs, and no other",
        )


@scenario(
    "tool-target-first",
    group="tool-arguments",
    cwe="CWE-88",
    needs="is content if any of the arguments is the granted name",
)
def tool_target_first() -> Iterator[Scenario]:
    """Call another tool with the granted name among its arguments."""
    for arguments in (("summarize",), ("x", "summarize"), ("name=summarize",), ("as", "summarize")):
        yield Scenario(
            ops=(("tool", "delete_all", *arguments),),
            verdict=DENIED,
            control=(("tool", "summarize", *arguments),),
            means="delete_all",
            reason="tool_denied",
        )


@scenario(
    "tool-twins",
    group="tool-twins",
    cwe="CWE-694",
    needs="registers tools under a folded name, so that one replaces the other",
)
def tool_twins() -> Iterator[Scenario]:
    """Have two tools whose names some folding makes one, and call the one not granted."""
    for twin in ("Summarize", "summarize ", "summar\u0456ze", "\uff53ummarize", "summarize\u200b"):
        yield Scenario(
            ops=(("tool", twin, "x"), _WORK),
            verdict=DENIED + ALLOWED,
            control=(_WORK,),
            means=twin,
            reason="tool_denied",
            world={"tools": {"summarize": "echo", twin: "echo"}},
        )


@scenario(
    "tool-reentry",
    group="tool-reentry",
    cwe="CWE-441",
    needs="judges only ops that come from outside: what a tool asks for is taken for its own right",
)
def tool_reentry() -> Iterator[Scenario]:
    """Let a granted tool ask for another, directly and through itself once more."""
    grant = {"allowed_tools": ["summarize", "again"]}
    world = {"tools": {"summarize": "echo", "again": "reenter", "delete_all": "echo"}}
    for asked in (
        ("tool", "delete_all", "x"),
        ("tool", "again", "tool", "delete_all", "x"),
        ("tool", "again", "tool", "again", "tool", "delete_all", "x"),
    ):
        yield Scenario(
            ops=(("tool", "again", *asked), ("tool", "delete_all", "y")),
            verdict=ALLOWED + DENIED,
            control=(("tool", "again", "tool", "summarize", "x"),),
            means="delete_all",
            reason="tool_denied",
            grant=grant,
            world=world,
        )


@scenario(
    "tool-memory",
    group="tool-memory",
    cwe="CWE-613",
    needs="remembers an earlier answer under a key that does not hold the whole name",
)
def tool_memory() -> Iterator[Scenario]:
    """Call the granted tool and another in turn: no answer may depend on an earlier one."""
    sequences: tuple[tuple[Ops, Verdicts], ...] = (
        ((_WORK, ("tool", "delete_all", "text")), ALLOWED + DENIED),
        ((_EVIL,) * 5, DENIED * 5),
        ((_EVIL, _WORK, _EVIL), DENIED + ALLOWED + DENIED),
        ((_WORK,) * 12 + (_EVIL,), ALLOWED * 12 + DENIED),
    )
    for ops, verdict in sequences:
        yield Scenario(
            ops=ops,
            verdict=verdict,
            control=(_WORK,) * len(ops),
            means="delete_all",
            reason="tool_denied",
        )


@scenario(
    "tool-name-type",
    group="tool-name-type",
    cwe="CWE-843",
    needs="turns a name into text, or iterates over it, before it compares",
)
def tool_name_type() -> Iterator[Scenario]:
    """Give the name as bytes, as a list and as a tuple of names."""
    for name in (b"summarize", ["summarize"], ("summarize", "delete_all"), None, 0, True):
        yield Scenario(
            ops=(("tool", name, "x"),),
            verdict=CONTAINED,
            control=(_WORK,),
            means="summarize",
        )
