"""The places that a rendering opens, read out of it as its system reads it."""

import csv
import json
import os
import re
import shlex
from dataclasses import replace
from urllib.parse import unquote

from capfuzz.attacks.naive import within

from .rendering import items


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
