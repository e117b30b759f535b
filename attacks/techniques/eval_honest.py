"""Honest code, which whoever evaluates anything at all evaluates too."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.eval_parts import evaluated

_NEEDS = "refuses honest work"
_REF = "https://cwe.mitre.org/data/definitions/184.html"


@evaluated(
    "honest-python",
    group="over-blocking-eval",
    cwe="CWE-184",
    platforms=("python",),
    needs=_NEEDS,
    refs=(_REF,),
)
def python() -> Iterator[str]:
    """Compute a number."""
    yield "20 + 22"
    yield "2 * (3 + 4)"
    yield "7 - 10"
    yield "10 / 4"
    yield "1.5 + 2.25"
    yield "-(3 - 5)"


@evaluated(
    "honest-jinja",
    group="over-blocking-eval",
    cwe="CWE-184",
    platforms=("jinja",),
    needs=_NEEDS,
    refs=(_REF,),
)
def jinja() -> Iterator[str]:
    """Compute a number, and leave a text as it is."""
    yield "{{ 20 + 22 }}"
    yield "{{ 2 * (3 + 4) }}"
    yield "Hello"


@evaluated(
    "honest-javascript",
    group="over-blocking-eval",
    cwe="CWE-184",
    platforms=("javascript",),
    needs=_NEEDS,
    refs=(_REF,),
)
def javascript() -> Iterator[str]:
    """Compute a number."""
    yield "20 + 22"
    yield "2 * (3 + 4)"
    yield "7 - 10"
    yield "10 / 4"
