"""Who leads and who works on a project says so in the console: members, sprints, items, runs."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.http.console.rendering import build_environment
from infra.http.console.team import draw_burndown
from infra.platform.clock import SystemClock
from infra.platform.settings import Settings
from infra.runtime.local.process import wait_until
from infra.service.access.tokens import read_owner_token
from infra.service.foundation.publishing import make_request, publish
from projections.read.burndown import Burndown, BurndownDay
from schemas.events.agent import RequestReceived
from tests.http.apart import apart
from tests.http.conftest import PATIENCE_S, Called
from tests.http.console import CONSOLE, Browser, Page
from tests.http.test_writes import gate

__all__ = ["gate"]
pytestmark = pytest.mark.broker
WHY = {"reason": "Nobody needs it"}
LEADERS_ONLY = "This is for owners and product managers"


@pytest.fixture(scope="module")
def browser(called: Called) -> Iterator[Browser]:
    with Browser(called) as browser:
        yield browser


@pytest.fixture(scope="module")
def member(called: Called, gate: str) -> Iterator[Browser]:
    with Browser(called, called.make_token("member", gate)) as browser:
        yield browser


@pytest.fixture(scope="module")
def viewer(called: Called, gate: str) -> Iterator[Browser]:
    with Browser(called, called.make_token("viewer", gate)) as browser:
        yield browser


@pytest.fixture(scope="module")
def home(gate: str) -> str:
    return f"{CONSOLE}/projects/{gate}"


def test_a_project_is_renamed_and_deleted_by_those_who_may(
    called: Called, browser: Browser, member: Browser, home: str
):
    name = f"Shed {secrets.token_hex(4)}"
    with called.client() as owner:
        made = owner.post("/v1/projects", json={"name": name}).json()
    page = f"{CONSOLE}/projects/{made['project_id']}/manage"
    assert member.client.get(f"{home}/manage").status_code == 403
    renamed = browser.send(page, page, name=f"{name} 2")
    assert renamed.status_code in (200, 303), renamed.text
    shown = browser.open(page)
    assert f"{name} 2" in shown.written
    wrong = browser.send(page, f"{page}/delete", confirm=name, **WHY)
    assert "type its name" in wrong.text
    done = browser.send(page, f"{page}/delete", confirm=f"{name} 2", **WHY)
    assert done.status_code in (200, 303), done.text
    assert browser.client.get(page).status_code == 404


def links(page: Page, part: str) -> list[str]:
    return [it["href"] for it in page.all("a") if part in it["href"]]


def told(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    return Page(answer.text).text


def refused(answer: httpx.Response, status: int, code: str) -> None:
    assert answer.status_code == status, answer.text
    assert code in answer.text


def check_refusals(browser: Browser, stranger: Browser, page: str, changes: dict[str, str]) -> None:
    """Whoever may not, an old page, and what is taken away without a reason."""
    stale = browser.open(page).fields() | changes
    for form in (page, f"{page}/delete"):
        refused(stranger.send(f"{CONSOLE}/projects", form, **changes, **WHY), 403, "This is for ")
    assert stranger.client.get(page).status_code == 403
    told(browser.send(page, page, **changes))
    for form, late in ((page, stale | {"key": "another"}), (f"{page}/delete", stale | WHY)):
        again = browser.client.post(form, data=late | {"key": secrets.token_hex(8)})
        refused(again, 409, "by now")
        assert (
            Page(again.text).fields(page)["version"] == browser.open(page).fields(page)["version"]
        )
        assert form == page or f'value="{WHY["reason"]}"' in again.text
    unexplained = stale | {"key": secrets.token_hex(8), "reason": " "}
    again = browser.client.post(f"{page}/delete", data=unexplained)
    refused(again, 422, "Say why")
    assert Page(again.text).fields(page)["version"] == stale["version"]  # no change was shown


def check_emptied(browser: Browser, page: str, *names: str) -> None:
    """What cannot be empty is refused when it is, and the form is shown again as it was sent."""
    for name in names:
        again = browser.send(page, page, **{name: ""})
        assert again.status_code == 422, (name, again.text)
        (field,) = [it for it in Page(again.text).all("input") if it.get("name") == name]
        assert field["value"] == "", name
        assert 'class="problem" role="alert"' in again.text


def test_a_form_is_refused_for_what_it_says_though_the_address_of_its_page_says_nonsense(
    database_server: str, tmp_path: Path
):
    home = f"{CONSOLE}/projects/prj_1"
    with apart(Settings(database_url=database_server, reader=False), tmp_path) as one:
        one.rows(
            "INSERT INTO projects (project_id, name, description, vision, timezone, created_at)"
            " VALUES ('prj_1', 'Shop', '', '', 'UTC', now())"
        )
        form = Page(one.client.get(f"{CONSOLE}/sign-in").text).fields()
        token = {"token": read_owner_token(one.settings)}
        one.client.post(f"{CONSOLE}/sign-in", data=form | token)
        page = Page(one.client.get(f"{home}/documents?type=task").text)
        address = {"referer": f"http://localhost{home}/documents?type=nonsense"}
        untitled = page.fields(f"{home}/tasks") | {"title": " "}
        answer = one.client.post(f"{home}/tasks", data=untitled, headers=address)
        assert answer.status_code == 422 and "A task has a title." in answer.text
        assert "task invalid" in Page(one.client.get(f"{home}/audit").text).text


def test_a_member_is_changed_and_removed_by_who_leads(
    browser: Browser, member: Browser, owner: httpx.Client, home: str, gate: str
):
    team = f"{home}/team"
    told(browser.send(team, f"{team}/members", name="Ana", skills="backend 4", capacity="9"))
    (ana,) = links(browser.open(team), "/team/members/")
    assert not links(member.open(team), "/team/members/")
    before = browser.open(ana).fields(ana)
    sent = {
        "name": "Ana",
        "role": "Engineer",
        "skills": "backend 5, sql 2",
        "capacity": "20",
        "absences": "2026-12-24 to 2026-12-31, sick, 50%\n2027-01-04",
    }
    refused(member.send(team, ana, **sent), 403, LEADERS_ONLY)
    refused(browser.send(ana, ana, **sent | {"absences": "soon"}), 422, "no day")
    unclear = browser.send(ana, ana, **sent | {"skills": "<i>sql</i>"})
    refused(unclear, 422, "Skills are written with a level")
    assert 'value="&lt;i&gt;sql&lt;/i&gt;"' in unclear.text and 'value="Engineer"' in unclear.text
    for emptied in ("name", "capacity"):
        refused(browser.send(ana, ana, **sent | {emptied: ""}), 422, 'role="alert"')
    refused(browser.send(ana, ana, **sent | {"absences": "2027-01-04, lunch"}), 422, "is one of")
    assert "Ana is changed." in told(browser.send(ana, ana, **sent))
    (known,) = owner.get(f"/v1/projects/{gate}/members").json()
    assert (known["role"], known["skills"]) == ("Engineer", {"backend": 5, "sql": 2})
    assert [
        (it["last_day"], it["kind"], it["capacity_factor"]) for it in known["availability"]
    ] == [
        ("2026-12-31", "sick", 0.5),
        ("2027-01-04", "vacation", 0.0),
    ]
    assert "2026-12-24 to 2026-12-31, sick, 50%" in browser.open(ana).text
    late = sent | {"role": "Boss"}
    unread = browser.client.post(ana, data=before | late | {"key": "unread", "skills": "sql"})
    refused(unread, 422, "Skills are written")
    assert Page(unread.text).fields(ana)["seen"] == before["seen"]  # no change was shown
    conflict = browser.client.post(ana, data=before | late | {"key": "late"})
    refused(conflict, 409, "Look at what is new")
    assert 'value="Boss"' in conflict.text and "now: Engineer" in conflict.text
    told(browser.client.post(ana, data=Page(conflict.text).fields(ana) | late))
    told(browser.send(ana, ana, **late | {"role": "", "skills": "", "absences": ""}))
    (known,) = owner.get(f"/v1/projects/{gate}/members").json()
    assert (known["role"], known["skills"], known["availability"]) == ("", {}, [])

    told(browser.send(team, f"{team}/members", name="Bo", skills="", capacity="3"))
    bo = next(it for it in links(browser.open(team), "/team/members/") if it != ana)
    refused(member.send(team, f"{bo}/remove", **WHY), 403, LEADERS_ONLY)
    refused(browser.send(bo, f"{bo}/remove", reason=""), 422, "Say why")
    assert "Bo is no longer on the team." in told(browser.send(bo, f"{bo}/remove", **WHY))
    assert browser.client.get(bo).status_code == 404
    assert "Nobody needs it" in browser.open(f"{home}/audit").text


def test_a_sprint_is_made_changed_closed_opened_and_deleted_by_who_leads(
    browser: Browser, member: Browser, home: str
):
    team = f"{home}/team"
    begins = SystemClock().now().date() + timedelta(days=7)
    ends = begins + timedelta(days=11)
    days = {"start_date": str(begins), "end_date": str(ends)}
    refused(member.send(team, f"{home}/sprints", goal="Open it"), 403, LEADERS_ONLY)
    made = browser.send(team, f"{home}/sprints", goal="Open the gate", **days)
    assert "is made." in told(made)
    (sprint,) = links(Page(made.text), "/sprints/")
    assert not links(member.open(team), "/sprints/")
    check_refusals(browser, member, sprint, {"goal": "Open both gates", "capacity_points": "7"})
    check_emptied(browser, sprint, "goal", "start_date", "end_date", "capacity_points")
    shown = browser.open(sprint).written
    assert f"There is no burndown yet. It begins on {begins}" in browser.open(sprint).text
    assert 'value="Open both gates"' in shown and f'value="{ends}"' in shown
    refused(
        browser.send(sprint, sprint, end_date=str(ends + timedelta(days=90))),
        422,
        "A sprint has 1 to 60 days",
    )
    refused(member.send(team, f"{sprint}/state", state="closed"), 403, LEADERS_ONLY)
    assert "is closed." in told(browser.send(sprint, f"{sprint}/state", state="closed"))
    assert "Reopen" in browser.open(sprint).text
    assert "is open." in told(browser.send(sprint, f"{sprint}/state", state="open"))
    assert "is deleted." in told(browser.send(sprint, f"{sprint}/delete", **WHY))
    assert browser.client.get(sprint).status_code == 404


def test_a_sprint_without_points_says_that_there_is_no_burndown():
    days = [
        BurndownDay(day="2026-01-05", ideal=0, remaining=0, scope=0, done=0, added=0, dropped=0),
        BurndownDay(day="2026-01-06", ideal=0),
    ]
    figures = Burndown(
        sprint_id="art_1",
        first_day=days[0].day,
        last_day=days[1].day,
        closed_on=None,
        committed=0,
        days=days,
    )
    charts: Any = build_environment().get_template("charts.html").module
    assert "the tasks of this sprint have 0 points" in charts.burndown(draw_burndown(figures))


def check_suggestion(member: Browser, viewer: Browser, team: str, task: str, ana: str) -> None:
    """A task too large for any sprint, which nobody has, is given to somebody who suits it."""
    told(member.send(task, task, estimate_points="100"))
    shown = member.open(team)
    assert f"{task}/assign" in [it.get("action") for it in shown.all("form")]
    assert ana in [it.get("value") for it in shown.all("option")]
    assert "no skill asked for: 0; " in viewer.open(team).text
    assert f"{task}/assign" not in viewer.open(team).written
    refused(viewer.send(team, f"{task}/assign", assignee_id=ana), 403, "This is for ")
    refused(member.send(team, f"{task}/assign", assignee_id=""), 422, "Choose an assignee")
    assert "is assigned." in told(member.send(team, f"{task}/assign", assignee_id=ana))
    assert f"{task}/assign" not in member.open(team).written


def test_a_task_is_reworded_given_to_somebody_and_deleted(
    browser: Browser, member: Browser, viewer: Browser, owner: httpx.Client, home: str, gate: str
):
    listed = f"{home}/documents?type=task"
    title = f"Oil the hinge {secrets.token_hex(2)}"
    made = member.send(listed, f"{home}/tasks", title=title)
    assert "is made." in told(made)
    (task,) = links(Page(made.text), "/tasks/")
    assert not links(viewer.open(made.url.path), "/tasks/")
    (ana,) = owner.get(f"/v1/projects/{gate}/members").json()
    changes = {
        "title": f"{title}, twice",
        "assignee_id": ana["member_id"],
        "solutions": f"{title}\nUse <b>grease</b>.",
        "estimate_points": "3",
    }
    check_suggestion(member, viewer, f"{home}/team", task, ana["member_id"])
    check_refusals(member, viewer, task, changes)
    path = f"/v1/projects/{gate}/artifacts/{task.rpartition('/')[2]}"
    shown = owner.get(path).json()
    assert shown["title"] == changes["title"]
    user_edited = shown["fields"]["user_edited"]
    assert (user_edited["assignee_id"], user_edited["estimate_points"]) == (ana["member_id"], 3)
    assert (user_edited["status"], user_edited["sprint_id"], user_edited["required_skills"]) == (
        None,
        None,
        None,
    )
    said = next(it for it in shown["sections"] if it["section_id"] == "solutions")
    assert [it["text"] for it in said["statements"]] == [title, "Use <b>grease</b>."]
    assert "Use <b>grease</b>." in member.open(task).text
    check_emptied(member, task, "title", "estimate_points")
    told(member.send(task, task, required_skills="sql", acceptance_criteria="It moves."))
    told(member.send(task, task, required_skills="", acceptance_criteria="", assignee_id=""))
    emptied = owner.get(path).json()
    assert emptied["fields"]["required_skills"] == []
    assert emptied["fields"]["user_edited"]["assignee_id"] in (None, "")
    assert [it["section_id"] for it in emptied["sections"] if not it["statements"]] == [
        "acceptance_criteria"
    ]
    without = member.send(task, task, solutions="")
    refused(without, 422, "a task says how it will be done")
    refused(member.send(task, task, status="lost"), 422, "A status is one of")
    refused(member.send(task, task, assignee_id="mem_1"), 404, "no member")
    gone = told(member.send(task, f"{task}/delete", **WHY))
    assert "is deleted." in gone
    assert member.client.get(task).status_code == 404


def test_the_work_of_a_sprint_goes_down_as_its_tasks_are_done(
    member: Browser, viewer: Browser, owner: httpx.Client, home: str, gate: str
):
    today, key = str(SystemClock().now().date()), {"idempotency-key": secrets.token_hex(8)}
    set_plan = owner.put(f"/v1/projects/{gate}/plan", json={"start_day": today}, headers=key)
    assert set_plan.status_code == 200, set_plan.text
    title = f"Paint it {secrets.token_hex(2)}"
    made = member.send(f"{home}/documents?type=task", f"{home}/tasks", title=title)
    (task,) = links(Page(made.text), "/tasks/")
    assert "is changed." in told(member.send(task, task, estimate_points="3", status="done"))
    fields = owner.get(f"/v1/projects/{gate}/artifacts/{task.rpartition('/')[2]}").json()["plan"]
    path = f"/v1/projects/{gate}/sprints/{fields['sprint_id']}/burndown"
    found = owner.get(path).json()
    first = found["days"][0]
    assert (found["first_day"], first["done"], first["day"]) == (today, 3, today)
    assert found["committed"] == first["scope"] == first["remaining"] + 3
    shown = viewer.open(f"{home}/team?sprint={fields['sprint_id']}")
    assert f"{first['remaining']} of {found['committed']} points left at the end of" in shown.text
    drawn = [it for it in shown.all("path") if it.get("class", "").startswith("line")]
    assert [it["class"] for it in drawn] == ["line ideal", "line left"]
    cells = re.findall(r'<td class="count">([^<]*)</td>', shown.written.partition("Burndown")[2])
    assert cells[:3] == [f"{it:g}" for it in (first["remaining"], first["ideal"], 3)]
    assert viewer.client.get(f"{home}/team?sprint=art_1").status_code == 200
    assert owner.get(path.replace(fields["sprint_id"], "art_1")).status_code == 404


def test_a_feature_is_ranked_and_deleted_by_who_leads(
    browser: Browser, member: Browser, owner: httpx.Client, home: str, gate: str
):
    listed = f"{home}/documents?type=feature"
    refused(member.send(listed, f"{home}/features", title="Gate by post"), 403, "This is for ")
    made = browser.send(listed, f"{home}/features", title="Gate by post")
    (feature,) = links(Page(made.text), "/features/")
    changes = {"priority": "must", "why": "Promised", "description": "Gate by post.\nBy hand, too."}
    check_refusals(browser, member, feature, changes)
    path = f"/v1/projects/{gate}/artifacts/{feature.rpartition('/')[2]}"
    fields = owner.get(path).json()["fields"]
    assert (fields["priority"], fields["user_edited"]["priority"]["reason"]) == ("must", "Promised")
    check_emptied(browser, feature, "title", "effort_points")
    refused(browser.send(feature, feature, priority="urgent"), 422, "A priority is one of")
    untitled = browser.send(listed, f"{home}/features", title=" ")
    refused(untitled, 422, "A feature has a title")
    assert Page(untitled.text).fields(f"{home}/features")
    assert "is deleted." in told(browser.send(feature, f"{feature}/delete", **WHY))


def test_a_run_shows_each_choice_and_what_it_left_is_read_by_who_operates(
    browser: Browser, member: Browser, called: Called, home: str, gate: str
):
    run = links(browser.open(f"{home}/runs"), "/runs/run_")[-1]  # the one that read
    shown = browser.open(run)
    assert "the last one, has these chunks" in " ".join(shown.text.split())
    (first, *_) = links(shown, "batch=")
    chosen = browser.open(first.partition("#")[0])
    assert "Why batch" in chosen.text and "Rule:" in chosen.text
    assert browser.client.get(f"{run}?batch=999").status_code == 404
    refused(
        member.send(f"{home}/runs", f"{run}/resume"),
        403,
        "for owners, product managers",
    )
    cancel = f"{run}/cancel"
    refused(member.send(f"{home}/runs", cancel, **WHY), 403, "for owners, product managers")
    refused(browser.send(run, f"{run}/cancel", reason=""), 422, "Say why")
    refused(browser.send(run, f"{run}/cancel", **WHY), 409, "has ended already")
    refused(browser.send(run, f"{run}/accept-removals", **WHY), 409, "no blocked removals")
    refused(browser.send(run, f"{home}/runs/run_1/resume"), 404, "There is no run run_1")
    before = len(links(browser.open(f"{home}/runs"), "/runs/run_"))
    with Browser(called, called.make_token("operator", gate)) as operator:
        assert "A new run reads the rest." in told(operator.send(run, f"{run}/resume"))
    assert wait_until(
        lambda: len(links(browser.open(f"{home}/runs"), "/runs/run_")) > before,
        timeout_s=PATIENCE_S,
    )


def test_a_record_that_the_tables_refuse_is_named_with_what_to_do(
    browser: Browser, member: Browser, called: Called, home: str, gate: str
):
    """A fact whose number no table can hold; nothing that we write looks like it."""

    def letters() -> list[str]:
        forms = browser.open(f"{home}/runs").all("form")
        return [to for it in forms if (to := it.get("action", "")).endswith("/retry")]

    asked = RequestReceived(
        conversation_id="cnv_huge", turn_id="trn_huge", ordinal=2**40, text="some words"
    )
    fact = make_request(asked, gate, "ana")
    asyncio.run(publish(called.cairn.settings_now(), [fact]))
    assert wait_until(lambda: len(letters()) == 1, timeout_s=PATIENCE_S)
    (retry,) = letters()
    shown = browser.open(f"{home}/runs").text
    assert "agent.v1" in shown and "out of range" in shown and "some words" not in shown
    refused(member.send(f"{home}/runs", retry), 403, "This is for owners and operators")
    refused(browser.send(f"{home}/runs", retry), 409, "a rebuild makes them")  # as it did before
