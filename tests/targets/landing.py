"""Which attacks land in a sandbox: what tests of single adapters and of all of them share."""

from capfuzz.attacks.invariants import Severity, judge
from capfuzz.targets.command import CommandTarget


def landed(adapter, vectors, by):
    """Return whether each vector that can be asked lands, gathered under ``by(vector, case)``."""
    target = CommandTarget(adapter.name, adapter)
    found = {}
    try:
        for vector in vectors:
            case = target.adapt(vector.case)
            if case is not None:
                breaches = judge(target.run(case)).breaches
                hit = any(one.severity is Severity.ERROR for one in breaches)
                found.setdefault(by(vector, case), []).append(hit)
    finally:
        target.close()
    return found


def honest(target, vectors):
    """Return the traces of the controls that can be asked, and close the target."""
    try:
        controls = [target.adapt(one.case) for one in vectors if one.is_control]
        return [target.run(one) for one in controls if one is not None]
    finally:
        target.close()
