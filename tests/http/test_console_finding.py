"""What the console finds by words, and views that somebody has saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.http.console.page_context import NAMED
from infra.platform.settings import Settings
from infra.service.access.tokens import read_owner_token
from tests.http.apart import apart
from tests.http.conftest import Called
from tests.http.console import CONSOLE, Browser, Page, check_inert

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def browser(called: Called) -> Iterator[Browser]:
    with Browser(called) as browser:
        yield browser


@pytest.fixture(scope="module")
def home(shown: str) -> str:
    return f"{CONSOLE}/projects/{shown}"


def test_words_find_documents_statements_and_projects(
    browser: Browser, called: Called, home: str, shown: str
):
    """The statements are those that the ledger finds; an operator finds projects alone."""
    with called.client() as owner:
        asked = {"q": "Auth uses JWT tokens", "limit": "8"}
        answer = owner.get(f"/v1/projects/{shown}/ledger/search", params=asked).json()
    hits, (first, *_) = answer["hits"], answer["sentences"]
    page = browser.open(f"{home}/search?q=Auth+uses+JWT+tokens")
    found = [it["href"] for it in page.all("a") if "data-kind" in it]
    assert first["snippet"] in page.written, "the sentence that answers"
    atoms = [f"{home}/atoms/{it['atom_id']}" for it in hits if it["atom_id"]]
    assert atoms and [it for it in found if "/atoms/" in it] == atoms
    cards = [it["class"] for it in page.all("span") if it.get("role") == "tooltip"]
    assert cards, "a statement shows on what it rests"
    part = {"hx-request": "true", "hx-target": "dialog#palette"}
    documents = browser.open(f"{home}/search?q=require", **part)
    assert not documents.all("html")
    assert [it for it in documents.all("a") if "/documents/" in it["href"]]
    assert called.project in browser.open(f"{CONSOLE}/search?q=parc", **part).written
    check_inert(browser.open(f"{home}/search?q=%3Cscript%3E"))
    with Browser(called, called.make_token("operator", shown)) as operator:
        seen = operator.open(f"{home}/search?q=shown", **part).all("a")
        assert [it["href"] for it in seen] == [home]


def test_a_project_is_found_that_the_menu_has_no_room_for(database_server: str, tmp_path: Path):
    with apart(Settings(database_url=database_server, reader=False), tmp_path) as one:
        one.rows(
            "INSERT INTO projects (project_id, name, description, vision, timezone, created_at)"
            " SELECT 'prj_' || n, 'Shop ' || n, '', '', 'UTC', now() FROM generate_series(1, %s) n",
            NAMED + 1,
        )
        form = Page(one.client.get(f"{CONSOLE}/sign-in").text).fields()
        token = read_owner_token(one.settings)
        listed = one.client.post(f"{CONSOLE}/sign-in", data=form | {"token": token})
        assert listed.url.path == f"{CONSOLE}/projects"
        last = Page(one.client.get(f"{CONSOLE}/search?q=sHOP+99").text)
        assert f"{CONSOLE}/projects/prj_99" in {it["href"] for it in last.all("a")}
        for as_written in ("sh*99", "sh?p 99", "sh_p 99"):
            none = Page(one.client.get(f"{CONSOLE}/search", params={"q": as_written}).text)
            assert f"{CONSOLE}/projects/prj_99" not in {it["href"] for it in none.all("a")}


def test_a_saved_view_follows_its_person_to_another_browser(
    browser: Browser, called: Called, home: str, shown: str
):
    view = f"{home}/ledger?kind=claim&order=age"
    saved = browser.send(f"{view}&cursor=", f"{home}/views/save", name=" Old <b>claims</b> ")
    assert str(saved.url).endswith(view) and "Saved." in saved.text
    with Browser(called) as other, Browser(called, called.make_token("pm", shown)) as stranger:
        assert view in {it["href"] for it in other.open(home).all("a") if "data-view" in it}
        assert not [it for it in stranger.open(home).all("a") if "data-view" in it]
        renamed = other.send(f"{home}/views", f"{home}/views/change", new="Claims")
        assert "Renamed." in renamed.text and "Old" not in renamed.text
    assert browser.send(view, f"{home}/views/save", name=" ").status_code == 422
    for place in (home, "https://evil.example/", f"{CONSOLE}/projects/{called.project}/ledger"):
        away = browser.send(view, f"{home}/views/save", name="Away", place=place)
        assert away.status_code == 422
    browser.send(f"{home}/merges?state=done", f"{home}/views/save", name="Merged")
    taken = browser.send(f"{home}/views", f"{home}/views/change", name="Claims", new="Merged")
    assert taken.status_code == 409 and "already" in taken.text
    for name in ("Claims", "Merged"):
        browser.send(f"{home}/views", f"{home}/views/change", name=name, act="remove")
    assert "No view is saved" in browser.open(f"{home}/views").text
