"""
Broken path checkers, one fault each: a judgement of the path, and a reading of it that is opened.

A missing file reads as empty, so that a look outside the grant shows although nothing is there.
"""

import re
import unicodedata
from fnmatch import fnmatchcase
from posixpath import basename, commonpath, dirname

from capfuzz.attacks.expansion import stage
from capfuzz.targets.right.base import Pieces, Session
from capfuzz.targets.right.files import PathGuard, climbs, collapse
from capfuzz.targets.right.refusals import DenialError, FailureError

from .sloppy_paths import CONSUMERS, dotted, visible

_BUFFER = 259  # MAX_PATH of Windows, less the NUL at its end
_SEGMENTS = 100


class Forgiving(Session):
    """Takes a file that is missing for an empty one."""

    def fs_read(self, path):
        """Return the content, or nothing."""
        try:
            return super().fs_read(path)
        except FailureError:
            return b""


def checker(judge, read=str):
    """Return the factory of sessions that open ``read(path)`` where ``judge(guard, path)``."""

    class Guard(PathGuard):
        def locate(self, path):
            if not judge(self, path):
                raise DenialError(self.denial)
            return read(path)

    return lambda caps, world: Forgiving(caps, world, Pieces(paths=Guard))


# ---------------------------------------------------------------- judgements


def strict(guard, path):
    """Judge rightly."""
    return bool(PathGuard.locate(guard, path))


def as_text(guard, path):
    """Collapse the text and look at no link."""
    return any(guard.covers(root, collapse(path)) for root in guard.roots)


def through(normal):
    """Return the judgement of the normal form, on both sides, where the path itself is opened."""
    return lambda guard, path: any(
        guard.covers(normal(root), collapse(normal(path))) for root in guard.roots
    )


def unless(harmless):
    """Return the judgement that lets what is ``harmless`` through, and is strict with the rest."""
    return lambda guard, path: harmless(path) or strict(guard, path)


def by_ending(guard, path):
    """Trust a text file that begins like the grant."""
    begins = any(path.startswith(root) for root in guard.roots)
    return (begins and path.endswith(".txt")) or strict(guard, path)


def by_parent(guard, path):
    """Resolve the folder and take the leaf for a plain name."""
    return any(guard.covers(root, guard.resolve(dirname(path)) or "") for root in guard.places)


def resolved_if_there(guard, path):
    """Resolve only what exists."""
    return strict(guard, path) if guard.vfs.exists(path) else as_text(guard, path)


def text_if_looping(guard, path):
    """Judge the place, or the text where links cannot be resolved."""
    return strict(guard, path) if guard.resolve(path) else as_text(guard, path)


def by_place(guard, path):
    """Judge where the path leads."""
    return any(guard.covers(root, guard.resolve(path) or "") for root in guard.places)


def is_relative(path):
    """Tell whether a path does not begin with a slash."""
    return not path.startswith("/")


def is_unencodable(path):
    """Tell whether no encoding holds the path."""
    try:
        return not path.encode()
    except UnicodeEncodeError:
        return True


def without_link(guard, path):
    """Take for granted that nothing granted is a link."""
    refused = not by_place(guard, path)
    assert refused or guard.resolve(path) == collapse(path)
    return not refused


def denied_by_name(guard, path):
    """Refuse climbs and what is known to be bad."""
    del guard
    return not (climbs(path) or path.startswith(("/etc/", "/system/", "/other/")))


# ---------------------------------------------------------------- readings


def begun_anew(path):
    """Let an absolute rest win, as joins do."""
    head, mark, rest = path.rpartition("//")
    return f"/{rest}" if mark else head or path


def variables_unset(path):
    """Expand variables that are not set, and join."""
    return begun_anew(re.sub(r"\$\w+|\$\{\w+\}|%\w+%|\{\{\w+\}\}", "", path))


def windows(path):
    """Let a drive, a device or a leading backslash win, as joins on Windows do."""
    rest = re.split(r"[A-Za-z]:[/\\]?|/\\+(?:[.?]\\)?", path)[-1]
    return "/" + rest.replace("\\", "/").lstrip("/")


def device(path):
    """Open a device, whatever the folder."""
    name = basename(path).partition(".")[0].upper()
    return f"/dev/{name}" if name in {"CON", "NUL", "AUX", "PRN"} else path


def split_at_colon(path):
    """Unpack a drive, and expect no more than one colon."""
    if ":" in path:
        _drive, path = path.split(":")
    return path


def long_name(path):
    """Look short names up in a table that does not have them."""
    return "/".join({}[name] if "~" in name else name for name in path.split("/"))


def with_extension(path):
    """Look at the first letter of the extension."""
    assert path.rpartition(".")[2][0]
    return path


def with_name(path):
    """Look at the first letter of the last name."""
    assert path.replace("\\", "/").rpartition("/")[2][0]
    return path


def decoded_strictly(path):
    """Decode, and let the errors out."""
    raw = re.sub("%(..?|$)", lambda match: chr(int(match[1], 16)), path)
    return raw.encode("latin-1", "replace").decode()


def named(path):
    """Look the name of every character up."""
    assert all(unicodedata.name(character) for character in path)
    return path


def in_utf16(path):
    """Hand the path to an interface of UTF-16."""
    return path.encode("utf-16", "surrogatepass").decode("utf-16")


def asserting(fine):
    """Return the reading that takes something for granted."""

    def read(path):
        assert fine(path)
        return path

    return read


def matched(path):
    """Expand a pattern to the first file that fits."""
    return next((file for file in stage.FILES if fnmatchcase(file, path)), path)


def elsewhere_started(path):
    """Open in a process that has another folder and another root."""
    return re.sub("^/proc/self/root", "/srv", re.sub("^/proc/self/cwd", "", path))


def _first(technique):
    found = CONSUMERS[technique]
    return found[-1] if isinstance(found, list) else found


PATHS = {
    "opens an absolute rest": checker(strict, begun_anew),
    "decodes and opens an absolute rest": checker(
        strict, lambda path: begun_anew(_first("percent-dots")(path))
    ),
    "expands unset variables": checker(strict, variables_unset),
    "opens a URL below the root": checker(strict, lambda path: re.sub(".*file:/+", "/", path)),
    "takes a URL for relative": checker(
        unless(lambda path: re.match(r"\w+:", path)),
        lambda path: re.sub(r"^\w.*?:/+(?:localhost/)?", "/", path),
    ),
    "takes relative for inside": checker(unless(is_relative)),
    "takes relative for inside, trims": checker(unless(is_relative), str.strip),
    "takes relative for inside, expands ~": checker(
        unless(is_relative), lambda path: re.sub("^~[^/]*", "/root", path)
    ),
    "takes relative for inside, drops NUL": checker(
        unless(is_relative), lambda path: path.replace("\0", "")
    ),
    "takes relative for inside, on Windows": checker(unless(is_relative), windows),
    "expands ~ after the root": checker(strict, lambda path: re.sub(r"^.*/~\w*", "/root", path)),
    "trusts .txt, NUL cuts": checker(by_ending, lambda path: path.partition("\0")[0]),
    "trusts .txt, a buffer cuts": checker(by_ending, lambda path: path[:_BUFFER]),
    "finds the root anywhere, NUL cuts": checker(
        lambda guard, path: any(f"{root}/" in path for root in guard.roots),
        lambda path: path.partition("\0")[0],
    ),
    "a buffer cuts": checker(as_text, lambda path: path[:_BUFFER]),
    "a buffer cuts the check": checker(lambda guard, path: as_text(guard, path[:_BUFFER])),
    "asserts that segments are few": checker(
        as_text, asserting(lambda path: path.count("/") < _SEGMENTS)
    ),
    "asserts that nothing is to trim": checker(
        as_text, asserting(lambda path: path == path.strip())
    ),
    "asserts that nothing climbs": checker(
        as_text, asserting(lambda path: ".." not in path.split("/"))
    ),
    "asserts that nothing is a link": checker(without_link),
    "asserts that NFKC fits": checker(
        strict,
        asserting(lambda path: len(unicodedata.normalize("NFKC", path)) <= 2 * len(path)),
    ),
    "decodes strictly": checker(strict, decoded_strictly),
    "drops surrogates": checker(as_text, visible),
    "converts to UTF-16": checker(as_text, in_utf16),
    "looks characters up": checker(strict, named),
    "formats the path": checker(strict, lambda path: path.format("x")),
    "opens the last of a list": checker(strict, lambda path: re.split("[,:; \n|]", path)[-1]),
    "judges no pattern": checker(unless(lambda path: set("*?[") & set(path)), matched),
    "drops a query": checker(strict, lambda path: re.sub("[?#].*", "", path)),
    "joins as Windows does": checker(as_text, windows),
    "opens devices in every folder": checker(as_text, device),
    "expects one colon": checker(as_text, split_at_colon),
    "looks short names up": checker(as_text, long_name),
    "expects an extension": checker(as_text, with_extension),
    "expects a last name": checker(as_text, with_name),
    "reads DOS wildcards": checker(as_text, dotted),
    "refuses climbs alone": checker(lambda guard, path: not climbs(path)),
    "refuses known folders": checker(denied_by_name),
    "takes /proc for harmless": checker(
        lambda guard, path: as_text(guard, path) or collapse(path).startswith("/proc/")
    ),
    "asks whether the root begins so": checker(
        lambda guard, path: (
            any(root.startswith(collapse(path)) for root in guard.roots) or strict(guard, path)
        )
    ),
    "judges the folder alone": checker(by_parent),
    "judges text, opens the path": checker(as_text),
    "resolves what exists": checker(resolved_if_there),
    "collapses what loops": checker(text_if_looping, collapse),
    "opens in another process": checker(by_place, elsewhere_started),
    "compares NFKC": checker(through(lambda path: unicodedata.normalize("NFKC", path))),
    "compares what is visible": checker(through(visible)),
    "compares the decoded path": checker(through(_first("double-percent"))),
    "compares any case of what is left": checker(through(str.casefold)),
    "compares the first line": checker(lambda guard, path: as_text(guard, path.splitlines()[0])),
    "compares no more than a beginning": checker(
        lambda guard, path: any(collapse(path).startswith(root) for root in guard.roots)
    ),
    "judges nothing unencodable": checker(unless(is_unencodable)),
    **{f"opens {name}": checker(as_text, _first(name)) for name in CONSUMERS},
}


# ---------------------------------------------------------------- grants


def granting(change):
    """Return the factory of sessions whose grants are changed as they are compiled."""

    class Guard(PathGuard):
        def __init__(self, vfs, prefixes, denial):
            super().__init__(vfs, prefixes, denial)
            self.roots = list(change(self, list(prefixes)))
            self.places = [self.resolve(root) or root for root in self.roots]

    return lambda caps, world: Forgiving(caps, world, Pieces(paths=Guard))


def _there(guard, roots):
    there = [root for root in roots if guard.vfs.exists(root)]
    return there or ["/" for _ in roots]


def _all_or_nothing(guard, roots):
    return ["/"] if any(not guard.vfs.exists(root) for root in roots) else roots


def _folder_of_file(guard, roots):
    del guard
    return [
        dirname(root.rstrip("/")) if "." in basename(root.rstrip("/")) else root for root in roots
    ]


class Matching(PathGuard):
    """Takes a grant for a regular expression."""

    def covers(self, root, path):
        """Match."""
        return super().covers(root, path) or re.match(f"{root}(?:/|$)", path) is not None


GRANTS = {
    "drops grants that are missing": granting(_there),
    "one missing grant drops all": granting(_all_or_nothing),
    "grants the folder of a file": granting(_folder_of_file),
    "grants the parent of a link's target": granting(
        lambda guard, roots: [
            place if (place := guard.resolve(root)) in {collapse(root), None} else dirname(place)
            for root in roots
        ]
    ),
    "grants what roots have in common": granting(
        lambda guard, roots: [commonpath(map(collapse, roots))] if roots else []
    ),
    "grants the parent of an odd spelling": granting(
        lambda guard, roots: [
            collapse(root) if root.rstrip("/") == collapse(root) else dirname(collapse(root))
            for root in roots
        ]
    ),
    "grants the parent of a repeated root": granting(
        lambda guard, roots: [
            dirname(root) if [*map(collapse, roots)].count(root) > 1 else root
            for root in map(collapse, roots)
        ]
    ),
    "splits grants": granting(
        lambda guard, roots: [one for root in roots for one in re.split("[,:; \n|]", root) if one]
    ),
    "expands variables in grants": granting(
        lambda guard, roots: [
            collapse(re.sub(r"\$\w+|\$\{\w+\}|%\w+%|~", "/", root)) for root in roots
        ]
    ),
    "trims grants": granting(lambda guard, roots: [root.strip() for root in roots]),
    "matches grants": lambda caps, world: Forgiving(caps, world, Pieces(paths=Matching)),
}
