"""What a grant becomes for each system: no more than it names, and nothing dropped unsaid."""

import csv
import json
import os
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import jsonschema_rs
import kubernetes_validate
import pytest
from capfuzz.attacks.naive import within
from capfuzz.engine import Capabilities
from capfuzz.strategies import grants
from capfuzz.targets import TargetError
from capfuzz.targets.rendering.registry import SYSTEMS, system_of
from capfuzz.targets.rendering.render import rendered
from capfuzz.targets.sandboxes.base import layout_for, searched
from capfuzz.targets.sandboxes.registry import ADAPTERS
from hypothesis import given
from hypothesis import strategies as st

from ..absent import absent  # noqa: TID252 - it stands there once

LAYOUT = replace(
    layout_for("sh"), command=("sh", "-c", "echo it runs"), inside=(), runtime=("/usr",)
)
GRANT = Capabilities(
    fs_read=("/work/",), fs_write=("/work/out/",), max_ops=50, max_output_bytes=9_000, max_wall=60
)
SCHEMAS = Path("/usr/share/gocode/src/github.com/opencontainers/runtime-spec/schema")


def made(name, grant=GRANT, *, wider=False):
    """Return what a system makes of a grant."""
    return rendered(SYSTEMS[name], grant, LAYOUT, wider=wider)


# ---------------------------------------------------------------- what is opened


def of_bwrap(one):
    """Yield what is bound."""
    words = list(one.command)
    for at, word in enumerate(words):
        if word in {"--bind", "--ro-bind"}:
            assert words[at + 1] == words[at + 2]
            yield words[at + 1], word == "--bind"


def of_landlock(one):
    """Yield what the policy names, but for devices."""
    at = next(at for at, word in enumerate(one.command) if word.endswith("landlock.py"))
    policy = json.loads(one.command[at + 1])
    yield from ((place, False) for place in policy["run"])
    yield from ((place, False) for place in policy["read"] if not place.startswith("/dev/"))
    yield from ((place, True) for place in policy["write"])


def of_nsjail(one):
    """Yield what is mounted, but for devices."""
    for line in one.files["nsjail.cfg"].splitlines():
        told = re.fullmatch(r'mount \{ src: (".*") dst: (".*") is_bind: true rw: (\w+) .*\}', line)
        if told and not json.loads(told[1]).startswith("/dev/"):
            assert told[1] == told[2]
            yield json.loads(told[1]), told[3] == "true"


def of_unshare(one):
    """Yield what the script binds."""
    for line in one.files["enter"].splitlines():
        if line.startswith(("bound /", "bound '")):
            _, place, mode = shlex.split(line)
            yield place, mode == "rw"


def of_bundle(one):
    """Yield the bind mounts."""
    for mount in json.loads(one.files["config.json"])["mounts"]:
        if mount["type"] == "bind":
            assert mount["source"] == mount["destination"]
            yield mount["source"], "rw" in mount["options"]


def of_docker(one):
    """Yield the mounts, read as Docker reads them."""
    for word in one.command:
        if word.startswith("--mount="):
            (fields,) = csv.reader([word.removeprefix("--mount=")])
            told = dict(field.partition("=")[::2] for field in fields)
            assert {"type", "src", "dst"} | ({"readonly"} & told.keys()) == told.keys()
            assert told["src"] == told["dst"]
            yield told["src"], "readonly" not in told


def of_daemon(one):
    """Yield the mounts of the script's last line."""
    words = shlex.split(one.files["enter"].splitlines()[-1])
    yield from of_docker(replace(one, command=tuple(words)))


def of_podman(one):
    """Yield the mounts, read as Podman reads them."""
    for word in shlex.split(one.command[-1]):
        if word.startswith("--mount="):
            (fields,) = csv.reader([word.removeprefix("--mount=")])
            told = dict(field.partition("=")[::2] for field in fields)
            assert {"type", "src", "dst", "ro"} == told.keys()
            assert told["src"] == told["dst"]
            yield told["src"], told["ro"] == "false"


def of_pod(one):
    """Yield the places of the node that are mounted."""
    spec = items(one)["Pod"]["spec"]
    volumes = {volume["name"]: volume["hostPath"]["path"] for volume in spec["volumes"]}
    for mount in spec["containers"][0]["volumeMounts"]:
        assert volumes[mount["name"]] == mount["mountPath"]
        yield mount["mountPath"], not mount["readOnly"]


def of_disks(one):
    """Yield the places that become disks, and whether the disk may be written."""
    lines = one.files["disks.sh"].splitlines()
    made = [shlex.split(line)[1] for line in lines if line.startswith("disk ")]
    drives = json.loads(one.files["vm.json"])["drives"][1:]
    yield from zip(made, [not drive["is_read_only"] for drive in drives], strict=True)


def of_roots(one):
    """Yield the roots."""
    for root in json.loads(one.files["roots.json"])["roots"]:
        assert root["uri"].startswith("file:///")
        yield unquote(root["uri"].removeprefix("file://")), True


def of_nspawn(one):
    """Yield what is bound; a colon parts what a bind is made of, unless it is escaped."""
    for word in shlex.split(one.command[-1]):
        if word.startswith(("--bind=", "--bind-ro=")):
            option, _, place = word.partition("=")
            assert re.fullmatch(r"(?:[^:\\]|\\.)+", place)
            yield re.sub(r"\\(.)", r"\1", place), option == "--bind"


def of_sandlock(one):
    """Yield what the policy names, but for devices."""
    policy = json.loads(one.files["policy.json"])
    for name in ("fs_readable", "fs_writable"):
        yield from (
            (place, name == "fs_writable")
            for place in policy[name]
            if not place.startswith("/dev/")
        )


def of_node(one):
    """Yield what the flags name, but for the script."""
    for word in one.command:
        for flag in ("--allow-fs-read=", "--allow-fs-write="):
            if (
                word.startswith(flag)
                and "probe" not in word
                and word != f"{flag}{os.path.abspath('sh')}"
            ):
                yield word.removeprefix(flag), "write" in flag


def of_deno(one):
    """Yield what the flags name; a comma parts them."""
    for word in one.command:
        for flag in ("--allow-read=", "--allow-write="):
            if word.startswith(flag):
                for place in word.removeprefix(flag).split(","):
                    yield place, "write" in flag


def of_plan(one):
    """Yield what is copied to a machine elsewhere, and whether its user owns it there."""
    plan = json.loads(one.files["plan.json"])
    yield from ((place, within(place, plan["writable"])) for place in plan["copied"])


def items(one):
    """Return the resources of a manifest by kind."""
    whole = json.loads(one.files["sandbox.json"])
    return {item["kind"]: item for item in whole["items"]}


OPENED = {
    "bwrap": of_bwrap,
    "landlock": of_landlock,
    "landlock-seccomp": of_landlock,
    "nsjail": of_nsjail,
    "unshare": of_unshare,
    "runc": of_bundle,
    "crun": of_bundle,
    "gvisor": of_bundle,
    "nspawn": of_nspawn,
    "sandlock": of_sandlock,
    "node": of_node,
    "deno": of_deno,
    "e2b": of_plan,
    "vercel": of_plan,
    "oci": of_bundle,
    "docker-run": of_docker,
    "docker": of_daemon,
    "podman": of_podman,
    "kubernetes": of_pod,
    "kata": of_pod,
    "firecracker": of_disks,
    "mcp-roots": of_roots,
}
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


NETWORKED = Capabilities(("/work",), ("/work",), ("api.internal", "10.0.0.7", "fd00::a:1"))


@pytest.mark.parametrize("name", [name for name in SYSTEMS if SYSTEMS[name].wider(NETWORKED)])
def test_a_network_that_would_be_opened_whole_is_refused(name):
    """One granted host would open every other one, and nobody would be told."""
    with pytest.raises(TargetError, match=r"net_hosts api\.internal, 10\.0\.0\.7.*--wider"):
        made(name, NETWORKED)
    told = made(name, NETWORKED, wider=True).warnings
    assert any(one.startswith("net_hosts api.internal, 10.0.0.7") for one in told)


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
    told = " ".join([*one.command, *one.files.values()]).replace(
        f"timeout --signal=KILL {10**30}", ""
    )
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


# ---------------------------------------------------------------- published schemas


@pytest.mark.parametrize("name", ["kubernetes", "kata"])
@pytest.mark.parametrize("grant", [GRANT, Capabilities(), NETWORKED], ids=["some", "none", "net"])
def test_a_manifest_keeps_to_the_published_schemas(name, grant):
    """A cluster would refuse it, or leave out a field that it does not know."""
    found = items(made(name, grant))
    for item in found.values():
        kubernetes_validate.validate(item, "1.37", strict=True)
    assert {"kata": {"RuntimeClass", "NetworkPolicy", "Pod"}}.get(
        name, {"NetworkPolicy", "Pod"}
    ) == set(found)


def test_the_published_schemas_refuse_a_slip():
    """The test above would pass whatever is rendered."""
    pod = items(made("kubernetes"))["Pod"]
    pod["spec"]["containers"][0]["securityContext"]["readOnlyRootFileSystem"] = True
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(pod, "1.37", strict=True)


def test_a_pod_is_sealed_but_for_what_is_granted():
    """A Pod would run as root, with a token of the cluster, or without an end."""
    spec = items(made("kubernetes"))["Pod"]["spec"]
    (container,) = spec["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "privileged": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert [spec[one] for one in ("hostNetwork", "hostPID", "hostIPC")] == [False] * 3
    assert spec["automountServiceAccountToken"] is False
    assert 60 == spec["activeDeadlineSeconds"]
    assert container["resources"]["limits"] == container["resources"]["requests"]
    assert "runtimeClassName" not in spec


@pytest.mark.parametrize(
    ("hosts", "egress"),
    [
        ((), []),  # a rule without a peer would open everything
        (("api.internal",), []),
        (("127.0.0.1", "::1"), []),
        (
            ("10.0.0.7", "api.internal", "fd00::a:1"),
            [{"to": [{"ipBlock": {"cidr": f"{one}"}} for one in ("10.0.0.7/32", "fd00::a:1/128")]}],
        ),
    ],
)
def test_a_policy_opens_the_granted_addresses_alone(hosts, egress):
    """A Pod would reach hosts that were not granted."""
    one = made("kubernetes", Capabilities(net_hosts=hosts))
    spec = items(one)["NetworkPolicy"]["spec"]
    assert egress == spec["egress"]
    assert [] == spec["ingress"]
    assert ["Ingress", "Egress"] == spec["policyTypes"]
    labels = items(one)["Pod"]["metadata"]["labels"]
    assert spec["podSelector"]["matchLabels"] == labels
    for host in {"api.internal", "127.0.0.1", "::1"} & set(hosts):
        assert any(host in told and "NOT opened" in told for told in one.warnings)


def test_a_policy_opens_the_named_ports_alone():
    """A Pod would reach every service of a granted address."""
    grant = Capabilities(net_hosts=["10.0.0.7"])
    one = rendered(SYSTEMS["kubernetes"], grant, replace(LAYOUT, ports=(443,)))
    policy = items(one)["NetworkPolicy"]
    kubernetes_validate.validate(policy, "1.37", strict=True)
    (rule,) = policy["spec"]["egress"]
    assert [443, 443] == [port["port"] for port in rule["ports"]]
    assert ["TCP", "UDP"] == [port["protocol"] for port in rule["ports"]]


@pytest.mark.parametrize("name", [name for name in SYSTEMS if not SYSTEMS[name].keeps_ports])
def test_ports_that_a_system_has_no_say_in_are_refused(name):
    """One named port would open every other one, and nobody would be told."""
    grant = Capabilities(fs_write=["/work"], net_hosts=["10.0.0.7"])
    with pytest.raises(TargetError, match=r"ports 443|cannot express net_hosts"):
        rendered(SYSTEMS[name], grant, replace(LAYOUT, ports=(443,)))


@pytest.mark.parametrize("name", ["landlock", "landlock-seccomp"])
def test_a_port_of_every_host_is_told_as_what_it_is(name):
    """It would be told that the whole network is open, where the port alone is, and UDP."""
    grant = Capabilities(net_hosts=["10.0.0.7"])
    layout = replace(LAYOUT, ports=(443,))
    told = f"net_hosts 10.0.0.7: {name} opens TCP ports 443 of every host, and UDP whole"
    with pytest.raises(TargetError, match=re.escape(f"{told}; --wider accepts that")):
        rendered(SYSTEMS[name], grant, layout)
    made = rendered(SYSTEMS[name], grant, layout, wider=True)
    assert told in made.warnings
    assert not any("whole network" in one for one in made.warnings)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_port_of_no_host_opens_nothing_and_that_is_told(name):
    """Somebody would think that a port is open, and search for what else bars it."""
    one = rendered(SYSTEMS[name], Capabilities(["/work"], ["/work"]), replace(LAYOUT, ports=(443,)))
    assert "ports 443: nothing is opened: the grant has no net_hosts" in one.warnings


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


def test_a_file_becomes_a_disk_with_it_alone(tmp_path):
    """The script would end at the first file that is granted."""
    (tmp_path / "a b.txt").write_text("granted")
    (tmp_path / "other.txt").write_text("not granted")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/in.txt").write_text("in a folder")
    grant = Capabilities([f"{tmp_path}/a b.txt", f"{tmp_path}/folder"])
    (tmp_path / "disks.sh").write_text(made("firecracker", grant).files["disks.sh"])
    subprocess.run(["sh", "disks.sh"], cwd=tmp_path, check=True, capture_output=True)
    listed = [in_disk(tmp_path / f"place-{number}.ext4", "ls -p /") for number in range(2)]
    assert ["a b.txt" in one for one in listed] == [True, False]
    assert not any("other.txt" in one for one in listed)
    assert "granted" == in_disk(tmp_path / "place-0.ext4", 'cat "/a b.txt"')
    assert "in a folder" == in_disk(tmp_path / "place-1.ext4", "cat /in.txt")


def in_disk(image, command):
    """Return what a command of debugfs prints of an image."""
    words = ("debugfs", "-R", command, str(image))
    env = {"PATH": searched()}
    return subprocess.run(words, env=env, capture_output=True, text=True, check=True).stdout


def test_words_of_a_command_mean_themselves_in_a_pod():
    """Kubernetes would put the value of a variable in the place of $(NAME)."""
    layout = replace(LAYOUT, command=("echo", "$(HOME)", "$$(x)"))
    pod = items(rendered(SYSTEMS["kubernetes"], GRANT, layout))["Pod"]
    assert ["echo", "$$(HOME)", "$$$$(x)"] == pod["spec"]["containers"][0]["command"]


def validator():
    """Return what knows the published schema of a bundle; CI may not go without."""
    if not SCHEMAS.is_dir():
        absent("golang-github-opencontainers-specs-dev is NOT here: no schema to validate against")
    schema = json.loads((SCHEMAS / "config-schema.json").read_text())
    return jsonschema_rs.Draft4Validator(schema, base_uri=(SCHEMAS / "config-schema.json").as_uri())


@pytest.mark.parametrize("grant", [GRANT, Capabilities(), NETWORKED], ids=["some", "none", "net"])
def test_a_bundle_keeps_to_the_published_schema(grant):
    """A runtime would refuse it, or leave out a field that it does not know."""
    config = json.loads(made("oci", grant, wider=True).files["config.json"])
    assert [] == [one.message for one in validator().iter_errors(config)]
    config["linux"]["seccomp"]["defaultAction"] = "SCMP_ACT_NONE"
    assert not validator().is_valid(config)


# ---------------------------------------------------------------- choices


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
        (("docker-run", None, "a b"), "--runtime: 'a b' is no name of one"),
    ],
)
def test_a_choice_that_is_none_is_refused(words, said):
    """An option of an engine would be smuggled in, or a choice be left out unsaid."""
    with pytest.raises(TargetError, match=re.escape(said)):
        system_of(*words)


def test_a_root_is_told_as_a_uri():
    """A server would decode a name into another one, or part it at a hash."""
    one = made("mcp-roots", Capabilities((), ("/a b/%2e%2e", "/c#d?e")))
    uris = {root["uri"] for root in json.loads(one.files["roots.json"])["roots"]}
    assert {"file:///a%20b/%252e%252e", "file:///c%23d%3Fe"} == uris
