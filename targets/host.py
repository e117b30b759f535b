"""Host targets: a function that says whether a URL may be contacted. No packet is ever sent."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.trace import Answer, Step, Trace
from capfuzz.targets.base import ANSWER_ALONE, refuse_pair
from capfuzz.targets.calling import called, with_truth
from capfuzz.targets.limits import time_limit


class HostTarget:
    """A function ``NAME(allowed_hosts, url)``; an exception refuses."""

    surface = Surface.HOST
    unobservable = ANSWER_ALONE

    def __init__(
        self,
        spec: str,
        function: Callable[[list[str], str], Any],
        *,
        op_limit: float = 2.0,
        dialect: frozenset[str] = frozenset(),
        allow_host: str | None = None,
    ) -> None:
        self.spec = spec
        self._function = function
        self._op_limit = op_limit
        self._dialect = dialect
        self._allow_host = allow_host

    def adapt(self, case: Case) -> Case | None:
        """Return the case with its ops as URLs, for the one host that the target allows if any."""
        urls = [_as_url(op) for op in case.ops]
        if None in urls:
            return None
        return self._retarget(replace(case, ops=tuple(("url", url) for url in urls)))

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Ask the function about every URL of the case."""
        limit = self._op_limit * patience
        steps = tuple(self._step(case, index, limit) for index in range(len(case.ops)))
        return Trace(case, self.surface, steps, dialect=self._dialect)

    def close(self) -> None:
        """Leave nothing: nothing was planted."""

    def _retarget(self, case: Case) -> Case | None:
        """Return the case with the fixed host in place of the vector's, where it has just one."""
        if self._allow_host is None:
            return case
        if len(case.grant.net_hosts) != 1:
            return None
        (granted,) = case.grant.net_hosts
        wanted = self._allow_host
        ops: tuple[Any, ...] = case.ops
        swapped = tuple(
            ("url", url.replace(granted, wanted).replace(granted.upper(), wanted.upper()))
            for _, url in ops
        )
        grant = replace(case.grant, net_hosts=(wanted,))
        # The vector's verdict is about the spelling; the oracle judges the new one afresh.
        return replace(case, grant=grant, ops=swapped, verdicts=())

    def _step(self, case: Case, index: int, seconds: float) -> Step:
        op: Any = case.ops[index]
        answer = Answer(ok=False)
        with time_limit(seconds) as limit:
            answer = self._asked(list(case.grant.net_hosts), op[1])
        if limit.expired:
            answer = Answer(ok=False, hung=True)
        return Step(op, answer, (), 2 * index, 2 * index + 1, index)

    def _asked(self, allowed: list[str], url: str) -> Answer:
        result, refused = called(lambda: with_truth(self._function(allowed, url)))
        if refused is not None:
            return refused
        said, ok = result
        refuse_pair(self.spec, said)
        return Answer(ok=ok)


def _as_url(op: object) -> str | None:
    match op:
        case ("url", str(url)):
            return url
        case ("net_fetch", str(host), str(path)):
            return f"http://[{host}]{path}" if ":" in host else f"http://{host}{path}"
        case _:
            return None
