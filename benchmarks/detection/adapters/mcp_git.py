"""
``mcp-server-git`` as a server of files: ``NAME(root)`` speaks MCP and asks the real server.

It has no tool that reads a file by its path. Whoever stages a file and looks at what is staged has
read it, though, and that is what a read is here. What it writes by a path is asked as an option of
``git diff`` (CVE-2025-68144), which a right server refuses, be the path inside or not.
"""

# ruff: noqa: PLC0415 - the packages are only there where they are attacked

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any


def git(root: str) -> None:
    """Serve one repository, which is there for as long as a question takes."""
    from capfuzz.targets.right.speaking import speak

    _make_repository(root)
    server = _Server(root)

    def staged(path: str) -> str:
        _make_repository(root)  # the tree is another one every time
        try:
            server.call("git_add", repo_path=root, files=[path])
            return _added(server.call("git_diff_staged", repo_path=root))
        finally:
            _remove_repository(root)

    def diff_to(path: str, _content: str) -> str:
        _make_repository(root)
        try:
            return server.call("git_diff", repo_path=root, target="--output=" + path)
        finally:
            _remove_repository(root)

    speak(read_file=staged, append_file=diff_to)


class _Server:
    """The real server; ``call`` returns what a tool tells and raises what it refuses."""

    def __init__(self, root: str) -> None:
        command = [sys.executable, "-m", "mcp_server_git", "--repository", root]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._asked = 0
        client = {"name": "detection", "version": "1"}
        hello = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": client}
        self._ask("initialize", hello)
        self._send({"method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> str:
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result", {"isError": True})
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise PermissionError(text)
        return text

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._asked and "method" not in answer:
                return answer
        raise SystemExit(1)  # it has ended

    def _send(self, message: dict[str, Any]) -> None:
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()


def _added(diff: str) -> str:
    """Return the lines that a diff adds: the content of the files that are staged."""
    lines = diff.split("\n")
    return "\n".join(line[1:] for line in lines if line[:1] == "+" and line[:4] != "+++ ")


def _make_repository(root: str) -> None:
    _remove_repository(root)
    subprocess.run(["git", "init", "-q", root], check=True)


def _remove_repository(root: str) -> None:
    shutil.rmtree(Path(root, ".git"), ignore_errors=True)
