"""
Asks a function of a Node package, one question a line, as JSON.

An adapter of an npm package names the package and a function in JavaScript that is made of it;
``DETECTION_NODE_MODULES`` says where the package is installed.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

_PROGRAM = Path(__file__).with_name("node_answers.cjs")
_CHILDREN: dict[str, Any] = {}  # the program that answers for each function, while it is well


class RefusedError(Exception):
    """The function threw; the text is what it threw."""


def ask(function: str, *asked: Any) -> Any:
    """
    Return what a function answers.

    ``function`` is JavaScript: given ``require``, it returns the function to be asked.
    """
    child = _CHILDREN.get(function) or _start(function)
    try:
        child.stdin.write(json.dumps(asked) + "\n")
        child.stdin.flush()
        said = json.loads(child.stdout.readline())
    except BaseException:  # also an interruption: the next answer would be to an old question
        _stop(function)
        raise
    if "thrown" in said:
        raise RefusedError(said["thrown"])
    return bytes.fromhex(said["bytes"]) if "bytes" in said else said.get("answer")


def _start(function: str) -> Any:
    child = subprocess.Popen(
        ["node", _PROGRAM, os.environ["DETECTION_NODE_MODULES"], function],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    _CHILDREN[function] = child
    return child


def _stop(function: str) -> None:
    child = _CHILDREN.pop(function)
    child.kill()
    child.communicate()
