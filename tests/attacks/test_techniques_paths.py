"""Path techniques: described once, pure and bounded, and each bites the consumer that it names."""

import inspect
import posixpath
import re
from itertools import islice

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

from .sloppy_paths import CONSUMERS, lenient_utf8

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
