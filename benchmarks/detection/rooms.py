"""Throwaway environments: one a side, with the package and capfuzz in it, removed at the end."""

import json
import shutil
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from debs import unpacked_python
from entries import ADAPTERS, Side
from programs import Programs, RoomError
from pythons import Python, find_python, this_python

ROOT = Path(__file__).resolve().parents[2]
INSTALL_SECONDS = 900
ATTACK_SECONDS = 1800
_INSTALLABLE = ("pypi", "stdlib", "npm")

_VERSION = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"
_GROUPS = """
import json
from capfuzz.attacks.techniques.catalog import TECHNIQUES
print(json.dumps({name: each.group for name, each in TECHNIQUES.items()}))
"""


@dataclass(frozen=True, slots=True)
class Room:
    """One side's environment: ``driver`` has capfuzz, ``inner`` the package; often the same."""

    folder: Path
    driver: Path
    inner: Path

    @property
    def bridged(self) -> bool:
        """Whether the package runs in a Python of its own, too old for capfuzz."""
        return self.driver != self.inner

    @property
    def node_modules(self) -> Path:
        """Where npm packages are installed, if any are."""
        return self.folder / "npm" / "node_modules"


class Rooms:
    """The temporary folder of one run; leaving it ends what still runs and removes everything."""

    def __init__(self, *, keep: bool = False) -> None:
        self._keep = keep
        self.folder = Path(tempfile.mkdtemp(prefix="capfuzz-detection-"))
        self._temporary = self.folder / "tmp"
        self._temporary.mkdir()
        self._programs = Programs()

    def __enter__(self) -> Self:
        """Return the rooms themselves."""
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Close, whatever happened."""
        self.close()

    def stop(self) -> None:
        """End the programs that still run; no other can be started after that."""
        self._programs.close()

    def close(self) -> None:
        """End the programs that still run and remove the folder, unless it is to be kept."""
        self.stop()
        self._remove(self.folder)

    def leave(self, room: Room) -> None:
        """Remove one environment, unless it is to be kept."""
        self._remove(room.folder)

    def wheel(self) -> Path:
        """Return a wheel of this repository, built from a copy so that no leftovers get in."""
        source, wheels = self.folder / "source", self.folder / "wheels"
        _copy_project(source)
        builder = self._venv(self.folder / "builder", this_python().path)
        self._run([builder, "-m", "pip", "wheel", "-q", "--no-deps", "-w", wheels, source])
        return next(wheels.glob("*.whl"))

    def make(self, side: Side, wheel: Path) -> Room:
        """Return an environment with the package and capfuzz installed; raises `RoomError`."""
        if side.entry.ecosystem not in _INSTALLABLE:
            raise RoomError(f"{side.entry.ecosystem} packages have no install step in rooms.py")
        folder = Path(tempfile.mkdtemp(prefix=f"{side.entry.id}-{side.role}-", dir=self.folder))
        python = self._python(side, folder)
        inner = python.path if side.release else self._venv(folder / "package", python.path)
        driver = inner
        if side.release or not python.runs_capfuzz:
            driver = self._venv(folder / "capfuzz", this_python().path)
        room = Room(folder, driver, inner)
        for each, wanted in installs(room, side, wheel):
            self._run([each, "-m", "pip", "install", "-q", "--disable-pip-version-check", *wanted])
        if side.entry.ecosystem == "npm":
            self._npm(room, [f"{side.entry.package}@{side.version}", *side.entry.also])
        self._same_version(room, side)
        return room

    def groups(self, room: Room) -> dict[str, str]:
        """Return the group of each technique, as the installed capfuzz names them."""
        return dict(json.loads(self._run([room.driver, "-c", _GROUPS])))

    def attack(self, room: Room, side: Side) -> str:
        """Attack the adapter with the ordinary command line; returns the JSON report."""
        out = room.folder / "report.json"
        said = self._programs.run(
            attack_command(room, side, out),
            cwd=ADAPTERS,
            seconds=ATTACK_SECONDS,
            env={
                "DETECTION_PYTHON": str(room.inner),
                "DETECTION_ADAPTER": side.adapter,
                "DETECTION_NODE_MODULES": str(room.node_modules),
            },
            statuses=(0, 1, 2),
        )
        if not out.exists():
            raise RoomError(f"no report was written; the command said: {said[-300:]}")
        return out.read_text(encoding="utf-8")

    def _same_version(self, room: Room, side: Side) -> None:
        if side.entry.ecosystem == "stdlib":
            return
        if side.entry.ecosystem == "npm":
            about = room.node_modules / side.entry.package / "package.json"
            got = str(json.loads(about.read_text(encoding="utf-8"))["version"])
        else:
            got = self._run([room.inner, "-c", _VERSION, side.entry.package]).strip()
        if got != side.version:
            raise RoomError(f"{side.entry.package} {side.version} was asked for, {got} came")

    def _python(self, side: Side, folder: Path) -> Python:
        """Return the Python that runs the package, or for npm the adapter."""
        if side.release:
            (folder / "debs").mkdir()
            return unpacked_python(self._programs, folder / "debs", side.runtime, side.release)
        return this_python() if side.entry.ecosystem == "npm" else find_python(side.runtime)

    def _npm(self, room: Room, wanted: list[str]) -> None:
        """Install npm packages; their install scripts are not run."""
        asked = ["--ignore-scripts", "--no-fund", "--no-audit", "--silent"]
        where = ["--prefix", room.folder / "npm", "--cache", self._temporary / "npm"]
        (room.folder / "npm").mkdir()
        self._run(["npm", "install", *asked, *where, *wanted])

    def _venv(self, folder: Path, python: Path) -> Path:
        self._run([python, "-m", "venv", folder])
        return folder / "bin" / "python"

    def _run(self, command: list[str | Path]) -> str:
        # What an interrupted pip leaves in its temporary folder is removed with the rest.
        env = {"TMPDIR": str(self._temporary)}
        return self._programs.run(command, cwd=self.folder, seconds=INSTALL_SECONDS, env=env)

    def _remove(self, folder: Path) -> None:
        if not self._keep:
            shutil.rmtree(folder, ignore_errors=True)


def installs(room: Room, side: Side, wheel: Path) -> list[tuple[Path, list[str]]]:
    """Return what is installed where, in order; together where the resolver may see it all."""
    entry = side.entry
    pinned = [f"{entry.package}=={side.version}"] if entry.ecosystem == "pypi" else []
    also = [] if entry.ecosystem == "npm" else [*entry.also]
    wanted = also if entry.no_deps else [*pinned, *also]
    steps = [(room.driver, [str(wheel), *([] if room.bridged else wanted)])]
    if room.bridged and wanted:
        steps.append((room.inner, wanted))
    if entry.no_deps and pinned:
        steps.append((room.inner, ["--no-deps", *pinned]))
    return steps


def attack_command(room: Room, side: Side, out: Path) -> list[str | Path]:
    """Return the ordinary command line for one side."""
    ask = "bridge:ask_one" if side.entry.surface == "ssrf" else "bridge:ask"
    spec = ask if room.bridged else side.adapter
    asked = ["--as", side.entry.surface, "--profile", "standard", *side.entry.options]
    return [room.driver.with_name("capfuzz"), "attack", f"py:{spec}", *asked, "--json", out]


def suite() -> str:
    """Return the name and version of what this repository holds."""
    project = _pyproject()["project"]
    return f"{project['name']} {project['version']}"


def _pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _copy_project(destination: Path) -> None:
    destination.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, destination / name)
    ignore = shutil.ignore_patterns("__pycache__")
    for name in _pyproject()["tool"]["setuptools"]["package-dir"].values():
        shutil.copytree(ROOT / name, destination / name, ignore=ignore)
