"""Values written as TOML; reading it is the standard library's."""

import json
from datetime import date
from typing import Any


def written(value: Any) -> str:
    """Return a string, number, boolean or day, or a list of strings, as TOML has it."""
    if isinstance(value, date):
        return value.isoformat()
    # JSON writes them alike, but for one letter that TOML refuses.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
