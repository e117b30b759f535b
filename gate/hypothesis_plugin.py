"""
The entry point through which ``hypothesis.strategies.from_type(Capabilities)`` gives grants.

Hypothesis calls it on its own import, in every project where capfuzz is installed; so it imports
nothing but the engine, and the strategies only when a grant is asked for.
"""

from typing import TYPE_CHECKING

from capfuzz.engine import Capabilities

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def register() -> None:
    """Let Hypothesis make `capfuzz.engine.Capabilities` by `capfuzz.strategies.grants`."""
    # Imported here: whoever imports this module first would be called back half imported.
    from hypothesis import strategies  # noqa: PLC0415

    strategies.register_type_strategy(Capabilities, _grants)


def _grants(_: type[Capabilities]) -> "SearchStrategy[Capabilities]":
    from capfuzz.strategies import grants  # noqa: PLC0415 - a hundred modules of techniques

    return grants()
