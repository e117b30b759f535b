#!/bin/sh
# Mutates every module of engine/ and tells which mutants the fast tests let live.
#
#   tests/mutants.sh [JOBS] [MODULE ...]     e.g. tests/mutants.sh 2 paths hosts
#
# Works on copies in a temporary directory, never on this tree. Exit status: 0 when every survivor
# is listed in tests/mutants.txt, 1 when one is not, 2 when nothing could be measured.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
jobs=${1:-$(nproc)}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- sandbox world budget turns paths hosts capabilities agent clock results
PATH=$top/.venv/bin:$PATH
PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
export PATH PYTHONDONTWRITEBYTECODE top work
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM

# A copy of the engine and its tests, importable as capfuzz.engine before the installed one.
copy() {
    mkdir -p "$1/tests" "$1/lib/capfuzz"
    cp -r "$top/engine" "$top/pyproject.toml" "$1"
    cp -r "$top/tests/engine" "$1/tests"
    ln -s ../../engine "$1/lib/capfuzz/engine"
    sed "s/MODULE/$2/" "$top/tests/mutation.toml" >"$1/mutation.toml"
}

mutate() {
    copy "$work/$1" "$1"
    cd "$work/$1"
    export PYTHONPATH="$work/$1/lib"
    cosmic-ray init mutation.toml session.sqlite >log 2>&1
    cosmic-ray exec mutation.toml session.sqlite >>log 2>&1
    cosmic-ray dump session.sqlite >mutants.jsonl
}

if [ "$jobs" = --one ]; then # called again below, once for each module
    work=$MUTANTS_DIR
    trap - EXIT
    mutate "$1"
    exit 0
fi

# The tests must pass on a copy, and fail on a copy that grants everything: else the copy is not
# what they test.
copy "$work/check" paths
export PYTHONPATH="$work/check/lib"
run="cd $work/check && python -m pytest -x -q tests/engine/test_paths.py -p no:cacheprovider"
sh -c "$run" >"$work/log" 2>&1 || { cat "$work/log"; echo "the tests fail as they are" >&2; exit 2; }
echo 'def under_allowlist(path, prefixes): return True' >>"$work/check/engine/paths.py"
if sh -c "$run" >"$work/log" 2>&1; then
    echo "the copy is not what is tested" >&2
    exit 2
fi

MUTANTS_DIR=$work
export MUTANTS_DIR
printf '%s\n' "$@" | xargs -P "$jobs" -n 1 sh "$0" --one || exit 2
python "$top/tests/mutants.py" "$top/tests/mutants.txt" "$work"/*/mutants.jsonl
