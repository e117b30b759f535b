"""How a path, a host or a tool is spelt in the workloads: honest ones, and refused ones by name."""

import random
from collections.abc import Callable

Shape = Callable[[str, random.Random], str]  # of a granted root or host, another text

TOOL = "summarize"
WORDS = ("data", "in", "2024", "invoices", "q3", "a.b", "reports", "x.csv", "summary.txt", "tmp")


def below(place: str, draw: random.Random) -> str:
    """Return a path of one to five segments below ``place``."""
    return "/".join([place, *(draw.choice(WORDS) for _ in range(draw.randint(1, 5)))])


def _floor(place: str) -> str:
    """Return what stands before the world's own part of a root."""
    return place[: place.index("/srv/")]


# Seven in eleven are plain, as what honest agents ask for.
HONEST_PATHS: tuple[Shape, ...] = (
    *(below,) * 7,
    lambda place, _: place,
    lambda place, draw: below(place, draw) + "/",
    lambda place, draw: below(place + "/.", draw).replace("/srv/", "/srv//"),
    lambda place, draw: below(place + "/a..b", draw),
)
REFUSED_PATHS: dict[str, Shape] = {
    "elsewhere": lambda place, _: _floor(place) + "/etc/passwd",
    "above": lambda place, _: _floor(place) + "/srv",
    "shortened root": lambda place, _: place[:-1],
    "sibling": lambda place, draw: below(place + "-old", draw),
    "other case": lambda place, draw: below(_floor(place) + "/SRV" + place[-13:], draw),
    "outside, not canonical": lambda place, draw: below(_floor(place) + "/srv/./elsewhere", draw),
    "climb": lambda place, _: place + "/../../etc/passwd",
    "climb from below": lambda place, draw: below(place, draw) + "/.." * 8 + "/etc/shadow",
    "climb by backslash": lambda place, _: place + "\\..\\..\\etc\\passwd",
    "NUL": lambda place, draw: below(place, draw) + "\0.txt",
}
HONEST_HOSTS: tuple[Shape, ...] = (
    *(lambda name, _: name,) * 8,
    lambda name, _: name.upper(),
    lambda name, _: name + ".",
)
REFUSED_HOSTS: dict[str, Shape] = {
    "elsewhere": lambda _, draw: draw.choice(("evil.test", "localhost", "metadata.internal")),
    "IPv4 address": lambda _, __: "169.254.169.254",
    "IPv6 address": lambda _, draw: draw.choice(("::1", "fd00::a:1", "2001:db8::1")),
    "granted as a label": lambda name, _: name + ".evil.test",
    "subdomain": lambda name, _: "x." + name,
    "shortened": lambda name, _: name[1:],
    "other separator": lambda name, _: name.replace(".", "-"),
    "port": lambda name, _: name + ":80",
    "user": lambda name, _: name + "@evil.test",
    "odd address": lambda _, draw: draw.choice(("0x7f.1", "2130706433", "127.1", "0177.0.0.1")),
    "dotless i": lambda name, _: name.replace("i", "\u0131"),
    "two dots": lambda name, _: name + "..",
}
REFUSED_TOOLS: dict[str, Shape] = {
    "unknown": lambda _, draw: draw.choice(("shell", "exec")),
    "other case": lambda name, _: name.title(),
    "blank": lambda name, _: name + " ",
    "long": lambda _, __: "s" * 200,
}
MALFORMED: tuple[object, ...] = (
    (),
    ("fs_read",),
    ("fs_read", 7),
    ("fs_list", "/srv"),
    ("fs_write", "/srv/tenant000000/x", 1.5),
    ["fs_read", "/srv/tenant000000/x"],
    None,
    "fs_read /srv/tenant000000/x",
)
