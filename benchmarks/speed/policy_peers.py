"""Policy engines and a WebAssembly host, with the grant written in their own language."""

# ruff: noqa: PLC0415 - each peer is asked for only where it is installed

from collections.abc import Sequence
from typing import Any

from peers import Ask, Peer, Takes

_CASBIN_MODEL = """
[request_definition]
r = sub, obj, act
[policy_definition]
p = sub, obj, act
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.sub == p.sub && keyMatch(r.obj, p.obj) && r.act == p.act
"""
_REGO = """
package grant
import rego.v1
default allow := false
allow if {
    some root in data.roots
    startswith(input.path, root)
}
"""
# Opens a file below the folder that it was given, as a guest does, and closes it again.
_GUEST = """
(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "attempt") (param $length i32) (result i32)
    (local $error i32)
    (local.set $error (call $open (i32.const 3) (i32.const 1) (i32.const 16) (local.get $length)
      (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 0)))
    (if (i32.eqz (local.get $error)) (then (drop (call $close (i32.load (i32.const 0))))))
    (local.get $error)))
"""
_AT = 16  # where the path stands in the guest's memory
_MEMORY = 2 * 65_536


def casbin_enforce(roots: Sequence[str]) -> Ask:
    """One policy a root, matched with ``keyMatch``."""
    import casbin

    model = casbin.Model()
    model.load_model_from_text(_CASBIN_MODEL)
    enforcer = casbin.Enforcer(model)
    enforcer.add_policies([["agent", f"{root.rstrip('/')}/*", "read"] for root in roots])
    return lambda text: enforcer.enforce("agent", text, "read")


def cedar_authorize(roots: Sequence[str]) -> Ask:
    """One policy a root, parsed once."""
    import cedarpy

    policies = cedarpy.PolicySet.from_str("\n".join(map(_cedar_policy, roots)))

    def ask(text: str) -> object:
        request = {
            "principal": 'User::"agent"',
            "action": 'Action::"read"',
            "resource": 'Tree::"files"',
            "context": {"path": text},
        }
        try:
            return cedarpy.is_authorized(request, policies, []).allowed
        except ValueError:  # a text that is no UTF-8
            return None

    return ask


def rego_query(roots: Sequence[str]) -> Ask:
    """One rule over a list of roots, compiled once."""
    import regopy

    engine = regopy.Interpreter()
    engine.add_module("grant", _REGO)
    engine.add_data({"roots": [f"{root.rstrip('/')}/" for root in roots]})
    rule = engine.build("data.grant.allow")

    def ask(text: str) -> object:
        try:
            engine.set_input({"path": text})
            return str(engine.query_bundle(rule)) == '{"expressions":[true]}'
        except (regopy.RegoError, ValueError):  # a text that is no UTF-8
            return None

    return ask


def wasm_open(roots: Sequence[str]) -> Ask:
    """Let a guest with one preopened folder open the file."""
    import wasmtime

    (root,) = roots
    engine = wasmtime.Engine()
    linker, store = wasmtime.Linker(engine), wasmtime.Store(engine)
    linker.define_wasi()
    config = wasmtime.WasiConfig()
    config.preopen_dir(root, "/")
    store.set_wasi(config)
    guest = linker.instantiate(store, wasmtime.Module(engine, _GUEST)).exports(store)
    memory: Any = guest["memory"]
    attempt: Any = guest["attempt"]

    def ask(text: str) -> object:
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > _MEMORY - _AT:
            return None
        memory.write(store, data, _AT)
        return attempt(store, len(data)) == 0

    return ask


def _cedar_policy(root: str) -> str:
    below = f"{root.rstrip('/')}/*"
    return f"permit(principal, action, resource) when {{ context.path like {_quoted(below)} }};"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


POLICY_PEERS = (
    Peer("wasmtime path_open", wasm_open, Takes.REST, "wasmtime", "wasmtime", (1,), real=True),
    Peer("casbin", casbin_enforce, Takes.PATH, "casbin", "casbin", linear=True),
    Peer("cedarpy", cedar_authorize, Takes.PATH, "cedarpy", "cedarpy", linear=True),
    Peer("regopy", rego_query, Takes.PATH, "regopy", "regopy", linear=True),
)
