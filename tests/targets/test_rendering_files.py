"""Configurations without a command: a bundle by its published schema, disks and roots by what is in them."""

import json
import subprocess
from pathlib import Path

import jsonschema_rs
import pytest
from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import searched

from ..absent import absent  # noqa: TID252 - it stands there once
from .rendering import GRANT, NETWORKED, made, slipped

SCHEMAS = Path("/usr/share/gocode/src/github.com/opencontainers/runtime-spec/schema")


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    """Return what a bundle has against the published schema; CI may not go without."""
    if not SCHEMAS.is_dir():
        absent("golang-github-opencontainers-specs-dev is NOT here: no schema to validate against")
    folder = tmp_path_factory.mktemp("schema")
    for one in SCHEMAS.glob("*.json"):
        (folder / one.name).write_text(json.dumps(closed(json.loads(one.read_text()))))
    place = folder / "config-schema.json"
    schema = jsonschema_rs.Draft4Validator(json.loads(place.read_text()), base_uri=place.as_uri())
    return lambda config: [one.message for one in schema.iter_errors(config)]


def closed(schema):
    """Return a schema that takes no field which it does not name; as it is published, it takes any."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(one) for name, one in schema.items()}
    is_of_object = isinstance(schema.get("properties"), dict) and "allOf" not in schema
    return {"additionalProperties": False, **inner} if is_of_object else inner


@pytest.mark.parametrize("grant", [GRANT, Capabilities(), NETWORKED], ids=["some", "none", "net"])
def test_a_bundle_keeps_to_the_published_schema(grant, faults):
    """A runtime would refuse it, or leave out a field that it does not know."""
    config = json.loads(made("oci", grant, wider=True).files["config.json"])
    assert [] == faults(config)


SLIPS = [
    (("ociVersion",), ...),
    (("root", "path"), ...),
    (("root", "readOnly"), True),
    (("process", "cwd"), ...),
    (("process", "args"), "sh"),
    (("process", "user", "uid"), "root"),
    (("process", "noNewPrivilege"), True),
    (("process", "capabilities", "bounding"), "CAP_KILL"),
    (("mounts", 0, "destination"), ...),
    (("mounts", 2, "options"), "ro"),
    (("linux", "namespaces", 0, "type"), "pids"),
    (("linux", "resources", "pids", "limit"), "50"),
    (("linux", "resources", "pid"), {"limit": 50}),
    (("linux", "seccomp", "defaultAction"), "SCMP_ACT_NONE"),
    (("linux", "seccomp", "syscalls", 0, "names"), []),
]


@pytest.mark.parametrize(("path", "value"), SLIPS)
def test_a_slip_in_a_bundle_is_seen(path, value, faults):
    """The test above would pass whatever is rendered."""
    config = json.loads(made("oci").files["config.json"])
    assert 1 == len(faults(slipped(config, *path, value=value)))


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


def test_a_root_is_told_as_a_uri():
    """A server would decode a name into another one, or part it at a hash."""
    one = made("mcp-roots", Capabilities((), ("/a b/%2e%2e", "/c#d?e")))
    uris = {root["uri"] for root in json.loads(one.files["roots.json"])["roots"]}
    assert {"file:///a%20b/%252e%252e", "file:///c%23d%3Fe"} == uris
