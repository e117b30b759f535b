"""The host harness as a program of libFuzzer's options: ``python fuzz/fuzz_host.py [OPTION ...] [FOLDER]``."""

import sys

from capfuzz.fuzz.instrument import own_code

own_code("host", "engine")

from capfuzz.fuzz.standalone import main  # noqa: E402 - what has counters is imported first

if __name__ == "__main__":
    main("host", sys.argv)
