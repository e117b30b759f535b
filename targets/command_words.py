"""The words of a command that a person writes behind ``mcp:`` or ``cmd:``."""

import os
import shlex

from capfuzz.targets.base import TargetError


def words_of(spec: str, prefix: str) -> list[str]:
    """
    Return the words as a shell would part them, with files of this folder by their whole paths.

    The command runs in another folder. Raises `TargetError`.
    """
    try:
        return [_found(word) for word in shlex.split(spec.removeprefix(prefix))]
    except ValueError as error:
        raise TargetError(f"{spec}: not a command: {error}") from None


def _found(word: str) -> str:
    named = "{" not in word and (os.sep in word or os.path.splitext(word)[1])
    return os.path.abspath(word) if named and os.path.exists(word) else word
