"""MCP servers of files over stdio: ``NAME(root)`` becomes the server."""

import os
from pathlib import Path


def filesystem(root: str) -> None:
    """Become ``@modelcontextprotocol/server-filesystem`` with one allowed folder."""
    package = Path(os.environ["DETECTION_NODE_MODULES"], "@modelcontextprotocol")
    program = str(package / "server-filesystem" / "dist" / "index.js")
    os.execvp("node", ["node", program, root])
