"""What the tests of renderings share: a layout, grants, and what becomes of them."""

import copy
import json
from dataclasses import replace

from capfuzz.engine import Capabilities
from capfuzz.targets.rendering.registry import SYSTEMS
from capfuzz.targets.rendering.render import rendered
from capfuzz.targets.sandboxes.base import layout_for

LAYOUT = replace(
    layout_for("sh"), command=("sh", "-c", "echo it runs"), inside=(), runtime=("/usr",)
)
GRANT = Capabilities(
    fs_read=("/work/",), fs_write=("/work/out/",), max_ops=50, max_output_bytes=9_000, max_wall=60
)
NETWORKED = Capabilities(("/work",), ("/work",), ("api.internal", "10.0.0.7", "fd00::a:1"))


def made(name, grant=GRANT, *, wider=False):
    """Return what a system makes of a grant."""
    return rendered(SYSTEMS[name], grant, LAYOUT, wider=wider)


def items(one):
    """Return the resources of a manifest by kind."""
    whole = json.loads(one.files["sandbox.json"])
    return {item["kind"]: item for item in whole["items"]}


def slipped(document, *path, value):
    """Return a document with another value at a place in it; ``...`` leaves out what stands there."""
    changed = copy.deepcopy(document)
    *above, last = path
    at = changed
    for key in above:
        at = at[key]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return changed
