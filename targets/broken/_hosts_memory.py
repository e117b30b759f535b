"""Faults of hosts over several ops: what an answer, an error or a neighbour leaves behind."""

from collections.abc import Callable, Iterable
from typing import Any

from capfuzz.attacks.case import Surface
from capfuzz.engine import Capabilities
from capfuzz.targets.broken._parts import Excusing
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.base import Pieces, Session, World
from capfuzz.targets.right.names import HostGuard
from capfuzz.targets.right.refusals import DenialError, FailureError


class _ByParent(HostGuard):
    def __init__(self, hosts: Iterable[str]) -> None:
        super().__init__(hosts)
        self.known: set[str] = set()

    def admit(self, host: str) -> str:
        parent = host.partition(".")[2] or host
        if parent in self.known:
            return host
        plain = super().admit(host)
        self.known.add(parent)
        return plain


@fault(
    Surface.SESSION,
    "confined",
    "no-effect-on-denial",
    modelled_on="CWE-639, a decision kept for the parent domain",
    ops=2,
    style="host names",
)
def host_cached_by_parent(caps: Capabilities, world: World) -> Session:
    """Remember a decision on ``api.internal`` for ``internal`` and all below, as cookies are."""
    return Session(caps, world, Pieces(hosts=_ByParent))


class _VerdictKept(HostGuard):
    granted = False

    def admit(self, host: str) -> str:
        try:
            host.encode("idna")
            self.granted = self.covers(self.plain(host) or "")
        except UnicodeError:
            pass  # the client will say what is wrong with the name
        if not self.granted:
            raise DenialError("egress_denied")
        return host


@fault(
    Surface.SESSION,
    "confined",
    "no-effect-on-denial",
    modelled_on="CWE-390, a verdict left from the op before",
    ops=2,
    style="host names",
)
def host_verdict_kept_on_error(caps: Capabilities, world: World) -> Session:
    """
    Ignore what the encoder raises for ``evil..test``, and go by the verdict on the host before.

    CWE-390, an error that is detected and not acted on.
    """
    return Session(caps, world, Pieces(hosts=_VerdictKept))


class _RedirectTrusted(Session):
    def net_fetch(self, host: str, path: str) -> Any:
        answer = super().net_fetch(host, path)
        if hasattr(answer, "host"):
            self.hosts.hosts |= {answer.host}
        return answer


@fault(
    Surface.SESSION,
    "confined",
    modelled_on="CWE-601, where a trusted host points is trusted",
    ops=2,
    style="host names",
)
def redirect_target_granted(caps: Capabilities, world: World) -> Session:
    """Add the host that a granted one redirects to, for the fetch that follows. CWE-601."""
    return _RedirectTrusted(caps, world)


class _Linked(Excusing):
    def __init__(self, caps: Capabilities, world: World) -> None:
        super().__init__(caps, world)
        self.linked: set[str] = set()

    def perform(self, kind: str, effect: Callable[..., Any], *args: object) -> Any:
        output = super().perform(kind, effect, *args)
        self.linked.update(output.split() if isinstance(output, str) else ())
        return output

    def excuses(self, kind: str, name: str) -> bool:
        return kind == "net_fetch" and name in self.linked


@fault(
    Surface.SESSION,
    "confined",
    "no-effect-on-denial",
    modelled_on="CWE-829, links in a page may be followed",
    ops=2,
    style="host names",
)
def hosts_in_output_granted(caps: Capabilities, world: World) -> Session:
    """Grant the hosts that an output names, since the agent did not make them up. CWE-829."""
    return _Linked(caps, world)


class _StaleIfError(Session):
    def __init__(self, caps: Capabilities, world: World) -> None:
        super().__init__(caps, world)
        self.kept: dict[str, Any] = {}

    def net_fetch(self, host: str, path: str) -> Any:
        try:
            answer = super().net_fetch(host, path)
        except (DenialError, FailureError):
            if path not in self.kept or self.meter.halted:
                raise
            self.meter.settle(self.meter.size(self.kept[path]))
            return self.kept[path]
        self.kept[path] = answer
        return answer


@fault(
    Surface.SESSION,
    "alias-denied",
    modelled_on="CWE-524, RFC 5861 without the host in the key",
    ops=2,
    style="host names",
)
def stale_answer_by_route(caps: Capabilities, world: World) -> Session:
    """
    Give an old answer of the same route where a fetch is refused, whatever the host. CWE-524.

    RFC 5861 (stale-if-error) means it for errors of the host that gave the answer.
    """
    return _StaleIfError(caps, world)


class _AnswerKept(Session):
    answered: Any = None

    def run(self, op: object) -> Any:
        answer = super().run(op)
        if answer.ok:
            self.answered = answer
        return answer

    def deny(self, denial: DenialError) -> Any:
        denied = super().deny(denial)
        return denied if self.answered is None or denied.hard else self.answered


@fault(
    Surface.SESSION,
    "alias-denied",
    modelled_on="CWE-665, a result left from the op before",
    ops=2,
    style="session",
)
def stale_answer_on_denial(caps: Capabilities, world: World) -> Session:
    """Log a refusal and return the variable that still holds the answer before it. CWE-665."""
    return _AnswerKept(caps, world)
