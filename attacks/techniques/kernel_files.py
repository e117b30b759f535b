"""Every door to a file but reading and writing it: what is granted must hold at each of them."""

from collections.abc import Iterator

from capfuzz.attacks.kernel import FAR
from capfuzz.attacks.techniques.kernel_stage import OUTSIDE, READABLE, WRITABLE, kernel, tried
from capfuzz.attacks.techniques.scenario_model import ALLOWED, DENIED, Scenario

_TEXT = "written by capfuzz"
_OWNER = 12_345  # nobody's on most machines
_THEN = 1_000_000_000  # seconds since the epoch
# By kind of op, what follows the place.
_CONTENT: dict[str, tuple[str | int, ...]] = {
    "fs_write": (_TEXT,),
    "fs_append": (_TEXT,),
    "fs_truncate": (4,),
    "fd_reopen": (_TEXT,),
}
_ENDINGS = (".bak", "-old", "shop")
_ATTRIBUTES: dict[str, tuple[str | int, ...]] = {
    "fs_chmod": (0o640,),
    "fd_chmod": (0o640,),
    "fs_chown": (_OWNER, _OWNER),
    "fd_chown": (_OWNER, _OWNER),
    "fs_utimes": (_THEN,),
    "fd_utimes": (_THEN,),
    "fs_xattr": ("user.capfuzz", "set"),
}


@kernel(
    "kernel-outside",
    group="kernel-outside",
    cwe="CWE-552",
    needs="has a place too many that can be seen, such as a folder mounted that was not granted",
)
def kernel_outside() -> Iterator[Scenario]:
    """Read files outside, plainly."""
    for place in OUTSIDE:
        yield tried(("fs_read", place), means=f"{place}, plainly")


@kernel(
    "kernel-far",
    group="kernel-outside",
    cwe="CWE-552",
    needs="shows folders of the machine that every program uses, such as /tmp, or all of its disk",
)
def kernel_far() -> Iterator[Scenario]:
    """Read and write files in the machine's folders for temporary files."""
    for kind, home in FAR.items():
        for how in ("read", "append"):
            yield tried((kind, how), means=f"{how} in {home}")


@kernel(
    "kernel-content",
    group="kernel-content",
    cwe="CWE-732",
    needs="guards opening for writing and not the other ways to change what a file holds",
)
def kernel_content() -> Iterator[Scenario]:
    """Overwrite, append, truncate, reopen a descriptor for writing: outside, and where one may read."""
    for kind, given in _CONTENT.items():
        for place in (*OUTSIDE, READABLE):
            yield tried(
                (kind, place, *given),
                means=f"{kind} of {place}",
                control=((kind, WRITABLE, *given),),
            )


@kernel(
    "kernel-attributes",
    group="kernel-attributes",
    cwe="CWE-732",
    needs="guards what a file holds and not its mode, owner, times or attributes",
)
def kernel_attributes() -> Iterator[Scenario]:
    """Change mode, owner, times and extended attributes, by path and by a descriptor to read."""
    for kind, given in _ATTRIBUTES.items():
        for place in (*OUTSIDE[:2], READABLE):
            # An owner may be changed by root alone: that is no honest work of everybody's.
            honest = () if kind.endswith("chown") else ((kind, WRITABLE, *given),)
            yield tried(
                (kind, place, *given),
                means=f"{kind} of {place}",
                control=honest or (("fs_read", READABLE),),
            )


@kernel(
    "kernel-names",
    group="kernel-names",
    cwe="CWE-59",
    needs="guards opening and not the making, moving and removing of names",
)
def kernel_names() -> Iterator[Scenario]:
    """Rename in and out, exchange, link, make and remove names where nothing may be written."""
    taken, fresh = "/work/out/taken.txt", "/work/out/fresh.txt"
    for place in (*OUTSIDE, READABLE):
        yield tried(("fs_rename", place, taken), means=f"{place} moved in")
        yield tried(("fs_rename", WRITABLE, place), means=f"{place} replaced by a move")
        yield tried(("fs_exchange", place, WRITABLE), means=f"{place} exchanged")
        yield tried(("fs_unlink", place), means=f"{place} removed")
    for folder in ("/other", "/workshop", "/work"):
        yield tried(
            ("fs_mkdir", f"{folder}/made"),
            means=f"a folder in {folder}",
            control=(("fs_mkdir", "/work/out/made"),),
        )
        yield tried(
            ("fs_symlink", WRITABLE, f"{folder}/made"),
            means=f"a link in {folder}",
            control=(("fs_symlink", WRITABLE, "/work/out/made"),),
        )
        yield tried(("fs_link", WRITABLE, f"{folder}/made"), means=f"a second name in {folder}")
    yield tried(
        ("fs_unlink", "/other/secret.txt"), means="gone", control=(("fs_unlink", WRITABLE),)
    )
    for place in (*OUTSIDE, READABLE):
        yield tried(
            ("fs_link", place, fresh),
            ("fs_append", fresh, _TEXT),
            means=f"{place} by a second name",
        )


@kernel(
    "kernel-made-link",
    group="kernel-made-link",
    cwe="CWE-61",
    needs="checks where links lead when it starts, and not those that are made inside",
)
def kernel_made_link() -> Iterator[Scenario]:
    """Make a link to a place outside, which is allowed, and go there by it, which is not."""
    for place in OUTSIDE:
        for kind, given in {"fs_read": (), **_CONTENT}.items():
            made = ("fs_symlink", place, "/work/out/door")
            yield Scenario(
                ops=(made, (kind, "/work/out/door", *given)),
                verdict=ALLOWED + DENIED,
                control=(made,),
                means=f"{kind} of {place} by a link",
            )


@kernel(
    "kernel-list",
    group="kernel-list",
    cwe="CWE-548",
    needs="guards files and not folders",
)
def kernel_list() -> Iterator[Scenario]:
    """List folders outside: names alone can tell a secret."""
    for place in ("/other", "/workshop", "/work-evil", "/etc"):
        yield tried(("fs_list", place), means=f"names in {place}", control=(("fs_list", "/work"),))


@kernel(
    "kernel-beginning",
    group="kernel-beginning",
    cwe="CWE-187",
    needs="keeps the granted places by their letters, and takes where they part for one of them",
)
def kernel_beginning() -> Iterator[Scenario]:
    """Grant three places of names that begin alike, and ask for what bears the beginning as its name."""
    folders = [f"/work{ending}" for ending in _ENDINGS]
    yield tried(
        ("fs_list", "/work"),
        means="names in a folder of the common beginning",
        control=(("fs_list", folders[0]),),
        grant={"fs_read": folders, "fs_write": []},
        world=_alike("/work/secret.txt", folders),
    )
    folders = [f"/secret{ending}" for ending in _ENDINGS]
    honest = f"{folders[0]}/data.txt"
    for ops, grant in (
        (("fs_read",), {"fs_read": folders, "fs_write": []}),
        (("fs_append", _TEXT), {"fs_read": [], "fs_write": folders}),
    ):
        kind, *given = ops
        yield tried(
            (kind, "/secret", *given),
            means=f"{kind} of a file of the common beginning",
            control=((kind, honest, *given),),
            grant=grant,
            world=_alike("/secret", folders),
        )


def _alike(secret: str, folders: list[str]) -> dict[str, dict[str, str]]:
    return {
        "files": {secret: f"secret of {secret}"}
        | {f"{one}/data.txt": f"honest data of {one}" for one in folders}
    }


@kernel(
    "kernel-stat",
    group="kernel-stat",
    cwe="CWE-200",
    needs="guards what a file holds and not what is known of it",
)
def kernel_stat() -> Iterator[Scenario]:
    """Look at time and size of a file outside, by its place and by a descriptor that opens nothing."""
    for place in OUTSIDE:
        for kind in ("fs_stat", "fd_stat"):
            yield tried((kind, place), means=f"{kind} of {place}", control=((kind, READABLE),))


@kernel(
    "kernel-handle",
    group="kernel-doors",
    cwe="CWE-250",
    needs="leaves the right to open files by their handles (CAP_DAC_READ_SEARCH)",
)
def kernel_handle() -> Iterator[Scenario]:
    """Open a file outside by its handle on the file system of a place inside."""
    for place in OUTSIDE:
        yield tried(("fs_handle", place, READABLE), means=f"{place} by its handle")


@kernel(
    "kernel-uring",
    group="kernel-doors",
    cwe="CWE-693",
    needs="filters the calls that open files, and not the ring by which the kernel is asked to",
)
def kernel_uring() -> Iterator[Scenario]:
    """Open and read a file outside by io_uring, without calling open or read."""
    for place in OUTSIDE:
        yield tried(("fs_uring", place), means=f"{place} by io_uring")


@kernel(
    "kernel-inherited",
    group="kernel-inherited",
    cwe="CWE-403",
    needs="hands on descriptors that were open when it started",
)
def kernel_inherited() -> Iterator[Scenario]:
    """Look through every descriptor that came from outside."""
    yield tried(("fds_inherited",), means="what an inherited descriptor opens")
