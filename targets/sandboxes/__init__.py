"""Sandboxes of the system, each with the configuration that a grant becomes for it."""
