"""RestrictedPython, with the guards that its documentation shows."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked

from typing import Any


def execute(source: str) -> Any:
    """Run statements and return what they have left in ``result``."""
    from RestrictedPython import compile_restricted_exec, safe_globals
    from RestrictedPython.Eval import default_guarded_getitem, default_guarded_getiter
    from RestrictedPython.Guards import guarded_iter_unpack_sequence, safer_getattr

    compiled = compile_restricted_exec(source)
    if compiled.errors:
        raise SyntaxError(compiled.errors[0])
    names = dict(
        safe_globals,
        __name__="restricted",
        __metaclass__=type,
        _getattr_=safer_getattr,
        _getitem_=default_guarded_getitem,
        _getiter_=default_guarded_getiter,
        _iter_unpack_sequence_=guarded_iter_unpack_sequence,
    )
    exec(compiled.code, names)
    return names.get("result")
