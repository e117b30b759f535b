"""What the properties are tried on: grants, clocks and ops, drawn from tables of spellings."""

from dataclasses import replace
from itertools import combinations, product
from math import nan

from capfuzz.engine import Capabilities
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from .plays import FILES, HOSTS, LINKS, TOOLS

# The same examples every time: exploring is the fuzzer's work.
check = settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)

_NEAR = ["/", "/work", "/work/out", "/work/out/new", "/workshop", "/etc/missing", "/work/missing"]
_THROUGH = ["/tmp/f", "/tmp/new", "/work/away/passwd", "/work/out/back/new", "/work/data.txt/x"]
_PLACES = [*FILES, *LINKS, *_NEAR, *_THROUGH]
_SPELLINGS = [
    *("{}", "/{}", "{}/", "/.{}", "{}/.", "/work{}", "x{}", "{} ", "/%2e%2e{}", "{}\0", "{}\ud800"),
    *("{}/..", "{}\\..", "/work/..{}", "/work/out/../..{}", "{}/../data.txt"),
]
_HOST_SPELLINGS = [
    *("{}", "{}.", "{}..", " {}", "{}:80", "[{}]", "0{}", "{}/", "evil.com@{}", "x.{}"),
    "{}.evil.com",
]
_NAMES = [*TOOLS, "absent", "ECHO", "echo ", "", "*"]

_PATHS = [form.format(place) for place, form in product(_PLACES, _SPELLINGS)]
_HOSTS = [form.format(host) for host, form in product(HOSTS, _HOST_SPELLINGS)]
_READS = [("fs_read", path) for path in _PATHS]
_WRITES = [("fs_write", path, data) for path, data in product(_PATHS, (b"12345", "ü"))]
_FETCHES = [
    ("net_fetch", host, path)
    for host, path in product(
        [*_HOSTS, "0xa.7", "API.INTERNAL", "absent.internal"], ["/s", "/away", "/none"]
    )
]
_ARGUMENTS = [(), ("x",), *_READS[:40:7], _FETCHES[0], _WRITES[0], ("tool", "echo", "x")]
_CALLS = [("tool", name, *rest) for name, rest in product(_NAMES, _ARGUMENTS)]
_JUNK = [None, (), ("fs_read",), ["fs_read", "/work/data.txt"], ("mount", "/"), ("tool", None)]

# Plain ops are repeated, or hardly any would pass the first check; one table, so one draw an op.
_PLAIN = [
    *(("fs_read", place) for place in _PLACES),
    *(("fs_write", place, b"12345") for place in _PLACES),
    *(("net_fetch", host, "/s") for host in HOSTS),
    *(("tool", name) for name in TOOLS),
]
_ALL = [*_READS, *_WRITES, *_FETCHES]
OPS = st.sampled_from([*_PLAIN * (len(_ALL) // len(_PLAIN)), *_ALL, *_CALLS * 4, *_JUNK * 4])
SEQUENCES = st.lists(OPS, min_size=6, max_size=16)

_NARROW = ["/work", "/work/", "/work/out/", "/work/data.txt", "/tmp", "/work/spin", "/work/away"]
_MANY = tuple(f"/r/{n}" for n in range(20))
LIMITS = st.sampled_from([*[10**6] * 20, 40, 20, 11, 5, 2, 1, 0])


def _some(*values):
    return [some for size in (1, 2, 3, 0) for some in combinations(values, size)]


_PREFIXES = [*_some(*_NARROW), ("/",), ("/etc/", "/work"), ("/work", *_MANY), ("/tmp", *_MANY)]
GRANTS = st.builds(
    Capabilities,
    fs_read=st.sampled_from(_PREFIXES),
    fs_write=st.sampled_from(_PREFIXES),
    net_hosts=st.sampled_from(_some(*HOSTS, "absent.internal", "EVIL.com.")),
    allowed_tools=st.sampled_from([*[tuple(TOOLS)] * 100, *_some(*TOOLS, "absent")]),
    max_ops=LIMITS,
    max_output_bytes=LIMITS,
    max_wall=LIMITS,
)
_TICKS = [0, 1, 3, True, 1.5, nan, None, ValueError, SystemExit]
_STEADY = st.just(tuple(range(200)))
CLOCKS = st.one_of(
    *[_STEADY] * 5,
    st.lists(st.integers(-4, 9), min_size=1, max_size=12).map(tuple),
    st.lists(st.sampled_from(_TICKS), min_size=1).map(tuple),
)


def lists(caps):
    """Return the four lists of a grant."""
    return caps.fs_read, caps.fs_write, caps.net_hosts, caps.allowed_tools


@st.composite
def pairs(draw):
    """
    Draw a grant and a smaller one: entries left out, prefixes narrowed, budgets cut.

    The large one's budgets are ample: what a smaller grant refuses leaves more of a budget.
    """
    large = replace(draw(GRANTS), max_ops=10**6, max_output_bytes=10**9, max_wall=10**6)
    kept = draw(st.integers(0, 2**12 - 1))
    below = draw(st.sampled_from(["", "/", "/out", "/data.txt"]))
    reads, writes, hosts, tools = (
        [value for at, value in enumerate(sorted(some)) if kept >> (at + 3 * which) % 12 & 1]
        for which, some in enumerate(lists(large))
    )
    narrow = [prefix.rstrip("/") + below or "/" for prefix in reads]
    limits = [draw(LIMITS) for _ in range(3)]
    return large, Capabilities(narrow, writes, hosts, tools, *limits)


class Text(str):
    """A str that says yes to every check and raises in every conversion."""

    __slots__ = ()

    def __eq__(self, other):
        """Claim to equal anything."""
        return True

    __hash__ = str.__hash__

    def _refuse(self, *_):
        raise SystemExit

    startswith = encode = split = replace = translate = __str__ = __len__ = __contains__ = _refuse


class Mute:
    """An answer whose text cannot be told."""

    def __str__(self):
        """Tell nothing."""
        raise SystemExit


class Tuple(tuple):
    """A tuple that raises when it is looked into."""

    __slots__ = ()

    def _refuse(self, *_):
        raise SystemExit

    __getitem__ = __len__ = __iter__ = __eq__ = _refuse
    __hash__ = None


class Thing:
    """A thing that raises whatever is asked of it, its class included."""

    def _refuse(self, *_):
        raise SystemExit

    __getattribute__ = __str__ = __eq__ = __bool__ = __call__ = __len__ = _refuse
    __hash__ = None


_KINDS = ["fs_read", "fs_write", "net_fetch", "tool"]
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(),
    st.integers(),
    st.binary(max_size=8),
    st.text(st.characters(codec=None), max_size=8),
    st.sampled_from([*_KINDS, "/work/data.txt", "api.internal", "use"]),
    st.sampled_from(["fs_read", "/work/x", "use"]).map(Text),
    st.builds(Thing),
)
HOSTILE = st.one_of(
    _SCALARS,
    st.lists(_SCALARS, max_size=4),
    st.lists(_SCALARS, max_size=4).map(tuple),
    st.lists(_SCALARS, max_size=4).map(Tuple),
    st.tuples(st.sampled_from(_KINDS), _SCALARS),
    st.tuples(st.sampled_from(_KINDS), _SCALARS, _SCALARS),
    st.tuples(st.just("tool"), st.just("use"), _SCALARS),
)
