"""Saved measurements: pytest-benchmark reads them, and they come back as they went."""

import json
import math
import os
from dataclasses import fields, replace
from statistics import mean, stdev

import pytest
from capfuzz.gate.bench.before import load
from capfuzz.gate.bench.interpreter import Build, this_build
from capfuzz.gate.bench.paired import Paired
from capfuzz.gate.bench.saved import stats, to_text
from capfuzz.gate.errors import UsageError

from .made import row

ROWS = (row(), row(name="fs_read denied", allowed=False, units=(4.0, 5.0, 8.0), calls=1_000))


@pytest.fixture
def file(tmp_path):
    """Return a saved measurement."""
    path = tmp_path / "saved.json"
    path.write_text(to_text(ROWS, this_build(), "py:my:box"))
    return path


def test_what_was_saved_comes_back(file):
    """A comparison would be with other numbers, or other calls a block."""
    back = load(str(file))
    assert this_build() == back.build
    assert "py:my:box" == back.spec
    assert {"fs_read allowed": 100, "fs_read denied": 1_000} == back.calls
    assert Paired(10.0, 9.0, 11.0) == back.ratios["fs_read allowed"]
    assert Paired(5.0, 4.0, 8.0) == back.ratios["fs_read denied"]


def test_the_statistics_are_those_of_the_rounds():
    """`pytest-benchmark compare` would rank by numbers that are not."""
    rounds = [4e-6, 1e-6, 2e-6, 3e-6, 50e-6]
    found = stats(rounds, 100)
    assert (1e-6, 50e-6, 3e-6) == (found["min"], found["max"], found["median"])
    assert (2e-6, 4e-6) == pytest.approx((found["q1"], found["q3"]))
    assert (mean(rounds), stdev(rounds)) == pytest.approx((found["mean"], found["stddev"]))
    assert (5, 100) == (found["rounds"], found["iterations"])
    assert "1;1" == found["outliers"]
    assert (1e-6, 4e-6) == (found["ld15iqr"], found["hd15iqr"])
    assert rounds == found["data"]


def test_a_single_round_has_no_spread():
    """`statistics` would raise."""
    assert (2.0, 0.0, 0.0) == tuple(stats([2.0], 1)[name] for name in ("median", "stddev", "iqr"))


def test_pytest_benchmark_reads_it(file):
    """Its ``compare`` would skip the file with a warning."""
    from pytest_benchmark.storage import file as storage

    class Logger:
        def warning(self, text):
            raise AssertionError(text)

    read = list(storage.FileStorage(file.parent, Logger()).load_benchmarks(str(file)))
    assert [one.name for one in ROWS] == [one["name"] for one in read]
    assert 1.05e-6 == pytest.approx(read[0]["median"])
    wanted = [
        "min",
        "max",
        "mean",
        "stddev",
        "rounds",
        "median",
        "iqr",
        "q1",
        "q3",
        "ops",
        "total",
        "iterations",
        "data",
        "group",
        "params",
        "fullname",
        "extra_info",
        "outliers",
    ]
    assert set(wanted) <= set(read[0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no", "is no JSON"),
        ("[]", "was not written by capfuzz bench --save"),
        ("{}", "was not written by capfuzz bench --save: machine_info is missing"),
        (None, "cannot be read: No such file"),
    ],
)
def test_what_is_no_measurement_is_told(text, said, tmp_path):
    """A comparison with nothing would hold."""
    path = tmp_path / "x.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=said):
        load(str(path))


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        *(("ratios", [1.0, one]) for one in (0.0, -1, math.inf, math.nan, 1e300, "1", None, True)),
        *(("ratios", one) for one in ([], "111", 1.0, {"a": 1}, [1.0] * 1_001, [10**400])),
        *(("calls", one) for one in (0, -5, 10**9, math.inf, 1.5, "7", True, None)),
        ("spec", 1),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_value_that_cannot_be_is_refused(key, wrong, file):
    """Endless ratios would hold, whatever the times, and a thousand million calls never end."""
    whole = json.loads(file.read_text())
    whole["benchmarks"][1]["extra_info"][key] = wrong
    file.write_text(json.dumps(whole))
    with pytest.raises(UsageError) as caught:
        load(str(file))
    assert (
        f"{file}: was not written by capfuzz bench --save: benchmark 'fs_read denied': {key} "
        in str(caught.value)
    )
    assert "\n" not in str(caught.value)


def test_what_is_no_file_of_ours_is_refused(tmp_path, file):
    """A pipe would be waited for without end, and deep nesting be a traceback."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "deep").write_text("[" * 100_000)
    twice = json.loads(file.read_text())
    twice["benchmarks"] *= 2
    (tmp_path / "twice").write_text(json.dumps(twice))
    for name, said in (
        ("pipe", "cannot be read: is no regular file"),
        (".", "cannot be read: Is a directory"),
        ("deep", "is no JSON that can be read: nested too deeply"),
        ("twice", "benchmark 'fs_read allowed': name stands there twice"),
    ):
        with pytest.raises(UsageError, match=said):
            load(str(tmp_path / name))


@pytest.mark.parametrize("name", [one.name for one in fields(Build)])
def test_builds_differ_by_what_times_depend_on(name):
    """Times of two builds would be compared, or a new kernel forbid every comparison."""
    mine = this_build()
    value = not mine.optimised if name == "optimised" else "another"
    assert (name not in {"node", "system"}) == bool(
        mine.differs_from(replace(mine, **{name: value}))
    )
    assert [] == mine.differs_from(mine)
