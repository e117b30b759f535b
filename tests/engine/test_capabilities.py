"""The grant: what it refuses to be made from, and that nothing changes it afterwards."""

import copy
import dataclasses
import operator
import pickle
from dataclasses import FrozenInstanceError
from math import inf, nan

import pytest
from capfuzz.engine import Capabilities, GrantError

from .twins import Twin

LISTS = ["fs_read", "fs_write", "net_hosts", "allowed_tools"]
PREFIXES = ["fs_read", "fs_write"]
BUDGETS = ["max_ops", "max_output_bytes", "max_wall"]
FIELDS = [*LISTS, *BUDGETS]


class _Text(str):
    """A str that is not a plain one."""

    __slots__ = ()


class _TextTwin(str, metaclass=Twin):
    """A str whose class equals str."""

    __slots__ = ()


class _WholeTwin(int, metaclass=Twin):
    """An int whose class equals int."""


class _Whole(int):
    """An int that is not a plain one."""


class _Index:
    """A thing that could pass for an int."""

    def __index__(self):
        return 3

    __int__ = __index__


def _grant():
    return Capabilities(
        ("/work/",), ("/work/out/",), ("API.internal.",), {"summarize"}, 7, 100_000, 9
    )


def test_the_fields_come_in_the_order_of_the_document():
    """Else a grant made by position would put one authority in the place of another."""
    caps = _grant()
    assert FIELDS == [field.name for field in dataclasses.fields(caps)][:7]
    assert (
        ("/work/",),
        ("/work/out/",),
        ("API.internal.",),
        frozenset({"summarize"}),
        7,
        100_000,
        9,
    ) == (
        caps.fs_read,
        caps.fs_write,
        caps.net_hosts,
        caps.allowed_tools,
        caps.max_ops,
        caps.max_output_bytes,
        caps.max_wall,
    )


def test_what_is_not_said_is_not_granted():
    """Else an unset list would grant something, or the budgets would not be the documented ones."""
    caps = Capabilities()
    assert ((), (), (), frozenset(), 1_000, 1_000_000, 1_000_000) == tuple(
        getattr(caps, name) for name in FIELDS
    )
    assert [False, False, frozenset()] == [
        caps.readable.cover("/"),
        caps.writable.cover("/"),
        caps.hosts,
    ]


def test_the_grant_is_compiled_from_its_own_fields():
    """Else a list would be checked in the place of another."""
    caps = _grant()
    assert [True, False, True, frozenset({"api.internal"})] == [
        caps.readable.cover("/work/x"),
        caps.writable.cover("/work/x"),
        caps.writable.cover("/work/out/x"),
        caps.hosts,
    ]


def test_a_grant_shows_what_it_grants_and_no_more():
    """Else a report would drown the grant in compiled tables, or leave out a budget."""
    assert (
        "Capabilities(fs_read=('/work/',), fs_write=('/work/out/',), net_hosts=('API.internal.',), "
        "allowed_tools=frozenset({'summarize'}), max_ops=7, max_output_bytes=100000, max_wall=9)"
    ) == repr(_grant())


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("kind", [list, tuple, set, frozenset, iter, dict.fromkeys])
def test_a_list_may_be_any_collection_of_str(name, kind):
    """Else an honest collection would be refused, or read only in part."""
    caps = Capabilities(**{name: kind(["/a"] if name in PREFIXES else ["a"])})
    assert ["/a" if name in PREFIXES else "a"] == list(getattr(caps, name))


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("/work/", "must be a collection of str, not a str"),
        (b"/work/", "must be a collection of str, not a bytes"),
        (_Text("/work/"), "must be a collection of str, not a _Text"),
        (None, "must be a collection of str, not a NoneType"),
        (7, "must be a collection of str, not a int"),
        ([b"/work/"], "every entry must be a plain str, not a bytes"),
        ([_Text("/work/")], "every entry must be a plain str, not a _Text"),
        ([_TextTwin("/work/")], "every entry must be a plain str, not a _TextTwin"),
        (["/ok", None], "every entry must be a plain str, not a NoneType"),
        ([["/work/"]], "every entry must be a plain str, not a list"),
        ([""], "an empty entry grants nothing"),
    ],
)
def test_anything_else_is_no_list(name, value, rule):
    """Else a bare `"/work/"` would grant `/`, or an entry would lie about what it equals."""
    with pytest.raises(GrantError, match=f"^{name}: {rule}"):
        Capabilities(**{name: value})


@pytest.mark.parametrize("name", PREFIXES)
@pytest.mark.parametrize(
    ("prefix", "rule"),
    [
        ("/work/..", "has a '..' segment"),
        ("/work/../etc", "has a '..' segment"),
        ("..", "has a '..' segment"),
        ("/work\\..\\etc", "has a '..' segment"),
        ("work", "must be absolute"),
        ("./work", "must be absolute"),
        (".", "must be absolute"),
        ("~", "must be absolute"),
        ("C:\\work", "must be absolute"),
        ("/wo\0rk", "without controls"),
        ("/work\n", "without controls"),
        ("/work\ud800", "lone surrogates"),
    ],
)
def test_a_prefix_that_seems_to_say_something_else_is_refused(name, prefix, rule):
    """Else a typing error would become authority over another place."""
    with pytest.raises(GrantError, match=f"^{name}: .*{rule}"):
        Capabilities(**{name: ["/fine", prefix]})


@pytest.mark.parametrize(
    "prefix", ["/", "//", "/work", "/work/", "//work//", "/a..b", "/...", "/%2e", "/*"]
)
def test_an_absolute_prefix_is_taken_as_it_is_written(prefix):
    """Else an honest grant would be refused or rewritten."""
    caps = Capabilities(fs_read=[prefix], fs_write=[prefix])
    assert [(prefix,), (prefix,)] == [caps.fs_read, caps.fs_write]


@pytest.mark.parametrize(
    "host",
    [
        *(
            "*.x",
            "*",
            "h:80",
            "0x7f.1",
            "127.1",
            "2130706433",
            "http://h",
            "[::1]",
            "::ffff:1.2.3.4",
        ),
        *(".", "a..b", "a b", "a/b", "u@h", "h%00", "bücher.example", "a" * 64, "\ud800"),
    ],
)
def test_a_host_that_is_not_plain_is_refused(host):
    """Else a grant would look as if it held a wildcard or a port, and match nothing or too much."""
    with pytest.raises(GrantError, match=r"^net_hosts: .* is neither a plain host name nor an IP"):
        Capabilities(net_hosts=["fine.example", host])


@pytest.mark.parametrize("name", BUDGETS)
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "bool"),
        (False, "bool"),
        (nan, "float"),
        (inf, "float"),
        (1.0, "float"),
        ("7", "str"),
        (None, "NoneType"),
        (_Whole(7), "_Whole"),
        (_WholeTwin(7), "_WholeTwin"),
        (_Index(), "_Index"),
    ],
)
def test_a_budget_is_a_plain_int(name, value, kind):
    """Else `NaN`, which no count exceeds, would be a budget without end."""
    with pytest.raises(GrantError, match=f"^{name}: must be an int, not a {kind}$"):
        Capabilities(**{name: value})


@pytest.mark.parametrize("name", BUDGETS)
@pytest.mark.parametrize("value", [-1, -(10**30)])
def test_a_budget_is_not_negative(name, value):
    """Else a budget would mean less than nothing, or wrap around to everything."""
    with pytest.raises(GrantError, match=f"^{name}: must not be negative, got {value}$"):
        Capabilities(**{name: value})


@pytest.mark.parametrize("name", BUDGETS)
@pytest.mark.parametrize("value", [0, 1, 10**30])
def test_any_other_int_is_a_budget(name, value):
    """Else nothing at all, or a great deal, could not be granted."""
    assert value == getattr(Capabilities(**{name: value}), name)


@pytest.mark.parametrize("kind", [ValueError, TypeError])
def test_a_refused_grant_is_both_kinds_of_error(kind):
    """Else whoever expects the one kind would let the other through."""
    assert issubclass(GrantError, kind)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("kind", [list, set])
def test_the_collection_a_grant_was_made_from_is_not_the_grant(name, kind):
    """Else whoever keeps the list could widen the grant through it."""
    source = kind(["/a"])
    if name == "net_hosts":
        source = kind(["a"])
    caps = Capabilities(**{name: source})
    before = getattr(caps, name), caps.hosts, caps.readable.cover("/b"), caps.writable.cover("/b")
    getattr(source, "append", getattr(source, "add", None))("/b")
    assert before == (
        getattr(caps, name),
        caps.hosts,
        caps.readable.cover("/b"),
        caps.writable.cover("/b"),
    )


@pytest.mark.parametrize("name", LISTS)
def test_what_a_grant_hands_out_cannot_be_changed(name):
    """Else `caps.allowed_tools.add(...)` would grant a tool."""
    assert type(getattr(_grant(), name)) in {tuple, frozenset}


WIDENING = {
    "attribute": lambda caps, wide: setattr(caps, "fs_read", wide.fs_read),
    "budget": lambda caps, wide: setattr(caps, "max_ops", wide.max_ops),
    "compiled": lambda caps, wide: setattr(caps, "readable", wide.readable),
    "compiled hosts": lambda caps, wide: setattr(caps, "hosts", wide.hosts),
    "new attribute": lambda caps, wide: setattr(caps, "more", wide),
    "delete": lambda caps, wide: delattr(caps, "max_ops"),
    "class": lambda caps, wide: setattr(caps, "__class__", type("Wide", (Capabilities,), {})),
    "init": lambda caps, wide: caps.__init__(fs_read=("/",)),
    "roots": lambda caps, wide: setattr(caps.readable, "scanned", ("/",)),
    "roots, setstate": lambda caps, _wide: caps.readable.__setstate__([("/",), frozenset(), ()]),
    "setstate": lambda caps, wide: caps.__setstate__([getattr(wide, name) for name in FIELDS]),
    "setstate, nothing": lambda caps, wide: caps.__setstate__(None),
    "vars": lambda caps, wide: vars(caps).update(max_ops=10),
    "item": lambda caps, wide: operator.setitem(caps.fs_read, 0, "/"),
}


@pytest.mark.parametrize("way", WIDENING)
def test_a_grant_cannot_be_changed_after_it_is_made(way):
    """Else a workload that holds its grant could widen it."""
    caps, wide = (
        _grant(),
        Capabilities(("/",), ("/",), ("evil.com",), {"shell"}, 10**9, 10**9, 10**9),
    )
    with pytest.raises((AttributeError, TypeError)):
        WIDENING[way](caps, wide)
    assert _grant() == caps
    assert [False, frozenset({"api.internal"})] == [caps.readable.cover("/etc"), caps.hosts]


@pytest.mark.parametrize("way", ["init", "setstate", "attribute"])
def test_the_error_says_that_a_grant_is_frozen(way):
    """Else whoever tries would not learn which rule stood in the way."""
    with pytest.raises(FrozenInstanceError):
        WIDENING[way](_grant(), _grant())


COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {p}": lambda c, p=p: pickle.loads(pickle.dumps(c, p)) for p in range(6)},
}


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_is_the_same_grant(way):
    """Else a grant sent to another process would be wider or narrower there."""
    caps = _grant()
    twin = COPIES[way](caps)
    assert [caps, Capabilities] == [twin, type(twin)]
    assert [True, False, caps.hosts] == [
        twin.readable.cover("/work/x"),
        twin.readable.cover("/etc"),
        twin.hosts,
    ]


def test_a_copy_is_checked_like_a_new_grant():
    """Else a doctored pickle would carry a grant that no rule lets anyone make."""
    made, (*lists, _, output, wall) = _grant().__reduce__()
    with pytest.raises(GrantError, match="max_ops"):
        made(*lists, -1, output, wall)


def test_a_replaced_field_makes_another_grant_under_the_same_rules():
    """Else `dataclasses.replace` would change the grant in use or skip its rules."""
    caps = _grant()
    wide = dataclasses.replace(caps, fs_read=["/"])
    assert [True, False] == [wide.readable.cover("/etc"), caps.readable.cover("/etc")]
    with pytest.raises(GrantError, match="fs_read"):
        dataclasses.replace(caps, fs_read=["/work/.."])


@pytest.mark.parametrize("name", ["readable", "writable", "hosts"])
def test_what_is_compiled_cannot_be_replaced(name):
    """Else a grant could say one thing and allow another."""
    with pytest.raises((TypeError, ValueError)):
        dataclasses.replace(
            _grant(), **{name: getattr(Capabilities(["/"], ["/"], ["evil.com"]), name)}
        )


def test_equal_grants_are_one_key():
    """Else a cache or a report would hold one grant twice."""
    assert 1 == len({_grant(), _grant()})


@pytest.mark.parametrize(
    "change",
    [
        {"fs_read": ["/w"]},
        {"fs_write": ["/w"]},
        {"net_hosts": ["a"]},
        {"allowed_tools": ["t"]},
        {"max_ops": 8},
        {"max_output_bytes": 8},
        {"max_wall": 8},
    ],
)
def test_different_grants_are_not_equal(change):
    """Else a grant that changed would pass for one that was kept."""
    assert _grant() != dataclasses.replace(_grant(), **change)
