"""The path checks: traversal, canonical form, well-formedness and the segment boundary."""

import contextlib

import pytest
from capfuzz.engine import canonical, has_traversal, under_allowlist
from capfuzz.engine.paths import Roots, is_wellformed


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../a",
        "a/..",
        "/..",
        "/../",
        "/work/../etc/shadow",
        "/work/..",
        "/work/sub/../data.txt",
        "..\\a",
        "/work\\..\\etc",
        "/work\\../etc",
        "/work/..\\etc",
        "/work/./../x",
        "/work//..//x",
        "/a..b/..",
        "/\0/..",
        "/\ud800/..",
    ],
)
def test_a_dot_dot_segment_is_a_traversal(path):
    """Else the path would climb out of the grant."""
    assert has_traversal(path) is True


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        ".",
        "...",
        "/work/...",
        "a..b",
        "/work/a..b",
        "/work/..hidden",
        "/work/trailing..",
        "/work/backup..2024.json",
        "/work/.. ",
        "/work/ ..",
        "/work/.../x",
        "/work/..;x",
        "/work/..\0",
        "/work/%2e%2e/x",
        "/work/%2E./x",
        "/work/\uff0e\uff0e/x",
        "/work/\u2025/x",
        "/work/..\u2215x",
        "/work/. ./x",
    ],
)
def test_an_honest_name_is_no_traversal(path):
    """Else honest names would be refused, or something would be decoded that is literal."""
    assert has_traversal(path) is False


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", "/"),
        ("//", "/"),
        ("///", "/"),
        ("//work", "/work"),
        ("///work", "/work"),
        ("/work/", "/work"),
        ("/work//data", "/work/data"),
        ("/work/./data/.", "/work/data"),
        ("/./work", "/work"),
        ("//./work", "/work"),
        ("/work/../etc", "/etc"),
        ("/../etc", "/etc"),
        ("//../etc", "/etc"),
        ("/work/...", "/work/..."),
        ("/work\\x", "/work\\x"),
        ("/work/%2e%2e", "/work/%2e%2e"),
        ("work/x", "work/x"),
        ("", "."),
        (".", "."),
    ],
)
def test_a_path_has_one_canonical_form(path, expected):
    """Else two spellings of one place would be judged apart; normpath alone keeps `//work`."""
    assert expected == canonical(path)


@pytest.mark.parametrize(
    "path",
    ["/", "/work", "//", "/work/../x", "/a b", "/\x7f", "/\x80", "/\x20", "/ü", "/\U0001f600"],
)
def test_an_absolute_path_of_characters_is_well_formed(path):
    """Else an honest name would be called malformed."""
    assert is_wellformed(path) is True


@pytest.mark.parametrize("path", ["", ".", "work", "work/x", "./work", "\\work", " /work", "~/x"])
def test_a_relative_path_is_malformed(path):
    """Else a path would mean whatever the working directory of the day makes of it."""
    assert is_wellformed(path) is False


@pytest.mark.parametrize("code", range(0x20))
def test_a_c0_control_is_malformed_wherever_it_stands(code):
    """Else a NUL would cut the path that was judged short of the path that is opened."""
    assert [False] * 3 == [
        is_wellformed(f"/{chr(code)}"),
        is_wellformed(f"/a{chr(code)}b"),
        is_wellformed(f"/a{chr(code)}"),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (0xD7FF, True),
        (0xD800, False),
        (0xDBFF, False),
        (0xDC00, False),
        (0xDFFF, False),
        (0xE000, True),
    ],
)
def test_a_lone_surrogate_is_malformed(code, expected):
    """Else two paths could be one file, or none, once the system encodes them."""
    assert expected == is_wellformed(f"/a{chr(code)}")


BOUNDARIES = [
    ("/work", ["/work"], True),
    ("/work", ["/work/"], True),
    ("/work/", ["/work"], True),
    ("/work/x", ["/work"], True),
    ("/work/x/y", ["/work/"], True),
    ("//work//x", ["/work"], True),
    ("/work/./x", ["/work"], True),
    ("/work/x", ["//work//"], True),
    ("/work/x", ["/other", "/work"], True),
    ("/work/x", ["/work", "/work/x/y"], True),
    ("/work/x", ["/"], True),
    ("/", ["/"], True),
    ("//", ["/"], True),
    ("/x", ["//"], True),
    ("/work/../work/x", ["/work"], True),
    ("/work/a..b", ["/work"], True),
    ("/workshop", ["/work"], False),
    ("/workshop/secret", ["/work/"], False),
    ("/work-evil/x", ["/work"], False),
    ("/work.bak", ["/work"], False),
    ("/work\\x", ["/work"], False),
    ("/wor", ["/work"], False),
    ("/Work/x", ["/work"], False),
    ("/work/../etc/shadow", ["/work/"], False),
    ("/", ["/work"], False),
    ("/work", ["/work/x"], False),
    ("/work/x", [], False),
    ("", ["/"], False),
    ("", [], False),
    (".", ["/"], False),
    ("work/x", ["/", "/work"], False),
    ("/work/\0", ["/work"], False),
    ("/work/\ud800", ["/work"], False),
    ("/work/x", [""], False),
    ("/work/x", ["."], False),
    ("/work/x", ["work"], False),
    ("work/x", ["work"], False),
    ("/work/x", ["/wo\0rk", "/work"], True),
]


@pytest.mark.parametrize(("path", "prefixes", "expected"), BOUNDARIES)
def test_a_prefix_covers_whole_segments_only(path, prefixes, expected):
    """Else `/work` would grant `/workshop`, or not grant what it says."""
    assert expected == under_allowlist(path, prefixes)


def test_prefixes_may_come_from_any_iterable():
    """Else an iterator would be read as an empty list, or only in part."""
    assert under_allowlist("/b/x", iter(("/a", "/b"))) is True


def test_one_str_is_no_list_of_prefixes():
    """Else `"/work"` would be read as the five prefixes `/`, `w`, ... and grant everything."""
    with pytest.raises(TypeError, match="not one str"):
        under_allowlist("/etc/passwd", "/work")


FILLERS = [f"/zz/{n:03}" for n in range(40)]


@pytest.mark.parametrize("extra", [0, 1, 14, 15, 16, 17, 40])
@pytest.mark.parametrize(("path", "prefixes", "expected"), BOUNDARIES)
def test_many_prefixes_answer_as_few_do(path, prefixes, expected, extra):
    """Else the search that serves long lists would grant other things than the short scan."""
    assert expected == under_allowlist(path, prefixes + FILLERS[:extra])


@pytest.mark.parametrize("extra", [0, 15, 16, 40])
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a", True),
        ("/a/0", True),
        ("/a/b", True),
        ("/a/b/c", True),
        ("/a/z", True),
        ("/0/x", True),
        ("/a-b", False),
        ("/a0", False),
        ("/b", False),
        ("/zz", False),
        ("/zzz", False),
        ("/", False),
        ("/~", False),
    ],
)
def test_a_prefix_below_another_hides_nothing(path, expected, extra):
    """Else the nearest prefix, not the widest, would decide, and `/a/z` would be refused."""
    roots = Roots(["/a/b", "/0", "/a", "/a/b/c", "/a/", *FILLERS[:extra]])
    assert expected == roots.cover(path)


def test_a_root_below_another_is_left_out():
    """Else a grant that names a place twice would be looked through twice at each op."""
    few = Roots(["/a/b", "/0", "/a", "/a/b/c", "/a/", "/a-b", "/b/x"])
    assert ("/0/", "/a-b/", "/a/", "/b/x/") == few.scanned
    many = Roots([*FILLERS, *(f"{root}/x" for root in FILLERS), "/zz/039"])
    assert {f"{root}/" for root in FILLERS} == many.known


@pytest.mark.parametrize(
    ("size", "scanned", "known", "lengths"),
    [(0, 0, 0, ()), (1, 1, 0, ()), (16, 16, 0, ()), (17, 0, 17, (8,)), (40, 0, 40, (8,))],
)
def test_few_roots_are_scanned_and_many_looked_up(size, scanned, known, lengths):
    """Else a long list would be gone through root by root at each op, or be searched twice."""
    roots = Roots(FILLERS[:size])
    assert [scanned, known, lengths] == [len(roots.scanned), len(roots.known), roots.lengths]


@pytest.mark.parametrize("size", [16, 17, 40])
def test_the_first_and_the_last_of_many_prefixes_count(size):
    """Else the search would miss an end of the list."""
    roots = Roots(FILLERS[:size])
    assert [True, True, True, False] == [
        roots.cover(FILLERS[0]),
        roots.cover(FILLERS[0] + "/x"),
        roots.cover(FILLERS[size - 1] + "/x"),
        roots.cover(FILLERS[size - 1] + "x"),
    ]


def test_roots_cannot_be_made_anew_in_place():
    """Else `caps.readable.__init__(["/"])` would widen a grant in use."""
    roots = Roots(["/work"])
    with contextlib.suppress(TypeError):
        roots.__init__(["/"])
    assert roots.cover("/etc") is False


@pytest.mark.parametrize("name", ["scanned", "known", "lengths", "more"])
def test_roots_cannot_be_changed(name):
    """Else `caps.readable.scanned = ("/",)` would widen a grant in use."""
    roots = Roots(["/work"])
    with pytest.raises((AttributeError, TypeError)):
        setattr(roots, name, ("/",))
    with pytest.raises(AttributeError):
        roots.__setstate__([("/",), frozenset(), ()])
    assert roots.cover("/etc") is False


def test_roots_have_no_room_for_more():
    """Else `vars(caps.readable)` would be a way round the refusal to set a field."""
    assert hasattr(Roots(["/work"]), "__dict__") is False
