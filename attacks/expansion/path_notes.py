"""Why each kind of path vector exists, said once a group: the bug, and what it lets through."""

from collections.abc import Iterable, Mapping
from typing import Any

from capfuzz.attacks.techniques.catalog import TECHNIQUES

_DECODED = "The path is judged as text and percent-decoded on the way to the file."

# group: (bug, effect)
_NOTES: Mapping[str, tuple[str, str]] = {
    "traversal": (
        "The path is opened, or joined to the root, without a look at where .. leads.",
        "Any file that the process may open can be read or overwritten.",
    ),
    "traversal-late": (
        "Only the beginning of the path is searched for .. segments.",
        "A climb behind one honest segment leaves the grant.",
    ),
    "traversal-padding": (
        "The filter knows one way to write a climb; dots and slashes that mean nothing hide it.",
        "A climb leaves the grant.",
    ),
    "traversal-return": (
        "A path that climbs out and comes back is rewritten rather than resolved or refused.",
        "What is rewritten may lead somewhere else than what was judged.",
    ),
    "stripping": (
        "A filter removes dangerous parts once and does not judge what is left (CWE-182).",
        "The filter itself makes the climb.",
    ),
    "decoding": (_DECODED, "A climb that was a harmless name to the check leaves the grant."),
    "decoding-backslash": (
        f"{_DECODED} A decoded backslash then separates segments.",
        "A climb leaves the grant where the consumer takes backslashes for separators.",
    ),
    "decoding-absolute": (
        "A name decodes to an absolute path, and the join lets that replace the root.",
        "Any file can be named as though nothing stood before it.",
    ),
    "decoding-root": (
        "One of check and effect decodes the root's own name and the other does not.",
        "The two see different places.",
    ),
    "double-decoding": (
        "The path is decoded once before the check and once after it (CWE-174).",
        "What the check saw was still encoded.",
    ),
    "double-decoding-backslash": (
        "The path is decoded twice, and a decoded backslash separates segments.",
        "A climb leaves the grant where the consumer takes backslashes for separators.",
    ),
    "triple-decoding": (
        "Decoding goes on, three times or until nothing changes, after the check has been made.",
        "A climb appears after the last look at the path.",
    ),
    "outside": (
        "Nothing is judged, or a deny-list is asked that cannot know every place.",
        "Any file that the process may open can be read or overwritten.",
    ),
    "outside-slashes": (
        "Two leading slashes survive normpath, and the comparison expects one.",
        "An absolute path slips by under another name.",
    ),
    "absolute-join": (
        "os.path.join and its like drop the root when the second part is absolute.",
        "Any file can be named.",
    ),
    "outside-ancestor": (
        "The comparison runs the wrong way round, or takes / for no place at all.",
        "A folder above the grant is opened, and with it what lies in it.",
    ),
    "relative": (
        "A path without a leading slash, or none at all, is taken for one below the root.",
        "It resolves against whatever folder the process stands in.",
    ),
    "trimming": (
        "The path is trimmed after it was judged.",
        "What was judged as a relative or harmless name is opened as an absolute path.",
    ),
    "scheme": (
        "A URL with a scheme is not seen as a path by the check, and opened as one.",
        "Any file can be named.",
    ),
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
