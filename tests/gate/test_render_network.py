"""``capfuzz render``: what it prints opens, typed into a shell, the granted hosts and ports alone."""

import contextlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from .test_render import here, typed

# Each asks for addresses, and prints whether it was answered. srt: by its proxy, to which it tells
# an exception for this machine.
PYTHON = """
import os, sys, urllib.request
for name in ("NO_PROXY", "no_proxy"):
    os.environ.pop(name, None)
proxy = os.environ["HTTP_PROXY"] if sys.argv[1] == "srt" else ""
ways = urllib.request.ProxyHandler({"http": proxy} if proxy else {})
for address in sys.argv[2:]:
    try:
        print(urllib.request.build_opener(ways).open(address, timeout=5).status == 200)
    except OSError:
        print(False)
"""
SCRIPT = """
for (const address of Deno.args) {
    const answer = await fetch(address).catch(() => null);
    console.log(answer?.status === 200 ? "True" : "False");
}
"""


class _Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        """Say that it was reached."""
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, host):
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, 0), _Answer)
        self.address = f"http://{f'[{host}]' if ':' in host else host}:{self.server_port}/"


@pytest.fixture
def answering():
    """Return a function that starts a server at an address of this machine's."""
    with contextlib.ExitStack() as stack:

        def start(host):
            server = stack.enter_context(_Server(host))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            return server

        yield start


@pytest.fixture
def reached(run, tmp_path):
    """Return a function that tells which servers are reached from what is printed for a host."""

    def ask(name, host, servers, *options):
        here(name)
        lines = (f'fs_read = ["/etc/hosts", "{tmp_path}/agent.py"]', f'net_hosts = ["{host}"]')
        (tmp_path / "GRANT.toml").write_text("\n".join(lines))
        (tmp_path / "agent.py").write_text(PYTHON)
        (tmp_path / "agent.mjs").write_text(SCRIPT)
        python = ("/usr/bin/python3", f"{tmp_path}/agent.py", name)
        agent = ("agent.mjs",) if name == "deno" else python
        addresses = [one.address for one in servers]
        done = typed(run, tmp_path, name, *agent, *addresses, options=options)
        return [line == "True" for line in done.stdout.splitlines()]

    return ask


@pytest.mark.parametrize("name", ["landlock", "landlock-seccomp", "sandlock", "deno", "srt"])
def test_the_named_port_is_open_and_no_other(name, answering, reached):
    """A service beside the granted one could be reached."""
    servers = [answering("127.0.0.1") for _ in range(2)]
    wider = ("--wider",) if name.startswith("landlock") else ()  # of every host
    port = f"--port={servers[0].server_port}"
    assert [True, False] == reached(name, "127.0.0.1", servers, port, *wider)


@pytest.mark.parametrize("name", ["sandlock", "deno", "srt"])
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_granted_host_is_open_and_no_other(name, host, answering, reached):
    """An address of IPv6 would be taken for a name and a port, or open every other host."""
    servers = [answering("127.0.0.1"), answering("::1"), answering("127.0.0.1")]
    granted = [one for one in servers if one.server_address[0] == host]
    assert [one in granted for one in servers] == reached(name, host, servers)
    port = f"--port={granted[0].server_port}"
    told = reached(name, host, servers, port, "-o", "with-a-port")
    assert [one is granted[0] for one in servers] == told
