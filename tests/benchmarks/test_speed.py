"""Speed: workloads that are what they say, a fair rival, tables that add up. Nothing is timed."""

# ruff: noqa: E402 - the scripts are found by their folder; tests read expected == actual

import json
import sys
import xml.etree.ElementTree as ET
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

SPEED = Path(__file__).parents[2] / "benchmarks" / "speed"
sys.path.insert(0, str(SPEED))

import costs
import goals
import oracleway
import ours
import peers
import plainway
import plot
import report
import safety
import sequences
import shapes
import timing
import workloads
from capfuzz.attacks import naive
from capfuzz.attacks.vectors import load
from capfuzz.engine import Capabilities
from capfuzz.strategies import decode
from goals import Goal

SIZES = [1, 100]
FEW = 1_000
ROW = costs.Row("ours", "capfuzz 1", {1: 2e-6, 100: 4e-6}, safety.Accepted(0, 9))


def ruled(op, caps):
    """Return whether the naive oracle allows an op of the workload."""
    match op if type(op) is tuple else ():
        case ("fs_read", str(path)):
            return naive.path_refusal(path, caps.fs_read) is None
        case ("fs_write", str(path), bytes()):
            return naive.path_refusal(path, caps.fs_write) is None
        case ("net_fetch", str(host), str()):
            return not naive.host_refused(host, caps.net_hosts)
        case ("tool", str(name), *_):
            return name in caps.allowed_tools
    return False


# --- the workloads ----------------------------------------------------------------------------


@pytest.mark.parametrize("make", [workloads.mixed, workloads.paths, workloads.hosts])
def test_a_workload_is_the_same_again_and_another_with_another_seed(make):
    """Two runs of the report would not measure the same thing."""
    assert make(7, count=FEW) == make(7, count=FEW)
    assert make(7, count=FEW) != make(7, count=FEW, seed=1)


@pytest.mark.parametrize("size", SIZES)
def test_seven_of_ten_ops_are_allowed_and_the_oracle_agrees_on_each(size):
    """The mix would not be the one that the goals speak of."""
    caps = workloads.grant(size, size)
    ops = workloads.mixed(size, size, FEW)
    assert [good for _, good in ops] == [ruled(op, caps) for op, _ in ops]
    assert sum(good for _, good in ops) == 7 * FEW // 10


@pytest.mark.parametrize("front", [10, 50, 500])
def test_the_front_of_a_workload_has_the_mix_of_the_whole(front):
    """What is slow is asked a front only, and would be compared on another mix."""
    whole = workloads.paths(9)
    assert whole[:front] == workloads.paths(9, front)
    assert sum(good for _, good in whole[:front]) == 7 * front // 10


@pytest.mark.parametrize("size", SIZES)
def test_the_oracle_agrees_on_paths_and_hosts(size):
    """A near miss would count as a denial and be an allowance, or the other way."""
    caps = workloads.grant(size, size)
    paths, hosts = workloads.paths(size, FEW), workloads.hosts(size, FEW)
    assert [good for _, good in paths] == [ruled(("fs_read", text), caps) for text, _ in paths]
    assert [good for _, good in hosts] == [
        ruled(("net_fetch", text, "/"), caps) for text, _ in hosts
    ]


@pytest.mark.parametrize("kind", workloads.KINDS)
def test_ops_of_one_kind_are_what_they_are_called(kind):
    """A denial would be compared with a denial."""
    caps = workloads.grant(3, 3)
    good = workloads.allowed(kind, 50, 3, 3)
    bad = [op for ops in workloads.refused(kind, 50, 3, 3).values() for op in ops]
    assert {kind} == {op[0] for op in (*good, *bad)}
    assert {True} == {ruled(op, caps) for op in good}
    assert {False} == {ruled(op, caps) for op in bad}


def test_every_kind_and_every_spelling_is_in_the_mixed_workload():
    """A slow spelling would not be measured."""
    ops = [op for op, _ in workloads.mixed(1)]
    assert set(workloads.KINDS) <= {op[0] for op in ops if type(op) is tuple and op}
    assert all(one in ops for one in shapes.MALFORMED)
    texts = {op[1] for op in ops if type(op) is tuple and len(op) > 2}
    assert {"x.api000000.internal", "169.254.169.254", "Summarize", "/etc/passwd"} <= texts


@pytest.mark.parametrize("segments", [workloads.SHORT, workloads.DEEP])
def test_a_straight_path_is_granted_and_as_deep_as_asked(segments):
    """Short and deep would not be compared."""
    found = workloads.straight_paths(segments, 20)
    assert {segments} == {len(naive.segments(path)) for path in found}
    assert {True} == {ruled(("fs_read", path), workloads.grant()) for path in found}


# --- slow sandboxes --------------------------------------------------------------------------

RIVALS = [
    plainway.PlainSandbox,
    partial(plainway.PlainSandbox, once=True),
    oracleway.OracleSandbox,
]


def test_the_oracle_remembers_nothing():
    """A rival that is asked the same again would not check at all."""
    functions = [one for one in vars(oracleway.ORACLE).values() if callable(one)]
    assert naive.path_refusal.__name__ in {one.__name__ for one in functions}
    assert [one for one in functions if hasattr(one, "cache_info")] == []


@pytest.mark.parametrize("make", RIVALS)
@pytest.mark.parametrize("size", SIZES)
def test_a_slow_sandbox_decides_as_the_engine_does(size, make):
    """A rival that decides otherwise is compared with nothing."""
    caps = workloads.grant(size, size)
    plain = make(caps, workloads.Shelf(), workloads.Line(), workloads.tools())
    box = ours.sandbox(caps)
    for op, _ in workloads.mixed(size, size):
        wanted, found = box.run(op), plain.run(op)
        assert (wanted.ok, wanted.output, wanted.violation, wanted.hard) == (
            found.ok,
            found.output,
            found.violation,
            found.hard,
        ), op
    assert (box.ops, box.output_bytes, box.bytes_written, box.elapsed) == (
        plain.ops,
        plain.output_bytes,
        plain.bytes_written,
        plain.elapsed,
    )


@pytest.mark.parametrize("make", RIVALS)
@pytest.mark.parametrize("budget", ["max_ops", "max_wall", "max_output_bytes"])
def test_a_slow_sandbox_halts_as_the_engine_does(budget, make):
    """A rival that never meters would be faster for nothing."""
    caps = Capabilities(fs_read=["/srv"], **{budget: 2})
    plain = make(caps, workloads.Shelf(), workloads.Line(), {})
    box = ours.sandbox(caps)
    ops = [("fs_read", "/srv/x")] * 4
    halts = [(found.violation, found.hard) for found in map(plain.run, ops)]
    assert halts == [(found.violation, found.hard) for found in map(box.run, ops)]
    assert plain.halted


@pytest.mark.parametrize("below", [plainway.below_any_collapsing, plainway.below_any])
def test_a_plain_loop_compares_on_a_segment_boundary(below):
    """The rival would be faster by being wrong."""
    prefixes = ("/a", "/work/")
    prefixes = plainway.collapsed(prefixes) if below is plainway.below_any else prefixes
    asked = ["/work", "/work/x", "/work//./x/", "/workshop", "/", "/a/b", "/ab"]
    assert [True, True, True, False, False, True, False] == [below(one, prefixes) for one in asked]
    root = plainway.collapsed(("/",)) if below is plainway.below_any else ("/",)
    assert below("/anything", root)


# --- ours and the peers -----------------------------------------------------------------------


@pytest.mark.parametrize("peer", [*costs.PATHS, *costs.HOSTS], ids=lambda peer: peer.name)
def test_a_peer_answers_or_says_why_not(peer):
    """A missing package would end the report, or be left out without a word."""
    reason = peers.available(peer)
    assert bool(reason) is (peer.package != "" and find_spec(peer.module.split(".")[0]) is None)
    if reason:
        assert reason == f"{peer.package} is not installed"


def test_a_peer_that_is_not_installed_has_a_row_that_says_so():
    """A reader would take it for forgotten."""
    gone = peers.Peer(
        "gone", lambda _: bool, peers.Takes.PATH, "no-such-package", "no_such_package"
    )
    [row] = costs.table([gone], rules=[1])
    assert ("gone", "no-such-package is not installed", "-", "-", "-", "-", "-") == report.peer_row(
        row, ROW
    )
    assert 2 == report.status([], [row])


def test_a_peer_that_cannot_be_imported_says_what_happened(monkeypatch, tmp_path):
    """A broken native library would end the report."""
    (tmp_path / "torn.py").write_text("raise OSError('no such library')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    torn = peers.Peer("torn", lambda _: bool, peers.Takes.PATH, "pytest", "torn")
    assert "torn cannot be imported: OSError: no such library" == peers.available(torn)


@pytest.mark.parametrize("peer", ours.PATH_OURS, ids=lambda peer: peer.name)
def test_our_row_decides_as_the_oracle(peer):
    """The engine's own row would be fast and wrong."""
    rules = [workloads.root(number) for number in range(40)]
    ask = peer.make(rules)
    asked = workloads.paths(40, FEW)
    assert [good for _, good in asked] == [bool(ask(text)) for text, _ in asked]


def test_our_host_row_decides_as_run_does():
    """What is timed would not be what the engine does."""
    caps = workloads.grant(1, 40)
    check, run = ours.host_check(caps), ours.sandbox(caps).run
    asked = [text for text, _ in workloads.hosts(40, FEW)]
    assert [run(("net_fetch", text, "/")).ok for text in asked] == list(map(check, asked))


STANDARD = [peer for peer in (*costs.PATHS, *costs.HOSTS) if not peer.package]


@pytest.mark.parametrize("peer", STANDARD, ids=lambda peer: peer.name)
def test_a_peer_tells_honest_texts_from_far_ones(peer):
    """A peer that is called wrongly would refuse all, or take all."""
    urls = peer.takes is peers.Takes.URL
    rules = ["api.internal"] if urls else ["/srv/a"]
    good = "http://api.internal/x" if urls else "/srv/a/x"
    bad = "http://evil.test/x" if urls else "/etc/passwd"
    ask = peer.make(rules)
    assert (True, False) == (bool(ask(good)), bool(ask(bad)))


@pytest.mark.parametrize(
    ("takes", "text", "expected"),
    [
        (peers.Takes.PATH, "/r/x", "/r/x"),
        (peers.Takes.REST, "/r/x", "x"),
        (peers.Takes.REST, "/r", ""),
        (peers.Takes.REST, "/r/../x", "../x"),
        (peers.Takes.REST, "/r-old/x", "/r-old/x"),
        (peers.Takes.HOST, "h", "h"),
        (peers.Takes.URL, "h:80", "http://h:80/status/3"),
        (peers.Takes.URL, "fd00::1", "http://[fd00::1]/status/3"),
    ],
)
def test_each_peer_is_handed_the_text_in_its_form(takes, text, expected):
    """A peer would refuse honest work, or not see the attack."""
    assert expected == costs.handed(takes, text, "/r", 3)


# --- what is accepted -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def vectors():
    """Return a part of the corpus."""
    wanted = {"path-traversal", "path-siblings", "path-links", "url-authority", "url-names"}
    return [one for one in load() if one.case.family in wanted]


def test_what_leaves_dots_where_they_are_accepts_climbs(vectors):
    """The column would say that everything is safe."""
    [lax] = [peer for peer in costs.PATHS if peer.make is peers.pure_pathlib]
    text, links = safety.accepted(lax, vectors)
    assert 0 < text.count < text.of
    assert links is None
    assert f"{text.count} of {text.of}" == str(text)


def test_what_is_right_accepts_nothing(vectors):
    """A right peer would be accused."""
    [right] = [peer for peer in costs.PATHS if peer.make is peers.realpath_commonpath]
    text, links = safety.accepted(right, vectors)
    assert (0, 0) == (text.count, links.count)
    assert min(text.of, links.of) > 20


def test_a_peer_that_says_yes_to_all_accepts_all(vectors):
    """A vector would be counted as refused that nobody refused."""
    yes = peers.Peer("yes", lambda _: lambda _: True, peers.Takes.PATH, real=True)
    assert {True} == {found.count == found.of for found in safety.accepted(yes, vectors)}
    urls = peers.Peer("yes", lambda _: lambda _: True, peers.Takes.URL)
    assert {True} == {
        safety.accepted(urls, vectors)[0].count == safety.accepted(urls, vectors)[0].of
    }


def test_the_engine_accepts_nothing(vectors):
    """Our own row would be wrong."""
    text, links = safety.engine_accepts(vectors)
    assert (0, 0) == (text.count, links.count)
    assert min(text.of, links.of) > 20


# --- measuring --------------------------------------------------------------------------------


def test_contenders_take_turns():
    """A slow moment of the machine would hit one of them alone."""
    asked = []

    def named(name):
        return timing.Contender(lambda: lambda item: asked.append((name, item)), [1, 2])

    found = timing.interleaved({"a": named("a"), "b": named("b")}, 2)
    turn = [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert turn * 3 == asked
    assert {"a", "b"} == set(found)


def test_the_median_counts_and_the_first_round_does_not(monkeypatch):
    """A cold first pass, or one that was disturbed, would be shown."""
    passes = iter([100.0, 1.0, 90.0, 3.0])
    monkeypatch.setattr(timing, "once", lambda _: next(passes))
    assert {"a": 3.0} == timing.interleaved({"a": timing.Contender(lambda: len, [()])}, 3)


def test_memory_counts_what_is_kept_and_not_what_was_used():
    """A grant would look heavier or lighter than it is."""
    kept = goals.weight(lambda: bytearray(100_000))
    dropped = goals.weight(lambda: len(bytearray(100_000)))
    assert 100_000 <= kept <= 101_000
    assert dropped < 1_000


# --- the report -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        (Goal("a", 3.456, 3, at_least=True), ("a", "≥ 3x", "3.46x", "yes")),
        (Goal("a", 2.9, 3, at_least=True), ("a", "≥ 3x", "2.9x", "**no**")),
        (Goal("a", 2.0, 2), ("a", "≤ 2x", "2x", "yes")),
        (Goal("a", 2.01, 2), ("a", "≤ 2x", "2.01x", "**no**")),
        (Goal("a", 151.2, 200, "bytes"), ("a", "≤ 200 bytes", "151 bytes", "yes")),
        (Goal("a", 0.1234, None, "µs"), ("a", "-", "0.123 µs", "-")),
    ],
)
def test_a_goal_is_a_row_that_says_whether_it_is_met(goal, expected):
    """A goal that is missed would read as met."""
    assert expected == report.goal_row(goal)


def test_a_peer_is_a_row_with_its_cost_and_how_many_times_ours():
    """The ratio would be upside down."""
    row = costs.Row("p", "p 1", {1: 10e-6, 100: 1e-3}, safety.Accepted(3, 9), safety.Accepted(0, 4))
    assert ("p", "p 1", "10 (5x)", "1,000 (250x)", "-", "3 of 9", "0 of 4") == report.peer_row(
        row, ROW
    )


@pytest.mark.parametrize(
    ("found", "rows", "expected"),
    [
        ([Goal("a", 1, 2), Goal("b", 1, None)], [ROW], 0),
        ([Goal("a", 3, 2)], [ROW], 1),
        ([Goal("a", 3, 2)], [costs.Row("p", "p", {}, missing="gone")], 1),
        ([Goal("a", 1, 2)], [costs.Row("p", "p", {}, missing="gone")], 2),
    ],
)
def test_the_status_says_whether_a_goal_was_missed(found, rows, expected):
    """A script would not notice."""
    assert expected == report.status(found, rows)


def test_the_report_holds_every_part_and_its_tables_are_even():
    """A table with a cell too many is shown as text."""
    growth = {"path": {1: 1e-6, 10: 2e-6}, "host": {1: 1e-6, 1_000_000: 3e-6}}
    text = report.markdown({"Python": report.build()}, [Goal("speed", 2, 1)], growth, [ROW], [ROW])
    tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert 4 == len(tables)
    assert {1} == {len({line.count("|") for line in table}) for table in tables}
    assert "| path, µs | 1 | 2 | - |" in text
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in text.split("## ")[0]


@pytest.mark.parametrize("costs_of", [goals.path_costs, goals.host_costs])
def test_growth_asks_every_grant_the_same_and_beside_that_any_of_its_entries(costs_of, monkeypatch):
    """What grows would be what is asked, not the grant."""
    seen = {}

    def kept(contenders, _rounds):
        seen.update(contenders)
        return dict.fromkeys(contenders, 1.0)

    monkeypatch.setattr(goals, "interleaved", kept)
    monkeypatch.setattr(goals, "SIZES", (1, 50))
    monkeypatch.setattr(goals, "HOST_SIZES", (1, 50))
    assert {asked: {1: 1.0, 50: 1.0} for asked in (goals.SAME, goals.ANY)} == costs_of(1)
    few, many = (seen[goals.SAME, size] for size in (1, 50))
    assert few.items == many.items
    assert list(map(few.make(), few.items)) == list(map(many.make(), few.items))
    assert len(set(few.items)) < len(set(seen[goals.ANY, 50].items))


# --- the drawings -----------------------------------------------------------------------------


def run(when, name, seconds, commit="abcdef0123"):
    """Return a run as pytest-benchmark stores it."""
    return {
        "datetime": when,
        "commit_info": {"id": commit},
        "benchmarks": [{"name": name, "stats": {"median": seconds}}],
    }


def test_a_history_is_read_in_the_order_of_time(tmp_path):
    """A curve would go back and forth."""
    (tmp_path / "machine").mkdir()
    for number, one in enumerate(
        [
            run("2026-01-03T00:00:00+00:00", "a", 3.0),
            run("2026-01-01T00:00:00+00:00", "a", 1.0, None),
            run("2026-01-02T00:00:00+00:00", "b", 2.0),
        ]
    ):
        (tmp_path / "machine" / f"{number}.json").write_text(json.dumps(one), encoding="utf-8")
    assert [
        plot.Point(datetime.fromisoformat("2026-01-01T00:00:00+00:00"), "no commit", 1.0),
        plot.Point(datetime.fromisoformat("2026-01-03T00:00:00+00:00"), "abcdef0123", 3.0),
    ] == plot.history("a", tmp_path)
    assert {"a", "b"} == plot.names(tmp_path)


def test_a_history_of_an_unknown_name_says_what_is_there(tmp_path, capsys):
    """An empty drawing would say that nothing ever changed."""
    one = run("2026-01-01T00:00:00+00:00", "bench_run[1]", 1.0)
    (tmp_path / "1.json").write_text(json.dumps(one), encoding="utf-8")
    assert 2 == plot.main(["history", "nope", str(tmp_path), "--svg", str(tmp_path / "x.svg")])
    assert "no nope in it; it holds bench_run[1]" in capsys.readouterr().err
    assert not (tmp_path / "x.svg").exists()


@pytest.mark.parametrize("ground", ["#ffffff", "#0d1117"])
def test_every_colour_can_be_read_on_a_light_page_and_on_a_dark_one(ground):
    """Half of the readers would see nothing (WCAG 2.2, 1.4.11: at least 3 for graphics)."""
    assert 21.0 == pytest.approx(plot.contrast("#000000", "#ffffff"))
    assert min(plot.contrast(one, ground) for one in (*plot.COLOURS, plot.OURS)) >= 3
    assert plot.contrast(plot.INK, ground) >= 4


def test_curves_can_be_told_apart():
    """Two peers would be drawn alike."""
    count = len(costs.PATHS)
    looks = {(plot.COLOURS[n % len(plot.COLOURS)], n < len(plot.COLOURS)) for n in range(1, count)}
    assert count - 1 == len(looks)
    assert len(plot.MARKERS) >= count - 1


def test_drawings_are_svg_with_text_in_them(tmp_path):
    """A broken file, or one without a legend, would be published."""
    one_root = costs.Row("one root", "p 1", {1: 1e-5})
    plot.draw_costs(tmp_path / "cost.svg", [ROW, one_root, costs.Row("gone", "", {}, missing="x")])
    when = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    points = [plot.Point(when, "abcdef0123", 1e-3)] * 3
    plot.draw_history(tmp_path / "history.svg", "bench_run[1]", points)
    costs_drawn, past = (
        "".join(ET.parse(tmp_path / name).getroot().itertext())
        for name in ("cost.svg", "history.svg")
    )
    assert {True} == {text in costs_drawn for text in ("ours", "one root (one root)", "roots in")}
    assert "gone" not in costs_drawn
    assert {True} == {text in past for text in ("bench_run[1], milliseconds", "abcdef0")}


def test_the_sequences_that_are_timed_have_twenty_ops():
    """Short sequences would be counted as long ones; those of threads are left as they are."""
    plain = bytes(decode.HEAD_BYTES + decode.OP_BYTES * 20)
    in_threads = plain[:7] + b"\xff" + plain[8:]
    with sequences.of_twenty():
        assert [20, 1] == [len(decode.case(data).ops) for data in (plain, in_threads)]
    assert len(decode.case(plain).ops) == 1


def test_a_rate_counts_every_case(monkeypatch):
    """A loop that tries nothing would be the fastest."""
    monkeypatch.setattr(sequences.time, "process_time", iter([0.0, 2.0]).__next__)
    assert sequences.rate(30, 1) == 15
