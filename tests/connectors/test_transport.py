"""The way out: patient where it may be, within its budget, and silent about secrets."""

from __future__ import annotations

import asyncio
import copy
import pickle
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from connectors.connector import SourceRefused, SourceUnavailable
from connectors.http_client import check_base_url
from connectors.rate_limits import Budget
from connectors.transport import (
    AccessLost,
    AnswerLost,
    BudgetSpent,
    Patience,
    Response,
    Secret,
    Transport,
)
from tests.connectors.github_side import a_server
from tests.connectors.stand_ins.github import LIMIT, GitHubServer
from tests.connectors.stand_ins.server import Fault

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LIST = "repos/acme/shop/issues"


@dataclass
class Time:
    """A clock that a wait moves on."""

    at: datetime = NOW
    waits: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.at += timedelta(seconds=seconds)


Asking = Callable[[GitHubServer, Transport], Awaitable[Response]]


def asked(
    ask: Asking, *, faults: list[Fault] | None = None, time: Time | None = None,
    budget: Budget | None = None, max_answer_bytes: int = 2**20, patience: Patience | None = None,
) -> tuple[Response, GitHubServer]:  # fmt: skip
    time = time or Time()

    async def run() -> tuple[Response, GitHubServer]:
        options: dict[str, Any] = {
            "clock": time,
            "sleep": time.sleep,
            "max_answer_bytes": max_answer_bytes,
        }
        options |= {"patience": patience} if patience else {}
        async with a_server(budget=budget, **options) as (server, transport):
            server.add("acme/shop").open_issue("One", "It is one.")
            server.faults = faults or []
            return await ask(server, transport), server

    return asyncio.run(run())


async def the_list(server: GitHubServer, transport: Transport) -> Response:
    return await transport.get(LIST)


@pytest.mark.parametrize(
    "fault",
    [Fault(500), Fault(502), Fault(503), Fault(504), Fault(0, drop=True)],
    ids=lambda fault: str(fault.status),
)
def test_temporary_faults_are_retried_with_growing_pauses(fault: Fault) -> None:
    time = Time()
    answer, server = asked(the_list, faults=[fault] * 3, time=time)
    assert len(answer.json()) == 1
    assert len(server.asked) == 4
    assert len(time.waits) == 3
    assert 0.25 <= time.waits[0] <= 0.75 < time.waits[2] <= 3.0


def test_what_does_not_pass_is_given_up_by_name() -> None:
    with pytest.raises(SourceUnavailable, match="502"):
        asked(the_list, faults=[Fault(502)] * 5)


@pytest.mark.parametrize("status", [429, 403])
def test_a_secondary_limit_is_waited_for_as_long_as_it_says(status: int) -> None:
    time = Time()
    fault = Fault(status, {"Retry-After": "17"}, "You have exceeded a secondary rate limit")
    asked(the_list, faults=[fault], time=time)
    assert time.waits == [17.0]


def test_retry_after_as_a_date_is_read_by_the_services_own_clock() -> None:
    time = Time()
    headers = {
        "Retry-After": "Thu, 01 Jan 2026 07:00:20 GMT",
        "Date": "Thu, 01 Jan 2026 07:00:00 GMT",
    }
    asked(the_list, faults=[Fault(503, headers)], time=time)
    assert time.waits == [20.0]


def test_headers_and_bodies_that_make_no_sense_are_no_fault_of_ours() -> None:
    now = "Thu, 01 Jan 2026 12:00:00 -0000"
    huge = {"Retry-After": "9" * 5_000, "X-RateLimit-Reset": "9" * 5_000, "Date": now}
    limits = {"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0"}
    answer, _ = asked(the_list, faults=[Fault(503, huge | limits)])
    assert len(answer.json()) == 1
    assert Response(200, {"date": now}, b"").at == NOW
    with pytest.raises(SourceUnavailable):
        Response(200, {}, b"[" * 1_000_000).json()


def test_a_long_wait_is_left_to_a_later_poll() -> None:
    with pytest.raises(BudgetSpent) as caught:
        asked(the_list, faults=[Fault(429, {"Retry-After": "1800"})])
    assert caught.value.until == NOW + timedelta(seconds=1800)


def test_a_sync_leaves_others_their_share_of_the_limit() -> None:
    budget = Budget(percent=25)

    async def until_it_stops(server: GitHubServer, transport: Transport) -> Response:
        server.remaining = LIMIT - LIMIT // 4 + 3
        server.skew = timedelta(hours=-7)  # its clock is wrong; what counts is the difference
        while True:
            await transport.get(LIST)

    with pytest.raises(BudgetSpent) as caught:
        asked(until_it_stops, budget=budget)
    assert budget.remaining_requests == LIMIT - LIMIT // 4
    assert caught.value.until == NOW + timedelta(hours=1)


@pytest.mark.parametrize(
    ("told", "free_in_s"),
    [
        ({"x-ratelimit-reset": str(int(NOW.timestamp()) + 90)}, 90),
        ({"x-ratelimit-reset": "2026-01-01T12:02Z"}, 120),
        ({"x-ratelimit-reset": "2026-01-01T12:02"}, 120),
        ({"x-ratelimit-fillrate": "20", "x-ratelimit-interval-seconds": "3"}, 15),
        ({}, None),
        ({"x-ratelimit-reset": "soon"}, None),
        ({"x-ratelimit-reset": "9" * 30}, None),
    ],
)
def test_each_services_way_to_tell_its_limit_is_understood(
    told: dict[str, str], free_in_s: int | None
) -> None:
    budget = Budget(percent=50)
    budget.learn("core", {"x-ratelimit-limit": "100", "x-ratelimit-remaining": "9"} | told, NOW)
    assert budget.remaining_requests == 9
    until = budget.free_at("core", NOW)
    assert until == (NOW + timedelta(seconds=free_in_s) if free_in_s else None)


def test_an_account_that_is_blocked_is_asked_by_none_of_its_streams() -> None:
    budget = Budget(blocked_until=NOW + timedelta(minutes=5))
    with pytest.raises(BudgetSpent):
        asked(the_list, budget=budget)
    assert budget.requests == 0


def test_what_has_not_changed_costs_nothing() -> None:
    async def twice(server: GitHubServer, transport: Transport) -> Response:
        first = await transport.get(LIST)
        before = server.remaining
        again = await transport.get(LIST, etag=first.etag)
        assert server.remaining == before
        return again

    answer, _ = asked(twice)
    assert answer.is_unchanged


@pytest.mark.parametrize(
    ("status", "reason"), [(401, "unauthorised"), (403, "forbidden"), (404, "not_found")]
)
def test_lost_access_has_its_own_name(status: int, reason: str) -> None:
    async def denied(server: GitHubServer, transport: Transport) -> Response:
        server.denied["issues"] = status
        return await transport.get(LIST)

    with pytest.raises(AccessLost) as caught:
        asked(denied)
    assert caught.value.reason == reason


def test_an_answer_without_an_end_is_cut() -> None:
    with pytest.raises(SourceRefused, match="more than"):
        asked(the_list, faults=[Fault(200, body="x" * 2_000)], max_answer_bytes=1_000)


def test_credentials_go_to_no_other_host() -> None:
    async def led_away(server: GitHubServer, transport: Transport) -> Response:
        return await transport.get("https://elsewhere.invalid/steal")

    with pytest.raises(SourceRefused, match="another host"):
        asked(led_away)
    moved = Fault(302, {"Location": "https://elsewhere.invalid/steal"})
    with pytest.raises(SourceRefused, match="another host"):
        asked(the_list, faults=[moved])


@pytest.mark.parametrize(
    "place",
    [
        "",
        "http://[::1",
        "https://api.example.org:99999/x",
        "//xn--a/",
        "https://xn--",
        "a" * 70_000,
    ],
)
def test_a_redirect_to_no_address_is_refused_by_name(place: str) -> None:
    with pytest.raises(SourceRefused, match="points to (what is no address|another host)"):
        asked(the_list, faults=[Fault(302, {"Location": place} if place else {})] * 9)


@pytest.mark.parametrize(
    "url", ["http://api.example.org", "https://ada:pass@example.org", "ftp://example.org", "x"]
)
def test_an_address_that_would_give_the_credential_away_is_refused(url: str) -> None:
    with pytest.raises(SourceRefused) as caught:
        check_base_url(url)
    assert "pass" not in str(caught.value).replace("password", "")


def test_a_secret_is_shown_by_nothing() -> None:
    secret = Secret("hunter2-hunter2")
    assert "hunter2" not in f"{secret} {secret!r} {[secret]}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        copy.deepcopy(secret)


def test_no_error_holds_the_credential() -> None:
    for fault in (Fault(401), Fault(500), Fault(418), Fault(0, drop=True)):
        try:
            asked(the_list, faults=[fault] * 5)
        except (SourceRefused, SourceUnavailable) as error:
            told = "".join(traceback.format_exception(error))
            assert "stand-in-token" not in told
        else:
            pytest.fail("it was answered")


async def a_change(server: GitHubServer, transport: Transport) -> Response:
    return await transport.send("POST", LIST, body={"title": "Two"}, is_repeatable=False)


async def a_search(server: GitHubServer, transport: Transport) -> Response:
    return await transport.send("GET", LIST, params={"page": 1}, is_repeatable=True)


@dataclass
class Watched:
    """Lets a test look at the server after an error, too."""

    ask: Asking
    server: GitHubServer | None = None

    async def __call__(self, server: GitHubServer, transport: Transport) -> Response:
        self.server = server
        return await self.ask(server, transport)

    @property
    def requests(self) -> int:
        return len(self.server.asked) if self.server else 0


@pytest.mark.parametrize(
    "fault",
    [
        *map(Fault, (408, 500, 502, 503, 504)),
        Fault(503, {"Retry-After": "1"}),
        Fault(0, drop=True),
        Fault(200, drop=True),
        Fault(200, body="x" * 2_000),
    ],
    ids=lambda fault: f"{fault.status} {'drop' if fault.drop else ''}{len(fault.body)}",
)
def test_a_change_whose_answer_is_lost_is_sent_once_and_says_so(fault: Fault) -> None:
    change, time = Watched(a_change), Time()
    with pytest.raises(AnswerLost, match="may or may not have been carried out"):
        asked(change, faults=[fault] * 3, time=time, max_answer_bytes=1_000)
    assert change.requests == 1
    assert time.waits == []


@pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 401, 404, 409, 422])
def test_other_answers_to_a_change_are_returned_as_they_are(status: int) -> None:
    fault = Fault(status, {"Location": "/elsewhere"}, '{"message": "no"}')
    answer, server = asked(a_change, faults=[fault])
    assert (answer.status, answer.json()) == (status, {"message": "no"})
    assert len(server.asked) == 1


def test_a_limited_change_is_not_sent_again_and_stops_the_account() -> None:
    change, budget = Watched(a_change), Budget()
    with pytest.raises(BudgetSpent) as caught:
        asked(change, faults=[Fault(429, {"Retry-After": "7"})], budget=budget)
    assert change.requests == 1
    assert budget.blocked_until == caught.value.until == NOW + timedelta(seconds=7)


def test_a_change_that_could_not_be_sent_is_tried_again() -> None:
    time = Time()

    async def with_nobody_there() -> None:
        async def nothing() -> dict[str, str]:
            return {}

        closed = "http://127.0.0.1:9"
        async with Transport(closed, nothing, Budget(), clock=time, sleep=time.sleep) as transport:
            await transport.send("POST", "x", body={}, is_repeatable=False)

    with pytest.raises(SourceUnavailable, match="ConnectError") as caught:
        asyncio.run(with_nobody_there())
    assert not isinstance(caught.value, AnswerLost)
    assert len(time.waits) == 4


def test_a_search_sent_by_any_method_is_repeated_as_far_as_patience_goes() -> None:
    answer, server = asked(a_search, faults=[Fault(502)] * 2)
    assert len(answer.json()) == 1
    assert len(server.asked) == 3

    search, patience = Watched(a_search), Patience(attempts=2, advice="try again later")
    with pytest.raises(SourceUnavailable, match="502: try again later"):
        asked(search, faults=[Fault(502)] * 3, patience=patience)
    assert search.requests == 2
