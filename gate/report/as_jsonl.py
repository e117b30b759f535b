"""The report as JSON lines: the campaign, one line a finding, at last what came out."""

import json
from collections.abc import Iterator
from typing import Any

from capfuzz.gate.events import Report
from capfuzz.gate.report.as_json import to_dict

_CAMPAIGN = ("tool", "target", "seed", "profile")


def to_text(report: Report) -> str:
    """Return the lines as the text of a file."""
    return "".join(f"{json.dumps(line)}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[dict[str, Any]]:
    told = to_dict(report)
    yield {"event": "campaign", **{name: told.pop(name) for name in _CAMPAIGN}}
    for finding in told.pop("findings"):
        yield {"event": "finding", **finding}
    yield {"event": "report", **told, "exit_status": report.exit_status}
