"""
The endpoints that E2B's SDK calls, on loopback: what it has run is run in bubblewrap.

Written down from what the SDK (2.63) sends: the API's sandboxes, and in the sandbox itself
`/files` and the methods `Start`, `SendInput` and `CloseStdin` of `process.Process` (Connect, JSON).
"""

import base64
import contextlib
import email
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

_USERS = "root:x:0:0::/root:/bin/bash\nuser:x:1000:1000::/home/user:/bin/bash\n"
_LAST = 2  # the flag of a stream's last message


class Machines(ThreadingHTTPServer):
    """Sandboxes by number; where ``leaky`` folders of this machine stand in each of them."""

    daemon_threads = True

    def __init__(self, leaky=()):
        self.leaky, self.calls, self.roots, self.running = leaky, [], {}, {}
        super().__init__(("127.0.0.1", 0), _Endpoints)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Say nothing of a client that was ended in the middle of a request."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    @property
    def environment(self):
        """What tells the SDK to call here and nowhere else."""
        url = f"http://127.0.0.1:{self.server_port}"
        names = {"E2B_API_URL": url, "E2B_SANDBOX_URL": url}
        return {**names, "E2B_API_KEY": "e2b_0", "E2B_HTTP_VERSION": "1.1"}

    def create(self):
        """Make a folder that is the root of another sandbox; returns its number."""
        number = f"i{len(self.roots) + 1}"
        root = self.roots[number] = tempfile.mkdtemp(prefix="e2b-server-")
        os.chmod(root, 0o755)
        for name in ("etc", "root", "tmp", "home/user"):
            os.makedirs(f"{root}/{name}")
        for name in ("bin", "lib", "lib64"):
            os.symlink(f"usr/{name}", f"{root}/{name}")
        Path(root, "etc/passwd").write_text(_USERS, encoding="utf-8")
        return number

    def kill(self, number):
        """End a sandbox with all that runs in it."""
        for process in self.running.pop(number, []):
            process.kill()
            process.wait()
        shutil.rmtree(self.roots[number])
        self.roots[number] = None

    def start(self, number, user, arguments):
        """Start a command in a sandbox, as one of its users."""
        root = self.roots[number]
        leaks = self.leaky if user != "root" else ()
        drop = () if user == "root" or leaks else _AS_USER
        command = [*_CONFINED, "--bind", root, "/", *_SYSTEM]
        command += [word for one in leaks for word in ("--bind", one, one)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            [*command, *drop, *arguments], stdin=pipe, stdout=pipe, bufsize=0
        )
        self.running.setdefault(number, []).append(process)
        return process

    def close(self):
        """End every sandbox, and the server."""
        self.shutdown()
        self.server_close()
        for number in [one for one, root in self.roots.items() if root]:
            self.kill(number)


_CONFINED = ("bwrap", "--die-with-parent", "--unshare-pid", "--unshare-net", "--cap-add", "ALL")
_SYSTEM = (
    *("--ro-bind", "/usr", "/usr", "--dev", "/dev", "--proc", "/proc"),
    *("--clearenv", "--setenv", "PATH", "/usr/bin:/bin"),
)
_AS_USER = ("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups")


class _Endpoints(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        url = urlsplit(self.path)
        self.server.calls.append(f"POST {url.path}")
        size = self.headers["Content-Length"]
        body = self._chunks() if size is None else self.rfile.read(int(size))
        if url.path.endswith("/sandboxes"):
            self._say(201, self._sandbox())
        elif url.path == "/files":
            self._file(parse_qs(url.query)["path"][0], body)
        elif url.path == "/process.Process/Start":
            with contextlib.suppress(BrokenPipeError):  # whoever asked has ended
                self._start(json.loads(body[5:])["process"])
        elif url.path == "/process.Process/SendInput":
            self._input(json.loads(body))
        elif url.path == "/process.Process/CloseStdin":
            self._asked(json.loads(body)).stdin.close()
            self._say(200, {})
        else:
            self._say(404, {"code": 404, "message": self.path})

    def do_DELETE(self):
        self.server.calls.append("DELETE /sandboxes")
        self.server.kill(self.path.rpartition("/")[2])
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass

    def _number(self):
        return self.headers["E2b-Sandbox-Id"]

    def _sandbox(self):
        number = self.server.create()
        told = {"templateID": "base", "clientID": "c", "envdVersion": "0.6.0"}
        return {**told, "sandboxID": number, "envdAccessToken": "t"}

    def _file(self, path, body):
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        (part,) = email.message_from_bytes(head + body).get_payload()
        root = self.server.roots[self._number()]
        Path(root + path).write_bytes(part.get_payload(decode=True))
        self._say(200, [{"name": os.path.basename(path), "type": "file", "path": path}])

    def _start(self, told):
        user = base64.b64decode(self.headers["Authorization"].split()[1]).decode().rstrip(":")
        arguments = [told["cmd"], *told["args"]]
        with self.server.start(self._number(), user, arguments) as process:
            self.send_response(200)
            self.send_header("Content-Type", "application/connect+json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self._event({"start": {"pid": process.pid}})
            while piece := os.read(process.stdout.fileno(), 65536):
                self._event({"data": {"stdout": base64.b64encode(piece).decode()}})
            code = process.wait()
        self._event({"end": {"exitCode": code, "exited": True, "status": f"exit status {code}"}})
        self._message({}, _LAST)
        self.wfile.write(b"0\r\n\r\n")

    def _input(self, told):
        self._asked(told).stdin.write(base64.b64decode(told["input"]["stdin"]))
        self._say(200, {})

    def _asked(self, told):
        running = self.server.running[self._number()]
        (process,) = [one for one in running if one.pid == told["process"]["pid"]]
        return process

    def _event(self, event):
        self._message({"event": event}, 0)

    def _message(self, message, flag):
        data = json.dumps(message).encode()
        data = struct.pack(">BI", flag, len(data)) + data
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _chunks(self):
        whole = b""
        while size := int(self.rfile.readline(), 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def _say(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
