"""
Ssrf targets: a function that says whether a request to the public internet may go somewhere.

No packet is ever sent, and no name is looked up off this machine: what the function resolves is
answered by a fixed zone.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from capfuzz.attacks.case import Case, Surface, Verdict
from capfuzz.attacks.ssrf import HONEST_NAME, PUBLIC, RESOLVES, as_url, is_url, rule_ssrf
from capfuzz.attacks.trace import Answer, Step, Trace
from capfuzz.targets.base import ANSWER_ALONE, TargetError, refuse_pair
from capfuzz.targets.calling import called, with_truth
from capfuzz.targets.limits import time_limit
from capfuzz.targets.lookups import no_network

FORMS = ("url", "host", "address")
_HONEST = ("8.8.8.8", "93.184.215.14", "1.1.1.1")
_HONEST_SIX = "2606:4700:4700::1111"
_INSIDE = ("127.0.0.1", "10.0.0.1", "192.168.0.1", "169.254.169.254")
# What inet_aton(3) reads, and IPv6 with or without a zone: nothing that must be a name.
_ADDRESS = re.compile(r"[0-9][0-9A-Fa-fxX.]*|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(?:%[\w.]+)?", re.ASCII)


class Manner(NamedTuple):
    """
    How a function is asked: in which form, and what it answers about honest questions.

    ``names``: it lets a public name through. ``six``: it lets a public IPv6 address through.
    ``resolves``: it looks names up.
    """

    form: str
    scheme: str = "http"
    names: bool = False
    six: bool = False
    resolves: bool = False

    def text(self, asked: str) -> str | None:
        """Return what is asked in this form, None where it cannot be."""
        if self.form == "url":
            url = asked if is_url(asked) else as_url(asked)
            return re.sub("^http:", f"{self.scheme}:", url)
        if is_url(asked) or (self.form == "address" and not _ADDRESS.fullmatch(asked)):
            return None
        return asked


class SsrfTarget:
    """
    A function ``NAME(text)``, true if a request may go there; an exception refuses.

    ``invert``: true means that the text leads inside. ``takes``: one of `FORMS`, found out by
    honest questions where it is None. ``public``: networks that the function is documented to let
    through. Raises `TargetError` where the function lets no honest question through.
    """

    surface = Surface.SSRF
    unobservable = ANSWER_ALONE

    def __init__(
        self,
        spec: str,
        function: Callable[[str], Any],
        *,
        op_limit: float = 2.0,
        invert: bool = False,
        takes: str | None = None,
        public: tuple[str, ...] = (),
    ) -> None:
        self.spec = spec
        self._function = function
        self._op_limit = op_limit
        self._invert = invert
        self.manner = self._found_out(FORMS if takes is None else (takes,))
        declared = {PUBLIC + network for network in public}
        self._dialect = frozenset(declared | ({RESOLVES} if self.manner.resolves else set()))

    def adapt(self, case: Case) -> Case | None:
        """Return the case in the form that the function takes, None where it cannot be asked."""
        asked = [_text(op) for op in case.ops]
        texts = [None if one is None else self.manner.text(one) for one in asked]
        if not texts or None in texts or any(map(self._is_beyond, asked)):
            return None
        # The vector's verdict is about its own text; the oracle judges another one afresh.
        verdicts = case.verdicts if texts == asked else ()
        return replace(case, ops=tuple(("ssrf", one) for one in texts), verdicts=verdicts)

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Ask the function about every text of the case."""
        limit = self._op_limit * patience
        steps = tuple(self._step(case, index, limit) for index in range(len(case.ops)))
        return Trace(case, self.surface, steps, dialect=self._dialect)

    def close(self) -> None:
        """Leave nothing: nothing was planted."""

    def _is_beyond(self, asked: str | None) -> bool:
        """Tell whether this is honest work of a kind that the function is not made for."""
        text = asked or ""
        if rule_ssrf(text, self._dialect) is not Verdict.ALLOW:
            return False
        host = re.sub(r"^[a-z]+://|/.*$", "", text)
        is_name = re.search("[g-z]", host) is not None
        return (is_name and not self.manner.names) or (":" in host and not self.manner.six)

    def _step(self, case: Case, index: int, seconds: float) -> Step:
        op: Any = case.ops[index]
        answer, _ = self._asked(op[1], seconds)
        return Step(op, answer, (), 2 * index, 2 * index + 1, index)

    def _asked(self, text: str, seconds: float) -> tuple[Answer, bool]:
        """Return the answer, and whether a name was looked up."""
        answer = Answer(ok=False)
        with no_network() as lookups, time_limit(seconds) as limit:
            answer = self._said(text)
        if limit.expired:
            answer = Answer(ok=False, hung=True)
        return answer, bool(lookups.asked)

    def _said(self, text: str) -> Answer:
        result, refused = called(lambda: with_truth(self._function(text)))
        if refused is not None:  # with --invert too
            return refused
        said, truth = result
        refuse_pair(self.spec, said)
        return Answer(ok=truth is not self._invert)

    def _found_out(self, forms: tuple[str, ...]) -> Manner:
        """Return how to ask: the first form in which most of the plain questions come out right."""
        manners = [self._extended(one) for form in forms for one in self._manners(form)]
        if not manners:
            raise TargetError(
                f"{self.spec}: no public address was let through, neither in a URL nor by itself; "
                f"{self._hint()}"
            )
        return max(manners, key=self._right)

    def _manners(self, form: str) -> Iterator[Manner]:
        for scheme in ("http", "https") if form == "url" else ("http",):
            manner = Manner(form, scheme)
            if any(self._lets(manner, one) for one in _HONEST):
                yield manner
                return

    def _extended(self, manner: Manner) -> Manner:
        """Add what else the function takes: names and IPv6."""
        names, resolves = False, False
        # What lets `localhost` through by itself does not know what a name is.
        if manner.form != "address" and (
            manner.form == "url" or not self._lets(manner, "localhost")
        ):
            answer, resolves = self._asked(manner.text(HONEST_NAME) or "", self._op_limit)
            names = answer.ok
        six = self._lets(manner, _HONEST_SIX)
        return manner._replace(names=names, six=six, resolves=resolves)

    def _right(self, manner: Manner) -> tuple[int, int]:
        refused = sum(not self._lets(manner, one) for one in _INSIDE)
        # What is right in several forms: a URL asks most, a host that is no name is an address.
        rank = {"url": 2, "host": 1 if manner.names else -1, "address": 0}
        return refused, rank[manner.form]

    def _lets(self, manner: Manner, text: str) -> bool:
        answer, _ = self._asked(manner.text(text) or "", self._op_limit)
        if answer.hung:
            raise TargetError(
                f"{self.spec}: hung on {manner.text(text)!r}, a plain question; "
                "raise --op-timeout if it is only slow"
            )
        return answer.ok

    def _hint(self) -> str:
        if self._invert:
            return "with --invert, truth says that an address is internal"
        return "if truth says that an address is internal, add --invert"


def _text(op: object) -> str | None:
    match op:
        case ("ssrf", str(text)):
            return text
        case _:
            return None
