"""Why each kind of path vector exists, said once a group: the bug, and what it lets through."""

from collections.abc import Iterable, Mapping
from typing import Any

from capfuzz.attacks.techniques.catalog import TECHNIQUES

_HIDDEN = "A climb that was a harmless name to the check leaves the grant."
_REFUSED = "Honest work is refused; people switch such a guard off."
_ANY = "Any file that the process may open can be read or overwritten."

# By group: what the bug is, and what it lets through.
_NOTES: Mapping[str, tuple[str, str]] = {
    "traversal": (
        "The path is opened, or joined to the root, without a look at where .. leads.",
        _ANY,
    ),
    "traversal-late": (
        "Only the beginning of the path is searched for .. segments, or only a part of it.",
        "A climb behind something honest leaves the grant.",
    ),
    "traversal-return": (
        "A path that climbs out and comes back is rewritten rather than resolved or refused.",
        "What is rewritten may lead somewhere else than what was judged.",
    ),
    "stripping": (
        "A filter removes dangerous parts once and does not judge what is left (CWE-182).",
        "The filter itself makes the climb.",
    ),
    "decoding": (
        "The path is judged as text and percent-decoded on the way to the file (CWE-180).",
        _HIDDEN,
    ),
    "double-decoding": (
        "The path is decoded before the check and once more after it (CWE-174).",
        "What the check saw was still encoded.",
    ),
    "overlong": (
        "Bytes are decoded after the check by a decoder that takes overlong UTF-8 (RFC 3629, 10).",
        _HIDDEN,
    ),
    "percent-u": (
        "The %uXXXX form of old browsers and servers is decoded after the check.",
        _HIDDEN,
    ),
    "html-entities": ("Entities of HTML or XML are replaced after the check.", _HIDDEN),
    "escapes": (
        "Backslash escapes of a programming language are replaced after the check.",
        _HIDDEN,
    ),
    "mail-encodings": (
        "Encodings of mail are decoded after the check, as for attachments.",
        _HIDDEN,
    ),
    "broken-encoding": (
        "Text that cannot be decoded or formatted makes the guard raise.",
        "An exception comes out of the sandbox, or the check is skipped with it.",
    ),
    "unicode-folding": (
        "Text is normalised to a compatibility form after the check (Unicode TR 36, 2.10.2).",
        _HIDDEN,
    ),
    "best-fit": (
        "A conversion to a smaller character set replaces what it lacks by what looks alike.",
        _HIDDEN,
    ),
    "low-byte": ("Characters are cut down to their low byte on the way to the file.", _HIDDEN),
    "surrogates": (
        "Text that no encoding can hold reaches code that must encode it.",
        "An exception comes out, or what cannot be encoded is dropped and a climb is left.",
    ),
    "odd-text": (
        "Noncharacters or heaps of marks reach code that expects neither.",
        "An exception comes out, or a small name costs much time.",
    ),
    "controls": (
        "Controls, blanks or invisible characters are removed or trimmed after the check (CWE-182).",
        _HIDDEN,
    ),
    "nul": (
        "Check and effect do not agree on where a path with NUL ends (CWE-158).",
        "The part that was judged is not the part that is opened.",
    ),
    "parameters": (
        "What follows a mark in a segment is cut off after the check.",
        _HIDDEN,
    ),
    "expansion": (
        "A home folder or a variable is put in after the check.",
        "A name becomes a path of the sandbox's own surroundings.",
    ),
    "unquoting": ("Quotes or backslashes are removed after the check.", _HIDDEN),
    "globbing": (
        "Patterns are expanded after the check.",
        "A pattern that is no climb matches one, or matches what lies beside the grant.",
    ),
    "lists": (
        "One path is split into several after the check.",
        "The second was never judged.",
    ),
    "backslash": (
        "A backslash separates segments for the effect and not for the check.",
        _HIDDEN,
    ),
    "windows": (
        "The check knows POSIX paths only, and the path is opened on Windows.",
        "Drives, shares, devices and streams are reached, or a file by a name it was not judged by.",
    ),
    "slash-at-end": (
        "A slash behind a file changes what it is taken for.",
        "Rules for files are skipped, or the path names a folder that is none.",
    ),
    "lengths": (
        "Names and paths longer than the system allows reach it unchecked.",
        "An exception comes out, or the name is cut and means another file.",
    ),
    "truncation": (
        "A path is cut to the length of a buffer between check and effect.",
        "The ending that made it harmless falls off, or the climb back does.",
    ),
    "outside": ("Nothing is judged, or a deny-list is asked that cannot know every place.", _ANY),
    "absolute-join": (
        "os.path.join and its like drop the root when the second part is absolute.",
        _ANY,
    ),
    "outside-ancestor": (
        "The comparison runs the wrong way round, or takes / for no place at all.",
        "A folder above the grant is opened, and with it what lies in it.",
    ),
    "relative": (
        "A path without a leading slash, or none at all, is taken for one below the root.",
        "It resolves against whatever folder the process stands in.",
    ),
    "scheme": ("A URL with a scheme is no path to the check, and opened as one.", _ANY),
    "boundary": (
        "Root and path are compared as text, without a separator at the end (CWE-187).",
        "Whatever lies beside the grant under a longer name is granted with it.",
    ),
    "reversed-prefix": (
        "The root is asked whether it begins with the path.",
        "Every shorter name is granted.",
    ),
    "substring": (
        "The root is searched anywhere in the path.",
        "Any folder that contains the root's name is granted.",
    ),
    "case": (
        "The comparison ignores case and the file system does not (CWE-178).",
        "A folder of the same name in other case is granted.",
    ),
    "normalisation": (
        "The comparison folds the path, and what is opened was not folded.",
        "Another folder is opened, whose name folds to the root's.",
    ),
    "links": (
        "The text of the path is judged, and the link in it is followed by whoever opens it.",
        "Whoever can make a link inside, or finds one, reaches what it leads to.",
    ),
    "links-inside": (
        "A link that stays inside is taken for an escape, or turned into one.",
        "None may follow; refusing such links is a choice that a target may make.",
    ),
    "procfs": (
        "/proc or /dev is granted or forgotten, whose links lead anywhere.",
        "Through them a process reaches every file, its own program, and secrets in memory.",
    ),
    "procfs-alias": (
        "Another name for what is granted is taken for an escape, or turned into one.",
        "None may follow; refusing such names is a choice that a target may make.",
    ),
    "several-grants": (
        "Several grants are merged, or one of them is forgotten.",
        "A place that none of them covers is open, or one that is granted is closed.",
    ),
    "grant-spelling": (
        "A grant that is not canonical is compared as it stands.",
        "It grants nothing, or everything.",
    ),
    "grant-as-pattern": (
        "A grant is matched as a pattern, while it is a name.",
        "Everything that the pattern matches is granted.",
    ),
    "grant-as-list": ("A grant is split on a separator of lists.", "Each half is granted."),
    "grant-expanded": (
        "A grant is expanded or decoded.",
        "A place is granted that nobody named.",
    ),
    "grant-trimmed": ("A grant is trimmed.", "The folder without the blank is granted."),
    "grant-of-file": (
        "A granted file is taken for its folder.",
        "Its neighbours are granted with it.",
    ),
    "grant-of-missing": (
        "A grant that is not on disk is dropped, and an empty list restricts nothing.",
        _ANY,
    ),
    "grant-of-link": (
        "A grant that is a link is resolved on one side of the comparison only.",
        "What lies around the link's target is granted, or nothing is.",
    ),
    "read-write-mixup": (
        "One list is asked for both doors, or the other door's list.",
        "What may only be read is overwritten, or a drop box is read.",
    ),
    "empty-list": (
        "An empty list is taken for no restriction (CWE-636).",
        "Everything is granted where nothing was meant to be.",
    ),
    "over-blocking": ("What is granted is refused.", _REFUSED),
    "over-blocking-several": ("One of several grants is forgotten or not found.", _REFUSED),
    "over-blocking-grant": ("A grant that is spelled oddly grants nothing.", _REFUSED),
    "over-blocking-doors": ("A place that both lists grant is refused at one door.", _REFUSED),
    "over-blocking-dots": ("Two dots are searched anywhere in the path.", _REFUSED),
    "over-blocking-hidden": ("Names that begin with a dot are refused.", _REFUSED),
    "over-blocking-percent": (
        "Percent signs are refused, or decoded so that the file is missed.",
        _REFUSED,
    ),
    "over-blocking-blank": ("Blanks are refused, or the path is split on them.", _REFUSED),
    "over-blocking-unicode": (
        "What is not ASCII is refused, or folded so that the file is missed.",
        _REFUSED,
    ),
    "over-blocking-name": ("Words are refused wherever they stand.", _REFUSED),
    "over-blocking-case": ("Case is folded, and another file is opened or none.", _REFUSED),
    "over-blocking-punctuation": ("Punctuation that means nothing in a path is refused.", _REFUSED),
    "over-blocking-length": ("Names that the file system holds are refused as too long.", _REFUSED),
}


def notes_for(groups: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the notes on these groups, each with the CVEs that its techniques refer to."""
    return {group: _note(group) for group in dict.fromkeys(groups)}


def _note(group: str) -> dict[str, Any]:
    bug, effect = _NOTES[group]
    refs = {ref for one in TECHNIQUES.values() if one.group == group for ref in one.refs}
    return {
        "bug": bug,
        "effect": effect,
        "cves": sorted(ref for ref in refs if ref.startswith("CVE-")),
        "links": sorted(ref for ref in refs if not ref.startswith("CVE-")),
    }
