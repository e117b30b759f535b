"""The part of a small HTTP server that has no say in which file is served."""

import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answerer = Callable[[str], bytes | None]
Server = Callable[[str, str, socket.socket], None]


def follows_links(server: Server) -> Server:
    """Let a server say of itself that it is meant to follow links, which the suite asks for."""
    server.__dict__["follows_links"] = True
    return server


def serve(listener: socket.socket, answer: Answerer) -> None:
    """
    Answer every GET on ``listener`` with what ``answer`` makes of the request target.

    None, ``OSError`` and ``ValueError`` are the answer 404; another exception is 500.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, body = _answered(answer, self.path)
            self.send_response(status)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Print nothing."""

    serve_with(listener, Handler)


def serve_with(listener: socket.socket, handler: Callable[..., BaseHTTPRequestHandler]) -> None:
    """Serve with a handler of ``http.server`` on a socket that listens already."""
    server = ThreadingHTTPServer(listener.getsockname(), handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.daemon_threads = True
    server.serve_forever()


def _answered(answer: Answerer, target: str) -> tuple[int, bytes]:
    try:
        body = answer(target)
    except (OSError, ValueError):
        body = None
    except Exception as error:  # noqa: BLE001 - a server goes on after a request that it cannot read
        return 500, f"{type(error).__name__}\n".encode()
    return (404, b"not found\n") if body is None else (200, body)


def path_of(target: str) -> str:
    """Return the path of a request target as it is spelt: no scheme and host, no query."""
    lowered = target.lower()
    if lowered.startswith(("http://", "https://")):
        target = "/" + target.split("/", 3)[3] if target.count("/") > 2 else "/"  # noqa: PLR2004
    return target.partition("?")[0].partition("#")[0]


def rest_of(target: str, prefix: str) -> str:
    """Return what follows the prefix in the path of a target, as spelt; raises ``ValueError``."""
    path = path_of(target)
    if not path.startswith(prefix):
        raise ValueError("not below the prefix")
    return path.removeprefix(prefix)
