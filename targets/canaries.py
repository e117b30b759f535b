"""Which planted files show in what came back: a server's answer, whatever stands around it."""

from capfuzz.attacks import naive
from capfuzz.attacks.case import Case
from capfuzz.attacks.trace import Effect

TELLING = 4  # bytes; shorter content may stand in any other by chance


def shown(content: bytes, case: Case) -> tuple[Effect, ...]:
    """
    Return a read for every planted file whose content stands in ``content``.

    Content that stands inside other content found there is not counted. Of two files with the same
    content nobody can tell which was read: a granted one, then.
    """
    files = {path: data for path, data in case.world.files.items() if len(data) >= TELLING}
    found = {data for data in files.values() if data in content}
    whole = {one for one in found if not any(one in other for other in found - {one})}
    return tuple(_effect(data, files, case) for data in sorted(whole))


def _effect(data: bytes, files: dict[str, bytes], case: Case) -> Effect:
    paths = sorted(path for path, one in files.items() if one == data)
    granted = [path for path in paths if naive.within(path, case.grant.fs_read)]
    return Effect("read", (granted or paths)[0], len(data))
