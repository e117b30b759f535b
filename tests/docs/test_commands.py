"""Every command that the documentation shows does what it is shown to do."""

import shlex
import subprocess

import pytest

from .pages import ROOT, Command, File, pages, steps
from .typed import typed

PAGES = pages()
SHOWN = [one for page in PAGES for one in steps(page) if isinstance(one, Command)]
# They take minutes, or need a network.
NOT_RUN = {
    "capfuzz attack bwrap",
    "capfuzz attack docker:runsc",
    "capfuzz matrix --targets podman,podman:runsc,docker:io.containerd.kata.v2",
    "capfuzz attack landlock --family kernel-files",
    "capfuzz posture bwrap",
    'capfuzz posture "cmd:./launch --read {root} -- python3 -S {probe}" --json posture.json',
    "capfuzz matrix",
    "capfuzz matrix --targets bwrap,landlock --family kernel-files --html matrix.html",
    'capfuzz attack "cmd:./launch --read {root} --write {out} --read {probe} -- python3 -S {probe}"',
    'capfuzz attack "cmd:env -i bwrap $ALL $AT $IN /usr/bin/python3 -S {probe}"',
    "pip install 'capfuzz[cluster]'",
    "pip install 'capfuzz[e2b]'",
    "E2B_API_KEY=... capfuzz attack e2b --op-timeout 10",
    "pip install 'capfuzz[vercel]'",
    "VERCEL_OIDC_TOKEN=... capfuzz attack vercel --op-timeout 10",
    "dask scheduler --port 8786 & dask worker tcp://127.0.0.1:8786 --nworkers 4 --nthreads 1",
    "capfuzz attack py:my.sandbox:make --profile deep --cluster tcp://127.0.0.1:8786",
    "redis-server --bind 127.0.0.1 --port 6390 --save '' --daemonize yes",
    "pytest --hypothesis-profile ci",
    "redis-cli -p 6390 dbsize",
    "pytest --hypothesis-profile dev",
    "redis-cli -p 6390 shutdown nosave",
    "CAPFUZZ_COMPILED=1 pip wheel --no-deps -w dist .",
    "bash .ci/run",
    "capfuzz bench py:paths:joined --as path --against before.json --fail-above 5%",
    "capfuzz bench py:paths:joined --as path --save before.json",
    "capfuzz bench py:sandbox:Box --against before.json --fail-above 5%",
    "capfuzz bench py:sandbox:Box --grants-up-to 1000000 --no-hunt",
    "capfuzz bench py:sandbox:Box --save before.json",
    "capfuzz selftest",
    "capfuzz selftest --surface http --seeds 1",
    "npm install @modelcontextprotocol/server-filesystem@2025.3.28",
    'capfuzz attack "mcp:node $AT/dist/index.js {root}"',
    "pip install 'capfuzz[fuzz]'",
    "pip install capfuzz",
}


def _is_done(step):
    """Tell whether a step is done here; of ``make``, which sets up a checkout, it is not."""
    return isinstance(step, File) or not (step.not_run or step.line.startswith("make "))


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_does_what_it_shows(page, tmp_path):
    """A reader who types what a page shows would get something else."""
    for command, output, status in typed([*filter(_is_done, steps(page))], tmp_path):
        assert command.status == status, f"$ {command.line}\n{output}"
        assert command.prints(output), f"$ {command.line}\nprinted\n{output}\nnot\n{command.shown}"


@pytest.mark.parametrize(
    "line", sorted({one.line for one in SHOWN if one.line.startswith("make ")})
)
def test_make_knows_its_targets(line):
    """A page would name a target that the Makefile does not have."""
    words = shlex.split(line, comments=True)[1:]
    asked = subprocess.run(["make", "-n", *words], check=False, cwd=ROOT, capture_output=True)
    assert 0 == asked.returncode


def test_what_is_not_run_is_listed():
    """Commands would drop out of the tests unseen."""
    assert NOT_RUN == {one.line.partition(" #")[0].rstrip() for one in SHOWN if one.not_run}


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a\n...\nb\n", "a\nx\ny\nb\n"),
        ("held: 3 attacks in 2.8 s\n", "held: 4,001 attacks in 10 s\n"),
        ("│ x │  5 │ 0 │\n", "│ x │ 17 │  0 │\n"),
        ("done\n", "corpus: 763 done\ndone\n"),
        ("read '...'\n", "read '/etc/passwd'\n"),
    ],
)
def test_output_that_is_alike_passes(shown, printed):
    """A page would have to be written anew for every new vector."""
    assert Command("x", shown).prints(printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a\nb\n", "a\nx\nb\n"),
        ("│ x │ 0 │\n", "│ x │ 7 │\n"),
        ("│ x │ 7 │\n", "│ x │ 0 │\n"),
        ("held\n", "broken\n"),
        ("CVE-2025-1\n", "CVE-2025-2\n"),
        ("a\n...\n", "b\n"),
    ],
)
def test_output_that_differs_fails(shown, printed):
    """Pages would show what no command prints."""
    assert not Command("x", shown).prints(printed)
