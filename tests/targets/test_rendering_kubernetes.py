"""A Pod and its policy: what the published schemas know, and sealed but for what is granted."""

from dataclasses import replace

import kubernetes_validate
import pytest
from capfuzz.engine import Capabilities
from capfuzz.targets.rendering.registry import SYSTEMS
from capfuzz.targets.rendering.render import rendered

from .rendering import GRANT, LAYOUT, NETWORKED, items, made, slipped


@pytest.mark.parametrize("name", ["kubernetes", "kata"])
@pytest.mark.parametrize("grant", [GRANT, Capabilities(), NETWORKED], ids=["some", "none", "net"])
def test_a_manifest_keeps_to_the_published_schemas(name, grant):
    """A cluster would refuse it, or leave out a field that it does not know."""
    found = items(made(name, grant))
    for item in found.values():
        kubernetes_validate.validate(item, "1.37", strict=True)
    assert {"kata": {"RuntimeClass", "NetworkPolicy", "Pod"}}.get(
        name, {"NetworkPolicy", "Pod"}
    ) == set(found)


SLIPS = [
    ("Pod", ("spec", "containers", 0, "securityContext", "readOnlyRootFileSystem"), True),
    ("Pod", ("spec", "containers", 0, "securityContext", "privileged"), "no"),
    ("Pod", ("spec", "containers", 0, "resources", "limits"), ["512Mi"]),
    ("Pod", ("spec", "containers", 0, "volumeMounts", 0, "mountPath"), ...),
    ("Pod", ("spec", "volumes", 0, "hostPath", "path"), ...),
    ("Pod", ("spec", "activeDeadlineSeconds"), "60"),
    ("Pod", ("spec", "containers"), ...),
    ("NetworkPolicy", ("spec", "egress", 0, "to", 0, "ipBlock", "cidr"), ...),
    ("NetworkPolicy", ("spec", "egress", 0, "to", 0, "ipblock"), {"cidr": "10.0.0.7/32"}),
    ("NetworkPolicy", ("spec", "egress", 0, "ports"), 443),
    ("NetworkPolicy", ("spec", "policyTypes"), "Egress"),
    ("NetworkPolicy", ("spec", "podSelector", "labels"), {"a": "b"}),
    ("NetworkPolicy", ("spec", "outgress"), []),
    ("RuntimeClass", ("handler",), ...),
    ("RuntimeClass", ("spec",), {"runtimeHandler": "kata"}),
]


@pytest.mark.parametrize(("kind", "path", "value"), SLIPS)
def test_the_published_schemas_refuse_a_slip(kind, path, value):
    """The test above would pass whatever is rendered."""
    item = items(made("kata", NETWORKED))[kind]
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(slipped(item, *path, value=value), "1.37", strict=True)


def test_a_pod_is_sealed_but_for_what_is_granted():
    """A Pod would run as root, with a token of the cluster, or without an end."""
    spec = items(made("kubernetes"))["Pod"]["spec"]
    (container,) = spec["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "privileged": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert [spec[one] for one in ("hostNetwork", "hostPID", "hostIPC")] == [False] * 3
    assert spec["automountServiceAccountToken"] is False
    assert 60 == spec["activeDeadlineSeconds"]
    assert container["resources"]["limits"] == container["resources"]["requests"]
    assert "runtimeClassName" not in spec


@pytest.mark.parametrize(
    ("hosts", "egress"),
    [
        ((), []),  # a rule without a peer would open everything
        (("api.internal",), []),
        (("127.0.0.1", "::1"), []),
        (
            ("10.0.0.7", "api.internal", "fd00::a:1"),
            [{"to": [{"ipBlock": {"cidr": f"{one}"}} for one in ("10.0.0.7/32", "fd00::a:1/128")]}],
        ),
    ],
)
def test_a_policy_opens_the_granted_addresses_alone(hosts, egress):
    """A Pod would reach hosts that were not granted."""
    one = made("kubernetes", Capabilities(net_hosts=hosts))
    spec = items(one)["NetworkPolicy"]["spec"]
    assert egress == spec["egress"]
    assert [] == spec["ingress"]
    assert ["Ingress", "Egress"] == spec["policyTypes"]
    labels = items(one)["Pod"]["metadata"]["labels"]
    assert spec["podSelector"]["matchLabels"] == labels
    for host in {"api.internal", "127.0.0.1", "::1"} & set(hosts):
        assert any(host in told and "NOT opened" in told for told in one.warnings)


def test_a_policy_opens_the_named_ports_alone():
    """A Pod would reach every service of a granted address."""
    grant = Capabilities(net_hosts=["10.0.0.7"])
    one = rendered(SYSTEMS["kubernetes"], grant, replace(LAYOUT, ports=(443,)))
    policy = items(one)["NetworkPolicy"]
    kubernetes_validate.validate(policy, "1.37", strict=True)
    (rule,) = policy["spec"]["egress"]
    assert [443, 443] == [port["port"] for port in rule["ports"]]
    assert ["TCP", "UDP"] == [port["protocol"] for port in rule["ports"]]


def test_words_of_a_command_mean_themselves_in_a_pod():
    """Kubernetes would put the value of a variable in the place of $(NAME)."""
    layout = replace(LAYOUT, command=("echo", "$(HOME)", "$$(x)"))
    pod = items(rendered(SYSTEMS["kubernetes"], GRANT, layout))["Pod"]
    assert ["echo", "$$(HOME)", "$$$$(x)"] == pod["spec"]["containers"][0]["command"]
