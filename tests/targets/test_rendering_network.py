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


# What opens a named port alone, or no network at all.
KEEP_PORTS = {
    *("deno", "sandlock", "srt", "landlock", "landlock-seccomp"),
    *("kubernetes", "kata", "firecracker", "mcp-roots"),
}
# What has no form for a host, or for none that is an address of IPv6.
NO_HOST, NO_IPV6 = {"wasmtime", "monty"}, {"vercel"}


@pytest.mark.parametrize("name", sorted({*SYSTEMS} - KEEP_PORTS - NO_HOST))
def test_ports_that_a_system_has_no_say_in_are_refused(name):
    """One named port would open every other one, and nobody would be told."""
    grant = Capabilities(fs_write=["/work"], net_hosts=["10.0.0.7"])
    with pytest.raises(TargetError, match=r"ports 443: .*; --wider accepts that"):
        rendered(SYSTEMS[name], grant, replace(LAYOUT, ports=(443,)))


@pytest.mark.parametrize("name", sorted(NO_HOST | NO_IPV6))
@pytest.mark.parametrize("wider", [False, True])
def test_nothing_is_advised_that_does_not_help(name, wider):
    """Whoever accepts what is wider would be refused all the same."""
    grant = Capabilities(fs_write=["/work"], net_hosts=["fd00::a:1"])
    with pytest.raises(TargetError, match=r"it cannot express net_hosts fd00::a:1$"):
        rendered(SYSTEMS[name], grant, replace(LAYOUT, ports=(443,)), wider=wider)


@pytest.mark.parametrize("name", ["deno", "sandlock", "srt"])
def test_an_address_of_ipv6_is_a_host_as_any_other(name):
    """It would be told that the whole network is open, where that host alone is."""
    grant = Capabilities(fs_write=["/work"], net_hosts=["fd00::a:1"])
    for ports in ((), (443,)):
        one = rendered(SYSTEMS[name], grant, replace(LAYOUT, ports=ports))
        assert not any("whole network" in told for told in one.warnings)


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
