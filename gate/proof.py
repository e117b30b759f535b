"""What is known to land without a sandbox, before one is attacked and its refusals count."""

from dataclasses import replace

from capfuzz.attacks.case import Surface
from capfuzz.gate.events import Report
from capfuzz.gate.supervise import Heart
from capfuzz.targets.base import Target, TargetError
from capfuzz.targets.control import LONGEST, Control, control

_GRACE = 10.0  # seconds beyond its time until the parent steps in
# Without these no attack of another family means anything.
_PLAIN = {"fs_read", "fs_write"}


def control_of(target: Target, heart: Heart) -> Control:
    """Return the control run for a target, if it is one; raises `TargetError`."""
    if target.surface is not Surface.COMMAND:
        return Control()
    heart.beat(LONGEST + _GRACE)
    made = control()
    heart.rest()
    if not made.missed.isdisjoint(_PLAIN):
        raise TargetError(f"{target.spec}: {made.told}, and so nothing can be measured")
    return made


def told(report: Report, control: Control) -> Report:
    """Return a report that says what was not tried, or that there was no control run."""
    notices = (*report.notices, control.told)
    return replace(report, notices=notices) if control.told else report
