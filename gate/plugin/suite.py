"""The tests that ``--capfuzz`` adds: ``capfuzz::FAMILY::INVARIANT``."""

from collections.abc import Generator, Mapping, Sequence
from itertools import groupby
from typing import Any

import pytest
from capfuzz.gate.plugin import folder_of
from capfuzz.gate.plugin.asked import Asked, Error, asked, cells
from capfuzz.gate.plugin.cell import Cell
from capfuzz.targets.suggest import nearest

_NAME = "capfuzz"


class Suite:
    """A plugin that adds the tests of one attack; ``chosen`` are the ids that were named, if any."""

    def __init__(self, attack: Asked, chosen: Sequence[str]) -> None:
        self._attack = attack
        self._chosen = chosen

    @classmethod
    def of(
        cls, config: pytest.Config, spec: str, settings: Mapping[str, Any], *, always: bool
    ) -> "Suite | None":
        """
        Return the suite for ``spec``, and take its ids from the arguments, where pytest wants paths.

        Unless ``always``, there is none where only paths were named: whoever runs one test of many
        does not wait for an attack.
        """
        try:
            attack = asked(config, spec, settings)
        except Error as error:
            raise pytest.UsageError(str(error)) from None
        chosen = [one for one in config.args if one.startswith(f"{_NAME}::")]
        named = config.args_source is config.ArgsSource.ARGS
        config.args = [one for one in config.args if one not in chosen]
        return cls(attack, chosen) if always or chosen or not named else None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Put the suite beside the files and folders of the session."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            root = _Root.from_parent(
                collector, name=_NAME, nodeid=_NAME, attack=self._attack, chosen=self._chosen
            )
            report.result = [*report.result, root]
        return report


class _Root(pytest.Collector):
    """The suite: the families that were chosen."""

    def __init__(self, *, attack: Asked, chosen: Sequence[str], **more: Any) -> None:
        super().__init__(**more)
        self._attack = attack
        self._chosen = chosen

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """Return the families; raises where an id that was named is none."""
        found = cells(self._attack, folder_of(self.config))
        ids = {f"{_NAME}::{one.family}" for one in found} | set(map(_id, found))
        for name in self._chosen:
            if name not in ids:
                raise Error(f"not found: {name}{nearest(name, ids)}")
        wanted = filter(self._is_chosen, found)
        return [
            _Family.from_parent(self, name=family, cells=list(row))
            for family, row in groupby(wanted, key=lambda one: one.family)
        ]

    def _is_chosen(self, cell: Cell) -> bool:
        return not self._chosen or f"{_id(cell)}::".startswith(
            tuple(f"{name}::" for name in self._chosen)
        )


class _Family(pytest.Collector):
    """A family of attacks, put to the test by each invariant."""

    def __init__(self, *, cells: Sequence[Cell], **more: Any) -> None:
        super().__init__(**more)
        self._cells = cells

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """Return a test for each invariant."""
        return [_Test.from_parent(self, name=one.invariant, cell=one) for one in self._cells]


class _Test(pytest.Item):
    """One family of attacks against one invariant."""

    def __init__(self, *, cell: Cell, **more: Any) -> None:
        super().__init__(**more)
        self._cell = cell

    def runtest(self) -> None:
        """Judge what the attack, which is made once, has shown."""
        self._cell.check()

    def reportinfo(self) -> tuple[str, None, str]:
        """Say where the test is, which is in no file."""
        return _NAME, None, self.nodeid


def _id(cell: Cell) -> str:
    return f"{_NAME}::{cell.family}::{cell.invariant}"
