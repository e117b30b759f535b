"""
The endpoints that E2B's SDK calls, on loopback.

Written down from what the SDK (2.63) sends: the API's sandboxes, and in the sandbox itself
`/files` and the methods `Start`, `SendInput` and `CloseStdin` of `process.Process` (Connect, JSON).
"""

import base64
import email
import json
import os
import struct
from pathlib import Path

from .machines import Endpoints, Machines

_LAST = 2  # the flag of a stream's last message


class _Endpoints(Endpoints):
    answers = (
        ("POST .*/sandboxes", "_create"),
        ("DELETE .*/sandboxes/([^/]+)", "_kill"),
        ("POST /files", "_file"),
        ("POST /process.Process/Start", "_start"),
        ("POST /process.Process/SendInput", "_input"),
        ("POST /process.Process/CloseStdin", "_close"),
    )

    def _name(self):
        return self.headers["E2b-Sandbox-Id"]

    def _create(self):
        wanted = json.loads(self.body())
        told = {"templateID": "base", "clientID": "c", "envdVersion": "0.6.0"}
        name = self.server.create()
        self.server.wanted[name] = wanted
        self.say(201, {**told, "sandboxID": name, "envdAccessToken": "t"})

    def _kill(self, name):
        self.server.kill(name)
        self.send_response(204)
        self.end_headers()

    def _file(self):
        (path,), body = self.asked["path"], self.body()
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        (part,) = email.message_from_bytes(head + body).get_payload()
        root = self.server.roots[self._name()]
        Path(root + path).write_bytes(part.get_payload(decode=True))
        self.say(200, [{"name": os.path.basename(path), "type": "file", "path": path}])

    def _start(self):
        told = json.loads(self.body()[5:])["process"]
        user = base64.b64decode(self.headers["Authorization"].split()[1]).decode().rstrip(":")
        arguments = [told["cmd"], *told["args"]]
        with (
            self.streaming("application/connect+json"),
            self.server.start(self._name(), arguments, root=user == "root") as process,
        ):
            self._event({"start": {"pid": process.pid}})
            while piece := os.read(process.stdout.fileno(), 65536):
                self._event({"data": {"stdout": base64.b64encode(piece).decode()}})
            code = process.wait()
            status = f"exit status {code}"
            self._event({"end": {"exitCode": code, "exited": True, "status": status}})
            self._message({}, _LAST)

    def _input(self):
        told = json.loads(self.body())
        self._process(told).stdin.write(base64.b64decode(told["input"]["stdin"]))
        self.say(200, {})

    def _close(self):
        self._process(json.loads(self.body())).stdin.close()
        self.say(200, {})

    def _process(self, told):
        running = self.server.running[self._name()]
        (process,) = [one for one in running if one.pid == told["process"]["pid"]]
        return process

    def _event(self, event):
        self._message({"event": event}, 0)

    def _message(self, message, flag):
        data = json.dumps(message).encode()
        self.piece(struct.pack(">BI", flag, len(data)) + data)


class E2BMachines(Machines):
    """Sandboxes of E2B."""

    endpoints, user, home = _Endpoints, "user", "home/user"

    @property
    def environment(self):
        """What tells the SDK to call here and nowhere else."""
        names = {"E2B_API_URL": self.url, "E2B_SANDBOX_URL": self.url}
        return {**names, "E2B_API_KEY": "e2b_0", "E2B_HTTP_VERSION": "1.1"}
