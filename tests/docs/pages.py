"""
Pages as programs: what a reader who follows one from the top would write and type.

- A code block with ``title="NAME"``, or whose first line is ``# NAME.py`` (or ``.toml``, ``.ini``),
  is a file.
- In a ``console`` block each ``$ `` line is a command, with its continuations after a backslash; the
  lines up to the next are what it prints. ``...`` stands for anything, and a number for any number,
  but 0 for 0 alone. A command that shows nothing may print anything.
- A command ends with status 0, or says ``# exit status 1``.
- ``# not run: WHY`` says that a test cannot run it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PORT = "8765"  # stands on pages for a port that is free

# Those of benchmarks/ are not among them: each of their commands takes minutes.
_READMES = (
    "README.md",
    "CONTRIBUTING.md",
    "targets/README.md",
    "strategies/README.md",
    "attacks/corpus/README.md",
)
_BLOCK = re.compile(
    r"^(?P<in> *)```(?P<kind>\w+)(?P<info>.*)\n(?P<body>(?:.*\n)*?)(?P=in)```$", re.MULTILINE
)
_NAMED = re.compile(r"# ([\w./-]+\.(?:py|toml|ini|yaml|yml))\n")
_COMMAND = re.compile(r"^\$ (?P<line>(?:.*\\\n)*.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE)
_NUMBER = re.compile(r"(?<![\w.\-#])\d[\d,]*(?:\.\d+)?(?![\w\-])")


@dataclass(frozen=True, slots=True)
class File:
    """A file that a page shows."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command that a page shows, and what it is said to print."""

    line: str
    shown: str

    @property
    def status(self) -> int:
        """The exit status that the page tells."""
        told = re.search(r"# exit status (\d+)", self.line)
        return int(told[1]) if told else 0

    @property
    def not_run(self) -> bool:
        """Whether the page says that no test runs it."""
        return "# not run: " in self.line

    def prints(self, output: str) -> bool:
        """Tell whether an output is the one that the page shows."""
        return not self.shown or re.fullmatch(_pattern(self.shown), _plain(output)) is not None


def pages() -> list[Path]:
    """Return all pages that show commands."""
    found = [*map(ROOT.joinpath, _READMES), *sorted(ROOT.glob("docs/**/*.md"))]
    return [page for page in found if any(isinstance(one, Command) for one in steps(page))]


def steps(page: Path) -> Iterator[File | Command]:
    """Return the files and commands of a page in their order."""
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        body = re.sub(f"^{block['in']}", "", block["body"], flags=re.MULTILINE)
        title = re.search(r'title="([\w./-]+)"', block["info"]) or _NAMED.match(body)
        if block["kind"] == "console":
            yield from (Command(one["line"], one["shown"]) for one in _COMMAND.finditer(body))
        elif title:
            yield File(title[1], body)


def _plain(text: str) -> str:
    """Return a text without what differs between terminals and what shows progress."""
    lines = (line.strip() for line in re.sub(r"[─━]+", "-", text).splitlines())
    kept = [line for line in lines if line and not re.fullmatch(r"[\w-]+: \d+ done", line)]
    return "".join(f"{re.sub(r'[ ]+', ' ', line)}\n" for line in kept)


def _pattern(shown: str) -> str:
    return "".join(
        r"(?:.*\n)*?" if line == "..." else f"{_of_line(line)}\n"
        for line in _plain(shown).splitlines()
    )


def _of_line(line: str) -> str:
    pieces = re.split(f"({_NUMBER.pattern}|\\.\\.\\.)", line)
    return "".join(map(_of_piece, pieces))


def _of_piece(piece: str) -> str:
    if piece == "...":
        return ".*"
    if _NUMBER.fullmatch(piece) and piece.strip("0.,"):
        return r"(?=[\d,.]*[1-9])\d[\d,]*(?:\.\d+)?"
    return re.escape(piece)
