"""The properties that hold whatever the input, tried on drawn grants, worlds, clocks and ops."""

import copy
import dataclasses
import pickle
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise, product
from math import inf, nan
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capfuzz.engine import VFS, Capabilities, GrantError, Net, Redirect, Result, Sandbox, Violation
from capfuzz.engine.results import HALTED

pytestmark = pytest.mark.slow

# The same examples every time: exploring is the fuzzer's work.
check = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)

FILES = {
    **{"/work/data.txt": b"ledger", "/work/out/old": b"old", "/work/%2e%2e/x": b"literal"},
    **{"/workshop/secret": b"blueprint", "/etc/passwd": b"root", "/private/tmp/f": b"tmp"},
}
LINKS = {
    **{
        "/work/in": "data.txt",
        "/work/away": "/etc",
        "/work/up": "../etc/passwd",
        "/work/spin": "spin",
    },
    **{"/work/out/leaf": "/etc/made", "/tmp": "/private/tmp", "/work/out/back": "/work/out"},
}
PLACES = [
    *FILES,
    *LINKS,
    *(
        "/",
        "/work",
        "/work/out",
        "/work/out/new",
        "/workshop",
        "/etc/missing",
        "/tmp/f",
        "/tmp/new",
    ),
    *("/work/away/passwd", "/work/out/back/new", "/work/data.txt/x", "/work/missing"),
]
SPELLINGS = [
    *("{}", "/{}", "{}/", "/.{}", "/work/..{}", "/work/out/../..{}", "/work{}", "{}/..", "{}\0"),
    *("{}\\..", "{}\ud800", "{}/.", "x{}", "{} ", "/%2e%2e{}", "{}/../data.txt"),
]
HOSTS = ["api.internal", "evil.com", "10.0.0.7", "127.0.0.1", "2001:db8::1", "absent.internal"]
HOST_SPELLINGS = [
    "{}",
    "{}.",
    "{}..",
    " {}",
    "{}:80",
    "evil.com@{}",
    "{}/",
    "x.{}",
    "{}.evil.com",
    "[{}]",
    "0{}",
]
TOOLS = ["echo", "raise", "exit", "flood", "nothing", "call", "wait", "object", "absent"]
NAMES = [*TOOLS, "ECHO", "echo ", "", "*"]

READS = [("fs_read", form.format(place)) for place, form in product(PLACES, SPELLINGS)]
WRITES = [("fs_write", path, data) for (_, path), data in product(READS, (b"12345", "ü"))]
FETCHES = [
    ("net_fetch", host, path)
    for host in [form.format(host) for host, form in product(HOSTS, HOST_SPELLINGS)]
    + ["0xa.7", "API.INTERNAL"]
    for path in ("/s", "/away", "/none")
]
CALLS = [
    ("tool", name, *rest)
    for name in NAMES
    for rest in [(), ("x",), *READS[:40:7], FETCHES[0], WRITES[0]]
]
JUNK = [
    None,
    (),
    ("fs_read",),
    ["fs_read", "/work/data.txt"],
    ("mount", "/"),
    ("tool", None),
    (b"fs_read", "/"),
]
OPS = st.one_of(*map(st.sampled_from, (READS, WRITES, FETCHES, CALLS, JUNK)))
SEQUENCES = st.lists(OPS, max_size=12)

PREFIXES = [
    "/",
    "/work",
    "/work/",
    "/work/out/",
    "/work/data.txt",
    "/tmp",
    "/etc/",
    "/work/spin",
    "/work/away",
]
MANY = [f"/r/{n}" for n in range(20)]
LIMITS = st.sampled_from([0, 1, 2, 5, 11, 40, 10**6])


def _some(values):
    return st.lists(st.sampled_from(values), max_size=3, unique=True).map(tuple)


GRANTS = st.builds(
    Capabilities,
    fs_read=st.one_of(_some(PREFIXES), _some(PREFIXES).map(lambda some: (*some, *MANY))),
    fs_write=_some(PREFIXES),
    net_hosts=_some([*HOSTS, "EVIL.com."]),
    allowed_tools=_some(TOOLS),
    max_ops=LIMITS,
    max_output_bytes=LIMITS,
    max_wall=LIMITS,
)
CLOCKS = st.one_of(
    st.just(tuple(range(200))),
    st.lists(st.integers(-4, 9), min_size=1, max_size=12).map(tuple),
    st.lists(
        st.sampled_from([0, 1, 3, True, 1.5, nan, None, ValueError, SystemExit]), min_size=1
    ).map(tuple),
)


@dataclass(slots=True)
class Step:
    """One op, what it came back with, and the world before and after."""

    op: object
    result: Result
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    was_halted: bool


class Files(VFS):
    """Files that log every place read or written."""

    def __init__(self, files, links):
        super().__init__(files, links)
        self.touched = []

    def read_place(self, place):
        """Log and read."""
        self.touched.append(("read", place))
        return super().read_place(place)

    def write_place(self, place, data):
        """Log and write."""
        self.touched.append(("write", place))
        super().write_place(place, data)


def _die(error):
    raise error


@dataclass(slots=True)
class Play:
    """A sandbox over a world that logs every effect, and every step tried in it."""

    caps: Capabilities
    ticks: tuple[object, ...] = tuple(range(200))
    files: dict[str, bytes] = field(default_factory=lambda: FILES)
    links: dict[str, str] = field(default_factory=lambda: LINKS)
    hosts: list[str] = field(default_factory=lambda: HOSTS[:-1])
    steps: list[Step] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    readings: list[object] = field(default_factory=list)
    vfs: Files = field(init=False)
    net: Net = field(init=False)
    box: Sandbox = field(init=False)

    def __post_init__(self):
        """Build the world and the sandbox."""
        self.vfs = Files(self.files, self.links)
        self.net = Net(
            {host: {"/s": "ok", "/away": Redirect("evil.com", "/s")} for host in self.hosts}
        )
        tools = {name: partial(self._tool, name) for name in TOOLS if name != "absent"}
        self.box = Sandbox(self.caps, self.vfs, self.net, tools, self._clock)

    def _clock(self):
        now = self.ticks[min(len(self.readings), len(self.ticks) - 1)]
        self.readings.append(now)
        return _die(now()) if isinstance(now, type) else now

    def _tool(self, name, *args):
        self.called.append(name)
        return {
            "echo": lambda: " ".join(map(str, args)),
            "raise": lambda: _die(RuntimeError("/etc/passwd")),
            "exit": lambda: _die(SystemExit(0)),
            "flood": lambda: "x" * 1_000_001,
            "nothing": lambda: None,
            "call": lambda: str(self.run(args).ok),
            "wait": lambda: self._in_thread(args),
            "object": object,
        }[name]()

    def _in_thread(self, op):
        thread = threading.Thread(target=self.run, args=(op,), daemon=True)
        thread.start()
        thread.join(timeout=60)
        return thread.is_alive()

    def state(self):
        """Return all that an op could have changed, and the log of all that it touched."""
        return self.vfs.snapshot(), (*self.vfs.touched,), (*self.net.calls,), (*self.called,)

    def run(self, op):
        """Run one op and keep the step."""
        before, was_halted = self.state(), self.box.halted
        result = self.box.run(op)
        self.steps.append(Step(op, result, before, self.state(), was_halted))
        return result

    def run_all(self, ops):
        """Run every op, also those after a hard refusal."""
        for op in ops:
            self.run(op)
        return self


def _size(output):
    """Return the bytes of an output, counted the slow way."""
    if output is None:
        return 0
    return (
        len(output)
        if isinstance(output, bytes)
        else len(str(output).encode("utf-8", "surrogatepass"))
    )


def _inside(place, prefixes, links):
    """Tell whether a place lies below a prefix or below where the prefix leads, segment by segment."""
    world, roots = VFS({}, links), []
    for prefix in prefixes:
        with suppress(OSError):
            roots.append([name for name in world.resolve(prefix).split("/") if name])
    names = [name for name in place.split("/") if name]
    return any(names[: len(root)] == root for root in roots)


@check
@given(GRANTS, CLOCKS, SEQUENCES)
def test_a_denial_has_no_effect(caps, ticks, ops):
    """Else the sandbox would act first and refuse afterwards."""
    for step in Play(caps, ticks).run_all(ops).steps:
        refused = step.result.violation not in {None, Violation.MAX_OUTPUT_BYTES, Violation.HALTED}
        if refused or step.was_halted:
            assert step.before == step.after


@check
@given(GRANTS, CLOCKS, SEQUENCES)
def test_nothing_happens_after_a_hard_refusal(caps, ticks, ops):
    """Else a tripped breaker would let something through."""
    play = Play(caps, ticks)
    halts = [(play.run(op).hard, _spent(play), play.state()) for op in ops]
    for (halted, *before), (hard, *after) in pairwise(halts):
        assert not halted or (hard and before == after)
    assert all(step.result is HALTED for step in play.steps if step.was_halted)


def _spent(play):
    box = play.box
    return box.ops, box.elapsed, box.output_bytes, box.bytes_written, len(play.readings)


def _keeps_its_budget(play):
    caps, box = play.caps, play.box
    handed = sum(_size(step.result.output) for step in play.steps if step.result.ok)
    softly = sum(not step.result.hard for step in play.steps)
    assert softly <= box.ops <= caps.max_ops
    assert handed == box.output_bytes <= caps.max_output_bytes
    assert box.halted or box.elapsed <= caps.max_wall
    assert box.halted == any(step.result.hard for step in play.steps)


@check
@given(GRANTS, CLOCKS, SEQUENCES)
def test_no_budget_is_exceeded(caps, ticks, ops):
    """Else an agent would do, take or wait more than it was granted, alone or through a tool."""
    play = Play(caps, ticks).run_all(ops)
    _keeps_its_budget(play)
    known = play.readings if all(type(now) is int for now in play.readings) else []
    forward = sum(max(0, after - before) for before, after in pairwise(known))
    assert not known or forward == play.box.elapsed


@settings(check, max_examples=60)
@given(GRANTS, st.lists(SEQUENCES, min_size=2, max_size=4))
def test_no_budget_is_exceeded_by_several_threads(caps, sequences):
    """Else threads would each take the last unit of a budget."""
    play = Play(caps)
    threads = [threading.Thread(target=play.run_all, args=(ops,), daemon=True) for ops in sequences]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert [False] * len(threads) == [thread.is_alive() for thread in threads]
    _keeps_its_budget(play)
    assert set(play.called) <= caps.allowed_tools


@check
@given(GRANTS, st.booleans(), CLOCKS, SEQUENCES)
def test_every_effect_is_inside_the_grant(caps, linked, ticks, ops):
    """Else something would be touched that was not granted."""
    play = Play(caps, ticks, links=LINKS if linked else {}).run_all(ops)
    prefixes = {"read": caps.fs_read, "write": caps.fs_write}
    assert [] == [
        (kind, place)
        for kind, place in play.vfs.touched
        if not _inside(place, prefixes[kind], play.links)
    ]
    assert {host for host, _ in play.net.calls} <= {
        host.lower().rstrip(".") for host in caps.net_hosts
    }
    assert set(play.called) <= caps.allowed_tools


class _Wider(Capabilities):
    """A grant whose class answers in its place."""

    __slots__ = ()


def _lists(caps):
    return caps.fs_read, caps.fs_write, caps.net_hosts, caps.allowed_tools


FIELDS = [made.name for made in dataclasses.fields(Capabilities)]
WAYS = {
    "sources": lambda _caps, wide, sources: [
        kept.extend(new) for kept, new in zip(sources, _lists(wide), strict=True)
    ],
    "attributes": lambda caps, wide, _: [
        _quietly(setattr, caps, name, getattr(wide, name)) for name in FIELDS
    ],
    "deleted": lambda caps, _wide, _: [_quietly(delattr, caps, name) for name in FIELDS],
    "setstate": lambda caps, wide, _: caps.__setstate__([getattr(wide, name) for name in FIELDS]),
    "init": lambda caps, wide, _: caps.__init__(*_lists(wide)),
    "roots": lambda caps, wide, _: caps.readable.__init__(wide.fs_read),
    "class": lambda caps, _wide, _: setattr(caps, "__class__", _Wider),
    "vars": lambda caps, wide, _: vars(caps).update({name: getattr(wide, name) for name in FIELDS}),
    "replace": lambda caps, wide, _: dataclasses.replace(
        caps, fs_read=wide.fs_read, max_ops=wide.max_ops
    ),
    "copy": lambda caps, wide, _: copy.copy(caps).__init__(*_lists(wide)),
    "pickle": lambda caps, wide, _: pickle.loads(pickle.dumps(caps)).__init__(*_lists(wide)),
    "subclass": lambda _caps, wide, _: Sandbox(_Wider(*_lists(wide))),
}


def _quietly(way, *args):
    with suppress(AttributeError, TypeError):
        way(*args)


@check
@given(GRANTS, GRANTS, st.sampled_from(list(WAYS)), SEQUENCES)
def test_a_grant_cannot_be_changed(twin, wide, way, ops):
    """Else a workload that holds its grant, or the lists it came from, could widen it."""
    sources = [list(some) for some in _lists(twin)]
    caps = Capabilities(*sources, twin.max_ops, twin.max_output_bytes, twin.max_wall)
    play = Play(caps)
    _quietly(WAYS[way], caps, wide, sources)
    assert [twin, Capabilities] == [caps, type(caps)]
    expected = Play(twin).run_all(ops)
    assert _results(expected) == _results(play.run_all(ops)) == _results(Play(caps).run_all(ops))


def _results(play):
    """Return what a play came to; a bare object is told apart from nothing but its kind."""
    shown = [step.result._replace(output=_shown(step.result.output)) for step in play.steps]
    return shown, play.state(), _spent(play)


def _shown(output):
    return object if type(output) is object else output


@check
@given(GRANTS, CLOCKS, SEQUENCES)
def test_the_same_input_gives_the_same_results(caps, ticks, ops):
    """Else a finding could not be replayed."""
    assert _results(Play(caps, ticks).run_all(ops)) == _results(Play(caps, ticks).run_all(ops))


@st.composite
def _pairs(draw):
    """Draw a grant and a smaller one: entries left out, prefixes narrowed, budgets cut."""
    large = dataclasses.replace(draw(GRANTS), max_ops=10**6, max_output_bytes=10**9, max_wall=10**6)
    keep = draw(st.integers(0, 2**12 - 1))
    below = draw(st.sampled_from(["", "/", "/out", "/data.txt"]))
    reads, writes, hosts, tools = (
        [value for at, value in enumerate(sorted(some)) if keep >> (at + 3 * which) % 12 & 1]
        for which, some in enumerate(_lists(large))
    )
    narrow = [prefix.rstrip("/") + below or "/" for prefix in reads]
    return large, Capabilities(narrow, writes, hosts, tools, *(draw(LIMITS) for _ in range(3)))


@settings(check, max_examples=600)
@given(_pairs(), OPS)
def test_a_smaller_grant_never_allows_more(pair, op):
    """Else taking authority away would give some."""
    large, small = (Play(caps) for caps in pair)
    allowed = small.run(op).ok
    assert large.run(op).ok or not allowed
    # What a tool tries is tried under the same grant.
    assert [] == [place for place in small.vfs.touched if place not in large.vfs.touched]
    assert set(small.net.calls) <= set(large.net.calls)


@settings(check, max_examples=600)
@given(GRANTS, OPS)
def test_a_denial_does_not_tell_whether_the_thing_exists(caps, op):
    """Else an agent could map what it may not see by being refused."""
    granted = (*caps.fs_read, *caps.fs_write)
    files = {path: data for path, data in FILES.items() if _inside(path, granted, LINKS)}
    everything = Play(caps).run(op)
    bare = Play(caps, files=files, hosts=[host for host in HOSTS if host in caps.hosts]).run(op)
    if everything.violation or bare.violation:
        assert everything == bare


class _Text(str):
    """A str that says yes to every check and raises in every conversion."""

    __slots__ = ()

    def __eq__(self, other):
        return True

    __hash__ = str.__hash__

    def _refuse(self, *_):
        raise SystemExit

    startswith = encode = split = replace = translate = __str__ = __len__ = __contains__ = _refuse


class _Tuple(tuple):
    """A tuple that raises when it is looked into."""

    __slots__ = ()

    def _refuse(self, *_):
        raise SystemExit

    __getitem__ = __len__ = __iter__ = __eq__ = _refuse
    __hash__ = None


class _Thing:
    """A thing that raises whatever is asked of it, its class included."""

    def _refuse(self, *_):
        raise SystemExit

    __getattribute__ = __str__ = __eq__ = __bool__ = __call__ = __len__ = _refuse
    __hash__ = None


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(),
    st.integers(),
    st.binary(max_size=8),
    st.text(st.characters(codec=None), max_size=8),
    st.sampled_from(
        ["fs_read", "fs_write", "net_fetch", "tool", "/work/data.txt", "api.internal", "use"]
    ),
    st.sampled_from(["fs_read", "/work/x", "use"]).map(_Text),
    st.builds(_Thing),
)
HOSTILE = st.one_of(
    SCALARS,
    st.lists(SCALARS, max_size=4).map(tuple),
    st.lists(SCALARS, max_size=4).map(_Tuple),
    st.lists(SCALARS, max_size=4),
    st.tuples(st.sampled_from(["fs_read", "fs_write", "net_fetch", "tool"]), SCALARS),
    st.tuples(st.sampled_from(["fs_read", "fs_write", "net_fetch", "tool"]), SCALARS, SCALARS),
    st.tuples(st.just("tool"), st.just("use"), SCALARS),
)


@settings(check, max_examples=1_000)
@given(st.lists(HOSTILE, min_size=1, max_size=4), st.booleans())
def test_no_input_raises_out_of_run(ops, hand_back):
    """Else a hostile op, or a tool that hands it back, would end the host's loop."""
    caps = Capabilities(("/",), ("/",), ("api.internal",), ("use",))
    box = Sandbox(
        caps,
        vfs=VFS(FILES, LINKS),
        net=Net({"api.internal": {"/s": "ok"}}),
        tools={"use": lambda thing=None: thing if hand_back else box.run(thing)},
    )
    for op in ops:
        assert type(box.run(op)) is Result
    assert [False, len(ops)] == [box.halted, box.ops] or not hand_back


@check
@given(
    st.sampled_from(["max_ops", "max_output_bytes", "max_wall"]),
    st.one_of(
        st.integers(max_value=-1),
        st.booleans(),
        st.floats(),
        st.text(),
        st.none(),
        st.sampled_from([nan, inf, -inf, 0.0, 1j, b"1", (), "7"]),
    ),
)
def test_a_budget_that_is_no_count_is_refused(name, value):
    """Else a budget would be unlimited, or mean less than nothing."""
    with pytest.raises(GrantError, match=f"^{name}: must "):
        Capabilities(**{name: value})


@check
@given(st.integers(0, 40), st.integers(0, 45))
def test_a_budget_of_ops_is_exact(limit, tried):
    """Else one op too many, or one too few, would be admitted."""
    results = Play(Capabilities(max_ops=limit)).run_all([None] * tried).steps
    assert min(limit, tried) == sum(step.result.violation == "malformed_op" for step in results)


@check
@given(st.integers(0, 60), st.lists(st.integers(0, 20), max_size=8))
def test_a_budget_of_output_is_exact(limit, sizes):
    """Else one byte too many would flow back, or the last one be refused."""
    play = Play(Capabilities(allowed_tools=("echo",), max_output_bytes=limit))
    play.run_all([("tool", "echo", "x" * size) for size in sizes])
    fitting = [sum(sizes[: n + 1]) <= limit for n in range(len(sizes))]
    assert fitting == [step.result.ok for step in play.steps]
