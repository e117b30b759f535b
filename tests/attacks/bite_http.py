"""Broken servers of the http surface: the shipped faults and some made here, each in a thread."""

import atexit
import importlib
import os
import re
import socket
import threading
from pathlib import Path
from urllib.parse import unquote

from capfuzz.attacks.case import Surface
from capfuzz.targets.broken import FAULTS
from capfuzz.targets.http import HttpTarget
from capfuzz.targets.http_forms import Served
from capfuzz.targets.planted import remove, scratch
from capfuzz.targets.right.serving import path_of, rest_of, serve

_PRIVATE = "admin"


class InThread(HttpTarget):
    """A server function in a thread, started when it is first asked, and asked in its own form."""

    def __init__(self, spec, function):
        base = scratch()  # which the next run of the suite sweeps up, should this one be killed
        atexit.register(remove, base)
        root = os.path.join(base, "1/2/served")
        Path(root).mkdir(parents=True)
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        private = getattr(function, "private", None)
        kept = f"/{private}" if private else ""
        super().__init__(spec, Served(root, f"127.0.0.1:{port}", "/served/", kept), port)
        self._start = lambda: threading.Thread(
            target=function, args=(root, "/served/", listener), daemon=True
        ).start()

    def run(self, case, patience=1.0):
        """Adapt the case first."""
        self._start()
        self._start = lambda: None
        return super().run(self.adapt(case) or case, patience)


def _made(fault):
    module, _, name = fault.spec.removeprefix("py:").partition(":")
    return InThread(fault.name, getattr(importlib.import_module(module), name))


def _confined(root, rest):
    """Return a file below the root by its plain name."""
    place = os.path.realpath(f"{root}/{rest}")
    return Path(place).read_bytes() if place.startswith(root + "/") else None


def opens_at_door(root, prefix, listener):
    """Serve any file by absolute path at a second door."""

    def answer(target):
        path = unquote(path_of(target))
        if path.startswith("/@fs/"):
            return Path("/" + path.removeprefix("/@fs/")).read_bytes()
        return _confined(root, path.removeprefix(prefix))

    serve(listener, answer)


def climbs_at_door(root, prefix, listener):
    """Judge the path at a second door up to the first mark, and open all of it."""

    def answer(target):
        text = unquote(target)
        if not text.startswith("/@fs/"):
            return _confined(root, unquote(rest_of(target, prefix)))
        whole = text.removeprefix("/@fs")
        judged = re.split("[?#]", whole)[0]
        inside = os.path.normpath(judged) == root
        return (
            Path(os.path.normpath(whole.partition("?import")[0])).read_bytes() if inside else None
        )

    serve(listener, answer)


def keeps_nothing_back(root, prefix, listener):
    """Serve what is said to be kept back."""
    serve(listener, lambda target: _confined(root, unquote(rest_of(target, prefix))))


def _guarded(root, prefix, listener, meaning):
    def answer(target):
        rest = rest_of(target, prefix)
        return None if rest.startswith(_PRIVATE + "/") else _confined(root, meaning(rest))

    serve(listener, answer)


def guards_with_parameters(root, prefix, listener):
    """Take parameters away after the guard."""
    _guarded(
        root,
        prefix,
        listener,
        lambda rest: "/".join(name.partition(";")[0] for name in rest.split("/")),
    )


def guards_with_slashes(root, prefix, listener):
    """Turn backslashes after the guard."""
    _guarded(root, prefix, listener, lambda rest: unquote(rest).replace("\\", "/"))


for _one in (keeps_nothing_back, guards_with_parameters, guards_with_slashes):
    _one.private = _PRIVATE

HTTP = {f"http fault {one.name}": _made(one) for one in FAULTS if one.surface is Surface.HTTP} | {
    f"http {one.__name__}": InThread(one.__name__, one)
    for one in (
        opens_at_door,
        climbs_at_door,
        keeps_nothing_back,
        guards_with_parameters,
        guards_with_slashes,
    )
}

BITTEN = {
    "http fault never_confined": "request-climb",
    "http fault alias_with_slash": "request-alias-climb",
    "http fault alias_without_slash": "request-alias-sibling",
    "http fault rule_in_any_case": "request-prefix-case",
    "http fault decodes_after_check": "request-encoded-prefix",
    "http fault absolute_form_trusted": "request-absolute-form",
    "http fault empty_segments_count": "request-slashes",
    "http fault absolute_replaces_root": "request-absolute-rest",
    "http fault parameters_dropped": "request-parameters",
    "http fault backslashes_turned": "request-backslash",
    "http fault query_kept_by_reader": "request-query-climb",
    "http opens_at_door": "request-file-door",
    "http fault door_judged_by_query": "request-door-query",
    "http climbs_at_door": "request-door-climb request-door-fragment",
    "http keeps_nothing_back": "request-private",
    "http fault private_by_text": (
        "request-private-encoded request-private-slashes request-private-dots"
    ),
    "http guards_with_parameters": "request-private-parameters",
    "http guards_with_slashes": "request-private-forms",
}
