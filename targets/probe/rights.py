"""
Ops of the probe that need a right of root's, or go by a door of the kernel that few have in mind.

It stands before ``probe.py`` in the one program that runs inside; standard library alone.
"""

import ctypes
import mmap
import os
import platform
import socket
import struct

_C = ctypes.CDLL(None, use_errno=True)
_PROTOCOL = 253  # of IP, for experiments (RFC 3692)
_ETHERTYPE = 0x88B5  # of Ethernet, for experiments (IEEE 802)
_KEYCTL, _BPF = (219, 280) if platform.machine() == "aarch64" else (250, 321)
_SETUP, _ENTER = 425, 426  # io_uring, the same on every architecture
_ENTRIES = 4
_OPENAT, _READ = 18, 22  # what io_uring is asked to do
_HELD: "list[int]" = []  # descriptors of what would be gone with them


def fs_handle(kind, handle, beside):
    """Open a file by its handle on the file system of a place inside (open_by_handle_at(2))."""
    data = bytes.fromhex(handle)
    whole = ctypes.create_string_buffer(struct.pack("Ii", len(data), kind) + data)
    place = os.open(beside, os.O_RDONLY)
    try:
        return _taken(_sure(_C.open_by_handle_at(place, whole, os.O_RDONLY)))
    finally:
        os.close(place)


def _taken(fd):
    try:
        return os.read(fd, 4096)
    finally:
        os.close(fd)


def fs_uring(path):
    """Open and read a file without calling open or read (io_uring(7))."""
    parameters = ctypes.create_string_buffer(120)
    ring = _sure(_C.syscall(_SETUP, _ENTRIES, parameters))
    try:
        told = struct.unpack("28I", parameters.raw[:72] + parameters.raw[80:112] + bytes(8))
        return _by_ring(ring, told[10:18], told[18:26], path)
    finally:
        os.close(ring)


def _by_ring(ring, sq, cq, path):
    """Ask for one thing after the other; ``sq`` and ``cq`` are where the queues keep what."""
    tail, array, head, results = sq[1], sq[6], cq[0], cq[5]
    shared = mmap.mmap(ring, max(array + 4 * _ENTRIES, results + 32 * _ENTRIES))
    entries = mmap.mmap(ring, 64 * _ENTRIES, offset=0x10000000)
    name, buffer = ctypes.create_string_buffer(os.fsencode(path)), ctypes.create_string_buffer(4096)

    def done(number, operation, fd, address, size):
        asked = struct.pack("BBHiQQIIQ24x", operation, 0, 0, fd, 0, address, size, 0, 0)
        entries[64 * number : 64 * number + 64] = asked
        struct.pack_into("I", shared, array + 4 * number, number)
        struct.pack_into("I", shared, tail, number + 1)
        _sure(_C.syscall(_ENTER, ring, 1, 1, 1, None, ctypes.c_size_t(0)))
        result = struct.unpack_from("i", shared, results + 16 * number + 8)[0]
        struct.pack_into("I", shared, head, number + 1)
        if result < 0:
            raise OSError(-result, os.strerror(-result))
        return result

    fd = done(0, _OPENAT, -100, ctypes.addressof(name), 0)
    try:
        size = done(1, _READ, fd, ctypes.addressof(buffer), len(buffer))
        return buffer.raw[:size]
    finally:
        os.close(fd)


def net_raw(host, token):
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, _PROTOCOL) as made:
        made.sendto(token.encode(), (host, 0))


def net_packet(device, token):
    """Send a frame on the loopback device, past every protocol (packet(7))."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM) as made:
        made.sendto(token.encode(), (device, _ETHERTYPE))


def priv_setuid(uid, mark):
    """Let a process of a few seconds be somebody else; it holds nothing that is open here."""
    failed, told = os.pipe()
    if os.fork() == 0:
        try:
            os.setuid(uid)
            for stream in (0, 1, 2):
                os.close(stream)
            os.execv("/bin/sleep", [mark, "3"])
        except OSError as error:
            os.write(told, str(error.errno).encode())
        finally:
            os._exit(1)
    os.close(told)
    number = _taken(failed)  # nothing once it is another program: pipes of Python's close then
    if number:
        raise OSError(int(number), os.strerror(int(number)))


def priv_bpf(name):
    """Make a map that only who has the right CAP_BPF may make (bpf(2)); it is there until closed."""
    asked = struct.pack("7I16s", 11, 8, 4, 4, 1, 0, 0, name.encode())
    _HELD.append(_sure(_C.syscall(_BPF, 0, ctypes.create_string_buffer(asked), len(asked))))


def priv_keyctl(name):
    """Read a key of the session keyring in which the sandbox was started (keyrings(7))."""
    session, user = ctypes.c_long(-3), ctypes.create_string_buffer(b"user")
    key = _sure(_C.syscall(_KEYCTL, 10, session, user, name.encode(), 0))
    buffer = ctypes.create_string_buffer(256)
    size = _sure(_C.syscall(_KEYCTL, 11, ctypes.c_long(key), buffer, ctypes.c_size_t(256)))
    return buffer.raw[:size]


def priv_mount(path, mark):
    """Put an empty file system of one page over a folder (mount(2))."""
    _sure(_C.mount(mark.encode(), os.fsencode(path), b"tmpfs", 0, b"size=4k"))


def _sure(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
