"""Faults of counting: how often something was tried moves the decision."""

from collections.abc import Callable
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken._parts import Excusing
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.files import PathGuard
from capfuzz.targets.right.guards import PathlibGuard, RegexGuard, SegmentGuard
from capfuzz.targets.right.refusals import DenialError

_GOOD_CONDUCT = 20
_SAMPLE = 4
_ATTEMPTS = 3


class _Tiring(PathGuard):
    denials = 0

    def locate(self, path: str) -> str:
        try:
            return super().locate(path)
        except DenialError:
            self.denials += 1
            if self.denials <= 5:  # noqa: PLR2004 - the guard's own patience
                raise
            return path


@fault(Surface.SESSION, "confined", modelled_on="CWE-636, rules dropped past a count", ops=6)
def denials_tire_guard(caps: Capabilities, world: World) -> Session:
    """
    Give up after five refusals and let the sixth through.

    Command filters that stop applying their rules past a fixed number of parts. CWE-636.
    """
    return Session(caps, world, Pieces(paths=_Tiring))


class _Earning(Excusing):
    good = 0

    def perform(self, kind: str, effect: Callable[..., Any], *args: object) -> Any:
        output = super().perform(kind, effect, *args)
        self.good += 1
        return output

    def excuses(self, _kind: str, _name: str) -> bool:
        return self.good >= _GOOD_CONDUCT


@fault(
    Surface.SESSION,
    "confined",
    "no-effect-on-denial",
    modelled_on="CWE-284, trust that is earned",
    ops=21,
    style="segments",
)
def good_conduct_is_trusted(caps: Capabilities, world: World) -> Session:
    """Ask no more once twenty ops were fine, as a tool that learns what to approve. CWE-284."""
    return _Earning(caps, world, Pieces(paths=SegmentGuard))


class _Sampling(Excusing):
    tried = 0

    def admit(self, op: object) -> None:
        super().admit(op)
        self.tried += 1

    def excuses(self, _kind: str, _name: str) -> bool:
        return self.tried % _SAMPLE == 0


@fault(
    Surface.SESSION,
    "confined",
    "no-effect-on-denial",
    modelled_on="CWE-636, a check under load that samples",
    ops=4,
    style="regex",
)
def every_fourth_op_unchecked(caps: Capabilities, world: World) -> Session:
    """Check three ops of four, since checking costs. CWE-636."""
    return _Sampling(caps, world, Pieces(paths=RegexGuard))


class _LockedOut(Session):
    refusals = 0

    def admit(self, op: object) -> None:
        super().admit(op)
        if self.refusals >= _ATTEMPTS:
            raise DenialError("malformed_op")

    def deny(self, denial: DenialError) -> Any:
        self.refusals += 1
        return super().deny(denial)


@fault(
    Surface.SESSION,
    "control-allowed",
    modelled_on="CWE-645, a lock-out that is too strict",
    ops=4,
    style="pathlib",
)
def refusals_lock_out(caps: Capabilities, world: World) -> Session:
    """Refuse whatever comes after three refusals. CWE-645; honest work is refused."""
    return _LockedOut(caps, world, Pieces(paths=PathlibGuard))
