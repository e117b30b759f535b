"""Request targets: what they spell, that each leads where it says, and that controls are honest."""

from urllib.parse import unquote

import pytest
from capfuzz.attacks.case import Verdict
from capfuzz.attacks.expansion.http import FAMILIES
from capfuzz.attacks.techniques.catalog import TECHNIQUES
from capfuzz.attacks.techniques.registry import Kind
from capfuzz.attacks.vectors import CORPUS, load
from capfuzz.targets.http_forms import Served, adapted, request_of

REQUESTS = [one for one in TECHNIQUES.values() if one.kind is Kind.REQUEST]
VECTORS = load([CORPUS / f"{one.name}.json" for one in FAMILIES])
SERVED = Served("/srv/x/site", "127.0.0.1:80", "/site/", "/admin")
SECRETS = ("secret.txt", "_secret")


def spelt(name):
    """Return the request targets of a technique."""
    return list(TECHNIQUES[name].spell())


@pytest.mark.parametrize("one", REQUESTS, ids=lambda one: one.name)
def test_every_target_can_be_sent_and_names_a_secret(one):
    """A vector could never be sent, or would hint at nothing."""
    for target in one.spell():
        assert target.isascii()
        assert target.isprintable()
        assert any(secret in unquote(target) for secret in SECRETS)


def test_every_target_is_taken_by_a_server_that_keeps_a_folder_back():
    """A vector would be shipped and counted that no server is ever asked."""
    attacks = [one for one in VECTORS if not one.is_control]
    assert [] == [one.id for one in attacks if adapted(one.case, SERVED) is None]
    assert {one.name for one in REQUESTS} == {one.technique for one in attacks}


def test_no_name_is_left_open_and_no_target_leaves_what_was_planted():
    """A server would be asked for a name in braces, or for files of the machine."""
    for one in VECTORS:
        made = adapted(one.case, SERVED)
        for op in made.ops:
            sent = request_of(op, made.grant.fs_read[0], SERVED).decode()
            assert "{" not in sent
            assert sent.count("/srv/x") <= 1


def test_what_a_vector_hints_at_is_planted_outside_of_the_grant():
    """A server would pass because there is nothing to be found."""
    for one in VECTORS:
        if not one.is_control:
            assert (one.id, True) == (one.id, one.means in one.case.world.files)
            assert not one.means.startswith("/work/")


def test_verdicts_are_left_to_the_effect_and_controls_are_plain():
    """A server that rightly takes a spelling for a name inside would be blamed."""
    for one in VECTORS:
        wanted = {Verdict.ALLOW} if one.is_control else {Verdict.CONTAIN}
        assert (one.id, wanted) == (one.id, {*one.case.verdicts})
        assert not one.is_control or one.case.ops == (("fs_read", "/work/data.txt"),)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("request-climb", "{prefix}/../other/secret.txt"),
        ("request-alias-climb", "{prefix}../other/secret.txt"),
        ("request-alias-sibling", "{prefix}-evil/secret.txt"),
        ("request-prefix-case", "{PREFIX}/secret.txt"),
        ("request-encoded-prefix", "{prefix}%2f..%2fother%2fsecret.txt"),
        ("request-absolute-form", "http://{host}{prefix}/../other/secret.txt"),
        ("request-slashes", "{prefix}//../other/secret.txt"),
        ("request-absolute-rest", "{prefix}/{floor}/other/secret.txt"),
        ("request-parameters", "{prefix}/..;/other/secret.txt"),
        ("request-backslash", "{prefix}/..\\other\\secret.txt"),
        ("request-query-climb", "{prefix}/?/../../other/secret.txt"),
        ("request-file-door", "/@fs{floor}/other/secret.txt"),
        ("request-door-query", "/@fs{floor}/other/secret.txt?import&raw??"),
        ("request-door-climb", "/@fs{floor}/{name}/?/../../other/secret.txt?import&?raw"),
        ("request-door-fragment", "/@fs{floor}/{name}/#/../../other/secret.txt"),
        ("request-private", "{prefix}{private}/secret.txt"),
        ("request-private-encoded", "{prefix}{private}%2fsecret.txt"),
        ("request-private-slashes", "{prefix}/{private}/secret.txt"),
        ("request-private-dots", "{prefix}/.{private}/secret.txt"),
        ("request-private-parameters", "{prefix}{private};/secret.txt"),
        ("request-private-forms", "{prefix}{private}\\secret.txt"),
    ],
)
def test_a_technique_spells_what_it_is_named_for(name, target):
    """A technique would be counted that no longer does what its description says."""
    assert target in spelt(name)
