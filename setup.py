"""
The optional compiled wheel; everything else about the package is said in pyproject.toml.

With ``CAPFUZZ_COMPILED=1`` a wheel holds the engine's hot modules as extensions beside their
sources, made from the same text by mypyc. Without it nothing is compiled and mypy is not needed.
"""

import os
import shutil
import sys
from typing import Any

from setuptools import setup

MODULES = ("paths", "sandbox")  # what every op passes through, but for the turns at the meter
FOLDER = os.path.join("build", "compiled")  # apart from what a plain build leaves behind
MYPY = "mypy>=1.19"  # the first whose extensions pass the tests


def arguments() -> dict[str, Any]:
    """Return what a compiled build adds; ends an editable one, which would run the sources."""
    if "editable_wheel" in sys.argv:
        sys.exit("CAPFUZZ_COMPILED: an editable install runs the sources; build a wheel instead")
    return {
        "setup_requires": [MYPY],  # how setuptools tells a frontend of one more requirement
        "options": {"build": {"build_base": FOLDER}},
        # A frontend has the package described first, which needs no compiler.
        "ext_modules": extensions() if "bdist_wheel" in sys.argv else [],
    }


def extensions() -> list[Any]:
    """Return the extensions, their C freshly written; ends the build where mypy is missing."""
    try:
        from mypyc.build import mypycify  # noqa: PLC0415 - a plain build has none
    except ImportError:
        sys.exit(f"CAPFUZZ_COMPILED: a compiled wheel needs mypyc: pip install '{MYPY}'")
    shutil.rmtree(FOLDER, ignore_errors=True)
    cache = f"--cache-dir={os.path.join(FOLDER, 'mypy')}"
    return mypycify([cache, *sources()], target_dir=FOLDER, group_name="capfuzz")


def sources() -> list[str]:
    """Lay the engine out as it is imported; return the paths of what is to be compiled."""
    parent = os.path.join(FOLDER, "source", "capfuzz")
    engine = os.path.join(parent, "engine")
    shutil.copytree("engine", engine, ignore=shutil.ignore_patterns("__pycache__"))
    with open(os.path.join(parent, "__init__.py"), "w", encoding="utf-8"):
        pass
    return [os.path.join(engine, f"{name}.py") for name in MODULES]


setup(**(arguments() if os.environ.get("CAPFUZZ_COMPILED", "0") not in {"", "0"} else {}))
