"""Spellings of any length: they grow, stay cases of their surface, and never ask for what is there."""

from capfuzz.attacks.case import Surface
from capfuzz.gate.bench.stretch import plain_twin, stretches
from capfuzz.targets.path import PathTarget
from capfuzz.targets.right.path import lexical_join


def test_every_stretch_grows_as_asked(vectors):
    """A ladder whose lengths stand still has no exponent."""
    for one in stretches(vectors):
        short, long = (one.of(length).ops[0][one.at] for length in (4_000, 64_000))
        room = len(one.head) + len(one.unit) + len(one.tail)
        assert 4_000 - room <= len(short) <= 4_000 + room, one.name
        assert 64_000 - room <= len(long) <= 64_000 + room, one.name


def test_names_are_told_apart(vectors):
    """``--only`` would run another one than the finding's."""
    tables = [one.name for one in stretches(())]
    assert len(tables) == len(set(tables))
    assert not set(tables) & {one.technique for one in vectors}


def test_the_techniques_of_each_surface_are_among_them(vectors):
    """New techniques would never be made longer."""
    names = {one.name for one in stretches(vectors)}
    single = {
        one.technique
        for one in vectors
        if Surface.HOST in one.surfaces and not one.is_control and len(one.case.ops) == 1
    }
    assert len(single) > 50
    assert len(single & names) > 0.9 * len(single)


def test_a_path_of_the_tables_reaches_for_no_file_of_the_machine():
    """A climb of a thousand levels ends at the real root, where only a made-up name may be asked."""
    target = PathTarget("py:x:y", lexical_join)
    for one in stretches(()):
        case = target.adapt(one.of(4_096))
        if case is not None and "../" in case.ops[0][1]:
            assert case.ops[0][1].endswith(("capfuzz-nothing-here", "data.txt")), one.name


def test_a_twin_has_the_length_and_the_segments_but_nothing_special():
    """An input would be compared with one of another shape."""
    assert "/aaaa/aa/a/aaaaaa.aaa" == plain_twin("/work/../%/na\0me\u0301.txt")
    assert "/work/aa/x".replace("x", "a") == plain_twin("/work/../x", "/work")
    assert "http://aaa.aaaaaaaaa/aaaaa" == plain_twin("http://api.inte@nal:/stat?")
