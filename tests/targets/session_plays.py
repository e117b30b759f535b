"""For each faulty session target the ops that show its fault, by what the world saw happen."""

from capfuzz.attacks.codec import LyingStr

from .common_plays import (
    HONEST,
    SECRET,
    Show,
    accepted,
    delivered,
    failed_open,
    happened,
    play,
    refused,
    times,
    told_apart,
)
from .meter_plays import METERS
from .race_plays import RACES
from .sequence_plays import SEQUENCES

PATHS = {
    "prefix_without_boundary": play(
        ("fs_read", "/workshop/secret"), shows=happened("read", "/workshop/secret")
    ),
    "common_prefix_of_characters": play(
        ("fs_read", "/workshop/secret"), shows=happened("read", "/workshop/secret")
    ),
    "dotdot_only_at_start": play(
        ("fs_read", "/work/../etc/passwd"), shows=happened("read", "/etc/passwd")
    ),
    "strip_once_dotdot": play(
        ("fs_read", "/work/....//etc/passwd"), shows=happened("read", "/etc/passwd")
    ),
    "root_anywhere": play(
        ("fs_read", "/backup/work/data.txt"), shows=happened("read", "/backup/work/data.txt")
    ),
    "path_case_folded": play(
        ("fs_read", "/WORK/data.txt"), shows=happened("read", "/WORK/data.txt")
    ),
    "boundary_on_last_root_only": play(
        ("fs_read", "/workshop/secret"),
        shows=happened("read", "/workshop/secret"),
        fs_read=("/work", "/data"),
    ),
    "grant_read_as_glob": play(
        ("fs_read", "/workshop/secret"),
        shows=happened("read", "/workshop/secret"),
        fs_read=("/work*",),
    ),
    "longest_prefix_mix": play(
        HONEST, shows=happened("read", "/work/data.txt"), fs_read=("/work/in", "/work/out")
    ),
    "reads_allow_parent_of_grant": play(
        HONEST, shows=happened("read", "/work/data.txt"), fs_read=("/work/out",)
    ),
    "writes_use_read_list": play(
        ("fs_write", "/work/data.txt", "x"), shows=happened("write", "/work/data.txt")
    ),
    "first_root_only": play(HONEST, shows=refused(), fs_read=("/data", "/work")),
    "trailing_slash_grants_nothing": play(HONEST, shows=refused(), fs_read=("/work/",)),
    "root_itself_refused": play(HONEST, shows=refused(), fs_read=("/work/data.txt",)),
    "refuses_dots_in_names": play(("fs_read", "/work/backup..2024.json"), shows=refused()),
    "decode_after_check": play(
        ("fs_read", "/work/%2e%2e/etc/passwd"), shows=happened("read", "/etc/passwd")
    ),
    "double_decode_after_check": play(
        ("fs_read", "/work/%252e%252e/etc/passwd"), shows=happened("read", "/etc/passwd")
    ),
    "backslash_to_slash_after_check": play(
        ("fs_read", "/work/..\\etc\\passwd"), shows=happened("read", "/etc/passwd")
    ),
    "nfkc_after_check": play(
        ("fs_read", "/work/\u2025/etc/passwd"), shows=happened("read", "/etc/passwd")
    ),
    "controls_dropped_after_check": play(
        ("fs_read", "/work/.\t./etc/passwd"), shows=happened("read", "/etc/passwd")
    ),
    "nul_truncates": play(
        ("fs_read", "/etc/passwd\0/../../work/x"), shows=happened("read", "/etc/passwd")
    ),
    "links_followed": play(
        ("fs_read", "/work/l"),
        shows=happened("read", "/etc/passwd"),
        links={"/work/l": "/etc/passwd"},
    ),
    "parent_of_missing": play(
        ("fs_write", "/work/out/l", "x"),
        shows=happened("write", "/etc/new"),
        links={"/work/out/l": "/etc/new"},
    ),
}

ORDER = {
    "write_before_check": play(
        ("fs_write", "/etc/passwd", "x"), shows=happened("write", "/etc/passwd")
    ),
    "read_before_check": play(SECRET, shows=happened("read", "/etc/passwd")),
    "fetch_before_check": play(
        ("net_fetch", "evil.test", "/"), shows=happened("fetch", "evil.test")
    ),
    "tool_before_check": play(("tool", "shell", "id"), shows=happened("tool", "shell")),
}

BUDGETS = {
    "max_ops_off_by_one": play(HONEST, HONEST, shows=times("read", 2), max_ops=1),
    "zero_budget_means_unlimited": play(HONEST, shows=times("read", 1), max_ops=0),
    "no_halt_after_hard": play(
        HONEST, ("fs_read", "/work/out/old.txt"), shows=accepted(), max_output_bytes=3
    ),
    "halt_forgets": play(
        HONEST,
        *[("fs_read", "/work/out/old.txt")] * 3,
        shows=accepted(),
        max_output_bytes=3,
    ),
    "denied_ops_not_charged": play(SECRET, SECRET, HONEST, shows=accepted(), max_ops=2),
    "malformed_not_charged": play(("nonsense",), ("fs_read",), HONEST, shows=accepted(), max_ops=2),
    "failed_ops_not_charged": play(*[("tool", "fail")] * 3, shows=times("tool", 3), max_ops=2),
    "reset_budget_by_op": play(HONEST, ("nonsense",), HONEST, HONEST, shows=accepted(), max_ops=3),
    "charged_after_effect": play(
        ("tool", "again", *HONEST), shows=happened("read", "/work/data.txt"), max_ops=1
    ),
    "batch_charged_once": play(("batch", HONEST, HONEST), shows=times("read", 2), max_ops=1),
    "output_in_characters": play(
        ("tool", "summarize", "\u20ac"), shows=delivered(more_than=2), max_output_bytes=2
    ),
    "output_checked_after_return": play(HONEST, shows=delivered(more_than=3), max_output_bytes=3),
    "output_per_op": play(HONEST, HONEST, shows=delivered(more_than=6), max_output_bytes=6),
    "output_cap_exclusive": play(HONEST, shows=refused(), max_output_bytes=6),
    "tool_output_unmetered": play(
        ("tool", "summarize", "long text"), shows=delivered(more_than=3), max_output_bytes=3
    ),
    "clock_gives_time_back": play(
        HONEST, HONEST, HONEST, shows=accepted(), ticks=(0, 5, 1, 5), max_wall=8
    ),
    "clock_never_read": play(HONEST, shows=accepted(), ticks=(0, 10), max_wall=9),
    "clock_started_late": play(HONEST, shows=accepted(), ticks=(0, 10), max_wall=9),
    "clock_judged_before_reading": play(HONEST, shows=accepted(), ticks=(0, 10), max_wall=9),
    "empty_list_means_all": play(SECRET, shows=happened("read", "/etc/passwd"), fs_read=()),
}

NAMES = {
    "host_suffix_match": play(
        ("net_fetch", "evil-api.internal", "/"), shows=happened("fetch", "evil-api.internal")
    ),
    "host_prefix_match": play(
        ("net_fetch", "api.internal.evil.test", "/"),
        shows=happened("fetch", "api.internal.evil.test"),
    ),
    "host_dot_matches_any": play(
        ("net_fetch", "apixinternal", "/"), shows=happened("fetch", "apixinternal")
    ),
    "host_userinfo": play(
        ("net_fetch", "api.internal@evil.test", "/"), shows=happened("fetch", "evil.test")
    ),
    "host_port_stripped": play(
        ("net_fetch", "api.internal:22", "/"), shows=happened("fetch", "api.internal:22")
    ),
    "host_decimal_ip": play(
        ("net_fetch", "0x7f.1", "/"), shows=happened("fetch", "127.0.0.1"), net_hosts=("127.0.0.1",)
    ),
    "host_octal_read_as_decimal": play(
        ("net_fetch", "010.0.0.1", "/"), shows=happened("fetch", "8.0.0.1"), net_hosts=("10.0.0.1",)
    ),
    "host_case_unfolded_unicode": play(
        ("net_fetch", "\uff41pi.internal", "/"), shows=happened("fetch", "\uff41pi.internal")
    ),
    "host_blank_stripped": play(
        ("net_fetch", " api.internal", "/"), shows=happened("fetch", " api.internal")
    ),
    "host_trailing_dots_stripped": play(
        ("net_fetch", "api.internal..", "/"), shows=happened("fetch", "api.internal.")
    ),
    "follows_redirects": play(
        ("net_fetch", "api.internal", "/"),
        shows=happened("fetch", "evil.test"),
        hosts={"api.internal": {"/": ("evil.test", "/")}},
    ),
    "wildcard_tool": play(("tool", "s*", "id"), shows=happened("tool", "shell")),
    "wildcard_in_granted_tool": play(
        ("tool", "shell", "id"), shows=happened("tool", "shell"), allowed_tools={"sh*"}
    ),
    "tool_case_insensitive": play(("tool", "SUMMARIZE"), shows=happened("tool", "summarize")),
    "tool_prefix_match": play(
        ("tool", "summarize_and_send"), shows=happened("tool", "summarize_and_send")
    ),
    "tool_namespace_dropped": play(
        ("tool", "evil.summarize"), shows=happened("tool", "evil.summarize")
    ),
    "tool_error_raises": play(("tool", "fail"), shows=failed_open),
}

STATE = {
    "grant_widened_by_write": play(
        ("fs_write", "/work/out/x", "x"),
        HONEST,
        shows=happened("read", "/work/data.txt"),
        fs_read=(),
    ),
    "grant_rewritten": play(
        ("fs_write", "/work/out/x", "x"), shows=lambda trace: not trace.grant_kept
    ),
    "nondeterministic": play(
        *[HONEST] * 64, shows=lambda trace: any(not step.answer.ok for step in trace.steps)
    ),
    "exists_leak": play(SECRET, ("fs_read", "/etc/missing"), shows=told_apart),
    "exists_leak_by_reason": play(SECRET, ("fs_read", "/etc/missing"), shows=told_apart),
    "raises_on_malformed": play(("fs_read",), shows=failed_open),
    "hangs_on_long_path": play(("fs_read", "/work/" + "a" * 1_001), shows=failed_open),
    "lying_str_believed": play(
        ("fs_read", LyingStr("/etc/passwd")), shows=happened("read", "/etc/passwd")
    ),
}

PLAYS: dict[str, Show] = PATHS | ORDER | BUDGETS | NAMES | STATE | SEQUENCES | METERS | RACES
