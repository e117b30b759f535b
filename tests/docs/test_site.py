"""The site as it is built: whole, and served from one place alone."""

import os
import subprocess
import sys
import unicodedata
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from capfuzz.attacks.techniques.catalog import TECHNIQUES

from .pages import ROOT

pytestmark = pytest.mark.slow
BASE = "http://site/"


class _Page(HTMLParser):
    """What one page refers to, and the places in it that can be referred to."""

    def __init__(self, file):
        super().__init__()
        self.links, self.loaded, self.places = [], [], {""}
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.places |= {named.get("id"), named.get("name")}
        if tag in {"a", "area"}:
            self.links.append(named.get("href", ""))
        elif tag in {"link", "script", "img", "iframe", "source"}:
            self.loaded.append(named.get("href") or named.get("src") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )
    return folder


def _pages(site):
    return {file: _Page(file) for file in site.rglob("*.html") if file.name != "404.html"}


def _url(site, file):
    return BASE + str(file.relative_to(site)).removesuffix("index.html")


def test_links_lead_somewhere(site):
    """Readers would be led to pages, or places in them, that are not there."""
    pages = _pages(site)
    places = {_url(site, file): page.places for file, page in pages.items()}
    broken = []
    for file, page in pages.items():
        for link in page.links:
            url, place = urldefrag(urljoin(_url(site, file), link))
            inside = url.startswith(BASE)
            if inside and unquote(place) not in places.get(url, _places(site, url)):
                broken.append((str(file.relative_to(site)), link))
    assert [] == broken


def _places(site, url):
    """Return where one can go in what is no page: its beginning, if it is there."""
    return {""} if (site / url.removeprefix(BASE)).is_file() else set()


def test_nothing_is_loaded_from_elsewhere(site):
    """Reading the site would tell others about it, and it would not work without a network."""
    loaded = {one for page in _pages(site).values() for one in page.loaded}
    assert set() == {one for one in loaded if "//" in one}
    styles = [file.read_text(encoding="utf-8") for file in site.rglob("*.css")]
    assert not any("url(http" in style or "@import" in style for style in styles)


def test_each_technique_has_a_page(site):
    """What the corpus has would not be told."""
    pages = {file.parent.name for file in site.glob("reference/techniques/*/index.html")}
    assert set(TECHNIQUES) == pages


def test_hostile_text_is_escaped(site):
    """A spelling of an attack would act on its reader's browser or editor."""
    odd = {
        (file.parent.name, character)
        for part in ("techniques", "families")
        for file in site.glob(f"reference/{part}/**/index.html")
        for character in set(file.read_text(encoding="utf-8"))
        if unicodedata.category(character)[0] in "CZ" and character not in " \n\t"
    }
    assert set() == odd
