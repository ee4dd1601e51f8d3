"""The assistant on the console: a conversation is its owner's, and shows what was done in it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from infra.runtime.local.process import wait_until
from infra.service.runs.frames import StopFinder
from tests.http.chromium import chromium
from tests.http.conftest import Called
from tests.http.console import CONSOLE, Browser, check_inert
from tests.http.test_chat_assistant import Yard
from tests.http.test_chat_assistant import yard as yard
from tests.http.test_console_browser import PICTURES, check_accessible

pytestmark = pytest.mark.broker
HOME = f"{CONSOLE}/assistant"
LOOKS = (("light", 1280), ("dark", 1280), ("light", 400), ("dark", 400))


@pytest.fixture
def browser(called: Called) -> Iterator[Browser]:
    """Of somebody new, who may see all projects."""
    name = f"person {secrets.token_hex(4)}"
    with Browser(called, called.make_token("owner", name=name)) as browser:
        yield browser


def say(browser: Browser, message: str, page: str = HOME, **fields: str) -> str:
    """The address of the conversation once the assistant has answered, or waits."""
    answer = browser.send(page, HOME, message=message, **fields)
    assert answer.status_code == 200, answer.text
    return wait_for_answer(browser, answer)


def wait_for_answer(browser: Browser, answer: httpx.Response) -> str:
    """Until the turn has ended, or waits for somebody after what was decided."""
    assert answer.status_code == 200, answer.text
    event, stop = "", StopFinder(answer.url.params.get("decided", ""))
    turn = f"{answer.url.path}/turns/{answer.url.params['turn']}"
    with browser.client.stream("GET", turn) as frames:
        for line in frames.iter_lines():
            name, _, data = line.partition(": ")
            if name == "event":
                event = data
            elif name == "data" and stop.stops_at(event, data):
                break
    return answer.url.path


def test_what_is_remembered_is_shown_where_it_was_told_until_it_is_forgotten(
    browser: Browser, called: Called
):
    assert "Nothing said yet" in browser.open(HOME).text
    place = say(browser, "Remember that I work on <b>Fridays</b>")
    page = browser.open(place)
    check_inert(page)
    assert "Remembered: I work on <b>Fridays</b> Memory" in page.text
    assert place in [it["href"] for it in browser.open(HOME).all("a")]
    kept = browser.open(f"{CONSOLE}/memories")
    assert place in [it["href"] for it in kept.all("a")]
    memory = next(it["value"] for it in kept.all("input") if it.get("name") == "memory")
    browser.send(f"{CONSOLE}/memories", f"{CONSOLE}/memories/forget", memory=memory)
    assert "Remembered: I work" not in browser.open(place).text

    with Browser(called, called.make_token("owner", name="somebody else")) as other:
        assert place not in [it.get("href") for it in other.open(HOME).all("a")]
        refused = other.client.get(place)
        unknown = other.client.get(f"{HOME}/cnv_0")
        assert refused.status_code == unknown.status_code == 404
        assert "There is no conversation" in refused.text
        under_way = other.client.get(place, params={"turn": "trn_0"})
        assert under_way.status_code == 404
        fields = other.open(HOME).fields(HOME)
        stop = other.client.post(f"{place}/stop", data=fields)
        assert stop.status_code == 404
    with Browser(called, called.make_token("operator", name="an operator")) as operator:
        assert operator.client.get(HOME).status_code == 403


def test_a_question_in_a_project_shows_who_handed_it_on_and_its_places(
    browser: Browser, called: Called
):
    chosen = f"{HOME}?project={called.project}"
    selected = [it["value"] for it in browser.open(chosen).all("option") if "selected" in it]
    assert selected == [called.project]
    place = say(browser, "How are parcels signed?", project=called.project, time_zone="Asia/Tokyo")
    page = browser.open(place)
    assert "in Parcel" in page.text
    assert "comms hands on to executor: How are parcels signed?" in page.text
    assert "executor hands on to project: How are parcels signed?" in page.text
    assert page.text.index("comms hands on") < page.text.index("executor hands on")
    cited = [it["href"] for it in page.all("a") if "data-evidence" in it]
    assert cited and all(it.startswith(f"{CONSOLE}/projects/{called.project}/") for it in cited)
    assert browser.client.get(cited[0]).status_code == 200
    selected = [it["value"] for it in page.all("option") if "selected" in it]
    assert selected == [called.project]  # the next message is about it, too

    refused = browser.send(HOME, HOME, message="Hi", time_zone="Atlantis", project=called.other)
    assert refused.status_code == 422 and "There is no time zone" in refused.text
    assert ">Hi</textarea>" in refused.text
    with Browser(called, called.make_token("member", called.other)) as member:
        assert member.send(HOME, HOME, message="Hi", project=called.project).status_code == 404


def test_a_call_in_a_project_is_approved_changed_or_rejected(browser: Browser, called: Called):
    for title in ("Grease the hinge", "Dust the <i>lamp</i>"):
        say(browser, f"create a task: {title}", project=called.project)
    place = say(browser, "delete «Grease the hinge»", project=called.project)
    page = browser.open(place)
    assert "Allow delete task?" in page.text
    refused = browser.send(place, f"{place}/edit", **{"arg.task": ""})
    assert refused.status_code == 422 and "The arguments of delete_task are wrong" in refused.text
    answer = browser.send(place, f"{place}/edit", **{"arg.task": "Dust the <i>lamp</i>"})
    wait_for_answer(browser, answer)
    page = browser.open(place)
    check_inert(page)
    assert "Delete task: changed and approved by" in page.text
    place = say(browser, "delete «Grease the hinge»", project=called.project)
    wait_for_answer(browser, browser.send(place, f"{place}/confirm", decision="reject"))
    assert "Delete task: rejected by" in browser.open(place).text
    place = say(browser, "delete «Grease the hinge»", project=called.project)
    assert browser.send(place, f"{place}/stop").status_code == 200
    assert wait_until(lambda: 'class="problem"' in browser.open(place).written, timeout_s=60)
    assert "Allow delete task?" not in browser.open(place).text


def test_several_calls_that_wait_each_have_their_form(browser: Browser, yard: Yard):
    yard.asked.clear()
    place = say(browser, "Clear the yard, please")
    page = browser.open(place)
    assert page.text.count("Allow yard remove crate?") == 2
    assert "executor hands on to yard: Clear it" in page.text
    answer = browser.send(place, f"{place}/confirm", decision="approve")
    wait_for_answer(browser, answer)
    assert browser.open(place).text.count("Allow yard remove crate?") == 1
    wait_for_answer(browser, browser.send(place, f"{place}/confirm", decision="reject"))
    page = browser.open(place)
    assert len(yard.changes) == 1
    (suggested,) = [it["value"] for it in page.all("button") if it.get("name") == "say"]
    assert suggested == "Show the yard"  # it is written into the field, and sent by who reads it


@pytest.mark.slow
def test_the_assistant_is_asked_in_a_browser(called: Called, tmp_path: Path):
    person = called.make_token("owner", name=f"person {secrets.token_hex(4)}")
    with chromium(called.url, tmp_path, PICTURES) as tab:
        tab.look()
        tab.open(f"{CONSOLE}/sign-in")
        tab.run("document.getElementById('token').focus()")
        tab.write(person)
        tab.press("Enter")
        tab.wait_for("location.pathname === '/console/projects'")
        tab.press("g", "i")
        tab.wait_for(f"location.pathname === '{HOME}' && document.readyState === 'complete'")
        assert tab.run("document.querySelector('[data-time-zone]').value") != ""
        check_accessible(tab, "assistant", LOOKS)

        def ask(message: str) -> None:
            tab.run("document.getElementById('message').focus()")
            tab.write(message)
            tab.press("Enter", control=True)
            shown = json.dumps(message)
            tab.wait_for(
                f"!location.search && [...document.querySelectorAll('.message.user .said')]"
                f".at(-1)?.textContent === {shown} && document.readyState === 'complete'"
            )

        ask("Remember that I work on <b>Fridays</b>")
        assert tab.run("document.querySelector('.message .hint a').pathname").endswith("/memories")
        tab.run(
            f"document.querySelector('select[name=project]').value = {json.dumps(called.project)}"
        )
        ask("How are parcels <img src=x onerror=alert(1)> signed?")
        assert tab.run("document.querySelectorAll('main img, .message b b').length") == 0
        assert tab.run("document.querySelectorAll('.trace[open] .in-1').length") >= 1
        check_accessible(tab, "assistant-answered", LOOKS)
        tab.run("document.querySelector('.message.assistant [data-evidence]').click()")
        tab.wait_for("document.querySelector('#beside blockquote, #beside .marked')")
        check_accessible(tab, "assistant-evidence", LOOKS)
        assert tab.reports == []
