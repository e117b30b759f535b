"""Jinja's sandbox, as it is and with a filter that calls what a template hands it."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked

from typing import Any


def render(source: str) -> str:
    """Return what a template of somebody else's renders to."""
    return _environment().from_string(source).render()


def render_with_call(source: str) -> str:
    """Return the same where a filter ``apply`` calls what it is given, as applications have them."""
    environment = _environment()
    environment.filters["apply"] = lambda function, *arguments: function(*arguments)
    return environment.from_string(source).render()


def _environment() -> Any:
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment()
