"""
Which leaky sandbox falls to each technique that only a sandbox of the system can be asked.

The leaks are made in tests/targets/test_command.py, which shows that each is found, and that all
but an inherited descriptor land in the control run without any sandbox.
"""

IN_SANDBOXES = {
    "kernel-content": "a sibling bound to be written",
    "kernel-attributes": "what may be read bound to be written",
    "kernel-names": "the whole world bound to be written",
    "kernel-made-link": "the whole world bound",
    "kernel-list": "a folder bound that was not granted",
    "kernel-stat": "the whole world bound",
    "kernel-handle": "rights of root's left",
    "kernel-uring": "the whole world bound",
    "kernel-inherited": "a descriptor inherited",
    "kernel-network": "the network shared",
    "kernel-port": "the network shared",
    "kernel-raw": "the network shared with rights of root's",
    "kernel-sockets": "abstract sockets shared",
    "kernel-processes": "processes shared",
    "kernel-procfs": "the proc file system shared",
    "kernel-walk": "the environment cleared and not emptied",
    "kernel-environment": "the environment handed on",
    "kernel-rights": "rights of root's left",
    "kernel-mount": "the mounts shared",
    "kernel-keys": "the session keyring handed on",
    "kernel-outlived": "what it started not ended",
    "kernel-crowd": "what it started not ended",
}
