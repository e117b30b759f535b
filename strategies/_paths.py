"""Strategies for paths, and for the links that a world may hold."""

from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest

from capfuzz.attacks import naive
from capfuzz.attacks.dialects import DIALECTS, most_lenient, readings
from capfuzz.attacks.techniques import paths_links
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.engine import Capabilities, canonical
from capfuzz.strategies import _arguments
from capfuzz.strategies._spellings import grouped, picks, spelt_by
from capfuzz.strategies.moves import named
from capfuzz.strategies.single import PIECES
from hypothesis import strategies as st

TARGET = "/etc/passwd"
SIBLING = "/etc/secret.txt"  # of which the techniques take the last name
_ROOT = "/work"
_MOST_PIECES = 8
_MOST_WAYS = 4
_MOST_HOPS = 60  # more than a resolution may follow, so that what exceeds it is there, too
_EVERYONE = frozenset(DIALECTS)
LINK_GROUPS = ("links", "links-inside")
_PORTAL = "link-portal"


def paths(*, root: str = _ROOT) -> st.SearchStrategy[str]:
    """
    Return paths that are honest below ``root``, or hostile, or put together from hostile pieces.

    Shrinks towards ``root/data.txt``. Raises ``InvalidArgument`` for a root that is no absolute
    path below ``/``.
    """
    below = _arguments.plain_root("root", root)
    pieces = picks(PIECES, min_size=1, max_size=_MOST_PIECES)
    joined = pieces.map(lambda chosen: f"{below}/{''.join(chosen)}")
    return st.sampled_from(_every_path(below)) | joined


def traversals(root: str, *, encoded: bool = True) -> st.SearchStrategy[str]:
    """
    Return paths that begin below ``root`` and climb out of it.

    Plain ones climb as they stand (CWE-22); those that are ``encoded`` climb for a consumer that
    decodes, normalises Unicode or takes backslashes for slashes (CWE-180). Shrinks towards
    ``root/../etc/passwd``. Raises ``InvalidArgument`` as `paths` does.
    """
    below = _arguments.plain_root("root", root)
    plain, decoded = _climbs(below)
    return st.sampled_from(plain + decoded if encoded else plain)


def siblings(root: str) -> st.SearchStrategy[str]:
    """
    Return paths that begin as ``root`` does and lie beside it, not below it (CWE-187).

    For ``/work`` shrinks towards ``/workshop/secret.txt``. Raises ``InvalidArgument`` as `paths`
    does.
    """
    return st.sampled_from(beside(_arguments.plain_root("root", root)))


def links(*, grant: Capabilities | None = None) -> st.SearchStrategy[dict[str, str]]:
    """
    Return the links of a world, ``{link: target}``, below the roots of a grant or ``/work``.

    To a file or a folder outside, through a middle component, through one another, dangling, in
    a loop, more than a system follows; and some that stay inside (CWE-59). Whatever a link passes
    through is there as well. Shrinks towards one link to a file: ``{"/work/door": "/etc/passwd"}``.
    Raises ``InvalidArgument`` for what is no grant.
    """
    if grant is not None:
        _arguments.check_grant("grant", grant)
    return chosen_links(grant, min_size=1)


def chosen_links(grant: Capabilities | None, *, min_size: int) -> st.SearchStrategy[dict[str, str]]:
    """Return the links as `links` does; none at all where ``min_size`` is 0."""
    return picks(_ways(roots_of(grant)), min_size=min_size, max_size=_MOST_WAYS).map(_settled)


def roots_of(grant: Capabilities | None) -> tuple[str, ...]:
    """Return the roots of a grant, canonical, each once and without ``/``; ``/work`` for none."""
    roots = () if grant is None else (*grant.fs_read, *grant.fs_write)
    plain = dict.fromkeys(map(canonical, roots))
    return tuple(root for root in plain if root != "/") or (_ROOT,)


@lru_cache(maxsize=256)
def beside(root: str) -> tuple[str, ...]:
    """Return paths that begin as a canonical root does and lie beside it."""
    spelt_out = spelt_by(grouped(Kind.PATH, "boundary"), root, SIBLING)
    begins = root + "/"
    return tuple(
        path
        for path in spelt_out
        if path.startswith(root) and not path.startswith(begins) and not naive.within(path, [root])
    )


@lru_cache(maxsize=256)
def _every_path(root: str) -> tuple[str, ...]:
    honest = spelt_by(named(Kind.HONEST), root)
    return tuple(dict.fromkeys((*honest, *spelt_by(named(Kind.PATH), root, TARGET))))


@lru_cache(maxsize=256)
def _climbs(root: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths below a root that lead out of it: as they stand, and as some read them."""
    techniques = ("climb", *named(Kind.PATH, surface="path"))
    below = [path for path in spelt_by(techniques, root, TARGET) if path.startswith(root + "/")]
    plain = [path for path in below if _leaves(path, root)]
    decoded = [path for path in below if any(_leaves(text, root) for text in _read(path))]
    return tuple(plain), tuple(path for path in decoded if path not in plain)


def _read(path: str) -> tuple[str, ...]:
    return (*readings(path, _EVERYONE), most_lenient(path))


def _leaves(path: str, root: str) -> bool:
    return naive.climbs(path) and not naive.within(naive.resolve(path, {}), [root])


def linked_paths(grant: Capabilities, links: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths of the techniques that pass through ``links`` and no others."""
    ways = (way for root in roots_of(grant) for way in _ways_below(root))
    return tuple(path for path, passed in ways if passed.items() <= links.items())


def _ways(roots: Sequence[str]) -> tuple[Mapping[str, str], ...]:
    """Return the links that are passed on each way below each root, those to a file first."""
    rounds = zip_longest(*map(_ways_below, roots))
    return tuple(way[1] for turn in rounds for way in turn if way is not None)


@lru_cache(maxsize=256)
def _ways_below(root: str) -> tuple[tuple[str, dict[str, str]], ...]:
    """Return each path of a technique through links, and the links that it passes."""
    whole = paths_links.links(root, TARGET)
    techniques = (*grouped(Kind.PATH, *LINK_GROUPS), _PORTAL)
    ways = [(path, _passed(path, whole)) for path in spelt_by(techniques, root, TARGET)]
    return tuple(way for way in ways if way[1])


def _passed(path: str, links: Mapping[str, str]) -> dict[str, str]:
    """Return those of ``links`` that are followed on the way along ``path``."""
    passed: dict[str, str] = {}
    pending, place = path.split("/")[::-1], list[str]()
    for _ in range(_MOST_HOPS):
        link = _next_link(pending, place, links)
        if link is None:
            break
        passed[link] = links[link]
        del place[0 if links[link].startswith("/") else -1 :]
        pending += links[link].split("/")[::-1]
    return passed


def _next_link(pending: list[str], place: list[str], links: Mapping[str, str]) -> str | None:
    """Walk on to the next link; return it, or None at the end of the way."""
    while pending:
        name = pending.pop()
        if name == "..":
            del place[-1:]
        elif name not in {"", "."}:
            place.append(name)
            if (here := "/" + "/".join(place)) in links:
                return here
    return None


def _settled(ways: tuple[Mapping[str, str], ...]) -> dict[str, str]:
    return settled({link: to for way in ways for link, to in way.items()})


def settled(links: Mapping[str, str]) -> dict[str, str]:
    """Return the links that stand where their names say, not in a place that another leads to."""
    return {link: to for link, to in links.items() if not below_any(link, links)}


def below_any(path: str, places: Container[str]) -> bool:
    """Tell whether a folder on the way to ``path`` is one of ``places``."""
    while path := path.rpartition("/")[0]:
        if path in places:
            return True
    return False
