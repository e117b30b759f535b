"""For each fault of a budget or a halt over several ops the ops that show it, by effects."""

from .common_plays import HONEST, accepted, delivered, happened, play, times

_NOTE = ("fs_write", "/work/out/late", "x")
_BIG = HONEST  # 6 bytes
_LATE = happened("write", "/work/out/late")
_AGAIN = ("tool", "again", *HONEST)

HALTS = {
    "halt_by_kind": play(_BIG, _NOTE, shows=_LATE, max_output_bytes=3),
    "halt_of_files_only": play(
        _BIG, ("tool", "summarize"), shows=times("tool", 1), max_output_bytes=3
    ),
    "halt_lifted_by_malformed": play(_BIG, ("nonsense",), _NOTE, shows=_LATE, max_output_bytes=3),
    "halt_cools_down": play(_BIG, _NOTE, shows=_LATE, ticks=(0, 1, 11), max_output_bytes=3),
    "halt_lifted_by_clock": play(_BIG, _NOTE, shows=_LATE, ticks=(0, 5, 4), max_output_bytes=3),
    "halt_grants_last_op": play(_BIG, _NOTE, shows=_LATE, max_output_bytes=3),
    "halt_asked_after_effect": play(_BIG, _NOTE, shows=_LATE, max_output_bytes=3),
    "halt_forgotten_by_tool": play(_AGAIN, _NOTE, shows=_LATE, max_output_bytes=5),
}

NESTING = {
    "nested_ops_uncharged": play(_AGAIN, HONEST, shows=times("read", 2), max_ops=2),
    "nested_output_uncharged": play(_AGAIN, HONEST, shows=accepted(), max_output_bytes=12),
    "time_stops_in_tools": play(
        ("tool", "again", *_NOTE), shows=_LATE, ticks=(0, 0, 20), max_wall=10
    ),
    "counters_restored_after_tool": play(_AGAIN, HONEST, shows=times("read", 2), max_ops=2),
}

COUNTERS = {
    "ops_counted_by_kind": play(HONEST, _NOTE, shows=_LATE, max_ops=1),
    "ops_counted_by_name": play(
        HONEST, ("fs_read", "/work/out/old.txt"), shows=times("read", 2), max_ops=1
    ),
    "count_reset_by_failure": play(
        ("tool", "fail"), HONEST, shows=happened("read", "/work/data.txt"), max_ops=1
    ),
    "count_in_a_byte": play(*[HONEST] * 257, shows=times("read", 257), max_ops=256),
    "silent_ops_refunded": play(_NOTE, _NOTE, shows=times("write", 2), max_ops=1),
    "output_reset_by_write": play(
        HONEST, _NOTE, HONEST, shows=delivered(more_than=6), max_output_bytes=6
    ),
    "repeated_output_uncharged": play(
        HONEST, HONEST, shows=delivered(more_than=6), max_output_bytes=6
    ),
    "deadline_is_idle_timeout": play(HONEST, _NOTE, shows=_LATE, ticks=(0, 6, 12), max_wall=10),
    "budget_is_a_rate": play(HONEST, HONEST, shows=times("read", 2), max_ops=1),
    "whole_days_dropped": play(_NOTE, shows=_LATE, ticks=(0, 86_400), max_wall=10),
}

METERS = HALTS | NESTING | COUNTERS
