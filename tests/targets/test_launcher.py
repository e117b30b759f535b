"""``cmd:COMMAND``: any launcher of a sandbox, held or found leaking by what is seen from outside."""

import shlex
import signal
import sys
from types import SimpleNamespace

import pytest
from capfuzz.attacks.case import Case, Surface, WorldSpec
from capfuzz.attacks.invariants import Severity, judge
from capfuzz.attacks.kernel import ASKED_IF_CLAIMED, BUDGETED
from capfuzz.attacks.vectors import CORPUS, load
from capfuzz.engine import Capabilities
from capfuzz.targets import TargetError
from capfuzz.targets.sandboxes.base import layout_for
from capfuzz.targets.sandboxes.bwrap import Bubblewrap
from capfuzz.targets.sandboxes.launcher import GRANT, launcher_of, transposed
from capfuzz.targets.spec import Options
from capfuzz.targets.spec import load as load_target

from . import test_remains
from .landing import honest
from .test_command import here

begun = test_remains.begun
KERNEL = load(sorted(CORPUS.glob("kernel-*.json")))
SEALED = (
    "env -i PATH=/usr/bin:/bin bwrap --unshare-all --die-with-parent --new-session --clearenv "
    "--cap-drop ALL"
)
RUNTIME = " ".join(f"--ro-bind {one} {one}" for one in layout_for("/probe").runtime)
PLACES = (
    "--proc /proc --dev /dev --ro-bind {probe} {probe} --ro-bind {root} {root} --bind {out} {out}"
)
INSIDE = shlex.join(layout_for("{probe}").command)
RIGHT = f"cmd:{SEALED} {RUNTIME} {PLACES} {INSIDE}"


def broken(spec, vectors=KERNEL):
    """Return the techniques by which a launcher is broken, and how many vectors were tried."""
    here(Bubblewrap())
    target = load_target(spec, Options())
    try:
        cases = [one for one in (target.adapt(vector.case) for vector in vectors) if one]
        judged = [(case, judge(target.run(case)).breaches) for case in cases]
    finally:
        target.close()
    found = {
        case.techniques[0]
        for case, breaches in judged
        if any(one.severity is Severity.ERROR for one in breaches)
    }
    return found, len(judged)


def test_a_right_launcher_holds_and_is_asked_every_vector_of_the_kernel():
    """A right launcher would be accused, or little of it would be tried."""
    # Some is asked of those alone that claim to hold it, and another grant of none that is told none;
    # nor is it told of budgets.
    own = [one for one in KERNEL if transposed(one.case) is not None]
    assert {"kernel-beginning", "kernel-port"} == {
        one.technique for one in KERNEL if one not in own
    }
    left = {*ASKED_IF_CLAIMED, *BUDGETED}
    asked = [one for one in own if not left & {op[0] for op in one.case.ops}]
    assert (set(), len(asked)) == broken(RIGHT)


def test_honest_work_passes_in_a_right_launcher():
    """All would be refused, and that would be called held."""
    here(Bubblewrap())
    traces = honest(load_target(RIGHT, Options()), KERNEL)
    assert len(traces) > 10
    assert {True} == {step.answer.ok for trace in traces for step in trace.steps}


@pytest.mark.parametrize(
    ("leak", "technique"),
    [
        (("--bind {out} {out}", "--bind {root}/../ {root}/../"), "kernel-content"),
        (("--ro-bind {root}", "--bind {root}"), "kernel-attributes"),
        (("--die-with-parent", "--share-net --die-with-parent"), "kernel-network"),
        (("env -i PATH=/usr/bin:/bin bwrap", "bwrap"), "kernel-walk"),
        ((f"{RUNTIME} --proc /proc", "--ro-bind / / --proc /proc"), "kernel-far"),
    ],
)
def test_a_leaky_launcher_is_found(leak, technique):
    """A hole in a launcher of the user's would pass."""
    vectors = [one for one in KERNEL if one.technique == technique]
    found, _ = broken(RIGHT.replace(*leak), vectors)
    assert {technique} == found


def test_a_launcher_that_talks_first_is_understood():
    """A banner would be taken for an answer, or the sandbox for one that does not start."""
    talking = RIGHT.removeprefix("cmd:")
    spec = f"cmd:sh -c {shlex.quote('echo welcome; echo {} ; echo [1] ; exec ' + talking)}"
    vectors = [one for one in KERNEL if one.technique == "kernel-list"]
    assert (set(), len(vectors)) == broken(spec, vectors)


def test_a_file_of_this_folder_is_found(tmp_path, monkeypatch):
    """A script beside the user's settings would not start: the command runs in another folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "launch.sh").write_text('exec "$@"\n')
    vectors = [one for one in KERNEL if one.technique == "kernel-environment"]
    found, _ = broken(f"cmd:sh launch.sh {sys.executable} -S {{probe}}", vectors)
    assert {"kernel-environment"} == found


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL], ids=lambda one: one.name)
def test_nothing_is_left_of_a_launcher_after_a_campaign_was_ended(end, begun, tmp_path):
    """Processes, folders or mounts of ours would stay on somebody's machine."""
    launcher = SimpleNamespace(name=RIGHT, unavailable=Bubblewrap().unavailable)
    test_remains.test_nothing_is_left_after_a_campaign_was_ended(end, launcher, begun, tmp_path)


def case(*ops, grant=GRANT, source="", files=(), links=()):
    """Return a case with these ops."""
    world = WorldSpec(files={"/work/data.txt": b"honest data", **dict(files)}, links=dict(links))
    return Case(grant, world, ops, ("climb",) * len(ops), "test", (), source)


READ = ("fs_read", "/work/data.txt")


def test_a_case_is_asked_under_the_grant_that_the_command_is_written_for():
    """A launcher would be blamed for a grant that it was never given."""
    other = Capabilities(("/other",), ("/drop",), ("127.0.0.1",), max_ops=3)
    assert GRANT == transposed(case(READ, grant=other)).grant
    same = Capabilities(("/work/",), ("/work/./out/",), ("api.internal",))
    assert GRANT == transposed(case(READ, grant=same, source="x")).grant


@pytest.mark.parametrize(
    "given",
    [
        {"source": "x", "grant": Capabilities(("/work",), ("/work",))},
        {"source": "x", "grant": Capabilities(("/work",), ("/work/out",), ("127.0.0.1",))},
        {"files": {"/work/out": b"a file where a folder should be"}},
        {"files": {"/work": b"a file where a folder should be"}},
        {"links": {"/work/out": "/other"}},
    ],
)
def test_what_makes_no_sense_under_that_grant_is_left_out(given):
    """A vector's honest work would be asked where it is not granted."""
    assert transposed(case(READ, **given)) is None


def test_only_whole_names_in_braces_are_filled_in():
    """A word of the user's would be changed, or a place that has a name in braces in it."""
    launcher = launcher_of("cmd:run {root}:/{x}:{out} {{probe}} {probe}")
    layout = layout_for("/in/{root}")
    grant = Capabilities(("/real/{out}",), ("/real/out",))
    assert (
        "run",
        "/real/{out}:/{x}:/real/out",
        "{/in/{root}}",
        "/in/{root}",
    ) == launcher.render(grant, layout).command


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("cmd:", "write {probe}"),
        ("cmd:bwrap {root}", "write {probe}"),
        ("cmd:'open {probe}", "not a command"),
    ],
)
def test_what_is_no_launcher_is_told_in_one_line(spec, told):
    """A misunderstanding would be a traceback, or a verdict."""
    with pytest.raises(TargetError, match=told):
        load_target(spec, Options())


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("cmd:no-such-program-here {probe}", "did not start.*no-such-program-here"),
        ("cmd:true {probe}", "did not start: it printed nothing"),
        ("cmd:echo usage of it {probe}", "did not start: usage of it"),
        ("cmd:yes {probe}", "did not start: more than"),
        ("cmd:sh -c 'echo why not >&2; exit 3' {probe}", "did not start: why not"),
    ],
)
def test_what_does_not_start_is_told_in_one_line_with_what_it_printed(spec, told):
    """Nobody would know what is wrong with the command."""
    target = load_target(spec, Options())
    try:
        with pytest.raises(TargetError, match=told) as caught:
            target.run(target.adapt(case(READ)))
    finally:
        target.close()
    assert "\n" not in str(caught.value)
    assert Surface.COMMAND == target.surface
