"""The probe in JavaScript: what it tries really happens where nothing is confined."""

import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from capfuzz.attacks.kernel import FAR, KINDS
from capfuzz.attacks.vectors import CORPUS, load
from capfuzz.engine import Capabilities
from capfuzz.targets import TargetError, probe
from capfuzz.targets.outlived import marked
from capfuzz.targets.sandboxes.bare import Bare
from capfuzz.targets.sandboxes.base import Layout, Rendered, layout_for, limits_told
from capfuzz.targets.sandboxes.deno import Deno, program
from capfuzz.targets.sandboxes.node import Node
from capfuzz.targets.sandboxes.registry import ADAPTERS
from capfuzz.targets.sandboxes.scripts import OFFERED, UNTRIED

from ..absent import absent  # noqa: TID252 - it stands there once
from .landing import landed

KERNEL = load(sorted(CORPUS.glob("kernel-*.json")))
ATTACKS = [one for one in KERNEL if not one.is_control]
SCRIPT = str(Path(probe.__file__).with_name("probe.mjs"))
RUNTIMES = {"node": lambda: ("node",), "deno": lambda: (program(), "run", "--allow-all")}


class BareScript(Bare):
    """The probe's twin with the rights of whoever runs the suite."""

    cannot = UNTRIED

    def __init__(self, command):
        self._command = command

    def render(self, grant, layout):
        """Return the command that confines nothing."""
        return Rendered((*self._command, layout.script))


def here(name):
    """Return the words that start a runtime; CI may not go without."""
    missing = ADAPTERS[name].unavailable()
    if missing:
        absent(f"{name} was NOT tried: {missing}")
    return RUNTIMES[name]()


def answers(command, *asked):
    """Return what the probe answers to ops."""
    lines = [
        json.dumps({"id": number, "method": op[0], "params": {"arguments": op[1:]}})
        for number, op in enumerate(asked)
    ]
    done = subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNTIMES)
def test_every_attack_lands_where_nothing_is_confined(name):
    """An attack that cannot land would be held by every runtime, and prove nothing."""
    found = landed(BareScript(here(name)), ATTACKS, lambda _, case: case.ops)
    kinds = {op[0] for ops in found for op in ops}
    assert OFFERED - {"fs_read", "fs_rename"} <= kinds | {"fs_list"}
    missed = {ops[-1][0] for ops, hits in found.items() if not all(hits)}
    # Nothing is inherited of us; an older Node has no abstract sockets, and is not asked for them.
    assert set() == missed - {"fds_inherited"} - {*ADAPTERS[name].cannot}


@pytest.mark.parametrize("name", RUNTIMES)
def test_what_the_probe_cannot_try_is_what_is_said(name):
    """An op that is never tried would be held by every runtime."""
    kinds = sorted({*KINDS, "of_no_kind"})
    said = answers([*here(name), SCRIPT], *([kind] for kind in kinds))
    untried = {
        kind
        for kind, answer in zip(kinds, said, strict=True)
        if answer.get("error") == {"message": "ENOSYS"}
    }
    # What stands apart is asked for as any other place is.
    assert {*UNTRIED, *FAR, "of_no_kind"} == untried
    assert {*KINDS} == {*OFFERED, *UNTRIED, *FAR}


@pytest.mark.parametrize("name", RUNTIMES)
def test_what_an_inherited_descriptor_opens_is_told(name, tmp_path):
    """A runtime that hands on what was open would pass."""
    secret = tmp_path / "secret"
    secret.write_text("nobody may know")
    shell = ["sh", "-c", 'exec 9<"$0"; exec "$@"', str(secret), *here(name), SCRIPT]
    (answer,) = answers(shell, ["fds_inherited"])
    assert "nobody may know" in answer["result"]["out"]


@pytest.mark.parametrize("name", ["node", "deno"])
def test_a_refusal_is_an_answer_and_no_end(name, tmp_path):
    """What is asked after it would be held by a probe that is gone."""
    (tmp_path / "file").write_text("still here")
    run = [here("deno")[0], "run", "--no-prompt", f"--allow-read={tmp_path}"]
    command = [*(run if name == "deno" else here("node")), SCRIPT]
    asked = (["net_udp", "127.0.0.1", 9, "a token"], ["fs_read", str(tmp_path / "file")])
    *_, last = answers(command, *asked)
    assert "still here" == last["result"]["out"]


def test_under_deno_one_permission_is_enough():
    """What its own interface alone can do, or one host alone, would be held in each sandbox."""
    run = [here("deno")[0], "run", "--no-prompt"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.settimeout(10)
        heard.bind(("127.0.0.1", 0))
        asked = ["net_udp", *heard.getsockname(), "a token"]
        answers([*run, "--allow-net=127.0.0.1", SCRIPT], asked)
        assert b"a token" == heard.recv(100)
    mark = secrets.token_hex(16)
    answers([*run, "--allow-run", SCRIPT], ["proc_background", 3, mark])
    (left,) = marked(mark)
    os.kill(left, signal.SIGKILL)


@pytest.mark.parametrize(
    ("adapter", "place"), [(Node(), "/work/*"), (Deno(), "/work,/other")], ids=["node", "deno"]
)
def test_a_place_that_a_command_line_would_read_otherwise_is_not_granted(adapter, place):
    """The grant would open more than it names."""
    grant = Capabilities(fs_read=(place,))
    assert adapter.expressed(grant) is None
    with pytest.raises(TargetError, match=f"{re.escape(place)} cannot be granted"):
        adapter.render(grant, Layout(()))


def test_where_the_network_is_part_of_the_model_it_is_asked_for():
    """A newer Node would be said not to confine what it does confine."""
    node = shutil.which("node")
    assert node is not None
    flags = subprocess.check_output([node, "--help"], text=True)
    known = "--allow-net" in flags
    assert known == ("net_tcp" not in Node().cannot)
    assert known == (
        "--allow-net"
        in Node().render(Capabilities(net_hosts=["127.0.0.1"]), layout_for("/probe.py")).command
    )


def test_a_known_refusal_is_told():
    """What is asked in part alone would look as if it had been asked whole."""
    assert any(line.startswith("fs_symlink: ") for line in limits_told(Deno()))


ODD = ("a b", "a%2Fb", "a'b\"c", "-a", "a$HOME", "a;b", "a[b]{c}", "~", "a?b", "a\\b")


@pytest.mark.parametrize("adapter", [Node(), Deno()], ids=lambda one: one.name)
def test_a_place_of_an_odd_name_is_opened_and_nothing_else(adapter, tmp_path):
    """A name that a command line takes apart would open other places."""
    here(adapter.name)
    for name in (*ODD, "a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    layout = replace(layout_for(SCRIPT), folder=str(tmp_path / "own"))
    for name in ODD:
        command = adapter.render(Capabilities(fs_read=(str(tmp_path / name),)), layout).command
        asked = [["fs_read", str(tmp_path / one / "file")] for one in (*ODD, "a", "b")]
        said = [answer.get("result") for answer in answers(command, *asked)]
        assert [{"out": name}] == [one for one in said if one]
