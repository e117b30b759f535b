"""For each faulty path and host target an input that shows its fault, and honest inputs."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

ALLOWED = ["ok.test", "10.0.0.1", "2001:db8::1"]


def plant(folder: Path) -> str:
    """Plant a root with honest files, links that leave it, and secrets beside it."""
    for name in ("root/a.txt", "root/sub/b.txt", "root/backup..2024.json", "root/%2e"):
        _write(folder / name, b"honest")
    for name in ("secret.txt", "root-evil/secret.txt", "rootsecret.txt", "other/root/secret.txt"):
        _write(folder / name, b"secret")
    links = {"out": "../secret.txt", "dangling": "../new.txt", "loop": "loop", "away": ".."}
    for name, target in links.items():
        (folder / "root" / name).symlink_to(target)
    (folder / "root" / "inside").symlink_to("sub/b.txt")
    (folder / "root" / "sub" / "absolute").symlink_to("/a.txt")
    return str(folder / "root")


def _write(place: Path, content: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)


def lets_out(target: Callable[[str, str], Any], root: str, path: str) -> bool:
    """Tell whether the target gives a secret away, or names or approves a place outside ``root``."""
    answer = asked(target, root, path)
    if isinstance(answer, bytes):
        return b"secret" in answer
    place = os.path.join(root, path) if answer is True else answer
    return bool(place) and not (_real(place) + "/").startswith(root + "/")


def _real(place: str | Path) -> str:
    if "\0" in str(place):  # nothing opens that, so it leads nowhere
        return str(place)
    # Twice: up to Python 3.12 a loop of links ends the resolution of what follows it.
    return os.path.realpath(os.path.realpath(place))


def asked(target: Callable[..., Any], *question: Any) -> Any:
    """Return the answer of a target, False for an exception or None."""
    try:
        answer = target(*question)
    except Exception:  # noqa: BLE001 - whatever it is, it refuses
        return False
    return False if answer is None else answer


# Every one of these leads out of the root for whoever reads it wrongly; {top} is the root's parent.
PATHS = {
    "no_check": "../secret.txt",
    "prefix_without_boundary": "../root-evil/secret.txt",
    "common_prefix_of_characters": "../rootsecret.txt",
    "yes_no_prefix": "../root-evil/secret.txt",
    "dotdot_only_at_start": "sub/../../secret.txt",
    "absolute_replaces_base": "{top}/secret.txt",
    "strip_once_dotdot": "....//secret.txt",
    "decode_after_check": "%2e%2e/secret.txt",
    "double_decode_after_check": "%252e%252e/secret.txt",
    "backslash_to_slash_after_check": "..\\secret.txt",
    "nfkc_after_check": "\u2025/secret.txt",
    "controls_dropped_after_check": ".\t./secret.txt",
    "nul_truncates": "../secret.txt\0/../root/a.txt",
    "links_followed": "out",
    "parent_of_missing": "out",
    "loop_ends_resolution": "loop/../out",
    "climb_behind_newline": "a\n/../../secret.txt",
    "segments_stripped_after_check": ".. /secret.txt",
    "depth_judged_at_end": "../root-evil/secret.txt",
    "dot_counts_as_depth": "./../secret.txt",
    "root_name_among_parts": "../other/root/secret.txt",
}
MORE_PATHS = (
    "away/secret.txt",
    "dangling",
    "sub/absolute",
    "inside/../../secret.txt",
    "\0",
    "..",
    "/",
)
HONEST_PATHS = ("a.txt", "sub/b.txt", "backup..2024.json", "%2e", "./sub//b.txt")

# Each connects some mainstream client to a host that is not granted, or carries CR LF.
URLS = {
    "hostname_in_list": "http://evil.test\\@ok.test/",
    "netloc_cut_at_colon": "http://ok.test:x@evil.test/",
    "url_text_prefix": "http://ok.test.evil.test/",
    "url_substring": "http://evil.test/?ok.test",
    "hostname_suffix": "http://notok.test/",
    "regex_unescaped_dot": "http://okxtest/",
    "regex_unanchored": "http://ok.test.evil.test/",
    "cut_at_last_at": "http://evil.test/@ok.test",
    "fragment_in_authority": "http://evil.test#@ok.test/",
    "decoded_before_parsing": "http://ok.test%2f@evil.test/",
    "leading_blank_is_relative": " http://evil.test/",
    "two_slashes_are_local": "//evil.test/",
    "cut_at_tab": "http://ok.test\t.evil.test/",
    "regex_host_before_at": "http://ok.test@evil.test/",
    "backslash_after_slash_is_local": "/\\evil.test/",
    "no_netloc_is_local": "http:///evil.test/",
}
MORE_URLS = (
    "http://evil.test/",
    "http://ok.test/\r\nHost: evil.test",
    "http://ok.test@evil.test/",
    "http://ok.test\\@evil.test/",
    "http://ok.test@x@evil.test/",
    "http://evil.test@x@ok.test/",
    "http://[ok.test]/",
    "http://\u24d4vil.test/",
    "http://10.0.0.01.evil.test/",
    "http://010.0.0.1/",
    "http:///evil.test/",
    "http://ok.test:80@evil.test:80/",
    "ftp://ok.test/",
    "",
)
HONEST_URLS = (
    "http://ok.test",
    "http://ok.test/",
    "https://ok.test/a/b.txt?q=1&r=a+b#top",
    "https://ok.test/@someone?at=10:30",
    "http://10.0.0.1/",
    "http://[2001:db8::1]/",
)
