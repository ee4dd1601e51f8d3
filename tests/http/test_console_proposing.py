"""What each role sees of decisions: a member proposes, who leads answers, a viewer only reads.

The project was read and decided about in memory; no broker answers here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from infra.platform import postgres
from infra.platform.settings import Settings
from projections.core import CORE
from projections.projector import prepare
from schemas.envelope import Actor, outside_fact
from schemas.events.hitl import AtomDismissed, AtomVerified, MergeDecided, PersonDecided
from schemas.events.project import ProjectCreated
from streams.memory import Driver
from streams.pipeline import pipeline
from tests.http.apart import Apart, apart
from tests.http.conftest import DISAGREEING
from tests.http.console import CONSOLE, Page, check_inert
from tests.projections.conftest import ReadModel
from tests.projections.log import records_in
from tests.whole.test_decisions import view_of
from tests.whole.test_faults import read
from tests.worlds import AT, PROJECT, fact, ingestion

pytestmark = pytest.mark.broker
HOME = f"{CONSOLE}/projects/{PROJECT}"
HOSTILE_WHY = "the <b>customer</b> has dropped it"


def say(driver: Driver, by: str, role: str, kind: type[PersonDecided], **fields: Any) -> None:
    event = kind.model_validate({"actor_role": role, "rationale": HOSTILE_WHY} | fields)
    actor = Actor(type="human", id=by)
    driver.publish(
        [
            outside_fact(
                event,
                project_id=PROJECT,
                occurred_at=AT,
                actor=actor,
                natural_key=f"{by}|{fields}|{kind}",
            )
        ]
    )
    driver.run()


@pytest.fixture(scope="module")
def one(database_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    """Mia proposes to dismiss the first statement and to merge a pair; Ana verified another."""
    driver = Driver(pipeline(read), partitions=1)
    driver.publish([fact(ProjectCreated(name="Shop"))])
    driver.publish(ingestion({path: text.encode() for path, text in DISAGREEING.items()}))
    driver.run()
    live = sorted(view_of(driver).live_atoms(PROJECT), key=lambda atom: atom.title)
    pair = next(it for it in view_of(driver).merge_candidates.values() if it.state == "open")
    free = [it for it in live if it.atom_id not in (pair.atom_a_id, pair.atom_b_id)]
    about = [{"atom_id": it.atom_id, "expected_revision": it.revision} for it in free]
    say(driver, "mia", "member", AtomDismissed, **about[0])
    merge = {"merge_candidate_id": pair.merge_candidate_id, "expected_revision": pair.revision}
    say(driver, "mia", "member", MergeDecided, decision="approve", **merge)
    say(driver, "ana", "pm", AtomVerified, **about[1])
    servers = Settings(database_url=database_server, kafka_bootstrap="127.0.0.1:1", reader=False)
    with apart(servers, tmp_path_factory.mktemp("proposing")) as made:
        conninfo = made.settings.conninfo
        with postgres.connect(conninfo, autocommit=True) as connection:
            prepare(connection, CORE.schema)
            ReadModel(conninfo, connection).fold(records_in(driver))
        yield made


def signed_in(one: Apart, role: str, name: str = "") -> TestClient:
    wanted = {"name": name or f"a {role}", "role": role, "projects": None}
    made = one.client.post("/v1/tokens", json=wanted)
    assert made.status_code == 201, made.text
    origin = {"origin": "http://localhost"}
    browser = TestClient(one.app, base_url="http://localhost", headers=origin)
    form = Page(browser.get(f"{CONSOLE}/sign-in").text).fields()
    browser.post(f"{CONSOLE}/sign-in", data=form | {"token": made.json()["token"]})
    return browser


@pytest.fixture(scope="module")
def browsers(one: Apart) -> dict[str, TestClient]:
    return {role: signed_in(one, role) for role in ("pm", "member", "viewer")}


def open_page(browser: TestClient, path: str) -> Page:
    answer = browser.get(path)
    assert answer.status_code == 200, answer.text
    page = Page(answer.text)
    check_inert(page)
    return page


def find_atom(one: Apart, outcome: str) -> str:
    query = "SELECT target_id FROM ledger_hitl_events WHERE outcome = %s AND target_type = 'atom'"
    ((atom_id,),) = one.rows(query, outcome)
    return f"{HOME}/atoms/{atom_id}"


def words_of(page: Page) -> str:
    return " ".join(page.text.split())


def test_a_member_is_offered_to_propose_and_a_viewer_nothing(
    one: Apart, browsers: dict[str, TestClient]
):
    atom = find_atom(one, "proposed")
    for path, decides, proposes in (
        (atom, " Dismiss ", "Propose dismissal"),
        (f"{HOME}/merges", " Merge ", "Propose merge"),
    ):
        pages = {role: words_of(open_page(it, path)) for role, it in browsers.items()}
        assert proposes in pages["member"] and proposes not in pages["pm"]
        assert decides in pages["pm"]
        assert "mia proposes to" in pages["viewer"] + pages["member"]
        assert proposes not in pages["viewer"] and decides not in pages["viewer"]
    forms = open_page(browsers["viewer"], atom).all("form")
    assert not [it for it in forms if it.get("action", "").endswith(("/decide", "/undo"))]


def test_proposals_are_one_queue_that_leads_to_an_answer(browsers: dict[str, TestClient]):
    page = open_page(browsers["pm"], f"{HOME}/proposals")
    answers = [it["action"] for it in page.all("form") if "/proposals/" in it.get("action", "")]
    assert len(answers) == 2
    assert HOSTILE_WHY in words_of(page) and "Proposed by mia" in words_of(page)
    assert "2 proposals to answer" in words_of(open_page(browsers["pm"], HOME))
    theirs = open_page(browsers["member"], f"{HOME}/proposals")
    assert "Proposed by mia" in words_of(theirs)
    assert not [it for it in theirs.all("form") if "/proposals/" in it.get("action", "")]
    sent = page.fields(answers[0]) | {"decision": "accept", "rationale": ""}
    unanswered = browsers["pm"].post(answers[0], data=sent)
    assert unanswered.status_code == 503  # no broker: the page shows the form again
    assert sent["key"] in unanswered.text


def test_who_has_proposed_is_offered_to_withdraw_and_nobody_else(
    one: Apart, browsers: dict[str, TestClient]
):
    def offered(browser: TestClient) -> tuple[Page, list[str]]:
        page = open_page(browser, f"{HOME}/proposals")
        actions = [it.get("action", "") for it in page.all("form")]
        return page, [it for it in actions if it.endswith("/withdraw")]

    assert [offered(browser)[1] for browser in browsers.values()] == [[], [], []]
    mia = signed_in(one, "member", name="mia")
    page, own = offered(mia)
    assert len(own) == 2
    unanswered = mia.post(own[0], data=page.fields(own[0]))
    assert unanswered.status_code == 503  # no broker
    other = open_page(browsers["member"], find_atom(one, "proposed"))
    form = next(it["action"] for it in other.all("form") if it["action"].endswith("/decide"))
    refused = browsers["member"].post(own[0], data=other.fields(form))
    assert refused.status_code == 403
    assert "only who has proposed it withdraws it" in words_of(Page(refused.text))


def test_decisions_are_said_in_words_with_undo_where_nothing_stands_on_them(
    one: Apart, browsers: dict[str, TestClient]
):
    atom = find_atom(one, "applied")
    for path in (f"{HOME}/decisions", f"{HOME}/changes?since=0", atom):
        pages = {role: open_page(it, path) for role, it in browsers.items()}
        for role, page in pages.items():
            shown = words_of(page)
            assert "ana verified “" in shown and f"because “{HOSTILE_WHY}”" in shown
            assert "atom_verification" not in shown and "atom verification" not in shown
            undoing = [it for it in page.all("form") if it.get("action", "").endswith("/undo")]
            assert len(undoing) == (0 if role == "viewer" else 1)
        assert "Propose to undo" in words_of(pages["member"])
        assert "Propose to undo" not in words_of(pages["pm"])


def test_a_page_that_a_role_may_not_see_says_who_may_and_leads_back(
    browsers: dict[str, TestClient],
):
    for role in ("pm", "member", "viewer"):
        refused = browsers[role].get(f"{HOME}/audit")
        page = Page(refused.text)
        assert refused.status_code == 403
        assert "This is for owners; your role is" in words_of(page)
        assert "Forbidden" not in page.text
        assert f"{HOME}" in [it["href"] for it in page.all("a") if "primary" in it.get("class", "")]
    answer = f"{HOME}/proposals/hitl_x/decide"
    assert browsers["member"].post(answer, data={"decision": "accept"}).status_code == 403
