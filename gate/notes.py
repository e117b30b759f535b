"""Why a fault matters: what the bug behind it usually is, and what it lets through."""

import functools
import json
from typing import NamedTuple

from capfuzz.attacks.vectors import CORPUS


class Note(NamedTuple):
    """Two sentences for whoever has to decide about a finding."""

    bug: str
    effect: str


# Where the technique of an attack tells what the bug is; elsewhere the invariant does.
_TOLD_BY_TECHNIQUE = frozenset(
    {"confined", "alias-denied", "no-effect-on-denial", "within-budget", "halt-after-hard"}
)
_BY_INVARIANT = {
    "fail-closed": Note(
        "Hostile input makes the guard raise, or hang.",
        "Whoever calls it without a handler stops, or goes on unguarded.",
    ),
    "grant-immutable": Note(
        "The grant is changed while ops run.", "What was granted once is no longer the limit."
    ),
    "halt-after-hard": Note(
        "A hard limit refuses the op and no more.", "An agent that was stopped goes on."
    ),
    "within-budget": Note(
        "A budget is compared one off, or too late.", "An agent gets more than it was granted."
    ),
    "no-effect-on-denial": Note(
        "The op is carried out before it is judged.", "A refusal does not undo what happened."
    ),
    "confined": Note(
        "What is judged and what is carried out are not the same.",
        "An accepted op reaches what nobody granted.",
    ),
    "alias-denied": Note(
        "A check compares spellings, not what they mean.",
        "What is forbidden under one name is reached under another.",
    ),
    "control-allowed": Note(
        "The guard refuses for what an op reminds of.",
        "Honest work is refused; people switch such a guard off.",
    ),
    "right-reason": Note(
        "Checks run in another order than they are told, or one stands in for another.",
        "Whoever reads the reason looks in the wrong place.",
    ),
    "no-existence-leak": Note(
        "A refusal depends on what was found.", "It tells whether a forbidden thing exists."
    ),
    "deterministic": Note(
        "The answer depends on something beside the grant, the world and the ops.",
        "What was refused may pass when it is tried again.",
    ),
    "monotone-authority": Note(
        "The grant's entries are not judged one by one.",
        "Taking a right away, or another order, opens what was closed.",
    ),
}


def note_of(invariant: str, family: str, groups: tuple[str, ...]) -> Note:
    """Return why a fault of ``invariant`` matters, told by the first of ``groups`` that is known."""
    if invariant in _TOLD_BY_TECHNIQUE:
        for group in groups:
            note = _corpus().get((family, group)) or _corpus().get(("", group))
            if note is not None:
                return note
    return _BY_INVARIANT[invariant]


@functools.cache
def _corpus() -> dict[tuple[str, str], Note]:
    """Return the notes of the corpus by family and group; without a family the first there is."""
    found: dict[tuple[str, str], Note] = {}
    for file in sorted(CORPUS.glob("*.json")):
        family = json.loads(file.read_text(encoding="ascii"))
        for group, note in family.get("notes", {}).items():
            told = Note(note["bug"], note["effect"])
            found[family["family"], group] = told
            found.setdefault(("", group), told)
    return found
