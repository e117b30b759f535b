"""If these fail, a grant's fault goes unsaid, or an honest grant is accused."""

import json

import pytest
from capfuzz.attacks.invariants import Severity
from capfuzz.engine import Capabilities
from capfuzz.gate.grants.linter import RULES, lint
from capfuzz.strategies import grants
from capfuzz.targets.grant_file import KEYS, read
from hypothesis import given

BUDGETS = "max_ops = 10\nmax_output_bytes = 10\nmax_wall = 10\n"
# A grant file, and the rule, the severity and the place that it shows; nothing else of weight.
SHOWS = {
    "refused": ('fs_read = ["/ok", "a/b"]', "CL001", "error", "fs_read", 1),
    "unknown key": ('fs_read = ["/ok"]\nhosts = []', "CL002", "error", "hosts", None),
    "nothing": ("", "CL101", "warning", "grant", None),
    "nothing, said": ("fs_read = []", "CL101", "warning", "grant", None),
    "an empty list": ('fs_read = ["/ok"]\nfs_write = []', "CL102", "note", "fs_write", None),
    "twice": ('fs_read = ["/ok", "/ok"]', "CL103", "warning", "fs_read", 1),
    "twice with a slash": ('fs_read = ["/ok", "/ok/"]', "CL103", "warning", "fs_read", 1),
    "a host in two cases": (
        'net_hosts = ["a.test", "A.test."]',
        "CL103",
        "warning",
        "net_hosts",
        1,
    ),
    "a tool twice": ('allowed_tools = ["a", "a"]', "CL103", "warning", "allowed_tools", 1),
    "below another": ('fs_read = ["/ok/sub", "/ok"]', "CL104", "warning", "fs_read", 0),
    "far below": ('fs_read = ["/ok", "/ok/a/b/c"]', "CL104", "warning", "fs_read", 1),
    "case twins": ('fs_read = ["/ok", "/OK"]', "CL105", "note", "fs_read", 1),
    "tools in two cases": ('allowed_tools = ["a", "A"]', "CL105", "note", "allowed_tools", 1),
    "a text prefix": ('fs_read = ["/work", "/workshop"]', "CL106", "note", "fs_read", 1),
    "a prefix across lists": (
        'fs_read = ["/work", "/workshop/x"]\nfs_write = ["/work"]',
        "CL106",
        "note",
        "fs_read",
        1,
    ),
    "a pattern": ('fs_read = ["/ok/*.csv"]', "CL107", "warning", "fs_read", 0),
    "a variable": ('fs_read = ["/home/$USER/x"]', "CL107", "warning", "fs_read", 0),
    "a tilde": ('fs_read = ["/ok/~/x"]', "CL107", "warning", "fs_read", 0),
    "tools by pattern": ('allowed_tools = ["mcp__*"]', "CL107", "warning", "allowed_tools", 0),
    "the root": ('fs_read = ["/"]', "CL201", "error", "fs_read", 0),
    "the root, spelt oddly": ('fs_read = ["//./"]', "CL201", "error", "fs_read", 0),
    "settings": ('fs_read = ["/etc/"]', "CL202", "warning", "fs_read", 0),
    "processes": ('fs_read = ["/proc"]', "CL202", "warning", "fs_read", 0),
    "a process": ('fs_read = ["/proc/self/root"]', "CL202", "warning", "fs_read", 0),
    "settings, written": ('fs_write = ["/etc"]', "CL202", "error", "fs_write", 0),
    "shared": ('fs_write = ["/tmp"]', "CL202", "warning", "fs_write", 0),
    "a home": ('fs_read = ["/home/me"]', "CL203", "warning", "fs_read", 0),
    "root's home": ('fs_read = ["/root/"]', "CL203", "warning", "fs_read", 0),
    "keys": ('fs_read = ["/home/me/.ssh"]', "CL204", "warning", "fs_read", 0),
    "hashes": ('fs_read = ["/etc/shadow"]', "CL204", "warning", "fs_read", 0),
    "a socket": ('fs_read = ["/var/run/docker.sock"]', "CL205", "error", "fs_read", 0),
    "programs": ('fs_write = ["/usr/local/bin/x"]', "CL206", "warning", "fs_write", 0),
    "hooks": ('fs_write = ["/ok/.git/hooks"]', "CL206", "warning", "fs_write", 0),
    "a write above": (
        'fs_read = ["/ok/src"]\nfs_write = ["/ok"]',
        "CL207",
        "warning",
        "fs_write",
        0,
    ),
    "a write outside": ('fs_read = ["/ok"]\nfs_write = ["/x"]', "CL208", "note", "fs_write", 0),
    "a shell": ('allowed_tools = ["Bash"]', "CL209", "warning", "allowed_tools", 0),
    "a shell of a server": (
        'allowed_tools = ["mcp__box__execute_command"]',
        "CL209",
        "warning",
        "allowed_tools",
        0,
    ),
    "loopback": ('net_hosts = ["127.0.0.1"]', "CL301", "warning", "net_hosts", 0),
    "localhost": ('net_hosts = ["LocalHost."]', "CL301", "warning", "net_hosts", 0),
    "loopback in IPv6": ('net_hosts = ["::1"]', "CL301", "warning", "net_hosts", 0),
    "metadata": ('net_hosts = ["169.254.169.254"]', "CL302", "error", "net_hosts", 0),
    "metadata by name": (
        'net_hosts = ["Metadata.Google.Internal"]',
        "CL302",
        "error",
        "net_hosts",
        0,
    ),
    "private": ('net_hosts = ["10.1.2.3"]', "CL303", "warning", "net_hosts", 0),
    "private in IPv6": ('net_hosts = ["64:ff9b::a00:1"]', "CL303", "warning", "net_hosts", 0),
    "a suffix": ('net_hosts = ["github.io"]', "CL304", "note", "net_hosts", 0),
    "no ops": ('fs_read = ["/ok"]\nmax_ops = 0', "CL401", "warning", "max_ops", None),
    "no end": ('fs_read = ["/ok"]\nmax_ops = 1_000_001', "CL402", "warning", "max_ops", None),
    "no budget": ('fs_read = ["/ok"]', "CL403", "note", "max_wall", None),
    "an escape": ('fs_read = ["/ok/a%20b"]', "CL502", "note", "fs_read", 0),
    "an accent": ('fs_read = ["/caf\u00e9"]', "CL502", "note", "fs_read", 0),
    "full width": ('fs_read = ["/\uff4fk"]', "CL502", "note", "fs_read", 0),
    "a dot at the end": ('fs_read = ["/ok./x"]', "CL502", "note", "fs_read", 0),
    "slashes": ('fs_read = ["/ok//x"]', "CL503", "note", "fs_read", 0),
    "a host's case": ('net_hosts = ["A.test"]', "CL503", "note", "net_hosts", 0),
}
# What a target's dialect makes of an entry.
UNDER_DIALECT = {
    "decoded out": ('fs_read = ["/ok/%2e%2e/x"]', "decodes-once", "CL501", "error"),
    "decoded inside": ('fs_read = ["/ok/%61"]', "decodes-once", "CL501", "error"),
    "decoded below": ('fs_read = ["/ok/%2e"]', "decodes-once", "CL501", "error"),
    "decoded twice": ('fs_read = ["/ok/%2561"]', "decodes-twice", "CL501", "error"),
    "full width": ('fs_read = ["/\uff4fk"]', "normalises-unicode", "CL501", "error"),
    "a dot at the end": ('fs_read = ["/ok."]', "windows", "CL501", "error"),
    "a backslash": ('fs_read = ["/ok\\\\x"]', "windows", "CL501", "error"),
    "case twins": ('fs_read = ["/ok", "/OK"]', "case-insensitive", "CL105", "warning"),
    "a suffix": ('net_hosts = ["co.uk"]', "subdomains", "CL304", "error"),
}
HONEST = """
fs_read = ["/work/", "/data/2024 reports", "/home/me/project", "/etc/myapp/settings.toml", "/a..b"]
fs_write = ["/work/out/"]
net_hosts = ["api.internal", "8.8.8.8", "2606:4700:4700::1111", "pages.github.io"]
allowed_tools = ["summarize", "search_web"]
max_ops = 100
max_output_bytes = 1_000_000
max_wall = 1_000
"""


@pytest.fixture
def remarked(tmp_path):
    """Return a function that lints the text of a grant."""

    def remarks(text, *dialect):
        (tmp_path / "GRANT.toml").write_text(text)
        return lint(read(str(tmp_path / "GRANT.toml")), frozenset(dialect))

    return remarks


@pytest.mark.parametrize(("text", "rule", "severity", "key", "entry"), SHOWS.values(), ids=SHOWS)
def test_each_fault_is_said_where_it_is(remarked, text, rule, severity, key, entry):
    """A rule that does not bite is a fault that goes into force."""
    found = {(one.rule.id, str(one.severity), one.key, one.entry) for one in remarked(text)}
    assert (rule, severity, key, entry) in found


@pytest.mark.parametrize(
    ("text", "dialect", "rule", "severity"), UNDER_DIALECT.values(), ids=UNDER_DIALECT
)
def test_a_dialect_says_what_a_target_makes_of_an_entry(remarked, text, dialect, rule, severity):
    """What this target reads otherwise is granted otherwise."""
    assert (rule, severity) in {(one.rule.id, str(one.severity)) for one in remarked(text, dialect)}
    assert (rule, severity) not in {(one.rule.id, str(one.severity)) for one in remarked(text)}


def test_an_honest_grant_is_not_accused(remarked):
    """A linter that cries wolf is switched off."""
    assert [] == remarked(HONEST)


def test_every_rule_is_shown_by_a_grant():
    """A rule without an example may never have bitten."""
    shown = {row[1] for row in SHOWS.values()} | {row[2] for row in UNDER_DIALECT.values()}
    assert RULES.keys() == shown


def test_rules_have_ids_of_their_own():
    """Two rules under one id cannot be told apart in a report."""
    names = [rule.name for rule in RULES.values()]
    assert sorted(set(names)) == sorted(names)


@given(grants())
def test_whatever_the_engine_takes_can_be_linted(tmp_path_factory, grant):
    """A linter that falls over an odd grant says nothing of it."""
    file = tmp_path_factory.getbasetemp() / "drawn.toml"
    file.write_text(as_toml(grant), encoding="utf-8")
    read_back = read(str(file))
    assert grant == read_back.grant()
    remarks = lint(read_back)
    assert {one.key for one in remarks} <= {*KEYS, "grant"}
    assert {"CL001", "CL002"}.isdisjoint(one.rule.id for one in remarks)


def as_toml(grant: Capabilities) -> str:
    """Return a grant as a person would write it."""
    lists = {
        "fs_read": grant.fs_read,
        "fs_write": grant.fs_write,
        "net_hosts": grant.net_hosts,
        "allowed_tools": sorted(grant.allowed_tools),
    }
    rows = [f"{key} = [{', '.join(map(_quoted, names))}]" for key, names in lists.items()]
    rows += [
        f"{key} = {getattr(grant, key)}" for key in ("max_ops", "max_output_bytes", "max_wall")
    ]
    return "\n".join(rows)


def _quoted(text):
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def test_the_command_tells_places_and_fails_on_errors(run, tmp_path):
    """A pipeline stops at the exit status; a person needs the line."""
    (tmp_path / "GRANT.toml").write_text(BUDGETS + 'fs_read = [\n  "/",\n]\n')
    result = run("lint", "GRANT.toml")
    assert 1 == result.returncode
    assert (
        "GRANT.toml:5: error CL201 whole-tree: fs_read: '/' is the whole file system"
        in result.stdout
    )
    assert "    do:  Name the folders that the agent works in." in result.stdout
    assert "GRANT.toml: 1 error" in result.stdout


@pytest.mark.parametrize(
    ("text", "arguments", "status"),
    [
        ('fs_read = ["/ok"]', [], 0),
        ('fs_read = ["/ok"]', ["--fail-on", "note"], 1),
        ('fs_read = ["/etc"]', [], 0),
        ('fs_read = ["/etc"]', ["--fail-on", "warning"], 1),
        ("fs_read = [", [], 2),
        ('net_hosts = ["com"]', ["--dialect", "subdomains"], 1),
    ],
)
def test_the_exit_status_follows_the_weight(run, tmp_path, text, arguments, status):
    """0 nothing of that weight, 1 something, 2 no grant to look into."""
    (tmp_path / "GRANT.toml").write_text(text)
    assert status == run("lint", "GRANT.toml", *arguments).returncode


def test_the_report_is_for_scripts(run, tmp_path):
    """Scripts read ids, places and severities."""
    (tmp_path / "a.toml").write_text(BUDGETS + 'fs_read = ["/ok"]\n')
    (tmp_path / "b.toml").write_text(BUDGETS + 'fs_read = ["/ok",\n"/home/me"]\n')
    result = run("lint", "a.toml", "b.toml", "--json", "-")
    [remark] = json.loads(result.stdout)["remarks"]
    assert {
        "rule": "CL203",
        "name": "home-folder",
        "severity": str(Severity.WARNING),
        "file": "b.toml",
        "line": 5,
        "key": "fs_read",
        "entry": 1,
        "what": "'/home/me' is a whole home",
    }.items() <= remark.items()


def test_what_is_written_outside_is_told_as_engine_and_sandboxes_have_it(remarked):
    """A drop box would be trusted to be one in a sandbox that mounts it."""
    (why,) = {
        one.rule.why for one in remarked(SHOWS["a write outside"][0]) if one.rule.id == "CL208"
    }
    assert why.startswith("The engine lets nobody read back what was written there")
    assert why.endswith("a sandbox that mounts it does.")
