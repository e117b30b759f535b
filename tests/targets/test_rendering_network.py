"""What is opened of a network: the granted hosts and named ports alone, or it is told."""

import re
from dataclasses import replace

import pytest
from capfuzz.engine import Capabilities
from capfuzz.targets import TargetError
from capfuzz.targets.rendering.registry import SYSTEMS
from capfuzz.targets.rendering.render import rendered

from .rendering import LAYOUT, NETWORKED, made


@pytest.mark.parametrize("name", [name for name in SYSTEMS if SYSTEMS[name].wider(NETWORKED)])
def test_a_network_that_would_be_opened_whole_is_refused(name):
    """One granted host would open every other one, and nobody would be told."""
    with pytest.raises(TargetError, match=r"net_hosts api\.internal, 10\.0\.0\.7.*--wider"):
        made(name, NETWORKED)
    told = made(name, NETWORKED, wider=True).warnings
    assert any(one.startswith("net_hosts api.internal, 10.0.0.7") for one in told)


@pytest.mark.parametrize("name", [name for name in SYSTEMS if not SYSTEMS[name].keeps_ports])
def test_ports_that_a_system_has_no_say_in_are_refused(name):
    """One named port would open every other one, and nobody would be told."""
    grant = Capabilities(fs_write=["/work"], net_hosts=["10.0.0.7"])
    with pytest.raises(TargetError, match=r"ports 443|cannot express net_hosts"):
        rendered(SYSTEMS[name], grant, replace(LAYOUT, ports=(443,)))


@pytest.mark.parametrize("name", ["landlock", "landlock-seccomp"])
def test_a_port_of_every_host_is_told_as_what_it_is(name):
    """It would be told that the whole network is open, where the port alone is, and UDP."""
    grant = Capabilities(net_hosts=["10.0.0.7"])
    layout = replace(LAYOUT, ports=(443,))
    told = f"net_hosts 10.0.0.7: {name} opens TCP ports 443 of every host, and UDP whole"
    with pytest.raises(TargetError, match=re.escape(f"{told}; --wider accepts that")):
        rendered(SYSTEMS[name], grant, layout)
    made = rendered(SYSTEMS[name], grant, layout, wider=True)
    assert told in made.warnings
    assert not any("whole network" in one for one in made.warnings)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_port_of_no_host_opens_nothing_and_that_is_told(name):
    """Somebody would think that a port is open, and search for what else bars it."""
    one = rendered(SYSTEMS[name], Capabilities(["/work"], ["/work"]), replace(LAYOUT, ports=(443,)))
    assert "ports 443: nothing is opened: the grant has no net_hosts" in one.warnings
