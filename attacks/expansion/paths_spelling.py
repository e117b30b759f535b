"""Families of vectors that spell a path oddly: climbs, encodings, Unicode, controls, Windows."""

from capfuzz.attacks.expansion.family import Family
from capfuzz.attacks.expansion.path_plan import ALL, FAR, KEPT, SHORT, SYSTEM, Plan, Twin, family

_DOTS = Twin("honest-dots", "/work/a..b", "/work/out/a..b")
_PERCENT = Twin("honest-percent", "/work/50%25.png", "/work/out/50%25.png")
_FULLWIDTH = Twin("honest-fullwidth", "/work/\uff0e\uff0ea", "/work/out/\uff0e\uff0ea")
_UNICODE = Twin("honest-unicode", "/work/r\u00e9sum\u00e9.txt", "/work/out/r\u00e9sum\u00e9.txt")
_BLANK = Twin("honest-blank", "/work/my notes.txt", "/work/out/my notes.txt")
_MARKS = Twin("honest-punctuation", "/work/#1.txt", "/work/out/#1.txt")
_LONG = Twin("honest-depth", "/work/" + "n" * 255, "/work/out/" + "n" * 255)
_MOST = (FAR, KEPT, SYSTEM)

TRAVERSAL = family(
    "path-traversal",
    "CWE-22",
    (
        Plan(("climb", "climb-with-dots", "climb-with-slashes"), ALL),
        Plan(("climb-past-top", "climb-to-folder", "climb-back-and-out", "climb-via-neighbour")),
        Plan(("climb-after-folder", "climb-after-missing", "climb-after-file"), ALL),
        Plan(("climb-after-honest-name",), _MOST, _DOTS),
        Plan(("climb-out-and-in",)),
        Plan(
            (
                "rejoined-climb",
                "rejoined-twice",
                "rejoined-backslash",
                "rejoined-here",
                "collapsed-dots",
            ),
            ALL,
            _DOTS,
        ),
    ),
    files=("/work/a..b",),
)

ENCODING = family(
    "path-encoding",
    "CWE-177",
    (
        Plan(
            (
                "percent-dots",
                "percent-one-dot",
                "percent-slash",
                "percent-dots-and-slash",
                "percent-backslash",
                "double-percent",
                "double-percent-slash",
            ),
            ALL,
            _PERCENT,
        ),
        Plan(
            (
                "percent-everything",
                "percent-absolute",
                "percent-folder-dots",
                "percent-nul",
                "double-percent-backslash",
                "double-percent-digits",
                "double-percent-mixed",
                "nibble",
                "triple-percent",
                "quadruple-percent",
                "broken-percent",
                "climb-after-broken",
            ),
            SHORT,
            _PERCENT,
        ),
    ),
    files=("/work/50%25.png",),
)

CHARSETS = family(
    "path-charsets",
    "CWE-173",
    (
        Plan(
            (
                "overlong-two",
                "overlong-three",
                "overlong-four",
                "overlong-six",
                "overlong-malformed",
                "overlong-raw",
                "percent-u",
                "html-entities",
                "source-escapes",
                "mail-encodings",
            ),
            SHORT,
            _PERCENT,
        ),
    ),
    files=("/work/50%25.png",),
)

UNICODE = family(
    "path-unicode",
    "CWE-176",
    (
        Plan(("fullwidth-dots", "fullwidth-slash", "dot-leaders"), ALL, _FULLWIDTH),
        Plan(
            (
                "fullwidth-backslash",
                "small-full-stop",
                "vertical-dots",
                "folded-percent",
                "percent-folded",
                "ideographic-stops",
                "slash-lookalikes",
                "backslash-lookalikes",
                "low-byte",
            ),
            SHORT,
            _FULLWIDTH,
        ),
        Plan(
            (
                "ignorable-between-dots",
                "ignorable-around-dots",
                "bidi-controls",
                "lone-surrogate",
                "climb-after-surrogate",
            ),
            SHORT,
            _UNICODE,
        ),
        Plan(("reversed-surrogates", "unassigned", "many-marks"), (FAR,), _UNICODE),
    ),
    files=("/work/\uff0e\uff0ea", "/work/r\u00e9sum\u00e9.txt"),
)

CONTROLS = family(
    "path-controls",
    "CWE-158",
    (
        Plan(
            (
                "nul-before-suffix",
                "nul-after-target",
                "nul-after-honest",
                "nul-inside-dots",
                "nul-inside-root",
            ),
            _MOST,
        ),
        Plan(("control-between-dots", "control-after-dots", "control-before-dots", "second-line")),
        Plan(
            (
                "blank-around-dots",
                "blank-after-file",
                "line-break-after-dots",
                "blank-before-slash",
            ),
            SHORT,
            _BLANK,
        ),
    ),
    files=("/work/my notes.txt",),
)

SHELL = family(
    "path-shell",
    "CWE-74",
    (
        Plan(("path-parameters", "climb-behind-query"), ALL, _MARKS),
        Plan(
            (
                "query-after-dots",
                "climb-before-query",
                "home",
                "home-below-root",
                "variables",
                "variable-defaults",
                "quoting",
                "escaping",
                "list-of-paths",
                "format-fields",
            ),
            SHORT,
            _MARKS,
        ),
        Plan(("globbing",), SHORT, _MARKS),
        Plan(("globbed-target",), (FAR,), _MARKS),
    ),
    files=("/work/#1.txt",),
)

WINDOWS = family(
    "path-windows",
    "CWE-41",
    (
        Plan(("backslash-climb", "mixed-separators"), ALL),
        Plan(("backslash-absolute", "drive-absolute", "drive-relative", "device-then-climb")),
        Plan(("trailing-dots", "streams", "slash-at-end")),
        Plan(
            (
                "drive-alone",
                "unc",
                "verbatim",
                "device-namespace",
                "device-names",
                "short-names",
                "dos-wildcards",
            ),
            (FAR,),
        ),
    ),
)

LENGTHS = family(
    "path-lengths",
    "CWE-131",
    (
        Plan(
            (
                "name-too-long",
                "path-too-long",
                "climb-beyond-limit",
                "cut-to-target",
                "deep-path",
            ),
            SHORT,
            _LONG,
        ),
        Plan(("suffix-beyond-limit",), (FAR,), _LONG),
    ),
    files=("/work/" + "n" * 255,),
)

FAMILIES: tuple[Family, ...] = (
    TRAVERSAL,
    ENCODING,
    CHARSETS,
    UNICODE,
    CONTROLS,
    SHELL,
    WINDOWS,
    LENGTHS,
)
