"""Entries that grant nothing, or nothing more: empty lists, doubles, what lies below another root."""

import re
from collections.abc import Iterable, Iterator

from capfuzz.gate.grants.rules import (
    NOTE,
    WARNING,
    Entry,
    Remark,
    Rule,
    Subject,
    ancestors,
    said,
)
from capfuzz.targets.grant_file import LISTS

GRANTS_NOTHING = Rule(
    "CL101",
    "grants-nothing",
    WARNING,
    "Every op is refused, honest ones too.",
    "Name what the agent needs, or drop the grant.",
)
EMPTY_LIST = Rule(
    "CL102",
    "empty-list",
    NOTE,
    "An empty list grants nothing here; some sandboxes take one for 'no restriction'.",
    "Leave it so if nothing is meant, and try the target with an empty list (capfuzz attack does).",
)
DUPLICATE = Rule(
    "CL103",
    "duplicate",
    WARNING,
    "The second entry is dead: whoever removes one of them changes nothing.",
    "Remove it.",
)
SHADOWED = Rule(
    "CL104",
    "shadowed",
    WARNING,
    "A root covers all below it, so the narrower one is dead and suggests a limit that is not there.",
    "Remove the narrower root, or the wider one if the narrower was meant.",
)
CASE_TWINS = Rule(
    "CL105",
    "case-twins",
    NOTE,
    "They are two here, and one where case does not count (Windows, macOS by default).",
    "Keep the spelling that exists; names that differ in more than case are safer.",
)
TEXT_PREFIX = Rule(
    "CL106",
    "text-prefix",
    NOTE,
    "Here a root ends at a slash. A target that compares text lets the shorter cover the longer: "
    "what is granted for the one then holds for the other (CWE-187).",
    "Nothing for targets that compare whole names; end the shorter with a slash for others.",
)
PATTERN = Rule(
    "CL107",
    "pattern",
    WARNING,
    "Names are taken literally: no pattern matches and no variable or ~ is expanded.",
    "Write the folder itself (a root covers all below it), or each name.",
)
_PATTERN = re.compile(r"[*?]|\[[^\]]+\]|\{[^}]*,[^}]*\}|\$\{?\w|(?:^|/)~")


def remarks(subject: Subject) -> Iterator[Remark]:
    """Yield what the lists say about themselves and each other."""
    yield from _empty(subject)
    for key in LISTS:
        entries = subject.entries[key]
        yield from _duplicates(entries)
        yield from _patterns(entries)
        if key.startswith("fs_"):
            yield from _shadowed(entries)
        if key != "net_hosts":  # the case of a host does not count
            yield from _case_twins(entries, subject.dialect)
    yield from _text_prefixes(subject.paths)


def _empty(subject: Subject) -> Iterator[Remark]:
    if not any(subject.entries.values()):
        what = "no list has an entry that grants anything"
        yield Remark(GRANTS_NOTHING, GRANTS_NOTHING.severity, "grant", None, what)
        return
    for key in LISTS:
        if key in subject.stated and not subject.entries[key]:
            yield Remark(EMPTY_LIST, EMPTY_LIST.severity, key, None, "is empty")


def _duplicates(entries: Iterable[Entry]) -> Iterator[Remark]:
    seen: dict[str, Entry] = {}
    for one in entries:
        first = seen.setdefault(one.plain, one)
        if first is not one:
            same = "stands twice" if first.text == one.text else f"means the same as '{first.text}'"
            yield said(DUPLICATE, one, same)


def _patterns(entries: Iterable[Entry]) -> Iterator[Remark]:
    for one in entries:
        found = _PATTERN.search(one.text)
        if found:
            yield said(PATTERN, one, f"has '{found[0].lstrip('/')}', which stands for itself")


def _shadowed(entries: Iterable[Entry]) -> Iterator[Remark]:
    # Of ``/`` all that there is to say is said by another rule.
    roots = {one.plain: one for one in reversed([*entries]) if one.plain != "/"}
    for one in entries:
        wider = next((roots[above] for above in ancestors(one.plain) if above in roots), None)
        if wider is not None:
            yield said(SHADOWED, one, f"lies below '{wider.text}', which covers it")


def _case_twins(entries: Iterable[Entry], dialect: frozenset[str]) -> Iterator[Remark]:
    severity = WARNING if "case-insensitive" in dialect else None
    seen: dict[str, Entry] = {}
    for one in entries:
        first = seen.setdefault(one.plain.casefold(), one)
        if first.plain != one.plain:
            yield said(CASE_TWINS, one, f"differs from '{first.text}' in case alone", severity)


def _text_prefixes(entries: Iterable[Entry]) -> Iterator[Remark]:
    """Yield a remark for each root that begins as another does without lying below it."""
    roots = {one.plain: one for one in reversed([*entries])}
    shorter: list[str] = []
    for root in sorted(roots):  # whatever begins with a text follows it directly
        while shorter and not root.startswith(shorter[-1]):
            shorter.pop()
        beside = [one for one in shorter if root[len(one)] != "/" != one]
        if beside:
            yield said(TEXT_PREFIX, roots[root], f"begins with the text of '{beside[-1]}'")
        shorter.append(root)
