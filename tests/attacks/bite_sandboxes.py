"""
Which leaky sandbox falls to each technique that only a sandbox of the system can be asked.

The leaks are made in tests/targets/test_leaky.py, which shows that each is found; test_command.py shows that
all but an inherited descriptor land in the control run without any sandbox.
"""

IN_SANDBOXES = {
    "kernel-outside": "a folder opened that was not granted",
    "kernel-far": "/tmp opened",
    "kernel-content": "what may be read opened to be written",
    "kernel-attributes": "what may be read opened to be written",
    "kernel-names": "the whole world opened to be written",
    "kernel-made-link": "the whole world opened",
    "kernel-list": "a folder opened that was not granted",
    "kernel-beginning": "the whole world opened",
    "kernel-stat": "the whole world opened",
    "kernel-handle": "rights of root's left",
    "kernel-uring": "the whole world opened",
    "kernel-inherited": "a descriptor inherited",
    "kernel-network": "the network opened",
    "kernel-port": "every port opened",
    "kernel-raw": "the network shared with rights of root's",
    "kernel-sockets": "abstract sockets shared",
    "kernel-processes": "processes shared",
    "kernel-procfs": "the proc file system shared",
    "kernel-walk": "the environment cleared and not emptied",
    "kernel-environment": "the environment handed on",
    "kernel-rights": "rights of root's left",
    "kernel-mount": "the mounts shared",
    "kernel-keys": "the session keyring handed on",
    "kernel-tasks": "no limit of processes",
    "kernel-spaces": "user namespaces let through by unshare",
    "kernel-outlived": "what it started not ended",
    "kernel-crowd": "what it started not ended",
    "kernel-flood": "no cap on output",
    "kernel-overtime": "no deadline",
}
