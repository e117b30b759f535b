"""Markdown: read by a person on the page of a CI job, and rendered by a web site."""

import re
from dataclasses import replace
from html import escape

import pytest
from capfuzz.gate.report.as_markdown import to_text
from capfuzz.gate.report.markdown import code, literal
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

MEGABYTE = 1024 * 1024  # what a job summary may have


def html(report):
    """Return what a renderer of this Markdown makes of it."""
    return MarkdownIt("gfm-like", {"linkify": False}).render(to_text(report))


def test_all_findings_stand_in_the_table_and_unfold(broken):
    """A person would have to open the artifacts."""
    text = to_text(broken)
    for finding in broken.findings:
        assert f"| {finding.id} | {finding.severity} | {finding.invariant} |" in text
        assert text.count(f"<summary>{finding.id}") == 1
        assert finding.observed in text
        assert finding.replay in text
    assert "exit status 1" in text
    assert html(broken).count("<table>") == 2


def test_what_held_says_so(held):
    """A green job would have an empty page."""
    text = to_text(held)
    assert "## capfuzz: held" in text
    assert "no findings; exit status 0" in text


def test_a_baseline_shows(partly_accepted):
    """Nobody would know what is lived with, or that an entry can go."""
    text = to_text(partly_accepted)
    assert f"{len(partly_accepted.findings) - 1} accepted" in text
    assert "fixed CF-0000000000" in text
    assert "by ana" in text


def test_hostile_text_stays_text(hostile):
    """An attack could write into the page of a job, or call a team."""
    rendered = html(hostile)
    assert "<script" not in rendered
    text = to_text(hostile)
    assert text.isascii()
    assert "{{7*7}}" not in text.split("```")[0]
    assert "@team" not in text.split("```")[0]
    assert rendered.count("<details>") == rendered.count("</details>") == len(hostile.findings)


@example("_a_")
@example("**a**|`b`")
@given(st.text("ab1 :_*`~<>[]()!|&#;/\\.,-@w\u00e9\u017f", max_size=12))
def test_text_is_that_text_and_no_markup(text):
    """A name in a table would be a link, an emphasis, or another column."""
    assert literal(text).isascii()
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(f"x {literal(text)} x")
    assert f"<p>{escape(f'x {text} x', quote=False)}</p>" == rendered.strip().replace("&quot;", '"')


@pytest.mark.parametrize(
    "text",
    [
        *("http://a.b", "https://a.b", "HTTP://a.b", "mailto:a@b.c", "xmpp:a@b.c/d", "ftp://a.b"),
        *("www.a.b", "(www.a.b", "WWW.a.b", ":tada:", "a:tada:", "@team", "a@b.c", "#1", "a/b#1"),
    ],
)
def test_nothing_that_a_web_site_makes_a_link_of_is_left(text):
    """It would be a link, an image or a call of somebody there: not all of that is in Markdown."""
    sign = re.compile(r"://|www\.|[@#]\w|\w:\w|:\w+:", re.IGNORECASE)
    assert sign.search(text)
    assert not sign.search(literal(text).replace("&#", ""))


def test_plain_words_stay_readable():
    """A line of a table would be read where it is written, with a number for each colon."""
    text = "keyrings(7): priv_keyctl, node: v20.1 (seccomp): a-b"
    assert text == literal(text)


@pytest.mark.parametrize("text", ["```", "````\n```", "a\n```\n# b"])
def test_a_block_of_code_cannot_end_itself(text):
    """A replay line of fences would make a heading of the rest."""
    rendered = MarkdownIt().render(code(text))
    assert rendered == f'<pre><code class="language-text">{text}\n</code></pre>\n'


@pytest.mark.parametrize("many", [300])
def test_many_long_findings_fit_into_a_summary(broken, many):
    """The service would show nothing at all."""
    long = replace(
        broken.findings[0], replay="x" * 20_000, ops=[["fs_read", "y" * 20_000]], steps=()
    )
    text = to_text(replace(broken, findings=(long,) * many))
    assert len(text) < MEGABYTE
    assert text.count(f"| {long.id} |") == many
    assert "more are told in full by the other formats" in text
