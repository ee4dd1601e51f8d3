"""The console in a real browser: by keyboard alone, in both themes, narrow and wide.

Pictures of each page stand in `build/console` (``CAIRN_TEST_PICTURES``) afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.http.chromium import Tab, chromium
from tests.http.conftest import Called
from tests.http.console import CONSOLE

pytestmark = [pytest.mark.broker, pytest.mark.slow]
PICTURES = Path(os.environ.get("CAIRN_TEST_PICTURES", "build/console"))
MENU = (
    "changes ledger documents contradictions merges chat team onboarding sources runs costs moments"
    " decisions audit"
)
PAGES = ("", *(f"/{name}" for name in MENU.split()))
# Every piece of text against what is drawn behind it; the ratio of WCAG 2.2, 1.4.3.
CONTRAST = """
(() => {
  const pixel = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (colour) => { pixel.clearRect(0, 0, 1, 1); pixel.fillStyle = colour;
    pixel.fillRect(0, 0, 1, 1); return [...pixel.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => { const of = (c) => { c /= 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * of(r) + 0.7152 * of(g) + 0.0722 * of(b); };
  const behind = (at) => { for (; at; at = at.parentElement) {
    const colour = rgb(getComputedStyle(at).backgroundColor); if (colour[3] > 250) return colour; }
    return rgb('white'); };
  const faint = new Set();
  for (const at of document.querySelectorAll('body *')) {
    if (![...at.childNodes].some((it) => it.nodeType === 3 && it.data.trim())) continue;
    if (!at.checkVisibility() || at.closest('option, .unseen')) continue;
    const [a, b] = [light(rgb(getComputedStyle(at).color)), light(behind(at))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.add(`${at.tagName}.${at.className} ${ratio.toFixed(2)}`);
  }
  return [...faint];
})()
"""
UNNAMED = """
[...document.querySelectorAll('input:not([type=hidden]), select, textarea, button, a')]
  .filter((it) => it.checkVisibility())
  .filter((it) => !(it.labels?.length || it.textContent.trim() || it.ariaLabel))
  .map((it) => it.outerHTML)
"""


@pytest.fixture(scope="module")
def tab(called: Called, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """A browser that has signed in by keyboard."""
    with chromium(called.url, tmp_path_factory.mktemp("profile"), PICTURES) as tab:
        tab.look()
        tab.open(f"{CONSOLE}/sign-in")
        tab.wait_for("document.activeElement.id === 'token'")
        tab.keep("sign-in")
        tab.write(called.token)
        tab.press("Enter")
        tab.wait_for("location.pathname === '/console/projects'")
        yield tab


@pytest.fixture(scope="module")
def home(shown: str) -> str:
    return f"{CONSOLE}/projects/{shown}"


@pytest.mark.parametrize(("theme", "width"), [("light", 1400), ("dark", 1400), ("dark", 320)])
def test_pages_are_readable_in_both_themes_wide_and_narrow(
    tab: Tab, home: str, theme: str, width: int
):
    tab.look(width=width, theme=theme)
    for page in PAGES:
        tab.open(home + page)
        tab.keep(f"{page.strip('/') or 'overview'}-{theme}-{width}")
        assert tab.run(CONTRAST) == [], page
        assert tab.run(UNNAMED) == [], page
        assert tab.run("document.documentElement.scrollWidth <= innerWidth"), page
    assert tab.reports == []


def test_a_statement_leads_to_its_place_in_the_source_without_a_mouse(tab: Tab, home: str):
    tab.look()
    tab.open(home)
    tab.press("g", "a")
    tab.wait_for("location.pathname.endsWith('/documents')")
    tab.press("j", "Enter")
    tab.wait_for("document.querySelector('.statements [data-evidence]')")
    document = tab.run("location.pathname")
    tab.press("j", "e")
    tab.wait_for("document.querySelector('#beside .why [data-evidence]')")
    quote = tab.run("document.querySelector('#beside blockquote').textContent")
    tab.run("document.querySelector('#beside .why [data-evidence]').focus()")
    tab.press("Enter")
    tab.wait_for("document.querySelector('#beside mark')")
    marked = "[...document.querySelectorAll('#beside mark')].map((it) => it.textContent)"
    assert "\n".join(tab.run(marked)) == quote
    tab.keep("evidence-beside")
    assert tab.run("location.pathname") == document
    tab.press("Escape")
    tab.wait_for("!document.querySelector('#beside').firstChild")
    assert tab.reports == []


def test_hostile_text_runs_nothing(tab: Tab, home: str):
    tab.look(theme="dark")
    tab.open(f"{home}/ledger?path=hostile.md")
    assert "<script>alert(1)</script>" in tab.run("document.body.textContent")
    assert tab.run("document.querySelectorAll('script:not([src]), b[hx-get]').length") == 0
    tab.run("document.querySelector('main [data-evidence]').click()")
    tab.wait_for("document.querySelector('#beside mark')")
    assert tab.run("document.querySelectorAll('script:not([src]), b[hx-get]').length") == 0
    tab.keep("hostile")
    assert tab.reports == []


def test_a_contradiction_is_decided_by_keyboard(tab: Tab, home: str):
    tab.look()
    tab.open(home)
    tab.press("g", "c")
    tab.wait_for("document.querySelector('article.decide')")
    tab.press("j", "2")
    tab.wait_for("document.activeElement.name === 'rationale'")
    tab.write("The architecture is newer than the decision.")
    tab.keep("contradiction-chosen")
    tab.press("Enter", control=True)
    tab.wait_for("document.querySelector('.told')?.textContent === 'Decided.'")
    assert tab.run("document.querySelector('article.decide')") is None
    tab.keep("contradiction-decided")
    tab.open(f"{home}/contradictions?status=resolved")
    assert "the second is right" in tab.run("document.querySelector('main').textContent")
    assert tab.reports == []


def test_an_open_page_follows_the_project_and_says_when_it_cannot(
    tab: Tab, called: Called, home: str, shown: str
):
    tab.look()
    with called.client() as owner:
        found = owner.get(f"/v1/projects/{shown}/atoms", params={"kind": "claim"}).json()["items"]
        atom = found[0]["atom_id"]
        tab.open(f"{home}/atoms/{atom}")
        tab.wait_for("document.getElementById('live')._htmx?.sse?.reader")
        verified = owner.post(f"/v1/projects/{shown}/atoms/{atom}/verify?wait=true", json={})
        assert verified.status_code == 200, verified.text
        called.cairn.ingest(called.folder, "Shown", "again")  # a run: its frames are the news
    tab.wait_for("document.querySelector('#atom').textContent.includes('verified by')")
    tab.run("htmx.trigger(document.getElementById('live'), 'htmx:sse:error')")
    tab.wait_for("!document.querySelector('.lost').hidden")


def test_a_question_to_the_agents_is_answered_on_the_page(tab: Tab, home: str):
    tab.look()
    tab.open(f"{home}/chat")
    tab.run("document.getElementById('message').focus()")
    tab.write("What does auth use?")
    tab.press("Enter", control=True)
    tab.wait_for("document.querySelector('.message.assistant .said, .message .problem')")
    tab.wait_for("!location.search && document.readyState === 'complete'")
    assert tab.run("document.querySelector('.message.user .said').textContent") == (
        "What does auth use?"
    )
    assert "Auth uses" in tab.run("document.querySelector('.message.assistant .said').textContent")
    tab.keep("chat-answered")
    tab.run("document.querySelector('.message.assistant [data-evidence]').click()")
    tab.wait_for("document.querySelector('#beside blockquote')")
    assert tab.reports == []


def test_the_card_of_a_chip_comes_by_focus_and_goes_by_escape(tab: Tab, home: str):
    card = "document.querySelector('main .quote').checkVisibility()"
    tab.look()
    tab.open(f"{home}/ledger")
    tab.run("document.querySelector('main .cite a').focus()")
    assert tab.run(card)
    tab.keep("chip")
    tab.press("Escape")
    assert not tab.run(card)
    tab.run("document.querySelector('.brand').focus()")
    tab.run("document.querySelector('main .cite a').focus()")
    assert tab.run(card)


def test_the_palette_finds_and_goes_by_keyboard_alone(tab: Tab, home: str):
    chosen = "document.querySelector('#palette [aria-selected=true]')"
    tab.look()
    tab.open(home)
    tab.run("document.querySelector('.brand').focus()")
    tab.press("k", control=True)
    tab.wait_for("document.getElementById('palette').open")
    tab.write("Auth uses JWT")
    tab.wait_for("document.querySelector('#palette [href*=\"/atoms/\"]')")
    named = "document.activeElement.getAttribute('aria-activedescendant')"
    assert tab.run(f"document.activeElement.role === 'combobox' && {named} === {chosen}.id")
    assert tab.run(CONTRAST) == []
    tab.keep("palette")
    tab.press("Escape")
    tab.wait_for("!document.getElementById('palette').open")
    assert tab.run("document.activeElement.className") == "brand"
    tab.press("k", control=True)
    tab.write("costs")
    tab.wait_for(f"{chosen}?.textContent === 'Costs'")
    tab.press("Enter")
    tab.wait_for("location.pathname.endsWith('/costs')")
    tab.press("k", control=True)
    tab.wait_for(f"{chosen}?.pathname === {home!r}")  # seen lately
    assert tab.reports == []


def test_single_keys_can_be_switched_off_and_changed(tab: Tab, home: str):
    tab.look()

    def save(script: str) -> None:
        tab.open(f"{CONSOLE}/settings")
        tab.run(f"(() => {{ {script} }})()")
        tab.run("document.querySelector('form[action$=keys] .primary').click()")

    def is_helped() -> bool:
        return bool(tab.run("document.getElementById('help').open"))

    save("document.getElementById('single-keys').checked = false")
    tab.wait_for("document.body.dataset.singleKeys === 'off'")
    tab.press("?")
    assert not is_helped()
    save("""document.getElementById('single-keys').checked = true;
        document.getElementById('key-help').value = 'x';
        document.getElementById('key-next').value = 'x'""")
    tab.wait_for("document.querySelector('.problem')?.textContent.includes('is used twice')")
    assert tab.run("document.getElementById('key-next').value") == "x"
    save("""document.getElementById('single-keys').checked = true;
        document.getElementById('key-help').value = 'x';
        document.getElementById('key-ledger').value = 'q'""")
    tab.wait_for("document.querySelector('.told')")
    tab.press("?")
    assert not is_helped()
    tab.press("x")
    assert is_helped()
    assert tab.run("document.querySelector('[data-does=help]').textContent") == "x"
    tab.keep("help")
    tab.open(home)
    tab.press("g", "q")
    tab.wait_for("location.pathname.endsWith('/ledger')")
    tab.open(f"{CONSOLE}/settings")
    tab.keep("settings")
    tab.run("document.querySelector('[value=reset]').click()")
    tab.wait_for("document.querySelector('.told') && document.body.dataset.singleKeys === 'on'")
    assert tab.run("document.getElementById('key-help').value") == "?"
    assert [it for it in tab.reports if "422" not in it] == []  # that of the refused one
    tab.reports.clear()
