"""Why each kind of host, URL and tool vector exists, said once a group: the bug and its effect."""

from collections.abc import Iterable
from typing import Any

from capfuzz.attacks.expansion.http_notes import HTTP
from capfuzz.attacks.expansion.ssrf_notes import SSRF
from capfuzz.attacks.techniques.catalog import TECHNIQUES

_ELSEWHERE = "The request goes to a host that nobody granted."
_RAW = "What was judged and what is contacted are two texts, and the second is not granted."
_TOOL = "A tool that nobody granted runs."
_RIGHT = "Honest work is refused."
_FAILS = "An exception comes out of the guard, or the name is judged in a mended form."

_HOSTS: dict[str, tuple[str, str]] = {
    "over-blocking-host": ("The grant is read too narrowly.", _RIGHT),
    "outside-host": ("No host is judged, or a deny-list is asked.", _ELSEWHERE),
    "implicit-host": (
        "Hosts that seem to belong to the machine are allowed besides the grant.",
        "Services of this machine and credentials of the cloud can be reached.",
    ),
    "suffix": ("Names are compared by how they end, with no dot before the end.", _ELSEWHERE),
    "subdomain": (
        "A granted name covers all names below it.",
        "Whoever may add names below it is granted too; look-ups alone carry data out.",
    ),
    "www": ("A prefix is taken away before names are compared.", _ELSEWHERE),
    "prefix": ("Names are compared by how they begin.", _ELSEWHERE),
    "host-substring": ("The granted name is searched for anywhere in the host.", _ELSEWHERE),
    "reversed-substring": ("The host is searched for in the granted names.", _ELSEWHERE),
    "no-host": ("No host at all counts as any host.", "Nothing said is taken for a grant."),
    "sibling-host": (
        "The parent domain is compared instead of the host.",
        "Every host of the same domain is granted.",
    ),
    "first-label": ("Only the first label is compared.", _ELSEWHERE),
    "label-order": ("Labels are compared without their order or number.", _ELSEWHERE),
    "fuzzy": ("Names are compared by similarity.", _ELSEWHERE),
    "slug": ("Separators are taken for one another or dropped before names are compared.", _RAW),
    "regex-dot": ("The granted name is used as a regular expression unescaped.", _ELSEWHERE),
    "regex-line": ("A pattern is matched line by line, or $ ends before a line break.", _RAW),
    "wildcard": ("The asked name is used as the pattern.", "A star is granted as every host."),
    "host-list": ("A text is split, and one granted part suffices.", _ELSEWHERE),
    "quoting": ("Quotes are taken away for the check only.", _RAW),
    "escape-host": ("Escapes are decoded for the check only.", _RAW),
    "host-case": ("Case is folded on one side only.", "Verdicts depend on spelling."),
    "case-unicode": ("Case is folded beyond ASCII, where letters meet that differ.", _ELSEWHERE),
    "unicode-fold": ("Compatible characters are folded on one side of the check only.", _RAW),
    "homograph": ("Letters that look alike are taken for one another.", _ELSEWHERE),
    "unicode-accents": ("Accents, or all that is not ASCII, are dropped first.", _ELSEWHERE),
    "ignorable": ("Characters that cannot be seen are dropped for the check only.", _RAW),
    "bidi": ("Marks of direction are dropped, or the text is compared as displayed.", _ELSEWHERE),
    "unicode-dot": ("Other dots part labels on one side of the check only.", _RAW),
    "unicode-deviation": ("Two mappings of IDNA make different names of one text.", _ELSEWHERE),
    "host-encode": ("A name that cannot be encoded is encoded.", _FAILS),
    "trailing-dot": ("More dots than one are taken away at the end.", _RAW),
    "empty-label": ("Empty labels are dropped for the check.", _RAW),
    "host-length": (
        "Lengths have no bound, or a bound that cuts.",
        "The guard hangs, raises or judges a part of the name.",
    ),
    "host-cut": ("Names are cut to a length before they are compared.", _ELSEWHERE),
    "punycode": ("Punycode is decoded where it must not be, before names are compared.", _RAW),
    "punycode-broken": ("Punycode is decoded without a thought of failure.", _FAILS),
    "port": (
        "A port is cut off for the check and used for the connection.",
        "Other services of a granted host can be reached.",
    ),
    "userinfo": ("Text before the @ is taken for the host.", _ELSEWHERE),
    "host-path": ("Text behind the end of the host is taken for a part of it.", _ELSEWHERE),
    "backslash-authority": (
        "Guard and client disagree whether a backslash ends the host.",
        _ELSEWHERE,
    ),
    "host-url": ("A URL is accepted for a host, and read by the guard alone.", _RAW),
    "nul-host": ("The guard sees the text and the client what comes before a NUL.", _ELSEWHERE),
    "blank-host": ("Blanks are trimmed for the check only.", _RAW),
    "controls-host": (
        "Controls are dropped for the check, or written into the request as they are.",
        "The request is split, and a header of the attacker's choice is sent.",
    ),
    "percent-host": ("Guard and client disagree whether a host is percent-decoded.", _ELSEWHERE),
    "double-percent-host": ("The host is decoded once more than it is judged.", _ELSEWHERE),
    "ipv4-spelling": (
        "An address is compared by value, so that it has as many names as notations.",
        "Guards and clients that read fewer notations or other ones go different ways.",
    ),
    "ipv4-trailing-dot": ("Dots behind an address are taken away.", _RAW),
    "ipv4-byte-order": ("A number is read in the wrong byte order.", _ELSEWHERE),
    "ipv4-octal-misread": (
        "A padded octet is decimal to the guard and octal to the client.",
        _ELSEWHERE,
    ),
    "ipv4-overflow": ("Numbers too large for their place are cut to their low bits.", _RAW),
    "ipv4-parts": ("Parts too many are ignored, parts too few filled in.", _RAW),
    "ipv4-lenient-number": ("Octets are read by a parser of general numbers.", _RAW),
    "ipv4-digits": ("Digits of other scripts count as digits.", _RAW),
    "ipv4-prefix": ("Addresses are compared as text, by how they begin or end.", _ELSEWHERE),
    "ipv4-range": ("A granted address is taken for its network.", _ELSEWHERE),
    "ipv4-cidr": ("The asked host is read as a network.", _RAW),
    "loopback": (
        "All addresses of this machine are taken for the granted one.",
        "Services that listen elsewhere on the machine can be reached.",
    ),
    "address-name": ("An address is found inside a name.", _ELSEWHERE),
    "ipv6-spelling": ("Addresses are normalised for the check only.", _RAW),
    "ipv6-case": ("Case is ignored in an address.", "One address has several spellings."),
    "ipv6-brackets": ("Brackets, and what follows them, are taken away for the check.", _RAW),
    "ipv6-zone": ("The zone is dropped for the check.", "Another link's machine is reached."),
    "ipv6-cidr": ("The asked host is read as a network.", _RAW),
    "ipv6-range": ("A part of the address is compared.", _ELSEWHERE),
    "ipv6-malformed": ("A malformed address is parsed without a thought of failure.", _FAILS),
    "ipv6-embedded": ("An IPv4 address inside an IPv6 one is taken for it.", _ELSEWHERE),
    "empty-host-list": ("An empty list is taken for no limit.", "Every host can be reached."),
    "host-joined": ("Granted hosts are kept in one text or one pattern.", _ELSEWHERE),
    "host-many-grants": ("The search in a long list is one step off.", _ELSEWHERE),
    "host-nested-grants": ("Grants that lie below one another are merged.", _ELSEWHERE),
    "host-memory": ("An earlier answer is used again for another host.", _ELSEWHERE),
    "host-named-by-answer": ("Hosts that an answer names are allowed from then on.", _ELSEWHERE),
    "route-authority": ("Host and path are joined into a URL and read again.", _ELSEWHERE),
    "route-url": ("The path is resolved as a reference that may name another host.", _ELSEWHERE),
    "redirect": ("Redirects are followed, and only the first address is judged.", _ELSEWHERE),
    "redirect-alike": ("Redirects are followed to what resembles the granted host.", _ELSEWHERE),
    "redirect-spelt": ("Redirects are followed unless a deny-list knows the spelling.", _ELSEWHERE),
    "redirect-chain": ("The first hop of a chain of redirects is judged.", _ELSEWHERE),
    "redirect-loop": ("Redirects are followed without a count.", "The guard hangs."),
    "redirect-trust": ("A host is trusted because a granted one pointed to it.", _ELSEWHERE),
    "redirect-inward": ("The end of a redirect is judged and not its beginning.", _ELSEWHERE),
    "redirect-tool": ("Ops that a tool asks for follow redirects.", _ELSEWHERE),
}

_URLS: dict[str, tuple[str, str]] = {
    "over-blocking-url": (
        "The whole URL is searched for what only matters before the path.",
        _RIGHT,
    ),
    "url-mention": ("The granted host is searched for anywhere in the URL.", _ELSEWHERE),
    "password": ("A password is read as a port, what stands before it as the host.", _ELSEWHERE),
    "userinfo-odd": ("The host ends at a character that a user name may hold.", _ELSEWHERE),
    "fragment-authority": (
        "The end of the host is sought without regard to the fragment.",
        _ELSEWHERE,
    ),
    "query-authority": ("The end of the host is sought without regard to the query.", _ELSEWHERE),
    "delimiter": ("The host ends at a character that a resolver takes for a letter.", _ELSEWHERE),
    "brackets": ("Brackets are read though no address is in them.", _ELSEWHERE),
    "slashes-backslash": ("Backslashes are not taken for slashes.", _ELSEWHERE),
    "port-empty": ("The host is compared with its colon.", _ELSEWHERE),
    "slashes": ("Only two slashes are taken to introduce a host.", _ELSEWHERE),
    "scheme-relative": ("What has no scheme is taken for a path of the same site.", _ELSEWHERE),
    "schemeless": ("What has no scheme is taken for no URL.", _ELSEWHERE),
    "scheme-case": ("Schemes are compared with regard to case.", _ELSEWHERE),
    "scheme-blank": ("Blanks hide the scheme from the guard alone.", _ELSEWHERE),
    "scheme-control": ("Controls hide the scheme from the guard alone.", _ELSEWHERE),
    "scheme-tab": ("A tab hides the scheme or the host from the guard alone.", _ELSEWHERE),
    "scheme-other": ("Hosts of other schemes are not judged.", _ELSEWHERE),
    "scheme-file": ("A URL without a host is taken for harmless.", "Local files can be read."),
    "scheme-wrapped": ("A URL inside another is not judged.", _ELSEWHERE),
    "scheme-nested": ("Schemes are removed or searched for anywhere.", _ELSEWHERE),
    "scheme-granted": (
        "A host is granted whatever the scheme.",
        "Other services of a granted host can be spoken to; a grant of hosts cannot forbid it.",
    ),
    "url-crlf": ("Line breaks pass the guard.", "The request is split, or a pattern is misled."),
    "url-tab": ("The host ends at a tab that the client takes away.", _ELSEWHERE),
    "url-nul": ("The guard sees the text and the client what comes before a NUL.", _ELSEWHERE),
    "url-space": ("Guard and client cut the text at different blanks.", _ELSEWHERE),
    "percent-unicode": ("Escapes beyond ASCII are decoded and mapped by the client.", _ELSEWHERE),
    "hostsplit": ("The host is read before characters are normalised into its end.", _ELSEWHERE),
}

_TOOLS: dict[str, tuple[str, str]] = {
    "over-blocking-tool": ("The grant is read too narrowly.", _RIGHT),
    "outside-tool": ("No tool is judged, or a deny-list is asked.", _TOOL),
    "implicit-tool": ("A framework's own tools are allowed besides the grant.", _TOOL),
    "tool-boundary": ("Names are compared by how they begin.", _TOOL),
    "tool-suffix": ("Names are compared by how they end.", _TOOL),
    "tool-substring": ("The granted name is searched for anywhere.", _TOOL),
    "tool-reversed-substring": ("The name is searched for in the granted ones.", _TOOL),
    "no-tool": ("No name at all counts as any name.", _TOOL),
    "tool-fuzzy": ("The nearest name is taken.", _TOOL),
    "tool-wildcard": ("The asked name is used as the pattern.", _TOOL),
    "tool-wildcard-grant": ("A granted name is used as a pattern.", _TOOL),
    "tool-list": ("A text is split, and one granted part suffices.", _TOOL),
    "tool-call-text": ("The name is parsed as code, JSON or a command line.", _TOOL),
    "tool-namespace": ("The namespace is not compared.", _TOOL),
    "tool-member": ("A granted name is taken for a namespace.", _TOOL),
    "tool-separator": ("Separators are taken for one another.", _TOOL),
    "tool-camel": ("Styles of writing names are converted.", _TOOL),
    "tool-path": ("Names are normalised as paths.", _TOOL),
    "tool-escaped": ("Names are decoded on one side of the check.", _TOOL),
    "tool-attribute": (
        "Names are looked up among attributes.",
        "Code runs that was never meant to be a tool.",
    ),
    "tool-op-kind": (
        "Kinds of op and tools share one table.",
        "A check of another kind is evaded.",
    ),
    "tool-case": ("Case is ignored.", _TOOL),
    "tool-case-unicode": ("Case is folded beyond ASCII.", _TOOL),
    "tool-unicode": ("Compatible characters are folded.", _TOOL),
    "tool-homograph": ("Letters that look alike are taken for one another, or dropped.", _TOOL),
    "tool-ignorable": ("Characters that cannot be seen are dropped.", _TOOL),
    "tool-blank": ("Blanks are trimmed.", _TOOL),
    "tool-nul": ("A NUL ends the name for one of two readers; controls are dropped.", _TOOL),
    "tool-encode": ("A name that cannot be encoded, or is too long, is taken as usual.", _FAILS),
    "empty-tool-list": ("An empty list is taken for no limit.", "Every tool may be called."),
    "tool-joined": ("Granted names are kept in one text.", _TOOL),
    "tool-arguments": ("The tool to run is sought among the arguments.", _TOOL),
    "tool-twins": ("Two tools are registered under one folded name.", "The wrong one runs."),
    "tool-reentry": ("Ops that a tool asks for are not judged.", _TOOL),
    "tool-memory": ("An earlier answer is used again for another name.", _TOOL),
    "tool-name-type": ("A name that is no text is made one.", _TOOL),
}

_NOTES = _HOSTS | _URLS | _TOOLS | SSRF | HTTP
_WEAKNESS = "https://cwe.mitre.org/data/definitions/{}.html"


def notes_for(groups: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the notes of ``groups``, with the CVEs and weaknesses that their techniques name."""
    return {group: _note(group) for group in dict.fromkeys(groups)}


def _note(group: str) -> dict[str, Any]:
    members = [one for one in TECHNIQUES.values() if one.group == group]
    bug, effect = _NOTES[group]
    weaknesses = dict.fromkeys(one.cwe.removeprefix("CWE-") for one in members)
    refs = dict.fromkeys(ref for one in members for ref in one.refs)
    return {
        "bug": bug,
        "effect": effect,
        "cves": [ref for ref in refs if ref.startswith("CVE-")],
        "links": [
            *map(_WEAKNESS.format, weaknesses),
            *(ref for ref in refs if not ref.startswith("CVE-")),
        ],
    }
