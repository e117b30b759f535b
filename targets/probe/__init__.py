"""The program that runs inside a sandbox and tries ops there; it imports nothing of capfuzz."""

from pathlib import Path

# The last one answers.
_PARTS = ("rights.py", "looks.py", "allowance.py", "spend.py", "tasks.py", "probe.py")


def program() -> str:
    """Return the text of the program: one file, since some sandboxes are told of one."""
    return "\n".join(Path(__file__).with_name(part).read_text("utf-8") for part in _PARTS)
