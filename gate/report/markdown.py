"""Hostile text in Markdown, as the web sites that show job summaries read it."""

import re

# A colon may stand between a word and a blank, where it is in no address and no :name:, and an
# underscore before a letter, where it ends no emphasis. An address may begin without a colon, by www.
_MARKUP = re.compile(
    r"(?<![A-Za-z0-9)]):|:(?! )|_(?![A-Za-z0-9])|(?<=www)\.|[^A-Za-z0-9_ .,():-]",
    re.ASCII | re.IGNORECASE,
)


def literal(text: str) -> str:
    """Return ``text`` so that no character of it is markup, a mention or a link."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", text)


def code(text: str) -> str:
    """Return ``text`` as a block of code that it cannot end itself."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"
