"""
Confines itself by a seccomp filter, then becomes another program; needs pyseccomp.

``filtered.py PROFILE COMMAND...``: PROFILE is a file in the form that container engines read.
"""

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import pyseccomp


def filter_of(profile: Mapping[str, Any]) -> "pyseccomp.SyscallFilter":
    """Return the filter of a profile; calls that this kernel's library does not know are refused."""
    made = pyseccomp.SyscallFilter(pyseccomp.ERRNO(profile["defaultErrnoRet"]))
    for rule in profile["syscalls"]:
        allowed = rule["action"] == "SCMP_ACT_ALLOW"
        action = pyseccomp.ALLOW if allowed else pyseccomp.ERRNO(rule["errnoRet"])
        compared = [_compared(one) for one in rule.get("args", ())]
        for name in rule["names"]:
            number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
            if number >= 0:
                made.add_rule(action, number, *compared)
    return made


def _compared(one: Mapping[str, Any]) -> "pyseccomp.Arg":
    how = getattr(pyseccomp, one["op"].removeprefix("SCMP_CMP_"))
    values = (one["value"], one["valueTwo"]) if how == pyseccomp.MASKED_EQ else (one["value"],)
    return pyseccomp.Arg(one["index"], how, *values)


def main(arguments: list[str]) -> None:
    """Load the filter and run the command in the place of this process."""
    profile, *command = arguments
    with open(profile, encoding="utf-8") as file:
        made = filter_of(json.load(file))
    made.load()
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
