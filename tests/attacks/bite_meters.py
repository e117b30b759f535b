"""Broken meters, guards of hosts that refuse too much, and over-blocking path checkers."""

import re
import unicodedata
from ipaddress import ip_address

from capfuzz.targets.host import HostTarget
from capfuzz.targets.right.base import Meter, Pieces, Session
from capfuzz.targets.right.files import PathGuard
from capfuzz.targets.right.host import urlsplit_strict
from capfuzz.targets.right.names import HostGuard
from capfuzz.targets.right.refusals import DenialError

from .bite_sessions import metered

_PATIENCE = 20


class Eager(Meter):
    """Halts as soon as the output is used up."""

    def settle(self, size):
        """Charge, and halt."""
        super().settle(size)
        self.halted = self.output >= self.caps.max_output_bytes


class TimeFirst(Meter):
    """Asks for the time before it asks for the ops."""

    def admit(self):
        """Ask in this order."""
        if not self.halted:
            self.tick()
            if self.is_late():
                self.trip("max_wall")
        super().admit()


class Cooling(Meter):
    """Halts for a number of ops."""

    def admit(self):
        """Count, and begin anew."""
        waited = self.__dict__.setdefault("waited", 0)
        if self.halted and waited > _PATIENCE:
            self.halted, self.ops, self.output, self.elapsed = False, 0, 0, 0
        self.waited = waited + self.halted
        super().admit()


class MovingClock(Meter):
    """Counts ops only while the clock moves."""

    def admit(self):
        """Charge, and give back."""
        before = self.elapsed
        super().admit()
        self.ops -= self.elapsed == before


class NarrowClock(Meter):
    """Keeps time in 32 bits."""

    def tick(self):
        """Wrap."""
        super().tick()
        self.elapsed &= 0xFFFFFFFF


class FloatClock(Meter):
    """Keeps time in a float."""

    def is_late(self):
        """Compare floats."""
        return self.last is None or float(self.elapsed) > float(self.caps.max_wall)


class LenientText(Meter):
    """Measures what is left of bytes when they are decoded."""

    def size(self, output):
        """Decode."""
        return super().size(output.decode(errors="ignore") if type(output) is bytes else output)


class StrictOutput(Session):
    """Encodes what a tool gives back strictly, and lets the error out."""

    def tool(self, name, *args):
        """Call, and encode."""
        output = super().tool(name, *args)
        str(output).encode()
        return output


class FreeRedirects(Meter):
    """Charges nothing for a redirect."""

    def size(self, output):
        """Measure."""
        return 0 if hasattr(output, "host") else super().size(output)


class EmptyCosts(Meter):
    """Charges an empty output."""

    def size(self, output):
        """Measure."""
        return max(1, super().size(output))


class FirstSize(Session):
    """Keeps the size that a file had when it was first read."""

    def fs_read(self, path):
        """Read, and charge what it was."""
        sizes = self.__dict__.setdefault("sizes", {})
        if path not in sizes:
            content = super().fs_read(path)
            sizes[path] = len(content)
            return content
        self.meter.settle(sizes[path])
        return self.world.vfs.read(self.readable.locate(path))


class OneDoorOpen(Session):
    """Looks at its budgets before all ops but writes and tools."""

    def run(self, op):
        """Skip the budgets."""
        if type(op) is tuple and op[:1] in {("fs_write",), ("tool",)}:
            halted, self.meter.admit = self.meter.halted, lambda: None
            self.meter.halted = False
            try:
                return super().run(op)
            finally:
                del self.meter.admit
                self.meter.halted = halted
        return super().run(op)


class LazyClock(Session):
    """Reads the clock only for ops that pass its checks."""

    def __init__(self, caps, world):
        super().__init__(caps, world, Pieces(meter=Unhurried))

    def perform(self, kind, effect, *args):
        """Look at the clock, and act."""
        Meter.tick(self.meter)
        if self.meter.is_late():
            self.meter.trip("max_wall")
        return super().perform(kind, effect, *args)


class Unhurried(Meter):
    """Leaves the clock to others."""

    def tick(self):
        """Do nothing."""


METERS = {
    "halts when used up": metered(Eager),
    "asks for the time first": metered(TimeFirst),
    "cools down": metered(Cooling),
    "counts while the clock moves": metered(MovingClock),
    "keeps time in 32 bits": metered(NarrowClock),
    "keeps time in a float": metered(FloatClock),
    "measures decoded text": metered(LenientText),
    "encodes output strictly": StrictOutput,
    "charges no redirect": metered(FreeRedirects),
    "charges an empty output": metered(EmptyCosts),
    "keeps the first size": FirstSize,
    "meters no writes and tools": OneDoorOpen,
    "reads no clock for refusals": LazyClock,
}


def refusing(wrong):
    """Return the factory of sessions that refuse every path that is ``wrong(guard, path)``."""

    class Guard(PathGuard):
        def inspect(self, path):
            super().inspect(path)
            if wrong(self, path):
                raise DenialError(self.denial)

    return lambda caps, world: Session(caps, world, Pieces(paths=Guard))


class Named(HostGuard):
    """Refuses addresses and names without a dot."""

    def covers(self, plain):
        """Look for letters and a dot."""
        return super().covers(plain) and bool(re.fullmatch(r"[a-z-]+\.[a-z.-]+", plain))


class ByValue(HostGuard):
    """Compares addresses by value, and looks them up as they are written."""

    def admit(self, host):
        """Let a missing entry out."""
        values = {ip_address(one): one for one in self.hosts if ":" in one}
        if ":" in host and ip_address(host) in values:
            return {one: one for one in self.hosts}[host]
        return super().admit(host)


OVERBLOCKING = {
    "looks addresses up as written": lambda caps, world: Session(
        caps, world, Pieces(hosts=ByValue)
    ),
    "refuses hidden names": refusing(lambda guard, path: "/." in path),
    "refuses percent signs": refusing(lambda guard, path: "%" in path),
    "refuses blanks": refusing(lambda guard, path: " " in path),
    "refuses what is not ASCII": refusing(lambda guard, path: not path.isascii()),
    "refuses what NFKC changes": refusing(
        lambda guard, path: unicodedata.normalize("NFKC", path) != path
    ),
    "refuses the root's name twice": refusing(
        lambda guard, path: any(path.count(root.rpartition("/")[2]) > 1 for root in guard.roots)
    ),
    "refuses alarming names": refusing(
        lambda guard, path: bool(re.search("/(?:etc|proc|dev)/|passwd|secret", path))
    ),
    "refuses capitals": refusing(lambda guard, path: path.lower() != path),
    "refuses punctuation": refusing(lambda guard, path: not re.fullmatch(r"[\w/. %-]*", path)),
    "refuses deep paths": refusing(lambda guard, path: path.count("/") > 8),
    "refuses hosts without a dot": lambda caps, world: Session(caps, world, Pieces(hosts=Named)),
}


def exiting(allowed, url):
    """Exit at a scheme that is not known."""
    if not url.startswith(("http://", "https://")):
        raise SystemExit("unknown scheme")
    return urlsplit_strict(allowed, url)


HOSTS = {
    "refuses URLs without a path": HostTarget(
        "", lambda allowed, url: url.count("/") > 2 and urlsplit_strict(allowed, url)
    ),
    "exits at an unknown scheme": HostTarget("", exiting),
}
