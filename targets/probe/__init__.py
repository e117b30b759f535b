"""The program that runs inside a sandbox and tries ops there; it imports nothing of capfuzz."""
