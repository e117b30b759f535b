"""Techniques of archives: each yields archives that can be packed, and leads where it says."""

import io
import tarfile
import zipfile
from pathlib import PurePosixPath

import pytest
from capfuzz.attacks.case import Verdict
from capfuzz.attacks.expansion.archives import FAMILIES, GRANT, SECRETS
from capfuzz.attacks.expansion.family import document
from capfuzz.attacks.techniques.archives_model import ROOT
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.targets.archive import LEVELS
from capfuzz.targets.archive_members import FORMATS, harmless, members
from capfuzz.targets.archive_tar import tar
from capfuzz.targets.archive_zip import zip_

ARCHIVES = {name: one for name, one in TECHNIQUES.items() if one.kind is Kind.ARCHIVE}
ROWS = [(one.name, row) for one in FAMILIES for row in one.rows()]


@pytest.mark.parametrize("name", ARCHIVES)
def test_what_a_technique_yields_can_be_packed(name):
    """A vector would be counted that no target ever unpacks."""
    for packed in ARCHIVES[name].spell():
        assert set(packed.formats) <= set(FORMATS)
        for form in packed.formats:
            made = members(("unpack", form, packed.members))
            assert made is not None
            blob = (tar if form == "tar" else zip_)(made)
            reader = tarfile.open if form == "tar" else zipfile.ZipFile
            keyword = "fileobj" if form == "tar" else "file"
            with reader(**{keyword: io.BytesIO(blob)}) as opened:
                assert opened.getmembers() if form == "tar" else opened.infolist()


@pytest.mark.parametrize("name", ARCHIVES)
def test_nothing_touches_the_machine(name):
    """An attack would write to the machine's own files for an unpacker that strips names."""
    for packed in ARCHIVES[name].spell():
        assert harmless(members(("unpack", "tar", packed.members)), LEVELS), packed.members


@pytest.mark.parametrize("one", FAMILIES, ids=lambda one: one.name)
def test_attacks_are_judged_by_effect_and_controls_allowed(one):
    """A right unpacker that renames, refuses or leaves out would be blamed for that alone."""
    for vector in document(one)["vectors"]:
        verdict = Verdict.ALLOW if vector["control"] is None else Verdict.CONTAIN
        assert vector["verdict"] == [verdict]


def test_controls_are_files_with_plain_names():
    """A control with a link would be refused by whoever takes none, and prove nothing."""
    plain = [row.control for _, row in ROWS if row.control is not None]
    for row in plain:
        for kind, path, *_ in row.ops[0][2]:
            assert kind in {"file", "dir"}
            assert ".." not in PurePosixPath(path).parts


def test_secrets_stand_beside_above_and_far_away():
    """An escape in one direction would end on nothing that was planted."""
    assert not any(place.startswith(f"{ROOT}/") for place in SECRETS)
    assert {place.rpartition("/")[0] for place in SECRETS} >= {"", "/cf-jail", f"{ROOT}-evil"}
    assert GRANT == {"fs_read": [ROOT], "fs_write": [ROOT]}
