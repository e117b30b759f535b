"""A session that judges nothing: real findings for reports to tell."""

from dataclasses import dataclass


@dataclass
class Result:
    """What every op answers."""

    output: object = None
    ok = True
    violation = None
    hard = None


class Box:
    """Carries out whatever it is told."""

    def __init__(self, caps, world):
        self.caps, self.world = caps, world

    def run(self, op):
        """Do it."""
        kind, *rest = op
        if kind == "fs_read":
            return Result(self.world.vfs.read(*rest))
        if kind == "fs_write":
            return Result(self.world.vfs.write(*rest))
        if kind == "net_fetch":
            return Result(self.world.net.fetch(*rest))
        return Result(self.world.tools[rest[0]](*rest[1:]))
