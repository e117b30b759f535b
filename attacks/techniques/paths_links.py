"""
Paths through symbolic links: the text stays inside, the place does not (CWE-59).

`links` names the links that these techniques use; a world must have them for a path to bite.
Their names never begin like the root or a sibling, so that two faults do not blur.
"""

from collections.abc import Iterator, Mapping

from capfuzz.attacks.techniques.compose import base, leaf, names, way
from capfuzz.attacks.techniques.registry import Kind, technique

CHAIN = 40  # links that Linux follows in one resolution (path_resolution(7))
_FOLLOWS = "judges the text of the path and opens what the link leads to"


def links(root: str, target: str) -> Mapping[str, str]:
    """Return the links below ``root`` that lead to ``target`` and to what is around it."""
    name, folder = base(root), _folder(target)
    ups, down = way(root, target)
    relative = "/".join([*[".."] * ups, *down])
    chain = {f"step{at:02}": f"step{at + 1:02}" for at in range(CHAIN)}
    below = {
        "door": target,
        "hall": folder,
        "ladder": relative,
        "stairs": _folder(relative),
        "sub/shaft": f"../{_folder(relative)}",
        "relay": f"{name}/hall/{leaf(target)}",
        "spring": "hall",
        "odd": f"//{folder.lstrip('/')}/.//{leaf(target)}",
        "detour": f"{name}/sub/../{relative}",
        "maze": f"{name}/hall/{'../' * len(names(folder))}{target.lstrip('/')}",
        "summit": "/",
        "up": "..",
        "loop": "loop",
        "tick": "tock",
        "tock": "tick",
        "spiral": "spiral/x",
        "bridge": f"{folder}/new.txt",
        "pier": "/absent/folder",
        "annexe": f"{name}shop",
        "leaflet": f"{name}_secret",
        "shelf": f"{_folder(name)}/data.txt",
        "alias": "sub",
        "nick": "data.txt",
        "mirror": name,
        **chain,
        f"step{CHAIN:02}": target,
    }
    return {f"{name}/{link}": to for link, to in below.items()} | {_portal(root): name}


def _portal(root: str) -> str:
    """Return a link outside that leads to ``root``."""
    return f"/elsewhere/to-{leaf(root)}"


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or ("/" if path.startswith("/") else ".")


@technique(
    "link-to-file",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-59",
    needs=_FOLLOWS,
    refs=("CVE-2025-53109", "CVE-2025-55130"),
)
def link_to_file(root: str, target: str) -> Iterator[str]:
    """Follow a link to the target itself, absolute and relative."""
    del target
    yield f"{base(root)}/door"
    yield f"{base(root)}/ladder"


@technique(
    "link-to-directory",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-59",
    needs=f"{_FOLLOWS}, or resolves the last name only",
    refs=("CVE-2025-53109",),
)
def link_to_directory(root: str, target: str) -> Iterator[str]:
    """Follow a link to the target's folder in a middle component, absolute and relative."""
    yield f"{base(root)}/hall/{leaf(target)}"
    yield f"{base(root)}/stairs/{leaf(target)}"
    yield f"{base(root)}/sub/shaft/{leaf(target)}"
    yield f"{base(root)}/hall"


@technique(
    "link-noncanonical",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-59",
    needs="looks for a link under the text of the path, not under the canonical one",
)
def link_noncanonical(root: str, target: str) -> Iterator[str]:
    """Write the path of a link with doubled slashes, ``/./`` and a slash at the end."""
    yield f"{base(root)}/./door"
    yield f"{base(root)}/hall/./{leaf(target)}"
    yield f"{base(root)}/hall//{leaf(target)}"
    yield f"{base(root)}/door/"
    yield f"{base(root)}/hall/."


@technique(
    "link-to-sibling",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-59",
    needs="resolves the path and then compares text (CWE-187)",
    refs=("CVE-2025-53110",),
)
def link_to_sibling(root: str, target: str) -> Iterator[str]:
    """Follow a link to a sibling whose name begins like the root's: a folder, and a file."""
    yield f"{base(root)}/annexe/{leaf(target)}"
    yield f"{base(root)}/leaflet"


@technique(
    "link-chain",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-59",
    needs="follows one link, or a few, and judges where it has got to",
)
def link_chain(root: str, target: str) -> Iterator[str]:
    """Follow 2, 3, 8, 16, 32 and 40 links in a row, and one through another's folder."""
    for hops in (2, 3, 8, 16, 32, CHAIN):
        yield f"{base(root)}/step{CHAIN + 1 - hops:02}"
    yield f"{base(root)}/spring/{leaf(target)}"
    yield f"{base(root)}/relay"


@technique(
    "link-chain-too-long",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-674",
    surfaces=("session",),
    needs="stops following after a number of links and takes what it has for the place",
)
def link_chain_too_long(root: str, target: str) -> Iterator[str]:
    """Follow one link more than a resolution may (ELOOP)."""
    del target
    yield f"{base(root)}/step00"


@technique(
    "link-loop",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-835",
    surfaces=("session",),
    needs="follows links without a bound, or raises when there is one",
)
def link_loop(root: str, target: str) -> Iterator[str]:
    """Follow a link to itself, two to one another, and one that grows with every turn."""
    yield f"{base(root)}/loop"
    yield f"{base(root)}/tick"
    yield f"{base(root)}/spiral"
    yield f"{base(root)}/loop/{leaf(target)}"


@technique(
    "link-dangling",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-59",
    needs="judges the folder of what does not exist, and then makes it where the link leads",
    refs=("CVE-2025-53109",),
)
def link_dangling(root: str, target: str) -> Iterator[str]:
    """Follow a link to a file that is not there yet, and to a folder that is not there."""
    del target
    yield f"{base(root)}/bridge"
    yield f"{base(root)}/pier"
    yield f"{base(root)}/pier/new.txt"


@technique(
    "link-new-leaf",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-59",
    needs="resolves only paths that exist, and takes a missing leaf for a plain name",
    refs=("CVE-2025-53109",),
)
def link_new_leaf(root: str, target: str) -> Iterator[str]:
    """Name a file that is not there in a folder that a link leads to, one and two levels down."""
    del target
    yield f"{base(root)}/hall/new.txt"
    yield f"{base(root)}/hall/new/deeper.txt"


@technique(
    "link-then-climb",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-59",
    needs="collapses link/.. as text, while the system climbs from where the link leads",
    refs=("CVE-2025-55130",),
)
def link_then_climb(root: str, target: str) -> Iterator[str]:
    """Climb out of a link to a folder: inside as text, outside in fact."""
    inner = "/".join(names(target))
    ups = len(names(_folder(target)))
    yield f"{base(root)}/hall/{'../' * ups}{inner}"
    yield f"{base(root)}/spring/{'../' * ups}{inner}"
    yield f"{base(root)}/hall/.."


@technique(
    "link-loop-then-climb",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-59",
    needs="falls back to the text where links cannot be resolved, and opens what that collapses to",
    refs=("CVE-2025-4517",),
)
def link_loop_then_climb(root: str, target: str) -> Iterator[str]:
    """Climb out of a loop into a link that leads outside: the loop hides it from a resolver."""
    yield f"{base(root)}/loop/../hall/{leaf(target)}"
    yield f"{base(root)}/loop/../door"
    yield f"{base(root)}/tick/../spring/{leaf(target)}"


@technique(
    "link-target-spelling",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-59",
    needs="reads a link and judges its text instead of where it leads",
    refs=("CVE-2025-55130", "CVE-2025-48387"),
)
def link_target_spelling(root: str, target: str) -> Iterator[str]:
    """Follow links whose text begins with the root, climbs through another, or is not canonical."""
    del target
    yield f"{base(root)}/detour"
    yield f"{base(root)}/maze"
    yield f"{base(root)}/odd"


@technique(
    "link-to-ancestor",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-59",
    needs=_FOLLOWS,
)
def link_to_ancestor(root: str, target: str) -> Iterator[str]:
    """Follow a link to ``/`` and one to the parent, and descend from there."""
    ups, down = way(root, target)
    yield f"{base(root)}/summit{target}"
    yield f"{base(root)}/summit"
    yield f"{base(root)}/up/{'../' * (ups - 1)}{'/'.join(down)}"
    yield f"{base(root)}/mirror/summit{target}"
    yield f"{base(root)}/summit{base(root)}/door"


@technique(
    "link-to-readable",
    kind=Kind.PATH,
    group="links",
    cwe="CWE-59",
    surfaces=("session",),
    needs="asks of a resolved place whether it is granted at all, not whether for this",
)
def link_to_readable(root: str, target: str) -> Iterator[str]:
    """Follow a link out of the writable root to what may only be read."""
    del target
    yield f"{base(root)}/shelf"


@technique(
    "link-inside",
    kind=Kind.PATH,
    group="links-inside",
    cwe="CWE-59",
    needs="makes an escape of a link that is none",
)
def link_inside(root: str, target: str) -> Iterator[str]:
    """Follow links that stay inside: to a folder, to a file, to the root, and out and in again."""
    del target
    yield f"{base(root)}/alias/file.txt"
    yield f"{base(root)}/nick"
    yield f"{base(root)}/mirror/data.txt"
    yield f"{base(root)}/mirror/mirror/alias/file.txt"
    yield f"{base(root)}/summit{base(root)}/data.txt"
    yield f"{base(root)}/up/{leaf(root)}/data.txt"
    yield f"{_portal(root)}/data.txt"


@technique(
    "link-portal",
    kind=Kind.PATH,
    group="outside",
    cwe="CWE-59",
    needs="judges the place that a link outside leads to, and opens another through it",
)
def link_portal(root: str, target: str) -> Iterator[str]:
    """Enter the root by a link that lies outside, and leave it by a climb or by another link."""
    ups, down = way(root, target)
    yield f"{_portal(root)}/{'../' * ups}{'/'.join(down)}"
    yield f"{_portal(root)}/door"
    yield f"{_portal(root)}/hall/{leaf(target)}"
