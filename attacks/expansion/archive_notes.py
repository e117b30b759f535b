"""Why each kind of archive exists, said once a group: the bug and its effect."""

from collections.abc import Iterable
from typing import Any

from capfuzz.attacks.expansion.path_notes import notes_for as path_notes_for
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind

_WRITTEN = "Files outside the folder are made or overwritten."
_READ = "Whoever serves or reads the folder gives files outside it away."
_HANGS = "Unpacking never ends."

_ARCHIVES: dict[str, tuple[str, str]] = {
    "over-blocking-archive": ("Names are refused for what they remind of.", "Work is refused."),
    "archive-links": ("Links are made, or followed, wherever they lead.", f"{_WRITTEN} {_READ}"),
    "archive-link-boundary": (
        "Where a link leads is compared with the folder's name as text.",
        "Neighbours whose names begin as the folder's can be read and written.",
    ),
    "archive-link-chain": ("Links are judged as text, one by one.", f"{_WRITTEN} {_READ}"),
    "archive-link-cache": ("What was judged once is replaced by a link later.", _WRITTEN),
    "archive-link-root": ("A member takes the place of the folder itself.", _WRITTEN),
    "archive-link-too-long": ("Resolving gives up on a long path and does not say so.", _WRITTEN),
    "archive-hard-links": ("The target of a hard link is not judged.", f"{_READ} {_WRITTEN}"),
    "archive-hard-link-chain": ("The target of a hard link is judged as text.", _READ),
    "archive-hard-link-to-link": (
        "A link gets a second name, from where it leads elsewhere.",
        f"{_READ} {_WRITTEN}",
    ),
    "archive-hard-link-fallback": (
        "A member is made again in the place of a hard link to it, and not judged there.",
        f"{_READ} {_WRITTEN}",
    ),
    "archive-metadata": (
        "Times, modes and owners are set by name, and a link stands there.",
        "Files outside become readable, writable or other people's.",
    ),
    "archive-headers": ("Two headers name a member differently.", _WRITTEN),
    "archive-stripping": ("A name is judged before its first part is taken off.", _WRITTEN),
    "archive-absolute": ("One slash of several is taken off.", _WRITTEN),
    "archive-twice": ("One verdict stands for two members of one name.", _WRITTEN),
    "archive-special": ("Special files are made, and opened later.", _HANGS),
    "archive-bomb": ("A limit counts what is packed.", "Disk and memory fill up."),
    "archive-overlap": ("A limit is kept by each member alone.", "Disk and memory fill up."),
}


def notes_for(groups: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the notes of the groups, each once, with the reports that their techniques name."""
    wanted = dict.fromkeys(groups)
    ours = {group: _note(group) for group in wanted if group in _ARCHIVES}
    return ours | path_notes_for(group for group in wanted if group not in _ARCHIVES)


def _note(group: str) -> dict[str, Any]:
    bug, effect = _ARCHIVES[group]
    ours = [one for one in TECHNIQUES.values() if one.kind is Kind.ARCHIVE and one.group == group]
    cves = dict.fromkeys(ref for one in ours for ref in one.refs if ref.startswith("CVE-"))
    return {"bug": bug, "effect": effect, "cves": list(cves), "links": []}
