"""If these fail, OSS-Fuzz or ClusterFuzzLite cannot build the harnesses, or finds none to run."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from capfuzz.fuzz.harness import HARNESSES

ROOT = Path(__file__).parents[2]
STEMS = [f"fuzz_{name.replace('-', '_')}" for name in HARNESSES]


def test_each_harness_is_a_script_that_the_services_build():
    """Broken: a harness that nobody fuzzes but by hand."""
    assert sorted(STEMS) == sorted(file.stem for file in (ROOT / "fuzz").glob("fuzz_*.py"))


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Build as the services do, in an environment of its own with a stand-in for their packing."""
    folder = tmp_path_factory.mktemp("services")
    source, out, room = folder / "src", folder / "out", folder / "room"
    source.mkdir()
    out.mkdir()
    listed = ["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"]
    names = subprocess.run(listed, check=True, capture_output=True).stdout
    copied = ["tar", "-C", ROOT, "--null", "-T", "-", "-cf", "-"]
    archive = subprocess.run(copied, input=names, check=True, capture_output=True).stdout
    (source / "capfuzz").mkdir()
    subprocess.run(["tar", "-C", source / "capfuzz", "-xf", "-"], input=archive, check=True)
    subprocess.run([sys.executable, "-m", "venv", room], check=True)
    path = f"{room}/bin:{Path(__file__).parent}:{os.environ['PATH']}"
    script = source / "capfuzz" / "fuzz" / "oss-fuzz" / "build.sh"
    environment = {**os.environ, "SRC": str(source), "OUT": str(out), "PATH": path}
    subprocess.run(["bash", "-eu", script], check=True, env=environment)
    return out


@pytest.mark.slow
def test_a_dry_build_has_a_program_seeds_and_a_dictionary_for_each(built):
    """Broken: the build script, or what the services look for beside a fuzzer."""
    assert {*STEMS, *(f"{one}.dict" for one in STEMS)} | {
        f"{one}_seed_corpus.zip" for one in STEMS
    } == {file.name for file in built.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("stem", STEMS)
def test_what_was_built_fuzzes_from_its_seeds(built, stem, tmp_path):
    """Broken: a program that the services would start and see fail."""
    with zipfile.ZipFile(built / f"{stem}_seed_corpus.zip") as seeds:
        seeds.extractall(tmp_path)
    words = [built / stem, f"-dict={built / stem}.dict", "-max_total_time=3", tmp_path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)

    assert 0 == done.returncode, done.stderr[-2000:]
    assert "Done " in done.stderr
    assert "INITED cov: " in done.stderr
