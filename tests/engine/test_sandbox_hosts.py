"""Fetching under a grant: no packet leaves for a host that was not granted."""

import pytest
from capfuzz.engine import Net, Redirect, results

HOSTS = [
    ("api.internal", True),
    ("API.Internal", True),
    ("api.internal.", True),
    ("API.INTERNAL.", True),
    ("10.0.0.7", True),
    ("2001:db8::1", True),
    ("evil.com", False),
    ("api.internal.evil.com", False),
    ("evil-api.internal", False),
    ("x.api.internal", False),
    ("internal", False),
    ("api", False),
    ("api.internal..", False),
    (".api.internal", False),
    ("api.internal:80", False),
    ("evil.com@api.internal", False),
    ("api.internal@evil.com", False),
    ("api.internal/x", False),
    ("http://api.internal", False),
    ("api%2einternal", False),
    ("api.internal\0", False),
    ("api.internal\n", False),
    (" api.internal", False),
    ("ap\u0131.internal", False),
    ("\uff41pi.internal", False),
    ("api\u3002internal", False),
    ("*", False),
    ("", False),
    ("0", False),
    ("012.0.0.7", False),
    ("10.0.0.07", False),
    ("0xa.0.0.7", False),
    ("10.7", False),
    ("167772167", False),
    ("10.0.0.7.", False),
    ("::ffff:10.0.0.7", False),
    ("::ffff:a00:7", False),
    ("[2001:db8::1]", False),
    ("2001:DB8::1", False),
    ("2001:db8:0::1", False),
    ("2001:db8::1%0", False),
    ("2001:db8::1.", False),
    ("169.254.169.254", False),
    ("127.0.0.1", False),
    ("\ud800", False),
]


@pytest.mark.parametrize(("host", "granted"), HOSTS)
def test_a_fetch_reaches_a_granted_host_or_no_host(make_world, host, granted):
    """Else a packet would leave for a host that nobody granted."""
    routes = {"/s": "ok"}
    places = {place: routes for place, _ in HOSTS}
    world = make_world(net=Net(places))
    box = world.box(net_hosts=["Api.Internal.", "10.0.0.7", "2001:db8::1"])
    result = box.run(("net_fetch", host, "/s"))
    reached = [(host.lower().removesuffix("."), "/s")] if granted else []
    assert [granted, reached] == [result.ok, world.net.calls]
    if not granted:
        assert results.EGRESS_DENIED is result


def test_no_host_is_reached_under_an_empty_list(world):
    """Else an empty list would be no limit at all."""
    box = world.box(net_hosts=())
    assert [results.EGRESS_DENIED] * 2 == [
        box.run(("net_fetch", host, "/status")) for host in ("api.internal", "")
    ]
    assert [] == world.net.calls


@pytest.mark.parametrize(
    ("host", "path", "asked"),
    [("api.internal", "/none", "api.internal"), ("absent.internal", "/", "absent.internal")],
)
def test_a_fetch_that_fails_is_an_error_and_no_violation(world, told, host, path, asked):
    """Else an honest mistake would count as an attack."""
    box = world.box(net_hosts=["api.internal", "absent.internal"])
    assert "net_fetch failed: NetError" == told(box.run(("net_fetch", host, path)))
    assert [(asked, path)] == world.net.calls


def test_a_redirect_is_an_op_of_its_own(make_world):
    """Else a granted host could send the fetch on to one that is not."""
    net = Net({"api.internal": {"/r": Redirect("evil.com", "/x")}, "evil.com": {"/x": "taken"}})
    box = make_world(net=net).box()
    hop = box.run(("net_fetch", "api.internal", "/r")).output
    assert [("evil.com", "/x"), len("302 evil.com/x")] == [(hop.host, hop.path), box.output_bytes]
    assert "egress_denied" == box.run(("net_fetch", hop.host, hop.path)).violation
    assert [("api.internal", "/r")] == net.calls
