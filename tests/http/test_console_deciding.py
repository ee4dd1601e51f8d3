"""What somebody writes while they decide is not lost, and a page says what there is to decide.

The project was read in memory, and no broker answers here: a decision cannot be recorded.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.platform import postgres
from infra.platform.settings import Settings
from infra.service.access.tokens import read_owner_token
from projections.core import CORE
from projections.projector import prepare
from schemas.events.project import ProjectCreated
from streams.memory import Driver
from streams.pipeline import pipeline
from tests.http.apart import Apart, apart
from tests.http.conftest import DISAGREEING
from tests.http.console import CONSOLE, Page, check_inert
from tests.projections.conftest import ReadModel
from tests.projections.log import records_in
from tests.whole.test_faults import read
from tests.worlds import PROJECT, fact, ingestion

pytestmark = pytest.mark.broker
HOME = f"{CONSOLE}/projects/{PROJECT}"
WRITTEN = "I have read <b>both</b> of them."


@pytest.fixture(scope="module")
def one(database_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    driver = Driver(pipeline(read), partitions=1)
    driver.publish([fact(ProjectCreated(name="Shop"))])
    driver.publish(ingestion({path: text.encode() for path, text in DISAGREEING.items()}))
    driver.run()
    servers = Settings(database_url=database_server, kafka_bootstrap="127.0.0.1:1", reader=False)
    with apart(servers, tmp_path_factory.mktemp("deciding")) as made:
        conninfo = made.settings.conninfo
        with postgres.connect(conninfo, autocommit=True) as connection:
            prepare(connection, CORE.schema)
            ReadModel(conninfo, connection).fold(records_in(driver))
        form = Page(made.client.get(f"{CONSOLE}/sign-in").text).fields()
        token = {"token": read_owner_token(made.settings)}
        made.client.post(f"{CONSOLE}/sign-in", data=form | token)
        yield made


def open_page(one: Apart, path: str) -> Page:
    answer = one.client.get(path)
    assert answer.status_code == 200, answer.text
    return Page(answer.text)


def test_a_page_counts_one_as_one(one: Apart):
    overview = open_page(one, HOME).text
    assert "1 contradiction to decide" in " ".join(overview.split())
    assert "contradictions to decide" not in overview


def test_sources_that_are_gone_are_not_counted(one: Apart):
    (listed,) = one.client.get("/v1/projects").json()["items"]
    assert listed["sources"] == len(DISAGREEING)
    one.rows(
        "UPDATE sources SET removed_at = updated_at + interval '1 second' WHERE path = 'audit.md'"
    )
    (listed,) = one.client.get("/v1/projects").json()["items"]
    one.rows("UPDATE sources SET removed_at = NULL")
    assert listed["sources"] == len(DISAGREEING) - 1


def test_posting_a_form_does_not_query_the_navigation(one: Apart):
    page = open_page(one, f"{HOME}/changes")
    form = f"{HOME}/changes/seen"
    sent = page.fields(form)
    one.rows("ALTER TABLE saved_views RENAME TO away")
    try:
        done = one.client.post(form, data=sent, follow_redirects=False)
    finally:
        one.rows("ALTER TABLE away RENAME TO saved_views")
    assert done.status_code == 303, done.text


def form_on(page: Page, area: str) -> str:
    return next(
        it["action"]
        for it in page.all("form")
        if f"/{area}/" in it.get("action", "") and it["action"].endswith("/decide")
    )


def test_an_atom_leads_to_the_contradictions_that_wait_for_a_decision_about_it(one: Apart):
    (card,) = [
        it["action"].removesuffix("/decide")
        for it in open_page(one, f"{HOME}/contradictions").all("form")
        if "/contradictions/" in it.get("action", "")
    ]
    sides = {it["href"] for it in open_page(one, card).all("a") if "/atoms/" in it["href"]}
    assert len(sides) == 2
    for side in sides:
        atom = open_page(one, side)
        assert card in [it["href"] for it in atom.all("a")]
        assert "Contradictions to decide" in atom.text and "against " in atom.text
    listed = open_page(one, f"{HOME}/ledger").all("a")
    other = next(
        it["href"]
        for it in listed
        if "data-open" in it and it["href"].partition("?")[0] not in sides
    )
    assert "Contradictions to decide" not in open_page(one, other).text
    assert one.client.get(f"{HOME}/contradictions/ctr_none").status_code == 404


@pytest.mark.parametrize(
    ("place", "area", "decision"),
    [
        ("ledger?min_confidence=0.5", "atoms", "dismiss"),
        ("contradictions?status=open", "contradictions", "b_wins"),
        ("merges?state=open", "merges", "reject"),
    ],
)
def test_a_decision_that_nobody_answers_can_be_sent_again_as_it_was_written(
    one: Apart, place: str, area: str, decision: str
):
    place = f"{HOME}/{place}"
    page = open_page(one, place)
    if area == "atoms":
        place = next(it["href"] for it in page.all("a") if "data-open" in it)
        page = open_page(one, place)
    form = form_on(page, area)
    sent = page.fields(form) | {"decision": decision, "rationale": WRITTEN}
    for _ in range(2):  # what is sent again may be refused again
        answer = one.client.post(form, data=sent, headers={"referer": f"http://localhost{place}"})
        assert answer.status_code == 503, answer.text
        shown = Page(answer.text)
        check_inert(shown)
        assert 'class="problem" role="alert"' in answer.text
        assert WRITTEN in shown.text or WRITTEN in [it.get("value") for it in shown.all("input")]
        again = shown.fields(form)
        kept = again.items() - {("mark", again["mark"])}
        assert kept == {it for it in sent.items() if it[0] in again and it[0] != "mark"}
        chosen = [it["value"] for it in shown.all("input") if "checked" in it]
        assert chosen == ([decision] if area == "contradictions" else [])
        sent |= again
