"""The grant harness as a program of libFuzzer's options: ``python fuzz/fuzz_grant.py [OPTION ...] [FOLDER]``."""

import sys

from capfuzz.fuzz.instrument import own_code

own_code("grant", "engine")

from capfuzz.fuzz.standalone import main  # noqa: E402 - what has counters is imported first

if __name__ == "__main__":
    main("grant", sys.argv)
