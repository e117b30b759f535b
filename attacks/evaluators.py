"""
What evaluated code may find of its host, and how its languages are told apart.

The places are names in a vector's world; a target plants their content in a process of its own: a
file in the working folder, a variable of the environment, a global of every module of the host.
"""

import ast
from dataclasses import dataclass

SECRET_FILE, SECRET_NAME, MARKER = "secret.txt", "CAPFUZZ_CANARY", "marker.txt"
FILE, ENVIRONMENT, GLOBALS = f"/{SECRET_FILE}", "/environment", "/globals"
LISTENER = "127.0.0.1"
PORT = "$PORT"  # in a source: where the listener waits, which only a run knows
RESULT = "result"  # the variable that holds the value after statements

FILES = {
    FILE: "canary-in-file-5b1f0c93",
    ENVIRONMENT: "canary-in-environment-c47d2e18",
    GLOBALS: "canary-in-globals-90ae6f3b",
}


@dataclass(frozen=True, slots=True)
class Language:
    """
    A language that evaluators read.

    ``probe`` answers 42 in it and in none that comes later; ``statements`` does so where it has
    statements, after which the variable `RESULT` holds the value.
    """

    name: str
    probe: str
    statements: str = ""


LANGUAGES = (
    Language("jinja", "x{{ 20 + 22 }}"),  # without the x, JavaScript would compute it too
    Language("javascript", '"44" - 2'),
    Language("python", "20 + 22", f"{RESULT} = 20 + 22\n{RESULT}"),
)
ANSWER = "42"


# How an evaluator that answers nothing is known: it runs the one and raises on the other.
HARMLESS, FAILING = f"{RESULT} = 20 + 22\nint({RESULT})", f"{RESULT} = 1 / 0\nint({RESULT})"


def has_statements(source: str) -> bool:
    """Tell whether a source of Python consists of statements that end in `RESULT`."""
    return source.endswith(f"\n{RESULT}")


def as_statements(source: str) -> str:
    """Return an expression as statements with the same value."""
    return source if has_statements(source) else f"{RESULT} = ({source})\n{RESULT}"


def as_raised(source: str) -> str:
    """Return an expression or statements as statements that raise what the value says."""
    spoken = f"\nint({RESULT})"
    if source.endswith(spoken):
        return source
    return as_statements(source).removesuffix(f"\n{RESULT}") + spoken


def readable(op: object) -> bool:
    """Tell whether an op has a source that Python can parse."""
    match op:
        case ("eval", str(source)):
            try:
                ast.parse(source.replace(PORT, "1"))
            except (SyntaxError, ValueError):
                return False
            return True
        case _:
            return False
