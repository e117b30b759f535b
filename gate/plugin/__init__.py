"""
The pytest plugin: each family of attacks against each invariant is a test of its own.

``pytest --capfuzz SPEC`` adds them to what is collected, and so does ``capfuzz_target`` in pytest's
own configuration where no path was named. A hand-written test asks for the fixture
`capfuzz_cell`, or `capfuzz_report`, and names its target in ``@pytest.mark.capfuzz(SPEC, ...)``.

pytest imports this module in every project where capfuzz is installed; so it imports nothing else
of capfuzz until somebody asks for it.
"""

import os
import tempfile
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from capfuzz.gate.events import Report

_FOLDER: pytest.StashKey[str] = pytest.StashKey()
_OPTIONS = {
    "as": "What a py: target answers.",
    "profile": "How much is tried: quick, standard or deep.",
    "family": "Only this family of vectors; may be repeated.",
    "seed": "Same seed, same cases.",
    "fail-on": "The least severity that fails: error, warning or note.",
    "baseline": "The findings that are accepted, a file that `capfuzz baseline update` writes.",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--capfuzz`` and what goes with it."""
    group = parser.getgroup("capfuzz", "attacks on a sandbox")
    group.addoption("--capfuzz", metavar="SPEC", help="Attack this target; capfuzz targets lists.")
    for name, said in _OPTIONS.items():
        action = "append" if name == "family" else "store"
        group.addoption(f"--capfuzz-{name}", metavar=name.upper(), action=action, help=said)
    parser.addini("capfuzz_target", "the target to attack where no path is named")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the folder that all processes of a run share; add the suite if it is asked for."""
    config.addinivalue_line(
        "markers",
        "capfuzz(spec, **settings): the target of the fixtures capfuzz_cell and capfuzz_report",
    )
    given = getattr(config, "workerinput", {})
    place = os.path.join(tempfile.gettempdir(), f"capfuzz-{os.getpid()}-{os.urandom(8).hex()}")
    config.stash[_FOLDER] = given.get("capfuzz_folder", place)
    spec = config.getoption("--capfuzz") or config.getini("capfuzz_target")
    if spec:
        from capfuzz.gate.plugin.suite import Suite  # noqa: PLC0415 - costs nothing unasked

        settings = {name: config.getoption(f"--capfuzz-{name}") for name in _OPTIONS}
        suite = Suite.of(config, spec, settings, always=bool(config.getoption("--capfuzz")))
        if suite is not None:
            config.pluginmanager.register(suite, "capfuzz-suite")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist which folder is shared."""
    node.workerinput["capfuzz_folder"] = node.config.stash[_FOLDER]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the shared folder, once all have ended."""
    folder = config.stash.get(_FOLDER, None)
    if folder is not None and not hasattr(config, "workerinput") and os.path.isdir(folder):
        import shutil  # noqa: PLC0415

        shutil.rmtree(folder, ignore_errors=True)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of every family and invariant out of one that asks for `capfuzz_cell`."""
    if "capfuzz_cell" in metafunc.fixturenames:
        from capfuzz.gate.plugin.asked import cells, marked  # noqa: PLC0415

        found = cells(marked(metafunc.config, metafunc.definition), folder_of(metafunc.config))
        names = [f"{cell.family}-{cell.invariant}" for cell in found]
        metafunc.parametrize("capfuzz_cell", found, ids=names)


@pytest.fixture
def capfuzz_report(request: pytest.FixtureRequest) -> "Report":
    """Return the report of the attack that the test's mark asks for; fails where there is none."""
    from capfuzz.gate.plugin.asked import marked  # noqa: PLC0415
    from capfuzz.gate.plugin.cell import report_of  # noqa: PLC0415

    return report_of(marked(request.config, request.node), folder_of(request.config))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what came out of each attack, and what no test fails for."""
    folder = folder_of(config)
    if os.path.isdir(folder):
        from capfuzz.gate.plugin.summary import show  # noqa: PLC0415

        show(folder, terminalreporter)


def folder_of(config: pytest.Config) -> str:
    """Return the path of the folder that all processes of a run share; made when it is needed."""
    return config.stash[_FOLDER]
