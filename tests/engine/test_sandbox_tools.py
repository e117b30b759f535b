"""Tools under a grant: exact names, contained errors, metered output, shared budgets."""

import threading

import pytest
from capfuzz.engine import Capabilities, Sandbox, results

from .twins import Twin


class _Bytes(bytes):
    """Bytes that claim to be none."""

    def __len__(self):
        return 0


@pytest.mark.parametrize(
    "name",
    [
        *(
            "shell",
            "",
            "Summarize",
            "summarize ",
            " summarize",
            "summarise",
            "summarize.run",
            "sum",
        ),
        *("tools/summarize", "summarize\0", "*", "\uff53ummarize", "summarize/../shell"),
    ],
)
def test_a_tool_is_granted_by_its_exact_name(world, name):
    """Else a name that only looks granted would run."""
    world.tools[name] = lambda: world.called.append("ran")
    assert results.TOOL_DENIED is world.box().run(("tool", name))
    assert [] == world.called


def test_a_tool_gets_its_arguments_as_they_are(world, told):
    """Else a tool would act on a copy or on fewer arguments than were given."""
    world.tools["summarize"] = lambda *args: world.called.append(args) or "done"
    keep = object()
    assert "done" == told(world.box().run(("tool", "summarize", keep, [], None)))
    assert world.called[0][0] is keep
    assert ([], None) == world.called[0][1:]


def test_a_tool_registered_later_does_not_run(world):
    """Else whoever keeps the table could put another tool behind a granted name."""
    box = world.box()
    world.tools["summarize"] = lambda: world.called.append("exchanged")
    box.run(("tool", "summarize"))
    assert [("summarize",)] == world.called


@pytest.mark.parametrize("tools", [None, {}, {"summarize": None}])
def test_a_granted_tool_that_does_not_exist_is_an_error(told, tools):
    """Else a missing tool would raise out of run or count as an attack."""
    box = Sandbox(Capabilities(allowed_tools=["summarize"]), tools=tools)
    assert "tool failed: no such tool" == told(box.run(("tool", "summarize")))


def _raise(error):
    raise error


class _Meta(type):
    """A class of classes that raises when a name is asked for."""

    @property
    def __name__(cls):
        raise SystemExit


class _NamelessError(Exception, metaclass=_Meta):
    """An error whose class will not tell its name."""

    def __str__(self):
        raise SystemExit


class _Unchecked(type):
    """A class of classes that raises when a check is made."""

    def __instancecheck__(cls, instance):
        raise GeneratorExit

    __subclasscheck__ = __instancecheck__


class _UncheckedError(Exception, metaclass=_Unchecked):
    """An error that cannot even be raised as itself."""


class _Name(str):
    """A name that raises when it is read."""

    __slots__ = ()

    def __str__(self):
        raise SystemExit

    __getitem__ = __format__ = __str__


# What a tool raises, and the name that is told of it.
RAISED = {
    "with a path": (RuntimeError("/etc/passwd"), "RuntimeError"),
    "exit": (SystemExit(3), "SystemExit"),
    "generator exit": (GeneratorExit(), "GeneratorExit"),
    "stop": (StopIteration(1), "StopIteration"),
    "base": (BaseException("x"), "BaseException"),
    "memory": (MemoryError(), "MemoryError"),
    "stack": (RecursionError(), "RecursionError"),
    "group": (BaseExceptionGroup("many", [KeyboardInterrupt()]), "BaseExceptionGroup"),
    "own": (type("Own", (BaseException,), {})(), "Own"),
    "nameless": (_NamelessError("x"), "_NamelessError"),
    "hostile name": (type(_Name("Own"), (Exception,), {})(), "Own"),
    "long name": (type("a" * 64, (Exception,), {})(), "a" * 64),
    "overlong name": (type("a" * 65, (Exception,), {})(), "a" * 64),
    "no error": ("x", "TypeError"),
}


@pytest.mark.parametrize("case", RAISED)
def test_what_a_tool_raises_is_contained(world, told, case):
    """Else a tool could end the run, or carry text out past the meter in its error."""
    error, name = RAISED[case]
    world.tools["summarize"] = lambda: _raise(error)
    box = world.box(max_output_bytes=0)
    assert f"tool failed: {name}" == told(box.run(("tool", "summarize")))
    assert [0, False, results.MALFORMED_OP] == [box.output_bytes, box.halted, box.run(None)]


def test_a_name_set_on_a_raised_class_is_read_as_text(world, told):
    """Else a class renamed with a hostile str would raise while its name is told."""
    own = type("Own", (Exception,), {})
    own.__name__ = _Name("Renamed")
    world.tools["summarize"] = lambda: _raise(own())
    assert "tool failed: Renamed" == told(world.box().run(("tool", "summarize")))


def test_an_error_that_cannot_be_raised_is_contained(world):
    """Else a class that raises while it is checked would get past the containment."""
    world.tools["summarize"] = lambda: _raise(_UncheckedError())
    # Which of the two errors it is depends on the interpreter.
    assert world.box().run(("tool", "summarize")).detail.startswith("tool failed: ")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, type("Mine", (KeyboardInterrupt,), {})])
def test_a_persons_interrupt_comes_out(world, kind):
    """Else Ctrl-C would be swallowed as a fault of the tool."""
    world.tools["summarize"] = lambda: _raise(kind())
    box = world.box()
    with pytest.raises(kind):
        box.run(("tool", "summarize"))
    assert box.run(("fs_read", "/work/data.txt")).ok is True


class _Str:
    """An object with a text of its own."""

    def __init__(self, text):
        self._text = text

    def __str__(self):
        return self._text()


class _Wide(str):
    """A str that claims to be short."""

    __slots__ = ()

    def __len__(self):
        return 0

    def encode(self, *_):
        return b""

    def __str__(self):
        return ""


class _TextTwin(_Wide, metaclass=Twin):
    """A str that claims to be short, and whose class equals str and bytes."""

    __slots__ = ()


OUTPUTS = {
    "None": (None, 0),
    "empty": ("", 0),
    "text": ("four", 4),
    "two bytes a letter": ("üü", 4),
    "four bytes a letter": ("\U0001f600", 4),
    "lone surrogate": ("\ud800", 3),
    "bytes": (b"\0\xff", 2),
    "bytes that lie": (_Bytes(b"four"), 4),
    "text that lies": (_Wide("four"), 4),
    "text of a twin class": (_TextTwin("four"), 4),
    "int": (1_000, 4),
    "bool": (False, 5),
    "list": ([1, 2], 6),
    "object": (_Str(lambda: "seven.."), 7),
    "object with a lying text": (_Str(lambda: _Wide("four")), 4),
    "bytearray": (bytearray(b"12"), len("bytearray(b'12')")),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_output_is_handed_over_as_it_is_and_charged_by_its_text(world, name):
    """Else bytes would flow back that nobody counted."""
    output, size = OUTPUTS[name]
    world.tools["summarize"] = lambda: output
    box = world.box(max_output_bytes=size)
    result = box.run(("tool", "summarize"))
    assert [True, size] == [result.ok, box.output_bytes]
    assert result.output is output


@pytest.mark.parametrize("name", [name for name, (_, size) in OUTPUTS.items() if size])
def test_output_one_byte_over_is_not_handed_over(world, name):
    """Else the budget would end one byte too late."""
    output, size = OUTPUTS[name]
    world.tools["summarize"] = lambda: output
    box = world.box(max_output_bytes=size - 1)
    assert results.OUT_OF_OUTPUT == box.run(("tool", "summarize"))
    assert [0, True] == [box.output_bytes, box.halted]


@pytest.mark.parametrize(
    ("op", "size"),
    [
        (("fs_read", "/work/data.txt"), 6),
        (("net_fetch", "api.internal", "/status"), 2),
        (("tool", "summarize"), 5),
    ],
)
def test_every_way_back_is_metered(world, op, size):
    """Else one kind of op would carry out what the others may not."""
    world.tools["summarize"] = lambda: "five!"
    enough, short = world.box(max_output_bytes=size), world.box(max_output_bytes=size - 1)
    assert [True, size, 0] == [enough.run(op).ok, enough.output_bytes, enough.bytes_written]
    assert ["max_output_bytes", None] == [short.run(op).violation, short.run(op).output]


def test_an_answer_that_overflows_follows_an_effect_that_happened(world):
    """Else the log would hide a fetch that did leave the box."""
    box = world.box(max_output_bytes=1)
    assert results.OUT_OF_OUTPUT is box.run(("net_fetch", "api.internal", "/status"))
    assert [("api.internal", "/status")] == world.net.calls


class _Masked:
    """An object that claims another class."""

    def __init__(self, claim):
        self._claim = claim

    @property
    def __class__(self):
        return self._claim()

    def __str__(self):
        return "four"


UNTELLABLE = {
    "text exits": (_Str(lambda: _raise(SystemExit())), "SystemExit"),
    "text raises": (_Str(lambda: _raise(BaseException())), "BaseException"),
    "text is no str": (_Str(lambda: 7), "TypeError"),
    "claims bytes": (_Masked(lambda: bytes), "TypeError"),
    "claims str": (_Masked(lambda: str), "TypeError"),
    "claim exits": (_Masked(lambda: _raise(SystemExit())), "SystemExit"),
    "too many digits": (10**5_000, "ValueError"),
}


@pytest.mark.parametrize("case", UNTELLABLE)
def test_output_that_cannot_be_told_is_an_error(world, told, case):
    """Else an output would raise out of run, or pass uncounted."""
    output, name = UNTELLABLE[case]
    world.tools["summarize"] = lambda: output
    box = world.box()
    assert f"tool failed: {name}" == told(box.run(("tool", "summarize")))
    assert 0 == box.output_bytes


def test_an_interrupt_comes_out_of_the_text_of_an_output(world):
    """Else Ctrl-C would be swallowed while an output is measured."""
    world.tools["summarize"] = lambda: _Str(lambda: _raise(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        world.box().run(("tool", "summarize"))


def test_a_tool_that_floods_is_cut_off(world):
    """Else gigabytes would flow back to the agent."""
    world.tools["summarize"] = lambda: "x" * 10_000_000
    assert results.OUT_OF_OUTPUT is world.box().run(("tool", "summarize"))


def test_a_tool_that_calls_run_shares_the_budget(world):
    """Else a tool could multiply its budget by calling back."""
    inner = []

    def tool():
        inner.append(box.run(("tool", "summarize")))
        return "x"

    world.tools["summarize"] = tool
    box = world.box(max_ops=4)
    assert results.HALTED == box.run(("tool", "summarize"))
    assert [results.OUT_OF_OPS] + [results.HALTED] * 3 == inner
    assert [4, 0] == [box.ops, box.output_bytes]


def test_a_tool_that_calls_run_is_judged_as_anybody_else(world):
    """Else a tool's own authority would be wider than the grant."""
    world.tools["summarize"] = lambda *op: box.run(op).violation
    box = world.box()
    assert ["fs_read_denied", "egress_denied", "tool_denied"] == [
        box.run(("tool", "summarize", *op)).output
        for op in (("fs_read", "/etc/passwd"), ("net_fetch", "evil.com", "/"), ("tool", "shell"))
    ]
    assert [[], []] == [world.net.calls, world.called]


def test_output_of_a_nested_op_is_charged_before_the_outer_one(world):
    """Else the outer answer would be counted against a budget that is spent."""
    world.tools["summarize"] = lambda: box.run(("fs_read", "/work/data.txt")).output + b"!"
    box = world.box(max_output_bytes=12)
    assert results.OUT_OF_OUTPUT is box.run(("tool", "summarize"))
    assert 6 == box.output_bytes


def test_a_tool_that_calls_without_end_is_contained(world):
    """Else a tool could exhaust the stack and raise out of run."""
    world.tools["summarize"] = lambda: box.run(("tool", "summarize")).ok
    box = world.box(max_ops=10**6, max_wall=10**9)
    result = box.run(("tool", "summarize"))
    assert result.violation in {None, "halted"}
    assert result.detail or result.output is False or result.ok


def test_a_tool_may_wait_for_a_thread_that_calls_run(world):
    """Else a lock held across the effect would hang both for good."""
    inner = []

    def tool():
        thread = threading.Thread(
            target=lambda: inner.append(box.run(("fs_read", "/work/data.txt"))), daemon=True
        )
        thread.start()
        thread.join(timeout=30)
        return len(inner)

    world.tools["summarize"] = tool
    box = world.box()
    assert 1 == box.run(("tool", "summarize")).output
    assert b"ledger" == inner[0].output
