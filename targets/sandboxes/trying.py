"""Whether a system runs at all on this machine: found by running a command in it."""

import os
import subprocess
from pathlib import Path

from capfuzz.engine import Capabilities
from capfuzz.targets.base import TargetError
from capfuzz.targets.planted import planting, remove, remove_cgroups, scratch
from capfuzz.targets.processes import MARK, Child
from capfuzz.targets.sandboxes.base import (
    Adapter,
    Layout,
    Rendered,
    ended,
    grantable_in_memory,
    layout_for,
    missing_proc,
    searched,
)
from capfuzz.targets.sandboxes.user_namespaces import refused

_RUNS = "it runs"
_COMMAND = ("/bin/echo", _RUNS)
_PATIENCE = 20.0  # seconds


def unavailable(adapter: Adapter) -> str | None:
    """Return why a system cannot run here, for want of something of this machine's or of its own."""
    try:
        return missing_proc() or adapter.unavailable()
    except TargetError as error:  # no room to try it in
        return str(error)


@planting()
def refusal(adapter: Adapter) -> str | None:
    """Return what a system says instead of running a command under no grant; None if it runs it."""
    own = scratch(in_memory=grantable_in_memory(adapter))
    folder = f"{own}/configuration"
    runtime = layout_for(folder).runtime
    marked = (f"{MARK}={own}",)
    mark = os.path.basename(own)
    layout = Layout(_COMMAND, (), runtime, environment=marked, folder=folder, mark=mark)
    rendered = adapter.render(Capabilities(), layout)
    try:
        written(rendered, folder)
        told = _said(rendered, own, folder)
    finally:
        ended(rendered)
        remove_cgroups(layout.mark)
        remove(own)
    return None if told.startswith(_RUNS) else f"{adapter.name} does not run here: {told}"


def refusal_of_namespaces(adapter: Adapter) -> str | None:
    """Return the same for a system that needs a user namespace, with why there may be none."""
    told = refusal(adapter)
    return told and "; ".join(filter(None, (told, refused())))


def written(rendered: Rendered, folder: str) -> None:
    """Write the files of a configuration into a new folder."""
    os.mkdir(folder)
    for name, text in rendered.files.items():
        place = Path(folder, name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def _said(rendered: Rendered, own: str, folder: str) -> str:
    """Return what it printed; it is ended with whoever asks, and with all that it has started."""
    try:
        child = Child(rendered.command, own, folder, {"PATH": searched()})
    except OSError as error:
        return str(error)
    try:
        assert child.process.stdin is not None
        child.process.stdin.close()
        child.process.wait(_PATIENCE)
        return child.drain()
    except subprocess.TimeoutExpired:
        return f"nothing within {_PATIENCE:g} s; {child.drain()}"
    finally:
        child.close()
