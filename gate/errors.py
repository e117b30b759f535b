"""The error that ends a command with one line: what, where, which rule, what to do."""


class UsageError(Exception):
    """Something that could not be measured or written; the command exits with status 2."""
