"""What every page of ours is made with: escaping, and a policy under which nothing else is loaded."""

import base64
import hashlib
from importlib.resources import files

from capfuzz.gate.report import lines
from capfuzz.gate.report.text import cut, granted, printable, short
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

_PARTS = files("capfuzz.gate.report") / "html"


def environment() -> Environment:
    """Return an environment that escapes whatever it puts out, for HTML and for eyes."""
    made = Environment(
        loader=FunctionLoader(part),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else printable(str(value)),
    )
    made.filters.update(short=short, cut=cut, granted=granted, fixed=lines.fixed, inside=_inside)
    return made


def _inside(value: object) -> Markup:
    """Return text to stand between tags, where quotes mean nothing; escaped, they would double it."""
    text = str(escape(printable(str(value))))
    return Markup(text.replace("&#34;", '"').replace("&#39;", "'"))  # noqa: S704 - escaped above


def part(name: str) -> str:
    """Return one of the files that pages are made of."""
    return (_PARTS / name).read_text(encoding="utf-8")


def policy(style: str, script: str) -> str:
    """Return the content security policy: our own style and script, by their digests, and no more."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_digest(style)}'",
            f"script-src '{_digest(script)}'",
            "img-src data:",  # the empty icon, without which a browser asks a server for one
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
