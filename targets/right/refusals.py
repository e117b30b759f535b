"""How a session says no: a reason, which is also what the answer carries."""

HARD = frozenset({"max_ops", "max_wall", "max_output_bytes", "halted"})


class DenialError(Exception):
    """
    An op that is refused.

    ``reason`` is one of the violations that the engine names; ``detail`` depends on it alone.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail or f"refused: {reason}"


class FailureError(Exception):
    """An op that was allowed and came to nothing: a missing file, a tool that raised."""
