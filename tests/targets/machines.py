"""Sandboxes of clouds on loopback: each is a folder, and what is run in it is run in bubblewrap."""

import contextlib
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

_ORDINARY = 1000
_CONFINED = ("bwrap", "--die-with-parent", "--unshare-pid", "--unshare-net", "--cap-add", "ALL")
_SYSTEM = (
    *("--ro-bind", "/usr", "/usr", "--dev", "/dev", "--proc", "/proc"),
    *("--clearenv", "--setenv", "PATH", "/usr/bin:/bin"),
)
_AS_USER = ("setpriv", f"--reuid={_ORDINARY}", f"--regid={_ORDINARY}", "--clear-groups")


class Machines(ThreadingHTTPServer):
    """
    Sandboxes by name; where ``leaky`` folders of this machine stand in each of them.

    ``wanted`` is what each was asked for with, ``programs`` is what was started in any of them.

    What a cloud has of its own: the ``endpoints`` that its SDK calls, its ordinary ``user``, and
    that user's ``home``.
    """

    daemon_threads = True

    def __init__(self, leaky=()):
        self.leaky, self.calls, self.roots, self.running = leaky, [], {}, {}
        self.wanted, self.programs = {}, []
        # What is started dies with the thread that started it (prctl(2): PR_SET_PDEATHSIG).
        self._starter = ThreadPoolExecutor(1)
        super().__init__(("127.0.0.1", 0), self.endpoints)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Say nothing of a client that was ended in the middle of a request."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self):
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"

    def create(self):
        """Make a folder that is the root of another sandbox; returns its name."""
        name = f"i{len(self.roots) + 1}"
        root = self.roots[name] = tempfile.mkdtemp(prefix="machine-")
        os.chmod(root, 0o755)
        for folder in ("etc", "root", "tmp", self.home):
            os.makedirs(f"{root}/{folder}")
        for folder in ("tmp", self.home):
            os.chown(f"{root}/{folder}", _ORDINARY, _ORDINARY)
        for folder in ("bin", "lib", "lib64"):
            os.symlink(f"usr/{folder}", f"{root}/{folder}")
        users = (("root", 0, "root"), (self.user, _ORDINARY, self.home))
        lines = [f"{user}:x:{number}:{number}::/{home}:/bin/bash\n" for user, number, home in users]
        Path(root, "etc/passwd").write_text("".join(lines), encoding="utf-8")
        return name

    def stop(self, name):
        """End all that runs in a sandbox."""
        for process in self.running.pop(name, []):
            process.kill()
            process.wait()
            process.stdin.close()

    def kill(self, name):
        """End a sandbox with all that runs in it."""
        self.stop(name)
        shutil.rmtree(self.roots[name])
        self.roots[name] = None

    def start(self, name, arguments, *, root=False, cwd="/", errors=None):
        """Start a command in a sandbox, as root or as the ordinary user."""
        leaks = () if root else self.leaky
        drop = () if root or leaks else _AS_USER
        command = [*_CONFINED, "--bind", self.roots[name], "/", *_SYSTEM, "--chdir", cwd]
        command += [word for one in leaks for word in ("--bind", one, one)]
        pipe = subprocess.PIPE
        told = {"stdin": pipe, "stdout": pipe, "stderr": errors, "bufsize": 0}
        self.programs.append([*arguments])
        words = [*command, *drop, *arguments]
        process = self._starter.submit(subprocess.Popen, words, **told).result()
        self.running.setdefault(name, []).append(process)
        return process

    def all_ended(self):
        """Tell whether every sandbox is ended before long: a process of its own sees to that."""
        deadline = time.monotonic() + 30
        while any(self.roots.values()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return bool(self.roots) and not any(self.roots.values())

    def close(self):
        """End every sandbox, and the server."""
        self.shutdown()
        self.server_close()
        for name in [one for one, root in self.roots.items() if root]:
            self.kill(name)
        self._starter.shutdown()


class Endpoints(BaseHTTPRequestHandler):
    """
    What the endpoints of every cloud have in common.

    ``answers``: a method and a pattern of paths, and the name of what answers with its groups.
    """

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """Answer to what is asked for."""
        self._answer()

    def do_POST(self):
        """Answer to what is to be done."""
        self._answer()

    def do_DELETE(self):
        """Answer to what is to be ended."""
        self._answer()

    def _answer(self):
        """Let the first that fits answer, and note what was asked."""
        url = urlsplit(self.path)
        self.asked = parse_qs(url.query)
        for pattern, name in self.answers:
            if found := re.fullmatch(pattern, f"{self.command} {url.path}"):
                path = functools.reduce(
                    lambda path, one: path.replace(one, "*"), found.groups(), found[0]
                )
                self.server.calls.append(path)
                getattr(self, name)(*found.groups())
                return
        self.body()
        self.say(HTTPStatus.NOT_FOUND, {"error": {"code": "not_found", "message": self.path}})

    def log_message(self, *arguments):
        """Say nothing."""

    def body(self):
        """Return what was sent, be it in chunks."""
        size = self.headers["Content-Length"]
        if size is not None:
            return self.rfile.read(int(size))
        return self._chunks() if self.headers["Transfer-Encoding"] else b""

    def say(self, status, value):
        """Answer with a value as JSON."""
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    @contextlib.contextmanager
    def streaming(self, kind):
        """Answer with as many pieces as are sent meanwhile, unless whoever asked has ended."""
        with contextlib.suppress(ConnectionError):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            yield
            self.wfile.write(b"0\r\n\r\n")

    def piece(self, data):
        """Send one piece of a stream."""
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _chunks(self):
        whole = b""
        while size := int(self.rfile.readline(), 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole
