"""Why each kind of source exists, said once a group: the bug and its effect."""

from typing import Any

_ESCAPE = "Code reads files, the environment and the memory of its host, and writes and sends."
_SPIN = "The host hangs or runs out of memory."
_CWE = "https://cwe.mitre.org/data/definitions/"

# Group: the bug, the effect, the weakness, known cases.
_ROWS: dict[str, tuple[str, str, int, tuple[str, ...]]] = {
    "over-blocking-eval": ("Honest code is taken for hostile.", "Honest work is refused.", 184, ()),
    "outside-eval": ("Nothing is kept from the code.", _ESCAPE, 95, ()),
    "namespaces": ("What Python adds to every namespace is left in it.", _ESCAPE, 913, ()),
    "imports": ("Only some forms of import are judged.", _ESCAPE, 184, ()),
    "modules": (
        "Modules are handed out with all that they have imported themselves.",
        _ESCAPE,
        94,
        ("CVE-2026-32640",),
    ),
    "imported-modules": (
        "Modules may be imported with all that they have imported themselves.",
        _ESCAPE,
        94,
        ("CVE-2025-5120",),
    ),
    "object-graph": ("Values lead to their class, and that to all others.", _ESCAPE, 913, ()),
    "function-globals": ("Functions lead to the module that they are from.", _ESCAPE, 913, ()),
    "builtin-self": ("Builtin functions lead to the module of them all.", _ESCAPE, 913, ()),
    "match-pattern": ("Attributes in patterns are not judged.", _ESCAPE, 184, ()),
    "frames": (
        "Generators lead to frames, and those to whoever runs them.",
        _ESCAPE,
        913,
        ("CVE-2023-37271",),
    ),
    "coroutine-frames": (
        "Coroutines lead to frames, and those to whoever runs them.",
        _ESCAPE,
        913,
        ("CVE-2023-37271",),
    ),
    "tracebacks": ("Exceptions lead to the frames that they passed.", _ESCAPE, 209, ()),
    "attribute-by-name": ("Attributes are not judged where a string names them.", _ESCAPE, 184, ()),
    "lying-names": ("A name is asked whether it is harmless.", _ESCAPE, 843, ()),
    "eval-unicode": ("Words are looked for in text that is normalised later.", _ESCAPE, 176, ()),
    "eval-spelling": (
        "Words are looked for in text that can be spelt otherwise.",
        _ESCAPE,
        184,
        (),
    ),
    "indirect-call": ("Calls are judged by the name that is called.", _ESCAPE, 184, ()),
    "special-methods": ("What Python calls by itself is not judged.", _ESCAPE, 184, ()),
    "exceptions": ("Exceptions carry the objects that they are about.", _ESCAPE, 209, ()),
    "format-string": (
        "Format strings walk attributes by themselves.",
        _ESCAPE,
        134,
        ("CVE-2023-41039",),
    ),
    "format-spec": (
        "A format specification is pasted into a format string.",
        _ESCAPE,
        134,
        ("CVE-2025-24359",),
    ),
    "formatter": ("Formatter objects walk attributes.", _ESCAPE, 134, ("CVE-2024-47532",)),
    "template-walk": ("Templates walk from values to the host.", _ESCAPE, 1336, ()),
    "template-subscript": ("Attributes in brackets are not judged.", _ESCAPE, 184, ()),
    "template-attr": ("Filters get attributes unjudged.", _ESCAPE, 184, ("CVE-2025-27516",)),
    "template-format": (
        "Format strings in templates walk attributes.",
        _ESCAPE,
        134,
        ("CVE-2016-10745", "CVE-2019-10906"),
    ),
    "template-format-got": (
        "A format method that a filter got is not known for one.",
        _ESCAPE,
        134,
        ("CVE-2025-27516",),
    ),
    "template-format-passed": (
        "A format method is called by somebody else than the template.",
        _ESCAPE,
        693,
        ("CVE-2024-56326",),
    ),
    "template-inside": ("Objects of the engine lead to the host.", _ESCAPE, 913, ()),
    "constructors": ("The constructor of a function makes others of text.", _ESCAPE, 94, ()),
    "constructors-spelt": ("Names are judged behind a dot alone.", _ESCAPE, 184, ()),
    "host-objects": (
        "Objects of the host reach the code.",
        _ESCAPE,
        913,
        ("CVE-2023-29017", "CVE-2023-32314"),
    ),
    "eval-numbers": ("Numbers grow without a bound.", _SPIN, 400, ()),
    "eval-text": ("Texts and lists grow without a bound.", _SPIN, 400, ()),
    "eval-loops": ("Loops and calls are not counted.", _SPIN, 835, ()),
    "eval-patterns": ("Patterns are matched without a bound.", _SPIN, 1333, ()),
}

NOTES: dict[str, dict[str, Any]] = {
    group: {"bug": bug, "effect": effect, "cves": list(cves), "links": [f"{_CWE}{cwe}.html"]}
    for group, (bug, effect, cwe, cves) in _ROWS.items()
}
