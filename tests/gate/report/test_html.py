"""The page, in a real browser: it loads alone, filters, copies, prints, and everybody can use it."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from capfuzz.gate.matrix.results import Cell, Matrix, Outcome, System
from capfuzz.gate.matrix.writing import to_html
from capfuzz.gate.report.as_html import to_text
from playwright.sync_api import Browser, Page, sync_playwright
from pypdf import PdfReader

from ...absent import absent  # noqa: TID252 - it stands there once

AXE = Path(__file__).parents[3] / ".axe/node_modules/axe-core/axe.min.js"
HOSTILE = "<img src=x onerror=alert(1)>{{7*7}}"
AXE_VERSION = "4.14.1"
MEGABYTE = 1_000_000
MANY = 300
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}

pytestmark = pytest.mark.slow


def missing(what):
    """Fail where everything must be there, skip with a reason elsewhere."""
    absent(f"{what} is not on this machine; .ci/run has the command that installs it")


@pytest.fixture(scope="session")
def browser() -> Browser:
    """Start a headless Chromium."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        missing("chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Return a function that opens a page, or that of a report; what the browser says of it fails."""
    complaints, contexts = [], []

    def open_page(report, **options) -> Page:
        path = tmp_path / f"report{len(contexts)}.html"
        text = report if isinstance(report, str) else to_text(report)
        path.write_text(text, encoding="utf-8")
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda asked: complaints.append(asked.url) if asked.url != url else None)
        url = path.as_uri()
        page.goto(url)
        return page

    open_page.complaints = complaints
    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def many(broken):
    """Return a report of three hundred findings: the real ones, over and over."""
    found = broken.findings * (MANY // len(broken.findings) + 1)
    named = (replace(one, id=f"CF-{place:010x}") for place, one in enumerate(found[:MANY]))
    return replace(broken, findings=tuple(named))


def shown(page):
    """Return the ids of the findings that are shown."""
    return [one.get_attribute("id") for one in page.query_selector_all("details.finding:visible")]


def focused(page):
    """Return the id of the finding that has the focus."""
    return page.evaluate("document.activeElement.closest('details.finding')?.id")


def copied(page):
    """Return what the clipboard holds."""
    return page.evaluate("navigator.clipboard.readText()")


def test_the_page_tells_everything_and_asks_nobody(opened, partly_accepted):
    """A security engineer would have to open the JSON, or the page would call home."""
    page = opened(partly_accepted)
    assert page.inner_text("h1").lower() == "broken"
    text = page.text_content("body")
    for finding in partly_accepted.findings:
        for told in (finding.id, finding.observed, finding.expected, finding.bug, finding.replay):
            assert told in text
    assert "by ana: known since March" in text
    assert "fixed CF-0000000000" in text


def test_what_was_not_observable_and_not_measured_is_told(opened, held):
    """It would count as held."""
    blind, *_ = held.invariants
    tallies = {**held.invariants, blind: replace(held.invariants[blind], observable=False)}
    report = replace(held, invariants=tallies, verdict="inconclusive", remarks=("tool: refused",))
    report = replace(report, limits=("net_udp: by its manual",))
    page = opened(report)
    assert page.inner_text("h1").lower() == "inconclusive"
    told = page.inner_text("aside")
    assert blind in told
    assert "tool: refused" in told
    assert "net_udp: by its manual" in told


def test_the_heat_map_has_the_figures_of_the_matrix(opened, broken):
    """A reader would look for the fault in another family."""
    page = opened(broken)
    for family, row in broken.matrix.items():
        for name, tally in row.items():
            if tally.broken:
                cell = page.get_by_title(f"{family}, {name}: ", exact=False).first
                assert cell.inner_text().startswith(f"{tally.broken}")


def test_a_cell_of_the_heat_map_leads_to_its_findings(opened, broken):
    """A reader would have to search for what a red cell means."""
    page = opened(broken)
    for family, name in dict.fromkeys(cell for one in broken.findings for cell in one.seen):
        page.get_by_title(f"{family}, {name}: ").click()
        expected = {one.id for one in broken.findings if (family, name) in one.seen}
        assert expected <= set(shown(page))


def test_filters_leave_what_fits_and_say_how_many(opened, broken):
    """Three hundred findings could not be looked through."""
    page = opened(broken)
    everything = [one.id for one in broken.findings]
    assert everything == shown(page)
    page.uncheck("input[value=error]")
    assert [one.id for one in broken.findings if one.severity != "error"] == shown(page)
    page.check("input[value=error]")
    page.select_option("#invariant", "confined")
    confined = [one.id for one in broken.findings if one.invariant == "confined"]
    assert confined == shown(page)
    page.select_option("#family", label="tool-names")
    assert set(shown(page)) < set(confined)
    page.keyboard.press("Escape")
    assert everything == shown(page)
    page.fill("#text", everything[-1].upper())
    assert everything[-1:] == shown(page)
    assert page.inner_text("#count") == f"1 of {len(everything)} shown"
    page.fill("#text", "no such thing")
    assert page.is_visible("#nothing")


def test_accepted_findings_can_be_told_from_new_ones(opened, partly_accepted):
    """What is new would drown in what is known."""
    page = opened(partly_accepted)
    page.select_option("#state", "new")
    assert [partly_accepted.findings[0].id] == shown(page)


def test_the_keyboard_reaches_everything(opened, broken):
    """Whoever has no mouse could not read the report."""
    page = opened(broken)
    ids = [one.id for one in broken.findings]
    for key, expected in (("j", 0), ("j", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("k", 0)):
        page.keyboard.press(key)
        assert ids[expected] == focused(page)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    assert page.get_attribute(f"#{ids[1]}", "open") is not None
    page.keyboard.press("c")
    page.wait_for_function("document.getElementById('status').textContent")
    assert broken.findings[1].replay == copied(page)
    page.keyboard.press("/")
    page.keyboard.type("jkc")
    assert page.input_value("#text") == "jkc"


def test_the_button_copies_the_whole_replay_line(opened, broken):
    """A reader would copy a part of it, or with marks that a shell takes for its own."""
    page = opened(broken)
    page.click("details[open] .copy")
    page.wait_for_selector(".copy.done")
    assert broken.findings[0].replay == copied(page)


def test_a_link_to_a_finding_unfolds_it(opened, broken):
    """A link in a ticket would lead to a list."""
    page = opened(broken)
    last = broken.findings[-1].id
    page.evaluate(f"location.hash = '{last}'")
    page.wait_for_selector(f"#{last}[open]")
    assert last == focused(page)


def test_paper_shows_every_finding_unfolded_and_the_screen_stays(opened, broken, tmp_path):
    """A printed report would be a list of headings."""
    page = opened(broken)
    page.pdf(path=tmp_path / "report.pdf")
    text = "".join(sheet.extract_text() for sheet in PdfReader(tmp_path / "report.pdf").pages)
    told = "".join(text.split())
    for finding in broken.findings:
        assert finding.id in told
        assert "".join(finding.replay.split())[:60] in told
    assert page.locator("details.finding[open]").count() == 1


def test_without_scripts_everything_can_still_be_read(opened, broken):
    """A mail client or a strict viewer would show an empty page."""
    page = opened(broken, java_script_enabled=False)
    assert page.locator("details.finding").count() == len(broken.findings)
    assert not page.is_visible("form.tools")
    assert not page.is_visible("details[open] .copy")
    assert page.is_visible("details[open] .replay code")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", ["partly_accepted", "held"])
def test_axe_finds_nothing_that_keeps_anybody_out(opened, scheme, size, name, request):
    """Somebody could not read, or not reach, a part of the report."""
    if not AXE.is_file():
        missing("axe-core")
    page = opened(request.getfixturevalue(name), color_scheme=scheme, viewport=size)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    check(page, size)


def check(page, size):
    """Have axe-core look at a page, which must also fit its screen."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.evaluate("axe.version") == AXE_VERSION
    found = page.evaluate("axe.run()")
    assert found["passes"]
    assert [] == [
        (one["id"], node["target"], node["failureSummary"])
        for one in found["violations"]
        for node in one["nodes"]
    ]
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_the_matrix_is_for_everybody_and_obeys_nobody(opened, hostile, scheme, size):
    """What a sandbox or a finding is called could run in the page, or somebody could not read it."""
    if not AXE.is_file():
        missing("axe-core")
    cells = {str(one): Cell(one, 3, 4, broken=one == "broken") for one in Outcome}
    there = System(
        "bwrap", HOSTILE, "1", report=hostile, cells=cells, cold_start=0.03, answer=0.001
    )
    absent = System("nsjail", HOSTILE, why_not=HOSTILE)
    page = opened(
        to_html(Matrix((there, absent), "quick", 0, HOSTILE, "2026-01-01")),
        color_scheme=scheme,
        viewport=size,
    )
    check(page, size)
    table = page.inner_text("table")
    assert [] == [one for one in ("held 3/4", "BROKEN 3/4", "not expressible") if one not in table]
    assert "30" in page.inner_text("table tr:nth-last-child(2)")


def test_the_reader_chooses_light_or_dark(opened, held):
    """The page would be unreadable in a bright room."""
    page = opened(held, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.click("#theme")
    assert page.inner_text("#theme") == "Theme: light"
    assert dark != page.evaluate(ground)
    page.reload()
    assert page.inner_text("#theme") == "Theme: light"
    page.keyboard.press("t")
    assert dark == page.evaluate(ground)


def test_hostile_text_stays_text(opened, hostile):
    """An attack's own text would run in the browser of whoever reads about it."""
    page = opened(hostile)
    assert page.locator("script").count() == 1
    text = page.inner_text("details[open] .steps")
    assert "<script>alert(1)</script>" in text
    assert "{{7*7}}" in text
    source = to_text(hostile)
    assert not set(source) & {*"\x00\x1b\u202e\ud800"}
    page.click("details[open] .copy")


def test_the_page_allows_no_script_but_its_own(opened, held):
    """A hole in the escaping would be enough."""
    page = opened(held)
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p onclick=\"ran = 1\">x</p>')")
    page.evaluate("document.body.lastElementChild.click()")
    assert page.evaluate("typeof ran") == "undefined"
    (refused,) = opened.complaints
    assert "Content Security Policy" in refused
    opened.complaints.clear()


def test_three_hundred_findings_fit_and_can_be_filtered(opened, many):
    """A page of a large campaign would not load, or not upload."""
    assert len(to_text(many).encode()) < MEGABYTE
    page = opened(many)
    assert len(shown(page)) == MANY
    page.fill("#text", many.findings[-1].id)
    assert [many.findings[-1].id] == shown(page)
    assert page.locator(".hint").count() == 0


def test_three_hundred_long_replay_lines_do_not_fit_and_the_report_is_named(many):
    """A campaign over planted trees, whose lines carry the tree, would break the limit."""
    long = [replace(one, replay=one.replay + "x" * 3_000) for one in many.findings]
    text = to_text(replace(many, findings=tuple(long)))
    assert len(text.encode()) < MEGABYTE
    assert f"capfuzz replay 'report.json#{long[-1].id}' {many.spec}" in text
    assert text.count("write the report with --json") == MANY
