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
