"""``capfuzz bench``: what a check costs, how the cost grows, and whether it has grown since."""
