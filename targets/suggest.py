"""A typo, or the name that a sandbox has elsewhere, names the known word."""

from collections.abc import Iterable
from difflib import get_close_matches

# Of the project, the package or the program.
_ELSEWHERE = {
    "@anthropic-ai/sandbox-runtime": "srt",
    "@openai/codex": "codex",
    "bubblewrap": "bwrap",
    "nodejs": "node",
    "pydantic-monty": "monty",
    "runsc": "gvisor",
    "sandbox-runtime": "srt",
    "systemd-nspawn": "nspawn",
    "wasi": "wasmtime",
}


def near(word: str, known: Iterable[str]) -> str | None:
    """Return what a known thing is called elsewhere, else the nearest known word, if there is one."""
    names = sorted(known)
    other = _ELSEWHERE.get(word.lower())
    return next(iter([other] if other in names else get_close_matches(word, names, n=1)), None)


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a clause that suggests the nearest known word, or lists them all."""
    names = sorted(known)
    close = near(word, names)
    return f"; did you mean {close}?" if close else f"; known: {', '.join(names)}"
