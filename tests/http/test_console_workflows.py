"""Workflows in the console: begun, followed, decided at their gates, and what deliveries made."""

from __future__ import annotations

import asyncio
import re
import secrets
import subprocess
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from infra.platform.clock import SystemClock
from infra.runtime.local.process import wait_until
from infra.service.foundation.publishing import publish
from schemas.codec import utc_millis
from schemas.envelope import SYSTEM, outside_fact
from schemas.events.delivery import (
    EvaluationItem,
    FeedbackEvaluated,
    PlanProduced,
    PlanValidated,
    ReviewCompleted,
    ReviewIssue,
    TaskCommitted,
    TaskFailed,
    TaskStarted,
)
from schemas.events.workflow import (
    AgentEventRecorded,
    WorkflowFinished,
    WorkflowNodeEntered,
    WorkflowOrigin,
)
from tests.development.governed_runs import BRIEF, ISSUE_TEXT
from tests.http.chromium import chromium
from tests.http.conftest import PATIENCE_S, Called
from tests.http.console import CONSOLE, Browser, Page, check_inert
from tests.http.test_console_browser import PICTURES, check_accessible
from tests.http.test_workflows import (
    DRAFTER,
    PROSE,
    REVIEWER,
    ROOT,
    Families,
    approve,
    begin,
    block,
    one_of,
    wait_for,
)
from tests.models.provider import scripted_provider, write_models
from tests.projections.workflow_facts import Told, begun

pytestmark = pytest.mark.broker
ALL = f"{CONSOLE}/build"
BEGIN = f"{ALL}/begin"
ADVICE = "Name the algorithm."
QUOTE = "- R-1: Exports are signed."
BETTER = BRIEF.replace(QUOTE, "- R-1: Exports are signed with Ed25519.")
HOSTILE = "<script>alert(1)</script> \u202eturned\u202c"
LOOKS = (("light", 1280), ("dark", 1280), ("light", 400), ("dark", 320))


@pytest.fixture(scope="module")
def providers(called: Called) -> Iterator[Families]:
    """Two families behind one model worker, which is asked from the first test to the last."""
    models, families = called.cairn.settings.models_file, Families()

    def is_there() -> bool:
        return "model-worker" in called.cairn.pids()

    assert wait_until(lambda: not is_there(), timeout_s=PATIENCE_S)  # that of another module
    with scripted_provider(families.answer) as one, scripted_provider(families.answer) as other:
        tiers: dict[str, Sequence[str]] = {
            "draft": [f"first/{DRAFTER}"],
            "review": [f"second/{REVIEWER}"],
        }
        first, second = one_of(one.base_url, DRAFTER), one_of(other.base_url, REVIEWER)
        write_models(models, tiers, first=first, second=second)
        assert wait_until(is_there, timeout_s=PATIENCE_S)
        try:
            yield families
        finally:
            models.unlink()


@pytest.fixture
def families(providers: Families) -> Families:
    fresh = Families()
    for name in ("draft", "review", "drafts", "reviews"):
        setattr(providers, name, getattr(fresh, name))
    return providers


@pytest.fixture
def browser(called: Called) -> Iterator[Browser]:
    with Browser(called) as browser:
        yield browser


@pytest.fixture
def build(called: Called) -> str:
    return f"{CONSOLE}/projects/{called.project}/build"


@pytest.fixture
def project(owner: httpx.Client) -> str:
    """A project of the test's own, with a statement."""
    made = owner.post("/v1/projects", json={"name": f"Built {secrets.token_hex(4)}"}).json()
    project = str(made["project_id"])
    text = "# Exports\n\nExports must be signed with a key of the tenant.\n"
    sent = {"kind": "documents", "root": "n", "documents": [{"path": "exports.md", "text": text}]}
    owner.post(f"/v1/projects/{project}/sources", json=sent)
    atoms = f"/v1/projects/{project}/atoms"
    assert wait_until(lambda: owner.get(atoms).json()["items"], timeout_s=PATIENCE_S)
    return project


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a first commit, and one that changes a file."""
    folder = tmp_path / "code"
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "cairn/work")
    for number, text in enumerate(("def export():\n    return 1\n", f"# {HOSTILE}\n")):
        (folder / "export.py").write_text(text)
        _git(folder, "add", "-A")
        _git(folder, *("-c", "user.name=a", "-c", "user.email=a@b"), "commit", "-qm", str(number))
    return folder


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode().strip()


def a_delivery(repository: Path, sha: str, atom: str) -> list[Told]:
    """Two tasks: one committed after a fix, with many events, and one given up."""
    issue = ReviewIssue(severity="major", file="export.py", line=3, description="No test.")
    item = EvaluationItem(issue="No test.", decision="DEFER", reason=f"Later {HOSTILE}.")
    plan = {"artifact_hash": "p1", "goal": "Export", "key_files": ["export.py"]}
    review = {"index": 0, "summary": HOSTILE, "tree": "t1", "skills": ["python"], "model": "other"}
    did = {"at": "2026-11-29T10:00:00Z", "agent": "developer"}
    call = {"event_type": "CLAUDE_TOOL_CALL", "tool_name": "bash", "tool_input": '{"command":"ls"}'}
    committed = {"branch": "cairn/work", "trailers": ["Cairn-Task: 1"], "files": ["export.py"]}
    origin = WorkflowOrigin(atom_ids=[atom])
    return [
        begun("delivery", repository=str(repository), commit=sha, origin=origin),
        (WorkflowNodeEntered, {"node": "architect"}),
        (PlanProduced, plan | {"plan_markdown": f"## Goal\n\n{HOSTILE}\n"}),
        (PlanValidated, plan | {"valid": True, "total_tasks": 2, "problems": []}),
        (WorkflowNodeEntered, {"node": "developer"}),
        (TaskStarted, {"index": 0, "total": 2, "title": f"First {HOSTILE}"}),
        *[
            (AgentEventRecorded, did | call | {"id": f"e{n}", "content": f"{n} {HOSTILE}"})
            for n in range(45)
        ],
        (ReviewCompleted, review | {"iteration": 1, "approved": False, "issues": [issue]}),
        (FeedbackEvaluated, {"index": 0, "iteration": 1, "items": [item]}),
        (WorkflowNodeEntered, {"node": "developer", "iteration": 2}),
        (ReviewCompleted, review | {"iteration": 2, "approved": True, "issues": []}),
        (TaskCommitted, committed | {"index": 0, "sha": sha, "tree": "t1"}),
        (TaskStarted, {"index": 1, "total": 2, "title": "Second"}),
        (TaskFailed, {"index": 1, "reason": "review_limit", "message": "Never approved."}),
        (WorkflowFinished, {"status": "failed", "error": "review_limit", "text": HOSTILE}),
    ]


def record(called: Called, project: str, told: list[Told]) -> str:
    """Have a run in the tables; its id."""
    workflow_id, now = f"wfl_{secrets.token_hex(8)}", SystemClock().now()
    facts = [
        outside_fact(
            kind(workflow_id=workflow_id, ordinal=number, **fields),
            project_id=project,
            occurred_at=utc_millis(now + timedelta(seconds=number)),
            actor=SYSTEM,
        )
        for number, (kind, fields) in enumerate(told)
    ]
    asyncio.run(publish(called.cairn.settings_now(), facts))
    with called.client() as owner:

        def is_shown() -> bool:
            answer = owner.get(f"{ROOT}/{workflow_id}")
            return answer.is_success and answer.json()["workflow"]["finished_at"] is not None

        assert wait_until(is_shown, timeout_s=PATIENCE_S)
    return workflow_id


def gate_form(page: Page) -> str:
    """Where the gate of a page is decided."""
    return next(it["action"] for it in page.all("form") if "/gates/" in it.get("action", ""))


def wait_for_text(browser: Browser, place: str, text: str) -> Page:
    pages: list[Page] = []

    def look() -> bool:
        pages[:] = [browser.open(place)]
        return text in pages[0].text

    assert wait_until(look, timeout_s=PATIENCE_S), pages[0].text
    return pages[0]


def test_a_workflow_is_begun_on_the_page_and_decided_beside_its_findings(
    browser: Browser, called: Called, families: Families, build: str
):
    families.draft = lambda number: BETTER if ADVICE in families.drafts[-1] else BRIEF
    families.review = lambda n, mark: (
        approve(mark) if "Ed25519" in families.reviews[-1] else block(mark, QUOTE)
    )
    sent = {"type": "issue", "issue": "31", "title": "Signed <b>exports</b>", "text": ISSUE_TEXT}
    answer = browser.send(build, f"{build}/begin", **sent, gate_verdict="on")
    assert answer.status_code == 200, answer.text
    place = answer.url.path
    assert "Issue is in the queue." in answer.text

    page = wait_for_text(browser, place, "Gate verdict")
    check_inert(page)
    assert page.marked() == QUOTE
    assert "It is vague." in page.text and "Signed <b>exports</b>" in page.text
    assert [it for it in page.all("li") if it.get("aria-current") == "step"]
    listed = browser.open(build)
    assert "1 gate to decide" in listed.text
    assert f"cairn workflow gate approve {place.rpartition('/')[2]}" in listed.text
    assert place in [it["href"] for it in listed.all("a")]
    overview = browser.open(build.removesuffix("/build"))
    assert "1 gate to decide" in overview.text

    form = gate_form(page)
    other = browser.send(place, form, decision="approve", reason="R-1", artifact_hash="0" * 64)
    assert other.status_code == 409 and "another artifact" in other.text
    assert ">R-1</textarea>" in other.text
    assert browser.send(place, form, decision="waive").status_code == 422
    with Browser(called, called.make_token("member", called.project)) as member:
        seen = member.open(place)
        assert "An owner or a product manager decides here." in seen.text
        fields = page.fields(form) | member.open(build).fields(f"{build}/begin")
        assert member.client.post(form, data=fields | {"decision": "approve"}).status_code == 403
    with Browser(called, called.make_token("pm", called.other)) as stranger:
        assert stranger.client.get(place).status_code == 404
        moved = place.replace(called.project, called.other)
        assert stranger.client.get(moved).status_code == 404

    decided = browser.send(place, form, decision="reject", reason=ADVICE)
    assert "Rejected: the workflow goes on" in decided.text
    page = wait_for_text(browser, place, "The verdict is APPROVE")
    assert page.marked() == "" and "Ed25519" in page.text
    assert any(ADVICE in asked for asked in families.drafts)
    earlier = next(it["href"] for it in page.all("a") if "?draft=" in it["href"])
    oldest = [it["href"] for it in page.all("a") if "?draft=" in it["href"]][-1]
    assert browser.open(oldest.partition("#")[0]).marked() == QUOTE
    assert earlier != oldest
    browser.send(place, gate_form(page), decision="approve")
    page = wait_for_text(browser, place, "Took")
    assert "Approved issue" in page.text
    assert "End the workflow" not in page.text and "data-stream" not in page.written


def test_a_halt_says_what_happened_and_a_verdict_is_waived_with_a_reason(
    browser: Browser, called: Called, families: Families
):
    families.review = lambda n, mark: PROSE
    sent = {"type": "issue", "issue": "32", "title": "Exports", "text": ISSUE_TEXT, "project": ""}
    place = browser.send(ALL, BEGIN, **sent).url.path
    assert place.startswith(f"{ALL}/wfl_")  # of the installation
    page = wait_for_text(browser, place, "Halted: unreadable")
    for text in ("Approve: the reviewer is asked again.", "token", "There is no verdict."):
        assert text in page.text
    missing = browser.send(place, gate_form(page), decision="waive")
    assert missing.status_code == 422 and "A waiver needs a reason" in missing.text
    browser.send(place, gate_form(page), decision="waive", reason="A hotfix.")
    page = wait_for_text(browser, place, "waived UNREADABLE")
    assert "A hotfix." in page.text
    of_projects = browser.open(f"{ALL}?of={called.project}")
    assert place not in [it["href"] for it in of_projects.all("a")]
    assert place in [it["href"] for it in browser.open(f"{ALL}?of=-&type=issue").all("a")]
    assert place not in [it["href"] for it in browser.open(f"{ALL}?type=delivery").all("a")]
    assert browser.client.get(f"{ALL}?type=other").status_code == 422
    with Browser(called, called.make_token("pm", called.project)) as pm:
        assert pm.client.get(place).status_code == 404
        assert pm.send(ALL, BEGIN, **sent).status_code == 403
        code = pm.send(ALL, BEGIN, **sent | {"project": called.project}, repository="/tmp")
        assert code.status_code == 403
        assert "owner's token of the installation" in Page(code.text).text


def test_a_run_is_ended_for_a_reason(browser: Browser, families: Families, build: str):
    families.review = lambda n, mark: PROSE
    sent = {"type": "issue", "issue": "33", "title": "Exports", "text": ISSUE_TEXT}
    refused = browser.send(build, f"{build}/begin", **sent | {"title": "", "text": "It is kept."})
    assert refused.status_code == 422 and ">It is kept.</textarea>" in refused.text
    assert browser.send(build, f"{build}/begin", **sent | {"type": "poem"}).status_code == 422
    place = browser.send(build, f"{build}/begin", **sent).url.path
    wait_for_text(browser, place, "Halted: ")
    assert browser.send(place, f"{place}/cancel").status_code == 422
    ended = browser.send(place, f"{place}/cancel", reason="A try")
    assert "The workflow ends" in ended.text
    wait_for_text(browser, place, "cancelled")


def test_a_delivery_shows_its_tasks_reviews_commits_and_what_the_agents_did(
    browser: Browser, called: Called, owner: httpx.Client, project: str, repository: Path
):
    (atom, *_) = owner.get(f"/v1/projects/{project}/atoms").json()["items"]
    sha = _git(repository, "rev-parse", "HEAD")
    workflow_id = record(called, project, a_delivery(repository, sha, atom["atom_id"]))
    home = f"{CONSOLE}/projects/{project}"
    place = f"{home}/build/{workflow_id}"
    assert "Out of date" not in browser.open(f"{home}/build").text
    page = browser.open(place)
    check_inert(page)
    shown = HOSTILE.replace("\u202e", "[U+202E]").replace("\u202c", "[U+202C]")
    for text in (f"First {shown}", "1/2", "No test.", f"Later {shown}.", "Never approved."):
        assert text in page.text
    assert re.search(r"Put off\s*: Later", page.text)

    diff = browser.open(f"{place}/tasks/1")
    check_inert(diff)
    assert f"+# {shown}" in diff.text and "-def export():" in diff.text
    assert browser.client.get(f"{place}/tasks/2").status_code == 404  # it has no commit
    assert browser.client.get(f"{place}/tasks/3").status_code == 404
    first = browser.open(f"{place}/trajectory")
    check_inert(first)
    following = next(it["href"] for it in first.all("a") if it.get("rel") == "next")
    assert f"44 {shown}" not in first.text and f"44 {shown}" in browser.open(following).text
    assert "No coding agent" in browser.open(f"{place}/trajectory?agent=nobody").text

    card = f"{home}/atoms/{atom['atom_id']}"
    sent = {"decision": "dismiss", "rationale": "It holds no more."}
    assert "Dismissed." in browser.send(card, f"{card}/decide", **sent).text
    stale = wait_for_text(browser, f"{home}/build", "Out of date")
    assert sha[:12] in stale.text and atom["title"] in stale.text
    asked = {"repository": str(repository), "path": "export.py", "line": "1"}
    blamed = browser.client.get(f"{ALL}/blame", params=asked)
    assert blamed.status_code == 200 and "No workflow has made this commit" in blamed.text
    with Browser(called, called.make_token("owner")) as elsewhere:
        assert elsewhere.client.get(f"{ALL}/blame").status_code == 403


@pytest.mark.slow
def test_workflows_are_followed_and_decided_in_a_browser(
    called: Called,
    owner: httpx.Client,
    families: Families,
    project: str,
    repository: Path,
    tmp_path: Path,
):
    families.draft = lambda number: BETTER if "It is vague." in families.drafts[-1] else BRIEF
    families.review = lambda n, mark: (
        approve(mark) if "Ed25519" in families.reviews[-1] else block(mark, QUOTE)
    )
    (atom, *_) = owner.get(f"/v1/projects/{project}/atoms").json()["items"]
    sha = _git(repository, "rev-parse", "HEAD")
    delivery = record(called, project, a_delivery(repository, sha, atom["atom_id"]))
    workflow_id = begin(owner, "issue", project=project, settings={"gates": ["verdict"]})
    wait_for(owner, workflow_id, "waiting")
    home = f"{CONSOLE}/projects/{project}/build"
    with chromium(called.url, tmp_path / "profile", PICTURES) as tab:
        tab.look()
        tab.open(f"{CONSOLE}/sign-in")
        tab.run("document.getElementById('token').focus()")
        tab.write(called.token)
        tab.press("Enter")
        tab.wait_for("location.pathname === '/console/projects'")
        for name, path in {
            "build": home,
            "build-all": ALL,
            "workflow-gate": f"{home}/{workflow_id}",
            "delivery": f"{home}/{delivery}",
            "delivery-diff": f"{home}/{delivery}/tasks/1",
            "trajectory": f"{home}/{delivery}/trajectory",
            "blame": f"{ALL}/blame?repository={repository}&path=export.py&line=1",
        }.items():
            tab.open(path)
            check_accessible(tab, name, LOOKS)
        tab.open(f"{home}/{workflow_id}")
        tab.run("window.first = true")
        written = "document.querySelector('#gates form').elements.reason"
        tab.run(f"{written}.focus()")
        tab.write(ADVICE)
        owner.post(f"{ROOT}/{workflow_id}/gates/verdict", json={"decision": "approve"})
        tab.wait_for("document.querySelector('[data-fresh]')?.hidden === false")
        assert tab.run(f"{written}.value") == ADVICE
        tab.run("document.querySelector('[data-fresh]').click()")
        tab.wait_for("document.querySelector('#gates form')?.elements.reason.value === ''")
        wait_for(owner, workflow_id, "waiting")
        owner.post(f"{ROOT}/{workflow_id}/gates/verdict", json={"decision": "approve"})
        tab.wait_for("document.getElementById('approved')")  # as the stream has said
        assert tab.run("window.first === true"), "the page was loaded again"
        assert tab.run("document.querySelector('.lost').hidden")
        check_accessible(tab, "workflow-done", LOOKS)
        tab.open(f"{CONSOLE}/projects/{project}")
        tab.press("g", "f")
        tab.wait_for(f"location.pathname === '{home}'")
        assert tab.reports == []
