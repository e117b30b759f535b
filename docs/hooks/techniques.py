"""
Pages made from the corpus: an index, one a family, one a technique.

A hook of MkDocs; it also puts them into the navigation, below Reference.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import catalogue
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Technique
from catalogue import Catalogue, Family, Raw
from escaped import code, hint, markup, prose, unseen
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_INDEX = "reference/techniques/index.md"
_EXAMPLES = 8


@cache
def _catalogue() -> Catalogue:
    return catalogue.read()


def on_config(config: MkDocsConfig) -> None:
    """Put the families and the techniques into the navigation."""
    families = [
        {
            one.name: [
                _family_file(one.name),
                *(_file(its.name) for its in _catalogue().at_home(one)),
            ]
        }
        for one in _catalogue().families
    ]
    [reference] = [part["Reference"] for part in config.nav or () if "Reference" in part]
    reference.append({"Techniques": [_INDEX, *families]})


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the pages."""
    pages = {_INDEX: _index()}
    pages |= {_family_file(one.name): _family_page(one) for one in _catalogue().families}
    pages |= {_file(one.name): _technique_page(one) for one in TECHNIQUES.values()}
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))


def _file(technique: str) -> str:
    return f"reference/techniques/{technique}.md"


def _family_file(family: str) -> str:
    return f"reference/families/{family}/index.md"


def _link(technique: str, way: str = "") -> str:
    return f"[{technique}]({way}{technique}.md)"


def _index() -> str:
    families = _catalogue().families
    vectors = sum(family.attacks + family.controls for family in families)
    rows = [
        f"| [{one.name}](../families/{one.name}/index.md) | {', '.join(one.raw['surfaces'])} "
        f"| {len(one.vectors)} | {one.attacks} | {one.controls} | {_cwe(one.raw['cwe'])} |"
        for one in families
    ]
    return "\n".join(
        [
            "# Techniques",
            "",
            f"{len(TECHNIQUES)} techniques in {len(families)} families: {vectors:,} vectors, each",
            "with a verdict for every op. [The corpus](../corpus.md) says how to read a vector,",
            "[Verdicts](../../explanation/verdicts.md) what the verdicts mean.",
            "",
            "| family | surfaces | techniques | attacks | controls | CWE |",
            "|---|---|--:|--:|--:|---|",
            *rows,
        ]
    )


def _family_page(family: Family) -> str:
    rows = [
        f"| {_link(name, '../../techniques/')} | {prose(TECHNIQUES[name].description)} | {len(vectors)} |"
        for name, vectors in family.vectors.items()
    ]
    return "\n".join(
        [
            f"# {family.name}",
            "",
            f"Surfaces: {', '.join(family.raw['surfaces'])} · {_cwe(family.raw['cwe'])} ·",
            f"{family.attacks} attacks, {family.controls} controls.",
            f"`capfuzz attack SPEC --family {family.name}` tries this family alone.",
            "",
            "| technique | what it does | vectors |",
            "|---|---|--:|",
            *rows,
            "",
            "## Flags",
            "",
            "Why vectors of this family exist, said once a flag.",
            "",
            *(line for flag, note in family.raw["notes"].items() for line in _note(flag, note)),
            "## Grant",
            "",
            "What is allowed where a vector says nothing else:",
            "",
            f"```json\n{json.dumps(family.raw['grant'], indent=2)}\n```",
        ]
    )


def _technique_page(technique: Technique) -> str:
    found = _catalogue().vectors(technique.name)
    same = ", ".join(_link(one.name) for one in _catalogue().same_fault(technique))
    home = _catalogue().home[technique.name].name
    flags = {flag: family.raw["notes"][flag] for family, one in found for flag in one["flags"]}
    return "\n".join(
        [
            f"# {technique.name}",
            "",
            prose(technique.description),
            "",
            "| | |",
            "|---|---|",
            f"| bites a target that | {prose(technique.needs)} |",
            f"| weakness | {_cwe(technique.cwe)} |",
            f"| surfaces | {', '.join(technique.surfaces)} |",
            f"| family | [{home}](../families/{home}/index.md) |",
            f"| fault | {technique.group}{f', also shown by {same}' if same else ''} |",
            *([f"| references | {_refs(technique.refs)} |"] if technique.refs else []),
            "",
            *_examples([vector for _, vector in found]),
            *(["## Why it is tried", ""] if flags else []),
            *(line for flag, note in flags.items() for line in _note(flag, note)),
            "## Vectors { data-search-exclude }",
            "",
            _table(found),
        ]
    )


def _note(flag: str, note: Raw) -> Iterator[str]:
    refs = _refs([*note["cves"], *note["links"]])
    yield f"`{flag}`"
    yield f":   {prose(note['bug'])} {prose(note['effect'])}" + (f" {refs}" if refs else "")
    yield ""


def _examples(vectors: list[Raw]) -> Iterator[str]:
    """Show the shortest hostile spellings, of techniques that are spellings."""
    spelt = {
        json.dumps(vector["ops"][0][1]): vector["ops"][0][1]
        for vector in vectors
        if len(vector["ops"]) == 1 and vector["verdict"] != ["allow"] and _spelt(vector["ops"][0])
    }
    if spelt:
        yield "## Spellings"
        yield ""
        yield "| as JSON writes it | beyond printable ASCII |"
        yield "|---|---|"
        for text in sorted(spelt, key=len)[:_EXAMPLES]:
            yield f"| {code(spelt[text])} | {markup(unseen(spelt[text]))} |"
        yield ""


def _spelt(op: Any) -> bool:
    """Tell whether an op is about one text; an archive is not."""
    match op:
        case [kind, str(), *_]:
            return kind != "unpack"
    return False


def _table(found: list[tuple[Family, Raw]]) -> str:
    """Return the vectors as HTML: hostile text must not pass through Markdown."""
    rows = "".join(_row(vector) for _, vector in found)
    head = "<tr><th>id</th><th>op and verdict</th><th>hints at</th><th>control</th></tr>"
    return f'<table class="vectors"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def _row(vector: Raw) -> str:
    ops = "".join(
        f'<li>{code(op)} <span class="verdict {verdict}">{verdict}</span></li>'
        for op, verdict in zip(vector["ops"], vector["verdict"], strict=True)
    )
    reason = f'<p class="reason">{vector["reason"]}</p>' if vector["reason"] else ""
    comment = f"<p>{prose(vector['comment'])}</p>" if vector["comment"] else ""
    return (
        f'<tr id="{vector["id"]}"><td>{_id(vector["id"])}</td>'
        f"<td><ol>{ops}</ol>{reason}{comment}</td>"
        f"<td>{hint(vector['means']) if vector['means'] else ''}</td><td>{_control(vector['control'])}</td></tr>"
    )


def _control(vector: str | None) -> str:
    if vector is None:
        return "is a control"
    return f'<a href="../{_catalogue().technique_of[vector]}/#{vector}">{_id(vector)}</a>'


def _id(vector: str) -> str:
    """Return an id that may be broken after its dots alone."""
    return f"<code>{vector.replace('.', '.<wbr>')}</code>"


def _refs(refs: Any) -> str:
    return " ".join(map(_ref, refs))


def _ref(ref: str) -> str:
    if ref.startswith("CVE-"):
        return f"[{ref}](https://www.cve.org/CVERecord?id={ref})"
    weakness = re.fullmatch(r"https://cwe\.mitre\.org/data/definitions/(\d+)\.html", ref)
    if weakness:
        return _cwe(f"CWE-{weakness[1]}")
    return f"<{ref}>" if ref.startswith("https://") else markup(ref)


def _cwe(cwe: str) -> str:
    return f"[{cwe}](https://cwe.mitre.org/data/definitions/{cwe.removeprefix('CWE-')}.html)"
