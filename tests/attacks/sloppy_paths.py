"""Consumers of paths, one careless step each: what a hidden climb becomes behind the check."""

import html
import quopri
import re
import shlex
import unicodedata
from fnmatch import fnmatchcase
from urllib.parse import unquote


def lenient_utf8(raw):
    """Decode bytes as an old decoder did: overlong forms, and later bytes of any kind, pass."""
    text, at = "", 0
    while at < len(raw):
        lead = raw[at]
        size = next((n for n in range(6, 1, -1) if lead >> (7 - n) == 2 ** (n + 1) - 2), 1)
        code = lead if size == 1 else lead & (0x7F >> size)
        for byte in raw[at + 1 : at + size]:
            code = code << 6 | byte & 0x3F
        text += chr(code)
        at += size
    return text


def percent_bytes(path):
    """Percent-decode to bytes and read those leniently."""
    plain = re.sub(r"%([0-9a-f]{2})", lambda match: chr(int(match[1], 16)), path)
    return lenient_utf8(plain.encode("latin-1"))


def raw_bytes(path):
    """Read text that smuggles bytes, leniently."""
    codec = ("utf-8", "surrogateescape") if "\udcc0" in path else ("latin-1", "strict")
    return lenient_utf8(path.encode(*codec))


def percent_u(path):
    """Decode %uXXXX and fold."""
    plain = re.sub(r"%u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), path)
    return fold(best_fit(plain))


def fold(path):
    """Normalise as a consumer of compatibility forms does, with backslashes as separators."""
    return unicodedata.normalize("NFKC", path).replace("\\", "/")


def best_fit(path):
    """Convert as a code page does that has neither these slashes nor these dots."""
    slashes = dict.fromkeys("\u2044\u2215\u2571\u29f8\u00a5\u20a9\u2216\u29f5\u29f9", "/")
    return path.translate(str.maketrans(slashes | dict.fromkeys("\u3002\uff61", ".")))


def low_bytes(path):
    """Keep the low byte of every character."""
    return "".join(chr(ord(character) & 0xFF) for character in path).replace("\\", "/")


def visible(path):
    """Remove what is not visible: controls, format characters, marks, surrogates."""
    hidden = {"Cc", "Cf", "Cs", "Mn", "Zl", "Zp"}
    return "".join(one for one in path if unicodedata.category(one) not in hidden)


def trimmed(path):
    """Trim every segment, and the path."""
    return "/".join(
        segment.strip(" \t\r\n\v\f\x1c\x1f\x85\u00a0\u2003\u2028\u3000\ufeff")
        for segment in path.strip("\ufeff").strip().split("/")
    )


def without(*removed, times=1):
    """Return a filter that replaces texts by nothing, so many times."""

    def strip(path):
        for _ in range(times):
            for one in removed:
                path = path.replace(one, "")
        return path

    return strip


def escapes(path):
    """Interpret the escapes of several languages."""
    path = re.sub(r"\\u\{(\w+)\}", lambda match: chr(int(match[1], 16)), path)
    return path.replace("\\/", "/").encode().decode("unicode_escape")


def mail(path):
    """Decode UTF-7, quoted-printable and encoded words."""
    word = re.search(r"=\?utf-8\?q\?(.*)\?=", path)
    if word:
        return "/work/" + quopri.decodestring(word[1].encode()).decode()
    if "+" in path:
        return path.encode().decode("utf-7")
    return quopri.decodestring(path.encode()).decode()


def unquoted(path):
    """Remove quotes and backslashes as a shell does."""
    return shlex.split(path.replace("$'", "'"))[0]


def parameters(path):
    """Drop parameters from segments."""
    return re.sub(r";[^/]*", "", unquote(path))


def shell(path):
    """Expand parameters as a shell does in which nothing is set."""
    path = re.sub(r"\$\{X:?-([^}]*)\}", r"\1", path)
    return re.sub(r"\$\{X\}|\$@", "", path)


def globbed(path):
    """Read a pattern as what it matches or lists first among dots and names."""
    made = []
    for part in re.sub(r"\{([^,]*),[^}]*\}", r"\1", path.replace("?(.).", ".")).split("/"):
        climbs = set(part) & set("?*[") and fnmatchcase("..", part)
        made.append(".." if climbs else part)
    return "/".join(made)


def dotted(path):
    """Read DOS wildcards as the dots that they match."""
    return path.replace('"', ".").replace(">", ".")


def unquoted_twice(path):
    """Percent-decode until nothing changes."""
    while unquote(path) != path:
        path = unquote(path)
    return path.replace("\\", "/")


def cut(path):
    """Cut a path to the buffers that are tried."""
    return [path[: limit - 1] for limit in (260, 1024, 4096)]


def backslashes(path):
    """Take backslashes for separators."""
    return path.replace("\\", "/")


CONSUMERS = {
    "percent-dots": unquote,
    "percent-one-dot": unquote,
    "percent-slash": unquote,
    "percent-dots-and-slash": unquote,
    "percent-backslash": unquoted_twice,
    "percent-everything": unquote,
    "percent-folder-dots": unquote,
    "double-percent": unquoted_twice,
    "double-percent-slash": unquoted_twice,
    "double-percent-backslash": unquoted_twice,
    "double-percent-digits": unquoted_twice,
    "double-percent-mixed": unquoted_twice,
    "nibble": unquoted_twice,
    "triple-percent": unquoted_twice,
    "quadruple-percent": unquoted_twice,
    "percent-nul": [
        lambda path: unquoted_twice(path).partition("\0")[0],
        lambda path: unquote(path).replace("\0", ""),
    ],
    "overlong-two": lambda path: backslashes(percent_bytes(path)),
    "overlong-three": percent_bytes,
    "overlong-four": percent_bytes,
    "overlong-six": percent_bytes,
    "overlong-malformed": lambda path: backslashes(percent_bytes(path)),
    "overlong-raw": raw_bytes,
    "percent-u": percent_u,
    "html-entities": html.unescape,
    "source-escapes": escapes,
    "mail-encodings": mail,
    "fullwidth-dots": fold,
    "fullwidth-slash": fold,
    "fullwidth-backslash": fold,
    "dot-leaders": fold,
    "small-full-stop": fold,
    "vertical-dots": fold,
    "folded-percent": lambda path: unquote(fold(path)),
    "percent-folded": lambda path: fold(unquote(path)),
    "ideographic-stops": best_fit,
    "slash-lookalikes": best_fit,
    "backslash-lookalikes": best_fit,
    "low-byte": low_bytes,
    "ignorable-between-dots": visible,
    "ignorable-around-dots": visible,
    "bidi-controls": visible,
    "control-between-dots": visible,
    "control-after-dots": trimmed,
    "control-before-dots": trimmed,
    "blank-around-dots": lambda path: trimmed(path).replace(" ", ""),
    "line-break-after-dots": trimmed,
    "blank-before-slash": trimmed,
    "rejoined-climb": without("../"),
    "rejoined-twice": [without("../", times=2), without("../", times=3)],
    "rejoined-backslash": without("..\\"),
    "rejoined-here": without("./"),
    "collapsed-dots": lambda path: path.replace("..", "."),
    "path-parameters": parameters,
    "query-after-dots": lambda path: re.sub(r"[?#].*", "", unquote(path)),
    "variable-defaults": shell,
    "quoting": unquoted,
    "escaping": unquoted,
    "globbing": globbed,
    "backslash-climb": backslashes,
    "mixed-separators": backslashes,
    "cut-to-target": cut,
    "suffix-beyond-limit": cut,
    "nul-inside-dots": without("\0"),
    "nul-before-suffix": lambda path: path.partition("\0")[0],
    "nul-after-target": lambda path: path.partition("\0")[0],
}
