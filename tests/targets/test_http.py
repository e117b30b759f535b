"""HTTP targets: raw requests, judged by content alone; nothing planted or started is left."""

import os
import socket
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from capfuzz.attacks.case import Case, Surface, WorldSpec
from capfuzz.attacks.invariants import judge
from capfuzz.engine import Capabilities
from capfuzz.targets import TargetError
from capfuzz.targets.http import HttpTarget, served_at
from capfuzz.targets.http_forms import Served, adapted, planted, request_of
from capfuzz.targets.http_wire import MOST_BYTES, Gone, NoAnswer, Wire
from capfuzz.targets.spec import Options, load

FILES = {
    "/work/data.txt": b"honest data",
    "/work/a b.txt": b"honest blank",
    "/other/secret.txt": b"secret of other",
    "/WORK/secret.txt": b"secret of capitals",
    "/private/secret.txt": b"secret kept back",
}
SERVED = Served("/srv/x/site", "127.0.0.1:80", "/s/")


def case(*ops, verdicts=(), links=None):
    """Return a case with these ops under the grant of one root."""
    grant = Capabilities(fs_read=("/work/",))
    names = ("climb",) * len(ops)
    return Case(grant, WorldSpec(FILES, links or {}), ops, names, "test", verdicts)


@contextmanager
def answering(answers):
    """Listen on loopback and send the next of ``answers`` for each request, bytes as they are."""
    listener = socket.create_server(("127.0.0.1", 0))
    heard = []

    def serve():
        left = iter(answers)
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                while request := connection.recv(65536):
                    heard.append(request)
                    answer = next(left, None)
                    if answer is None:
                        break
                    connection.sendall(answer)
                    if b"close" in answer:
                        break

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1], heard
    finally:
        listener.close()


def ok(body, *fields):
    """Return an answer with a body and its length."""
    lines = ["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", *fields]
    return "\r\n".join([*lines, "", ""]).encode() + body


@contextmanager
def wired(port):
    """Return a wire that is closed in the end."""
    wire = Wire("127.0.0.1", port)
    try:
        yield wire
    finally:
        wire.close()


@contextmanager
def target(folder, port, **options):
    """Return a target for a server on ``port`` that is said to serve ``folder``."""
    made = HttpTarget("test", Served(str(folder), f"127.0.0.1:{port}", "/s/"), port, **options)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def site(tmp_path):
    """Return a folder with a file of somebody else's in it."""
    folder = tmp_path / "above" / "site"
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("not planted")
    return folder


# ---------------------------------------------------------------- the wire


def test_a_target_is_sent_exactly_as_it_is_given():
    """A client that normalises would try no attack at all."""
    with answering([ok(b"x")]) as (port, heard), wired(port) as wire:
        wire.ask(b"/s/../%2e%2E/..\\x?a#b", 2)
    assert heard[0].startswith(b"GET /s/../%2e%2E/..\\x?a#b HTTP/1.1\r\n")


@pytest.mark.parametrize("target", [b"/a\r\nHost: evil", b"/a\nb", b"/a\rb"])
def test_no_second_request_is_ever_sent(target):
    """A line end would smuggle a request of the attacker's choice to whoever listens."""
    refused = pytest.raises(ValueError, match="line end")
    with answering([]) as (port, heard), wired(port) as wire, refused:
        wire.ask(target, 2)
    assert heard == []


def test_chunks_are_put_together():
    """A secret that crosses a chunk's end would be overlooked."""
    chunked = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"
    )
    with answering([chunked, ok(b"next")]) as (port, _), wired(port) as wire:
        assert [b"abcde", b"next"] == [wire.ask(b"/", 2).body for _ in range(2)]


def test_a_connection_that_was_closed_is_opened_again():
    """A server that closes kept connections would look as if it refused every second request."""
    answers = [ok(b"one", "X: close"), ok(b"two")]
    with answering(answers) as (port, _), wired(port) as wire:
        assert [b"one", b"two"] == [wire.ask(b"/", 2).body for _ in range(2)]


def test_what_comes_before_a_cut_counts():
    """A server that sends a secret and breaks off would pass."""
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nsecret, close"
    with answering([cut]) as (port, _), wired(port) as wire:
        assert wire.ask(b"/", 2).body == b"secret, close"


def test_megabytes_are_not_read_to_the_end():
    """A server could fill the memory of the suite."""
    huge = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * (MOST_BYTES + 5_000_000)
    with answering([huge]) as (port, _):
        assert len(Wire("127.0.0.1", port).ask(b"/", 20).body) <= MOST_BYTES + 65_536


@pytest.mark.parametrize(
    "answer", [b"nonsense\r\n\r\nclose", b"HTTP/1.1 x\r\n\r\nclose", b"\r\n\r\nclose"]
)
def test_what_is_no_http_is_no_answer(answer):
    """Garbage would end the campaign with a traceback."""
    with answering([answer] * 3) as (port, _), wired(port) as wire, pytest.raises(NoAnswer):
        wire.ask(b"/", 2)


def test_silence_is_a_hang_and_nobody_is_nobody():
    """A hang and a refusal would look the same."""
    with answering([b""]) as (port, _), pytest.raises(TimeoutError):
        Wire("127.0.0.1", port).ask(b"/", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(Gone):
        Wire("127.0.0.1", port).ask(b"/", 2)


# ---------------------------------------------------------------- what is asked


def test_a_path_follows_the_prefix_as_it_is_spelt():
    """An attack would be sent in another spelling than the one that it is about."""
    made = adapted(case(("fs_read", "/work/a/%2E%2e/x;a?b")), SERVED)
    assert made.ops == (("fs_read", "/site/a/%2E%2e/x;a?b"),)
    assert request_of(made.ops[0], made.grant.fs_read[0], SERVED) == b"/s/a/%2E%2e/x;a?b"


def test_only_what_a_request_line_cannot_hold_is_encoded():
    """A blank or a line end would end the request line, and the rest would be lost or smuggled."""
    made = adapted(case(("fs_read", "/work/a b\r\n\0\u00e9")), SERVED)
    assert made.ops == (("fs_read", "/site/a%20b%0D%0A%00%C3%A9"),)


def test_an_honest_name_is_encoded_as_a_client_does():
    """A file called 50%25.png would be asked for as 50%.png, and missed."""
    made = adapted(case(("fs_read", "/work/50%25#?.png"), verdicts=("allow",)), SERVED)
    assert made.ops == (("fs_read", "/site/50%2525%23%3F.png"),)


def test_an_absolute_path_is_led_to_what_was_planted():
    """A server that opens absolute paths would be sent to files of the machine."""
    made = adapted(case(("fs_read", "/other/secret.txt")), SERVED)
    target = request_of(made.ops[0], made.grant.fs_read[0], SERVED)
    assert target == b"/s//srv/x/other/secret.txt"


def test_names_in_a_request_are_filled_in():
    """A vector would hold for one server alone."""
    served = Served("/srv/x/site", "127.0.0.1:80", "/s/", "/admin")
    text = "http://{host}{prefix}/{name}{floor}{private}/{encoded}{PREFIX}{NAME}"
    made = adapted(case(("request", text)), served)
    target = request_of(made.ops[0], "/site", served)
    assert target == b"http://127.0.0.1:80/s/site/srv/x/admin/%61%64%6d%69%6e/SSITE"


@pytest.mark.parametrize(
    "one",
    [
        case(("fs_read", "/work/../../../x")),
        case(("request", "{prefix}/../../../x")),
        case(("request", "{prefix}/%252e%252e/%2e%2e/../x")),
        case(("request", "{prefix}{private}/x")),
        case(("fs_read", "/work/top/.."), links={"/work/top": "/"}),
        case(("fs_read", "/work/x"), links={"/work": "/other"}),
        case(("request", "{prefix}/x"), links={"/work/door": "/other/secret.txt"}),
        case(("fs_write", "/work/x", "y")),
        case(("tool", "x")),
        case(),
    ],
)
def test_what_leads_too_far_or_is_no_read_is_left_out(one):
    """A request would leave what was planted, or an op would be counted that nobody tried."""
    assert adapted(one, SERVED) is None


def test_links_are_named_as_the_folder_is():
    """A link would lead beside the planted file, and whoever follows it would hold."""
    links = {"/work/door": "/other/secret.txt", "/work/in": "/work/data.txt", "/away": "work"}
    made = adapted(case(("fs_read", "/work/door"), links=links), SERVED)
    assert made.ops == (("fs_read", "/site/door"),)
    assert made.world.links == {
        "/site/door": "/other/secret.txt",
        "/site/in": "/site/data.txt",
        "/away": "work",
    }
    assert made == adapted(made, SERVED)


def test_a_server_that_is_meant_to_follow_links_is_not_asked_about_them():
    """A server would be blamed for what it documents."""
    linked = case(("fs_read", "/work/door"), links={"/work/door": "/other/secret.txt"})
    plain = case(("fs_read", "/work/data.txt"))
    assert adapted(linked, SERVED, follows_links=True) is None
    assert adapted(plain, SERVED, follows_links=True) == adapted(plain, SERVED)


def test_what_is_kept_back_is_led_to_where_it_stands():
    """A link to a private file would dangle, and a server that follows it would hold."""
    served = Served("/srv/x/site", "127.0.0.1:80", "/s/", "/admin")
    world = planted(WorldSpec(FILES, {"/site/door": "/private/secret.txt"}), served)
    assert world.links == {"/site/door": "/site/admin/secret.txt"}
    assert world.files["/site/admin/secret.txt"] == b"secret kept back"


# ---------------------------------------------------------------- what is judged


def seen(trace):
    """Return what a trace shows: the places whose content came back, by op."""
    return [[effect.place for effect in step.effects] for step in trace.steps]


def test_content_decides_and_not_the_status(site):
    """A front page for everything would be an escape, or a secret in an error page none."""
    found = ok(b"<h1>welcome</h1>")
    told = b"HTTP/1.1 500 No\r\nContent-Length: 19\r\n\r\n<secret of other/>\n"
    with answering([found, told]) as (port, _), target(site, port) as made:
        asked = made.adapt(case(("fs_read", "/work/../other/secret.txt")))
        first, second = made.run(asked), made.run(asked)
    assert ([[]], ()) == (seen(first), judge(first).breaches)
    assert [["/other/secret.txt"]] == seen(second)
    assert ["confined"] == [one.invariant for one in judge(second).breaches]


def test_an_honest_file_must_come_with_its_own_content(site):
    """A server that answers everything with another file would pass as useful."""
    answers = [ok(b"honest blank"), ok(b"honest data")]
    with answering(answers) as (port, _), target(site, port) as made:
        asked = made.adapt(case(("fs_read", "/work/data.txt"), verdicts=("allow",)))
        wrong, right = made.run(asked), made.run(asked)
    assert ["control-allowed"] == [one.invariant for one in judge(wrong).breaches]
    assert judge(right).breaches == ()


@pytest.mark.parametrize("path", ["/work/%2fdata.txt", "/work/d%61ta.txt", "/work/none.txt"])
def test_an_honest_name_that_no_client_spells_so_may_be_refused(site, path):
    """A right server would be blamed for over-blocking."""
    with answering([ok(b"not found")]) as (port, _), target(site, port) as made:
        assert judge(made.run(made.adapt(case(("fs_read", path))))).breaches == ()


def test_a_hang_is_told(site):
    """A request that stops the server for good would pass as refused."""
    with answering([b""]) as (port, _), target(site, port, op_limit=0.2) as made:
        trace = made.run(made.adapt(case(("fs_read", "/work/x"))))
    assert [True] == [step.answer.hung for step in trace.steps]


def test_a_server_that_is_gone_ends_the_campaign_in_one_line(site):
    """Nothing but refusals would be seen, and the verdict would be that all held."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with target(site, port) as made, pytest.raises(TargetError, match="nobody listens"):
        made.run(made.adapt(case(("fs_read", "/work/x"))))


def test_the_folder_is_as_before(site):
    """What is somebody's own would be overwritten, or secrets would lie about."""
    before = {str(path) for path in site.parent.rglob("*")}
    with answering([ok(b"honest data")]) as (port, _), target(site, port) as made:
        made.run(made.adapt(case(("fs_read", "/work/data.txt"))))
        assert Path(site.parent, "other", "secret.txt").read_bytes() == b"secret of other"
        assert Path(site.parent, "SITE", "secret.txt").exists() is False  # a path case: no twin
    assert before == {str(path) for path in site.parent.rglob("*")}
    assert (site / "mine.txt").read_text() == "not planted"


# ---------------------------------------------------------------- specs


@pytest.mark.parametrize(
    "spec",
    [
        "http://10.0.0.1:80/",
        "http://example.test:80/",
        "https://127.0.0.1:80/",
        "http://127.0.0.1/",
        "http://127.0.0.1:99999/",
        "http://u@127.0.0.1:80/",
        "http://127.0.0.1:80@evil.test/",
        "http://127.0.0.1:80/\n",
        "http://0.0.0.0:80/",
    ],
)
def test_only_loopback_is_attacked(spec, tmp_path):
    """The suite would send hostile requests to somebody else's machine."""
    with pytest.raises(TargetError, match="loopback"):
        served_at(spec, str(tmp_path), None)


def test_what_a_url_names(tmp_path):
    """A prefix without its slash would be joined to the first name."""
    served, port = served_at("http://localhost:81/static", str(tmp_path), "admin/")
    assert served == Served(os.path.realpath(tmp_path), "127.0.0.1:81", "/static/", "/admin")
    assert port == 81


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "--root"),
        ({"root": "/nowhere/at/all"}, "not a folder"),
        ({"root": ".", "private": "a/b"}, "one plain name"),
        ({"root": ".", "allow_host": "x"}, "--allow-host is for host targets"),
        ({"root": ".", "tool_map": "x"}, "--tool-map is for mcp targets"),
        ({"root": ".", "surface": Surface.MCP}, "cannot be asked"),
    ],
)
def test_a_wrong_option_is_told(options, told):
    """A misunderstanding would be reported as a verdict."""
    with pytest.raises(TargetError, match=told):
        load("http://127.0.0.1:9/", Options(**options))


# ---------------------------------------------------------------- servers of our own


def test_a_server_of_ours_is_started_asked_and_ended(home):
    """A process or a folder would be left on the machine."""
    made = load("py:capfuzz.targets.broken.http:never_confined", Options(surface=Surface.HTTP))
    pid = made._server._child.process.pid
    try:
        trace = made.run(made.adapt(case(("request", "{prefix}/../other/secret.txt"))))
    finally:
        made.close()
    assert [["/other/secret.txt"]] == seen(trace)
    assert [] == list(home.iterdir())
    assert not Path(f"/proc/{pid}").exists()


LINKED = {"/work/door": "/other/secret.txt", "/work/hall": "../other", "/work/in": "data.txt"}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("broken.http:link_followed", [["/other/secret.txt"]] * 2),
        ("broken.http:last_name_alone", [[], ["/other/secret.txt"]]),
        ("right.http:no_link_on_the_way", [[], []]),
    ],
)
def test_a_link_out_of_the_folder_is_planted_and_followed_or_not(name, shown, home):
    """A server that follows a link out of its root would pass."""
    made = load(f"py:capfuzz.targets.{name}", Options(surface=Surface.HTTP))
    ops = (("fs_read", "/work/door"), ("fs_read", "/work/hall/secret.txt"))
    try:
        trace = made.run(made.adapt(case(*ops, links=LINKED)))
        plain = made.run(made.adapt(case(*ops)))
    finally:
        made.close()
    assert shown == seen(trace)
    assert any(shown) == ("confined" in [one.invariant for one in judge(trace).breaches])
    assert [[], []] == seen(plain)  # the links are gone by then
    assert [] == list(home.iterdir())


def test_a_function_or_an_option_says_that_links_are_followed():
    """A server would be blamed for what it documents, or never be asked."""
    linked = case(("fs_read", "/work/door"), links=LINKED)
    asked = [
        ("right.http:library_handler", False),
        ("right.http:realpath_once_decoded", True),
        ("right.http:realpath_once_decoded", False),
    ]
    taken = []
    for name, option in asked:
        options = Options(surface=Surface.HTTP, follows_links=option)
        made = load(f"py:capfuzz.targets.{name}", options)
        taken.append(made.adapt(linked) is not None)
        made.close()
    assert [False, False, True] == taken


def test_a_request_that_ends_the_server_is_told_and_the_next_one_asked(home, tmp_path, monkeypatch):
    """A crash would look like a refusal, and everything after it, too."""
    (tmp_path / "crashing.py").write_text(_CRASHING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    made = load("py:crashing:serve_files", Options(surface=Surface.HTTP))
    try:
        asked = made.adapt(case(("fs_read", "/work/crash"), ("fs_read", "/work/data.txt")))
        trace = made.run(asked)
    finally:
        made.close()
    assert ["ServerDied", None] == [step.answer.raised for step in trace.steps]
    assert [[], ["/served/data.txt"]] == seen(trace)


_CRASHING = """
import os
from pathlib import Path
from capfuzz.targets.right.serving import rest_of, serve

def serve_files(root, prefix, listener):
    def answer(target):
        if "crash" in target:
            os._exit(1)
        return Path(root, rest_of(target, prefix)).read_bytes()
    serve(listener, answer)
"""


def test_a_server_that_does_not_start_is_told_with_its_words(tmp_path, monkeypatch):
    """Whoever wrote it would not know what is wrong."""
    (tmp_path / "failing.py").write_text("def serve_files(root, prefix, listener): 1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(TargetError, match="ZeroDivisionError"):
        load("py:failing:serve_files", Options(surface=Surface.HTTP))
