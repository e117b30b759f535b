"""
The entry point through which ``hypothesis.strategies.from_type(Capabilities)`` gives grants.

Hypothesis calls it on its own import, in every project where capfuzz is installed; so it imports
nothing but the engine, and the strategies only when a grant is asked for.
"""

from capfuzz.engine import Capabilities
from hypothesis import strategies as st


def register() -> None:
    """Let Hypothesis make `capfuzz.engine.Capabilities` by `capfuzz.strategies.grants`."""
    st.register_type_strategy(Capabilities, _grants)


def _grants(_: type[Capabilities]) -> st.SearchStrategy[Capabilities]:
    from capfuzz.strategies import grants  # noqa: PLC0415 - a hundred modules of techniques

    return grants()
