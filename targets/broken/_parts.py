"""What several faulty sessions are made of."""

from typing import Any

from capfuzz.targets.right.base import Guard, Session
from capfuzz.targets.right.refusals import DenialError


def words(op: object) -> list[str]:
    """Return the strs that an op begins with: its kind, and what it names."""
    return [word for word in op if type(word) is str] if type(op) is tuple else []


def kind_of(op: object) -> str:
    """Return the kind of an op, or nothing for what has none."""
    return words(op)[0] if words(op) else ""


class Excusing(Session):
    """Lets through what a guard refuses wherever `excuses` says so."""

    def judge(self, kind: str, guard: Guard, name: str) -> str:
        """Return what is granted, or ``name`` itself where it is excused."""
        try:
            return super().judge(kind, guard, name)
        except DenialError:
            if not self.excuses(kind, name):
                raise
            return name

    def excuses(self, kind: str, name: str) -> bool:
        """Tell whether a refused op goes through all the same."""
        raise NotImplementedError


class Nesting(Session):
    """Knows how many tools are running, one inside the other."""

    depth = 0

    def call(self, name: str, *args: object) -> Any:
        """Call a tool, one level deeper."""
        self.depth += 1
        try:
            return super().call(name, *args)
        finally:
            self.depth -= 1
