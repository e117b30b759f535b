"""Headers that contradict each other: whoever judges one and uses the other is fooled."""

from collections.abc import Iterator

from capfuzz.attacks.techniques.archives_model import (
    ABOVE,
    FAR,
    JAIL,
    ZIP,
    Packed,
    archive,
    file,
    hard,
    link,
)

_NEW = f"{JAIL}/new.txt"
_TWO = "judges the name in one header and writes by that in another"


@archive("unpacked-pax-name", group="archive-headers", cwe="CWE-436", needs=_TWO)
def pax_name() -> Iterator[Packed]:
    """Give a member an honest name in its header and another in an extended one (POSIX pax)."""
    yield Packed((file("honest.txt", pax=(("path", "../new.txt"),)),), _NEW)
    yield Packed((file("honest.txt", pax=(("path", FAR),)),), FAR)
    yield Packed((link("note", "honest.txt", pax=(("linkpath", "../secret.txt"),)),), ABOVE)
    yield Packed((hard("note", "honest.txt", pax=(("linkpath", "../secret.txt"),)),), ABOVE)


@archive("unpacked-local-name", group="archive-headers", cwe="CWE-436", needs=_TWO)
def local_name() -> Iterator[Packed]:
    """Give a member one name in its local header and another in the central directory."""
    for hostile, means in (("../new.txt", _NEW), (FAR, FAR)):
        yield Packed((file("honest.txt", local=hostile),), means, ZIP)
        yield Packed((file(hostile, local="honest.txt"),), means, ZIP)


@archive("unpacked-unicode-name", group="archive-headers", cwe="CWE-436", needs=_TWO)
def unicode_name() -> Iterator[Packed]:
    """Give a member another name in the extra field for Unicode paths (APPNOTE 4.6.9)."""
    yield Packed((file("honest.txt", utf8="../new.txt"),), _NEW, ZIP)
    yield Packed((file("honest.txt", utf8=FAR),), FAR, ZIP)
