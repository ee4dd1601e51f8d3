"""The console in a real browser: by keyboard alone, in both themes, narrow and wide.

Pictures of each page stand in `build/console` (``CAIRN_TEST_PICTURES``) afterwards, and in
`figures.json` what each page weighs and when the first one can be used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from infra.http.console.spans import visible
from infra.runtime.local.process import wait_until
from tests.http import browsed
from tests.http.axe import find_faults
from tests.http.chromium import Tab, chromium
from tests.http.conftest import PATIENCE_S, Called
from tests.http.console import CONSOLE, Browser
from tests.http.test_several_calls import ask_about_two

pytestmark = [pytest.mark.broker, pytest.mark.slow]
PICTURES = Path(os.environ.get("CAIRN_TEST_PICTURES", "build/console"))
MENU = (
    "changes ledger documents contradictions merges proposals chat team build onboarding sources"
    " runs costs compare decisions audit webhooks"
)
PAGES = ("", *(f"/{name}" for name in MENU.split()))
STOPS_AT_MOST = 100
MOST_BYTES = 150_000  # of a page with all that it names, as they come over the line
FIRST_LOADS = 5
LOOKS = (("light", 1400), ("dark", 1400), ("dark", 320))
# Controls that have the focus and do not show it, or are below the bar that stays.
UNSEEN_FOCUS = """
(() => {
  const at = document.activeElement;
  const drawn = [at, at.nextElementSibling].some((it) => it && it.checkVisibility()
    && getComputedStyle(it).outlineStyle !== "none"
    && parseFloat(getComputedStyle(it).outlineWidth) >= 2);
  const { top, bottom } = at.getBoundingClientRect();
  const is_over = bottom > 0 && top < innerHeight && (top >= 48 || at.closest(".bar, .skip"));
  return drawn && is_over ? null : at.outerHTML.slice(0, 200);
})()
"""
BYTES = """
[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter((it) => !it.name.endsWith("/live")).reduce((sum, it) => sum + it.encodedBodySize, 0)
"""
USABLE_MS = 'performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd'
MARKED = "[...document.querySelectorAll('mark')].map((it) => it.textContent).join('\\n')"
# What is broader than a narrow page makes the window broader with it: its width says nothing.
FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
INERT = "document.querySelectorAll('script:not([src]), [hx-get^=\"/v1/\"]').length === 0"


def check_accessible(tab: Tab, name: str, looks: Sequence[tuple[str, int]] = LOOKS) -> None:
    """By axe's rules in both themes, wide and narrow; nothing has to be scrolled sideways."""
    for theme, width in looks:
        tab.look(width=width, theme=theme)
        tab.keep(f"{name}-{theme}-{width}")
        assert find_faults(tab, is_wide=width > 700) == [], (name, theme, width)
        assert tab.run(FITS), (name, width)
    tab.look(zoom=2)
    assert tab.run(FITS), (name, "zoom")
    tab.look()


def find_link(tab: Tab, page: str, selector: str) -> str:
    """Where the first such link on a page leads."""
    tab.open(page)
    target: str = tab.run(f"document.querySelector({json.dumps(selector)}).getAttribute('href')")
    return target.partition("#")[0]


@pytest.fixture(scope="module")
def tab(called: Called, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """A browser that has signed in by keyboard."""
    with chromium(called.url, tmp_path_factory.mktemp("profile"), PICTURES) as tab:
        tab.look()
        tab.open(f"{CONSOLE}/sign-in")
        tab.wait_for("document.activeElement.id === 'token'")
        check_accessible(tab, "sign-in")
        tab.write(called.token)
        tab.press("Enter")
        tab.wait_for("location.pathname === '/console/projects'")
        yield tab


@dataclass(frozen=True)
class Site:
    """A project of this module's own; ``items`` are made in it by hand, by what they are."""

    project: str
    folder: Path
    items: dict[str, str]


@pytest.fixture(scope="module")
def site(called: Called, tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = browsed.write_to(tmp_path_factory.mktemp("browsed"))
    project = called.cairn.run("project", "create", "Depot", "--idempotency-key", "depot").strip()
    called.cairn.ingest(folder, "Depot", "depot")
    home = f"{CONSOLE}/projects/{project}"
    with Browser(called) as hand:

        def make(page: str, form: str, **fields: str) -> str:
            made = hand.send(page, form, **fields)
            assert made.status_code == 200, made.text
            return made.url.path

        listed, team = f"{home}/documents", f"{home}/team"
        items = {
            "feature": make(listed, f"{home}/features", title="Labels at the scale"),
            "task": make(listed, f"{home}/tasks", title="Print a label"),
            "sprint": make(team, f"{home}/sprints", goal="Labels"),
        }
        memories = f"{CONSOLE}/memories"
        make(memories, f"{memories}/add", text="I read reports in the morning")
        make(
            team,
            f"{team}/members",
            name="Maximiliane Oberhuber-Konstantinidis",
            skills="backend 4",
            capacity="9",
        )
    return Site(project, folder, items)


@pytest.fixture(scope="module")
def home(site: Site) -> str:
    return f"{CONSOLE}/projects/{site.project}"


@pytest.fixture(scope="module")
def prd(tab: Tab, home: str) -> str:
    return find_link(tab, f"{home}/documents?type=prd", "main [data-open]")


def note(name: str, figure: object) -> None:
    """Keep a figure beside the pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    kept = PICTURES / "figures.json"
    figures = json.loads(kept.read_text()) if kept.exists() else {}
    kept.write_text(json.dumps(figures | {name: figure}, indent=1))


@pytest.mark.parametrize("in_each_look", [False, pytest.param(True, marks=pytest.mark.long)])
def test_pages_are_light_and_accessible_in_both_themes_wide_narrow_and_enlarged(
    tab: Tab, site: Site, home: str, prd: str, in_each_look: bool
):
    """The short form checks each page in one look, and all looks in turn."""
    atom = find_link(tab, f"{home}/ledger", "main a[href*='/atoms/']")
    pages = {page.strip("/") or "overview": home + page for page in PAGES} | {
        "projects": f"{CONSOLE}/projects",
        "sessions": f"{CONSOLE}/sessions",
        "memories": f"{CONSOLE}/memories",
        "settings": f"{CONSOLE}/settings",
        "search": f"{home}/search?q=JWT",
        "views": f"{home}/views",
        "atom": atom,
        "source": find_link(tab, atom, "main a[href*='evidence=']"),
        "document": prd,
        "edit": find_link(tab, prd, "main a[href*='/sections/']"),
        "run": find_link(tab, f"{home}/runs", "main [data-open]"),
        "member": find_link(tab, f"{home}/team", "main a[href*='/members/']"),
        **site.items,
    }
    weights: dict[str, int] = {}
    for (name, path), look in zip(pages.items(), cycle(LOOKS), strict=False):
        tab.open(path)
        weights[name] = tab.run(BYTES)
        check_accessible(tab, name, LOOKS if in_each_look else [look])
    note("bytes", weights)
    assert {name: it for name, it in weights.items() if not 0 < it < MOST_BYTES} == {}
    assert tab.reports == []


def test_the_first_load_is_measured_beside_that_of_a_page_without_a_project(tab: Tab, home: str):
    """No limit is asserted: how long it takes says what else the machine does."""

    def load(path: str) -> float:
        tab.open(path)
        return float(tab.run(USABLE_MS))

    tab.tell("Network.enable")
    tab.tell("Network.setCacheDisabled", cacheDisabled=True)
    times = {
        name: [load(path) for _ in range(FIRST_LOADS)]
        for name, path in (("settings", f"{CONSOLE}/settings"), ("overview", home))
    }
    tab.tell("Network.setCacheDisabled", cacheDisabled=False)
    tab.tell("Network.disable")
    settings, overview = (min(each) for each in times.values())
    figures = {"usable_ms": round(overview), "ratio_to_settings": round(overview / settings, 1)}
    note("first_load", figures)
    assert tab.reports == []


def type_behind(tab: Tab, editor: str, text: str) -> None:
    """Write at the end of the section that the editor shows."""
    tab.open(editor)
    tab.run("document.getElementById('text').focus()")
    tab.press("End", control=True)
    tab.write(text)


def test_a_text_outlives_its_session_and_the_network(tab: Tab, called: Called, prd: str):
    editor = find_link(tab, prd, "main a[href*='/sections/goals']")
    own = "- Labels survive the rain."
    is_there = f"document.getElementById('text')?.value.endsWith({json.dumps(own)})"
    shows = "document.querySelector('[data-draft]')?.textContent.includes({})".format
    type_behind(tab, editor, f"\n{own}")

    tab.tell("Network.enable")
    tab.tell("Network.clearBrowserCookies")
    tab.press("Enter", control=True)
    tab.wait_for(shows(json.dumps("your session has ended")))
    assert tab.run(is_there)
    tab.keep("edit-session-ended")
    tab.run("document.querySelector('[data-draft] a').click()")
    tab.wait_for("document.activeElement.id === 'token'")
    tab.write(called.token)
    tab.press("Enter")
    tab.wait_for(f"location.pathname === {json.dumps(editor)} && {is_there}")
    assert tab.run(shows(json.dumps("was kept in this browser")))
    check_accessible(tab, "edit-kept")

    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    tab.tell("Network.emulateNetworkConditions", **offline)
    tab.run("document.getElementById('text').focus()")
    tab.press("Enter", control=True)
    tab.wait_for(shows(json.dumps("does not answer")))
    tab.tell("Network.emulateNetworkConditions", **offline | {"offline": False})
    tab.press("Enter", control=True)
    tab.wait_for(f"location.pathname === {json.dumps(prd)}")
    tab.tell("Network.disable")
    assert tab.run(f"document.body.textContent.includes({json.dumps(own[2:])})")
    assert (
        tab.run("Object.keys(localStorage).filter((it) => it.startsWith('cairn-draft')).length")
        == 0
    )
    tab.reports.clear()  # of requests that could not be sent


def test_what_is_opened_beside_leaves_room_for_the_page(tab: Tab, home: str):
    tab.look(width=1280)
    for page, parts in (("", ".picture li, .columns > *"), ("/ledger", "tbody td")):
        tab.open(f"{home}{page}")
        assert tab.run(FITS), page
        tab.run("document.querySelector('main [data-evidence]').click()")
        tab.wait_for("document.querySelector('#beside [data-close]')")
        all_parts = f"[...document.querySelectorAll({parts!r})]"
        are_whole = f"{all_parts}.every((it) => it.scrollWidth <= it.clientWidth)"
        assert tab.run(f"{FITS} && {are_whole}"), page
    statement = "document.querySelector('[data-label=Statement]').clientWidth"
    assert tab.run(statement) > 1280 / 8
    tab.look(width=320)
    tab.open(f"{home}/team")
    here = "document.querySelector('.side [aria-current]').getBoundingClientRect()"
    assert tab.run(f"{here}.left > 0 && {here}.right < 320"), "the place in the menu is not seen"
    tab.look()


def test_help_and_palette_are_accessible(tab: Tab, home: str):
    tab.look()
    tab.open(home)
    for name, key, control in (("help", "?", False), ("palette", "k", True)):
        tab.press(key, control=control)
        tab.wait_for(f"document.getElementById('{name}').open")
        if name == "palette":
            tab.write("Auth uses JWT")
            tab.wait_for("document.querySelector('#palette [href*=\"/atoms/\"]')")
        check_accessible(tab, name)
        tab.press("Escape")
    assert tab.reports == []


def test_a_session_is_ended_by_keyboard(tab: Tab, called: Called):
    with Browser(called) as elsewhere:
        tab.open(f"{CONSOLE}/sessions")
        tab.run("document.querySelector('form[action$=end] button').focus()")
        tab.press("Enter")
        tab.wait_for("document.querySelector('.told')?.textContent === 'The session has ended.'")
        assert elsewhere.client.get(f"{CONSOLE}/sessions").url.path == f"{CONSOLE}/sign-in"
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
    check_accessible(tab, "why")
    quote = tab.run("document.querySelector('#beside blockquote').textContent")
    tab.run("document.querySelector('#beside .why [data-evidence]').focus()")
    tab.press("Enter")
    tab.wait_for("document.querySelector('#beside mark')")
    assert tab.run(MARKED) == quote
    check_accessible(tab, "evidence-beside")
    assert tab.run("location.pathname") == document
    tab.press("Escape")
    tab.wait_for("!document.querySelector('#beside').firstChild")
    assert tab.reports == []


def list_atoms(called: Called, site: Site, **asked: str) -> list[dict[str, Any]]:
    with called.client() as owner:
        found = owner.get(f"/v1/projects/{site.project}/atoms", params={"limit": "200"} | asked)
    listed: list[dict[str, Any]] = found.json()["items"]
    return listed


@pytest.mark.parametrize("path", browsed.HOSTILE_PATHS)
def test_hostile_text_runs_nothing_and_is_marked_exactly(
    tab: Tab, called: Called, site: Site, home: str, path: str
):
    tab.look(theme="dark")
    quotes = {
        (atom["atom_id"], quote["evidence_id"]): quote
        for atom in list_atoms(called, site)
        for quote in atom["evidence"]
        if quote["path"] == path
    }
    assert quotes
    tab.open(f"{home}/ledger?path={path}")
    assert tab.run(INERT)
    for (atom, evidence), quote in quotes.items():
        tab.open(f"{home}/sources/{quote['source_id']}?atom={atom}&evidence={evidence}")
        assert tab.run(MARKED) == visible(quote["snippet"])
        assert tab.run(INERT) and tab.run(BYTES) < MOST_BYTES
        assert tab.run(FITS)
    tab.keep(f"hostile-{path.partition('.')[0]}")
    tab.open(f"{home}/ledger?path={path}")
    tab.run("document.querySelector('main [data-evidence]').click()")
    tab.wait_for("document.querySelector('#beside mark')")
    assert tab.run(INERT)
    tab.keep(f"hostile-{path.partition('.')[0]}-beside")
    assert tab.reports == []


def test_a_contradiction_is_decided_by_keyboard_and_the_prd_that_it_blocked_turns_stable(
    tab: Tab, called: Called, site: Site, home: str, prd: str
):
    state = "document.querySelector('#standing .head .state').textContent"
    for it in list_atoms(called, site):
        if not it["verified_by"]:
            decide(called, site, it["atom_id"], "verify")
    tab.look()
    tab.open(prd)
    with tab.open_beside(prd) as watching:
        watching.look()
        watching.wait_for("document.querySelector('#standing .problem')")
        assert watching.run(state) == "preview stable"
        watching.keep("prd-blocked")
        go_to(tab, "#standing .problem a")
        tab.press("Enter")
        tab.wait_for("document.querySelector('article.decide')")
        tab.press("j", "2")
        tab.wait_for("document.activeElement.name === 'rationale'")
        tab.write("The decision record is what we agreed upon.")
        tab.keep("contradiction-chosen")
        tab.press("Enter", control=True)
        tab.wait_for("document.querySelector('.told')?.textContent.startsWith('Decided. ')")
        assert tab.run("document.querySelector('article.decide')") is None
        tab.keep("contradiction-decided")
        watching.wait_for(f"{state} === 'stable'")
        assert watching.run("document.querySelector('#standing .problem')") is None
        watching.wait_for("document.querySelector('#standing .told a')")  # another version
        watching.keep("prd-stable")
        check_accessible(watching, "prd-stable")
        assert watching.reports == []
    tab.open(f"{home}/contradictions?status=resolved")
    assert "the second is right" in tab.run("document.querySelector('main').textContent")
    assert tab.reports == []


def test_pairs_are_merged_and_kept_apart_by_keyboard_and_u_takes_it_back(tab: Tab, home: str):
    cards = "document.querySelectorAll('article.decide').length"
    on_card = "document.activeElement.matches('article.decide')"

    def decide_with(key: str, told: str, left: int) -> None:
        tab.press(key)
        assert tab.run(f"document.activeElement.dataset.key === '{key}'")
        tab.press("Enter")
        wait_for_told(told, left)

    def wait_for_told(told: str, left: int) -> None:
        tab.wait_for(f"document.querySelector('.told')?.textContent.startsWith('{told} ')")
        assert tab.run(cards) == left

    tab.look()
    tab.open(home)
    tab.press("g", "m")
    tab.wait_for("document.querySelector('article.decide')")
    assert tab.run(cards) == 2
    tab.press("j")
    assert tab.run(on_card)
    decide_with("1", "Merged.", 1)
    assert tab.run(on_card)  # the next one
    tab.keep("merge-merged")
    tab.press("u")
    wait_for_told("Decision undone.", 2)
    tab.press("j")
    decide_with("2", "Kept separate.", 1)
    tab.press("u")
    wait_for_told("Decision undone.", 2)
    assert tab.reports == []


def test_a_slider_leads_to_the_page_of_a_moment_by_keyboard_and_by_drag(tab: Tab, home: str):
    asked = "Object.fromEntries(new URLSearchParams(location.search))"
    said = "[...document.querySelectorAll('.between output')].map((it) => it.value)"
    tab.look()
    tab.open(f"{home}/compare")
    ends = tab.run("[...document.getElementById('ends').options].map((it) => it.value)")
    go_to(tab, "[name=from_near]")
    tab.press("ArrowRight")
    assert tab.run("document.activeElement.value") == ends[1]
    assert tab.run("document.activeElement.ariaValueText").startswith(f"change set {ends[1]}")
    assert tab.run(said)[0] == tab.run("document.activeElement.ariaValueText")
    tab.press("End", "ArrowLeft")
    assert tab.run("document.activeElement.value") == ends[-2]
    tab.press("Home", "ArrowRight", "Enter")
    tab.wait_for("location.search.includes('from=')")
    assert tab.run(asked) == {"from": ends[1], "to": ends[-1]}
    shown = f"document.querySelector('main .columns').textContent.includes('change set {ends[1]}')"
    assert tab.run(shown)
    tab.keep("compared")
    tab.drag("[name=to_near]", 0.98, 0.6)
    near = tab.run("document.querySelector('[name=to_near]').value")
    assert near in ends and near != ends[-1]
    tab.run("document.querySelector('.between .primary').focus()")
    tab.press("Enter")
    tab.wait_for(f"location.search.endsWith('to={near}')")
    assert tab.run(said)[1].startswith(f"change set {near}" if near != "0" else "the beginning")
    assert tab.reports == []


@pytest.fixture
def atom(called: Called, site: Site) -> str:
    """One that nobody has verified."""
    claim = list_atoms(called, site, kind="claim")[0]
    if claim["verified_by"]:
        decide(called, site, claim["atom_id"], "unverify")
    return str(claim["atom_id"])


def decide(called: Called, site: Site, atom: str, verb: str) -> None:
    with called.client() as owner:
        done = owner.post(f"/v1/projects/{site.project}/atoms/{atom}/{verb}?wait=true", json={})
    assert done.status_code == 200, done.text


VERIFIED = "document.querySelector('#atom').textContent.includes('verified by')"


def test_eight_windows_follow_the_project_and_so_does_a_hidden_tab_once_it_is_shown(
    tab: Tab, called: Called, home: str, site: Site, atom: str
):
    """A browser has six connections to a server, and a stream keeps one."""
    place = f"{home}/atoms/{atom}"
    tab.look()
    tab.open(place)
    with ExitStack() as windows:
        hidden = windows.enter_context(tab.open_beside(place, is_hidden=True))
        assert hidden.run("document.hidden")
        opened = [windows.enter_context(tab.open_beside(place)) for _ in range(7)]
        decide(called, site, atom, "verify")
        called.cairn.ingest(site.folder, "Depot", "again")  # a run: its frames are the news
        for each in (tab, *opened):
            each.wait_for(VERIFIED)
        assert not hidden.run(VERIFIED)
        hidden.tell("Page.bringToFront")  # in the place of the first, which had the stream of all
        hidden.wait_for(VERIFIED)
        assert tab.run("document.hidden")
        decide(called, site, atom, "unverify")
        tab.tell("Page.bringToFront")
        tab.wait_for(f"!{VERIFIED}")
        opened[0].open(f"{CONSOLE}/projects")  # it had waited longest for the stream
        for each in opened[1:]:
            each.wait_for(f"!{VERIFIED}")
        assert [each.reports for each in (tab, hidden, *opened)] == [[]] * 9


def test_an_open_page_says_that_the_server_is_gone_and_catches_up_by_itself(
    tab: Tab, called: Called, home: str, site: Site, atom: str
):
    tab.look()
    tab.open(f"{home}/atoms/{atom}")
    tab.run("document.body.dataset.opened = 'once'")
    # The page is young for ever, and asks again so late that the decision falls into the gap.
    tab.run("performance.now = () => 1, Math.random = () => 5")
    killed = called.cairn.kill("web")
    assert killed
    tab.wait_for("!document.querySelector('.lost').hidden")
    tab.keep("lost")
    assert wait_until(lambda: called.cairn.runs_again("web", killed), timeout_s=PATIENCE_S)
    decide(called, site, atom, "verify")
    tab.wait_for(f"document.querySelector('.lost').hidden && {VERIFIED}")
    assert tab.run("document.body.dataset.opened") == "once"
    tab.reports.clear()  # requests that failed meanwhile
    decide(called, site, atom, "unverify")


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
    check_accessible(tab, "chat-answered")
    tab.run("document.querySelector('.message.assistant [data-evidence]').click()")
    tab.wait_for("document.querySelector('#beside blockquote, #beside .marked')")
    assert tab.reports == []


def test_a_turn_that_waits_for_two_calls_shows_both_and_goes_on_after_an_answer(
    tab: Tab, called: Called
):
    with called.client() as owner:
        turn = ask_about_two(owner, called)
    tab.look()
    chat = f"{CONSOLE}/projects/{called.other}/chat/{turn['conversation_id']}"
    tab.open(f"{chat}?turn={turn['turn_id']}")
    tab.wait_for("document.querySelectorAll('article.card').length === 2")
    tab.keep("chat-two-calls")
    tab.run("document.querySelectorAll('article.card [value=reject]')[1].click()")
    tab.wait_for("!location.search && document.querySelector('.message.assistant .said')")
    assert tab.run("document.querySelectorAll('article.card').length") == 0
    assert tab.reports == []


def go_to(tab: Tab, selector: str) -> None:
    """Press Tab until such a control has the focus; each on the way shows that it has it."""
    for _ in range(STOPS_AT_MOST):
        tab.press("Tab")
        assert tab.run(UNSEEN_FOCUS) is None
        if tab.run(f"document.activeElement.matches({json.dumps(selector)})"):
            return
    raise AssertionError(f"{selector} is not reached")


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
    tab.write("Auth uses")
    tab.wait_for("document.querySelector('#palette [href*=\"/atoms/\"]')")
    named = "document.activeElement.getAttribute('aria-activedescendant')"
    assert tab.run(f"document.activeElement.role === 'combobox' && {named} === {chosen}.id")
    assert find_faults(tab, is_wide=True) == []
    tab.keep("palette")
    tab.run("document.activeElement.blur()")  # as by a click between what was found
    tab.press("?")
    assert not tab.run("document.getElementById('help').open")
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
    for query in ("", "?kind=claim", "?kind=decision"):
        tab.open(f"{home}/ledger{query}")
    tab.open(home)
    tab.press("k", control=True)
    tab.wait_for(f"{chosen}?.search === '?kind=decision'")
    tab.write("ledger")
    tab.wait_for("document.querySelectorAll('#palette [href*=\"/ledger\"]').length > 2")
    shown = "[...document.querySelectorAll('#palette [role=option]')].map((it) => it.href)"
    assert tab.run(f"new Set({shown}).size === {shown}.length")
    seen = "document.querySelectorAll('#palette [role=group]:first-child a[href*=\"/ledger\"]')"
    assert tab.run(f"{seen}.length") == 1
    tab.run("document.querySelector('#palette [role=group]:last-child a').click()")
    tab.wait_for("location.search === '?q=ledger' && location.pathname.endsWith('/ledger')")
    assert tab.reports == []


def test_single_keys_can_be_switched_off_or_changed_and_nothing_needs_them(tab: Tab, home: str):
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
    tab.open(home)
    go_to(tab, "[data-go=documents]")
    tab.press("Enter")
    tab.wait_for("location.pathname.endsWith('/documents')")
    go_to(tab, "main [data-open]")
    tab.press("Enter")
    tab.wait_for("document.querySelector('.statements [data-evidence]')")
    go_to(tab, ".statements [data-evidence]")
    tab.press("Enter")
    tab.wait_for("document.querySelector('#beside [data-evidence], #beside mark')")
    assert tab.run("document.getAnimations().length") == 0
    go_to(tab, "#beside [data-close]")
    tab.press("Enter")
    tab.wait_for("!document.querySelector('#beside').firstChild")
    save("""document.getElementById('single-keys').checked = true;
        document.getElementById('key-help').value = 'x';
        document.getElementById('key-next').value = 'x'""")
    tab.wait_for("document.querySelector('.problem')?.textContent.includes('is used twice')")
    assert tab.run("document.getElementById('key-next').value") == "x"
    assert tab.run("document.getElementById('single-keys').checked")
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


@pytest.mark.usefixtures("site")
def test_an_export_opens_from_a_folder(tab: Tab, called: Called, tmp_path: Path):
    called.cairn.run("export", "--project", "Depot", "--out", str(tmp_path / "site"))
    tab.open((tmp_path / "site" / "index.html").as_uri())
    tab.run("document.getElementById('search').focus()")
    tab.write("hostile label")
    tab.wait_for("document.querySelector('#found a')")
    check_accessible(tab, "export-found")
    tab.run("document.querySelector('#found a').click()")
    tab.wait_for("document.querySelector(':target mark')")
    assert "<script>alert(1)</script>" in tab.run("document.body.textContent")
    assert tab.run("document.querySelectorAll('script:not([src]), b[hx-get]').length") == 0
    check_accessible(tab, "export-statements")
    loaded = tab.run("performance.getEntriesByType('resource').map((it) => it.name)")
    assert [it for it in loaded if not it.startswith("file:")] == []
    assert tab.reports == []
