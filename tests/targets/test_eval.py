"""Eval targets: what evaluated code really did is seen, whatever the function says, and undone."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from capfuzz.attacks.case import Case, Verdict, WorldSpec
from capfuzz.attacks.codec import grant_from_json
from capfuzz.attacks.evaluators import FILES, SECRET_NAME
from capfuzz.attacks.expansion.stage import GRANT
from capfuzz.attacks.invariants import judge
from capfuzz.targets.base import TargetError
from capfuzz.targets.broken import FAULTS
from capfuzz.targets.broken import eval as broken
from capfuzz.targets.eval import EvalTarget
from capfuzz.targets.planted import scratch
from capfuzz.targets.right import RIGHT
from capfuzz.targets.right import eval as right

WORLD = WorldSpec(files={place: text.encode() for place, text in FILES.items()})


def case(source, technique="unregistered"):
    """Return a case that evaluates one source."""
    grant = grant_from_json(GRANT)
    return Case(grant, WORLD, (("eval", source),), (technique,), "test", (Verdict.CONTAIN,))


@pytest.fixture
def made():
    """Return a maker of targets, which are closed afterwards."""
    targets = []

    def make(function, **options):
        targets.append(EvalTarget("it", function, **options))
        return targets[-1]

    yield make
    for target in targets:
        target.close()


def shown(target, source):
    """Return a target's answer, its effects and what they break."""
    trace = target.run(target.adapt(case(source)))
    (step,) = trace.steps
    effects = {(one.kind, one.place) for one in step.effects}
    return step.answer, effects, [one.invariant for one in judge(trace).breaches]


def whole(source):
    """Evaluate with the full power of the language."""
    return eval(source)


def told(source):
    """Evaluate, and tell the value in an exception only."""
    value = eval(source)
    if value != 42:
        raise ValueError(value)
    return value


def silent(source):
    """Run statements, and answer nothing."""
    exec(source, {})


ESCAPES = {
    "open('secret.txt').read()": ("read", "/secret.txt"),
    f"__import__('os').environ['{SECRET_NAME}']": ("read", "/environment"),
    f"__import__('os').open.__class__ and __import__('json').loads.__globals__['{SECRET_NAME}']": (
        "read",
        "/globals",
    ),
    "open('marker.txt', 'w').write('x')": ("write", "/marker.txt"),
    "open('secret.txt', 'w').write('x')": ("write", "/secret.txt"),
    "__import__('socket').create_connection(('127.0.0.1', $PORT), 1)": ("fetch", "127.0.0.1"),
    "print(open('secret.txt').read())": ("read", "/secret.txt"),
}


@pytest.mark.parametrize("source", ESCAPES)
def test_an_escape_is_seen_by_its_effect(made, source):
    """An evaluator that lets code out would be held to be tight."""
    _, effects, broken_by = shown(made(whole), source)
    assert ({ESCAPES[source]}, True) == (effects, bool(broken_by))


def test_an_exception_that_quotes_is_an_escape(made):
    """What code reads could be carried out in the words of a refusal."""
    answer, effects, broken_by = shown(made(told), "open('secret.txt').read()")
    assert (False, {("read", "/secret.txt")}, ["confined"]) == (answer.ok, effects, broken_by)


def test_statements_without_an_answer_are_asked_what_they_raise(made):
    """A sandbox that runs code for its effects could not be measured at all."""
    target = made(silent)
    _, effects, broken_by = shown(target, "open('secret.txt').read()")
    assert ({("read", "/secret.txt")}, ["confined"]) == (effects, broken_by)
    assert shown(target, "20 + 22")[0].ok


def test_honest_code_has_no_effect(made):
    """Honest code would be taken for an escape."""
    answer, effects, broken_by = shown(made(whole), "20 + 22")
    assert (True, set(), []) == (answer.ok, effects, broken_by)


def test_what_is_exposed_is_no_escape(made):
    """An evaluator would be blamed for what its documentation promises."""
    _, effects, _ = shown(made(whole, exposes=frozenset({"files"})), "open('secret.txt').read()")
    assert set() == effects


def test_an_open_that_only_reads_is_meant_to(made):
    """An evaluator that hands out a reading function on purpose would be blamed for it."""

    def reading(name, mode="r"):
        if mode != "r":
            raise ValueError(mode)
        return Path(name).open()

    def reads(source):
        return eval(source, {"__builtins__": {}, "open": reading})

    assert set() == shown(made(reads), "open('secret.txt').read()")[1]


# What a target is asked before its sources, in the language that it is said to read.
PROBES = ("20 + 22", "result", "open(")


def hangs(source):
    """Answer the probe and hang on all else."""
    while not source.startswith(PROBES):
        time.sleep(0.01)
    return 42


def swallows(source):
    """Hang, and swallow whatever interrupts."""
    while not source.startswith(PROBES):
        try:
            time.sleep(0.01)
        except BaseException:  # noqa: BLE001 - what is shown
            continue
    return 42


def dies(source):
    """Die by a signal on whatever is not the probe."""
    if not source.startswith(PROBES):
        os.kill(os.getpid(), signal.SIGKILL)
    return 42


def leaves(source):
    """End the process."""
    if not source.startswith(PROBES):
        os._exit(0)
    return 42


def exits(source):
    """Raise what only the program itself may raise."""
    if not source.startswith(PROBES):
        raise KeyboardInterrupt
    return 42


@pytest.mark.parametrize("function", [hangs, swallows])
def test_a_hang_is_told(made, function):
    """A campaign would wait for ever."""
    answer, _, broken_by = shown(made(function, op_limit=0.1, language="python"), "1 + 1")
    assert (True, ["fail-closed"]) == (answer.hung, broken_by)


@pytest.mark.parametrize(
    ("function", "name"),
    [(dies, "SIGKILL"), (leaves, "SystemExit"), (exits, "KeyboardInterrupt")],
)
def test_an_end_is_told(made, function, name):
    """A target could end the campaign, or look as if it had refused."""
    answer, _, broken_by = shown(made(function, language="python"), "1 + 1")
    assert (name, ["fail-closed"]) == (answer.raised, broken_by)


def test_megabytes_and_odd_objects_are_answers(made):
    """A target could fill the memory of the campaign, or raise in it."""

    class Odd:
        def __repr__(self):
            raise SystemExit

    def floods(source):
        return {"20 + 22": 42, "'big'": "x" * 5_000_000}.get(source, Odd())

    target = made(floods)
    for source in ("'big'", "'odd'"):
        answer, effects, broken_by = shown(target, source)
        assert (True, set(), []) == (answer.ok, effects, broken_by)


def test_a_function_that_evaluates_nothing_cannot_be_measured(made):
    """A function that refuses everything would be held to be tight."""
    with pytest.raises(TargetError, match="does not answer 42"):
        made(lambda source: None).adapt(case("1"))


@pytest.mark.parametrize(
    ("function", "language"),
    [(whole, "python"), (right.number_template, "jinja"), (right.own_parser, "python")],
)
def test_the_language_is_found_out(made, function, language):
    """Code of another language would be refused, and every evaluator would hold."""
    for asked in ("python", "jinja", "javascript"):
        wanted = made(function).adapt(case("1", f"honest-{asked}")) is not None
        assert (asked, asked == language) == (asked, wanted)


def test_what_takes_too_long_is_asked_where_an_end_is_promised(made):
    """Evaluators that say that they bound nothing would be blamed for it."""
    source = case("9 ** 9 ** 9", "eval-big-number")
    assert made(whole).adapt(source) is None
    assert made(whole, bounded=True).adapt(source) is not None
    assert made(right.tree_walker).adapt(source) is not None


def served(source, kept=[]):  # noqa: B006 - as a module keeps its workers
    """Evaluate in a thread that stays."""
    kept.extend([] if kept else [ThreadPoolExecutor(1)])
    return kept[0].submit(eval, source, {"__builtins__": {}}).result()


def in_monty(source):
    """Evaluate in Monty, whose client keeps threads."""
    from pydantic_monty import Monty

    with Monty(max_processes=1) as pool, pool.checkout() as session:
        return session.feed_run(source)


@pytest.mark.parametrize("function", [served, in_monty])
def test_an_evaluator_that_keeps_threads_answers(made, function):
    """Every source would hang: a child has none of the threads that a first call has left here."""
    answer, effects, broken_by = shown(made(function), "20 + 22")
    assert (True, set(), []) == (answer.ok, effects, broken_by)


def test_nothing_stays_in_this_process(made):
    """What code under attack does would change the campaign itself."""
    target = made(whole)
    shown(target, "__import__('os').environ.__setitem__('CAPFUZZ_LEFT', 'x')")
    assert ("CAPFUZZ_LEFT" in os.environ, SECRET_NAME in os.environ) == (False, False)
    assert SECRET_NAME not in globals()


def planted():
    """Return the folders of this process that stand where the suite plants."""
    own = Path(scratch())
    own.rmdir()
    return {*own.parent.glob(f"capfuzz-{os.getpid()}-*")}


def test_nothing_is_left_behind(made):
    """Folders and processes would pile up on the machine of whoever runs the suite."""
    before = planted()
    target = made(whole)
    spawn = "__import__('subprocess').Popen(['sleep', '4711'], start_new_session=True)"
    shown(target, "open('marker.txt', 'w').write('x')")
    shown(target, spawn)
    assert {("read", "/secret.txt")} == shown(target, "open('secret.txt').read()")[1]
    target.close()
    assert before == planted()
    assert (
        "4711"
        not in subprocess.run(
            ["ps", "-eo", "args"], capture_output=True, text=True, check=True
        ).stdout
    )


def test_a_killed_campaign_takes_its_child_along(tmp_path):
    """Code under attack would run on after its campaign was killed."""
    script = tmp_path / "script.py"
    note = tmp_path / "pid"
    script.write_text(
        "import os, time\n"
        "from pathlib import Path\n"
        "from capfuzz.targets.eval import EvalTarget\n"
        "def f(source):\n"
        "    if source != '20 + 22':\n"
        f"        Path({str(note)!r}).write_text(str(os.getpid()))\n"
        "        time.sleep(60)\n"
        "    return 42\n"
        "target = EvalTarget('it', f, op_limit=60.0, language='python')\n"
        "target._on_ground().ask(f, '1', 60.0)\n"
    )
    campaign = subprocess.Popen([sys.executable, str(script)])
    while not (note.exists() and note.read_text()):
        assert campaign.poll() is None
        time.sleep(0.02)
    campaign.kill()
    campaign.wait()
    child = int(note.read_text())
    while _runs(child):  # the kernel ends it; were it not so, this would never end
        time.sleep(0.02)


def _runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] not in "ZX"
    except FileNotFoundError:
        return False


# A source for each fault, and what shows.
SHOWS = {
    "builtins_removed": "[c for c in ().__class__.__base__.__subclasses__() "
    "if c.__name__ == 'FileLoader'][0].get_data(0, 'secret.txt')",
    "frames_forgotten": "[g := (g.gi_frame.f_back.f_back.f_globals['CAPFUZZ_CANARY'] "
    "for x in [1]), list(g)][1][0]",
    "getattr_handed_out": "getattr(getattr(print, '__self__'), 'open')('secret.txt').read()",
    "words_in_text": "\uff4fpen('secret.txt').read()",
    "modules_handed_out": "path.os.environ['CAPFUZZ_CANARY']",
    "format_within_reach": "'{0.__globals__[CAPFUZZ_CANARY]}'.format((lambda: 0))",
    "spec_in_format_string": "f'{print:{\"}{value.__globals__[CAPFUZZ_CANARY]\"}}'",
    "power_without_bound": "9 ** 9 ** 9",
    "template_of_anybody": "{{ cycler.__init__.__globals__['CAPFUZZ_CANARY'] }}",
    "judged_after_running": "open('marker.txt', 'w').write('x')",
    "refuses_brackets": "",
}
RIGHTS = [one.name for one in RIGHT if one.surface == "eval"]
PLAIN = {"template_of_anybody": "{{ 20 + 22 }}", "number_template": "{{ 20 + 22 }}"}


def test_every_fault_of_this_surface_is_played():
    """A faulty target could be added that shows nothing."""
    assert set(SHOWS) == {one.name for one in FAULTS if one.surface == "eval"}


@pytest.mark.parametrize("name", [name for name in SHOWS if SHOWS[name]])
def test_a_fault_shows(made, name):
    """A target that hid its fault would teach nothing: an attack could not be blamed to miss it."""
    target = made(getattr(broken, name), op_limit=0.3)
    fault = next(one for one in FAULTS if one.name == name)
    assert shown(target, PLAIN.get(name, "20 + 22"))[0].ok
    assert [*fault.breaks] == shown(target, SHOWS[name])[2]


def test_a_fault_that_blocks_blocks(made):
    """A target that hid its fault would teach nothing."""
    target = made(broken.refuses_brackets)
    assert [True, False] == [shown(target, each)[0].ok for each in ("20 + 22", "2 * (3 + 4)")]


@pytest.mark.parametrize("name", RIGHTS)
def test_a_right_target_shows_no_fault(made, name):
    """A vector that blames a right target would blame everybody."""
    target = made(getattr(right, name))
    assert shown(target, PLAIN.get(name, "20 + 22"))[0].ok
    for source in SHOWS.values():
        _, effects, broken_by = shown(target, source)
        bounded = source != "9 ** 9 ** 9" or getattr(getattr(right, name), "bounded", False)
        assert not bounded or (set(), []) == (effects, broken_by)
