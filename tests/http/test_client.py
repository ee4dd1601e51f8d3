"""The client: attempts, keys, pages, problems and streams, against answers of a transport."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from infra.cli.bringing import await_recorded
from infra.cli.calls import Cairn
from infra.client.client import Client
from infra.client.events import Frame, parse
from infra.client.models.ingestion import IngestionStatus
from infra.client.models.planning import MemberUpdate
from infra.client.models.projects import ProjectRequest
from infra.platform.errors import (
    BrokerUnavailable,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    Refusal,
    Unavailable,
)

PROJECT = {
    "project_id": "prj_1",
    "name": "Parcel",
    "description": "",
    "created_at": "2026-05-01T12:00:00Z",
    "sources": 1,
    "atoms": 2,
}
Answer = httpx.Response | httpx.TransportError


class Service:
    """Answers in turn; notes what it was asked and how long the client paused."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = iter(answers)
        self.asked: list[httpx.Request] = []
        self.pauses: list[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = next(self._answers)
        if isinstance(answer, httpx.TransportError):
            raise answer
        return answer

    def client(self, url: str = "https://cairn.example") -> Client:
        transport = httpx.MockTransport(self)
        return Client(url, "a token", transport=transport, pause=self.pauses.append)


def an_ingest(state: str, **more: Any) -> dict[str, Any]:
    counts = ("listed", "ready", "skipped", "chunks_total", "chunks_done", "atoms", "prd_version")
    where = {name: "" for name in ("url", "documents_url")}
    known = {"trigger_key": "k", "project_id": "prj_1", "state": state, "settled": False}
    empty: dict[str, Any] = {"skip_reasons": {}, "by_rules": {}, "runs": []}
    return {**dict.fromkeys(counts, 0), **where, **known, **empty, **more}


def problem(status: int, code: str, **detail: Any) -> httpx.Response:
    body = {"code": code, "message": f"It is {code}.", "detail": detail, "correlation_id": "c1"}
    kind = {"content-type": "application/problem+json", "retry-after": "3"}
    return httpx.Response(status, json=body, headers=kind)


def events(*lines: str) -> httpx.Response:
    return httpx.Response(200, text="\n".join([*lines, ""]))


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "malformed_request", Invalid),
        (401, "unauthenticated", Forbidden),
        (403, "role_not_allowed", Forbidden),
        (404, "unknown_project", NotFound),
        (409, "stale_revision", Conflict),
        (413, "body_too_large", Invalid),
        (422, "key_invalid", Invalid),
    ],
)
def test_a_problem_is_the_error_that_the_service_raised(
    status: int, code: str, kind: type[Refusal]
):
    service = Service(problem(status, code, target="atm_1"))
    with service.client() as client, pytest.raises(Refusal) as raised:
        client.read_project("prj_1")
    assert type(raised.value) is kind
    assert (str(raised.value), raised.value.code) == (f"It is {code}.", code)
    assert raised.value.detail == {"target": "atm_1"}
    assert len(service.asked) == 1


def test_a_write_is_tried_again_with_the_same_key_and_the_same_body():
    service = Service(
        httpx.ConnectError("refused"),
        httpx.ReadError("cut off"),
        problem(429, "too_many_requests"),
        problem(503, "broker_unavailable"),
        httpx.Response(201, json=PROJECT),
    )
    with service.client() as client:
        made = client.create_project(ProjectRequest(name="Parcel"))
    assert made.project_id == "prj_1"
    assert len({request.headers["idempotency-key"] for request in service.asked}) == 1
    assert {request.content for request in service.asked} == {b'{"name":"Parcel"}'}
    assert service.pauses == [0.5, 1.0, 3.0, 4.0]  # the service asks for 3 s, no less


def test_a_given_key_is_the_one_that_is_sent_and_two_writes_have_two_keys():
    service = Service(*(httpx.Response(201, json=PROJECT) for _ in range(3)))
    with service.client() as client:
        client.create_project(ProjectRequest(name="Parcel"), key="mine")
        client.create_project(ProjectRequest(name="Parcel"))
        client.create_project(ProjectRequest(name="Parcel"))
    first, *drawn = [request.headers["idempotency-key"] for request in service.asked]
    assert first == "mine"
    assert len(set(drawn)) == 2


@pytest.mark.parametrize(
    ("answer", "kind", "code"),
    [
        (problem(503, "broker_unavailable"), BrokerUnavailable, "broker_unavailable"),
        (problem(503, "disk_full"), Unavailable, "disk_full"),
        (httpx.ConnectError("refused"), Unavailable, "service_unreachable"),
        (httpx.Response(502, text="<html>"), Unavailable, "service_unreachable"),
    ],
)
def test_what_stays_away_is_unavailable_after_some_attempts(
    answer: Answer, kind: type[Refusal], code: str
):
    service = Service(*[answer] * 5)
    with service.client() as client, pytest.raises(kind) as raised:
        client.read_me()
    assert raised.value.code == code
    assert len(service.asked) == 5


@pytest.mark.parametrize("status", [200, 301, 404])
def test_an_address_without_a_service_is_said_so(status: int):
    service = Service(httpx.Response(status, text="<html>Welcome</html>"))
    with (
        service.client() as client,
        pytest.raises(Refusal, match=r"https://cairn\.example") as said,
    ):
        client.read_me()
    assert said.value.code == "no_such_service"


def test_a_list_is_walked_through_page_by_page_and_no_further_than_asked():
    first = {"items": [PROJECT, PROJECT], "next_cursor": "behind"}
    service = Service(
        httpx.Response(200, json=first),
        httpx.Response(200, json={"items": [PROJECT], "next_cursor": None}),
        httpx.Response(200, json=first),
    )
    with service.client() as client:
        assert len(list(client.list_projects(name="Parcel"))) == 3
        assert len(list(client.list_projects().take(2))) == 2
    assert [dict(request.url.params) for request in service.asked] == [
        {"name": "Parcel", "limit": "1000"},
        {"name": "Parcel", "limit": "1000", "cursor": "behind"},
        {"limit": "2"},
    ]


def test_only_what_was_set_is_sent():
    member = {"member_id": "mem_1", "name": "Ada", "role": "", "skills": {}, "capacity_points": 0}
    service = Service(httpx.Response(200, json=member | {"availability": []}))
    with service.client() as client:
        client.update_member("prj_1", "mem_1", MemberUpdate(role=None, name="Ada"))
    assert service.asked[0].content == b'{"role":null,"name":"Ada"}'


def test_fields_that_a_newer_service_adds_are_left_out():
    service = Service(httpx.Response(200, json=PROJECT | {"colour": "blue"}))
    with service.client() as client:
        assert "colour" not in client.read_project("prj_1").model_dump()


def test_a_stream_goes_on_behind_its_last_frame_until_it_has_ended():
    service = Service(
        events(
            "id: e-1", "event: begun", 'data: {"n": 1}', "", ": hb", "", "event: hb", "data: {}", ""
        ),
        httpx.ReadError("cut off"),
        problem(503, "database_unavailable"),
        events("id: e-2", "event: done", 'data: {"n":', "data: 2}", ""),
        httpx.Response(204),
    )
    with service.client() as client:
        frames = list(client.follow_stream("run_1"))
    assert frames == [Frame("e-1", "begun", {"n": 1}), Frame("e-2", "done", {"n": 2})]
    sent = [request.headers.get("last-event-id") for request in service.asked]
    assert sent == [None, "e-1", "e-1", "e-1", "e-2"]


@pytest.mark.parametrize(
    ("answers", "kind"),
    [([problem(404, "unknown_stream")], NotFound), ([httpx.ReadError("cut")] * 9, Unavailable)],
)
def test_a_stream_that_is_refused_or_stays_away_raises(
    answers: Sequence[Answer], kind: type[Refusal]
):
    with Service(*answers).client() as client, pytest.raises(kind):
        list(client.follow_stream("run_1"))


@pytest.mark.parametrize(
    ("lines", "frames"),
    [
        (["data: {}", ""], [Frame("", "message", {})]),
        (
            ["id:7", "event:x", "data:{}", "", "data: {}", ""],
            [Frame("7", "x", {}), Frame("7", "message", {})],
        ),
        (["event: nothing", ""], []),
        (["data: {}"], []),  # cut off: the frame is not whole
        ([": comment", "retry: 10", "unknown", "data: {}", ""], [Frame("", "message", {})]),
    ],
)
def test_events_are_read_by_the_rules(lines: list[str], frames: list[Frame]):
    assert list(parse(lines)) == frames


def test_who_waits_for_an_ingest_is_told_once_what_holds_it_up():
    feed = {"listed": 1, "fed": 1, "unchanged": 0, "already_processed": 0, "bytes_fed": 9}
    outage = {"code": "unavailable", "message": "The broker does not answer.", "status": 503}
    answers = (
        an_ingest("retrying", problem=outage),
        an_ingest("retrying", problem=outage),
        an_ingest("reading", feed=feed | {"unreadable": []}),
    )
    service = Service(*(httpx.Response(200, json=each) for each in answers))
    told: list[str] = []
    with Cairn("https://cairn.example", transport=httpx.MockTransport(service)) as cairn:
        kept = IngestionStatus.model_validate(an_ingest("waiting"))
        done = await_recorded(cairn, kept, told.append, stalled_after_s=0)
    assert (done.state, len(service.asked)) == ("reading", 3)
    waits, problem_of_it = told
    assert "(state: waiting); still waiting. See whether a worker runs" in waits
    assert problem_of_it == "The broker does not answer."
