"""The console over HTTP: who sees which page, where links lead, and what a write needs."""

from __future__ import annotations

import asyncio
import hashlib
import socket
import tomllib
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

import httpx
import pytest

from connectors.intake.runner import STAGE as INTAKE
from infra.platform import postgres
from infra.platform.background import in_background
from infra.platform.settings import Settings
from infra.runtime.local.process import wait_until
from infra.service.asking.turn_payload import TurnPayload, turn_job
from infra.service.jobs.scheduler import BY
from infra.service.upkeep.lag import Lag
from infra.service.upkeep.pipeline import STAGES, build_pipeline
from infra.store.jobs import queue
from projections.fold.dead_letters import STAGE as PROJECTOR
from projections.read.pipeline import PipelineCounts
from streams.pipeline import pipeline
from tests.http.conftest import PATIENCE_S, Called
from tests.http.console import CONSOLE, Browser, Page, check_inert

pytestmark = pytest.mark.broker
STATIC = files("infra.http.console") / "static"


@pytest.fixture(scope="module")
def browser(called: Called) -> Iterator[Browser]:
    with Browser(called) as browser:
        assert browser.signed_in.url.path == f"{CONSOLE}/projects"
        yield browser


@pytest.fixture(scope="module")
def home(shown: str) -> str:
    return f"{CONSOLE}/projects/{shown}"


def test_every_link_leads_to_a_page_that_loads_only_from_here(browser: Browser, home: str):
    seen: dict[str, str] = {}
    ahead, found = deque([f"{CONSOLE}/projects"]), 0
    while ahead:
        path = ahead.popleft()
        kind = path.partition("?")[0].removeprefix(home)
        # One page of each kind in each way it is asked for; ids differ, and so do cursors.
        shape = "/".join("*" if "_" in part else part for part in kind.split("/"))
        shape += "?" + "&".join(it.partition("=")[0] for it in path.partition("?")[2].split("&"))
        if shape in seen or not (path.startswith((home, f"{CONSOLE}/static")) or kind == path):
            continue
        seen[shape] = path
        answer = browser.client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        found += 1
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        page = Page(answer.text)
        check_inert(page)
        for tag, attributes in page.tags:
            for name in ("href", "action", "hx-get"):
                target = attributes.get(name, "").partition("#")[0]
                assert not target or target.startswith("/console/"), (path, tag, target)
                if target and tag != "form":
                    ahead.append(target.replace("&amp;", "&"))
    wanted = ["", "/ledger", "/documents", "/contradictions", "/merges", "/chat", "/sources"]
    wanted += ["/proposals", "/build"]
    wanted += ["/changes", "/team", "/onboarding", "/compare", "/rejections"]
    for page_of_menu in (*wanted, "/runs", "/costs", "/decisions", "/audit", "/webhooks"):
        assert f"{page_of_menu}?" in seen
    assert found > 25


def test_a_quote_is_marked_in_its_source_to_the_code_point(
    browser: Browser, called: Called, home: str, shown: str
):
    with called.client() as owner:
        atoms = owner.get(f"/v1/projects/{shown}/atoms", params={"limit": 200}).json()["items"]
    looked_at = 0
    for atom in atoms:
        for quote in atom["evidence"]:
            place = f"{home}/sources/{quote['source_id']}"
            asked = f"?atom={atom['atom_id']}&evidence={quote['evidence_id']}"
            if quote["path"] == "hostile.md" or looked_at < 5:
                looked_at += 1
                page = browser.open(place + asked)
                assert page.marked() == quote["snippet"].replace("\u202e", "[U+202E]").replace(
                    "\u202c", "[U+202C]"
                )
    assert looked_at > 5


def test_hostile_text_is_text(browser: Browser, home: str):
    """In lists, on the atom's page and in the source: tags of it are none of the page's."""
    found = browser.open(f"{home}/ledger?path=hostile.md")
    assert "<script>alert(1)</script>" in found.text
    assert '<b hx-get="/v1/tokens" hx-trigger="load">' in found.text
    source = next(
        it["href"]
        for it in browser.open(f"{home}/sources").all("a")
        if "/sources/src_" in it["href"]
    )
    for path in (f"{home}/ledger?path=hostile.md", f"{home}/ledger?q=hostile+label", source):
        page = browser.open(path)
        check_inert(page)
        assert not [it for it in page.all("b") if "hx-get" in it]
        assert "\u202e" not in page.written
    echoed = browser.open(f"{home}/ledger?q=%22%3E%3Cscript%3Ealert(2)%3C/script%3E")
    check_inert(echoed)
    assert browser.client.get(f"{home}/ledger?q=a%00b").status_code == 400


def test_the_pipeline_is_a_picture_and_a_table_of_what_there_is(
    browser: Browser, called: Called, home: str, shown: str
):
    """Each stage that runs is in it, and what it counts is what the API counts."""
    page = eventually_known(browser, home)
    with called.client() as owner:
        coverage = owner.get(f"/v1/projects/{shown}/coverage").json()
        position = owner.get(f"/v1/projects/{shown}/position").json()
    read = sum(tier["extracted"] for tier in coverage["tiers"])
    assert f"{read} chunks read" in page.text
    assert f"{position['ledger_seq']} change sets shown" in page.text
    assert "nothing waits" in page.text
    assert f"{home}/ledger" in {it["href"] for it in page.all("a") if it.get("href")}
    drawn = {stage for stages in STAGES.values() for stage in stages}
    assert drawn == {*pipeline(read_nothing).names, INTAKE, PROJECTOR}


def eventually_known(browser: Browser, home: str) -> Page:
    """The page once the broker has told the lag."""
    pages: list[Page] = []

    def is_known() -> bool:
        pages.append(browser.open(home))
        return "not known" not in pages[-1].text

    assert wait_until(is_known, timeout_s=PATIENCE_S), "the lag is never known"
    return pages[-1]


def read_nothing(*_: Any) -> Any:
    raise AssertionError


def test_a_page_does_not_wait_for_a_broker_that_is_away():
    async def read_lag() -> object:
        lag = Lag(Settings(kafka_bootstrap="127.0.0.1:1"))
        async with in_background(lag.keep_asking()):
            return await lag.read()

    assert asyncio.run(read_lag()) is None
    counted = PipelineCounts(
        steps=dict.fromkeys(STAGES, []), dead_letters={"hygiene": 2, "gone": 1}
    )
    steps = build_pipeline(Settings(), counted, None)
    assert [it.name for it in steps] == [*STAGES, "other"]
    assert {it.waiting for it in steps} == {None}
    assert {it.name: it.dead_letters for it in steps if it.dead_letters} == {
        "chunks": 2,
        "other": 1,
    }


def test_a_broker_that_says_nothing_is_waited_for_once():
    async def read_twice(address: str) -> bool:
        lag = Lag(Settings(kafka_bootstrap=address))
        async with in_background(lag.keep_asking()):
            assert await lag.read() is None
            again = asyncio.create_task(lag.read())
            await asyncio.sleep(0)
            return again.done()

    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        # Where the machine stood still between the two, the second one asks anew.
        assert any(asyncio.run(read_twice(address)) for _ in range(3))


def test_the_panel_beside_holds_the_same_place_without_the_frame(browser: Browser, home: str):
    document = next(
        it["hx-get"] for it in browser.open(home).all("a") if "/why/" in it.get("hx-get", "")
    )
    beside = browser.open(document, **{"hx-request": "true", "hx-target": "aside#beside"})
    assert not beside.all("html")
    quoted = next(it["hx-get"] for it in beside.all("a") if "/sources/" in it.get("hx-get", ""))
    source = browser.open(quoted, **{"hx-request": "true", "hx-target": "aside#beside"})
    assert source.marked()
    assert not source.all("html")


def test_an_atom_is_verified_dismissed_and_included_again(
    browser: Browser, called: Called, home: str, shown: str
):
    with called.client() as owner:
        found = owner.get(f"/v1/projects/{shown}/atoms", params={"kind": "requirement"}).json()
        alone = next(it for it in found["items"] if "Upload rules" in it["title"])  # in no pair
        atom = f"{home}/atoms/{alone['atom_id']}"
    with browser.client.stream("GET", f"{home}/live") as live:  # what is open follows at once
        verified = browser.send(atom, f"{atom}/decide", decision="verify")
        assert "Verified." in verified.text
        assert "event: decision" in live.iter_lines()
    for decision, told in (
        ("unverify", "No longer verified."),
        ("dismiss", "Dismissed."),
        ("reinclude", "Included again."),
    ):
        answer = browser.send(atom, f"{atom}/decide", decision=decision, rationale="read it again")
        assert answer.status_code == 200 and told in answer.text, answer.text
        assert told not in browser.open(atom).text  # it is said once
    late = {"decision": "verify", "revision": "1", "rationale": "read <i>once</i>"}
    stale = browser.send(atom, f"{atom}/decide", **late)
    assert stale.status_code == 409 and "it has changed since it was looked at" in stale.text
    by_now = Page(stale.text)
    said = by_now.text.partition("It is now active. ")[2]
    assert "included “Upload rules" in said and "again because “read it again”." in said
    assert "Your text is kept." in said and "read <i>once</i>" in by_now.text
    fresh = browser.open(atom).fields(f"{atom}/decide")
    assert by_now.fields(f"{atom}/decide")["revision"] == fresh["revision"]
    log = browser.open(f"{home}/audit").text
    assert "console decide atom" in log and "stale revision" in log


def test_a_contradiction_that_somebody_has_decided_meanwhile_is_shown_with_what_was_written(
    browser: Browser, home: str
):
    place = f"{home}/contradictions?status=open"
    form = next(
        it["action"]
        for it in browser.open(place).all("form")
        if "/contradictions/" in it.get("action", "")
    )
    late = browser.open(place).fields(form) | {"key": "late", "decision": "a_wins"}
    short = browser.send(place, form, decision="a_wins", rationale="No.")
    assert short.status_code == 422 and ">No.</textarea>" in short.text, short.text
    done = browser.send(place, form, decision="dismiss", rationale="Both hold in turn.")
    assert done.status_code == 200, done.text
    refused = browser.client.post(form, data=late | {"rationale": "The first <i>holds</i>."})
    assert refused.status_code == 409, refused.text
    page = Page(refused.text)
    assert "It is now dismissed." in page.text and "“Both hold in turn.”" in page.text
    assert "The first <i>holds</i>." in page.text and form not in refused.text
    undo = next(it["action"] for it in Page(done.text).all("form") if "/undo" in it["action"])
    taken = browser.client.post(undo, data=Page(done.text).fields(undo))
    assert "Decision undone." in taken.text


def test_a_review_goes_through_the_list_that_it_began_in(browser: Browser, home: str):
    """By links, both ways; a decision opens the next one, and the last one leads to the list."""
    place = f"{home}/ledger?min_confidence=0.5&order=age"
    listed = [it["href"] for it in browser.open(place).all("a") if "data-open" in it]
    assert len(listed) > 2

    def turn(page: str, way: str) -> str | None:
        links = browser.open(page).all("a")
        return next((it["href"] for it in links if it.get("rel") == way), None)

    def decide(page: str, decision: str) -> tuple[str, str]:
        answer = browser.send(page, f"{page.partition('?')[0]}/decide", decision=decision)
        assert answer.status_code == 200, answer.text
        return answer.url.raw_path.decode(), Page(answer.text).text

    assert [turn(each, "prev") for each in listed] == [None, *listed[:-1]]
    assert [turn(each, "next") for each in listed] == [*listed[1:], None]
    (opened, told) = decide(listed[0], "verify")
    assert opened == listed[1] and "Verified." in told
    (opened, told) = decide(listed[-1], "verify")
    assert opened == place and "It was the last one of this list." in told
    for each in (listed[0], listed[-1]):
        decide(each.partition("?")[0], "unverify")
    found = f"{home}/ledger?q=order+store+acknowledged+by+two+followers"
    first, second = [it["href"] for it in browser.open(found).all("a") if "data-open" in it][:2]
    assert (turn(first, "next"), turn(second, "prev")) == (second, first)


@pytest.mark.parametrize(
    "place", ["ledger", "contradictions", "merges", "merges?state=done", "runs"]
)
def test_a_list_that_follows_the_project_can_be_paused_and_knows_its_rows(
    browser: Browser, home: str, place: str
):
    """By its rows' ids the script tells what is new, which waits behind a button."""
    page = browser.open(f"{home}/{place}")
    everything = [attributes for _, attributes in page.tags]
    for control in ("data-live", "data-pause", "data-fresh"):
        assert len([it for it in everything if control in it]) == 1
    assert [it["hx-get"] for it in everything if "news" in it.get("hx-trigger", "")] == [
        f"{home}/{place}"
    ]
    lists = [it for it in everything if "data-list" in it]
    ids = [it["id"] for it in [*lists, *(it for it in everything if "data-item" in it)]]
    assert lists and len(ids) == len(set(ids))


def test_a_pair_is_merged_and_taken_apart_again_and_another_one_is_kept_apart(
    browser: Browser, home: str
):
    def decide(page: str, decision: str) -> httpx.Response:
        form = next(
            it["action"]
            for it in browser.open(page).all("form")
            if "/merges/" in it.get("action", "")
        )
        answer = browser.send(page, form, decision=decision, rationale="read both")
        assert answer.status_code == 200, answer.text
        return answer

    def pairs() -> int:
        return browser.open(f"{home}/merges").text.count("Do both statements say the same?")

    def undo_of(answer: httpx.Response) -> str:
        """Where the button leads that takes back what was just decided."""
        forms = (it.get("action", "") for it in Page(answer.text).all("form"))
        return next(it for it in forms if it.endswith("/undo"))

    def undo(answer: httpx.Response) -> httpx.Response:
        return browser.client.post(undo_of(answer), data=Page(answer.text).fields(undo_of(answer)))

    before = pairs()
    assert before >= 2
    review = browser.open(f"{home}/merges")
    check_inert(review)
    assert "is noticed by nobody at all" in review.marked()
    assert not {"Every write to the order", "Each parcel"} & set(review.marked().split("\n"))
    first = decide(f"{home}/merges", "approve")
    assert "Decision undone." in undo(first).text and pairs() == before
    assert "Merged." in decide(f"{home}/merges", "approve").text
    assert pairs() == before - 1
    rejected = decide(f"{home}/merges", "reject")
    assert "Kept separate." in rejected.text
    assert pairs() == before - 2
    assert "Decision undone." in undo(rejected).text and pairs() == before - 1
    again = {"key": "again"}
    late = browser.client.post(
        undo_of(rejected), data=Page(rejected.text).fields(undo_of(rejected)) | again
    )
    assert late.status_code == 409 and "something was decided about it since" in late.text
    decide(f"{home}/merges", "reject")
    undone = decide(f"{home}/merges?state=done", "undo")
    assert "Merge undone." in undone.text and undone.url.query == b"state=done"
    assert decide_without_a_choice(browser, home).status_code == 422


def decide_without_a_choice(browser: Browser, home: str) -> httpx.Response:
    merge = next(
        it["action"]
        for it in browser.open(f"{home}/merges?state=done").all("form")
        if "/merges/" in it.get("action", "")
    )
    return browser.send(f"{home}/merges", merge, decision="maybe")


def test_a_job_is_cancelled_and_tried_again_by_who_leads(
    browser: Browser, called: Called, home: str, shown: str
):
    asked = TurnPayload(
        conversation_id="cnv_later", turn_id="trn_later", text="Who are you?", role="owner"
    )
    job = replace(
        turn_job(shown, asked, "later", "human:ana"),
        run_after=datetime.now(UTC) + timedelta(days=1),
    )
    with postgres.connect(called.cairn.settings_now().conninfo, autocommit=True) as tables:
        job_id, _ = queue.enqueue(tables, job, BY)
    act = f"{home}/jobs/{job_id}/decide"
    with Browser(called, called.make_token("member", shown)) as member:
        assert member.send(f"{home}/runs", act, decision="cancel").status_code == 403
    elsewhere = act.replace(shown, called.project)
    assert browser.send(f"{home}/runs", elsewhere, decision="cancel").status_code == 404
    told = browser.send(f"{home}/runs", act, decision="cancel").text
    assert "The job is cancelled." in told
    assert browser.send(f"{home}/runs", act, decision="maybe").status_code == 422
    assert "The job is queued again." in browser.send(f"{home}/runs", act, decision="retry").text
    log = browser.open(f"{home}/audit")
    assert "role not allowed" in log.text
    times = [it["datetime"] for it in log.all("time")]
    assert len(times) > 3 and times == sorted(times, reverse=True)


def test_a_call_of_the_agents_waits_for_a_yes(browser: Browser, called: Called, home: str):
    def say(message: str) -> str:
        """The address of the conversation once the agents have answered, or wait."""
        answer = browser.send(f"{home}/chat", f"{home}/chat", message=message)
        assert answer.status_code == 200, answer.text
        wait_for_answer(answer, "confirmation_requested")
        return answer.url.path

    def wait_for_answer(answer: httpx.Response, *pauses: str) -> None:
        """Until the turn has ended, or pauses: then its stream stays open."""
        turn = f"{answer.url.path}/turns/{answer.url.params['turn']}"
        last = {f"event: {it}" for it in ("done", "error", *pauses)}
        with browser.client.stream("GET", turn) as frames:
            assert any(line in last for line in frames.iter_lines())

    def decide(conversation: str, decision: str) -> str:
        fields = browser.open(conversation).fields()
        assert fields["confirmation"].startswith("cnf_")
        answer = browser.send(conversation, f"{conversation}/confirm", decision=decision)
        assert answer.status_code == 200, answer.text
        wait_for_answer(answer)
        again = browser.client.post(f"{conversation}/confirm", data=fields | {"decision": decision})
        assert again.status_code == 409 and 'id="message"' in again.text
        return browser.open(conversation).text

    def last_answer(conversation: str) -> str:
        return browser.open(conversation).written.rpartition('class="said">')[2].partition("<")[0]

    for title in ("Wash the van", "Mend the fence"):
        say(f"create a task: {title}")
    assert "Not done" in decide(say("delete «Wash the van»"), "reject")
    assert "Wash the van" in last_answer(say("Show all tasks"))
    assert "Allow delete task?" not in decide(say("delete «Mend the fence»"), "approve")
    assert "Mend the fence" not in last_answer(say("Show all tasks"))
    member = called.make_token("viewer", home.rpartition("/")[2])
    waits = say("delete «Wash the van»")
    with Browser(called, member) as viewer:
        shown = viewer.open(waits).text
        assert "Approve" not in shown
        assert "It can be approved by: member, product manager, owner." in shown
        assert viewer.send(waits, f"{waits}/confirm", decision="approve").status_code == 403

    say("create a task: Fill the <b>tank</b>")
    refused = browser.send(waits, f"{waits}/edit", **{"arg.task": "", "reason": "the other one"})
    assert refused.status_code == 422
    assert "The arguments of delete_task are wrong: task: String should have" in refused.text
    assert 'value="the other one"' in refused.text
    edited = browser.send(waits, f"{waits}/edit", **{"arg.task": "Fill the <b>tank</b>"})
    wait_for_answer(edited)
    told = browser.open(waits)
    check_inert(told)
    assert "Delete task: changed and approved by" in told.text
    assert '"task": "Fill the <b>tank</b>"' in told.text
    left = last_answer(say("Show all tasks"))
    assert "Wash the van" in left and "tank" not in left
    first = browser.open(f"{home}/audit").text.partition("console edit call")
    assert first[1], first[0]

    handed = {"message": "", "document": "The gate must be red.", "document_name": "gate.md"}
    answer = browser.send(f"{home}/chat", f"{home}/chat", **handed)
    assert answer.status_code == 200, answer.text
    wait_for_answer(answer)
    assert "gate.md. It is being read" in browser.open(answer.url.path).text


def test_who_may_not_have_a_tool_called_sees_who_can(
    browser: Browser, called: Called, owner: httpx.Client, home: str, shown: str
):
    asked = {"message": "delete feature «Weigh the crates»"}
    turn = owner.post(f"/v1/projects/{shown}/chat", json=asked).json()
    assert turn["status"] == "waiting", turn
    page = f"{home}/chat/{turn['conversation_id']}"
    assert "Approve with changes" in browser.open(page).text

    with Browser(called, called.make_token("member", shown)) as member:
        seen = member.open(page)
        assert "It can be approved by: product manager, owner." in seen.text
        assert [it["value"] for it in seen.all("button") if "value" in it][-1:] == ["reject"]
        assert "Approve" not in seen.text
        refused = member.send(page, f"{page}/edit", **{"arg.feature": "feat-002"})
        assert refused.status_code == 403
        done = member.send(page, f"{page}/confirm", decision="reject")
        assert done.status_code == 200, done.text


def test_what_is_refused_is_a_page_that_leads_on(browser: Browser, called: Called, home: str):
    """It leads back to the form; beside a page it is a part, and in a page it changes nothing."""
    atom = next(
        it["href"] for it in browser.open(f"{home}/ledger").all("a") if "atm_" in it["href"]
    ).partition("?")[0]
    answer = browser.send(atom, f"{atom}/decide", decision="dismiss", rationale="")
    assert answer.status_code == 422 and "it needs a rationale" in answer.text
    assert f"{atom}/decide" in [it.get("action") for it in Page(answer.text).all("form")]
    lost = browser.client.post(f"{home}/atoms/atm_none/decide", data=Page(answer.text).fields())
    assert lost.status_code == 404
    assert [it for it in Page(lost.text).all("a") if it["href"] == f"{CONSOLE}/projects"]
    stray = browser.client.get(f"{CONSOLE}/nothing/there")
    assert stray.status_code == 404 and "All projects" in stray.text
    assert browser.client.get(f"{atom}/decide").status_code == 405
    other = browser.client.post(f"{CONSOLE}/sign-out", headers={"origin": "https://evil.example"})
    assert other.status_code == 403 and "A page of another origin" in Page(other.text).text
    part = {"hx-request": "true"}
    lost = browser.client.get(f"{home}/atoms/atm_none", headers=part)
    assert (lost.status_code, lost.headers["hx-reswap"]) == (404, "none")
    beside = browser.client.get(
        f"{home}/atoms/atm_none", headers=part | {"hx-target": "aside#beside"}
    )
    assert beside.status_code == 404 and "hx-reswap" not in beside.headers
    assert not Page(beside.text).all("html")
    for page in (f"{home}/live", f"{CONSOLE}/session"):
        for headers in (part, {}):
            stranger = httpx.get(called.url + page, headers=headers, timeout=PATIENCE_S)
            assert stranger.status_code == 401
    assert browser.client.get(f"{CONSOLE}/session").status_code == 204


def test_an_operator_sees_what_runs_and_not_what_is_said(called: Called, home: str, shown: str):
    with Browser(called, called.make_token("operator", shown)) as operator:
        page = operator.open(home)
        places = {it["href"] for it in page.all("a") if it.get("data-go")}
        assert f"{home}/runs" in places
        for place in places:
            operator.open(place)
        for hidden in ("ledger", "documents", "contradictions", "proposals", "chat", "decisions"):
            assert f"{home}/{hidden}" not in places
            assert operator.client.get(f"{home}/{hidden}").status_code == 403
        assert "Auth uses" not in page.text


def test_the_live_stream_of_a_project_is_open_to_its_session(browser: Browser, home: str):
    with browser.client.stream("GET", f"{home}/live") as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")


def test_a_file_is_served_under_its_hash_alone(browser: Browser, home: str):
    style = next(it["href"] for it in browser.open(home).all("link") if "css" in it["href"])
    answer = browser.client.get(style)
    assert "immutable" in answer.headers["cache-control"]
    assert browser.client.get(f"{CONSOLE}/static/000000000000/console.css").status_code == 404


def test_the_first_load_of_a_page_is_small(browser: Browser, home: str):
    """Under 150 kB with all that it names, as it comes over the line."""
    for path in (home, f"{home}/ledger"):
        page = browser.open(path)
        named = {it["src"] for it in page.all("script")} | {it["href"] for it in page.all("link")}
        named |= {it["href"].partition("#")[0] for it in page.all("use")}
        loaded = [browser.client.get(each) for each in (path, *named)]
        assert sum(it.num_bytes_downloaded for it in loaded) < 150_000
        assert {it.headers["content-encoding"] for it in loaded[1:]} == {"gzip"}
        assert "content-encoding" not in loaded[0].headers


def test_what_is_of_others_is_what_they_have_published():
    vendored = tomllib.loads((STATIC / "vendored.toml").read_text())
    assert set(vendored) == {"htmx.js", "hx-sse.js"}
    for name, said in vendored.items():
        assert hashlib.sha256((STATIC / name).read_bytes()).hexdigest() == said["sha256"]
