"""Path techniques: described once, pure and bounded, and each bites the consumer that it names."""

import html
import inspect
import posixpath
import quopri
import re
import shlex
import unicodedata
from fnmatch import fnmatchcase
from itertools import islice
from urllib.parse import unquote

import pytest
from capfuzz.attacks import naive
from capfuzz.attacks.dialects import most_lenient
from capfuzz.attacks.expansion import paths_spelling, stage
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.compose import behind, late, straight, way, ways
from capfuzz.attacks.techniques.paths_encoding_others import overlong
from capfuzz.attacks.techniques.paths_grants_stage import FILES as GRANT_FILES
from capfuzz.attacks.techniques.paths_links import links
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.engine import VFS, Capabilities, Sandbox

OURS = {
    name: one
    for name, one in TECHNIQUES.items()
    if one.spell.__module__.startswith("capfuzz.attacks.techniques.paths_")
}
PATHS = [name for name, one in OURS.items() if one.kind is Kind.PATH]
HONEST = [name for name, one in OURS.items() if one.kind is Kind.HONEST]
SCENES = [name for name, one in OURS.items() if one.kind is Kind.SCENARIO]

PLACES = [
    ("/work", "/etc/passwd"),
    ("/work", "/workshop/secret.txt"),
    ("/work/out", "/work/data.txt"),
    ("/work/out", "/system/config"),
    ("/caf\u00e9/files", "/p"),
    ("/0/\u0416", "/etc/passwd"),
]
# The longest list: devices, of which there are many.
MOST_SPELLINGS = 24


def spelt(name, root="/work", target="/etc/passwd"):
    """Return what a technique spells."""
    return list(OURS[name].spell(root, target))


# ---------------------------------------------------------------- what is said of them


@pytest.mark.parametrize("name", OURS)
def test_a_technique_is_described_in_full(name):
    """A finding would name a technique that nobody explains, or cite something that is no CVE."""
    one = OURS[name]
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]*", name), name
    assert one.description.endswith("."), one.description
    assert re.fullmatch(r"CWE-\d+", one.cwe), one.cwe
    assert one.needs
    assert re.fullmatch(r"[a-z0-9-]+", one.group), one.group
    assert all(re.fullmatch(r"CVE-\d{4}-\d{4,}", ref) for ref in one.refs), one.refs
    assert set(one.surfaces) <= {"session", "path"}


def test_the_plainest_technique_names_the_finding():
    """A plain fault would be reported under the name of an exotic spelling."""
    first = {}
    for name, one in TECHNIQUES.items():
        first.setdefault(one.group, name)
    wanted = {
        "traversal": "climb",
        "traversal-late": "climb-after-folder",
        "boundary": "sibling-word",
        "outside": "outside",
        "decoding": "percent-dots",
        "double-decoding": "double-percent",
        "unicode-folding": "fullwidth-dots",
        "backslash": "backslash-climb",
        "links": "link-to-file",
        "nul": "nul-before-suffix",
        "controls": "blank-before-slash",
        "case": "case-twin",
        "several-grants": "grants-apart",
        "read-write-mixup": "write-to-readable",
        "empty-list": "nothing-readable",
    }
    assert wanted == {group: first[group] for group in wanted}


# ---------------------------------------------------------------- pure, lazy, bounded


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize(("root", "target"), PLACES)
def test_spelling_is_pure_and_bounded(name, root, target):
    """The corpus would differ from run to run, or a campaign would never end."""
    spell = OURS[name].spell
    once, twice = list(spell(root, target)), list(spell(root, target))
    assert once == twice
    assert len(once) <= MOST_SPELLINGS
    assert all(type(path) is str for path in once)


@pytest.mark.parametrize("name", OURS)
def test_spelling_is_lazy(name):
    """Taking the first of many spellings would cost as much as taking all."""
    assert inspect.isgeneratorfunction(OURS[name].spell)


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("root", ["", "/"])
def test_a_root_of_everything_breaks_no_technique(name, root):
    """A campaign with a grant of / would crash before it began."""
    assert all(type(path) is str for path in OURS[name].spell(root, "/etc/passwd"))


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize(("root", "target"), PLACES)
def test_no_spelling_climbs_out_of_a_planted_tree(name, root, target):
    """An attack that works would reach the machine's own files, not the planted ones."""
    for path in OURS[name].spell(root, target):
        for text in (path, most_lenient(path)):
            assert text.count("..") <= 10 or set(text.split("/")) & {"...", "...."}, path
            assert text.split("/").count("..") <= 10, path


ELSEWHERE = {"outside", "substring", "relative", "outside-ancestor", "boundary", "case"} | {
    *("scheme", "normalisation", "reversed-prefix", "procfs", "procfs-alias"),
}
# These also write some paths that begin otherwise, beside those that begin at the root.
ALSO_ELSEWHERE = {
    *(
        "blank-before-slash",
        "nul-after-target",
        "nul-after-honest",
        "nul-inside-root",
        "climb-with-slashes",
        "home",
    ),
    *("globbed-target", "drive-alone", "unc", "verbatim", "device-namespace", "link-inside"),
    *("link-portal",),
}


@pytest.mark.parametrize("name", PATHS)
def test_spelling_starts_from_the_granted_root(name):
    """A technique would show another fault than its own: that any place may be named."""
    if OURS[name].group not in ELSEWHERE and name not in ALSO_ELSEWHERE:
        assert [path for path in spelt(name) if not path.startswith("/work/")] == []


# ---------------------------------------------------------------- what they share


def test_the_way_climbs_no_further_than_it_must():
    """Climbs would pass through places that the target does not share with the root."""
    assert way("/work/out", "/work/data.txt") == (1, ("data.txt",))
    assert way("/work", "/work/data.txt") == (1, ("work", "data.txt"))
    assert way("/a/b/c", "/a/x") == (2, ("x",))
    assert straight("/work/", "/etc/passwd") == "/work/../etc/passwd"
    assert late("/work", "/etc/passwd") == "/work/sub/../../etc/passwd"
    assert behind("/work", "/etc/passwd", "x?/") == "/work/x?/../../etc/passwd"


def test_only_the_first_spelling_is_also_written_through_a_folder():
    """Every further spelling would come twice, for a difference that the first already shows."""
    assert list(ways("/w", "/p", "A/", "B/")) == ["/w/A/p", "/w/sub/A/A/p", "/w/B/p"]


@pytest.mark.parametrize("length", range(2, 7))
@pytest.mark.parametrize("character", "./\\")
def test_an_overlong_form_decodes_to_its_character(character, length):
    """An overlong vector would be noise that no decoder takes."""
    assert lenient_utf8(overlong(character, length)) == character


def test_the_links_lead_where_the_techniques_say():
    """A path through a link would end in nowhere, and the target would look right."""
    world = {"/etc/passwd": b"secret", "/workshop/passwd": b"", "/work_secret": b""}
    vfs = VFS(world | {"/work/data.txt": b""}, links("/work", "/etc/passwd"))
    for name in ("link-to-file", "link-chain", "link-target-spelling", "link-portal"):
        for path in spelt(name):
            assert vfs.resolve(path) == "/etc/passwd", path
    for name in ("link-to-directory", "link-noncanonical", "link-then-climb", "link-to-ancestor"):
        for path in spelt(name):
            assert vfs.resolve(path) in {"/etc/passwd", "/etc", "/"}, path
    for path in spelt("link-inside"):
        assert naive.within(vfs.resolve(path), ["/work"]), path
    for path in (*spelt("link-loop"), *spelt("link-chain-too-long")):
        with pytest.raises(OSError, match="symbolic links"):
            vfs.resolve(path)


# ---------------------------------------------------------------- each bites its consumer


def lenient_utf8(raw):
    """Decode bytes as an old decoder did: overlong forms, and later bytes of any kind, pass."""
    text, at = "", 0
    while at < len(raw):
        lead = raw[at]
        size = next((n for n in range(6, 1, -1) if lead >> (7 - n) == 2 ** (n + 1) - 2), 1)
        code = lead if size == 1 else lead & (0x7F >> size)
        for byte in raw[at + 1 : at + size]:
            code = code << 6 | byte & 0x3F
        text += chr(code)
        at += size
    return text


def percent_bytes(path):
    """Percent-decode to bytes and read those leniently."""
    plain = re.sub(r"%([0-9a-f]{2})", lambda match: chr(int(match[1], 16)), path)
    return lenient_utf8(plain.encode("latin-1"))


def raw_bytes(path):
    """Read text that smuggles bytes, leniently."""
    codec = ("utf-8", "surrogateescape") if "\udcc0" in path else ("latin-1", "strict")
    return lenient_utf8(path.encode(*codec))


def percent_u(path):
    """Decode %uXXXX and fold."""
    plain = re.sub(r"%u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), path)
    return fold(best_fit(plain))


def fold(path):
    """Normalise as a consumer of compatibility forms does, with backslashes as separators."""
    return unicodedata.normalize("NFKC", path).replace("\\", "/")


def best_fit(path):
    """Convert as a code page does that has neither these slashes nor these dots."""
    slashes = dict.fromkeys("\u2044\u2215\u2571\u29f8\u00a5\u20a9\u2216\u29f5\u29f9", "/")
    return path.translate(str.maketrans(slashes | dict.fromkeys("\u3002\uff61", ".")))


def low_bytes(path):
    """Keep the low byte of every character."""
    return "".join(chr(ord(character) & 0xFF) for character in path).replace("\\", "/")


def visible(path):
    """Remove what is not visible: controls, format characters, marks, surrogates."""
    hidden = {"Cc", "Cf", "Cs", "Mn", "Zl", "Zp"}
    return "".join(one for one in path if unicodedata.category(one) not in hidden)


def trimmed(path):
    """Trim every segment, and the path."""
    return "/".join(
        segment.strip(" \t\r\n\v\f\x1c\x1f\x85\u00a0\u2003\u2028\u3000\ufeff")
        for segment in path.strip("\ufeff").strip().split("/")
    )


def without(*removed, times=1):
    """Return a filter that replaces texts by nothing, so many times."""

    def strip(path):
        for _ in range(times):
            for one in removed:
                path = path.replace(one, "")
        return path

    return strip


def escapes(path):
    """Interpret the escapes of several languages."""
    path = re.sub(r"\\u\{(\w+)\}", lambda match: chr(int(match[1], 16)), path)
    return path.replace("\\/", "/").encode().decode("unicode_escape")


def mail(path):
    """Decode UTF-7, quoted-printable and encoded words."""
    word = re.search(r"=\?utf-8\?q\?(.*)\?=", path)
    if word:
        return "/work/" + quopri.decodestring(word[1].encode()).decode()
    if "+" in path:
        return path.encode().decode("utf-7")
    return quopri.decodestring(path.encode()).decode()


def unquoted(path):
    """Remove quotes and backslashes as a shell does."""
    return shlex.split(path.replace("$'", "'"))[0]


def parameters(path):
    """Drop parameters from segments."""
    return re.sub(r";[^/]*", "", unquote(path))


def shell(path):
    """Expand parameters as a shell does in which nothing is set."""
    path = re.sub(r"\$\{X:?-([^}]*)\}", r"\1", path)
    return re.sub(r"\$\{X\}|\$@", "", path)


def globbed(path):
    """Read a pattern as what it matches or lists first among dots and names."""
    made = []
    for part in re.sub(r"\{([^,]*),[^}]*\}", r"\1", path.replace("?(.).", ".")).split("/"):
        climbs = set(part) & set("?*[") and fnmatchcase("..", part)
        made.append(".." if climbs else part)
    return "/".join(made)


def dotted(path):
    """Read DOS wildcards as the dots that they match."""
    return path.replace('"', ".").replace(">", ".")


def unquoted_twice(path):
    """Percent-decode until nothing changes."""
    while unquote(path) != path:
        path = unquote(path)
    return path.replace("\\", "/")


def cut(path):
    """Cut a path to the buffers that are tried."""
    return [path[: limit - 1] for limit in (260, 1024, 4096)]


def backslashes(path):
    """Take backslashes for separators."""
    return path.replace("\\", "/")


CONSUMERS = {
    "percent-dots": unquote,
    "percent-one-dot": unquote,
    "percent-slash": unquote,
    "percent-dots-and-slash": unquote,
    "percent-backslash": unquoted_twice,
    "percent-everything": unquote,
    "percent-folder-dots": unquote,
    "double-percent": unquoted_twice,
    "double-percent-slash": unquoted_twice,
    "double-percent-backslash": unquoted_twice,
    "double-percent-digits": unquoted_twice,
    "double-percent-mixed": unquoted_twice,
    "nibble": unquoted_twice,
    "triple-percent": unquoted_twice,
    "quadruple-percent": unquoted_twice,
    "percent-nul": [
        lambda path: unquoted_twice(path).partition("\0")[0],
        lambda path: unquote(path).replace("\0", ""),
    ],
    "overlong-two": lambda path: backslashes(percent_bytes(path)),
    "overlong-three": percent_bytes,
    "overlong-four": percent_bytes,
    "overlong-six": percent_bytes,
    "overlong-malformed": lambda path: backslashes(percent_bytes(path)),
    "overlong-raw": raw_bytes,
    "percent-u": percent_u,
    "html-entities": html.unescape,
    "source-escapes": escapes,
    "mail-encodings": mail,
    "fullwidth-dots": fold,
    "fullwidth-slash": fold,
    "fullwidth-backslash": fold,
    "dot-leaders": fold,
    "small-full-stop": fold,
    "vertical-dots": fold,
    "folded-percent": lambda path: unquote(fold(path)),
    "percent-folded": lambda path: fold(unquote(path)),
    "ideographic-stops": best_fit,
    "slash-lookalikes": best_fit,
    "backslash-lookalikes": best_fit,
    "low-byte": low_bytes,
    "ignorable-between-dots": visible,
    "ignorable-around-dots": visible,
    "bidi-controls": visible,
    "control-between-dots": visible,
    "control-after-dots": trimmed,
    "control-before-dots": trimmed,
    "blank-around-dots": lambda path: trimmed(path).replace(" ", ""),
    "line-break-after-dots": trimmed,
    "blank-before-slash": trimmed,
    "rejoined-climb": without("../"),
    "rejoined-twice": [without("../", times=2), without("../", times=3)],
    "rejoined-backslash": without("..\\"),
    "rejoined-here": without("./"),
    "collapsed-dots": lambda path: path.replace("..", "."),
    "path-parameters": parameters,
    "query-after-dots": lambda path: re.sub(r"[?#].*", "", unquote(path)),
    "variable-defaults": shell,
    "quoting": unquoted,
    "escaping": unquoted,
    "globbing": globbed,
    "backslash-climb": backslashes,
    "mixed-separators": backslashes,
    "cut-to-target": cut,
    "suffix-beyond-limit": cut,
    "nul-inside-dots": without("\0"),
    "nul-before-suffix": lambda path: path.partition("\0")[0],
    "nul-after-target": lambda path: path.partition("\0")[0],
}


def landings(name, path):
    """Return where each consumer of a technique ends up."""
    consumers = CONSUMERS[name] if isinstance(CONSUMERS[name], list) else [CONSUMERS[name]]
    read = [text for consumer in consumers for text in [consumer(path)]]
    flat = [one for text in read for one in ([text] if isinstance(text, str) else text)]
    return {naive.resolve(text, {}) for text in flat}


@pytest.mark.parametrize("name", CONSUMERS)
@pytest.mark.parametrize("target", ["/etc/passwd", "/other/secret.txt"])
def test_every_spelling_reaches_its_target_through_the_consumer_it_names(name, target):
    """A vector would be noise: no fault could ever make it succeed."""
    for path in spelt(name, "/work", target):
        assert landings(name, path) & {target, "/"}, path


HIDDEN = {"decoding", "double-decoding", "unicode-folding", "best-fit", "overlong", "stripping"}
# Named below the root rather than climbed to: nothing lands without a join of some kind.
JOINED = {"percent-absolute"}


def test_every_hidden_climb_has_a_consumer():
    """A new technique could be added that bites nobody, and nothing would tell."""
    names = {name for name in PATHS if OURS[name].group in HIDDEN}
    assert set() == names - set(CONSUMERS) - JOINED


@pytest.mark.parametrize("name", CONSUMERS)
def test_a_hidden_climb_is_hidden(name):
    """A check that reads the path as POSIX does would refuse it, and show another fault."""
    in_sight = {"cut-to-target", "suffix-beyond-limit", "blank-before-slash"}
    if name not in in_sight and OURS[name].group != "nul":
        for path in spelt(name):
            assert naive.within(naive.resolve(path, {}), ["/work"]), path


@pytest.mark.parametrize("name", PATHS)
def test_a_climb_in_sight_is_told_as_traversal(name):
    """One missing check of .. would be told again for every technique that climbs in sight."""
    told = {"traversal", "traversal-late", "nul", "links", "substring", "outside", "relative"} | {
        *("expansion", "boundary", "case", "truncation", "procfs", "outside-ancestor"),
    }
    climbs = [
        path
        for path in spelt(name)
        if path.startswith("/work/") and not naive.within(naive.resolve(path, {}), ["/work"])
    ]
    assert not climbs or OURS[name].group in told, climbs


# ---------------------------------------------------------------- honest names


@pytest.mark.parametrize("name", HONEST)
def test_the_engine_allows_every_honest_name(name):
    """A control would be refused by a right target, and the suite would cry wolf."""
    for path in OURS[name].spell("/work"):
        box = Sandbox(
            Capabilities(fs_read=("/work/",), fs_write=("/work",)), vfs=VFS({path: b"honest"})
        )
        assert box.run(("fs_read", path)).output == b"honest"
        assert box.run(("fs_write", path, "changed")).ok


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_name_is_canonical_and_fits_a_file_system(name):
    """An honest file could not be planted, or would be reached by another name."""
    for path in OURS[name].spell("/work"):
        assert posixpath.normpath(path) == path
        assert all(len(part.encode()) <= 255 for part in path.split("/"))


# ---------------------------------------------------------------- grants


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_is_about_what_is_there(name):
    """A forbidden file would be missing, and a fault would show nothing."""
    for scene in islice(OURS[name].spell(), 50):
        for op in scene.control:
            if op[0] == "fs_read":
                written = {one[1] for one in scene.control if one[0] == "fs_write"}
                assert op[1] in {*GRANT_FILES, *written}, op


def test_the_stage_holds_what_spellings_aim_at():
    """Decoded spellings would land on nothing, and effects would not show."""
    assert {"/etc/passwd", "/other/secret.txt", "/work/data.txt", "/system/config"} <= set(
        stage.FILES
    )
    assert paths_spelling.FAMILIES
