"""The world: it resolves as POSIX does, answers as a lenient client would, and confines nothing."""

import errno
import socket

import pytest
from capfuzz.engine import VFS, Net, NetError, Redirect
from capfuzz.engine.world import reached

FILES = {"/work/data": b"ledger", "/etc/passwd": b"root", "/a\\b": b"back", "/%2e": b"dot"}
LINKS = {
    "/l": "/etc",  # absolute
    "/work/up": "../etc",  # relative, upwards
    "/work/here": ".",
    "/work/leaf": "data",
    "/work/dangling": "/nowhere/x",
    "/work/chain": "leaf",
    "/loop": "/loop",
    "/ping": "pong",
    "/pong": "ping",
    "/top": "/",
    "/slash": "/etc/",
}


class _Liar(str):
    """A str whose methods tell of another path than its text."""

    __slots__ = ()

    def split(self, *_):
        return ["", "etc", "passwd"]

    def __str__(self):
        return "/etc/passwd"

    def translate(self, _):
        return "evil.com"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "/"),
        (".", "/"),
        ("/", "/"),
        ("//", "/"),
        ("/..", "/"),
        ("/../..", "/"),
        ("work", "/work"),
        ("/work/", "/work"),
        ("//work///data", "/work/data"),
        ("/work/./data", "/work/data"),
        ("/work/../etc", "/etc"),
        ("/work/x/../../../etc", "/etc"),
        ("/missing/x/../y", "/missing/y"),
        ("/work/...", "/work/..."),
        ("/a\\..\\b", "/a\\..\\b"),
        ("/%2e%2e/x", "/%2e%2e/x"),
        ("/\ud800", "/\ud800"),
        ("/l", "/etc"),
        ("/l/passwd", "/etc/passwd"),
        ("/l/missing", "/etc/missing"),
        ("/l/..", "/"),
        ("/work/up", "/etc"),
        ("/work/up/passwd", "/etc/passwd"),
        ("/work/here/data", "/work/data"),
        ("/work/leaf", "/work/data"),
        ("/work/leaf/..", "/work"),
        ("/work/chain", "/work/data"),
        ("/work/dangling", "/nowhere/x"),
        ("/top/work/leaf", "/work/data"),
        ("/work/here/here/here/up", "/etc"),
        ("/slash/passwd", "/etc/passwd"),
    ],
)
def test_a_path_leads_where_posix_says(path, expected):
    """Else an escape would go unseen, or an honest path would look like one."""
    assert expected == VFS(FILES, LINKS).resolve(path)


@pytest.mark.parametrize("path", ["/loop", "/loop/x", "/ping", "/work/../pong/.."])
def test_a_loop_of_links_leads_nowhere(path):
    """Else a loop would hang the world."""
    with pytest.raises(OSError, match="too many levels of symbolic links") as caught:
        VFS(FILES, LINKS).resolve(path)
    assert errno.ELOOP == caught.value.errno


def test_forty_links_may_be_followed_and_no_more():
    """Else the world would follow other chains than Linux does."""
    vfs = VFS({"/end": b""}, {f"/{n}": f"/{n - 1}" if n > 1 else "/end" for n in range(1, 42)})
    assert "/end" == vfs.resolve("/40")
    with pytest.raises(OSError, match="too many levels"):
        vfs.resolve("/41")


@pytest.mark.parametrize("path", ["\0", "/work\0", "/a/\0/b"])
def test_a_nul_in_a_path_is_an_error(path):
    """Else a path would be cut short, or name what no system can."""
    with pytest.raises(ValueError, match="null character"):
        VFS().resolve(path)


@pytest.mark.parametrize("path", [None, 7, b"/work", ["/work"], ("/", "w")])
def test_a_path_that_is_no_str_is_an_error(path):
    """Else bytes or a list would be taken for a path."""
    with pytest.raises(TypeError):
        VFS().resolve(path)


def test_a_path_is_resolved_by_its_text():
    """Else a subclass would show one path to the check and another to the world."""
    assert "/work/data" == VFS().resolve(_Liar("/work/data"))


@pytest.mark.parametrize(("links", "expected"), [({}, False), (None, False), ({"/l": "/x"}, True)])
def test_the_world_knows_whether_it_has_links(links, expected):
    """Else links would not be followed at all."""
    assert expected is VFS(FILES, links).has_links


def test_files_and_links_are_placed_where_their_paths_lead():
    """Else a world made with an untidy spelling would hold unreachable files."""
    vfs = VFS({"//work/./l/f": "tëxt"}, {"work//l": "/real", "/work/l/m": "/deep"})
    assert {"/real/f": "tëxt".encode()} == vfs.snapshot()
    assert "/deep" == vfs.resolve("/real/m")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/work/data", b"ledger"),
        ("work/../work/data", b"ledger"),
        ("/l/passwd", b"root"),
        ("/work/../etc/passwd", b"root"),
        ("/a\\b", b"back"),
        ("/%2e", b"dot"),
    ],
)
def test_a_read_confines_nothing(path, expected):
    """Else the world would hide the escape that a target lets through."""
    assert expected == VFS(FILES, LINKS).read(path)


@pytest.mark.parametrize(
    ("path", "error", "number"),
    [
        ("/missing", FileNotFoundError, errno.ENOENT),
        ("/work/dat", FileNotFoundError, errno.ENOENT),
        ("/work/data/x", FileNotFoundError, errno.ENOENT),
        ("/work/dangling", FileNotFoundError, errno.ENOENT),
        ("/work", IsADirectoryError, errno.EISDIR),
        ("/", IsADirectoryError, errno.EISDIR),
        ("/loop", OSError, errno.ELOOP),
    ],
)
def test_a_read_of_what_is_no_file_is_an_error(path, error, number):
    """Else a target's own error handling would be tried with errors that no system gives."""
    with pytest.raises(error) as caught:
        VFS(FILES, LINKS).read(path)
    assert number == caught.value.errno


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/work/new", "/work/new"),
        ("/work/data", "/work/data"),
        ("/deep/er/new", "/deep/er/new"),
        ("rel", "/rel"),
        ("/work/leaf", "/work/data"),
        ("/work/dangling", "/nowhere/x"),
        ("/l/new", "/etc/new"),
        ("/work/../etc/passwd", "/etc/passwd"),
    ],
)
def test_a_write_lands_where_the_path_leads(path, place):
    """Else the world would not show where a target really writes."""
    vfs = VFS(FILES, LINKS)
    vfs.write(path, b"new")
    assert {**FILES, place: b"new"} == vfs.snapshot()


@pytest.mark.parametrize(
    ("path", "error", "number"),
    [
        ("/", IsADirectoryError, errno.EISDIR),
        ("/work", IsADirectoryError, errno.EISDIR),
        ("/l", IsADirectoryError, errno.EISDIR),
        ("/work/data/x", NotADirectoryError, errno.ENOTDIR),
        ("/work/data/x/y", NotADirectoryError, errno.ENOTDIR),
        ("/loop", OSError, errno.ELOOP),
    ],
)
def test_a_write_to_what_is_no_file_changes_nothing(path, error, number):
    """Else one name would be a file and a folder at once."""
    vfs = VFS(FILES, LINKS)
    with pytest.raises(error) as caught:
        vfs.write(path, b"new")
    assert [number, FILES] == [caught.value.errno, vfs.snapshot()]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/work/data", True),
        ("/work", True),
        ("/", True),
        ("/l", True),
        ("/l/passwd", True),
        ("/work/leaf", True),
        ("/wor", False),
        ("/work/missing", False),
        ("/work/dangling", False),
        ("/loop", False),
        ("/work\0", False),
    ],
)
def test_a_path_exists_if_it_leads_to_something(path, expected):
    """Else a target that asks first would be told wrong."""
    assert expected is VFS(FILES, LINKS).exists(path)


def test_an_empty_world_has_a_root_and_nothing_else():
    """Else an empty world would be an error to ask."""
    assert [True, False, {}] == [VFS().exists("/"), VFS().exists("/x"), VFS().snapshot()]


def test_a_snapshot_is_a_copy():
    """Else before and after would always be equal."""
    vfs = VFS({"/a": b"1"})
    before = vfs.snapshot()
    vfs.write("/a", b"2")
    assert [{"/a": b"1"}, {"/a": b"2"}] == [before, vfs.snapshot()]


def test_the_mappings_a_world_was_made_from_are_copied():
    """Else two worlds made from one table would share their files and routes."""
    files, routes = {"/a": b"1"}, {"/s": "ok"}
    vfs, net = VFS(files), Net({"h": routes})
    vfs.write("/b", b"2")
    routes["/t"] = "new"
    assert {"/a": b"1"} == files
    with pytest.raises(NetError):
        net.fetch("h", "/t")


SPELLINGS = [
    *("127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "017700000001", "0x7f.1"),
    *("0177.0.0.1", "0x7F.0x0.0x0.0x1", "127.0.0.01", "127.0.0.1.", "0X7F.1", "00000177.0.1"),
]


@pytest.mark.parametrize("host", SPELLINGS)
def test_every_spelling_of_an_address_reaches_it(host):
    """Else a target that lets another spelling pass would seem to reach nothing."""
    assert "127.0.0.1" == reached(host)


# Whatever inet_aton(3) makes of a text of digits, letters and dots, right or not.
NUMBERS = [
    *SPELLINGS,
    *(
        "0",
        "00",
        "0.0",
        "1",
        "255",
        "256",
        "65535",
        "65536",
        "16777216",
        "4294967295",
        "4294967296",
    ),
    *("1.2", "1.16777215", "1.16777216", "1.2.65535", "1.2.65536", "1.2.3.255", "1.2.3.256"),
    *("1.2.3.257", "1.2.65537", "1.16777217", "4294967297", "99999999999", "1.2.3.99999"),
    *("256.1", "255.1", "1.256.1", "1.255.1", "1.2.256.1", "1.2.255.1", "1.2.3.4.5", "0.0.0.0.0"),
    *(
        "08",
        "09.1",
        "0x",
        "0xg",
        "0x.1",
        "x",
        "0o17",
        "0o177.0.0.1",
        "0x0x7f",
        "0b1",
        "1a",
        "a",
        "f",
    ),
    *("1..2", ".1", "1.", "", ".", "1e3", "07.07.07.07", "010", "0x10.010.10", "0xffffffff"),
    *("0x100000000", "037777777777", "040000000000", "1_0", "0x1_0", "+1", "-1", "0x-1", "0x+1"),
]


@pytest.mark.parametrize("text", [text for text in NUMBERS if not text.endswith(".")])
def test_an_address_is_read_as_the_c_library_reads_it(text):
    """Else the world would reach an address that no client does, or miss one that clients reach."""
    try:
        expected = socket.inet_ntoa(socket.inet_aton(text))
    except OSError:
        expected = text
    assert expected == reached(text)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("API.Internal", "api.internal"),
        ("api.internal.", "api.internal"),
        ("api.internal..", "api.internal."),
        ("\u212a", "\u212a"),
        ("127.0.0.\u0661", "127.0.0.\u0661"),
        ("127.0.0.\u00b2", "127.0.0.\u00b2"),
        ("\uff11", "\uff11"),
        (" 1", " 1"),
        ("::1", "::1"),
        ("1" * 5_000, "1" * 5_000),
        ("", ""),
    ],
)
def test_any_other_host_is_itself(host, expected):
    """Else the log would show a host that nobody asked for."""
    assert expected == reached(host)


NET = {"API.internal": {"/s": "ok", "/r": Redirect("evil.com", "/x")}, "127.0.0.1": {"/s": "me"}}


@pytest.mark.parametrize(
    ("host", "place", "expected"),
    [
        ("api.internal", "api.internal", "ok"),
        ("Api.Internal.", "api.internal", "ok"),
        ("127.0.0.1", "127.0.0.1", "me"),
        ("0x7f.1", "127.0.0.1", "me"),
        (_Liar("api.internal"), "api.internal", "ok"),
    ],
)
def test_a_fetch_reaches_what_a_lenient_client_would(host, place, expected):
    """Else another spelling of a host would seem to reach nothing."""
    net = Net(NET)
    assert [expected, [(place, "/s")]] == [net.fetch(host, "/s"), net.calls]


@pytest.mark.parametrize(
    ("host", "path", "place", "reason"),
    [
        ("evil.com", "/s", "evil.com", "unknown host"),
        ("2130706434", "/s", "127.0.0.2", "unknown host"),
        ("api.internal", "/t", "api.internal", "unknown route"),
        ("API.INTERNAL", "/S", "api.internal", "unknown route"),
    ],
)
def test_a_fetch_that_fails_is_recorded_all_the_same(host, path, place, reason):
    """Else a packet that left would be missing from the log."""
    net = Net(NET)
    with pytest.raises(NetError) as caught:
        net.fetch(host, path)
    assert [reason, [(place, path)]] == [str(caught.value), net.calls]


@pytest.mark.parametrize("kind", [ConnectionError, OSError, KeyError])
def test_a_failed_fetch_is_every_kind_of_error_that_a_client_gives(kind):
    """Else an adapter that expects the other kind would let it through."""
    assert issubclass(NetError, kind)


def test_calls_are_kept_in_order():
    """Else nobody could tell which fetch came first."""
    net = Net(NET)
    for path in ("/s", "/r", "/s"):
        net.fetch("api.internal", path)
    assert [("api.internal", "/s"), ("api.internal", "/r"), ("api.internal", "/s")] == net.calls


def test_two_networks_do_not_share_their_log():
    """Else one run would show what another fetched."""
    first, second = Net(NET), Net()
    first.fetch("api.internal", "/s")
    assert [] == second.calls


def test_a_redirect_is_handed_back_and_not_followed():
    """Else the world would reach a host that no op asked for."""
    net = Net(NET)
    answer = net.fetch("api.internal", "/r")
    assert ("302 evil.com/x", "evil.com", "/x") == (answer, answer.host, answer.path)
    assert [("api.internal", "/r")] == net.calls


def test_a_redirect_may_have_a_text_of_its_own():
    """Else a page that redirects could not say anything."""
    assert "moved" == Redirect("evil.com", "/x", "moved")
