"""
Kubernetes: a Pod for one grant, and a NetworkPolicy that bars all but the granted addresses.

Sources: the API reference of Kubernetes 1.37 (Pod, NetworkPolicy), its Pod Security Standards
("restricted", which this keeps but for ``hostPath``), and what it says of network policies: they need
a plugin that keeps them, have no host names, and never bar the node itself.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final

from capfuzz.engine import Capabilities
from capfuzz.targets.base import TargetError
from capfuzz.targets.rendering.base import METERS, NEVER_RUN, NOBODY, Choices, as_nobody, listed
from capfuzz.targets.sandboxes.base import Layout, Rendered, addresses, opened, write_only

# A RuntimeClass is named by labels that dots part; a handler, as which one brought along is known to
# the node, by one label (RFC 1123; API reference, RuntimeClass).
_PART: Final = "[a-z0-9]([a-z0-9-]*[a-z0-9])?"
_CLASS: Final = re.compile(rf"(?=.{{1,253}}\Z){_PART}(\.{_PART})*")
_HANDLER: Final = re.compile(rf"(?=.{{1,63}}\Z){_PART}")
_LABEL = "app.kubernetes.io/name"
_LONGEST = 2**31 - 1  # seconds, of activeDeadlineSeconds
_NODE_KEEPS = 1024 * 1024  # bytes, beside the log, that count as storage of a Pod
# Of these a grant says nothing.
_RESOURCES: Final = {"cpu": "1", "memory": "512Mi"}


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """A Pod of one container; ``runtime`` is the name of a RuntimeClass, ``brought`` along or there."""

    choices: Choices
    name: str = "kubernetes"
    meaning: str = "a Pod and a NetworkPolicy, for kubectl apply; never run by this suite"
    brought: bool = False
    meters: frozenset[str] = frozenset(METERS)

    def __post_init__(self) -> None:
        """Refuse what a cluster takes for no RuntimeClass; raises `TargetError`."""
        named = self.choices.runtime
        if named is not None and not (_HANDLER if self.brought else _CLASS).fullmatch(named):
            dots = "" if self.brought else ", also with dots between"
            raise TargetError(
                f"--runtime: {named!r} is no name of a RuntimeClass: a-z, 0-9 and - within{dots}"
            )

    def wider(self, grant: Capabilities, ports: tuple[int, ...] = ()) -> tuple[str, ...]:
        """Return nothing: what a Pod or a policy cannot express stays closed."""
        del grant, ports
        return ()

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the manifest, the policy first; raises `TargetError`."""
        odd = [one for one in (*grant.fs_read, *grant.fs_write) if ":" in one]
        if odd:
            told = f"{listed(odd)}: a Pod mounts nothing at a place with a colon"
            raise TargetError(f"{self.name}: cannot be rendered: fs_read, fs_write {told}")
        items = [*self._classes(), _policy(grant, layout), self._pod(grant, layout)]
        whole = {"apiVersion": "v1", "kind": "List", "items": items}
        text = json.dumps(whole, indent=2) + "\n"
        return Rendered((), {"sandbox.json": text}, tuple(self._warnings(grant)))

    def _classes(self) -> list[dict[str, Any]]:
        """Return the RuntimeClass, where this brings one along."""
        if not self.brought:
            return []
        named = self.choices.runtime
        return [
            {
                "apiVersion": "node.k8s.io/v1",
                "kind": "RuntimeClass",
                "metadata": {"name": named},
                "handler": named,
            }
        ]

    def _pod(self, grant: Capabilities, layout: Layout) -> dict[str, Any]:
        chosen = {"runtimeClassName": self.choices.runtime} if self.choices.runtime else {}
        places = opened(grant, layout)
        spec = {
            **chosen,
            "restartPolicy": "Never",
            "activeDeadlineSeconds": min(grant.max_wall, _LONGEST),
            "terminationGracePeriodSeconds": 5,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "hostNetwork": False,
            "hostPID": False,
            "hostIPC": False,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": NOBODY,
                "runAsGroup": NOBODY,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [self._container(grant, layout)],
            "volumes": [
                {"name": f"place-{number}", "hostPath": {"path": place}}
                for number, (place, _) in enumerate(places)
            ],
        }
        return {"apiVersion": "v1", "kind": "Pod", "metadata": _named(layout.mark), "spec": spec}

    def _container(self, grant: Capabilities, layout: Layout) -> dict[str, Any]:
        amounts = {**_RESOURCES, "ephemeral-storage": str(grant.max_output_bytes + _NODE_KEEPS)}
        return {
            "name": "sandbox",
            "image": self.choices.image,
            # $(NAME) would be replaced by a variable; $$ stands for one $.
            "command": [word.replace("$", "$$") for word in layout.command],
            "workingDir": "/",
            "resources": {"requests": amounts, "limits": amounts},
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "privileged": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            },
            "volumeMounts": [
                _mounted(number, place, writable=writable)
                for number, (place, writable) in enumerate(opened(grant, layout))
            ],
        }

    def _warnings(self, grant: Capabilities) -> Iterator[str]:
        yield NEVER_RUN
        yield from write_only(grant)
        yield from as_nobody(grant)
        places = [*grant.fs_read, *grant.fs_write]
        if places:
            yield (
                f"fs_read, fs_write {listed(dict.fromkeys(places))}: hostPath volumes of the node, "
                "which the baseline and restricted Pod Security Standards refuse"
            )
        yield from _unopened(grant)
        yield (
            "net_hosts: a NetworkPolicy is kept by the cluster's network plugin, if that can, and "
            "never bars the node itself"
        )
        yield f"max_ops {grant.max_ops}: a Pod has no limit for it; podPidsLimit is the kubelet's"
        yield (
            f"max_output_bytes {grant.max_output_bytes}: kept late, by eviction: ephemeral-storage "
            "counts the log, with a MiB for what the node adds"
        )


def _unopened(grant: Capabilities) -> Iterator[str]:
    numbers, names = addresses(grant)
    if names:
        yield (
            f"net_hosts {listed(names)}: a NetworkPolicy has no host names; NOT opened, so grant "
            "addresses"
        )
    own = [one for one in numbers if ip_address(one).is_loopback]
    if own:
        yield f"net_hosts {listed(own)}: in a Pod that is the Pod itself; NOT opened"


def _policy(grant: Capabilities, layout: Layout) -> dict[str, Any]:
    numbers = [ip_address(one) for one in addresses(grant)[0]]
    blocks = [
        {"ipBlock": {"cidr": f"{one}/{one.max_prefixlen}"}}
        for one in numbers
        if not one.is_loopback
    ]
    ports: dict[str, Any] = {}
    if layout.ports:
        ports["ports"] = [
            {"protocol": protocol, "port": port}
            for port in layout.ports
            for protocol in ("TCP", "UDP")
        ]
    spec = {
        "podSelector": {"matchLabels": {_LABEL: layout.mark}},
        "policyTypes": ["Ingress", "Egress"],
        "ingress": [],
        # A rule without a peer would open everything.
        "egress": [{"to": blocks, **ports}] if blocks else [],
    }
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": _named(layout.mark),
        "spec": spec,
    }


def _named(mark: str) -> dict[str, Any]:
    return {"name": mark, "labels": {_LABEL: mark}}


def _mounted(number: int, place: str, *, writable: bool) -> dict[str, Any]:
    mounted = {"name": f"place-{number}", "mountPath": place, "readOnly": not writable}
    # What is mounted below it on the node would stay open to be written.
    return mounted if writable else {**mounted, "recursiveReadOnly": "IfPossible"}
