"""The plain checker against the engine's fast one: every short string, and drawn ones beyond."""

import posixpath
from itertools import islice, product

import pytest
from capfuzz.attacks import naive
from capfuzz.engine import VFS, Capabilities, Net, Sandbox, paths, sandbox, world
from capfuzz.engine.hosts import Hosts, normal_host
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

# The same examples every time: exploring is the fuzzer's work.
check = settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
WORDS = {
    None: None,
    "denied": "fs_read_denied",
    "path_traversal": "path_traversal",
    "malformed_op": "malformed_op",
}
ODD = 10**9
LETTERS = "/.ab\\\0"
MANY = [f"/{one}{two}" for one in "ab" for two in ("", ".", "/", "/a", "a/b", "ba", "b/ab", "/b.")]
GRANTS = {
    "one root": ["/a"],
    "trailing slash": ["/a/"],
    "everything": ["/"],
    "nothing": [],
    "shared prefix": ["/a", "/ab"],
    "several": ["/a/b", "/b", "/a."],
    "doubled slash": ["//b//a/"],
    "looked up": ["/a/b", "/ab/a", "/b", "/bb.", *(f"/{n}" for n in range(14))],
    "looked up with both kinds of slashes": [*MANY, "/a\\b", "/b\\"],
}
HOST_LETTERS = "a.0x1:-A%"
HOSTS = {
    "names": ["a", "A.x.", "x-1", "0.a"],
    "addresses": ["::1", "::", "a::1", "1.1.1.1"],
    "nothing": [],
}


def every(letters, longest):
    """Yield every string over ``letters`` up to a length."""
    for length in range(longest + 1):
        yield from map("".join, product(letters, repeat=length))


def ample(vfs=None, **grant):
    """Return a sandbox whose budgets no test exhausts."""
    return Sandbox(Capabilities(**grant, max_ops=ODD, max_wall=ODD), vfs=vfs, net=Net())


def path_differences(roots, texts, vfs=None):
    """Yield the paths that the engine and the plain checker class differently."""
    box = ample(vfs, fs_read=roots)
    for path in texts:
        said = box.run(("fs_read", path)).violation
        if said != WORDS[naive.path_refusal(path, roots)]:
            yield path, said


def host_differences(granted, hosts):
    """Yield the hosts that only one of the two refuses."""
    box = ample(net_hosts=granted)
    for host in hosts:
        refused = box.run(("net_fetch", host, "/")).violation is not None
        if refused != naive.host_refused(host, granted):
            yield host, refused


def name_differences(hosts):
    """Yield the hosts that the two give different normal forms."""
    return (host for host in hosts if normal_host(host) != naive.host_name(host))


def reached_differences(hosts):
    """Yield the hosts that lead a lenient client elsewhere in the model than by inet_aton(3)."""
    return (host for host in hosts if world.reached(host) != naive.reached(host))


def some(differences):
    """Return the first few differences; a list, so that a failure names them."""
    return list(islice(differences, 5))


# ---------------------------------------------------------------- paths


@pytest.mark.slow
@pytest.mark.parametrize("roots", GRANTS.values(), ids=GRANTS)
def test_the_engine_classes_every_short_path_as_the_plain_checker_does(roots):
    """If it fails, a fast path of the engine lets something out or refuses honest work."""
    assert some(path_differences(roots, every(LETTERS, 7))) == []


@pytest.mark.slow
def test_following_links_changes_no_class_where_none_is_met():
    """If it fails, a world with links is checked by other rules than a world without."""
    vfs = VFS(links={"/c": "/b"})
    assert some(path_differences(["/a", "/b."], every(LETTERS, 6), vfs)) == []


@pytest.mark.slow
@pytest.mark.parametrize("roots", GRANTS.values(), ids=GRANTS)
def test_the_public_functions_agree_on_every_short_path(roots):
    """If it fails, whoever calls the functions without the sandbox is told something else."""
    for path in every(LETTERS, 5):
        refusal = naive.path_refusal(path, roots)
        assert (path, paths.has_traversal(path)) == (path, refusal == "path_traversal")
        if refusal != "path_traversal":
            assert (path, paths.is_wellformed(path)) == (path, refusal != "malformed_op")
            assert (path, paths.under_allowlist(path, roots)) == (path, refusal is None)


@pytest.mark.slow
@pytest.mark.parametrize("roots", GRANTS.values(), ids=GRANTS)
def test_every_short_path_leads_where_the_plain_checker_says(roots):
    """If it fails, the engine acts on a spelling that it should have collapsed first."""
    guard = ample(fs_read=roots)._readable
    for path in every(LETTERS, 6):
        place = guard.locate(path)
        if type(place) is str:
            assert (path, place) == (path, "/" + "/".join(naive.segments(path)))


def _looks_up_the_longest(roots, below):
    return below[: max(roots.lengths)] in roots.known


def _looks_up_below(roots, below):
    return any(below[:length] in roots.known for length in roots.lengths if length < len(below))


FAULTS = {
    "dot-dot between slashes only": (
        sandbox,
        "has_traversal",
        lambda path: ".." in path.split("/"),
    ),
    "any two dots": (sandbox, "has_traversal", lambda path: ".." in path),
    "dot-dot at the start only": (sandbox, "has_traversal", lambda path: path[:3] == "/.."),
    "nothing collapsed": (sandbox, "canonical", lambda path: path),
    "two leading slashes kept": (sandbox, "canonical", posixpath.normpath),
    "controls pass": (sandbox, "is_wellformed", lambda path: path.startswith("/")),
    "relative paths pass": (sandbox, "is_wellformed", lambda path: "\0" not in path),
    "no segment boundary": (paths, "_with_slash", lambda path: path),
    "the root itself left out": (paths.Roots, "look_up", _looks_up_below),
    "looked up by one length alone": (paths.Roots, "look_up", _looks_up_the_longest),
}


@pytest.mark.interpreted
@pytest.mark.parametrize(("where", "name", "fault"), FAULTS.values(), ids=FAULTS)
def test_the_comparison_of_paths_sees_a_broken_engine(where, name, fault, monkeypatch):
    """If it fails, the comparison would call a broken engine right."""
    monkeypatch.setattr(where, name, fault)
    grants = (GRANTS["shared prefix"], GRANTS["looked up"], GRANTS["everything"])
    assert any(some(path_differences(roots, every(LETTERS, 5))) for roots in grants)


NAMES = st.sampled_from(
    ["a", "b", "ab", "a.", "..a", "...", ".", "a b", "\xe9", "%2e%2e", "\uff0e"]
)
ROOTS = st.builds(
    lambda parts, form: form.format("/".join(parts)),
    st.lists(NAMES, min_size=1, max_size=4),
    st.sampled_from(["/{}", "/{}/", "//{}", "/{}//"]),
)
PIECES = st.sampled_from(
    [*("/", "\\", "..", ".", "a", "b", "\0", "\x1f", "\x7f", "\ud800", "\xe9", "\uff0e", "%2e")]
)
PATHS = st.one_of(
    st.lists(PIECES, max_size=24).map("".join),
    st.builds(str.__add__, ROOTS, st.lists(PIECES, max_size=6).map("".join)),
    ROOTS,
)


@check
@given(st.lists(ROOTS, max_size=60), st.lists(PATHS, min_size=1, max_size=20))
def test_long_paths_and_many_roots_are_classed_alike(roots, drawn):
    """If it fails, the engine is right on short strings only."""
    assert some(path_differences(roots, [*drawn, *roots])) == []


@check
@given(st.lists(ROOTS, min_size=17, max_size=60), st.data())
def test_what_lies_below_or_beside_one_of_many_roots_is_classed_alike(roots, data):
    """If it fails, a binary search over the roots goes wrong beside one of them."""
    root = data.draw(st.sampled_from(roots))
    drawn = [root + tail for tail in ("", "/", "/a", "a", ".", "/..", " ", "0", "\\", "\U0001f600")]
    assert some(path_differences(roots, drawn)) == []


# ---------------------------------------------------------------- hosts


@pytest.mark.slow
def test_every_short_host_has_the_normal_form_that_the_plain_checker_gives():
    """If it fails, two spellings are one host to the engine that should be two, or the reverse."""
    assert some(name_differences(every(HOST_LETTERS, 5))) == []


@pytest.mark.slow
@pytest.mark.parametrize("granted", HOSTS.values(), ids=HOSTS)
def test_the_engine_refuses_every_short_host_that_the_plain_checker_refuses(granted):
    """If it fails, the engine contacts a host that was not granted, or refuses one that was."""
    assert some(host_differences(granted, every(HOST_LETTERS, 5))) == []


@pytest.mark.slow
def test_every_short_spelling_of_an_address_leads_where_inet_aton_says():
    """If it fails, the model of a lenient client reaches another host than a real one."""
    assert some(reached_differences(every("01789afxX.", 5))) == []


HOST_FAULTS = {
    "any case of any letter": lambda host: naive.host_name(host.casefold()),
    "every dot stripped": lambda host: naive.host_name(host.strip(".")),
    "no dot stripped": lambda host: None if host[-1:] == "." else naive.host_name(host),
    "numbers are names": lambda host: naive.host_name(host) or (host if host.isdigit() else None),
    "the port dropped": lambda host: naive.host_name(host.partition(":")[0]),
    "zone ids pass": lambda host: naive.host_name(host.partition("%")[0]),
}


@pytest.mark.parametrize("fault", HOST_FAULTS.values(), ids=HOST_FAULTS)
def test_the_comparison_of_hosts_sees_a_broken_engine(fault, monkeypatch):
    """If it fails, the comparison would call a broken engine right."""
    monkeypatch.setattr(Hosts, "admit", lambda self, host: host in self or fault(host) in self)
    monkeypatch.setitem(globals(), "normal_host", fault)
    assert some(name_differences(every("a.1:%A", 4)))
    granted = [*HOSTS["names"], "A", "::1"]
    if fault not in {HOST_FAULTS["numbers are names"], HOST_FAULTS["any case of any letter"]}:
        assert some(host_differences(granted, every("a.1:%A", 4)))


REACHED_FAULTS = {
    "no octal": lambda host: host.removesuffix("."),
    "no dot stripped": lambda host: naive.reached(host + "."),
    "no hex": lambda host: host if "x" in host else naive.reached(host),
}


@pytest.mark.parametrize("fault", REACHED_FAULTS.values(), ids=REACHED_FAULTS)
def test_the_comparison_of_clients_sees_a_broken_model(fault, monkeypatch):
    """If it fails, the comparison would call a broken world right."""
    monkeypatch.setattr(world, "reached", fault)
    assert some(reached_differences(every("0x.1", 4)))


PARTS = st.sampled_from(
    [
        *(
            "api",
            "API",
            "a-b",
            "_a",
            "0",
            "1",
            "127",
            "255",
            "256",
            "01",
            "0177",
            "08",
            "0x7f",
            "0X1",
        ),
        *("0x", "x", "4294967295", "4294967296", "65535", "16777216", "\u212a", "\u0131", "\xdf"),
        *("%2e", "@", "/", "\\", " ", "\0", "\ud800", "1e1", "1_0", "+1", "-1", "::", "ffff", ""),
        *("a" * 63, "a" * 64, "\uff11", "0b1", "0o1", "0x0x1", "0xg", "9" * 5000, "0" * 300),
    ]
)
SEPARATORS = st.sampled_from([".", ".", ".", ".", ":", "", "\u3002", ".."])
ADDRESSES = st.one_of(
    st.ip_addresses().map(str),
    st.ip_addresses(v=6).map(lambda one: one.exploded),
    st.ip_addresses(v=6).map(lambda one: str(one).upper()),
    st.ip_addresses(v=4).map(lambda one: f"::ffff:{one}"),
    st.ip_addresses(v=6).map(lambda one: f"{one}%eth0"),
    st.ip_addresses(v=4).map(lambda one: hex(int(one))),
    st.ip_addresses(v=4).map(lambda one: str(int(one))),
)
DRAWN_HOSTS = st.one_of(
    st.lists(st.tuples(PARTS, SEPARATORS), max_size=8).map(
        lambda pairs: "".join(part + mark for part, mark in pairs)
    ),
    st.builds(str.__add__, ADDRESSES, st.sampled_from(["", ".", "..", " ", ":80"])),
    st.text(max_size=12),
)


@check
@given(st.lists(DRAWN_HOSTS, min_size=1, max_size=20))
def test_long_hosts_are_named_and_reached_alike(hosts):
    """If it fails, the engine is right on short hosts only."""
    assert some(name_differences(hosts)) == []
    assert some(reached_differences(hosts)) == []


@check
@given(st.lists(DRAWN_HOSTS, max_size=40), st.lists(DRAWN_HOSTS, min_size=1, max_size=20))
def test_drawn_hosts_are_refused_alike(offered, hosts):
    """If it fails, the engine contacts a host that was not granted, or refuses one that was."""
    granted = [host for host in offered if naive.host_name(host) is not None]
    tried = [*hosts, *granted, *(host + "." for host in granted), *map(str.upper, granted)]
    assert some(host_differences(granted, tried)) == []


def test_the_length_of_a_name_is_counted_alike():
    """If it fails, the engine takes names for hosts that DNS cannot hold (RFC 1035, 2.3.4)."""
    label = "a" * 63
    edges = [f"{label}.{label}.{label}.{'a' * last}{dot}" for last in (61, 62) for dot in ("", ".")]
    assert some(name_differences(edges)) == []
    assert [normal_host(host) is not None for host in edges] == [True, True, False, False]


# ---------------------------------------------------------------- links

LINK_NAMES = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(
    lambda names: "/" + "/".join(names)
)
TARGETS = st.builds(
    str.__add__,
    st.sampled_from(["", "/", "//", "./", "../"]),
    st.lists(st.sampled_from(["a", "b", "c", "..", ".", ""]), min_size=1, max_size=4).map("/".join),
)
LINKS = st.dictionaries(LINK_NAMES, TARGETS, max_size=6)
WAYS = st.lists(st.sampled_from(["a", "b", "c", "..", ".", "", "\\", "%2e%2e"]), max_size=60).map(
    "/".join
)


def led(resolve, *given):
    """Return where a path leads, or that it leads nowhere."""
    try:
        return resolve(*given)
    except OSError:
        return "nowhere"


def placed(links):
    """Return links at the places where a world puts them, one after another."""
    there = {}
    for path, target in links.items():
        there[naive.resolve(path, there)] = target
    return there


def link_differences(links, ways):
    """Yield the paths that the world and the plain checker resolve differently."""
    there = led(placed, links)
    if there == "nowhere":
        yield from () if led(VFS, None, links) == "nowhere" else ways
        return
    vfs = VFS(links=links)
    for way in ways:
        if led(vfs.resolve, way) != led(naive.resolve, way, there):
            yield way


@check
@given(LINKS, st.lists(WAYS, min_size=1, max_size=8))
def test_a_path_leads_to_the_same_place_in_a_drawn_world_of_links(links, ways):
    """If it fails, the oracle judges another place than the one that is acted upon."""
    assert some(link_differences(links, ways)) == []


LINK_FAULTS = {
    "up before following": lambda vfs, path: posixpath.normpath(path),
    "relative to the root": lambda vfs, path: naive.resolve(
        path, {place: "/" + target for place, target in vfs._links.items()}
    ),
    "loops end somewhere": lambda vfs, path: led(naive.resolve, path, vfs._links) + "!",
}


@pytest.mark.parametrize("fault", LINK_FAULTS.values(), ids=LINK_FAULTS)
def test_the_comparison_of_links_sees_a_broken_world(fault, monkeypatch):
    """If it fails, the comparison would call a broken world right."""
    monkeypatch.setattr(VFS, "resolve", fault)
    links = {"/a": "/b/c", "/b/up": "..", "/b/here": "c", "/loop": "loop"}
    assert some(link_differences(links, ["/a/..", "/b/up/b", "/b/here", "/loop"]))


@pytest.mark.parametrize("links", [39, 40, 41])
@pytest.mark.parametrize("shape", ["chain", "row"])
def test_forty_links_may_be_followed(shape, links):
    """If it fails, the two follow another number of links; what is wide counts as what is deep."""
    chain = {f"/{n}": f"{n + 1}" for n in range(links)}
    world_links, way = (chain, "/0") if shape == "chain" else ({"/s": "."}, "/s" * links)
    expected = "nowhere" if links > 40 else f"/{links}" if shape == "chain" else "/"
    assert expected == led(naive.resolve, way, world_links)
    assert expected == led(VFS(links=world_links).resolve, way)


def test_links_that_double_at_every_step_are_given_up():
    """If it fails, forty links of a hostile world keep the oracle busy for years."""
    doubling = {f"/{n}": f"/{n + 1}/../{n + 1}" for n in range(60)}
    assert led(naive.resolve, "/0", doubling) == "nowhere"


# ---------------------------------------------------------------- what only careless steps make


@pytest.mark.parametrize(
    "host",
    [
        *("api.internal", "API.internal.", "api%2einternal", "api%252einternal", ".api.internal"),
        *("\uff41pi.internal", "user@api.internal", "api.internal:80", "api.internal\t"),
        "api\u3002internal",
    ],
)
def test_a_careless_step_makes_the_granted_host_of_a_spelling(host):
    """If it fails, a spelling that some clients take for the granted host is called hostile."""
    assert "api.internal" in naive.lenient_names(host)


@pytest.mark.parametrize(
    "host", ["", "evil.test", "api.internal.evil.test", "xapi.internal", "\ud800"]
)
def test_no_careless_step_makes_the_granted_host_of_another(host):
    """If it fails, another host passes for a spelling of the granted one."""
    assert "api.internal" not in naive.lenient_names(host)
