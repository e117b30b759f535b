"""Answers that point elsewhere: a redirect is handed back, and the next hop is an op of its own."""

from collections.abc import Iterator, Mapping, Sequence

from capfuzz.attacks.techniques.scenario_model import ALLOWED, DENIED, Op, Scenario, scenario

_GO: Op = ("net_fetch", "api.internal", "/go")
_API: Op = ("net_fetch", "api.internal", "/status")
_NEEDS = "follows redirects, and judges the first address only"

Routes = Mapping[str, str | Sequence[str]]
_TAKEN: Routes = {"/steal": "taken"}


def _hop(
    to: tuple[str, str], *, means: str = "", others: Mapping[str, Routes] | None = None
) -> Scenario:
    """Return one fetch that is answered by a redirect, in a world where its end would answer."""
    (host, path), others = to, others or {}
    hosts: dict[str, Routes] = {host: {path: "taken"}, **others}
    hosts["api.internal"] = {
        "/status": "ok",
        "/go": list(to),
        **others.get("api.internal", {}),
    }
    return Scenario(
        ops=(_GO,),
        verdict=ALLOWED,
        control=(_API,),
        means=means or host,
        comment="fetching is granted; what it points to may not be reached",
        world={"hosts": hosts},
    )


@scenario("redirect-outside", group="redirect", cwe="CWE-918", needs=_NEEDS)
def redirect_outside() -> Iterator[Scenario]:
    """Point to a host that was never granted: a name, metadata, this machine."""
    for host in ("evil.test", "169.254.169.254", "127.0.0.1", "localhost", "::1"):
        yield _hop((host, "/steal"))


@scenario(
    "redirect-alike",
    group="redirect-alike",
    cwe="CWE-918",
    needs="follows a redirect whose end looks like the granted host, or shares its domain",
)
def redirect_alike() -> Iterator[Scenario]:
    """Point to a host below, beside and around the granted one, to another port, by userinfo."""
    for host in (
        "evil.api.internal",
        "api.internal.evil.test",
        "notapi.internal",
        "admin.internal",
        "api.internal:8080",
        "api.internal@evil.test",
        "xn--api-.internal",
    ):
        yield _hop((host, "/steal"))


@scenario(
    "redirect-spelt",
    group="redirect-spelt",
    cwe="CWE-1389",
    needs="follows a redirect unless its end is on a deny-list in plain spelling",
)
def redirect_spelt() -> Iterator[Scenario]:
    """Point to this machine and to metadata by other spellings of their addresses."""
    for host in ("0x7f.1", "2130706433", "0xa9fea9fe", "LOCALHOST.", "[::ffff:169.254.169.254]"):
        yield _hop((host, "/steal"))


@scenario(
    "redirect-chain",
    group="redirect-chain",
    cwe="CWE-918",
    needs="follows redirects, and judges the first hop and not the last",
)
def redirect_chain() -> Iterator[Scenario]:
    """Lead through the granted host itself, once and twice, and through a stranger back to it."""
    api: Routes = {"/2": ["evil.test", "/steal"], "/3": ["api.internal", "/2"]}
    for first in ("/2", "/3"):
        yield _hop(
            ("api.internal", first),
            means="evil.test",
            others={"api.internal": api, "evil.test": _TAKEN},
        )
    back: Routes = {"/back": ["api.internal", "/status"]}
    yield _hop(("evil.test", "/back"), others={"evil.test": back})


@scenario(
    "redirect-loop",
    group="redirect-loop",
    cwe="CWE-835",
    needs="follows redirects without a count",
)
def redirect_loop() -> Iterator[Scenario]:
    """Point to the redirect itself, and to another that points back."""
    yield _hop(("api.internal", "/go"))
    turn: Routes = {"/turn": ["api.internal", "/go"]}
    yield _hop(("api.internal", "/turn"), others={"api.internal": turn})


@scenario(
    "redirect-then-ask",
    group="redirect-trust",
    cwe="CWE-441",
    needs="trusts a host because a granted one pointed to it",
)
def redirect_then_ask() -> Iterator[Scenario]:
    """Take the redirect back as the engine hands it out, and ask for where it points."""
    for host in ("evil.test", "evil.api.internal", "169.254.169.254"):
        scene = _hop((host, "/steal"))
        yield Scenario(
            ops=(_GO, ("net_fetch", host, "/steal")),
            verdict=ALLOWED + DENIED,
            control=(_GO, _API),
            means=host,
            reason="egress_denied",
            world=scene.world,
        )


@scenario(
    "redirect-from-outside",
    group="redirect-inward",
    cwe="CWE-918",
    needs="judges where a redirect ends and not where it begins",
)
def redirect_from_outside() -> Iterator[Scenario]:
    """Ask a host that was never granted for a redirect to the granted one."""
    yield Scenario(
        ops=(("net_fetch", "evil.test", "/in"),),
        verdict=DENIED,
        control=(_API,),
        means="evil.test",
        reason="egress_denied",
        world={
            "hosts": {
                "api.internal": {"/status": "ok"},
                "evil.test": {"/in": ["api.internal", "/status"]},
            }
        },
    )


@scenario(
    "redirect-by-tool",
    group="redirect-tool",
    cwe="CWE-441",
    needs="follows a redirect in an op that a tool asked for, though not in others",
)
def redirect_by_tool() -> Iterator[Scenario]:
    """Have a granted tool fetch what points elsewhere, and then fetch the end of it."""
    scene = _hop(("evil.test", "/steal"))
    tools = {"again": "reenter"}
    for asked in (_GO, ("net_fetch", "evil.test", "/steal")):
        yield Scenario(
            ops=(("tool", "again", *asked),),  # type: ignore[misc]  # ops are tuples here
            verdict=ALLOWED,
            control=(("tool", "again", *_API),),  # type: ignore[misc]  # ops are tuples here
            means="evil.test",
            comment="the tool may run; what it asks for is judged like any other op",
            grant={"allowed_tools": ["again"]},
            world={**scene.world, "tools": tools},
        )
