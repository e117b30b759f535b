"""The two builds of the engine, interpreted and compiled: which of them runs, and how deep."""

import os
from functools import reduce
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES

import pytest
from capfuzz.engine import Capabilities, Result, Sandbox

COMPILED = os.environ.get("CAPFUZZ_EXPECT_COMPILED") == "1"


@pytest.mark.parametrize("name", ["paths", "sandbox"])
def test_the_engine_under_test_is_the_build_that_was_asked_for(name):
    """Else the tests would pass on one build and be taken for the other."""
    suffixes = tuple(EXTENSION_SUFFIXES) if COMPILED else (".py",)
    assert import_module(f"capfuzz.engine.{name}").__file__.endswith(suffixes)


@pytest.mark.parametrize("name", ["budget", "turns"])
def test_the_meter_stays_interpreted(name):
    """Else two threads could be in its generator at once: a compiled one lets them."""
    assert import_module(f"capfuzz.engine.{name}").__file__.endswith(".py")


def test_sandboxes_that_are_each_others_tools_end_at_the_recursion_limit():
    """Else calls without an interpreted frame between them would end the process."""
    caps = Capabilities(allowed_tools=["t"], max_output_bytes=10**9)
    depth, ran = 20_000, []
    boxes = [Sandbox(caps, tools={"t": lambda: ran.append("innermost")})]
    for _ in range(depth):
        boxes.append(Sandbox(caps, tools={"t": boxes[-1].run}))
    op = reduce(lambda inner, _: ("tool", "t", inner), range(depth), ("tool", "t"))
    assert isinstance(boxes[-1].run(op), Result)
    assert [[], True] == [ran, sum(box.ops for box in boxes) < depth]
