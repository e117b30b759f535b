#!/bin/bash -eu
# Builds every harness as OSS-Fuzz and ClusterFuzzLite run them; needs SRC, OUT and their
# compile_python_fuzzer on the path.

cd "$SRC/capfuzz"
python3 -m pip install '.[fuzz]'

for fuzzer in fuzz/fuzz_*.py; do
    # Vectors and their schema are data, which nobody finds by following imports.
    compile_python_fuzzer "$fuzzer" --collect-all capfuzz
done

# Seeds out of the corpus, dictionaries out of the techniques.
python3 -m capfuzz.fuzz.seeds "$OUT"
