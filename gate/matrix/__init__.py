"""``capfuzz matrix``: every sandbox that can run here against every family, in one table."""
