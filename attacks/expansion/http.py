"""Families of request targets for the http surface: is a file outside of the folder served?"""

from collections.abc import Iterator, Sequence
from typing import Any

from capfuzz.attacks.expansion.family import Family, Row
from capfuzz.attacks.expansion.net_notes import notes_for
from capfuzz.attacks.expansion.stage import FILES, GRANT
from capfuzz.attacks.techniques.catalog import TECHNIQUES

_PLAIN = Row("plain-file", (("fs_read", "/work/data.txt"),))
_TWINS = ("/WORK/secret.txt", "/WORK/x/secret.txt")
_KEPT = "/private/secret.txt"


def _rows(techniques: Sequence[str]) -> Iterator[Row]:
    for name in techniques:
        for target in TECHNIQUES[name].spell():
            yield Row(
                technique=name,
                ops=(("request", target),),
                control=_PLAIN,
                means=_meant(target),
                flags=(TECHNIQUES[name].group,),
            )


def _meant(target: str) -> str:
    """Return the place of the world that a target hints at."""
    if "{PREFIX}" in target:
        return "/WORK" + target.removeprefix("{PREFIX}")
    if "{private}" in target or "{encoded}" in target:
        return _KEPT
    siblings = ("shop/", "-evil/", ".bak/", "2/", "_secret")
    sibling = next((one for one in siblings if f"{{prefix}}{one}" in target), None)
    if sibling is None:
        return "/work-evil/secret.txt" if "{name}-evil" in target else "/other/secret.txt"
    return "/work" + target.removeprefix("{prefix}")


def _family(name: str, cwe: str, *techniques: str, files: Sequence[str] = ()) -> Family:
    planted: dict[str, Any] = FILES | {path: f"secret of {path}" for path in files}
    groups = dict.fromkeys(TECHNIQUES[one].group for one in techniques)
    return Family(
        name=name,
        surfaces=("http",),
        cwe=cwe,
        grant=GRANT,
        world={"files": planted},
        notes=notes_for(groups),
        rows=lambda: _rows(techniques),
    )


FAMILIES: tuple[Family, ...] = (
    _family(
        "http-prefix",
        "CWE-22",
        "request-climb",
        "request-alias-climb",
        "request-alias-sibling",
        "request-prefix-case",
        "request-encoded-prefix",
        files=_TWINS,
    ),
    _family(
        "http-target",
        "CWE-180",
        "request-absolute-form",
        "request-slashes",
        "request-absolute-rest",
        "request-parameters",
        "request-backslash",
        "request-query-climb",
    ),
    _family(
        "http-doors",
        "CWE-200",
        "request-file-door",
        "request-door-query",
        "request-door-climb",
        "request-door-fragment",
    ),
    _family(
        "http-private",
        "CWE-863",
        "request-private",
        "request-private-encoded",
        "request-private-slashes",
        "request-private-dots",
        "request-private-parameters",
        "request-private-forms",
        files=(_KEPT,),
    ),
)
