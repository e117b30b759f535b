"""Broken sessions, one fault each, for what needs several ops, a budget, a clock or odd types."""

import json
import re
from posixpath import dirname, join

from capfuzz.targets.right.base import Pieces, Session
from capfuzz.targets.right.files import PathGuard, collapse
from capfuzz.targets.right.refusals import DenialError, FailureError

_TRUST_AFTER = 12
_WORD = 2**31
_LONGEST = 500


class Trusting(Session):
    """Judges rightly, but nothing at all while `trusts` says so."""

    def __init__(self, caps, world):
        super().__init__(caps, world)
        self.tried, self.kinds, self.depth, self.deepest, self.last = 0, [], 0, 0, ""

    def trusts(self, op):
        """Tell whether an op is carried out unjudged."""
        raise NotImplementedError

    def run(self, op):
        """Carry out what is trusted, and judge the rest."""
        self.tried += 1
        answer = self.unjudged(op) if self.trusts(op) else super().run(op)
        if answer.ok:
            self.kinds.append(op[0])
        fault = "" if answer.ok else "failed"
        self.last = answer.violation or fault
        return answer

    def unjudged(self, op):
        """Act as written."""
        kind, name, *rest = op
        acts = {
            "fs_read": self.world.vfs.read,
            "fs_write": lambda path, data: self.world.vfs.write(path, data.encode()),
            "net_fetch": self.world.net.fetch,
            "tool": self.call,
        }
        try:
            return self.answer(ok=True, output=acts[kind.strip().lower()](name, *rest))
        except (OSError, LookupError, RuntimeError, ValueError, TypeError, AttributeError):
            return self.answer(ok=False)

    def call(self, name, *args):
        """Call a tool, and count how deep it is called."""
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        try:
            return super().call(name, *args)
        finally:
            self.depth -= 1


def trusting(trusts):
    """Return the factory of sessions that trust an op where ``trusts(session, op)``."""
    return type("Trusts", (Trusting,), {"trusts": trusts})


def _is_op(op):
    return type(op) is tuple and len(op) > 1 and op[0] in ("fs_read", "fs_write", "net_fetch")


class Shrewd(Trusting):
    """Has ops of its own that grant, and does not check them."""

    def trusts(self, op):
        """Trust whatever comes after such an op."""
        return _is_op(op) and "granted" in self.kinds

    def run(self, op):
        """Take the op for its own."""
        if type(op) is tuple and op[:1] == ("grant",):
            self.kinds.append("granted")
            return self.answer(ok=True)
        return super().run(op)


class Folding(Trusting):
    """Checks kinds exactly, and acts on the folded kind."""

    def trusts(self, op):
        """Trust what no exact check is written for."""
        return type(op) is tuple and op != () and type(op[0]) is str and op[0] not in self.doors


class FallsThrough(Folding):
    """Reads, unjudged, where no kind fits."""

    def unjudged(self, op):
        """Read."""
        return super().unjudged(("fs_read", *op[1:2]))


class LastArgument(Session):
    """Checks the first argument and acts on the last."""

    def shape(self, op):
        """Drop what stands between."""
        if type(op) is tuple and op[:1] == ("fs_read",) and len(op) > 2:
            super().shape(op[:2])
            self.readable.locate(op[1])
            return "fs_read", (op[1], op[-1])
        return super().shape(op)

    def fs_read(self, path, last=None):
        """Read the last."""
        if last is None:
            return super().fs_read(path)
        return self.perform("fs_read", self.world.vfs.read, last)


class ShortTexts(Session):
    """Takes for granted that texts are short."""

    def run(self, op):
        """Assert it."""
        assert all(len(one) < _LONGEST for one in op if isinstance(one, str))
        return super().run(op)


class Remembers(Session):
    """Answers an op that it has seen from memory."""

    def run(self, op):
        """Look into memory first."""
        kept = self.__dict__.setdefault("kept", {})
        if op in kept:
            return kept[op]
        answer = super().run(op)
        if answer.ok:
            kept[op] = answer
        return answer


class ChargesOnce(Session):
    """Takes an op that it has seen for a redelivery, and charges it once."""

    def run(self, op):
        """Run, and give back."""
        output, seen = self.meter.output, self.__dict__.setdefault("seen", [])
        answer = super().run(op)
        if answer.ok and op in seen:
            self.meter.ops -= 1
            self.meter.output = output
        seen.append(op)
        return answer


class RemembersNames(Session):
    """Keeps the names that were allowed in a list, and compares with them."""

    def __init__(self, caps, world):
        super().__init__(caps, world)
        self.allowed = []

    def shape(self, op):
        """Take subclasses of str for str."""
        kind, *args = op
        return kind, tuple(args)

    def run(self, op):
        """Act where the name is known."""
        if op[1] in self.allowed and op[0] == "fs_read":
            return self.answer(ok=True, output=self.world.vfs.read(str.__str__(op[1])))
        answer = super().run(op)
        self.allowed += [op[1]] if answer.ok else []
        return answer


class Configurable(Session):
    """Takes a text that is written for its grant."""

    def fs_write(self, path, data):
        """Write, and believe."""
        super().fs_write(path, data)
        self.believe(data)

    def believe(self, text):
        """Widen what is readable by what a text grants."""
        try:
            wider = json.loads(text)["fs_read"]
        except (ValueError, LookupError, TypeError):
            return
        self.readable = PathGuard(self.world.vfs, wider, "fs_read_denied")


class Obeys(Configurable):
    """Takes a text that it reads for its grant."""

    def perform(self, kind, effect, *args):
        """Act, and believe."""
        output = super().perform(kind, effect, *args)
        self.believe(output or "")
        return output


class OwnsRefused(Session):
    """Remembers a place that it refused to write as its own."""

    def fs_write(self, path, data):
        """Write, or make the folder readable."""
        try:
            super().fs_write(path, data)
        except DenialError:
            self.readable.roots.append(dirname(path))
            raise


class Explains(Session):
    """Explains a refusal that is asked for again with what it protects."""

    def run(self, op):
        """Run, and quote."""
        answer = super().run(op)
        refused = self.__dict__.setdefault("refused", [])
        if answer.violation != "fs_read_denied":
            return answer
        refused.append(op)
        content = self.world.vfs.read(op[1]) if refused.count(op) > 1 else b""
        return self.answer(ok=False, violation=answer.violation, detail=content.decode())


class ReadsWritable(Session):
    """Takes writing to include reading."""

    def __init__(self, caps, world):
        super().__init__(caps, world)
        both = (*caps.fs_read, *caps.fs_write)
        self.readable = PathGuard(world.vfs, both, "fs_read_denied")


class OpensShares(Session):
    """Contacts the host of a share."""

    def fs_read(self, path):
        """Fetch from the share."""
        share = re.search(r"[\\/]{2}([\w.]+)[@\d]*[\\/]", path)
        if share:
            return self.perform("fs_read", self.world.net.fetch, share[1], "/steal")
        return super().fs_read(path)


class Chases(Session):
    """Follows links by hand: as many as a resolution may to judge, all of them to open."""

    def chase(self, path, most):
        """Return where a path leads after so many links."""
        target = self.world.spec.links.get(path)
        if target is None or not most:
            return path
        return self.chase(collapse(join(dirname(path), target)), most - 1)

    def fs_read(self, path):
        """Judge one place, open another."""
        near = self.chase(path, 40)
        if not any(self.readable.covers(root, near) for root in self.readable.roots):
            raise DenialError("fs_read_denied")
        return self.perform("fs_read", self.world.vfs.read, self.chase(path, -1))


class RefusesAgain(PathGuard):
    """Remembers refusals under the last segment."""

    def locate(self, path):
        """Ask memory."""
        refused = self.__dict__.setdefault("refused", set())
        if path.rpartition("/")[2] in refused:
            raise DenialError(self.denial)
        try:
            return super().locate(path)
        except DenialError:
            refused.add(path.rpartition("/")[2])
            raise


class EmptyIsNo(Session):
    """Takes an output that is empty for a refusal."""

    def run(self, op):
        """Look at the output."""
        answer = super().run(op)
        empty = op[:1] == ("tool",) and not answer.output
        return self.answer(ok=False) if empty else answer


class Listens(Session):
    """Reads its own state out of what a tool said."""

    def tool(self, name, *args):
        """Call and believe."""
        output = super().tool(name, *args)
        self.meter.halted = output == "halted"
        return output


class ChargesRefusals(Session):
    """Charges what a refused read would have given back."""

    def fs_read(self, path):
        """Measure before it is judged."""
        try:
            return super().fs_read(path)
        except DenialError:
            self.meter.output += len(self.world.spec.files.get(path, b""))
            raise


class ChargesErrors(Session):
    """Charges the message of an error as output."""

    def perform(self, kind, effect, *args):
        """Act, and charge."""
        try:
            return super().perform(kind, effect, *args)
        except FailureError as error:
            self.meter.output += len(str(error))
            raise


class ShapeFirst(Session):
    """Reads an op before it asks for its budget."""

    def run(self, op):
        """Refuse what cannot be read, and only then charge."""
        try:
            self.shape(op)
        except DenialError as denial:
            return self.deny(denial)
        return super().run(op)


class WritesNew(Session):
    """Writes nothing over, though both doors lead to one file."""

    def fs_write(self, path, data):
        """Refuse a file that is there."""
        if self.world.vfs.exists(path):
            raise DenialError("fs_write_denied")
        return super().fs_write(path, data)


def metered(meter):
    """Return the factory of sessions with another meter."""
    return lambda caps, world: Session(caps, world, Pieces(meter=meter))


SESSIONS = {
    "trusts an agent that behaved": trusting(lambda box, op: len(box.kinds) > _TRUST_AFTER),
    "checks every other op": trusting(lambda box, op: box.tried % 2 == 0),
    "trusts after a failure": trusting(lambda box, op: box.last == "failed"),
    "trusts after garbage": trusting(lambda box, op: box.last == "malformed_op"),
    "trusts one door for another": trusting(lambda box, op: bool({*box.kinds} - {op[0]})),
    "trusts ops of tools": trusting(lambda box, op: box.depth > 0),
    "trusts ops of tools of tools": trusting(lambda box, op: box.depth > 1),
    "forgets that a tool has ended": trusting(lambda box, op: box.deepest > 0 and _is_op(op)),
    "trusts a budget beyond a word": trusting(
        lambda box, op: max(box.caps.max_ops, box.caps.max_wall, box.caps.max_output_bytes) > _WORD
    ),
    "takes lists, checks tuples": trusting(lambda box, op: type(op) is list),
    "grants on demand": Shrewd,
    "folds kinds after the check": Folding,
    "reads where no kind fits": FallsThrough,
    "acts on the last argument": LastArgument,
    "asserts that texts are short": ShortTexts,
    "answers from memory": Remembers,
    "charges a repeated op once": ChargesOnce,
    "compares with what was allowed": RemembersNames,
    "obeys what it reads": Obeys,
    "reads its grant from a file": Configurable,
    "owns what it refused": OwnsRefused,
    "explains a repeated refusal": Explains,
    "takes writing to include reading": ReadsWritable,
    "opens shares": OpensShares,
    "follows links by hand": Chases,
    "remembers refusals loosely": lambda caps, world: Session(
        caps, world, Pieces(paths=RefusesAgain)
    ),
    "takes nothing for a refusal": EmptyIsNo,
    "believes a tool": Listens,
    "charges refusals": ChargesRefusals,
    "charges errors": ChargesErrors,
    "reads an op before its budget": ShapeFirst,
    "writes nothing over": WritesNew,
}
