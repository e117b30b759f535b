"""
Seeds out of the corpus, dictionaries out of the techniques: generated, never written by hand.

``python -m capfuzz.fuzz.seeds FOLDER`` writes ``fuzz_HARNESS_seed_corpus.zip`` and
``fuzz_HARNESS.dict`` for each harness, as OSS-Fuzz takes them.
"""

import argparse
import hashlib
import json
import random
import re
import zipfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from capfuzz.attacks.case import Surface
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.attacks.vectors import CORPUS, Vector, load
from capfuzz.fuzz import corpus_files, hosts
from capfuzz.fuzz.harness import HARNESSES, Harness
from capfuzz.fuzz.text import FIELD, LINE, encoded, grant_lines, text_of
from capfuzz.strategies import single, stage
from capfuzz.strategies.moves import spellings

_TEXT, _TEXT_WRITE = b"1", b"3"  # odd: the rest is literal
_TABLES = 24  # token inputs beside the literal ones: enough to start from
_MOST_TOKEN = 24  # bytes of a dictionary's entry
_PLACES = {
    Kind.PATH: ("/work", "/etc/passwd"),
    Kind.HOST: ("10.0.0.1",),
    Kind.NAME: ("api.internal",),
    Kind.URL: ("api.internal", "evil.test"),
    Kind.TOOL: ("summarize",),
}
_KINDS = {
    "path": (Kind.PATH,),
    "host": (Kind.HOST, Kind.NAME, Kind.URL),
    "sequence": (Kind.PATH, Kind.HOST, Kind.TOOL),
    "grant": (Kind.PATH, Kind.HOST),
    "corpus-file": (),
}


@cache
def seeds(harness: str, surface: Surface | None) -> tuple[bytes, ...]:
    """Return the inputs that fuzzing starts from, the same every time."""
    whole = HARNESSES[harness]
    made = (*_literal(whole, surface), *_tokens(whole))
    return tuple(dict.fromkeys(seed for seed in made if len(seed) <= whole.most_bytes))


def _tokens(harness: Harness) -> Iterator[bytes]:
    """Yield inputs that pick from the tables, by chance that is always the same."""
    chance = random.Random(harness.name)  # noqa: S311 - nothing secret
    for _ in range(_TABLES):
        size = min(harness.most_bytes, 48)
        yield bytes([chance.randrange(0, 256, 2), *chance.randbytes(size - 1)])


def _literal(harness: Harness, surface: Surface | None) -> Iterator[bytes]:
    if harness.name == "corpus-file":
        yield from _files()
        return
    for vector in _vectors():
        if surface in vector.surfaces:
            yield from _of_vector(harness.name, vector)


def _of_vector(name: str, vector: Vector) -> Iterator[bytes]:
    """Yield the spellings of a vector as they stand, or the whole vector for a session."""
    if name == "grant":
        yield _TEXT + encoded(LINE.join(grant_lines(vector.case.grant)))
        return
    if name == "sequence":
        text = text_of(vector.case, stage.WORLD)
        if text is not None:
            yield _TEXT + encoded(text)
        return
    for op in vector.case.ops:
        match name, op:
            case ("path", ("fs_read", str(path))):
                yield _TEXT + encoded(path)
            case ("path", ("fs_write", str(path), _)):
                yield _TEXT_WRITE + encoded(path)
            case ("host", ("net_fetch", str(host), _)):
                yield _TEXT + encoded(host)
            case ("host", ("url", str(url))):
                yield _TEXT + encoded(url)


@cache
def _vectors() -> tuple[Vector, ...]:
    return load()


def _files() -> Iterator[bytes]:
    """Yield an example, a finding, and each shipped family cut down to single vectors."""
    yield _TEXT + json.dumps(corpus_files.EXAMPLE).encode()
    yield _TEXT_WRITE + json.dumps(corpus_files.FINDING).encode()
    for file in sorted(CORPUS.glob("*.json")):
        whole = json.loads(file.read_text(encoding="utf-8"))
        for vector in whole.get("vectors", ())[::40]:
            small = {**whole, "vectors": [vector], "world": {}}
            small["notes"] = {flag: whole["notes"][flag] for flag in vector["flags"]}
            yield _TEXT + json.dumps(small, separators=(",", ":")).encode()


@cache
def tokens(harness: str) -> tuple[bytes, ...]:
    """Return what the techniques put into a spelling: a dictionary's entries."""
    texts: Iterable[str] = {
        "path": (*single.PIECES, "/work/", "/etc/passwd"),
        "host": (*hosts.PIECES, "10.0.0.1", "fd00::a:1"),
        "sequence": (*single.PIECES, *_tags()),
        "grant": _tags(),
        "corpus-file": sorted(set(re.findall(r'"[^"]*"', _schema()))),
    }[harness]
    chosen = {encoded(text) for text in texts} | set(_marks(_KINDS[harness]))
    return tuple(sorted(one for one in chosen if 0 < len(one) <= _MOST_TOKEN))


def _marks(kinds: tuple[Kind, ...]) -> Iterator[bytes]:
    """Yield the short parts of each technique's plainest spellings that no plain text has."""
    for name, one in TECHNIQUES.items():
        if one.kind in kinds:
            for spelling in spellings(name, *_PLACES[one.kind])[:2]:
                for mark in re.findall(r"[^A-Za-z0-9/]{1,4}[0-9a-fA-F]{0,4}", spelling):
                    yield encoded(mark)


def _tags() -> Iterator[str]:
    yield LINE
    yield FIELD
    yield from (f"{LINE}{tag}{FIELD}" for tag in "RWHTOBCL@rwft")
    yield from (f"r{FIELD}/work/data.txt", f"t{FIELD}flood{FIELD}#", f"t{FIELD}again{FIELD}")


def _schema() -> str:
    return (CORPUS / "schema.json").read_text(encoding="utf-8")


def dictionary(harness: str) -> str:
    """Return a dictionary in libFuzzer's form."""
    return "".join(f'"{_escaped(token)}"\n' for token in tokens(harness))


def _escaped(token: bytes) -> str:
    plain = {byte: chr(byte) for byte in range(0x20, 0x7F) if byte not in b'"\\'}
    return "".join(plain.get(byte, f"\\x{byte:02x}") for byte in token)


def write(harness: str, surface: Surface | None, folder: Path) -> tuple[Path, Path]:
    """Write seeds and dictionary; return the folder of the seeds and the dictionary's file."""
    corpus, words = folder / "seeds", folder / "words.dict"
    corpus.mkdir()
    for seed in seeds(harness, surface):
        (corpus / hashlib.sha1(seed, usedforsecurity=False).hexdigest()).write_bytes(seed)
    words.write_text(dictionary(harness), encoding="ascii")
    return corpus, words


def _export(folder: Path) -> None:
    """Write what OSS-Fuzz puts beside a fuzzer, for the reference engine."""
    for name, harness in HARNESSES.items():
        surface = harness.surfaces[0] if harness.surfaces else None
        stem = f"fuzz_{name.replace('-', '_')}"
        with zipfile.ZipFile(folder / f"{stem}_seed_corpus.zip", "w", zipfile.ZIP_DEFLATED) as out:
            for seed in seeds(name, surface):
                out.writestr(
                    zipfile.ZipInfo(hashlib.sha1(seed, usedforsecurity=False).hexdigest()), seed
                )
        (folder / f"{stem}.dict").write_text(dictionary(name), encoding="ascii")


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[1])
    parser.add_argument("folder", type=Path)
    _export(parser.parse_args(arguments).folder)


if __name__ == "__main__":
    main()
