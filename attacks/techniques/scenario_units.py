"""Output whose length in bytes, characters, code units and cells differs."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.scenario_model import (
    ALLOWED,
    CONTAINED,
    DENIED,
    Op,
    Scenario,
    scenario,
)
from capfuzz.attacks.techniques.scenario_stage import ECHO, ONE, SECRET, TEN

# Each under another wrong length: characters, UTF-16 units, after NFC, up to NUL, stripped, ...
_TEXTS = {
    "two bytes a character": "\u00e9" * 5,
    "three bytes a character": "\u20ac" * 4,
    "four bytes a character": "\U0001f600" * 3,
    "combining marks": "e\u0301" * 3,
    "compatibility forms": "\ufb03" * 3,
    "no width": "\u200b" * 3,
    "a byte order mark": "\ufeffabc",
    "NUL inside": "a\0b\0c",
    "only blanks": " \t\n ",
    "two-character line ends": "\r\n" * 3,
    "quotes that JSON escapes": '"\\' * 3,
}
_PLACE, _ROUTE = "/work/text", "/text"


def _size(text: str) -> int:
    return len(text.encode())


def _doors(text: str) -> dict[str, tuple[Op, dict[str, object]]]:
    """Return for each door the op that gives ``text`` back, and the world that holds it."""
    files = {_PLACE: text, "/work/one": "1"}
    hosts = {"api.internal": {_ROUTE: text}}
    return {
        "a file": (("fs_read", _PLACE), {"files": files}),
        "a host": (("net_fetch", "api.internal", _ROUTE), {"hosts": hosts}),
        "a tool": (("tool", "summarize", text), {}),
    }


@scenario(
    "unit-exact",
    group="output-unit",
    cwe="CWE-135",
    needs="measures output in characters, code units or cells, or after it was cleaned",
)
def unit_exact() -> Iterator[Scenario]:
    """Let a text flow back that is max_output_bytes long in UTF-8 and in no other unit."""
    for name, text in _TEXTS.items():
        doors = _doors(text)
        for door in ("a file", "a tool"):
            op, world = doors[door]
            yield Scenario(
                ops=(op, ONE),
                verdict=ALLOWED + DENIED,
                control=(op,),
                means=f"{door} with {name}",
                reason="max_output_bytes",
                grant={"max_output_bytes": _size(text)},
                world=world,
            )


@scenario(
    "unit-one-over",
    group="output-unit",
    cwe="CWE-135",
    needs="compares characters with the budget, even where it then charges bytes",
)
def unit_one_over() -> Iterator[Scenario]:
    """Let a text flow back that is one byte too long, though it has few characters."""
    for name in ("two bytes a character", "four bytes a character", "NUL inside", "only blanks"):
        for door, (op, world) in _doors(_TEXTS[name]).items():
            yield Scenario(
                ops=(op,),
                verdict=DENIED,
                control=(op,),
                means=f"{door} with {name}",
                reason="max_output_bytes",
                grant={"max_output_bytes": _size(_TEXTS[name]) - 1},
                world=world,
                control_grant={"max_output_bytes": _size(_TEXTS[name])},
            )


@scenario(
    "unit-raw-bytes",
    group="output-unit",
    cwe="CWE-135",
    needs="decodes a file before it measures it, leniently or not",
)
def unit_raw_bytes() -> Iterator[Scenario]:
    """Read bytes that are no UTF-8: each counts once, and none makes the target fail."""
    raw = {
        "no UTF-8": "ff" * 4,
        "a cut character": "e282",
        "overlong NUL": "c080",
        "UTF-16": "fffe",
    }
    for name, digits in raw.items():
        read, size = ("fs_read", "/work/raw"), len(digits) // 2
        yield Scenario(
            ops=(read, ONE),
            verdict=ALLOWED + DENIED,
            control=(read,),
            means=f"a file that holds {name}",
            reason="max_output_bytes",
            grant={"max_output_bytes": size},
            world={"files": {"/work/raw": {"$bytes": digits}, "/work/one": "1"}},
        )


@scenario(
    "unit-written-text",
    group="output-unit",
    cwe="CWE-135",
    needs="measures a file that it wrote by the characters that it was given",
)
def unit_written_text() -> Iterator[Scenario]:
    """Write a text of few characters and read it back, one byte over the budget."""
    for name in ("two bytes a character", "four bytes a character", "two-character line ends"):
        text = _TEXTS[name]
        write, read = ("fs_write", "/work/out/text", text), ("fs_read", "/work/out/text")
        yield Scenario(
            ops=(write, read),
            verdict=ALLOWED + DENIED,
            control=(write, read),
            means=f"a written text with {name}",
            reason="max_output_bytes",
            grant={"max_output_bytes": _size(text) - 1},
            control_grant={"max_output_bytes": _size(text)},
        )


@scenario(
    "unit-lone-surrogate",
    group="encode-raises",
    cwe="CWE-248",
    needs="encodes output strictly, and lets the error out or forgets to charge",
)
def unit_lone_surrogate() -> Iterator[Scenario]:
    """Let a tool return half a character, which no strict encoder takes; a refusal is right too."""
    for name, text in {"high": "\ud800", "low": "\udfff", "swapped": "\udc00\ud800"}.items():
        yield Scenario(
            ops=(("tool", "summarize", text), SECRET, TEN),
            verdict=CONTAINED + DENIED + ALLOWED,
            control=(ECHO, TEN),
            means=f"a {name} surrogate as output",
            reason="fs_read_denied",
        )
