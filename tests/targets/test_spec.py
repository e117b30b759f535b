"""What a person writes becomes a target, or a sentence that says what to write instead."""

import sys

import pytest
from capfuzz.attacks.case import Case, Surface, WorldSpec
from capfuzz.engine import Capabilities, Sandbox
from capfuzz.targets import TargetError
from capfuzz.targets.sandboxes.registry import ADAPTERS
from capfuzz.targets.spec import KINDS, Options, load

MODULE = """
from types import SimpleNamespace

def make(caps, world):
    return SimpleNamespace(run=lambda op: op == ("fs_read", world.vfs.resolve("/work/./a")))

def under(root, path):
    return path == "a" and root.endswith("/work")

def served(path):
    return path == "a"

def listed(allowed, url):
    return allowed == ["ok.test"] and url == "http://ok.test/"

def fixed(url):
    return url == "http://my.example/"

async def later(root, path):
    return True

class Guard:
    @staticmethod
    def make(caps, world):
        return make(caps, world)

    class Inner:
        under = staticmethod(under)

guard = SimpleNamespace(make=make)
number = 7
"""
PATH, HOST = Options(surface=Surface.PATH), Options(surface=Surface.HOST)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a working folder from which modules can be imported; all is undone afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def module(here):
    """Write the module ``sample_targets`` into the working folder."""
    (here / "sample_targets.py").write_text(MODULE)


def refusal(spec, options=Options()):  # noqa: B008 - frozen
    """Return the sentence with which a spec is refused."""
    with pytest.raises(TargetError) as caught:
        load(spec, options)
    return str(caught.value)


def first_answer(target, *ops, **grant):
    """Return whether a target says yes to the first op."""
    files = {"/work/a": b"content"}
    case = target.adapt(Case(Capabilities(**grant), WorldSpec(files), ops, (), "test"))
    answer = target.run(case).steps[0].answer
    target.close()
    return answer.ok


# ---------------------------------------------------------------- what loads


def test_the_engine_is_a_target():
    """The default would not be there."""
    target = load("engine", Options(op_limit=7))
    assert (target.spec, target.surface) == ("engine", Surface.SESSION)
    assert first_answer(target, ("fs_read", "/work/a"), fs_read=("/work",))


def test_a_folder_that_is_not_on_the_path_is_searched(module):
    """A target beside which one stands could not be named."""
    target = load("py:sample_targets:make", Options())
    assert (target.spec, target.surface) == ("py:sample_targets:make", Surface.SESSION)
    assert first_answer(target, ("fs_read", "/work/a"))


def test_the_working_folder_is_added_once(module, here):
    """Each target would make every import slower."""
    for _ in range(2):
        load("py:sample_targets:make", Options())
    assert sys.path.count(str(here)) == 1


@pytest.mark.parametrize("name", ["Guard.make", "guard.make"])
def test_a_name_may_have_dots(module, name):
    """A method could not be attacked."""
    assert first_answer(load(f"py:sample_targets:{name}", Options()), ("fs_read", "/work/a"))


def test_a_module_may_have_dots(here):
    """A target in a package could not be attacked."""
    (here / "sample_package").mkdir()
    (here / "sample_package" / "deep.py").write_text(MODULE)
    assert first_answer(load("py:sample_package.deep:make", Options()), ("fs_read", "/work/a"))


def test_a_path_function_is_asked_with_root_and_path(module):
    """A function would be judged for a question that it was not asked."""
    for name in ("under", "Guard.Inner.under"):
        target = load(f"py:sample_targets:{name}", PATH)
        assert Surface.PATH is target.surface
        assert first_answer(target, ("fs_read", "/work/a"), fs_read=("/work",))


def test_a_path_function_with_a_root_of_its_own_is_asked_with_the_path(module, here):
    """Such a function would be called with an argument too many, and seem to refuse everything."""
    root = here / "parent" / "served"
    root.mkdir(parents=True)
    target = load("py:sample_targets:served", Options(surface=Surface.PATH, root=str(root)))
    assert first_answer(target, ("fs_read", "/work/a"), fs_read=("/work",))


def test_a_host_function_is_asked_with_hosts_and_url(module):
    """A function would be judged for a question that it was not asked."""
    target = load("py:sample_targets:listed", HOST)
    assert Surface.HOST is target.surface
    assert first_answer(target, ("url", "http://ok.test/"), net_hosts=("ok.test",))


def test_a_host_function_with_a_host_of_its_own_is_asked_with_the_url(module):
    """Such a function would be called with an argument too many, and seem to refuse everything."""
    options = Options(surface=Surface.HOST, allow_host="my.example")
    target = load("py:sample_targets:fixed", options)
    assert first_answer(target, ("url", "http://ok.test/"), net_hosts=("ok.test",))


def test_follows_links_and_dialect_reach_the_target(module):
    """What a target says of itself would be dropped, and it be blamed for what it documents."""
    dialect = frozenset({"windows"})
    options = Options(surface=Surface.PATH, follows_links=True, dialect=dialect)
    target = load("py:sample_targets:under", options)
    grant = Capabilities(fs_read=("/work",))
    linked = Case(
        grant, WorldSpec(links={"/work/l": "/etc"}), (("fs_read", "/work/l"),), (), "test"
    )
    plain = Case(grant, WorldSpec(), (("fs_read", "/work/a"),), (), "test")
    assert target.adapt(linked) is None
    assert dialect == target.run(plain).dialect
    target.close()


def test_a_type_that_makes_targets_will_do():
    """A class whose instances have run(op) could not be attacked."""
    assert load("py:capfuzz.engine:Sandbox", Options())._factory is Sandbox


# ---------------------------------------------------------------- what does not


def test_an_unknown_form_is_refused_with_the_known_ones():
    """A typing error would be a riddle."""
    said = refusal("xyzzy")
    assert said.startswith("xyzzy: no such target; known forms: engine, py:MODULE:NAME")
    for kind in KINDS:
        if kind.spec not in ADAPTERS:
            assert kind.spec.partition("//")[0].partition(" ")[0] in said


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("engin", "engine"),
        ("bubblewrap", "bwrap"),
        ("runsc", "gvisor"),
        ("systemd-nspawn", "nspawn"),
        ("sandbox-runtime", "srt"),
        ("@openai/codex", "codex"),
        ("Nodejs", "node"),
        ("landlok", "landlock"),
    ],
)
def test_what_a_sandbox_is_called_elsewhere_is_told_its_name_here(written, meant):
    """A reader would search a wall of forms for what he knows by another name."""
    assert f"{written}: no such target; did you mean {meant}?" == refusal(written)


@pytest.mark.parametrize("spec", ["py:", "py:module", "py:module:", "py::name"])
def test_an_incomplete_spec_is_refused_with_an_example(spec):
    """The shape of a spec would be a riddle."""
    assert f"{spec}: write py:MODULE:NAME, such as py:my.sandbox:make" == refusal(spec)


def test_a_module_that_is_not_there_is_named(here):
    """A typing error would be a traceback."""
    said = refusal("py:not_there_at_all:make")
    assert "py:not_there_at_all:make: cannot import not_there_at_all: ModuleNotFoundError" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def", "SyntaxError: "),
    ],
)
def test_a_module_that_fails_is_told_with_its_error(here, text, said):
    """A target that ends the process on import would be taken for one that holds."""
    (here / "sample_failing.py").write_text(text)
    assert f"cannot import sample_failing: {said}" in refusal("py:sample_failing:make")


@pytest.mark.parametrize("name", ["missing", "guard.missing", "Guard.Inner.missing"])
def test_a_name_that_is_not_there_is_named(module, name):
    """A typing error would be a traceback."""
    spec = f"py:sample_targets:{name}"
    assert f"{spec}: sample_targets has no {name}" == refusal(spec)


def test_what_cannot_be_called_is_refused(module):
    """Every op would raise, and that pass for fail-closed."""
    assert "number is a int, not something to call" in refusal("py:sample_targets:number")


@pytest.mark.parametrize("options", [PATH, HOST, Options()])
def test_an_asynchronous_function_is_refused(module, options):
    """A coroutine is always true: every refusal would be reported as a hole."""
    assert "later is async; wrap it in a function that runs it" in refusal(
        "py:sample_targets:later", options
    )


@pytest.mark.parametrize("options", [PATH, HOST])
def test_the_engine_is_no_function(options):
    """A report would say that a surface was measured which was not."""
    assert f"engine: a session target cannot be asked as {options.surface}" == refusal(
        "engine", options
    )
