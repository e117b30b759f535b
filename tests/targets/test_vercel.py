"""Vercel Sandbox: what its SDK really sends of a grant, and what a rendered command may do there."""

import os
import shutil
import subprocess
from dataclasses import replace

import pytest
from capfuzz.engine import Capabilities
from capfuzz.targets import TargetError
from capfuzz.targets.rendering.registry import Attacked
from capfuzz.targets.rendering.render import rendered
from capfuzz.targets.sandboxes.base import layout_for
from capfuzz.targets.sandboxes.trying import written
from capfuzz.targets.sandboxes.vercel import Vercel

from ..absent import absent  # noqa: TID252 - it stands there once
from .vercel_server import VercelMachines

# Writes where it may, tries where it may not, and looks at itself.
TRYING = """
cat
cat {root}/data.txt; echo
echo more > {root}/out/report.txt && cat {root}/out/report.txt
echo more > {root}/data.txt
ls {root}/beside
id -u
"""


@pytest.fixture
def ran(monkeypatch, tmp_path):
    """Return a function that runs a script as it is rendered; returns the server, too."""
    if os.geteuid() != 0 or shutil.which("bwrap") is None:
        absent("Vercel's SDK was NOT tried: the server needs root and bubblewrap")
    server = VercelMachines()
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)

    def run(grant, script="echo it runs", said=""):
        folder = str(tmp_path / "configuration")
        layout = replace(
            layout_for("sh"), command=("sh", "-c", script), inside=(), folder=folder, mark="m"
        )
        made = Vercel(api=server.url).render(grant, layout)
        written(made, folder)
        done = subprocess.run(
            made.command, input=said, capture_output=True, text=True, check=False, cwd="/"
        )
        assert server.all_ended()
        return done, server

    yield run
    server.close()


@pytest.mark.parametrize(
    ("hosts", "policy"),
    [
        ((), {"mode": "deny-all"}),
        (("127.0.0.1",), {"mode": "deny-all"}),
        (("api.internal",), {"allow": {"api.internal": []}}),
        (("10.0.0.7",), {"allow": {}, "subnets": {"allow": ["10.0.0.7/32"]}}),
        (
            ("api.internal", "10.0.0.7"),
            {"allow": {"api.internal": []}, "subnets": {"allow": ["10.0.0.7/32"]}},
        ),
    ],
)
def test_no_host_is_let_out_to_but_those_that_are_granted(ran, hosts, policy):
    """Without a policy the whole internet is open there: what was read could go anywhere."""
    done, server = ran(Capabilities(net_hosts=hosts, max_wall=60))
    assert "it runs\n" == done.stdout
    assert {
        "projectId": "project",
        "timeout": 60_000,  # milliseconds
        "persistent": False,
        "networkPolicy": policy,
        "tags": {"capfuzz": "m"},
    } == server.wanted["i1"]


def test_a_rendered_command_reads_and_writes_what_is_granted_and_no_more(ran, tmp_path):
    """What may only be read would be written there, or what was not granted would be there."""
    for name in ("data.txt", "out/report.txt", "beside/secret.txt"):
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"this is {name}", encoding="utf-8")
    grant = Capabilities((f"{tmp_path}/data.txt",), (f"{tmp_path}/out",))
    done, server = ran(grant, TRYING.format(root=tmp_path), "a line\n")
    assert [
        "a line",
        "this is data.txt",
        "more",
        "1000",
    ] == done.stdout.splitlines()
    written_to, listed = done.stderr.splitlines()
    assert written_to.endswith(f"{tmp_path}/data.txt: Permission denied")
    assert listed.endswith(f"'{tmp_path}/beside': No such file or directory")
    # What it was started by keeps `sudo` from it, which bubblewrap would do anyway.
    program = [*server.commands.values()][-1].shown()
    assert ["setpriv", "--no-new-privs", "--", "sh"] == [program["name"], *program["args"][:3]]
    # The copy is there, and this machine's file as it was.
    assert "this is out/report.txt" == (tmp_path / "out/report.txt").read_text()


def test_what_the_firewall_there_cannot_express_is_told():
    """A host would stay shut, or be open otherwise than it was granted, and nobody would know."""
    layout = replace(layout_for("sh"), inside=())
    system = Attacked(Vercel(), by_host=True)
    hosts = ("api.internal", "10.0.0.7", "127.0.0.1")
    told = rendered(system, Capabilities(net_hosts=hosts), layout).warnings
    assert {
        "net_hosts api.internal: by the name in a TLS handshake; nothing unencrypted goes there",
        "net_hosts 10.0.0.7: whatever name a TLS handshake has",
        "net_hosts 127.0.0.1: NOT opened: it is that machine's own",
        "max_wall 1000000: the sandbox is ended after 900 seconds",
    } <= set(told)
    # What is not seen from here is no more than that.
    assert not any(one.startswith("not confined") for one in told)
    with pytest.raises(TargetError, match=r"it cannot express net_hosts fd00::a:1$"):
        rendered(system, Capabilities(net_hosts=("fd00::a:1",)), layout)
