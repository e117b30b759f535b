"""Options: none is dropped without a word, and a command line can say them all again."""

from dataclasses import fields

import pytest
from capfuzz.attacks.case import Surface
from capfuzz.targets import TargetError
from capfuzz.targets.options import Options, as_words, check
from capfuzz.targets.spec import load

GIVEN = {
    "op_limit": 0.5,
    "dialect": frozenset({"windows", "posix"}),
    "follows_links": True,
    "unpack_limit": 0,
    "root": "a folder",
    "allow_host": "ok.test",
    "private": "admin",
    "tool_map": "tools.toml",
    "invert": True,
    "takes": "url",
    "public": ("224.0.0.0/4", "10.0.0.0/8"),
    "language": "jinja",
    "exposes": frozenset({"network", "files"}),
    "bounded": True,
}
MEANT = {
    "op_limit": set(Surface),
    "dialect": {"path", "host", "http", "mcp"},
    "follows_links": {"path", "archive", "http", "mcp"},
    "unpack_limit": {"archive"},
    "root": {"path"},
    "allow_host": {"host"},
    "private": {"http"},
    "tool_map": {"mcp"},
    "invert": {"ssrf"},
    "takes": {"ssrf"},
    "public": {"ssrf"},
    "language": {"eval"},
    "exposes": {"eval"},
    "bounded": {"eval"},
}


def refusal(spec, surface, **options):
    """Return the sentence with which an option is refused, None where it is taken."""
    try:
        check(spec, surface, Options(surface=surface, **options))
    except TargetError as error:
        return str(error)
    return None


def test_every_option_is_tried_here():
    """A new option would be dropped without a word somewhere."""
    names = {one.name for one in fields(Options)} - {"surface"}
    assert names == set(GIVEN) == set(MEANT)


@pytest.mark.parametrize("surface", Surface)
@pytest.mark.parametrize("name", GIVEN)
def test_an_option_is_taken_where_it_is_meant_and_refused_elsewhere(name, surface):
    """An option would be dropped without a word, and the verdict be about something else."""
    said = refusal("py:m:f", surface, **{name: GIVEN[name]})
    flag = "--" + name.replace("_", "-")
    expected = f"py:m:f: {flag} is for "
    assert (surface in MEANT[name]) == (said is None)
    assert said is None or (said.startswith(expected) and said.endswith(f"asked as {surface}"))


@pytest.mark.parametrize(
    ("spec", "options", "said"),
    [
        ("py:m:f", {"private": "x"}, "--private is for http targets; add --as http"),
        ("py:m:f", {"root": "x"}, "--root is for path targets; add --as path"),
        (
            "py:m:f",
            {"follows_links": True},
            "--follows-links is for path, archive, http and mcp targets; add --as path, archive, ",
        ),
        (
            "engine",
            {"tool_map": "x"},
            "--tool-map is for mcp targets, and this is asked as session",
        ),
        ("engine", {"dialect": frozenset({"posix"})}, "--dialect is for path, host, http and mcp"),
        ("mcp:x", {"root": "x"}, "--root is for path and http targets, and this is asked as mcp"),
        ("mcp:x", {"private": "x"}, "--private is for http targets, and this is asked as mcp"),
        ("mcp:x", {"bounded": True}, "--bounded is for eval targets, and this is asked as mcp"),
        ("http://127.0.0.1:9/", {"tool_map": "x", "root": "."}, "--tool-map is for mcp targets"),
        ("http://127.0.0.1:9/", {"invert": True, "root": "."}, "--invert is for ssrf targets"),
        ("http://127.0.0.1:9/", {"root": ""}, "--root is empty"),
        ("mcp:x", {"tool_map": ""}, "--tool-map is empty"),
    ],
)
def test_a_target_that_has_no_use_for_an_option_says_so(spec, options, said):
    """An option would be dropped without a word, before anything is imported or started."""
    with pytest.raises(TargetError) as caught:
        load(spec, Options(**options))
    assert str(caught.value).startswith(f"{spec}: {said}")


@pytest.mark.parametrize("host", ["", "*.test", "a b"])
def test_a_host_that_cannot_be_granted_is_refused(host):
    """A traceback would tell of a grant that nobody wrote."""
    said = refusal("py:m:f", Surface.HOST, allow_host=host)
    assert said is not None
    assert "--allow-host" in said


def test_the_words_of_a_command_line_say_all_options():
    """A finding could not be replayed as it was found."""
    assert [] == as_words(Options(surface=Surface.PATH))
    assert [
        *("--op-timeout", "0.5", "--dialect", "posix", "--dialect", "windows", "--follows-links"),
        *("--unpack-limit", "0", "--root", "a folder", "--allow-host", "ok.test"),
        *("--private", "admin", "--tool-map", "tools.toml", "--invert", "--takes", "url"),
        *("--public", "224.0.0.0/4", "--public", "10.0.0.0/8", "--language", "jinja"),
        *("--exposes", "files", "--exposes", "network", "--bounded"),
    ] == as_words(Options(**GIVEN))
