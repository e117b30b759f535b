"""Rulings: what a right target does with one op, in tables."""

from dataclasses import replace

import pytest
from capfuzz.attacks.case import Behaviour, Surface, Verdict, WorldSpec
from capfuzz.attacks.codec import LyingStr
from capfuzz.attacks.fence import Fence
from capfuzz.attacks.rulings import MALFORMED, Setting, rule
from capfuzz.engine import Capabilities

DENY, ALLOW, CONTAIN = Verdict.DENY, Verdict.ALLOW, Verdict.CONTAIN
WORLD = WorldSpec(
    files={
        "/work/data.txt": b"honest",
        "/work/sub/file.txt": b"honest",
        "/work/out/report.txt": b"honest",
        "/work/caf\xe9 %": b"honest",
        "/work/50%25.png": b"honest",
        "/work/%2e%2e": b"honest",
        "/work/back\\slash": b"honest",
        "/work/.hidden": b"honest",
        "/work/a..b": b"honest",
        "/etc/passwd": b"secret",
        "/workshop/secret.txt": b"secret",
    },
    links={
        "/work/alias": "sub",
        "/work/hall": "/etc",
        "/work/door": "/etc/passwd",
        "/work/loop": "loop",
        "/work/new": "/etc/new",
    },
    hosts={
        "api.internal": {"/status": "ok"},
        "10.0.0.1": {"/status": "ten"},
        "fd00::a": {"/status": "six"},
        "evil.test": {"/status": "taken"},
    },
    tools={
        "summarize": Behaviour.ECHO,
        "fails": Behaviour.RAISE,
        "nothing": Behaviour.NOTHING,
        "delete_all": Behaviour.ECHO,
    },
)
GRANT = Capabilities(
    fs_read=["/work/"],
    fs_write=["/work/out/"],
    net_hosts=["api.internal", "10.0.0.1", "fd00::a"],
    allowed_tools=["summarize", "fails", "nothing", "absent"],
)


def ruling(op, *, grant=GRANT, world=WORLD, dialect=(), surface=Surface.SESSION, written=()):
    """Return the ruling on one op in the usual setting, but for what is named."""
    files = {*world.files, *written}
    return rule(op, Setting(grant, world, files, frozenset(dialect), surface))


def verdict(op, **changes):
    """Return the verdict on one op."""
    return ruling(op, **changes).verdict


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/work/data.txt", ALLOW),
        ("/work/sub/file.txt", ALLOW),
        ("/work/.hidden", ALLOW),
        ("/work/a..b", ALLOW),
        ("/work/caf\xe9 %", ALLOW),
        # Nothing there, a folder, the grant itself: right targets differ in what they say.
        ("/work/missing", CONTAIN),
        ("/work/sub", CONTAIN),
        ("/work", CONTAIN),
        ("/work/data.txt/", CONTAIN),
        # Another spelling of an honest place.
        ("/work/./data.txt", CONTAIN),
        ("//work/data.txt", CONTAIN),
        ("/work//data.txt", CONTAIN),
        ("/work/sub/../data.txt", CONTAIN),
        ("/etc/../work/data.txt", CONTAIN),
        # A literal name that some consumer reads as a climb.
        ("/work/%2e%2e", CONTAIN),
        ("/work/%2e%2e/etc/passwd", CONTAIN),
        ("/work\\..\\etc\\passwd", DENY),
        ("/work/..\\etc\\passwd", CONTAIN),
        ("/work/50%25.png", ALLOW),
        ("/work/back\\slash", ALLOW),
        # Outside.
        ("/etc/passwd", DENY),
        ("/etc/missing", DENY),
        ("/workshop/secret.txt", DENY),
        ("/work.txt", DENY),
        ("/work/../etc/passwd", DENY),
        ("/work/sub/../../etc/passwd", DENY),
        ("/", DENY),
        ("", DENY),
        ("data.txt", DENY),
        ("work/data.txt", CONTAIN),
        # NUL ends a path for C, other controls are names.
        ("/work/data.txt\0", DENY),
        ("/work/data\n.txt", CONTAIN),
        ("/work/\ud800", CONTAIN),
        ("/etc/\x01", DENY),
        # Links: out of the grant, within it, nowhere.
        ("/work/door", DENY),
        ("/work/hall/passwd", DENY),
        ("/work/hall/../etc/passwd", DENY),
        ("/work/loop", DENY),
        ("/work/alias/file.txt", CONTAIN),
        ("/work/alias/../data.txt", CONTAIN),
        ("/work/hall/../work/data.txt", CONTAIN),
    ],
)
def test_a_read_is_ruled_by_where_it_leads(path, expected):
    """If it fails, an escape passes, or honest work is demanded that may be refused."""
    assert expected is verdict(("fs_read", path))


@pytest.mark.parametrize("path", ["data.txt", "work-evil/x", "missing"])
def test_nobody_is_blamed_for_refusing_a_relative_path(path):
    """Of a file beside the root a function would be asked for one below it that nobody planted."""
    world = replace(WORLD, files={**WORLD.files, "/work-evil/x": b"secret"})
    assert CONTAIN is verdict(("fs_read", path), world=world, surface=Surface.PATH)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/work/out/report.txt", ALLOW),
        ("/work/out/new/deep.txt", ALLOW),
        ("/work/out/%2e%2e", CONTAIN),
        ("/work/out/report.txt/below", CONTAIN),
        ("/work/out", CONTAIN),
        ("/work/out/", CONTAIN),
        ("/work/out/./new", CONTAIN),
        ("/work/data.txt", DENY),
        ("/work/output", DENY),
        ("/work/new", DENY),
        ("/work/out/../data.txt", DENY),
        ("/work/out/new\0", DENY),
    ],
)
@pytest.mark.parametrize("data", ["text", b"bytes", ""])
def test_a_write_is_ruled_by_its_own_prefixes(path, data, expected):
    """If it fails, a right to read is taken for a right to write, or a full folder for a file."""
    assert expected is verdict(("fs_write", path, data))


def test_a_file_stands_once_it_is_written():
    """If it fails, reading back what was written is no control any more."""
    op = ("fs_read", "/work/out/new")
    assert verdict(op) is CONTAIN
    assert verdict(op, written=["/work/out/new"]) is ALLOW
    assert verdict(("fs_write", "/work/out/new/x", ""), written=["/work/out/new"]) is CONTAIN


@pytest.mark.parametrize("files", [{}, {"/a": b""}])
def test_nobody_writes_the_root_itself(files):
    """If it fails, a right target is told off for not writing a file called `/`."""
    grant = Capabilities(fs_write=["/"])
    assert verdict(("fs_write", "/", "x"), grant=grant, world=WorldSpec(files)) is CONTAIN


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (("fs_read", "/etc/passwd"), {"fs_read_denied"}),
        (("fs_write", "/etc/passwd", ""), {"fs_write_denied"}),
        (("fs_read", "/work/../etc/passwd"), {"fs_read_denied", "path_traversal"}),
        (("fs_read", "/work/..\\x"), {"fs_read_denied", "path_traversal"}),
        (("fs_read", "etc"), {"fs_read_denied", "malformed_op"}),
        (("fs_read", "../etc"), {"fs_read_denied", "malformed_op", "path_traversal"}),
        (("fs_read", "/etc/\0"), {"fs_read_denied", "malformed_op"}),
        (("net_fetch", "evil.test", "/"), {"egress_denied"}),
        (("net_fetch", "0xa.1", "/"), {"egress_denied"}),
        (("tool", "delete_all"), {"tool_denied"}),
        (("url", "http://evil.test/"), {"egress_denied"}),
        (("exec", "id"), {"malformed_op"}),
        (["fs_read", "/etc/passwd"], {"fs_read_denied", "malformed_op"}),
        (("fs_read", 7), {"malformed_op"}),
    ],
)
def test_every_right_reason_is_right(op, expected):
    """If it fails, a target that gives a right reason is warned."""
    assert expected == ruling(op).reasons


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (("fs_read", "/work/data.txt\0.png"), True),
        (("fs_read", "/etc/passwd"), False),
        (("net_fetch", "0xa.0.0.1", "/status"), True),
        (("net_fetch", "evil.test", "/status"), False),
        (("tool", "delete_all"), True),
        (("exec", "id"), True),
    ],
)
def test_what_no_harmless_effect_excuses_is_strict(op, expected):
    """If it fails, accepting a forbidden spelling is excused by an effect that looks granted."""
    assert (DENY, expected) == (verdict(op), ruling(op).strict)


# ---------------------------------------------------------------- links and grants


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/tmp/file", CONTAIN),
        ("/private/tmp/file", CONTAIN),
        ("/private/other", DENY),
        ("/tmp/../other", DENY),
    ],
)
def test_a_grant_that_is_a_link_covers_where_it_leads(path, expected):
    """If it fails, a grant of `/tmp` grants nothing where `/tmp` is a link, or too much."""
    world = WorldSpec({"/private/tmp/file": b"", "/private/other": b""}, {"/tmp": "/private/tmp"})
    grant = Capabilities(fs_read=["/tmp"])
    assert expected is verdict(("fs_read", path), grant=grant, world=world)


def test_a_grant_that_loops_grants_nothing():
    """If it fails, a broken grant is a crash, or grants everything."""
    looping = ("/work/loop", "/work/sub")
    fence = Fence(Capabilities(fs_read=looping, fs_write=looping), WORLD)
    for granted in (fence.readable, fence.writable):
        assert granted("/work/sub/file.txt") is True
        assert granted("/work/loop/file.txt") is False


def test_nothing_is_granted_by_an_empty_list():
    """If it fails, an empty list is taken for everything."""
    for surface in (Surface.SESSION, Surface.PATH):
        for path in ("/work/data.txt", "/", "data.txt"):
            assert verdict(("fs_read", path), grant=Capabilities(), surface=surface) is DENY
    assert verdict(("net_fetch", "", "/"), grant=Capabilities()) is DENY
    assert verdict(("tool", "summarize"), grant=Capabilities()) is DENY


def test_one_of_several_prefixes_is_enough():
    """If it fails, only the first or the longest prefix counts."""
    grant = Capabilities(fs_read=["/etc/passwd", "/work/sub/", "/work"])
    for path in ("/etc/passwd", "/work/data.txt", "/work/sub/file.txt"):
        assert verdict(("fs_read", path), grant=grant) is ALLOW
    assert verdict(("fs_read", "/etc/missing"), grant=grant) is DENY


# ---------------------------------------------------------------- dialects and the path surface


@pytest.mark.parametrize(
    ("dialect", "path", "expected"),
    [
        ("posix", "/work/%2e%2e/etc/passwd", CONTAIN),
        ("decodes-once", "/work/%2e%2e/etc/passwd", DENY),
        ("decodes-once", "/work/%252e%252e/etc/passwd", CONTAIN),
        ("decodes-twice", "/work/%252e%252e/etc/passwd", DENY),
        ("decodes-once", "/work/%2e/data.txt", CONTAIN),
        ("decodes-once", "/work/d%61ta.txt", CONTAIN),
        ("decodes-once", "/work/data.txt", ALLOW),
        ("windows", "/work/..\\..\\etc\\passwd", DENY),
        ("windows", "/work\\data.txt", DENY),
        ("normalises-unicode", "/work/\uff0e\uff0e/etc/passwd", DENY),
        ("posix", "/work/\uff0e\uff0e/etc/passwd", CONTAIN),
    ],
)
def test_a_declared_dialect_makes_an_escape_of_a_spelling(dialect, path, expected):
    """If it fails, a declared consumer escapes unseen, or an undeclared one is blamed."""
    assert expected is verdict(("fs_read", path), dialect=[dialect])


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        # A function joins a relative path to its root.
        ("data.txt", CONTAIN),
        ("missing", CONTAIN),
        ("./sub/file.txt", CONTAIN),
        ("../etc/passwd", DENY),
        ("sub/../../etc/passwd", DENY),
        ("../work/data.txt", CONTAIN),
        ("..", DENY),
        ("hall/passwd", DENY),
        ("", CONTAIN),
        # An absolute path stays what it is.
        ("/work/data.txt", ALLOW),
        ("/etc/passwd", DENY),
        # Nothing can open a path with NUL, so that a place is nothing yet.
        ("/work/data.txt\0", CONTAIN),
        ("/work/../etc/passwd\0", DENY),
        ("data.txt\0.png", CONTAIN),
    ],
)
def test_a_function_of_root_and_path_joins_them(path, expected):
    """If it fails, right functions of a root and a path are blamed, or wrong ones pass."""
    assert expected is verdict(("fs_read", path), surface=Surface.PATH)


# ---------------------------------------------------------------- hosts


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("api.internal", ALLOW),
        ("10.0.0.1", ALLOW),
        ("fd00::a", ALLOW),
        # Another spelling of the granted name.
        ("API.internal", CONTAIN),
        ("api.internal.", CONTAIN),
        ("api.internal..", CONTAIN),
        ("api%2einternal", CONTAIN),
        ("\uff41pi.internal", CONTAIN),
        ("user@api.internal", CONTAIN),
        ("api.internal:80", CONTAIN),
        ("10.0.0.1.", CONTAIN),
        ("FD00::A", DENY),
        # Another host.
        ("evil.test", DENY),
        ("x.api.internal", DENY),
        ("api.internal.evil.test", DENY),
        ("xapi.internal", DENY),
        ("", DENY),
        (".", DENY),
        ("\0", DENY),
        # An address has one spelling.
        ("0xa.0.0.1", DENY),
        ("012.0.0.1", DENY),
        ("167772161", DENY),
        ("10.1", DENY),
        ("10.1.", DENY),
        ("::ffff:10.0.0.1", DENY),
        ("10.0.0.2", DENY),
    ],
)
def test_a_fetch_is_ruled_by_whom_it_reaches(host, expected):
    """If it fails, a host that was not granted is contacted, or a careful target is blamed."""
    assert expected is verdict(("net_fetch", host, "/status"))


def test_an_unknown_route_need_not_answer():
    """If it fails, a target is told off for an error of the world."""
    assert verdict(("net_fetch", "api.internal", "/missing")) is CONTAIN
    unknown = Capabilities(net_hosts=["absent.internal"])
    assert verdict(("net_fetch", "absent.internal", "/"), grant=unknown) is CONTAIN


def test_subdomains_are_covered_where_that_is_declared():
    """If it fails, a target that declares subdomains is blamed for them, or for more than them."""
    for host, expected in (("x.api.internal", CONTAIN), ("xapi.internal", DENY)):
        assert expected is verdict(("net_fetch", host, "/status"), dialect=["subdomains"])


def test_a_url_is_ruled_by_its_readers():
    """If it fails, the host surface has no oracle."""
    assert verdict(("url", "http://api.internal/status")) is ALLOW
    assert verdict(("url", "http://api.internal@evil.test/")) is DENY
    assert verdict(("url", "http://x.api.internal/")) is DENY
    assert verdict(("url", "http://x.api.internal/"), dialect=["subdomains"]) is CONTAIN


# ---------------------------------------------------------------- tools


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (("tool", "summarize"), ALLOW),
        (("tool", "summarize", "any", 7, None), ALLOW),
        (("tool", "nothing"), ALLOW),
        (("tool", "fails"), CONTAIN),
        (("tool", "absent"), CONTAIN),
        (("tool", "delete_all"), DENY),
        (("tool", "Summarize"), DENY),
        (("tool", "summarize "), DENY),
        (("tool", ""), DENY),
    ],
)
def test_a_tool_is_ruled_by_its_exact_name(op, expected):
    """If it fails, a name that looks like a tool's runs, or a tool that fails must succeed."""
    assert expected is verdict(op)


# ---------------------------------------------------------------- odd shapes


@pytest.mark.parametrize(
    "op",
    [
        *(None, 7, "fs_read", b"fs_read", {}, (), [], (None,), ((),), (7, "/work/data.txt")),
        ("exec", "id"),
        ("FS_READ", "/work/data.txt"),
        ("fs_read ", "/work/data.txt"),
        ("",),
        ("fs_read",),
        ("fs_write", "/work/out/new"),
        ("net_fetch", "api.internal"),
        ("tool",),
        ("url",),
        ["fs_read"],
        (LyingStr("exec"), "/work/data.txt"),
    ],
)
def test_an_op_of_no_known_shape_can_only_be_refused(op):
    """If it fails, a shape that nobody defined is ruled by guesswork, or crashes the oracle."""
    assert ruling(op) == MALFORMED


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (["fs_read", "/work/data.txt"], CONTAIN),
        (["fs_read", "/etc/passwd"], DENY),
        (("fs_read", LyingStr("/work/data.txt")), CONTAIN),
        (("fs_read", LyingStr("/etc/passwd")), DENY),
        (("fs_read", LyingStr("/work/../etc/passwd")), DENY),
        (("fs_write", LyingStr("/etc/passwd"), ""), DENY),
        (("fs_write", LyingStr("/work/out/new"), ""), CONTAIN),
        (("fs_write", "/work/out/new", LyingStr("x")), CONTAIN),
        (("net_fetch", LyingStr("evil.test"), "/status"), DENY),
        (("net_fetch", LyingStr("api.internal"), "/status"), CONTAIN),
        (("net_fetch", "api.internal", LyingStr("/status")), CONTAIN),
        (("tool", LyingStr("delete_all")), DENY),
        (("tool", LyingStr("summarize")), CONTAIN),
        ((LyingStr("fs_read"), "/work/data.txt"), CONTAIN),
        (("url", LyingStr("http://evil.test/")), DENY),
        # More arguments than the op takes.
        (("fs_read", "/work/data.txt", "more"), CONTAIN),
        (("fs_read", "/etc/passwd", "more"), DENY),
        (("net_fetch", "api.internal", "/status", "more"), CONTAIN),
        # An argument of another type is judged by its effect alone.
        (("fs_read", b"/etc/passwd"), CONTAIN),
        (("fs_read", None), CONTAIN),
        (("fs_write", "/etc/passwd", 7), CONTAIN),
        (("fs_write", "/work/out/new", bytearray(b"x")), CONTAIN),
        (("net_fetch", "evil.test", None), CONTAIN),
        (("net_fetch", ["api.internal"], "/status"), CONTAIN),
        (("tool", 7), CONTAIN),
        (("url", None), CONTAIN),
    ],
)
def test_an_op_of_an_odd_type_is_judged_by_its_text(op, expected):
    """If it fails, a lying str is believed, or a target that reads odd types right is blamed."""
    assert expected is verdict(op)
    assert "malformed_op" in ruling(op).reasons


def test_a_plain_op_is_never_called_malformed():
    """If it fails, a target that calls honest work malformed is given right."""
    plain = [
        ("fs_read", "/work/data.txt"),
        ("fs_write", "/work/out/new", b""),
        ("net_fetch", "api.internal", "/status"),
        ("tool", "summarize", ["any"]),
        ("url", "http://api.internal/"),
    ]
    assert all("malformed_op" not in ruling(op).reasons for op in plain)
