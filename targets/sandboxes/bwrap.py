"""bubblewrap: a mount namespace in which the granted places stand, and little else."""

from capfuzz.engine import Capabilities
from capfuzz.targets.sandboxes.base import (
    Layout,
    Mounting,
    Rendered,
    environment,
    missing,
    opened,
    said,
    write_only,
)
from capfuzz.targets.sandboxes.trying import refusal_of_namespaces


class Bubblewrap(Mounting):
    """``bwrap``, with all namespaces unshared; the network alone is shared where it is granted."""

    name = "bwrap"
    meaning = "bubblewrap: namespaces with the granted places bound"

    def unavailable(self) -> str | None:
        """Return why it cannot run here, None where it can."""
        return missing("bwrap") or refusal_of_namespaces(self)

    def version(self) -> str:
        """Return the version that is installed."""
        return said("bwrap", "--version")

    def render(self, grant: Capabilities, layout: Layout) -> Rendered:
        """Return the command line for a grant of real places."""
        share = ("--share-net",) if grant.net_hosts else ()
        # What was cleared would still stand in /proc/1/environ, of bwrap's own first process:
        # https://github.com/containers/bubblewrap/issues/725
        words = [*environment(layout), "bwrap", "--unshare-all", *share]
        words += ["--die-with-parent", "--new-session"]
        words += ["--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--cap-drop", "ALL"]
        for place in layout.runtime:
            words += ["--ro-bind", place, place]
        # Where root runs it, a program inside is root to the settings in /proc/sys, rights or none.
        words += ["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]
        for place, writable in opened(grant, layout):
            words += ["--bind" if writable else "--ro-bind", place, place]
        return Rendered((*words, "--", *layout.command), warnings=write_only(grant))
