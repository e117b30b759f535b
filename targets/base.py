"""The protocol of a target, and the one error of this room."""

from typing import Any, Protocol

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.trace import Trace

# What a yes or a no cannot show.
ANSWER_ALONE = frozenset(
    {
        "confined",
        "halt-after-hard",
        "within-budget",
        "no-effect-on-denial",
        "right-reason",
        "grant-immutable",
        "no-existence-leak",
        "monotone-authority",
    }
)
# What a function or a server that is asked for places below one root has no say in.
PLACES_ALONE = frozenset(
    {
        "halt-after-hard",
        "within-budget",
        "no-effect-on-denial",
        "right-reason",
        "grant-immutable",
        "monotone-authority",
        "no-existence-leak",
    }
)


class TargetError(Exception):
    """A target that cannot be measured; says what, where and what to do."""


class AbsentError(TargetError):
    """A target that cannot run on this machine: its spec, and the reason."""

    def __str__(self) -> str:
        """Return both."""
        spec, reason = self.args
        return f"{spec}: cannot run here: {reason}"


class Target(Protocol):
    """Anything under attack."""

    @property
    def spec(self) -> str:
        """How the target was named."""

    @property
    def surface(self) -> Surface:
        """The shape of question that it answers."""

    @property
    def unobservable(self) -> frozenset[str]:
        """The invariants that this surface cannot show; they never count as held."""

    def adapt(self, case: Case) -> Case | None:
        """Return the case as this target can be asked it, None where it cannot express it."""

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """
        Try an adapted case, each op within the target's time limit times ``patience``.

        Raises `TargetError` where nothing can be measured.
        """

    def close(self) -> None:
        """Remove whatever was planted."""


def limits_of(target: object) -> tuple[str, ...]:
    """Return what a target is documented not to confine, so that nobody asks it; most have none."""
    return tuple(getattr(target, "limits", ()))


def refuse_pair(spec: str, answer: Any) -> None:
    """Raise `TargetError` for ``(False, "why")``, which is true as it stands, whatever it says."""
    if type(answer) is tuple and answer and type(answer[0]) is bool:
        raise TargetError(
            f"{spec}: answered with a tuple, which counts as yes whatever is in it; "
            "wrap it in a function that returns the first item"
        )
