"""Archive targets: what unpacking really did is seen, whatever the function says, and undone."""

import os
import tarfile
import zipfile
from pathlib import Path

import pytest
from capfuzz.attacks.case import Case, Verdict
from capfuzz.attacks.codec import grant_from_json, op_to_json, world_from_json
from capfuzz.attacks.expansion.archives import GRANT, WORLD
from capfuzz.attacks.invariants import judge
from capfuzz.attacks.techniques.archives_model import file, folder, hard, link
from capfuzz.targets.archive import ArchiveTarget
from capfuzz.targets.archive_members import Member, harmless, members
from capfuzz.targets.archive_tar import tar
from capfuzz.targets.archive_zip import zip_
from capfuzz.targets.base import TargetError
from capfuzz.targets.broken import archive as broken
from capfuzz.targets.planted import sweep
from capfuzz.targets.right import archive as right


def case(*packed, form="tar", verdict=Verdict.CONTAIN):
    """Return a case that unpacks these members."""
    op = ("unpack", form, packed)
    grant, world = grant_from_json(GRANT), world_from_json(WORLD)
    return Case(grant, world, (op,), ("plain",), "test", (verdict,))


@pytest.fixture
def made():
    """Return a maker of targets, which are closed afterwards."""
    targets = []

    def make(function, **options):
        targets.append(ArchiveTarget("it", function, **options))
        return targets[-1]

    yield make
    for target in targets:
        target.close()


def shown(target, *packed, **options):
    """Return what a target's answer is, and its effects outside the folder."""
    adapted = target.adapt(case(*packed, **options))
    trace = target.run(adapted)
    (step,) = trace.steps
    outside = {(one.kind, one.place) for one in step.effects if "/drop/" not in one.place}
    return step.answer, outside, [one.invariant for one in judge(trace).breaches]


def trusting(archive, dest):
    """Unpack a tar file as it is."""
    with tarfile.open(archive) as opened:
        opened.extractall(dest, filter="fully_trusted")


HOSTILE = {
    "a climb": ((file("../secret.txt"),), ("write", "/cf-jail/secret.txt")),
    "a new file": ((file("../new.txt"),), ("write", "/cf-jail/new.txt")),
    "an absolute name": ((file("/cf-vault/new.txt"),), ("write", "/cf-vault/new.txt")),
    "a link left behind": ((link("a", "../secret.txt"),), ("read", "/cf-jail/secret.txt")),
    "a linked folder": ((link("a", ".."),), ("read", "/cf-jail/secret.txt")),
    "a hard link": ((hard("a", "../secret.txt"),), ("read", "/cf-jail/secret.txt")),
    "a file through a link": ((link("a", ".."), file("a/n")), ("write", "/cf-jail/n")),
    "a mode": (
        (link("a", "../drop-evil"), folder("a", mode=0o711)),
        ("write", "/cf-jail/drop-evil"),
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_happens_outside_is_seen(made, name):
    """An escape would go unnoticed, and a broken unpacker would be called right."""
    packed, effect = HOSTILE[name]
    answer, outside, breaches = shown(made(trusting), *packed)
    assert answer.ok
    assert effect in outside
    assert breaches == ["confined"]


def test_a_refusal_after_the_write_is_a_breach(made):
    """An unpacker that writes first and raises then would pass for one that refuses."""

    def late(archive, dest):
        trusting(archive, dest)
        if os.path.exists(f"{dest}/../new.txt"):
            raise PermissionError

    assert shown(made(late), file("../new.txt"))[2] == ["no-effect-on-denial"]


def test_nothing_carries_over_to_the_next_archive(made):
    """What one archive has changed would be held against the next."""
    target = made(trusting)
    assert shown(target, file("../secret.txt"))[1]
    answer, outside, breaches = shown(target, file("a.txt"))
    assert (answer.ok, outside, breaches) == (True, set(), [])


def test_honest_work_is_seen_to_arrive(made):
    """An unpacker that does nothing would pass for a right one."""
    target = made(trusting)
    assert shown(target, file("a.txt"), verdict=Verdict.ALLOW)[2] == []

    idle_target = made(lambda archive, dest: trusting(archive, dest) if _probe(archive) else None)
    assert shown(idle_target, file("a.txt"), verdict=Verdict.ALLOW)[2] == ["control-allowed"]


def _probe(archive):
    with tarfile.open(archive) as opened:
        return "top/note.txt" in opened.getnames()


def test_links_are_not_held_against_who_documents_them(made):
    """A tool that keeps links by design would be accused; what it writes through them still counts."""
    target = made(trusting, follows_links=True)
    assert shown(target, link("a", ".."))[1:] == (set(), [])
    assert shown(target, link("a", ".."), file("a/n"))[2] == ["confined"]
    assert shown(target, hard("a", "../secret.txt"))[2] == ["confined"]


def test_the_formats_that_it_takes_are_found_out(made):
    """A function for zip files would be blamed for every tar file, or asked nothing."""

    def only_zip(archive, dest):
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(dest)

    def only_packed(archive, dest):
        with tarfile.open(archive, "r:gz") as opened:
            opened.extractall(dest, filter="data")

    assert made(only_zip).adapt(case(file("a"))) is None
    assert made(only_zip).adapt(case(file("a"), form="zip")) is not None
    assert made(only_packed).adapt(case(file("a"), form="zip")) is None
    assert shown(made(only_packed), file("a"))[0].ok


def test_a_function_that_unpacks_nothing_cannot_be_measured(made):
    """The campaign would say held of something that never ran."""
    with pytest.raises(TargetError, match="unpacked none of the honest archives"):
        made(lambda archive, dest: 1 / 0).adapt(case(file("a")))


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda *_: (_ for _ in ()).throw(SystemExit(3)), ("raised", "SystemExit")),
        (lambda *_: False, ("ok", False)),
        (lambda *_: "x" * 5_000_000, ("ok", True)),
        (broken.opens_its_own_pipe, ("hung", True)),
    ],
)
def test_whatever_it_does_is_an_answer(made, function, told):
    """A target that exits, hangs or floods would end the campaign."""

    def asked(archive, dest):
        return trusting(archive, dest) if _probe(archive) else function(archive, dest)

    answer, _, _ = shown(made(asked, op_limit=0.2), ("fifo", "a", ""), file("a"))
    assert getattr(answer, told[0]) == told[1]


def test_what_it_changes_of_the_process_is_undone(made):
    """The suite would go on in another folder, and write its report there."""

    def careless(archive, dest):
        os.chdir(dest)
        os.umask(0o777)
        trusting(archive, dest)

    here, mask = os.getcwd(), os.umask(0o022)
    try:
        shown(made(careless), file("a"))
        assert (os.getcwd(), os.umask(0o022)) == (here, 0o022)
    finally:
        os.umask(mask)


def test_a_name_made_absolute_is_seen_and_removed(made):
    """Whoever takes dots off a name would write into the machine's own root, and leave it there."""

    def dotless(archive, dest):
        with tarfile.open(archive) as opened:
            for one in opened:
                one.name = os.path.join(dest, one.name.replace("..", ""))
                if one.isfile():
                    os.makedirs(os.path.dirname(one.name), exist_ok=True)
                    Path(one.name).write_bytes(b"x")

    _, outside, breaches = shown(made(dotless), file("../cf-stray/new.txt"))
    assert ("write", "/machine/cf-stray") in outside
    assert breaches == ["confined"]
    assert not os.path.lexists("/cf-stray")


def test_what_might_touch_the_machine_is_kept_back(made):
    """Attacks run as whoever runs the suite: a stripped name must not be one of the machine's."""
    for name in ("../etc/passwd", "%2e%2e/etc/x", "a//etc/x", "/etc/x", "..\\..\\etc\\x"):
        assert made(trusting).adapt(case(file(name))) is None
    assert made(trusting).adapt(case(file("../" * 30 + "cf-x"))) is None
    chain = [
        link("a", "../" * 8),
        link("b", "a/" * 1 + "../" * 8),
        file("b/" + "../" * 12 + "cf-x"),
    ]
    assert not harmless(members(case(*chain).ops[0]), 24)
    assert made(trusting).adapt(case(file("a/" * 300 + "b"))) is None


def test_what_is_no_archive_is_not_asked(made):
    """A vector of another surface, or of odd members, would raise in the middle of a campaign."""
    odd = [("fs_read", "/x"), ("unpack", "rar", (file("a"),)), ("unpack", "tar", ())]
    odd += [("unpack", "tar", (("file", "a"),)), ("unpack", "tar", (("file", "a", "b", "c"),))]
    assert [members(op) for op in odd] == [None] * len(odd)
    assert made(trusting).adapt(case(("socket", "a", ""))) is None


def test_a_promised_limit_is_held_against_it(made):
    """A bomb would go off under a target that says that it bounds what is unpacked."""
    bomb = [file(f"{n}", "0" * 1_000) for n in range(20)]
    assert shown(made(trusting, unpack_limit=10_000), *bomb)[2] == ["within-budget"]
    assert shown(made(trusting), *bomb)[2] == []
    assert "within-budget" in made(trusting).unobservable


def test_everything_is_gone_afterwards(made):
    """Secrets and links would be left in the temporary folder of whoever runs the suite."""
    target = made(trusting)
    shown(target, file("../new.txt"))
    base = target._site.tree.base
    assert os.path.isdir(base)
    target.close()
    assert not os.path.exists(base)


def test_a_sweep_removes_what_a_killed_process_left(made):
    """After a kill in the middle of an archive a stray would stand in the machine's root."""
    target = made(trusting)
    adapted = target.adapt(case(file("cf-stray.txt")))
    site = target._settle(adapted)
    with site.guarded(members(adapted.ops[0])):
        Path("/cf-stray.txt").write_text("x")
        sweep(os.getpid())
        assert not os.path.lexists("/cf-stray.txt")
        assert not os.path.exists(site.tree.base)


# ---------------------------------------------------------------- the builders


def test_tar_files_hold_what_is_described(tmp_path):
    """The attack would not be the one that the report names."""
    described = (
        file("a\0b"),
        folder("d"),
        link("l", "../x"),
        hard("h", "d/../x"),
        ("fifo", "p", ""),
        ("device", "n", ""),
        file("honest", pax=(("path", "../other"),)),
    )
    packed = tmp_path / "a.tar"
    packed.write_bytes(tar(members(("unpack", "tar", described))))
    with tarfile.open(packed) as opened:
        seen = [(one.name, one.type, one.linkname) for one in opened]
    assert [name for name, _, _ in seen] == ["a\0b", "d", "l", "h", "p", "n", "../other"]
    assert [kind for _, kind, _ in seen] == [b"0", b"5", b"2", b"1", b"6", b"3", b"0"]
    assert [target for _, _, target in seen if target] == ["../x", "d/../x"]


def test_zip_files_hold_what_is_described(tmp_path):
    """The attack would not be the one that the report names."""
    described = (file("../a", "x" * 50, deflate=True), folder("d"), link("l", "../x"))
    packed = tmp_path / "a.zip"
    packed.write_bytes(zip_(members(("unpack", "zip", described))))
    with zipfile.ZipFile(packed) as opened:
        assert opened.namelist() == ["../a", "d/", "l"]
        assert [opened.read(one) for one in opened.namelist()] == [b"x" * 50, b"", b"../x"]
        assert opened.testzip() is None


def test_a_zip_file_can_contradict_itself():
    """The names in two headers would be the same, and show nothing."""
    blob = zip_([Member("file", "honest", "x", {"local": "../new"})])
    assert blob.index(b"../new") < blob.index(b"PK\1\2") < blob.index(b"honest")


def test_overlapping_members_share_their_bytes():
    """A bomb by overlap would be as large as what it unpacks to."""
    parts = [Member("file", f"{n}", "", {"quotes": True}) for n in range(50)]
    blob = zip_([*parts, Member("file", "last", "0" * 10_000, {"quotes": True})])
    assert len(blob) < 20_000
    import io

    with zipfile.ZipFile(io.BytesIO(blob)) as opened:
        assert sum(one.file_size for one in opened.infolist()) > 500_000


def test_members_survive_json():
    """A finding could not be replayed."""
    op = case(file("a", "b", mode=0o777, pax=(("path", "c"),)), link("l", "t")).ops[0]
    assert op_to_json(op)[2][0] == ["file", "a", "b", ["mode", 511], ["pax", [["path", "c"]]]]


@pytest.mark.parametrize("unpack", [right.files_and_folders, right.all_or_nothing, right.staged])
def test_right_unpackers_take_both_formats(made, unpack):
    """A right target would be asked about half of the attacks only."""
    target = made(unpack)
    assert shown(target, file("a/b"), verdict=Verdict.ALLOW)[2] == []
    assert shown(target, file("a/b"), form="zip", verdict=Verdict.ALLOW)[2] == []
