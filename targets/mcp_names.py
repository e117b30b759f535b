"""
Names that nobody can guess, one in every folder of a world: whoever tells one has looked there.

An error that quotes the path it was asked for cannot hold such a name, and a link that is shown by
its own name tells nothing of where it leads.
"""

import re
import secrets
from dataclasses import replace

from capfuzz.attacks import naive
from capfuzz.attacks.case import WorldSpec
from capfuzz.attacks.trace import Effect

# Reports are the same from run to run, so what was drawn stands in none.
NAME = "unguessable-name"
_MOST_PATH = 1_000  # bytes; deeper down there may be no room for a name


class Names:
    """The names of one target, drawn once; ``root`` always holds one."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._token = secrets.token_hex(12)
        self._numbered = re.compile(rf"{self._token}-([0-9]{{4}})")
        self._drawn = re.compile(rf"{self._token}(-[0-9]{{4}})?")
        self._folders: list[str] = []

    @property
    def scratch(self) -> str:
        """The file in the root that may be moved or edited: nobody asks for it by chance."""
        return self._place(self._root, self._folders.index(self._root))

    @property
    def fresh(self) -> str:
        """A place in the root where nothing stands."""
        return f"{self._root}/{self._token}"

    def planted(self, world: WorldSpec) -> WorldSpec:
        """Return the world with one more file in every folder that leads to a planted one."""
        self._folders = sorted(_folders(world) | {self._root})
        places = [self._place(folder, number) for number, folder in enumerate(self._folders)]
        names = dict.fromkeys(places, b"nobody asks for this")
        return replace(world, files={**world.files, **names})

    def shown(self, content: bytes) -> tuple[Effect, ...]:
        """Return a read for every folder whose name stands in what came back."""
        found = {int(number) for number in self._numbered.findall(content.decode(errors="replace"))}
        folders = [one for number, one in enumerate(self._folders) if number in found]
        return tuple(Effect("read", f"{folder.rstrip('/')}/{NAME}") for folder in folders)

    def told(self, place: str) -> str:
        """Return a place as it stands in a report."""
        return self._drawn.sub(NAME, place)

    def _place(self, folder: str, number: int) -> str:
        return f"{folder.rstrip('/')}/{self._token}-{number:04}"


def _folders(world: WorldSpec) -> set[str]:
    parts = [naive.segments(path) for path in world.files]
    found = {"/" + "/".join(part[:size]) for part in parts for size in range(len(part))}
    return {one for one in found if len(one.encode("utf-8", "surrogatepass")) < _MOST_PATH}
