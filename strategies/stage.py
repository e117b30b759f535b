"""The world of generated cases: something stands wherever a fault could lead."""

from capfuzz.attacks.case import Behaviour, WorldSpec
from capfuzz.attacks.expansion.stage import SECRETS

# Links are named unlike any root, so that a boundary fault and a link fault do not blur.
LINKS = {
    "/work/shortcut": "/etc",
    "/work/alias": "/work/sub",
    "/work/out/door": "/etc/passwd",
    "/work/out/dangling": "/other/new.txt",
}
LINKED_PATHS = (*LINKS, "/work/shortcut/passwd", "/work/alias/file.txt", "/work/alias/../data.txt")

# Named as honest files are, for whoever remembers a name without its folder.
NAMESAKES = ("/workshop/data.txt", "/other/file.txt", "/etc/report.txt")

WORLD = WorldSpec(
    files={
        "/work/data.txt": b"honest data",
        "/work/accents.txt": "h\u00f4n\u00eate \u6587\u5b57".encode(),
        "/work/sub/file.txt": b"honest file",
        "/work/out/report.txt": b"honest report",
        "/system/config": b"secret of /system/config",
    }
    | {place: f"secret of {place}".encode() for place in (*SECRETS, *NAMESAKES)},
    links=LINKS,
    hosts={
        "api.internal": {"/status": "ok", "/away": ("evil.test", "/steal")},
        "10.0.0.1": {"/status": "ten"},
        "127.0.0.1": {"/status": "loopback"},
        "fd00::a:1": {"/status": "six"},
        "evil.test": {"/steal": "taken", "/status": "taken"},
    },
    tools={
        "summarize": Behaviour.ECHO,
        "delete_all": Behaviour.ECHO,
        "fails": Behaviour.RAISE,
        "flood": Behaviour.FLOOD,
        "again": Behaviour.REENTER,
    },
)
# A function of a root and a path is not asked about links that the suite made up.
PLAIN_WORLD = WorldSpec(files=WORLD.files, hosts=WORLD.hosts)

# Roots that share prefixes, nest and lie apart; the comfortable one comes first.
ROOTS = ("/work/", "/work/sub", "/workshop", "/work-evil/", "/work.bak", "/work2", "/other")
WRITES: tuple[tuple[str, ...], ...] = (
    ("/work/out/",),
    (),
    ("/work/out", "/work2/"),
    ("/other", "/work/sub/"),
    ("/workshop", "/work/out"),
    ("/work/",),
)
HOSTS: tuple[tuple[str, ...], ...] = (
    ("api.internal",),
    (),
    ("api.internal", "10.0.0.1"),
    ("127.0.0.1",),
    ("evil.test", "API.internal."),
    ("fd00::a:1",),
)
TOOLS: tuple[tuple[str, ...], ...] = (
    ("summarize",),
    (),
    ("summarize", "again"),
    ("summarize", "fails", "flood", "again"),
    ("delete_all",),
)
MAX_OPS = (50, 20, 5, 3, 2, 1, 0)
MAX_OUTPUT = (100_000, 1_000, 40, 23, 12, 11, 0)
MAX_WALL = (1_000, 20, 5, 3, 2, 1, 0)
STEPS = (1, 0, 2, -1, 5, -3, 50, 1)  # ticks between two readings
