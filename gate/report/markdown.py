"""Hostile text in Markdown, as the web sites that show job summaries read it."""

import re

_PLAIN = re.compile(r"[^\w .,()-]|_", re.ASCII)


def literal(text: str) -> str:
    """Return ``text`` so that no character of it is markup, a mention or a link."""
    return _PLAIN.sub(lambda found: f"&#{ord(found[0])};", text)


def code(text: str) -> str:
    """Return ``text`` as a block of code that it cannot end itself."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"
