"""Servers of files, run as their documentation shows: ``NAME(root, prefix, listener)``."""

# ruff: noqa: PLC0415 - each package is only there where it is attacked

import asyncio
import os
import socket
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


def starlette(root: str, prefix: str, listener: socket.socket) -> None:
    """Mount ``StaticFiles`` in Starlette, behind uvicorn."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles

    app = Starlette(routes=[Mount(prefix.rstrip("/"), app=StaticFiles(directory=root))])
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])


def aiohttp_following(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve with ``add_static(follow_symlinks=True)``, which is about links and nothing else."""
    _aiohttp(root, prefix, listener, follow_symlinks=True)


def aiohttp(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve with ``add_static`` as it is by default."""
    _aiohttp(root, prefix, listener, follow_symlinks=False)


def _aiohttp(root: str, prefix: str, listener: socket.socket, **options: bool) -> None:
    from aiohttp import web

    app = web.Application()
    app.router.add_static(prefix, root, **options)
    web.run_app(app, sock=listener, print=None, access_log=None)


def tornado(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve with ``StaticFileHandler``."""
    from tornado.httpserver import HTTPServer
    from tornado.web import Application, StaticFileHandler

    async def run() -> None:
        app = Application([(f"{prefix}(.*)", StaticFileHandler, {"path": root})])
        server = HTTPServer(app)
        listener.setblocking(False)  # noqa: FBT003 - it takes no name
        server.add_sockets([listener])
        await asyncio.Event().wait()

    asyncio.run(run())


def django(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve with ``django.views.static.serve``."""
    import django as package
    from django.conf import settings
    from django.core.wsgi import get_wsgi_application
    from django.urls import re_path
    from django.views.static import serve

    pattern = f"^{prefix.lstrip('/')}(?P<path>.*)$"
    urls = [re_path(pattern, serve, {"document_root": root})]
    settings.configure(ROOT_URLCONF=_Urls(urls), ALLOWED_HOSTS=["*"], SECRET_KEY="x")
    package.setup()
    _wsgi(get_wsgi_application(), listener)


class _Urls:
    """A module of URLs without a file."""

    def __init__(self, patterns: list[Any]) -> None:
        self.urlpatterns = patterns


def werkzeug(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve with ``SharedDataMiddleware``, behind Werkzeug's own server."""
    from werkzeug.exceptions import NotFound
    from werkzeug.middleware.shared_data import SharedDataMiddleware

    _werkzeug(SharedDataMiddleware(NotFound(), {prefix.rstrip("/"): root}), listener)


def flask(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve the static folder of a Flask application, behind Werkzeug's own server."""
    from flask import Flask

    app = Flask("served", static_folder=root, static_url_path=prefix.rstrip("/"))
    _werkzeug(app, listener)


def flask_cors(root: str, prefix: str, listener: socket.socket) -> None:
    """
    Hand out what a script of another site may read: flask-cors decides, path by path.

    The application serves the folder above, so that files beside the root have paths of their own;
    ``..`` is refused before flask-cors is asked.
    """
    from flask import Flask, Response, abort, request, send_from_directory
    from flask_cors import CORS

    app = Flask("shared", static_folder=None)

    @app.get("/<path:path>")
    def file(path: str) -> Response:
        if ".." in path.split("/") or "//" in request.path:
            abort(404)
        return send_from_directory(os.path.dirname(root), path)

    CORS(app, resources={rf"{prefix}.*": {"origins": "*"}})

    def readable(environ: dict[str, Any], start: Any) -> Any:
        response = Response.from_app(app, environ)
        if "Access-Control-Allow-Origin" not in response.headers:
            response = Response("not for other sites", status=403)
        return response(environ, start)

    _werkzeug(readable, listener)


def library(root: str, _prefix: str, listener: socket.socket) -> None:
    """Serve the folder above with ``http.server``, as ``python -m http.server`` does."""
    handler = partial(SimpleHTTPRequestHandler, directory=root)
    server = ThreadingHTTPServer(listener.getsockname(), handler, bind_and_activate=False)
    server.socket = listener
    server.serve_forever()


def _werkzeug(app: Any, listener: socket.socket) -> None:
    from werkzeug.serving import make_server

    host, port = listener.getsockname()
    make_server(host, port, app, threaded=True, fd=listener.fileno()).serve_forever()


def _wsgi(app: Any, listener: socket.socket) -> None:
    from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

    class Quiet(WSGIRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Print nothing."""

    server = WSGIServer(listener.getsockname(), Quiet, bind_and_activate=False)
    server.socket = listener
    server.server_name, server.server_port = listener.getsockname()
    server.setup_environ()
    server.set_app(app)
    server.serve_forever()


def _node(program: str, root: str, prefix: str, listener: socket.socket) -> None:
    """Become a Node.js program of this folder, which is told the listening socket's number."""
    script = Path(__file__).parent / "node" / program
    os.execvp("node", ["node", str(script), root, prefix, str(listener.fileno())])


def st(root: str, prefix: str, listener: socket.socket) -> None:
    """Mount ``st({path, url})``."""
    _node("st.cjs", root, prefix, listener)


def vite(root: str, prefix: str, listener: socket.socket) -> None:
    """Run vite's development server with ``server.fs.allow = [root]``."""
    _node("vite.cjs", root, prefix, listener)


def hono(root: str, prefix: str, listener: socket.socket) -> None:
    """Serve static files with a folder kept back by a middleware for its path."""
    _node("hono.cjs", root, prefix, listener)


hono.__dict__["private"] = "admin"  # what the suite asks for
