"""Ops of a program in a sandbox of the system: what a grant says of each kind, in tables."""

import pytest
from capfuzz.attacks.case import Case, Surface, Verdict, WorldSpec
from capfuzz.attacks.kernel import KINDS
from capfuzz.attacks.oracle import rulings
from capfuzz.attacks.rulings import MALFORMED, Setting, rule
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.trace import Answer, Step, Trace
from capfuzz.attacks.vectors import load
from capfuzz.engine import Capabilities

DENY, ALLOW, CONTAIN = Verdict.DENY, Verdict.ALLOW, Verdict.CONTAIN
WORLD = WorldSpec(
    files={
        "/work/data.txt": b"honest",
        "/work/sub/file.txt": b"honest",
        "/work/out/report.txt": b"honest",
        "/other/secret.txt": b"secret",
    },
    links={"/work/out/door": "/other/secret.txt"},
)
GRANT = Capabilities(fs_read=["/work/"], fs_write=["/work/out/"])
OPEN = Capabilities(fs_read=["/work/"], net_hosts=["127.0.0.1"])
INSIDE, READABLE, OUTSIDE = "/work/out/report.txt", "/work/data.txt", "/other/secret.txt"
# What follows the place, of kinds that change what stands at one.
CHANGES = {
    "fs_append": ("more",),
    "fd_reopen": ("more",),
    "fs_truncate": (4,),
    "fs_unlink": (),
    "fs_chmod": (0o640,),
    "fd_chmod": (0o640,),
    "fs_chown": (1, 1),
    "fd_chown": (1, 1),
    "fs_utimes": (1,),
    "fd_utimes": (1,),
    "fs_xattr": ("user.x", "y"),
}
PAIRS = ("fs_rename", "fs_exchange", "fs_link")
NEVER = (
    ("net_port",),  # of a granted host, one that is not open
    *(("net_unix",), ("net_abstract",), ("proc_signal",), ("proc_trace",), ("proc_memory",)),
    *(("proc_environ",), ("proc_root", OUTSIDE), ("proc_root", READABLE)),
    *(("proc_background", 3), ("env_read",), ("fds_inherited",)),
    *(("priv_setuid", 1), ("priv_bpf",), ("priv_keyctl",), ("priv_mount", INSIDE)),
    ("priv_unshare",),
    *(("proc_walk", OUTSIDE), ("proc_forks", 3), ("proc_respawn", 3)),
)


def verdict(op, *, grant=GRANT, world=WORLD):
    """Return the verdict on one op of a program in a sandbox."""
    return rule(op, Setting(grant, world, world.files, surface=Surface.COMMAND)).verdict


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_is_allowed_where_it_may_be_written_alone(kind):
    """A kind of change would be open, or honest work forbidden."""
    given = CHANGES[kind]
    assert ALLOW is verdict((kind, INSIDE, *given))
    assert DENY is verdict((kind, READABLE, *given))
    assert DENY is verdict((kind, OUTSIDE, *given))
    assert DENY is verdict((kind, "/work/out/door", *given))
    assert CONTAIN is verdict((kind, "/work/out/nothing", *given))


def test_a_granted_file_itself_may_stay():
    """A system that mounts it there, or rules on the folder around it, would be accused."""
    alone = Capabilities(fs_write=[INSIDE])
    within = Capabilities(fs_read=[INSIDE], fs_write=["/work/out/"])
    assert [CONTAIN] * 2 == [verdict(("fs_unlink", INSIDE), grant=one) for one in (alone, within)]
    assert DENY is verdict(("fs_unlink", READABLE), grant=alone)


@pytest.mark.parametrize("kind", PAIRS)
def test_both_ends_must_be_writable(kind):
    """A file could be taken in or out by its other end."""
    assert CONTAIN is verdict((kind, INSIDE, "/work/out/new"))
    for other in (READABLE, OUTSIDE):
        assert DENY is verdict((kind, INSIDE, other))
        assert DENY is verdict((kind, other, INSIDE))


def test_a_name_is_made_where_it_may_be_written():
    """A folder or a link could be made outside, or honest ones refused."""
    assert ALLOW is verdict(("fs_mkdir", "/work/out/new"))
    assert DENY is verdict(("fs_mkdir", "/work/new"))
    assert ALLOW is verdict(("fs_symlink", OUTSIDE, "/work/out/new"))
    assert DENY is verdict(("fs_symlink", INSIDE, "/work/new"))


@pytest.mark.parametrize(
    ("place", "right"),
    [
        ("/work", ALLOW),
        ("/work/sub", ALLOW),
        ("/other", DENY),
        ("/", CONTAIN),  # a folder above a granted one may show itself
        ("/work/nothing", CONTAIN),
    ],
)
def test_a_folder_is_listed_where_it_may_be_read(place, right):
    """Names outside would be free to tell, or a sandbox accused of the folders on its way."""
    assert right is verdict(("fs_list", place))


@pytest.mark.parametrize("kind", ["fs_stat", "fd_stat"])
def test_what_is_known_of_a_file_is_told_where_it_may_be_read(kind):
    """Files outside would be free to tell, or honest work and the folders on its way forbidden."""
    assert ALLOW is verdict((kind, READABLE))
    assert ALLOW is verdict((kind, "/work/sub"))
    assert CONTAIN is verdict((kind, "/"))
    assert DENY is verdict((kind, OUTSIDE))
    assert DENY is verdict((kind, "/work/out/door"))


@pytest.mark.parametrize("kind", ["net_tcp", "net_udp"])
def test_the_network_is_open_where_loopback_is_granted(kind):
    """The network would be open to all, or shut where it was granted."""
    assert DENY is verdict((kind,))
    assert ALLOW is verdict((kind,), grant=OPEN)


@pytest.mark.parametrize("kind", ["net_raw", "net_packet"])
def test_the_network_past_its_protocols_is_nobodys_by_right(kind):
    """A sandbox would be accused of dropping the rights of root's, or praised for leaving them."""
    assert DENY is verdict((kind,))
    assert CONTAIN is verdict((kind,), grant=OPEN)


@pytest.mark.parametrize("given", [("fs_uring",), ("fs_handle", READABLE)])
def test_another_door_to_a_file_may_stay_shut(given):
    """A sandbox would be accused of shutting it, or it would be open to files outside."""
    kind, *beside = given
    assert CONTAIN is verdict((kind, READABLE, *beside))
    assert DENY is verdict((kind, OUTSIDE, *beside))


@pytest.mark.parametrize("kind", ["use_processes", "use_threads"])
def test_there_may_be_as_many_at_once_as_the_grant_has_ops(kind):
    """A sandbox would be accused of what it needs for itself, or praised for no limit."""
    small = Capabilities(max_ops=16)
    asked = [verdict((kind, number), grant=small) for number in (8, 9, 16, 17)]
    assert [ALLOW, CONTAIN, CONTAIN, DENY] == asked


@pytest.mark.parametrize("op", NEVER, ids=str)
def test_no_grant_covers_others(op):
    """Processes outside, their sockets and their secrets, and outliving, would be granted by files."""
    assert DENY is verdict(op)
    assert DENY is verdict(op, grant=OPEN)


@pytest.mark.parametrize(
    ("op", "right"),
    [
        (("use_output", READABLE, 2_000), ALLOW),
        (("use_output", READABLE, 3_000), CONTAIN),  # what else is printed may be too much
        (("use_output", READABLE, 4_097), DENY),
        (("use_output", OUTSIDE, 2_000), DENY),
        (("use_time", 2), CONTAIN),
        (("use_time", 3), DENY),
    ],
    ids=str,
)
def test_a_budget_is_kept(op, right):
    """What goes beyond would be granted, or honest work within it forbidden."""
    grant = Capabilities(fs_read=["/work/"], max_output_bytes=4_096, max_wall=2)
    assert right is verdict(op, grant=grant)


def test_the_kinds_are_those_of_a_sandbox_alone():
    """A session would be asked what it cannot know."""
    settings = Setting(GRANT, WORLD, WORLD.files)
    own = [kind for kind in KINDS if kind not in {"fs_read", "fs_write"}]
    asked = [(kind, *(3 if what == "d" else READABLE for what in KINDS[kind])) for kind in own]
    assert {MALFORMED} == {rule(op, settings) for op in asked}


def test_a_stated_verdict_holds_after_what_an_earlier_op_has_made():
    """A link made inside would make what lies behind it a place inside."""
    ops = (("fs_symlink", OUTSIDE, "/work/out/new"), ("fs_read", "/work/out/new"))
    names = ("kernel-made-link",) * 2
    case = Case(GRANT, WORLD, ops, names, "kernel-files", verdicts=(ALLOW, DENY))
    steps = [
        Step(op, Answer(ok=True), (), 2 * index, 2 * index + 1, index)
        for index, op in enumerate(ops)
    ]
    ruled = rulings(Trace(case, Surface.COMMAND, tuple(steps)))
    assert [ALLOW, DENY] == [one.verdict for one in ruled]


def test_every_vector_of_a_sandbox_says_what_the_oracle_says():
    """A vector would accuse a right sandbox, or let a broken one pass."""
    vectors = [one for one in load() if one.surfaces == (Surface.COMMAND,)]
    assert {one.technique for one in vectors} == {
        name for name, one in TECHNIQUES.items() if one.surfaces == ("command",)
    }
    for one in vectors:
        for op, stated in zip(one.case.ops, one.case.verdicts, strict=True):
            right = verdict(op, grant=one.case.grant, world=one.case.world)
            made = one.technique in {"kernel-made-link", "kernel-names"} and len(one.case.ops) > 1
            assert made or stated in {right, *({DENY} if right is CONTAIN else ())}, (one.id, op)
