"""Budgets hold under concurrency and after kills; what each call has cost is in the tables."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from agents.models.call import Message, ModelRequest, Usage
from agents.models.errors import BudgetExceeded
from agents.models.prices import Price, PriceTable
from agents.models.watch import Attempt, CallResult, Outcome
from infra.platform.errors import NotFound
from infra.platform.metrics import render
from infra.platform.settings import Settings
from infra.service.foundation.connections import Tables
from infra.service.models.calls import RecordedCalls
from infra.service.upkeep.health import read_samples
from infra.store.jobs.outbox import list_pending, mark_published
from projections.read.costs import CallDetail, CostGroup, read_call, read_costs
from schemas.codec import encode, headers
from schemas.envelope import SYSTEM, outside_fact
from schemas.events.model_calls import PayloadRecorded
from schemas.events.project import BudgetScope, BudgetSet
from schemas.topics import key_of, topic_of
from tests.projections.conftest import ReadModel
from tests.projections.log import Log

PROJECT = "prj_1"
GATE = "quality_gate"  # what it costs is told apart
CENT = Usage(input_tokens=10_000)  # at a dollar a million tokens
PRICES = PriceTable({}, {"lab/m": Price.model_validate({"input": 1, "output": 10})})


def a_request(agent: str = "reader", **fields: Any) -> ModelRequest:
    return ModelRequest(
        tier="fast",
        prompt_version="p1",
        messages=(Message(role="user", content="What is asked"),),
        project_id=PROJECT,
        agent=agent,
        stage="map",
        **fields,
    )


def an_attempt(request: ModelRequest | None = None, **fields: Any) -> Attempt:
    given: dict[str, Any] = {"provider": "lab", "model": "m", "number": 1} | fields
    return Attempt(request=request or a_request(), **given)


def an_outcome(usage: Usage, result: CallResult = "answered", **fields: Any) -> Outcome:
    given: dict[str, Any] = {"served_model": "m", "latency_ms": 5, "text": "It is this"} | fields
    return Outcome(result=result, usage=usage, **given)


@dataclass
class Books:
    """The watch over a database, with a relay and a projector that work when they are asked to."""

    model: ReadModel
    watch: RecordedCalls
    settings: Settings
    tables: Tables
    log: Log = field(default_factory=Log)
    keys: Iterator[int] = field(default_factory=itertools.count)
    folded: int = 0

    def budget(self, scope: BudgetScope, **fields: Any) -> None:
        fact = outside_fact(
            BudgetSet(scope=scope, **fields),
            project_id=PROJECT,
            occurred_at=datetime(2026, 1, 1, tzinfo=UTC),
            actor=SYSTEM,
            natural_key=str(next(self.keys)),
        )
        self.log.write(fact)
        self.fold()

    def fold(self) -> None:
        self.model.fold(self.log.records[self.folded :])
        self.folded = len(self.log.records)

    def publish(self) -> list[str]:
        """Facts of the outbox are in the tables; their types."""
        pending = list_pending(self.model.connection, 1_000)
        for each in pending:
            self.log.write(each.fact)
        mark_published(self.model.connection, pending)
        self.fold()
        return [each.fact.event.type_name for each in pending]

    def expire(self) -> None:
        self.model.connection.execute(
            "UPDATE model_charges SET expires_at = now() - interval '1 second'"
        )

    def reserve_all(self, attempts: Sequence[Attempt], estimate: Usage) -> list[str]:
        """Those that were let through, all asked at once."""

        async def work() -> list[str | BaseException]:
            reserved = (self.watch.reserve(attempt, estimate) for attempt in attempts)
            return await asyncio.gather(*reserved, return_exceptions=True)

        found = asyncio.run(work())
        assert all(isinstance(each, str | BudgetExceeded) for each in found), found
        return [each for each in found if isinstance(each, str)]

    def reserve(self, attempt: Attempt | None = None, estimate: Usage = CENT) -> str:
        return asyncio.run(self.watch.reserve(attempt or an_attempt(), estimate))

    def settle(self, call_id: str, outcome: Outcome, attempt: Attempt | None = None) -> Any:
        return asyncio.run(self.watch.settle(call_id, attempt or an_attempt(), outcome))

    def costs(self) -> list[tuple[Any, ...]]:
        return self.model.rows(
            "SELECT outcome, input_tokens, output_tokens, round(cost_usd::numeric, 6)::float8"
            " FROM llm_calls ORDER BY outcome, input_tokens"
        )


@pytest.fixture
def books(model: ReadModel, tmp_path: Path) -> Iterator[Books]:
    model.connection.execute("TRUNCATE model_charges, outbox")
    settings = Settings(home=tmp_path, database_url=model.conninfo)
    tables = Tables(settings, 8)
    yield Books(model, RecordedCalls(settings, tables, PRICES), settings, tables)
    tables.close()


def test_fifty_calls_at_once_never_go_above_a_dollar(books: Books):
    books.budget("project_day", limit_usd=1.0)
    estimate = Usage(input_tokens=10_000, output_tokens=2_000)  # 3 cents
    let_through = books.reserve_all([an_attempt()] * 50, estimate)
    assert len(let_through) == 33
    for call_id in let_through:
        books.settle(call_id, an_outcome(estimate))
    assert books.reserve_all([an_attempt()] * 3, estimate) == []
    told = books.publish()
    assert told.count("llm.call_completed") == 33
    assert told.count("llm.budget_exceeded") == 20
    assert sum(cost for *_, cost in books.costs()) == pytest.approx(0.99)


def test_what_a_call_has_cost_replaces_what_was_set_aside(books: Books):
    books.budget("project_month", limit_usd=0.05)
    first = books.reserve(estimate=Usage(input_tokens=40_000))
    with pytest.raises(BudgetExceeded, match=r"\$0.0400 of \$0.05 are spent or set aside"):
        books.reserve(estimate=Usage(input_tokens=20_000))
    books.settle(first, an_outcome(CENT))
    for is_shown in (False, True):
        if is_shown:
            books.publish()
        books.settle(books.reserve(estimate=Usage(input_tokens=20_000)), an_outcome(Usage()))


def test_a_call_of_a_killed_process_counts_as_what_was_set_aside_for_it(books: Books):
    books.budget("project_day", limit_usd=0.03)
    books.reserve(estimate=Usage(input_tokens=20_000))  # and nobody settles it
    books.expire()
    books.settle(books.reserve(), an_outcome(CENT))
    with pytest.raises(BudgetExceeded):
        books.reserve()
    books.publish()
    with pytest.raises(BudgetExceeded):
        books.reserve()
    outcomes = {outcome: cost for outcome, _, _, cost in books.costs()}
    assert outcomes == {"answered": 0.01, "lost": 0.02, "budget_exceeded": 0.0}
    assert books.model.value("SELECT count(*) FROM model_charges WHERE NOT is_settled") == 0


def test_what_starts_from_a_run_shares_what_is_left_of_it(books: Books):
    books.budget("run", limit_tokens=25_000)
    parent, child, other = (
        an_attempt(a_request(run_id="run_1")),
        an_attempt(a_request(run_id="run_2", workflow_id="run_1")),
        an_attempt(a_request(run_id="run_3")),
    )
    for attempt in (parent, child):
        books.reserve(attempt)
    with pytest.raises(BudgetExceeded, match="20,000 of 25,000"):
        books.reserve(child)
    books.reserve(other)
    books.reserve(an_attempt(a_request()))


def test_a_budget_of_one_agent_takes_the_place_of_that_of_each(books: Books):
    books.budget("agent", limit_usd=0.01)
    books.budget("agent", agent="writer", limit_usd=0.02)
    reader, writer = an_attempt(a_request("reader")), an_attempt(a_request("writer"))
    assert len(books.reserve_all([reader] * 3, CENT)) == 1
    assert len(books.reserve_all([writer] * 3, CENT)) == 2


def test_a_soft_budget_warns_and_a_lifted_one_is_none(books: Books):
    books.budget("project_day", limit_usd=0.01, hard=False)
    with capture_logs() as logged:
        assert len(books.reserve_all([an_attempt()] * 3, CENT)) == 3
    warned = [line for line in logged if line["event"] == "budget.warning"]
    assert sorted(line["spent"] for line in warned) == [0.0, 0.01, 0.02]
    assert all((line["scope"], line["limit"]) == ("project_day", 0.01) for line in warned)
    books.budget("project_day", limit_usd=0.01)
    assert books.reserve_all([an_attempt()], CENT) == []
    books.budget("project_day")
    assert len(books.reserve_all([an_attempt()], CENT)) == 1


def test_a_model_without_a_price_cannot_keep_to_a_limit_in_money(books: Books):
    unknown = an_attempt(model="x")
    call_id = books.reserve(unknown)
    assert books.settle(call_id, an_outcome(CENT, served_model="x"), unknown) is None
    books.publish()
    assert books.model.rows("SELECT cost_usd, price_known FROM llm_calls") == [(None, False)]
    books.budget("project_day", limit_tokens=50_000)
    books.reserve(unknown)
    books.budget("project_day", limit_usd=10.0)
    with pytest.raises(BudgetExceeded, match="Nobody knows the price of lab/x"):
        books.reserve(unknown)


def test_a_server_of_ones_own_costs_nothing(books: Books):
    local = an_attempt(model="x", is_local=True)
    assert books.settle(books.reserve(local), an_outcome(CENT, served_model="x"), local) == 0.0


def test_the_model_that_served_is_priced(books: Books):
    asked = an_attempt(model="x")
    cost = books.settle(books.reserve(asked), an_outcome(CENT, served_model="m-20260101"), asked)
    assert cost == pytest.approx(0.01)
    books.publish()
    assert books.model.rows("SELECT model, requested_model FROM llm_calls") == [("m-20260101", "x")]


def test_a_served_model_without_a_price_costs_as_the_asked_one_and_keeps_to_budgets(books: Books):
    books.budget("project_day", limit_usd=0.02)
    for is_shown in (False, True):
        if is_shown:
            books.publish()
        served = an_outcome(CENT, served_model="m-by-another-name")
        assert books.settle(books.reserve(), served) == pytest.approx(0.01)
    for is_shown in (False, True):
        if is_shown:
            books.publish()
        with pytest.raises(BudgetExceeded, match=r"\$0.0200 of \$0.02 are spent"):
            books.reserve()
    assert (
        books.model.rows(
            "SELECT model, requested_model, price_known FROM llm_calls WHERE outcome = 'answered'"
        )
        == [("m-by-another-name", "m", True)] * 2
    )


def test_each_attempt_has_one_row_and_a_fallback_says_why(books: Books):
    request = a_request("quality_gate", run_id="run_1", correlation_id="c-1")
    first = an_attempt(request)
    second = an_attempt(
        request, number=2, fallback_from="lab/m", fallback_reason="overloaded", is_local=True
    )
    failed = an_outcome(Usage(), "failed", text="", status=529, error_class="overloaded")
    for attempt, outcome in ((first, failed), (second, an_outcome(CENT))):
        call_id = books.reserve(attempt)
        for _ in range(2):  # said again, it changes nothing
            books.settle(call_id, outcome, attempt)
    assert books.publish() == [
        "llm.call_failed",
        "llm.payload_recorded",
        "llm.call_completed",
        "llm.payload_recorded",
        "llm.fallback_used",
    ]
    assert books.model.rows(
        "SELECT agent, attempt, outcome, error_class, status, fallback_from, cost_usd,"
        " correlation_id FROM llm_calls ORDER BY attempt"
    ) == [
        ("quality_gate", 1, "failed", "overloaded", 529, None, 0.0, "c-1"),
        ("quality_gate", 2, "answered", "", None, "lab/m", 0.0, "c-1"),
    ]


def test_a_call_that_cannot_be_settled_is_named_in_the_log(books: Books):
    call_id = books.reserve()
    books.model.connection.execute("ALTER TABLE outbox RENAME TO outbox_away")
    try:
        with capture_logs() as logged, pytest.raises(Exception, match="outbox"):
            books.settle(call_id, an_outcome(CENT))
    finally:
        books.model.connection.execute("ALTER TABLE outbox_away RENAME TO outbox")
    assert [(line["event"], line["call_id"]) for line in logged] == [
        ("models.charge_not_recorded", call_id)
    ]


def test_costs_add_up_by_agent_model_run_and_day(books: Books):
    for agent, run_id, tokens in (("reader", "r1", 10), ("reader", "r2", 20), (GATE, None, 30)):
        attempt = an_attempt(a_request(agent, run_id=run_id))
        call_id = books.reserve(attempt)
        books.settle(call_id, an_outcome(Usage(input_tokens=tokens, output_tokens=1)), attempt)
    books.publish()

    def lines(group: CostGroup) -> list[tuple[str, int, float]]:
        found = read_costs(books.model.connection, PROJECT, group)
        assert sum(line.input_tokens for line in found.lines) == found.total.input_tokens == 60
        return [(each.key, each.calls, round(each.cost_usd, 6)) for each in found.lines]

    assert lines("agent") == [("reader", 2, 50e-6), (GATE, 1, 40e-6)]
    assert lines("run") == [("-", 1, 40e-6), ("r2", 1, 30e-6), ("r1", 1, 20e-6)]
    assert [key for key, *_ in lines("model")] == ["lab/m"]
    assert [calls for _, calls, _ in lines("call")] == [1, 1, 1]
    assert lines("stage") == [("map", 3, 90e-6)]
    assert [key for key, *_ in lines("role")] == [attempt.request.tier]
    ((day, calls, cost_usd),) = books.model.rows(
        "SELECT to_char(day, 'YYYY-MM-DD'), sum(calls), sum(cost_usd) FROM cost_daily GROUP BY day"
    )
    assert lines("day") == [(day, calls, round(cost_usd, 6))]


def test_metrics_have_calls_tokens_and_cost_by_agent(books: Books):
    attempt = an_attempt(a_request(GATE))
    books.settle(books.reserve(attempt), an_outcome(CENT), attempt)
    books.publish()
    lines = render(asyncio.run(read_samples(books.settings, books.tables))).splitlines()
    assert f'cairn_model_calls_total{{agent="{GATE}",outcome="answered"}} 1' in lines
    assert f'cairn_model_tokens_total{{agent="{GATE}",direction="input"}} 10000' in lines
    assert f'cairn_model_cost_dollars_total{{agent="{GATE}"}} 0.01' in lines


def test_texts_of_calls_are_kept_for_ninety_days(books: Books):
    call_id = books.reserve()
    books.settle(call_id, an_outcome(CENT, text="An answer\0"))
    books.publish()

    def read(project: str = PROJECT) -> CallDetail:
        return read_call(books.model.connection, project, call_id)

    kept = read()
    assert kept.prompt and "What is asked" in kept.prompt
    assert (kept.response, kept.outcome, kept.cost_usd) == ("An answer\ufffd", "answered", 0.01)
    with pytest.raises(NotFound, match=call_id):
        read("prj_2")
    later = outside_fact(
        PayloadRecorded(call_id="llm_2", prompt="p", response="r"),
        project_id=PROJECT,
        occurred_at=datetime(2099, 1, 1, tzinfo=UTC),
        actor=SYSTEM,
    )
    recorded = later.recorded(later.occurred_at)
    place = (topic_of(later).name, key_of(later).encode())
    books.log.write_bytes(*place, encode(recorded), tuple(headers(later)))
    books.fold()
    assert books.model.rows("SELECT call_id FROM llm_call_payloads") == [("llm_2",)]
    assert (read().prompt, read().response, read().kept_until) == (None, None, None)
