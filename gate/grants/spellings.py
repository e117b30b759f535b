"""Spellings that some target would read as another place, or would not take for the same."""

from collections.abc import Iterator
from unicodedata import is_normalized

from capfuzz.attacks import naive
from capfuzz.attacks.dialects import most_lenient, readings
from capfuzz.engine.hosts import normal_host
from capfuzz.gate.grants.rules import ERROR, NOTE, WARNING, Entry, Remark, Rule, Subject, said

READ_OTHERWISE = Rule(
    "CL501",
    "read-otherwise",
    WARNING,
    "The target grants what it reads, not what the file says.",
    "Write the place as the target reads it, or rename it to plain letters.",
)
AMBIGUOUS = Rule(
    "CL502",
    "ambiguous",
    NOTE,
    "It is taken literally here; what decodes, normalises or runs on Windows reads another place.",
    "Say what your target does (--dialect), or use plain letters.",
)
NOT_PLAIN = Rule(
    "CL503",
    "not-plain",
    NOTE,
    "It means the same as the plain spelling here; a target that compares text matches neither the "
    "plain spelling nor what lies below it.",
    "Write the plain spelling.",
)


def remarks(subject: Subject) -> Iterator[Remark]:
    """Yield what is to be said of how roots and hosts are spelt."""
    for one in subject.paths:
        yield from _read(one, subject.dialect)
        if one.text not in {one.plain, one.plain + "/"}:
            yield said(NOT_PLAIN, one, f"is '{one.plain}' with more in it")
    for one in subject.entries["net_hosts"]:
        if one.text != normal_host(one.text):
            yield said(NOT_PLAIN, one, f"is '{one.plain}' in another spelling")


def _read(one: Entry, dialect: frozenset[str]) -> Iterator[Remark]:
    places = {naive.resolve(text, {}): None for text in readings(one.text, dialect)}
    others = [place for place in places if place != one.plain]
    if others:
        wider = [place for place in others if not naive.within(place, [one.plain])]
        place, severity = (wider[0], ERROR) if wider else (others[0], None)
        yield said(READ_OTHERWISE, one, f"is read as '{place}'", severity)
    elif naive.resolve(most_lenient(one.text), {}) != one.plain:
        place = naive.resolve(most_lenient(one.text), {})
        yield said(AMBIGUOUS, one, f"might be read as '{place}'")
    elif not is_normalized("NFC", one.text) or not is_normalized("NFD", one.text):
        yield said(AMBIGUOUS, one, "has letters that can be spelt in two ways (NFC, NFD)")
