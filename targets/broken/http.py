"""
HTTP servers with one fault each: ``NAME(root, prefix, listener)``, a process each.

Those whose fault is in the reading of a path are meant to follow links, so that a link does not
find them out in its stead.
"""

import os
import posixpath
import re
import socket
from pathlib import Path
from urllib.parse import unquote

from capfuzz.attacks.case import Surface
from capfuzz.targets.broken.registry import fault
from capfuzz.targets.right.http import PRIVATE
from capfuzz.targets.right.path import settled
from capfuzz.targets.right.serving import follows_links, path_of, rest_of, serve


def _plain(path: str) -> str:
    """Return ``path`` as it stands; raises for a segment ``..`` or an absolute one."""
    if ".." in path.split("/") or path.startswith("/"):
        raise ValueError("refused")
    return path


def _below(root: str, path: str) -> bytes | None:
    """Return the file at the real place of ``path``, None for one that is not below ``root``."""
    base = os.path.realpath(root)
    place = settled(base, path)
    return Path(place).read_bytes() if place.startswith(base + "/") else None


@fault(Surface.HTTP, "confined", modelled_on="CVE-2014-3744")
@follows_links
def decodes_after_check(root: str, prefix: str, listener: socket.socket) -> None:
    """
    Judge the text of the request and open what it decodes to: ``%2e%2e/``.

    CVE-2014-3744, st. CWE-180.
    """
    serve(
        listener,
        lambda target: Path(root, unquote(_plain(rest_of(target, prefix)))).read_bytes(),
    )


@fault(Surface.HTTP, "confined", modelled_on="CVE-2001-0333")
@follows_links
def decodes_twice(root: str, prefix: str, listener: socket.socket) -> None:
    """Decode before the check and once more after it. CVE-2001-0333, IIS. CWE-174."""
    serve(
        listener,
        lambda target: Path(root, unquote(_plain(unquote(rest_of(target, prefix))))).read_bytes(),
    )


@fault(Surface.HTTP, "confined", modelled_on="CVE-2023-29159")
def sibling_served(root: str, prefix: str, listener: socket.socket) -> None:
    """Compare real places as text, so that ``root-evil`` passes. CVE-2023-29159, starlette."""

    def answer(target: str) -> bytes | None:
        place = settled(root, "./" + unquote(rest_of(target, prefix)))
        return Path(place).read_bytes() if place.startswith(os.path.realpath(root)) else None

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CVE-2024-23334")
@follows_links
def never_confined(root: str, prefix: str, listener: socket.socket) -> None:
    """Join and open. CVE-2024-23334, aiohttp with ``follow_symlinks``. CWE-22."""
    serve(listener, lambda target: Path(f"{root}/{rest_of(target, prefix)}").read_bytes())


@fault(Surface.HTTP, "confined", modelled_on="CWE-22, an alias without its slash")
@follows_links
def alias_without_slash(root: str, prefix: str, listener: socket.socket) -> None:
    """
    Take the prefix away without its slash, and put the root without a slash in its place.

    As ``location /static { alias /data/static; }`` in nginx: ``/static-evil/x`` leaves the folder.
    """

    def answer(target: str) -> bytes | None:
        rest = unquote(rest_of(target, prefix.rstrip("/")))
        return None if ".." in rest.split("/") else Path(root + rest).read_bytes()

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CWE-22, an alias with a slash too many")
@follows_links
def alias_with_slash(root: str, prefix: str, listener: socket.socket) -> None:
    """
    Take the prefix away without its slash, and put the root with one in its place.

    As ``location /static { alias /data/static/; }`` in nginx, where ``/static../x`` is no climb.
    """

    def answer(target: str) -> bytes | None:
        path = path_of(target)
        if ".." in unquote(path).split("/"):
            return None
        rest = rest_of(target, prefix.rstrip("/")).removeprefix("/")
        return Path(f"{root}/{unquote(rest)}").read_bytes()

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CWE-36")
@follows_links
def absolute_replaces_root(root: str, prefix: str, listener: socket.socket) -> None:
    """Refuse ``..`` and join: ``/static//etc/x`` throws the root away. CWE-36."""

    def answer(target: str) -> bytes | None:
        rest = unquote(rest_of(target, prefix))
        return None if ".." in rest.split("/") else Path(os.path.join(root, rest)).read_bytes()

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CWE-28")
@follows_links
def backslashes_turned(root: str, prefix: str, listener: socket.socket) -> None:
    r"""Turn ``\`` into ``/`` after the segments were judged. CWE-28."""

    def answer(target: str) -> bytes | None:
        rest = _plain(unquote(rest_of(target, prefix)))
        return Path(f"{root}/{rest}".replace("\\", "/")).read_bytes()

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CVE-2025-31486")
@follows_links
def query_kept_by_reader(root: str, prefix: str, listener: socket.socket) -> None:
    """
    Judge the path up to the ``?``, and open the text with what comes behind it.

    CVE-2025-31486, vite. CWE-706.
    """

    def answer(target: str) -> bytes | None:
        _plain(unquote(rest_of(target, prefix)))
        text = unquote(target.removeprefix(prefix))
        return Path(posixpath.normpath(f"{root}/{text}".replace("?", "/"))).read_bytes()

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CVE-2025-30208")
@follows_links
def door_judged_by_query(root: str, prefix: str, listener: socket.socket) -> None:
    """
    Serve files by absolute path at a second door, judged unless the query looks unknown.

    CVE-2025-30208, vite: ``?raw??`` is not ``?raw`` to the check, and is to the reader.
    """
    door = "/@fs/"

    def answer(target: str) -> bytes | None:
        path, _, query = target.partition("?")
        if not path.startswith(door):
            return _below(root, "./" + unquote(rest_of(target, prefix)))
        judged = re.search(r"(?:^|&)raw(?:$|&)", query) is None and query.rstrip("?") == query
        place = posixpath.normpath("/" + unquote(path.removeprefix(door)))
        return _below(root, place) if judged or "raw" not in query else Path(place).read_bytes()

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CVE-2021-42013 and the parameters of servlets")
@follows_links
def parameters_dropped(root: str, prefix: str, listener: socket.socket) -> None:
    """Take ``;parameters`` away from each segment after it was judged: ``/..;/``. CWE-180."""

    def answer(target: str) -> bytes | None:
        rest = _plain(unquote(rest_of(target, prefix)))
        names = [name.partition(";")[0] for name in rest.split("/")]
        return Path("/".join([root, *names])).read_bytes()

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CWE-180, a URL in the place of a path")
@follows_links
def absolute_form_trusted(root: str, prefix: str, listener: socket.socket) -> None:
    """Judge paths, and not the path of a whole URL (RFC 9112, 3.2.2), which proxies send."""

    def answer(target: str) -> bytes | None:
        rest = unquote(rest_of(target, prefix))
        whole = target.lower().startswith("http://")
        return Path(f"{root}/{rest}").read_bytes() if whole else _below(root, "./" + rest)

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CWE-180, slashes merged")
@follows_links
def empty_segments_count(root: str, prefix: str, listener: socket.socket) -> None:
    """Count an empty segment as one step down, which one ``..`` may then climb: ``//../x``."""

    def answer(target: str) -> bytes | None:
        depth = 0
        rest = unquote(rest_of(target, prefix))
        for name in rest.split("/"):
            depth += -1 if name == ".." else 1
            if depth < 0:
                return None
        return Path(f"{root}/{rest}").read_bytes()

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CVE-2026-29087")
def private_by_text(root: str, prefix: str, listener: socket.socket) -> None:
    """
    Keep a folder back by the text of the path, and decode after that: ``/admin%2Fx``.

    CVE-2026-29087, the Node server of hono. CWE-863.
    """

    def answer(target: str) -> bytes | None:
        rest = rest_of(target, prefix)
        return None if rest.startswith(PRIVATE + "/") else _below(root, "./" + unquote(rest))

    serve(listener, answer)


private_by_text.__dict__["private"] = PRIVATE  # what the suite asks for


@fault(Surface.HTTP, "confined", modelled_on="CVE-2024-6866")
@follows_links
def rule_in_any_case(root: str, prefix: str, listener: socket.socket) -> None:
    """
    Serve the folder above, guarded by a rule for the prefix that does not look at case.

    CVE-2024-6866, flask-cors. CWE-178.
    """
    above = os.path.dirname(root)

    def answer(target: str) -> bytes | None:
        path = unquote(path_of(target))
        if not path.lower().startswith(prefix) or ".." in path.split("/"):
            return None
        return Path(above + path).read_bytes()

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CVE-2019-15596")
def link_followed(root: str, prefix: str, listener: socket.socket) -> None:
    """
    Judge the text of the path alone, where links are not meant to lead out.

    CVE-2019-15596, statics-server. CWE-59.
    """
    base = os.path.realpath(root)

    def answer(target: str) -> bytes | None:
        place = os.path.normpath(f"{base}/{unquote(rest_of(target, prefix))}")
        return Path(place).read_bytes() if place.startswith(base + "/") else None

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CWE-59, O_NOFOLLOW alone")
def last_name_alone(root: str, prefix: str, listener: socket.socket) -> None:
    """
    Refuse a link in the last name of a path, as ``O_NOFOLLOW`` does, and follow linked folders.

    As superstatic did when its guard against links was new.
    """

    def answer(target: str) -> bytes | None:
        place = Path(root, _plain(unquote(rest_of(target, prefix))))
        return None if place.is_symlink() else place.read_bytes()

    serve(listener, answer)


@fault(Surface.HTTP, "confined", modelled_on="CWE-61, a link read once")
def link_read_once(root: str, prefix: str, listener: socket.socket) -> None:
    """Refuse a link whose own text leads out, and follow the link that it leads to."""
    base = os.path.realpath(root)

    def answer(target: str) -> bytes | None:
        place = f"{base}/{_plain(unquote(rest_of(target, prefix)))}"
        folder = os.path.dirname(place)
        if os.path.realpath(folder) != folder:
            return None
        if os.path.islink(place):
            place = os.path.normpath(os.path.join(folder, os.readlink(place)))
        return Path(place).read_bytes() if place.startswith(base + "/") else None

    serve(listener, answer)
