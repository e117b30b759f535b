"""Generated cases for sandboxes of the system: by every door, and under grants of every shape."""

from capfuzz.attacks.case import Surface
from capfuzz.strategies import stage
from capfuzz.strategies.cases import cases_for
from hypothesis import HealthCheck, Phase, given, seed, settings

DOORS = {
    *("fs_read", "fs_list", "fs_stat", "fd_stat", "fs_uring"),
    *("fs_write", "fs_append", "fs_truncate", "fd_reopen", "fs_chmod", "fs_utimes"),
    *("net_tcp", "net_udp", "net_unix", "net_abstract", "proc_signal", "env_read"),
    *("use_processes", "use_threads", "priv_unshare"),
}


def drawn():
    """Return a few hundred cases, the same ones each time."""
    found = []

    @seed(0)
    @settings(
        max_examples=400,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases_for(Surface.COMMAND))
    def collect(case):
        found.append(case)

    collect()
    return found


def test_every_door_is_tried_under_grants_with_folders_and_files():
    """A sandbox would be asked to open files to read under folders alone, whatever is drawn."""
    found = drawn()
    assert {op[0] for case in found for op in case.ops if type(op) is tuple and op} >= DOORS
    written = [op for case in found for op in case.ops if type(op) is tuple and op[0] == "fs_write"]
    assert {str} == {type(data) for _, _, data in written}
    roots = [{*case.grant.fs_read, *case.grant.fs_write} for case in found]
    assert any(one & {*stage.WORLD.files} for one in roots)
    assert {1, 2, 3, 4, 5, 6, 7} <= {len(one) for one in roots}


def test_where_this_machine_is_granted_what_shares_its_network_is_not_asked():
    """A system that opens the network whole would be accused of the rest of it."""
    granted = [case for case in drawn() if "127.0.0.1" in case.grant.net_hosts]
    assert granted
    asked = {op[0] for case in granted for op in case.ops if type(op) is tuple and op}
    assert {"net_tcp", "net_port"} == {one for one in asked if one.startswith("net_")}


def test_more_processes_are_asked_for_than_there_may_be_and_fewer_and_no_more_ops():
    """A limit would be met by no drawn case, or by its own number of ops."""
    asked = [
        (op[1], case.grant.max_ops, len(case.ops))
        for case in drawn()
        for op in case.ops
        if type(op) is tuple and op and op[0] in {"use_processes", "use_threads"}
    ]
    assert {True, False} == {number > most for number, most, _ in asked}
    assert all(count <= most for _, most, count in asked)
