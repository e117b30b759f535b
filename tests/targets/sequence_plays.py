"""For each fault that shows in a sequence the ops that show it, by what the world saw happen."""

from .common_plays import HONEST, SECRET, happened, play, refused, served

_NOTE = ("fs_write", "/work/out/x", "x")
_EVIL = ("net_fetch", "evil.test", "/")
_OK = ("net_fetch", "api.internal", "/")
_ECHO = ("tool", "summarize", "text")

CACHES = {
    "cache_keyed_too_loosely": play(
        HONEST, ("fs_read", "/vault/data.txt"), shows=happened("read", "/vault/data.txt")
    ),
    "cache_keyed_by_first_segment": play(HONEST, SECRET, shows=happened("read", "/etc/passwd")),
    "cache_keyed_without_case": play(
        HONEST, ("fs_read", "/WORK/data.txt"), shows=happened("read", "/WORK/data.txt")
    ),
    "cache_keyed_by_unicode_form": play(
        _NOTE,
        ("fs_write", "/\uff57ork/out/x", "x"),
        shows=happened("write", "/\uff57ork/out/x"),
    ),
    "cache_keyed_by_first_letters": play(
        _NOTE, ("fs_write", "/work/ours", "x"), shows=happened("write", "/work/ours")
    ),
    "cache_shared_by_rights": play(
        HONEST, ("fs_write", "/work/data.txt", "x"), shows=happened("write", "/work/data.txt")
    ),
    "folder_cleared_for_links": play(
        HONEST,
        ("fs_read", "/work/l"),
        shows=happened("read", "/etc/passwd"),
        links={"/work/l": "/etc/passwd"},
    ),
    "refusals_evicted": play(
        SECRET,
        ("fs_read", "/a"),
        ("fs_read", "/b"),
        SECRET,
        shows=happened("read", "/etc/passwd"),
    ),
    "refusals_cached_by_name": play(("fs_read", "/vault/data.txt"), HONEST, shows=refused()),
}

HOSTS = {
    "host_cached_by_parent": play(
        _OK,
        ("net_fetch", "evil.internal", "/"),
        shows=happened("fetch", "evil.internal"),
    ),
    "host_verdict_kept_on_error": play(
        _OK, ("net_fetch", "evil..test", "/"), shows=happened("fetch", "evil..test")
    ),
    "redirect_target_granted": play(
        _OK,
        _EVIL,
        shows=happened("fetch", "evil.test"),
        hosts={"api.internal": {"/": ("evil.test", "/")}},
    ),
    "hosts_in_output_granted": play(
        ("tool", "summarize", "see evil.test"), _EVIL, shows=happened("fetch", "evil.test")
    ),
    "stale_answer_by_route": play(_OK, _EVIL, shows=served),
    "stale_answer_on_denial": play(HONEST, SECRET, shows=served),
}

CONSENT = {
    "asked_twice_is_confirmed": play(SECRET, SECRET, shows=happened("read", "/etc/passwd")),
    "arguments_approve_paths": play(
        ("tool", "summarize", "/etc/passwd"), SECRET, shows=happened("read", "/etc/passwd")
    ),
    "call_unlocks_tools": play(_ECHO, ("tool", "shell", "id"), shows=happened("tool", "shell")),
    "first_op_authorises": play(_ECHO, SECRET, shows=happened("read", "/etc/passwd")),
    "written_is_readable": play(
        _NOTE, ("fs_read", "/work/out/x"), shows=happened("read", "/work/out/x"), fs_read=()
    ),
    "refused_write_is_readable": play(
        ("fs_write", "/etc/passwd", "x"), SECRET, shows=happened("read", "/etc/passwd")
    ),
    "write_opens_top_folder": play(
        _NOTE, HONEST, shows=happened("read", "/work/data.txt"), fs_read=()
    ),
}

CONDUCT = {
    "denials_tire_guard": play(*[SECRET] * 6, shows=happened("read", "/etc/passwd")),
    "good_conduct_is_trusted": play(*[HONEST] * 20, SECRET, shows=happened("read", "/etc/passwd")),
    "every_fourth_op_unchecked": play(*[SECRET] * 4, shows=happened("read", "/etc/passwd")),
    "refusals_lock_out": play(*[SECRET] * 3, HONEST, shows=refused()),
}

LEFTOVERS = {
    "failure_opens_guard": play(("tool", "fail"), SECRET, shows=happened("read", "/etc/passwd")),
    "working_folder_kept": play(
        SECRET, ("fs_read", "passwd"), shows=happened("read", "/etc/passwd")
    ),
    "roots_spent_by_first_check": play(HONEST, HONEST, shows=refused()),
    "no_root_left_to_object": play(HONEST, SECRET, shows=happened("read", "/etc/passwd")),
    "nested_ops_unchecked": play(("tool", "again", *SECRET), shows=happened("read", "/etc/passwd")),
}

SEQUENCES = CACHES | HOSTS | CONSENT | CONDUCT | LEFTOVERS
