"""Why each kind of HTTP vector exists: the bug, and what it lets through."""

_FILES = "Any file that the server may open can be fetched."
_PRIVATE = "Files behind a login, or meant for nobody, can be fetched."

HTTP: dict[str, tuple[str, str]] = {
    "request-traversal": (
        "What follows the prefix is opened without a look at where .. leads.",
        _FILES,
    ),
    "request-alias": (
        "A prefix and the folder that it stands for do not both end in a slash.",
        "What stands beside the folder can be fetched.",
    ),
    "request-case": (
        "A rule for a path is matched in any case, and paths have a case.",
        "A rule that was meant for one folder holds for another.",
    ),
    "request-decoding": ("The path is judged as text and decoded on the way to the file.", _FILES),
    "request-absolute": ("The path inside of a whole URL is not judged as others are.", _FILES),
    "request-slashes": ("Empty segments count in the check and not in the file system.", _FILES),
    "request-absolute-join": ("An absolute path behind the prefix replaces the folder.", _FILES),
    "request-parameters": ("Parameters of segments are removed after the check.", _FILES),
    "request-backslash": ("Backslashes become separators after the check.", _FILES),
    "request-query": ("Check and reader do not agree where the path ends.", _FILES),
    "request-door": (
        "A second door hands out files by absolute path, and is judged by another check.",
        _FILES,
    ),
    "request-private": ("A folder is said to be kept back, and is not.", _PRIVATE),
    "request-private-spelling": (
        "A folder is kept back by the text of the URL, before the text is read as a path.",
        _PRIVATE,
    ),
}
