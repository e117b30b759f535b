"""
The endpoints of Vercel's API that its SDK calls for a sandbox, on loopback.

Written down from what the SDK (vercel-sandbox 0.10) sends and what it reads of the answers.
"""

import base64
import codecs
import gzip
import io
import json
import subprocess
import tarfile
import threading
from http import HTTPStatus

from .machines import Endpoints, Machines

_ONE = "/v2/sandboxes/([^/]+)"
_SESSION = "/v2/sandboxes/sessions/([^/]+)"


class _Command:
    """One that was started: what it has printed, from the first on, and what it was handed."""

    def __init__(self, name, told, process):
        self.process, self.handed = process, 0
        self._name, self._told = name, told
        self._printed, self._more = [], threading.Condition()
        self._open = 2
        for stream in ("stdout", "stderr"):
            pipe = getattr(process, stream)
            threading.Thread(target=self._read, args=(stream, pipe), daemon=True).start()

    def _read(self, stream, pipe):
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        with pipe:
            while piece := pipe.read(65536):
                with self._more:
                    self._printed.append({"stream": stream, "data": decoder.decode(piece)})
                    self._more.notify_all()
        with self._more:
            self._open -= 1
            self._more.notify_all()

    def printed(self):
        """Yield all that it prints, from the first on, until it ends."""
        for at in range(2**31):
            with self._more:
                self._more.wait_for(lambda at=at: at < len(self._printed) or not self._open)
                if at == len(self._printed):
                    return
                record = self._printed[at]
            yield record

    def hand_in(self, data, offset):
        """Write what it was not handed yet; ``offset`` is where ``data`` begins of all of it."""
        new = data[self.handed - offset :]
        self.process.stdin.write(new)
        self.handed += len(new)

    def shown(self):
        """Return what the API tells of it."""
        return {
            "id": f"cmd{self.process.pid}",
            "name": self._told["command"],
            "args": self._told.get("args", []),
            "cwd": self._told.get("cwd", "/"),
            "sessionId": self._name,
            "exitCode": self.process.poll(),
            "startedAt": 1,
        }


class _Endpoints(Endpoints):
    answers = (
        ("POST /v3/sandboxes", "_create"),
        (f"GET {_ONE}", "_sandbox"),
        (f"DELETE {_ONE}", "_destroy"),
        (f"POST {_SESSION}/stop", "_stop"),
        (f"POST {_SESSION}/fs/write", "_files"),
        (f"POST {_SESSION}/cmd", "_start"),
        (f"POST {_SESSION}/cmd/([^/]+)/stdin", "_input"),
        (f"GET {_SESSION}/cmd/([^/]+)/logs", "_logs"),
    )

    def _told(self):
        return json.loads(self.body() or b"{}")

    def _shown(self, name):
        status = "stopped" if name in self.server.stopped else "running"
        return {
            "sandbox": {"name": name, "currentSessionId": name, "status": status},
            "session": {"id": name, "status": status},
            "routes": [],
        }

    def _create(self):
        name = self.server.create()
        self.server.wanted[name] = self._told()
        self.say(HTTPStatus.OK, self._shown(name))

    def _sandbox(self, name):
        self.say(HTTPStatus.OK, self._shown(name))

    def _stop(self, name):
        self.body()
        self.server.stop(name)
        self.server.stopped.add(name)
        self.say(HTTPStatus.OK, self._shown(name))

    def _destroy(self, name):
        self.server.kill(name)
        self.say(HTTPStatus.OK, self._shown(name))

    def _files(self, name):
        """Unpack what was sent, as the ordinary user."""
        assert "application/gzip" == self.headers["Content-Type"]
        packed = gzip.decompress(self.body())
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            assert all(one.isfile() for one in archive)
        cwd = self.headers["X-Cwd"]
        with self.server.start(name, ("tar", "-xf", "-", "-C", cwd)) as process:
            process.communicate(packed)
        assert 0 == process.returncode
        self.say(HTTPStatus.OK, {})

    def _start(self, name):
        told = self._told()
        arguments = (told["command"], *told.get("args", ()))
        process = self.server.start(
            name,
            arguments,
            root=told.get("sudo", False),
            cwd=told.get("cwd") or f"/{self.server.home}",
            errors=subprocess.PIPE,
        )
        command = self.server.commands[f"cmd{process.pid}"] = _Command(name, told, process)
        if not told.get("attachStdin"):
            process.stdin.close()
        if self.asked.get("wait") == ["true"]:
            self._follow(command)
        else:
            self.say(HTTPStatus.OK, {"command": command.shown()})

    def _follow(self, command):
        with self.streaming("application/x-ndjson"):
            self._record({"command": command.shown()})
            for record in command.printed():
                self._record(record)
            command.process.wait()
            self._record({"command": command.shown()})

    def _logs(self, _, number):
        with self.streaming("application/x-ndjson"):
            for record in self.server.commands[number].printed():
                self._record(record)

    def _record(self, record):
        self.piece(json.dumps(record).encode() + b"\n")

    def _input(self, _, number):
        told, command = self._told(), self.server.commands[number]
        try:
            command.hand_in(base64.b64decode(told.get("data", "")), told.get("offset", 0))
        except (BrokenPipeError, ValueError):  # it has ended, or its input was closed
            self.say(HTTPStatus.BAD_REQUEST, {"error": {"code": "command_stdin_unavailable"}})
            return
        if told.get("close"):
            command.process.stdin.close()
        self.say(HTTPStatus.OK, {"command": command.shown(), "bytesWritten": command.handed})


class VercelMachines(Machines):
    """Sandboxes of Vercel's."""

    endpoints, user, home = _Endpoints, "vercel-sandbox", "vercel/sandbox"

    def __init__(self, leaky=()):
        self.commands, self.stopped = {}, set()
        super().__init__(leaky)

    @property
    def environment(self):
        """What the SDK needs to call at all; where, it is told otherwise."""
        return {"VERCEL_TOKEN": "t", "VERCEL_TEAM_ID": "team", "VERCEL_PROJECT_ID": "project"}
