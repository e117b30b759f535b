"""From a grant to what a system takes: checked, written out, and told where it comes out otherwise."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from capfuzz.attacks.naive import segments, within
from capfuzz.engine import Capabilities
from capfuzz.targets.base import TargetError
from capfuzz.targets.rendering.base import System, listed, no_tools
from capfuzz.targets.rendering.budgets import bounded
from capfuzz.targets.sandboxes.base import Layout, Rendered, plain

# A sandbox has its own there; the machine's would open far more than files.
_OWN = ("/proc", "/sys", "/dev")
_MOST_BYTES = 2**62  # more is a number that not every program reads


def rendered(
    system: System, grant: Capabilities, layout: Layout, *, wider: bool = False
) -> Rendered:
    """
    Return what ``system`` makes of a grant.

    Nothing is opened that the grant does not name, unless ``wider``: then that is a warning. What
    cannot be opened, or is not kept to, is a warning, too. Raises `TargetError` with each reason.
    """
    beyond = system.wider(grant, layout.ports)
    refusals = [*_refusals(grant)]
    if not wider:
        refusals += [f"{one}; --wider accepts that" for one in beyond]
    if refusals:
        raise TargetError(f"{system.name}: cannot be rendered: {'; '.join(refusals)}")
    spelt = replace(
        grant,
        fs_read=_plain(grant.fs_read),
        fs_write=_plain(grant.fs_write),
        max_output_bytes=min(grant.max_output_bytes, _MOST_BYTES),
    )
    made = bounded(system.name, system.meters, spelt, system.render(spelt, layout))
    told = dict.fromkeys(
        (*made.warnings, *beyond, *_no_host(grant, layout), *no_tools(system.name, grant))
    )
    return replace(made, warnings=tuple(told))


def _no_host(grant: Capabilities, layout: Layout) -> Iterator[str]:
    """Yield that ports were named of no host."""
    if layout.ports and not grant.net_hosts:
        ports = listed(map(str, layout.ports))
        yield f"ports {ports}: nothing is opened: the grant has no net_hosts"


def _plain(places: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(plain, places)))


def _refusals(grant: Capabilities) -> Iterator[str]:
    for name in ("fs_read", "fs_write"):
        for place in getattr(grant, name):
            yield from (f"{name} {listed([place])}: {why}" for why in _refused(place))
    if not grant.max_ops:
        yield "max_ops 0: nothing may be done, so there is nothing to start"
    if not grant.max_wall:
        yield "max_wall 0: no time is left, so there is nothing to start"


def _refused(place: str) -> Iterator[str]:
    if not segments(place):
        yield "the root of the machine cannot be handed in; name the places"
    elif within(place, _OWN):
        yield "a sandbox has its own there"
    if not (place.isascii() and place.isprintable()):
        yield "not every configuration carries such a name; only printable ASCII is rendered"
