"""What people do in the console besides deciding: write, lead, plan, compare, look again."""

from __future__ import annotations

import asyncio
import html
import re
import secrets
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from infra.http.console.charts import HEIGHT, WIDTH, draw_bars, draw_lines
from infra.http.console.spans import visible
from infra.platform.clock import SystemClock
from infra.runtime.local.process import wait_until
from infra.service.foundation.publishing import publish
from infra.service.reading.comparing import compare_sections
from projections.read.artifacts import CitedAtom, CitingSection, CitingStatement
from schemas.codec import utc_millis
from schemas.envelope import SYSTEM, outside_fact
from schemas.events.model_calls import (
    CallCompleted,
    CallEvent,
    CallFailed,
    CallOverBudget,
    ModelCall,
)
from tests.http.conftest import PATIENCE_S, Called
from tests.http.console import CONSOLE, Browser, Page

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def browser(called: Called) -> Iterator[Browser]:
    with Browser(called) as browser:
        yield browser


@pytest.fixture(scope="module")
def home(shown: str) -> str:
    return f"{CONSOLE}/projects/{shown}"


@pytest.fixture(scope="module")
def prd(browser: Browser, home: str) -> str:
    """The address of the PRD, without its end."""
    documents = browser.open(f"{home}/documents?type=prd").all("a")
    return next(it["href"] for it in documents if "/documents/art_" in it["href"])


def change_section(browser: Browser, editor: str, action: str, text: str = "") -> int:
    """The version that it became; a run may publish another one, or a suggestion, meanwhile."""
    found: list[str] = []

    def is_done() -> bool:
        answer = browser.send(editor, editor, action=action, text=text)
        found[:] = re.findall(r": version (\d+)\.", answer.text)
        assert found or answer.status_code == 409, answer.text
        return bool(found)

    assert wait_until(is_done, timeout_s=PATIENCE_S)
    return int(found[0])


def test_two_who_edit_a_section_lose_nothing_and_what_was_kept_keeps_its_citations(
    browser: Browser, owner: httpx.Client, prd: str, shown: str
):
    editors = [it["href"] for it in browser.open(prd).all("a") if "/sections/" in it["href"]]
    editor = next(it for it in editors if it.endswith("functional_requirements"))
    form = browser.open(editor)
    shown_text = form.written.partition("required>")[2].partition("</textarea>")[0]
    kept = html.unescape(shown_text).split("\n")[0]
    stale = form.fields() | {"action": "write", "text": "Labels must be <i>blue</i>."}
    wide = change_section(browser, editor, "write", f"{kept}\n- Labels must be wide.")

    refused = browser.client.post(editor, data=stale)

    assert refused.status_code == 409
    assert "by now, not at" in refused.text
    assert "Labels must be wide." in refused.text  # what is new
    assert "Labels must be &lt;i&gt;blue&lt;/i&gt;.</textarea>" in refused.text  # what was sent
    unknown = browser.send(editor, editor, action="write", text="- Labels are red. [[atm_0]]")
    assert unknown.status_code == 404 and "There is no atom atm_0" in unknown.text
    assert "- Labels are red. [[atm_0]]</textarea>" in unknown.text
    blue = change_section(browser, editor, "write", "Labels must be blue.")
    assert "Labels must be blue." in browser.open(editor).text  # what was written stays
    assert wait_until(  # it was all taken out, also once the edits before it were read
        lambda: "Suggestion of the last run" not in browser.open(editor).text, timeout_s=PATIENCE_S
    )
    version = f"/v1/projects/{shown}/artifacts/{prd.rpartition('/')[2]}/versions/{wide}"
    sections = {it["section_id"]: it for it in owner.get(version).json()["sections"]}
    first, *_ = sections["functional_requirements"]["statements"]
    assert first["citations"] and f"- {visible(first['text'])}" == kept
    compared = browser.open(f"{prd}/compare?from={wide}&to={blue}")
    marked = [it["class"] for it in compared.all("li") if "class" in it]
    assert "added" in marked and "removed" in marked
    assert "Labels must be wide." in compared.text and "Labels must be blue." in compared.text
    same = browser.open(f"{prd}/compare?from={wide}&to={wide}")
    assert "No changes" in same.text
    assert browser.client.get(f"{prd}/compare?from=1&to=9999").status_code == 404


def test_a_section_is_written_by_leaders_alone(called: Called, shown: str, prd: str):
    with Browser(called, called.make_token("member", shown)) as member:
        page = member.open(prd)
        assert not [it for it in page.all("a") if "/sections/" in it["href"]]
        editor = f"{prd}/sections/goals"
        assert member.client.get(editor).status_code == 403
        sent = member.send(prd, editor, action="write", text="- It is mine.")
        assert sent.status_code == 403 and "This is for owners and product managers" in sent.text


def test_onboarding_waits_where_a_person_decides(
    browser: Browser, called: Called, owner: httpx.Client
):
    project = owner.post("/v1/projects", json={"name": "Led by hand"}).json()["project_id"]
    page = f"{CONSOLE}/projects/{project}/onboarding"
    assert "No pipeline yet" in browser.open(page).text
    pipeline = browser.send(page, page, sources="").url.path
    assert wait_until(
        lambda: "Sources waits for you" in browser.open(pipeline).text, timeout_s=PATIENCE_S
    ), browser.open(pipeline).text
    assert "The project has no source." in browser.open(pipeline).text
    with Browser(called, called.make_token("pm", project)) as lead:
        assert lead.send(pipeline, f"{pipeline}/accept").status_code == 403
        assert lead.send(pipeline, f"{pipeline}/skip", reason=" ").status_code == 422
        skipped = lead.send(pipeline, f"{pipeline}/skip", reason="There is none.")
        assert skipped.status_code == 409 and "cannot be skipped" in skipped.text
        stale = lead.send(pipeline, f"{pipeline}/resume", version="1")
        assert stale.status_code == 409
        accepted = browser.send(pipeline, f"{pipeline}/accept")
        assert accepted.status_code == 409 and "does not wait for a PRD" in accepted.text
        assert lead.send(pipeline, f"{pipeline}/cancel").status_code == 422  # without a reason
        ended = lead.send(pipeline, f"{pipeline}/cancel", reason="It was a try")
    assert (
        "The pipeline has ended; its results are kept." in ended.text
        and "Start another one" in ended.text
    )
    assert "waits for you" not in ended.text


def test_a_member_is_added_by_leaders_with_skills_that_can_be_read(
    browser: Browser, owner: httpx.Client
):
    """In a project without tasks, for which no sprint is planned meanwhile."""
    made = owner.post("/v1/projects", json={"name": f"Staffed {secrets.token_hex(4)}"}).json()
    team = f"{CONSOLE}/projects/{made['project_id']}/team"
    assert "Nobody is on the team" in browser.open(team).text
    unclear = browser.send(team, f"{team}/members", name="Ana", skills="backend", capacity="9")
    assert unclear.status_code == 422
    sent = {"name": "Ana <b>", "skills": "backend 4, sql 2", "capacity": "12"}
    added = Page(browser.send(team, f"{team}/members", **sent).text)
    assert "Ana <b> is on the team." in added.text and "backend 4" in added.text
    assert "No sprint is planned" in added.text and "0/12" in added.text


def test_what_is_new_since_one_looked_is_told_once_and_cited(
    browser: Browser, called: Called, owner: httpx.Client, home: str, shown: str
):
    page = f"{home}/changes"
    listed = owner.get(f"/v1/projects/{shown}/atoms", params={"limit": 200}).json()["items"]

    def atoms(shown_page: Page) -> set[str]:
        return {it["href"] for it in shown_page.all("a") if "/atoms/atm_" in it["href"]}

    with Browser(called, called.make_token("viewer", shown)) as viewer:
        first = viewer.open(page)
        assert "You have not looked here before" in first.text
        assert [it for it in first.all("a") if "data-evidence" in it]
        viewer.send(page, f"{page}/seen", seq=first.fields()["seq"])
        unverified = {f"{home}/atoms/{it['atom_id']}" for it in listed if not it["verified_by"]}
        atom = min(atoms(first) & unverified)
        done = browser.send(atom, f"{atom}/decide", decision="verify", rationale="<b>I know</b>")
        assert "Verified." in done.text
        again = viewer.open(page)
        assert "Since you last looked" in again.text and "<b>I know</b>" in again.text
        assert atom in atoms(again) and atoms(again) & atoms(first) < atoms(first)
    assert "You have not looked here before" in browser.open(page).text  # somebody else


def test_two_moments_are_told_apart(browser: Browser, home: str):
    page = f"{home}/compare"
    before = browser.open(f"{page}?from=2020-01-01T00:00").text
    assert "There was no PRD yet." in before and "0 open contradictions" in before
    links = [it["href"] for it in browser.open(page).all("a") if "/compare?from=" in it["href"]]
    then = browser.open(links[-1])
    assert "PRD, version " in then.text and "open contradiction" in then.text
    assert "Read only." not in then.text
    seq = int(parse_qs(urlsplit(links[-1]).query)["to"][0])
    snapped = browser.client.get(f"{page}?from_near=1&to_near={seq}").url.params
    ends = {it.get("value") for it in browser.open(page).all("option")}
    assert snapped["from"] in ends and snapped["to"] == str(seq)
    all_of_it = browser.open(f"{page}?from=0&to={seq}")
    assert "Added" in all_of_it.text and "There was no PRD yet." in all_of_it.text
    past = [it["href"] for it in all_of_it.all("a") if "as_of=" in it["href"]]
    for address in (f"{home}/ledger?as_of={seq}", next(it for it in past if "/atoms/" in it)):
        shown = browser.open(address)
        assert f"As of change set {seq}" in shown.text and "Go to the current state" in shown.text
        assert not [it for it in shown.all("button") if it.get("name") == "decision"]
    assert "No atoms at that time" in browser.open(f"{home}/ledger?as_of=2020-01-01T00:00").text
    assert browser.client.get(f"{home}/ledger?as_of={seq + 1}").status_code == 404
    refused = browser.client.get(f"{page}?from=monday")
    assert refused.status_code == 422 and "ISO 8601" in refused.text


def test_charts_stand_with_a_table_of_the_same_figures(
    browser: Browser, owner: httpx.Client, home: str, shown: str
):
    runs = browser.open(f"{home}/runs")
    assert "Change sets of the ledger. Most in one span" in runs.text
    drawn = [it for name, it in runs.tags if name == "svg" and it.get("role") == "img"]
    assert len(drawn) == 4 and all(it["aria-labelledby"] for it in drawn)
    position = owner.get(f"/v1/projects/{shown}/position").json()
    (column,) = re.findall(r'id="throughput-change_sets-title".*?</table>', runs.written, re.DOTALL)
    figures = [int(it) for it in re.findall(r'<td class="count">(\d+)</td>', column)]
    assert sum(figures) == position["ledger_seq"]


def a_call(name: str, agent: str, stage: str, model: str, **more: Any) -> ModelCall:
    fields = {
        "call_id": f"call_{name}",
        "requested_model": model,
        "provider": "openai",
        "tier": "standard",
        "prompt_version": "p1",
        "attempt": 1,
        "run_id": "run_1",
        "outcome": "answered",
        "price_known": True,
        "request_hash": name,
    }
    return ModelCall.model_validate(
        fields | {"agent": agent, "stage": stage, "model": model} | more
    )


def test_spend_is_shown_by_what_it_was_for_and_beside_its_budgets(
    browser: Browser, called: Called, owner: httpx.Client
):
    key = {"idempotency-key": secrets.token_hex(8)}
    made = owner.post(
        "/v1/projects", json={"name": f"Spend {secrets.token_hex(4)}"}, headers=key
    ).json()
    project, page = made["project_id"], f"{CONSOLE}/projects/{made['project_id']}/costs"
    assert "No model was called" in browser.open(page).text
    now = SystemClock().now()
    yesterday = now - timedelta(days=1)
    used = {"input_tokens": 900, "output_tokens": 100}
    calls: list[tuple[CallEvent, datetime]] = [
        (CallCompleted(call=a_call("1", "reader", "map", "small", cost_usd=0.75, **used)), now),
        (CallCompleted(call=a_call("2", "judge", "map", "small", cost_usd=0.25, **used)), now),
        (CallFailed(call=a_call("3", "judge", "ledger", "big", outcome="failed")), yesterday),
        (CallCompleted(call=a_call("4", "judge", "ledger", "big", cost_usd=0.00004)), yesterday),
    ]
    refused = a_call("5", "judge", "ledger", "big", outcome="budget_exceeded")
    told: dict[str, Any] = {"scope": "run", "unit": "usd", "limit": 1, "spent": 1, "estimate": 0.1}
    calls.append((CallOverBudget(call=refused, **told), now))
    facts = [
        outside_fact(event, project_id=project, occurred_at=utc_millis(at), actor=SYSTEM)
        for event, at in calls
    ]
    asyncio.run(publish(called.cairn.settings_now(), facts))
    costs = f"/v1/projects/{project}/costs"
    assert wait_until(
        lambda: owner.get(costs).json()["total"]["calls_refused"] == 1, timeout_s=PATIENCE_S
    )

    days = [f"{at:%Y-%m-%d}" for at in (yesterday, now)]
    expected = {
        "agent": ["reader", "judge"],
        "stage": ["map", "ledger"],
        "model": ["openai/small", "openai/big"],
        "run": ["run_1"],
        "day": days,
    }
    spent = {"reader": "$0.75", "judge": "$0.25", "map": "$1.00", "run_1": "$1.00"}
    spent |= {"ledger": "under $0.0001", "openai/big": "under $0.0001", days[0]: "under $0.0001"}
    spent |= {"openai/small": "$1.00", days[1]: "$1.00"}
    for group, keys in expected.items():
        shown = browser.open(f"{page}?by={group}")
        drawn = re.search(r'id="spend-title".*?</table>', shown.written, re.DOTALL)
        assert drawn and re.findall(r"<title>(.*?): (.*?)</title>", drawn[0]) == [
            (name, spent[name]) for name in keys
        ]
        assert re.findall(r'<td>(.*?)</td><td class="count">(.*?)</td>', drawn[0]) == [
            (name, spent[name]) for name in keys
        ]
    shown = browser.open(page)
    assert "4 calls" in shown.text and "2,000 tokens" in shown.text.replace("2000", "2,000")
    assert "1 call refused by a budget" in shown.text
    form = page.replace("/costs", "/budgets")
    budgets: list[tuple[dict[str, str], tuple[str, ...]]] = [
        ({"scope": "project_day", "limit": "1"}, ("$1.00", "used up")),
        ({"scope": "project_month", "tokens": "2300"}, ("2000 of 2300 tokens", "near")),
        ({"scope": "agent", "agent": "reader", "limit": "9"}, ("reader", "$0.75 of $9.00")),
        ({"scope": "agent", "limit": "9"}, ("each agent",)),
    ]
    for sent, words in budgets:
        answer = browser.send(page, form, beyond="stop", **sent)
        budget = " ".join(answer.text.partition("Budgets")[2].split())
        assert all(word in budget for word in words), budget


def test_bars_are_as_high_as_their_values():
    chart = draw_bars([("a", 1.0), ("b", 4.0), ("c", 0.0)])
    assert chart is not None and (chart.most, chart.labels) == (4.0, ["a", "b", "c"])
    assert [it.height / chart.bars[1].height for it in chart.bars] == [0.25, 1.0, 0.0]
    assert {it.y + it.height for it in chart.bars} == {HEIGHT}
    assert all(it.x >= 0 and it.x + it.width <= WIDTH for it in chart.bars)
    assert draw_bars([]) is None and draw_bars([("a", 0.0)]) is None


def test_lines_go_from_edge_to_edge_and_leave_out_what_is_not_known():
    lines: dict[str, list[float | None]] = {
        "ideal": [4, 2, 0],
        "left": [None, 4, 3.0],
        "none": [None, None, None],
    }
    chart = draw_lines(["a", "b"], lines)
    assert chart is not None and chart.most == 4
    assert chart.lines["ideal"] == f"M0.0 0.0L{WIDTH / 2} {HEIGHT / 2}L{WIDTH:.1f} {HEIGHT:.1f}"
    assert chart.lines["left"] == f"M{WIDTH / 2} 0.0L{WIDTH:.1f} {HEIGHT / 4}"
    assert chart.lines["none"] == ""
    assert draw_lines(["a"], {"left": [0, None]}) is None


def test_budgets_are_set_by_leaders_and_letters_retried_by_operators(
    browser: Browser, called: Called, home: str, shown: str
):
    page, form = f"{home}/costs", f"{home}/budgets"
    told = browser.send(page, form, scope="project_month", limit="12.50", beyond="warn")
    assert "The budget is set." in told.text and "$12.50" in told.text
    assert browser.send(page, form, scope="project_month", limit="much").status_code == 422
    assert "The budget is removed." in browser.send(page, form, scope="project_month").text
    assert "$12.50" not in browser.open(page).text
    with Browser(called, called.make_token("pm", shown)) as lead:
        refused = lead.send(page, f"{home}/dead-letters/dlq_1/retry")
        assert refused.status_code == 403 and "This is for owners and operators" in refused.text
    assert browser.send(page, f"{home}/dead-letters/dlq_1/retry").status_code == 404
    assert browser.client.get(f"{home}/rejections?code=R7&path=docs/*").status_code == 200


def test_a_statement_with_other_words_or_other_atoms_is_the_same_one_changed():
    """Words count before ids, and a section that is gone has lost its statements."""

    def section(section_id: str, *said: tuple[str, str, str]) -> CitingSection:
        statements = [
            CitingStatement(
                statement_id=statement_id,
                text=text,
                citations=[CitedAtom(atom_id=atom, atom_revision=1, places=[])],
                provisional=False,
                confidence=0.9,
                contradiction_ids=[],
            )
            for statement_id, text, atom in said
        ]
        return CitingSection(
            section_id=section_id,
            title=section_id,
            state="generated",
            statements=statements,
            gap="",
            content_hash="",
            input_hash="",
        )

    before = [
        section("goals", ("s1", "Kept.", "a"), ("s2", "Old words.", "b"), ("s3", "Moved.", "c")),
        section("risks", ("s4", "Gone.", "d")),
    ]
    after = [
        section("goals", ("s2", "New words.", "b"), ("s9", "Kept.", "a"), ("s3", "Moved.", "e")),
        section("scope", ("s5", "Come.", "f")),
    ]

    goals, scope, risks = compare_sections(before, after)

    assert goals.kept == 1 and not goals.added and not goals.removed
    changed = [(old.text, new.text, new.citations[0].atom_id) for old, new in goals.changed]
    assert changed == [("Moved.", "Moved.", "e"), ("Old words.", "New words.", "b")]
    assert [it.text for it in scope.added] == ["Come."]
    assert [it.text for it in risks.removed] == ["Gone."]
