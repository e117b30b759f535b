"""HTTP targets: a server on loopback that serves one folder, asked with raw request targets."""

import ipaddress
import os
import re
from typing import Any, TypedDict, Unpack
from urllib.parse import urlsplit

from capfuzz.attacks.case import Case, Surface
from capfuzz.attacks.trace import Answer, Step, Trace
from capfuzz.targets.base import PLACES_ALONE, TargetError
from capfuzz.targets.canaries import shown
from capfuzz.targets.http_forms import Served, adapted, planted, request_of
from capfuzz.targets.http_server import Server
from capfuzz.targets.http_wire import Gone, NoAnswer, Wire
from capfuzz.targets.planted import BesideTree

_CLOSED = Answer(ok=False, detail="closed the connection without an answer")
_HUNG = Answer(ok=False, hung=True)


class Asking(TypedDict, total=False):
    """How a server is asked, as `HttpTarget` takes it."""

    op_limit: float
    dialect: frozenset[str]
    follows_links: bool


class HttpTarget:
    """
    A server of files; whatever it answers, it served a file if the file's content came back.

    ``follows_links``: it is documented to follow links, so that none are planted. ``server``: the
    process, where the suite started it itself.
    """

    surface = Surface.HTTP
    unobservable = PLACES_ALONE

    def __init__(
        self,
        spec: str,
        served: Served,
        port: int,
        *,
        op_limit: float = 2.0,
        dialect: frozenset[str] = frozenset(),
        follows_links: bool = False,
        server: Server | None = None,
    ) -> None:
        self.spec = spec
        self._served = served
        self._op_limit = op_limit
        self._dialect = dialect | {"decodes-once"}  # RFC 3986, 2.4: every server does
        self._follows_links = follows_links
        self._wire = Wire(served.host.rpartition(":")[0].strip("[]"), port)
        self._server = server
        self._tree: BesideTree | None = None
        self._planted = ""

    def adapt(self, case: Case) -> Case | None:
        """Return the case if it only reads below one root, whose links the server does not follow."""
        return adapted(case, self._served, follows_links=self._follows_links)

    def run(self, case: Case, patience: float = 1.0) -> Trace:
        """Send one request an op."""
        self._plant(case)
        limit = self._op_limit * patience
        steps = tuple(self._step(case, index, limit) for index in range(len(case.ops)))
        return Trace(case, self.surface, steps, dialect=self._dialect)

    def close(self) -> None:
        """Remove what was planted, and end the server if it is ours."""
        self._wire.close()
        if self._tree is not None:
            self._tree.close()
        self._tree, self._planted = None, ""
        if self._server is not None:
            self._server.close()

    def _plant(self, case: Case) -> None:
        wanted = repr((case.world.files, case.world.links))
        if wanted != self._planted:
            if self._tree is not None:
                self._tree.close()
            self._tree, self._planted = None, ""
            self._tree = BesideTree(planted(case.world, self._served), self._served.folder)
            self._planted = wanted

    def _step(self, case: Case, index: int, seconds: float) -> Step:
        op: Any = case.ops[index]
        target = request_of(op, case.grant.fs_read[0], self._served)
        answer, body = self._asked(target, seconds)
        effects = shown(body, case)
        # A status alone proves nothing: a server may answer everything with its front page.
        answer = answer._replace(ok=bool(effects))
        return Step(op, answer, effects, 2 * index, 2 * index + 1, index)

    def _asked(self, target: bytes, seconds: float) -> tuple[Answer, bytes]:
        if self._server is not None:
            self._server.drain()
        try:
            reply = self._wire.ask(target, seconds)
        except TimeoutError:
            return _HUNG, b""
        except NoAnswer:
            return self._died(target) or _CLOSED, b""
        except Gone:
            return self._gone(target), b""
        return Answer(ok=False, detail=f"status {reply.status}"), reply.body

    def _died(self, target: bytes) -> Answer | None:
        """Return an answer for a request that ended the server, if it is ours and has ended."""
        if self._server is None or self._server.alive_after_a_while():
            return None
        return self._gone(target)

    def _gone(self, target: bytes) -> Answer:
        if self._server is None or self._server.alive:
            raise TargetError(
                f"{self.spec}: nobody listens there (any more); last asked for {target[:200]!r}"
            )
        self._server.restart()
        return Answer(ok=False, raised="ServerDied")


_LOOPBACK = re.compile(r"http://(\[::1\]|localhost|[0-9.]+):([0-9]{1,5})(/[!-~]*)?")


def served_at(spec: str, root: str | None, private: str | None) -> tuple[Served, int]:
    """Return what a URL and ``--root`` name; raises `TargetError` for what is not on loopback."""
    match = _LOOPBACK.fullmatch(spec)
    if match is None or not _is_loopback(match[1]) or not 0 < int(match[2]) < 65536:  # noqa: PLR2004
        raise TargetError(
            f"{spec}: only servers on loopback are attacked; write http://127.0.0.1:PORT/prefix/"
        )
    if root is None:
        raise TargetError(f"{spec}: name the folder that is served, as in --root DIR")
    if not os.path.isdir(root):
        raise TargetError(f"--root {root}: is not a folder")
    host = "127.0.0.1" if match[1] == "localhost" else match[1]
    path = urlsplit(spec).path
    prefix = path if path.endswith("/") else path + "/"
    kept = _kept_back(private)
    return Served(os.path.realpath(root), f"{host}:{match[2]}", prefix, kept), int(match[2])


def _kept_back(private: str | None) -> str:
    """Return ``/name`` for a folder below the root that the server keeps back."""
    if private is None:
        return ""
    name = private.strip("/")
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise TargetError(f"--private {private}: must be one plain name of a folder below the root")
    return f"/{name}"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def http_target(
    spec: str, root: str | None, private: str | None, **options: Unpack[Asking]
) -> HttpTarget:
    """Return the target for a server that runs already; raises `TargetError`."""
    served, port = served_at(spec, root, private)
    return HttpTarget(spec, served, port, **options)


def own_http_target(spec: str, private: str | None, **options: Unpack[Asking]) -> HttpTarget:
    """
    Return the target for ``py:MODULE:NAME``, which is started; raises `TargetError`.

    ``private`` is the folder that the function keeps back.
    """
    module, _, name = spec.removeprefix("py:").partition(":")
    kept = _kept_back(private)
    server = Server(spec, module, name, kept)
    served = Served(server.folder, f"127.0.0.1:{server.port}", server.prefix, kept)
    return HttpTarget(spec, served, server.port, server=server, **options)
