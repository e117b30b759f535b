"""
Asks an adapter that runs in another Python, one question a line, as JSON.

``ask`` is what is attacked; run as a program, this file answers in that other Python. It keeps to
what Python 3.7 reads. ``DETECTION_PYTHON`` and ``DETECTION_ADAPTER`` say which Python and which
``module:function``.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from typing import Any, Callable  # noqa: UP035 - where Python 3.7 has it

_CHILD: list[Any] = []  # the one program that answers, while it is well


class RefusedError(Exception):
    """The adapter raised; the text is the class and the text of its exception."""


def ask(scope: Any, asked: str) -> Any:
    """Return what the adapter answers to a root and a path, or to allowed hosts and a URL."""
    child = _CHILD[0] if _CHILD else _start()
    try:
        child.stdin.write(json.dumps([scope, asked]) + "\n")
        child.stdin.flush()
        said = json.loads(child.stdout.readline())
    except BaseException:  # also an interruption: the next answer would be to an old question
        _stop()
        raise
    if "raised" in said:
        raise RefusedError(said["raised"])
    return bytes.fromhex(said["bytes"]) if "bytes" in said else said["answer"]


def ask_one(asked: str) -> Any:
    """Return what an adapter of one argument answers."""
    return ask(None, asked)


def _start() -> Any:
    command = [os.environ["DETECTION_PYTHON"], __file__, os.environ["DETECTION_ADAPTER"]]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    _CHILD.append(child)
    return child


def _stop() -> None:
    child = _CHILD.pop()
    child.kill()
    child.communicate()


def _answer(function: Callable[..., Any], scope: Any, asked: str) -> dict[str, Any]:
    try:
        said = function(asked) if scope is None else function(scope, asked)
        if isinstance(said, (bytes, bytearray)):
            return {"bytes": bytes(said).hex()}
        return {"answer": said if isinstance(said, bool) or said is None else os.fspath(said)}
    except Exception as error:  # noqa: BLE001 - whatever it is, it refuses
        return {"raised": f"{type(error).__name__}: {error}"}


def _serve(adapter: str) -> None:
    module, _, name = adapter.partition(":")
    function = getattr(importlib.import_module(module), name)
    for line in sys.stdin:
        print(json.dumps(_answer(function, *json.loads(line))), flush=True)


if __name__ == "__main__":
    _serve(sys.argv[1])
