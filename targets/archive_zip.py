"""Zip files record by record, as zipfile cannot write them (PKWARE APPNOTE 6.3.10)."""

import struct
import time
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from capfuzz.targets.archive_members import Member

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_STORED, _DEFLATED = 0, 8
_UTF8_NAMES = 0x800  # bit 11 of the flags
_UNIX = 3 << 8 | 20  # made by UNIX, version 2.0
_TYPE_BITS = {"file": 0o100000, "dir": 0o040000, "link": 0o120000, "fifo": 0o010000}
_UNICODE_PATH = 0x7075


@dataclass(frozen=True, slots=True)
class _Entry:
    """What the two headers of a member say."""

    member: Member
    name: bytes
    offset: int
    method: int
    crc: int
    packed: int
    size: int


def zip_(members: Iterable[Member]) -> bytes:
    """Return the members as a zip file; hard links and devices have no place in one."""
    body, entries, members = b"", [], tuple(members)
    if any(member.options.get("quotes") for member in members):
        return _overlapping(members)
    for member in members:
        if member.kind in _TYPE_BITS:
            record, entry = _local(member, len(body))
            body += record
            entries.append(entry)
    return _with_directory(body, entries)


def _overlapping(members: Sequence[Member]) -> bytes:
    """Return a zip file in which the data of each member holds all that comes after its header."""
    body, entries = b"", list[_Entry]()
    for member in reversed(members):
        data = member.data + body
        entry = _Entry(member, _name(member, member.name), 0, 0, zlib.crc32(data), *[len(data)] * 2)
        body = _header(entry, entry.name) + data
        entries.append(replace(entry, offset=len(body)))  # from the end, until all is there
    whole = len(body)
    return _with_directory(body, [replace(one, offset=whole - one.offset) for one in entries[::-1]])


def _local(member: Member, offset: int) -> tuple[bytes, _Entry]:
    data = member.data if member.kind in {"file", "link"} else b""
    method = _DEFLATED if member.options.get("deflate") else _STORED
    packed = _deflate(data) if method else data
    name = _name(member, member.name)
    entry = _Entry(member, name, offset, method, zlib.crc32(data), len(packed), len(data))
    return _header(
        entry, _name(member, str(member.options.get("local", member.name)))
    ) + packed, entry


def _name(member: Member, text: str) -> bytes:
    ending = "/" if member.kind == "dir" and not text.endswith("/") else ""
    return (text + ending).encode("utf-8", "surrogateescape")


def _header(entry: _Entry, name: bytes) -> bytes:
    head = (b"PK\3\4", 20, _UTF8_NAMES, entry.method, *_moment(entry.member), entry.crc)
    return _LOCAL.pack(*head, entry.packed, entry.size, len(name), 0) + name


def _central(entry: _Entry) -> bytes:
    extra = _unicode_path(entry)
    attributes = (_TYPE_BITS[entry.member.kind] | entry.member.mode) << 16
    head = (b"PK\1\2", _UNIX, 20, _UTF8_NAMES, entry.method, *_moment(entry.member), entry.crc)
    sizes = (entry.packed, entry.size, len(entry.name), len(extra), 0, 0, 0)
    return _CENTRAL.pack(*head, *sizes, attributes, entry.offset) + entry.name + extra


def _unicode_path(entry: _Entry) -> bytes:
    """Return the extra field that gives an entry another name (APPNOTE 4.6.9)."""
    if "utf8" not in entry.member.options:
        return b""
    text = str(entry.member.options["utf8"]).encode()
    value = struct.pack("<BI", 1, zlib.crc32(entry.name)) + text
    return struct.pack("<2H", _UNICODE_PATH, len(value)) + value


def _moment(member: Member) -> tuple[int, int]:
    year, month, day, hour, minute, second, *_ = time.gmtime(member.mtime)
    return hour << 11 | minute << 5 | second // 2, year - 1980 << 9 | month << 5 | day


def _with_directory(body: bytes, entries: Sequence[_Entry]) -> bytes:
    directory = b"".join(map(_central, entries))
    count = len(entries)
    end = _END.pack(b"PK\5\6", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + end


def _deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()
