"""
What is asked over HTTP: cases of the path surface and request targets of HTTP alone.

An op ``("fs_read", PATH)`` is a request for what stands behind the root, spelt as it is; only what
no request line can hold (blanks, controls, bytes beyond ASCII) is percent-encoded. An op
``("request", TARGET)`` is a whole request target with these names in it: ``{prefix}`` the path at
which the folder is served, without the slash at its end; ``{host}``; ``{floor}`` the folder above
the served one; ``{name}`` the name of the served folder; ``{PREFIX}`` and ``{NAME}`` in capitals;
``{private}`` the path below the prefix that the server is told to keep back, with its slash, and
``{encoded}`` the same without it and percent-encoded.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from capfuzz.attacks.case import Case, Verdict, WorldSpec
from capfuzz.attacks.naive import segments, within
from capfuzz.attacks.rulings import PLAIN_IN_URLS
from capfuzz.targets.handing import askable, decoded, handed
from capfuzz.targets.path import beside

PRIVATE = "/private"  # in the world of a vector: what stands below the path that is kept back
_TWIN = "/WORK"
_MOST_CLIMBS = 2  # in a request target: from a folder in the served one to what is beside it
_SPEAKABLE = "".join(chr(code) for code in range(0x21, 0x7F))


@dataclass(frozen=True, slots=True)
class Served:
    """A folder, where it is served, and the path below it that the server keeps back, if any."""

    folder: str
    host: str
    prefix: str  # begins and ends with a slash
    private: str = ""

    @property
    def name(self) -> str:
        """The name of the folder."""
        return os.path.basename(self.folder)

    @property
    def floor(self) -> str:
        """The folder above, which is the world's ``/``."""
        return os.path.dirname(self.folder)

    def names(self) -> Mapping[str, str]:
        """Return what the names in a request target stand for."""
        path = self.prefix.rstrip("/")
        return {
            "{prefix}": path,
            "{PREFIX}": path.upper(),
            "{host}": self.host,
            "{floor}": self.floor,
            "{name}": self.name,
            "{NAME}": self.name.upper(),
            "{private}": self.private,
            "{encoded}": "".join(f"%{ord(letter):02x}" for letter in self.private.strip("/")),
        }


def adapted(case: Case, served: Served, *, follows_links: bool = False) -> Case | None:
    """Return the case as it can be asked over HTTP, None where it cannot."""
    if not case.ops or len(case.grant.fs_read) != 1 or (follows_links and case.world.links):
        return None
    if all(_is_request(op) for op in case.ops):
        return _requests(case, served)
    if not all(_is_read(op) and askable(op[1], case.grant.fs_read[0]) for op in _ops(case)):
        return None
    honest = bool(case.verdicts) and {*case.verdicts} == {Verdict.ALLOW}
    spelt = replace(case, ops=tuple(_spelt(op, honest=honest) for op in _ops(case)), verdicts=())
    return _placed(beside(spelt, served.folder), served)


def request_of(op: Any, root: str, served: Served) -> bytes:
    """Return the request target of an adapted op; ``root`` is the granted path of its world."""
    if op[0] == "request":
        return _filled(op[1], served).encode("ascii")
    return (served.prefix + handed(op[1], root, served.floor)).encode("ascii")


def _ops(case: Case) -> tuple[Any, ...]:
    return case.ops


def _is_request(op: Any) -> bool:
    return type(op) is tuple and len(op) == 2 and op[0] == "request" and type(op[1]) is str  # noqa: PLR2004


def _is_read(op: Any) -> bool:
    return type(op) is tuple and len(op) == 2 and op[0] == "fs_read" and type(op[1]) is str  # noqa: PLR2004


def _spelt(op: Any, *, honest: bool) -> tuple[str, str]:
    """Encode what a request line cannot hold; of an honest name also what means something there."""
    safe = PLAIN_IN_URLS if honest else _SPEAKABLE
    path = op[1].encode("utf-8", "surrogatepass")
    return (op[0], quote(path, safe=safe))


def _requests(case: Case, served: Served) -> Case | None:
    """Return the case if none of its targets leads far above the served folder, or through links."""
    texts = [op[1] for op in _ops(case)]
    if any("{private}" in text or "{encoded}" in text for text in texts) and not served.private:
        return None
    far = any(_climbs(text) > _MOST_CLIMBS or not text.isascii() for text in texts)
    if far or case.world.links:
        return None
    files, name = case.world.files, "/" + served.name
    if segments(case.grant.fs_read[0]) != (served.name,):
        files = {_renamed(path, name): data for path, data in files.items()}
    grant = replace(case.grant, fs_read=(name,), fs_write=())
    world = replace(case.world, files=files)
    return _placed(replace(case, grant=grant, world=world, verdicts=()), served)


def _renamed(path: str, name: str) -> str:
    if path.startswith(_TWIN):
        return name.upper() + path.removeprefix(_TWIN)
    return path.replace("/work", name)


def _climbs(text: str) -> int:
    """Return how often a target climbs for a reader that decodes it as long as it can."""
    return decoded(text).count("..")


def _placed(case: Case | None, served: Served) -> Case | None:
    """Take away what cannot be planted: a twin that is the folder itself, what nobody keeps back."""
    if case is None:
        return None
    files = {
        path: data
        for path, data in case.world.files.items()
        if served.private or not within(path, [PRIVATE])
    }
    return replace(case, world=replace(case.world, files=files))


def planted(world: WorldSpec, served: Served) -> WorldSpec:
    """Return the world as it is planted: what is kept back stands inside the served folder."""
    inside = f"/{served.name}{served.private}"

    def moved(path: str) -> str:
        return inside + path.removeprefix(PRIVATE) if within(path, [PRIVATE]) else path

    files = {moved(path): data for path, data in world.files.items()}
    links = {moved(path): moved(target) for path, target in world.links.items()}
    return replace(world, files=files, links=links)


def _filled(text: str, served: Served) -> str:
    for name, meant in served.names().items():
        text = text.replace(name, meant)
    return quote(text, safe=_SPEAKABLE)
