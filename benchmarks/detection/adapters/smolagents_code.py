"""smolagents' local executor, as an agent gets it: no further imports, no tools but print."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked

from typing import Any


def run(source: str) -> Any:
    """Return the value of the last expression."""
    from smolagents.local_python_executor import LocalPythonExecutor

    executor = LocalPythonExecutor(additional_authorized_imports=[])
    executor.send_tools({})
    return executor(source).output
