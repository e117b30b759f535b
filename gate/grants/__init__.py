"""Grants in TOML files: their faults (``capfuzz lint``), and runs judged by them."""
