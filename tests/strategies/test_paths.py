"""Paths, traversals, siblings and links: each is what its name promises, by the slow oracle."""

from random import Random

import pytest
from capfuzz.attacks import naive
from capfuzz.attacks.dialects import DIALECTS, most_lenient, readings
from capfuzz.engine import VFS, Capabilities, canonical
from capfuzz.strategies import links, paths, siblings, traversals
from hypothesis import find, given, settings
from hypothesis import strategies as st

SEARCH = settings(max_examples=5_000, database=None, deadline=None)
ROOTS = ("/work", "/work/", "//work/.", "/a/b", "/caf\u00e9/", "/work out")
TWO = Capabilities(fs_read=("/a/", "/"), fs_write=("/b/c",))


def smallest(strategy, wanted=lambda _: True):
    """Return what a failing example of ``strategy`` shrinks to."""
    return find(strategy, wanted, settings=SEARCH, random=Random(0))


def leaves(path, root):
    """Tell whether a path as it stands leads out of the root."""
    return not naive.within(naive.resolve(path, {}), [root])


# ---------------------------------------------------------------- beside


@pytest.mark.parametrize("root", ROOTS)
@given(data=st.data())
def test_siblings_begin_as_the_root_does_and_lie_beside_it(root, data):
    """A comparison of text would not be put to the test."""
    path = data.draw(siblings(root))
    assert path.startswith(canonical(root))
    assert not naive.within(path, [root])
    assert leaves(path, root)


@pytest.mark.parametrize("kind", ["/workshop/", "/work-evil/", "/work.bak/", "/work2/", "/work_"])
def test_every_kind_of_sibling_is_drawn(kind):
    """A boundary that only one kind of character gets past would hold."""
    assert smallest(siblings("/work"), lambda path: path.startswith(kind))


def test_a_sibling_shrinks_to_a_word():
    """A finding would be told with an odd separator."""
    assert smallest(siblings("/work")) == "/workshop/secret.txt"


# ---------------------------------------------------------------- climbing


@pytest.mark.parametrize("root", ROOTS)
@given(data=st.data())
def test_plain_traversals_climb_out_as_they_stand(root, data):
    """What only some consumer reads as a climb would be asserted of everybody."""
    path = data.draw(traversals(root, encoded=False))
    assert path.startswith(canonical(root) + "/")
    assert naive.climbs(path)
    assert leaves(path, root)


@pytest.mark.parametrize("root", ROOTS)
@given(data=st.data())
def test_traversals_climb_out_for_some_consumer(root, data):
    """A test would call a harmless name an attack."""
    path = data.draw(traversals(root))
    assert path.startswith(canonical(root) + "/")
    read = (*readings(path, frozenset(DIALECTS)), most_lenient(path))
    assert any(naive.climbs(text) and leaves(text, root) for text in read)


@pytest.mark.parametrize("mark", ["%2e", "%252e", "\\", "\uff0e", "%5c", "\u2025"])
def test_every_encoding_of_a_climb_is_drawn(mark):
    """A consumer that decodes in this way would not be put to the test."""
    assert mark in smallest(traversals("/work"), lambda path: mark in path)


def test_a_traversal_shrinks_to_the_classic_one():
    """A finding would be told with an exotic spelling."""
    assert smallest(traversals("/work")) == "/work/../etc/passwd"
    assert smallest(traversals("/work", encoded=False)) == "/work/../etc/passwd"


# ---------------------------------------------------------------- any path


@given(paths())
def test_paths_are_plain_strs(path):
    """A path function would be asked what is no path."""
    assert type(path) is str


@pytest.mark.parametrize(
    "wanted",
    [
        lambda path: naive.within(path, ["/work"]) and not naive.climbs(path),
        lambda path: naive.climbs(path) and path.startswith("/work/"),
        lambda path: path.startswith("/workshop"),
        lambda path: "\0" in path,
        lambda path: not path.startswith("/"),
        lambda path: path.startswith("/work/%2eworkshop"),  # only put together from pieces
    ],
)
def test_every_kind_of_path_is_drawn(wanted):
    """A whole class of hostile paths would never be tried."""
    assert wanted(smallest(paths(), wanted))


def test_a_path_shrinks_to_an_honest_one():
    """A finding that needs no special path would be told with one."""
    assert smallest(paths()) == "/work/data.txt"
    assert smallest(paths(root="/srv/")) == "/srv/data.txt"


# ---------------------------------------------------------------- links


@given(links())
def test_links_lie_below_the_root_or_lead_into_it(drawn):
    """A link would stand where no path under test passes."""
    assert drawn
    for link, target in drawn.items():
        assert naive.within(link, ["/work"]) or target == "/work"


@given(links(grant=TWO))
def test_links_lie_below_the_roots_of_the_grant(drawn):
    """A user's own grant would never meet a link."""
    for link, target in drawn.items():
        assert naive.within(link, ["/a", "/b/c"]) or target in {"/a", "/b/c"}


@settings(max_examples=300)
@given(links(grant=Capabilities(fs_read=("/work", "/work/hall"))))
def test_no_link_stands_where_another_leads(drawn):
    """What is written below a link stands elsewhere, where the oracle does not look for it."""
    for link in drawn:
        assert not naive.within(link, drawn.keys() - {link})


@given(links())
def test_links_resolve_alike_in_a_world_and_by_the_oracle(drawn):
    """Two readings of one world would make a finding out of nothing."""
    world = VFS(links=drawn)
    for link in drawn:
        assert outcome(world.resolve, link) == outcome(naive.resolve, link, drawn)


def outcome(resolve, *arguments):
    """Return where a path leads, or that it leads nowhere."""
    try:
        return resolve(*arguments)
    except OSError:
        return None


LINKS = {
    "file": lambda drawn: "/etc/passwd" in drawn.values(),
    "folder": lambda drawn: "/etc" in drawn.values(),
    "relative": lambda drawn: any(to.startswith("..") for to in drawn.values()),
    "dangling": lambda drawn: "/etc/new.txt" in drawn.values(),
    "loop": lambda drawn: "/work/loop" in drawn,
    "two that loop": lambda drawn: {"/work/tick", "/work/tock"} <= drawn.keys(),
    "chain of forty": lambda drawn: "/work/step01" in drawn,
    "one too many": lambda drawn: "/work/step00" in drawn,
    "through a folder": lambda drawn: {"/work/relay", "/work/hall"} <= drawn.keys(),
    "to the sibling": lambda drawn: "/workshop" in drawn.values(),
    "inside": lambda drawn: "/work/alias" in drawn,
    "from outside": lambda drawn: "/elsewhere/to-work" in drawn,
    "two ways": lambda drawn: {"/work/door", "/work/ladder"} == drawn.keys(),
}


@pytest.mark.parametrize("wanted", LINKS.values(), ids=LINKS)
def test_every_kind_of_link_is_drawn(wanted):
    """A fault that needs this link would never be seen."""
    assert wanted(smallest(links(), wanted))


@pytest.mark.parametrize("link", ["/work/relay", "/work/step01", "/work/spring"])
def test_what_a_link_passes_through_is_there(link):
    """A chain would hang in the air."""
    drawn = smallest(links(), lambda drawn: link in drawn)
    assert naive.resolve(link, drawn) in {"/etc", "/etc/passwd"}


def test_links_shrink_to_one_to_a_file():
    """A finding about links would be told with several."""
    assert smallest(links()) == {"/work/door": "/etc/passwd"}
