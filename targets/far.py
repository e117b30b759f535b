"""Files of ours in the machine's folders for temporary files, apart from the tree that is judged."""

import contextlib
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from capfuzz.attacks.kernel import FAR
from capfuzz.attacks.trace import Effect
from capfuzz.targets.planted import remove

_TEXT = "written by capfuzz"
_FOLDER = 0o755  # whoever it is inside may read it, if it can be seen there


class Far:
    """
    A file in each of these folders that may be written; it holds what nobody can guess.

    ``name`` begins as the folders of its owner do, so that a sweep takes what is left.
    """

    def __init__(self, name: str) -> None:
        self._secret = secrets.token_hex(16)
        self._files = dict(self._planted(name))

    def asked(self, kind: str, how: str) -> tuple[str, list[Any]]:
        """Return the kind of op that the probe is told, and its arguments."""
        place = str(self._files.get(kind, FAR[kind]))
        return ("fs_read", [place]) if how == "read" else ("fs_append", [place, _TEXT])

    def shown(self, op: Any, content: bytes) -> tuple[Effect, ...]:
        """Return whether an op on one of them has read or changed it; it is then as before."""
        file = self._files.get(op[0])
        if file is None:
            return ()
        was = self._content(op[0])
        read = self._secret.encode() in content
        written = file.read_text(encoding="utf-8") != was
        if written:
            file.write_text(was, encoding="utf-8")
        place = f"{FAR[op[0]]}/{file.name}"
        done = [name for name, seen in (("read", read), ("write", written)) if seen]
        return tuple(Effect(name, place, len(content)) for name in done)

    def close(self) -> None:
        """Remove them."""
        for file in self._files.values():
            remove(file.parent)

    def _planted(self, name: str) -> Iterator[tuple[str, Path]]:
        for kind, home in FAR.items():
            file = Path(home, f"{name}-{kind}", "secret.txt")
            with contextlib.suppress(OSError):  # no such folder here, or none of ours to write in
                file.parent.mkdir()
                file.parent.chmod(_FOLDER)
                file.write_text(self._content(kind), encoding="utf-8")
                yield kind, file

    def _content(self, kind: str) -> str:
        return f"secret of {FAR[kind]}: {self._secret}\n"
