"""Families of tools: names that are not the granted one, and calls that lead to another tool."""

from collections.abc import Iterator

from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.hosts import scenario_family, storable, too_long
from capfuzz.attacks.expansion.net_notes import notes_for
from capfuzz.attacks.expansion.stage import GRANT
from capfuzz.attacks.techniques.catalog import TECHNIQUES

NAME = "summarize"
_WORLD = {"tools": {NAME: "echo", "delete_all": "echo"}}
# Techniques that need a name of several words, and names with a separator each.
_SEVERAL_WORDS = ("tool-separator", "tool-camel")
_SEPARATED = ("fs.read", "get_item")
_PLAIN = (
    "outside-tool",
    "implicit-tool",
    "tool-prefix",
    "tool-suffix",
    "tool-infix",
    "tool-part",
    "tool-nothing",
    "tool-near",
    "tool-pattern",
    "tool-list",
    "tool-call-text",
    "tool-namespace",
    "tool-member",
    "tool-path",
    "tool-escaped",
    "tool-attribute",
    "tool-op-kind",
    "tool-case",
    "tool-case-unicode",
    "tool-compatible",
    "tool-homograph",
    "tool-ignorable",
    "tool-blank",
    "tool-control",
    "tool-unencodable",
)


def _rows() -> Iterator[Row]:
    for technique in _PLAIN:
        yield from _spelt(technique, NAME)
    for technique in _SEVERAL_WORDS:
        for name in _SEPARATED:
            yield from _spelt(technique, name)


def _spelt(technique: str, granted: str) -> Iterator[Row]:
    grant = {} if granted == NAME else {"allowed_tools": [granted]}
    own = {} if granted == NAME else {"tools": {granted: "echo"}}
    control = Row("granted-tool", (_call(granted),), grant=grant, world=own)
    for name in filter(storable, TECHNIQUES[technique].spell(granted)):
        yield Row(
            technique=technique,
            ops=(_call(name),),
            control=control,
            means=name[:80],
            flags=(TECHNIQUES[technique].group,),
            grant=grant,
            # The tool exists, so that calling it shows.
            world=own
            if name == "delete_all" or too_long(name)
            else {"tools": {granted: "echo", name: "echo"}},
        )


def _call(name: str) -> tuple[str, str, str]:
    return ("tool", name, "text")


FAMILIES: tuple[Family, ...] = (
    Family(
        name="tool-names",
        surfaces=("session",),
        cwe="CWE-862",
        grant=GRANT,
        world=_WORLD,
        notes=notes_for(TECHNIQUES[one].group for one in (*_PLAIN, *_SEVERAL_WORDS)),
        rows=_rows,
    ),
    scenario_family("tool-calls", "CWE-862", ("tools_calls",), _WORLD),
)
