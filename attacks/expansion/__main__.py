"""Write the expanded families into the corpus folder, or with ``--check`` compare them with it."""

import sys
from pathlib import Path

from capfuzz.attacks.expansion.families import FAMILIES
from capfuzz.attacks.expansion.family import text

CORPUS = Path(__file__).parent.parent / "corpus"


def main(arguments: list[str]) -> int:
    """Return 0, or 1 where ``--check`` finds a file that the techniques would write differently."""
    stale = []
    for family in FAMILIES:
        path, wanted = CORPUS / f"{family.name}.json", text(family)
        if "--check" not in arguments:
            path.write_text(wanted, encoding="ascii")
        elif not path.exists() or path.read_text(encoding="ascii") != wanted:
            stale.append(path.name)
    for name in stale:
        print(f"{name} is not what the techniques write; run python -m capfuzz.attacks.expansion")  # noqa: T201
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
