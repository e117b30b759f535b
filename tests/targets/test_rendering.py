"""What a grant becomes for each system: no more than it names, and nothing dropped unsaid."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from capfuzz.attacks.naive import within
from capfuzz.engine import Capabilities
from capfuzz.strategies import grants
from capfuzz.targets import TargetError
from capfuzz.targets.rendering.registry import SYSTEMS, system_of
from capfuzz.targets.rendering.render import rendered
from capfuzz.targets.sandboxes.registry import ADAPTERS
from hypothesis import given
from hypothesis import strategies as st

from .opening import OPENED
from .rendering import GRANT, LAYOUT, items, made

# Names that would be something else in some configuration, were they not written with care.
NASTY = st.sampled_from(
    (
        *("/a b", "/a'b", '/a"b', "/a,readonly=false", "/a:rw", "/a=b", "/a\\b", "/a\\n", "/a`id`"),
        *(
            "/$(id)",
            "/${HOME}",
            "/%2e%2e",
            "/a#b",
            "/a;b",
            "/a|b",
            "/*",
            "/[a]",
            "/~",
            "/-v",
            "/--",
        ),
        *(
            "/a\tb",
            "/caf\u00e9",
            "/a\u2028b",
            "/a\x7fb",
            "/ro",
            "/usr",
            "/usr/lib",
            "/a } mount { b",
        ),
    )
)


PLACES = st.lists(st.lists(NASTY, min_size=1, max_size=3).map("".join), max_size=4)


def nasty(reads, writes):
    """Return a grant of such places, None where the engine refuses them."""
    try:
        return Capabilities(reads, writes)
    except ValueError:
        return None


DRAWN = grants() | st.builds(nasty, PLACES, PLACES).filter(bool)


def rendered_or_told(name, grant, *, wider):
    """Return what a grant becomes, or why it becomes nothing."""
    try:
        return rendered(SYSTEMS[name], grant, LAYOUT, wider=wider), ""
    except TargetError as error:
        return None, str(error)


@pytest.mark.parametrize("name", SYSTEMS)
@given(grant=DRAWN, wider=st.booleans())
def test_any_grant_is_rendered_or_refused_by_name(name, grant, wider):
    """A grant would stop the command with a traceback, or open what it does not name."""
    one, reason = rendered_or_told(name, grant, wider=wider)
    if one is None:
        fields = ("fs_read", "fs_write", "net_hosts", "max_ops", "max_wall", "this grant")
        assert any(field in reason for field in fields)
        assert reason.isprintable()
    elif name in OPENED:
        check_opened(grant, list(OPENED[name](one)), writable=name == "mcp-roots" and wider)


def check_opened(grant, seen, *, writable):
    """Hold what is opened against a grant; ``writable``: all may be written, and that was told."""
    for place, written in seen:
        assert within(place, [*grant.fs_read, *grant.fs_write, "/usr"])
        assert writable or not written or within(place, grant.fs_write)
    for place in (*grant.fs_read, *grant.fs_write):
        assert within(place, [one for one, _ in seen])
    for place in grant.fs_write:
        assert within(place, [one for one, written in seen if written])


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_a_system_does_not_keep_is_told_by_name(name):
    """A tool or a budget would be dropped, and its absence taken for its being kept."""
    granted = replace(GRANT, fs_read=(), allowed_tools=frozenset({"summarize"}))
    told = made(name, granted).warnings
    assert any("allowed_tools summarize" in one for one in told)
    assert any("max_ops 50" in one for one in told)
    words = made(name, granted).command
    for amount, kept in (("9000", "head -c 9000"), ("60", "60")):
        assert (
            any(amount in one for one in told)
            or any(kept in word for word in words)
            or (f'"activeDeadlineSeconds": {amount}' in str(made(name, granted).files))
        )


@pytest.mark.parametrize(
    ("grant", "said"),
    [
        (Capabilities(("/",)), "fs_read /: the root of the machine"),
        (Capabilities((), ("/proc/self",)), "fs_write /proc/self: a sandbox has its own there"),
        (Capabilities(("/sys",)), "fs_read /sys: a sandbox"),
        (Capabilities(("/caf\u00e9",)), "fs_read /caf\u00e9: not every configuration"),
        (Capabilities(max_ops=0), "max_ops 0: nothing may be done"),
        (Capabilities(max_wall=0), "max_wall 0: no time is left"),
    ],
)
def test_what_no_system_should_be_given_is_refused(grant, said):
    """``timeout 0`` is no deadline, ``--pids-limit 0`` no limit, and a bound /proc the machine's."""
    with pytest.raises(TargetError, match=re.escape(said)):
        made("bwrap", grant)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_budget_beyond_all_numbers_is_a_number_that_programs_read(name):
    """``head`` and a cluster refuse numbers beyond 63 bits, and a process table ends before."""
    grant = Capabilities((), ("/work",), max_ops=10**30, max_output_bytes=10**30, max_wall=10**30)
    one = made(name, grant)
    told = " ".join([*one.command, *one.files.values()])
    told = re.sub(rf"(timeout --signal=KILL|/deadline\.py) {10**30}", "", told)
    assert all(int(number) < 2**63 for number in re.findall(r"\d+", told))


@pytest.mark.parametrize("name", ADAPTERS)
def test_a_command_is_run_or_its_absence_told(name):
    """Another program would be printed than the one that was asked for, and nobody told."""
    layout = replace(LAYOUT, command=("/opt/agent", "--with space"))
    one = rendered(SYSTEMS[name], Capabilities(("/work",)), layout)
    whole = "\n".join([*one.command, *one.files.values()])
    assert (name in {"wasmtime", "monty"}) <= (one.command == ())
    if not one.command:
        assert any("guest of this suite" in told for told in one.warnings)
    else:
        assert "/opt/agent" in whole
        assert "--with space" in whole


NEVER = ("docker-run", "firecracker", "kata", "kubernetes")


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_was_never_run_says_so(name):
    """Somebody would trust a rendering that nobody has tried."""
    page = Path(__file__).parents[2] / "docs/how-to/render.md"
    (row,) = [line for line in page.read_text().splitlines() if f"| `{name}`" in line] or [""]
    never = "| never" in row
    assert (name in NEVER) == never
    told = made(name, Capabilities(["/work"], ["/work"])).warnings
    assert never == any("NEVER RUN by the suite" in one for one in told)
    assert never == ("never run by this suite" in SYSTEMS[name].meaning)


@pytest.mark.parametrize("name", ["docker-run", "kata", "kubernetes"])
def test_who_writes_in_a_container_is_told(name):
    """Every write would be refused by the node's rights, and nobody know why."""
    told = "fs_write /work/out: must be writable for user 65534 there, as whom the command runs"
    assert told in made(name).warnings
    assert not any("65534" in one for one in made(name, Capabilities(["/work"])).warnings)


def test_what_is_chosen_stands_in_what_is_rendered():
    """A container would start from another image, or under another runtime."""
    one = rendered(system_of("docker-run", "agent:1", "runsc"), GRANT, LAYOUT)
    assert "--runtime=runsc" in one.command
    assert ("--entrypoint=sh", "agent:1", "-c", "echo it runs") == one.command[-4:]
    for engine in ("docker", "podman"):
        one = rendered(system_of(engine, runtime="runsc"), GRANT, LAYOUT)
        assert "--runtime=runsc" in " ".join([*one.command, *one.files.values()])
    pod = items(rendered(system_of("kubernetes", "agent:1", "gvisor"), GRANT, LAYOUT))["Pod"]
    assert "gvisor" == pod["spec"]["runtimeClassName"]
    assert "agent:1" == pod["spec"]["containers"][0]["image"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bwrap", "agent:1"), "--image: bwrap has none; it is for docker-run, kubernetes"),
        (("podman", "agent:1"), "--image: podman has none; it is for docker-run, kubernetes"),
        (("runc", None, "runsc"), "--runtime: runc has none; it is for podman, docker, docker-run"),
        (("docker", None, "a/b"), "docker: 'a/b' is no name of a runtime"),
        (("docker-run", "--privileged"), "--image: '--privileged' is no name of one"),
        (("kubernetes", None, "../r"), "--runtime: '../r' is no name of a RuntimeClass"),
        (("kubernetes", None, "gVisor"), "--runtime: 'gVisor' is no name of a RuntimeClass"),
        (("kubernetes", None, "a..b"), "--runtime: 'a..b' is no name of a RuntimeClass"),
        (("kubernetes", None, "a" * 254), "is no name of a RuntimeClass: a-z, 0-9 and - within, "),
        (("kata", None, "kata.qemu"), "'kata.qemu' is no name of a RuntimeClass: a-z, 0-9 and - "),
        (("kata", None, "a" * 64), "is no name of a RuntimeClass"),
        (("docker-run", None, "a b"), "--runtime: 'a b' is no name of one"),
    ],
)
def test_a_choice_that_is_none_is_refused(words, said):
    """An option of an engine would be smuggled in, or a choice be left out unsaid."""
    with pytest.raises(TargetError, match=re.escape(said)):
        system_of(*words)
