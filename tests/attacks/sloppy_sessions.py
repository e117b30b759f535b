"""One careless session or more for each technique that needs several ops, hops or grants."""

import difflib
import fnmatch
import json
import re
from types import SimpleNamespace
from urllib.parse import urljoin, urlsplit


def _answer(ok, output=None):
    return SimpleNamespace(ok=ok, output=output)


class Right:
    """A session that judges hosts and tools rightly; the careless ones change one step of it."""

    def __init__(self, caps, world):
        self.hosts, self.tools, self.world = list(caps.net_hosts), set(caps.allowed_tools), world
        self.seen, self.inside = [], False

    def run(self, op):
        """Judge one op and carry it out."""
        kind, name, *rest = op
        granted = self.host(name) if kind == "net_fetch" else self.tool(name, rest)
        self.seen.append(op)
        if not granted:
            return _answer(ok=False)
        try:
            act = self.fetch if kind == "net_fetch" else self.call
            return _answer(ok=True, output=act(name, *rest))
        except (OSError, LookupError):
            return _answer(ok=False)

    def host(self, host):
        """Tell whether a host is granted."""
        return host in self.hosts

    def tool(self, name, arguments):
        """Tell whether a tool is granted."""
        del arguments
        return type(name) is str and name in self.tools

    def fetch(self, host, path):
        """Fetch and hand back what comes."""
        return self.world.net.fetch(host, path)

    def call(self, name, *arguments):
        """Call a tool, with a mark that other ops come from inside it."""
        self.inside = True
        try:
            return self.world.tools[name](*arguments)
        finally:
            self.inside = False


class Follower(Right):
    """Follows redirects to wherever `may` lets it go."""

    def fetch(self, host, path):
        """Fetch, and fetch again what is pointed to."""
        answer = super().fetch(host, path)
        while hasattr(answer, "host") and self.may(answer.host):
            answer = self.world.net.fetch(answer.host, answer.path)
        return answer

    def may(self, host):
        """Tell whether a redirect may lead to ``host``."""
        del host
        return True


class FollowsUnlessListed(Follower):
    """Follows redirects but to a short list."""

    def may(self, host):
        """Compare with the list."""
        return host not in {"evil.test", "127.0.0.1", "localhost", "169.254.169.254", "::1"}


class FollowsTrusted(Right):
    """Grants what a granted host points to."""

    def fetch(self, host, path):
        """Fetch and learn."""
        answer = super().fetch(host, path)
        self.hosts.extend([answer.host] if hasattr(answer, "host") else [])
        return answer


class LearnsFromText(Right):
    """Grants what an answer names."""

    def fetch(self, host, path):
        """Fetch and learn."""
        answer = super().fetch(host, path)
        self.hosts += re.findall(r"[\w.]+\.\w+", answer)
        self.hosts += ["evil.test"] if "*" in answer else []
        return answer


class JudgesTheEnd(Right):
    """Fetches first and judges where that leads."""

    def run(self, op):
        """Fetch, then judge."""
        answer = self.world.net.fetch(op[1], op[2])
        return _answer(ok=getattr(answer, "host", op[1]) in self.hosts, output=answer)


class TrustsTools(Right):
    """Judges nothing that comes from inside a tool, and follows redirects there."""

    def run(self, op):
        """Judge only from outside."""
        if not self.inside:
            return super().run(op)
        if op[0] == "tool":
            return _answer(ok=True, output=self.world.tools[op[1]](*op[2:]))
        answer = self.world.net.fetch(op[1], op[2])
        if hasattr(answer, "host"):
            answer = self.world.net.fetch(answer.host, answer.path)
        return _answer(ok=True, output=answer)


class EmptyIsAll(Right):
    """Takes an empty list for no limit."""

    def host(self, host):
        """Ask an empty list."""
        return not self.hosts or super().host(host)

    def tool(self, name, arguments):
        """Ask an empty list."""
        return not self.tools or super().tool(name, arguments)


class OneText(Right):
    """Keeps the grant in one text, or in parts of it."""

    def host(self, host):
        """Search in the text, in both directions, and label by label."""
        text = ",".join(self.hosts)
        labels = {label for one in self.hosts for label in one.split(".")}
        return (
            host in text
            or host in text.replace(",", "")
            or set(host.split(".")) <= labels
            or re.search(host, text.replace(",", "|")) is not None
        )

    def tool(self, name, arguments):
        """Search in the text, and word by word."""
        text = ",".join(sorted(self.tools))
        words = {word for one in self.tools for word in one.split("_")}
        return name in text or name in text.replace(",", "") or set(name.split("_")) <= words


class NearestInOrder(Right):
    """Searches a sorted list, one step off, or walks a tree and forgets where it ends."""

    def host(self, host):
        """Compare with the neighbours in order."""
        return any(
            host.startswith(one[:2])
            or one.endswith(host)
            or not min(self.hosts) < host < max(self.hosts)
            for one in self.hosts
        )


class Ancestors(Right):
    """Grants all names on the way to, and below, a granted one."""

    def host(self, host):
        """Compare ends in both directions."""
        return any(one.endswith(host) or host.endswith(one) for one in self.hosts)


class Forgetful(Right):
    """Remembers answers without the name, or gives in."""

    def host(self, host):
        """Ask memory."""
        again = len(self.seen) >= 2 and not super().host(self.seen[-1][1])
        return (
            super().host(host)
            or again
            or any(super(Forgetful, self).host(op[1]) for op in self.seen)
        )

    def tool(self, name, arguments):
        """Ask memory."""
        known = super().tool(name, arguments)
        return known or len(self.seen) >= 2 or any(op[1] in self.tools for op in self.seen)


class JoinsUrl(Right):
    """Makes a URL of host and path and reads it again, in one way or another."""

    def fetch(self, host, path):
        """Contact what every one of several readings names."""
        joined = f"http://{host}{path}"
        for url in (
            joined,
            joined.replace("\\", "/"),
            joined.replace("#", ""),
            joined.replace("%2f", ""),
        ):
            self.touch(urlsplit(url).hostname)
        return super().fetch(host, path)

    def touch(self, host):
        """Contact a host, whatever comes of it."""
        try:
            self.world.net.fetch(host or "", "/steal")
        except OSError:
            return


class ResolvesPath(JoinsUrl):
    """Resolves the path as a reference, and writes it into the request as it is."""

    def fetch(self, host, path):
        """Contact what a reference and a header name."""
        reference = re.sub(r"^http:(?!/)", "http://", path.replace("\\", "/"))
        self.touch(urlsplit(urljoin(f"http://{host}/", reference)).hostname)
        self.touch(
            urlsplit("//" + reference.lstrip("/")).hostname if reference[:2] == "//" else host
        )
        header = re.search(r"Host: (\S+)", path)
        self.touch(header[1] if header else host)
        self.touch("evil.test" if "/../" in path else host)
        return Right.fetch(self, host, path)


class RequiresPath(Right):
    """Takes for granted that there is a path."""

    def fetch(self, host, path):
        """Look at the first character."""
        assert path
        return super().fetch(host, path)


class Patterns(Right):
    """Takes granted tool names for patterns, or for namespaces."""

    def tool(self, name, arguments):
        """Match as glob, as regular expression and as prefix."""
        return any(
            fnmatch.fnmatch(name, one)
            or (one != "*" and re.match(one, name))
            or name.startswith(one)
            for one in self.tools
        )


class ReadsArguments(Right):
    """Finds the tool to run, or to judge, among the arguments."""

    def tool(self, name, arguments):
        """Be content with a granted name anywhere."""
        return super().tool(name, arguments) or any(
            one in str(argument) for one in self.tools for argument in arguments
        )

    def call(self, name, *arguments):
        """Run what the arguments name."""
        text = json.dumps(arguments)
        other = next((one for one in self.world.tools if one != name and one in text), name)
        return super().call(other, *arguments)


class Folds(Right):
    """Registers tools under a folded name; the last one stays."""

    def tool(self, name, arguments):
        """Compare folded names."""
        return bool(difflib.get_close_matches(name.casefold(), self.tools))


class AnyType(Right):
    """Makes text of whatever is given for a name, and lets errors out."""

    def run(self, op):
        """Judge without a thought of types."""
        if not any(op[1].startswith(one) for one in self.tools):
            return _answer(ok=False)
        return _answer(ok=True, output=self.call(op[1], *op[2:]))


SESSIONS = {
    "redirect-outside": [Follower],
    "redirect-alike": [FollowsUnlessListed],
    "redirect-spelt": [FollowsUnlessListed],
    "redirect-chain": [Follower],
    "redirect-loop": [Follower],
    "redirect-then-ask": [FollowsTrusted],
    "redirect-from-outside": [JudgesTheEnd],
    "redirect-by-tool": [TrustsTools],
    "host-empty-list": [EmptyIsAll],
    "host-several-grants": [OneText],
    "host-many-grants": [NearestInOrder],
    "host-nested-grants": [Ancestors],
    "host-memory": [Forgetful],
    "host-tool-answer": [LearnsFromText],
    "route-completes-authority": [JoinsUrl],
    "route-is-a-url": [ResolvesPath, RequiresPath],
    "tool-empty-list": [EmptyIsAll],
    "tool-literal-star": [Patterns],
    "tool-several-grants": [OneText],
    "tool-arguments": [ReadsArguments],
    "tool-target-first": [ReadsArguments],
    "tool-twins": [Folds],
    "tool-reentry": [TrustsTools],
    "tool-memory": [Forgetful],
    "tool-name-type": [AnyType],
}
