"""
Where credentials usually stand, and which of them are this machine's own.

The names are those that each tool documents. None is read here or in a sandbox: a file is known by its
device and its number, so that a sandbox's own ``/etc/shadow`` is not taken for that of the machine.
"""

import glob
import os
from collections.abc import Iterator
from fnmatch import fnmatch

TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"  # noqa: S105 - a place, not a secret
_AGENTS = (
    *(".claude/.credentials.json", ".claude.json", ".codex/auth.json"),
    *(".gemini/oauth_creds.json", ".qwen/oauth_creds.json"),
    *(".copilot/config.json", ".config/github-copilot/apps.json"),
    *(".config/github-copilot/hosts.json", ".local/share/opencode/auth.json"),
    ".config/goose/secrets.yaml",
)
_CLOUDS = (
    *(".aws/credentials", ".aws/sso/cache/*.json"),
    *(".azure/accessTokens.json", ".azure/msal_token_cache.*"),
    ".azure/service_principal_entries.*",
    *(".config/gcloud/credentials.db", ".config/gcloud/access_tokens.db"),
    *(
        ".config/gcloud/application_default_credentials.json",
        ".config/gcloud/legacy_credentials/*/adc.json",
    ),
    *(".docker/config.json", ".kube/config", ".terraform.d/credentials.tfrc.json", ".vault-token"),
)
_CODE = (
    *(".netrc", ".git-credentials", ".config/git/credentials"),
    *(".config/gh/hosts.yml", ".config/glab-cli/config.yml"),
    *(".npmrc", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials"),
    *(".cache/huggingface/token", ".pgpass"),
)
_KEYS = (".ssh/*", ".gnupg/private-keys-v1.d/*", ".gnupg/secring.gpg")
OF_THE_MACHINE = ("/etc/shadow", "/etc/ssh/ssh_host_*_key", "/etc/sudoers.d/*")
_NO_KEYS = ("*.pub", "known_hosts*", "authorized_keys*", "config*")  # in .ssh
AT_HOME = (*_AGENTS, *_CLOUDS, *_CODE, *_KEYS)


def own() -> dict[tuple[int, int], str]:
    """Return the place of each credential of this machine's by its device and number."""
    found = {}
    for place in _places():
        try:
            seen = os.stat(place)
        except OSError:
            continue
        found[seen.st_dev, seen.st_ino] = place
    return found


def _places() -> Iterator[str]:
    home = glob.escape(os.path.expanduser("~"))
    for pattern in (*(f"{home}/{name}" for name in AT_HOME), *OF_THE_MACHINE):
        for place in glob.iglob(pattern):
            if os.path.isfile(place) and _may_be_secret(place):
                yield place


def _may_be_secret(place: str) -> bool:
    folder, name = os.path.split(place)
    return not folder.endswith("/.ssh") or not any(fnmatch(name, one) for one in _NO_KEYS)


def usual(places: dict[tuple[int, int], str]) -> list[str]:
    """Return where to look for them inside: at the same place, and in the home folder that is there."""
    home = os.path.expanduser("~/")
    ours = sorted(places.values())
    return [
        TOKEN,
        *ours,
        *(f"~/{one.removeprefix(home)}" for one in ours if one.startswith(home)),
    ]
