"""Why a fault matters: a finding that nobody understands is not acted upon."""

from capfuzz.attacks.invariants import INVARIANTS
from capfuzz.gate.notes import note_of


def test_every_invariant_has_a_note_of_its_own():
    """A finding would come without a reason, or the report would fail over it."""
    notes = {note_of(name, "generated", ()) for name in INVARIANTS}
    assert len(INVARIANTS) == len(notes)
    assert all(note.bug and note.effect for note in notes)


def test_the_technique_says_what_the_bug_is():
    """Every escape would read the same."""
    assert note_of("confined", "host-names", ("suffix",)).bug.startswith("Names are compared")
    assert note_of("confined", "generated", ("suffix",)) == note_of(
        "confined", "host-names", ("suffix",)
    )


def test_a_family_that_words_its_note_otherwise_is_asked_first():
    """The note of another surface would stand beside the finding."""
    assert note_of("confined", "reports-paths", ("procfs",)) != note_of(
        "confined", "path-procfs", ("procfs",)
    )


def test_an_exception_is_not_put_down_to_the_spelling_that_raised_it():
    """A reader would look for a traversal where an error went uncaught."""
    assert note_of("fail-closed", "path-traversal", ("traversal",)) == note_of(
        "fail-closed", "path-traversal", ()
    )
