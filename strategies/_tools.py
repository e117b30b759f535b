"""A strategy for names of tools."""

from capfuzz.attacks.techniques.registry import Kind
from capfuzz.strategies import _arguments
from capfuzz.strategies._spellings import spelt_by
from capfuzz.strategies.moves import named
from hypothesis import strategies as st


def tool_names(*, granted: str = "summarize") -> st.SearchStrategy[str]:
    """
    Return ``granted``, and names that look like it and are another tool's (CWE-862).

    Prefixes, cases, patterns, namespaces, letters of other scripts, attributes of objects.
    Shrinks towards ``granted``. Raises ``InvalidArgument`` for an empty name.
    """
    _arguments.check_text("granted", granted)
    return st.sampled_from(spelt_by(("granted-tool", *named(Kind.TOOL)), granted))
