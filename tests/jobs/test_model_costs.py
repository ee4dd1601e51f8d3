"""After a run full of trouble the tables hold what the providers served, to the token; and what was
answered once is read again, from the tables as well, without a call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import pytest

from agents.models.call import Message, ModelAnswer, ModelRequest
from agents.models.errors import AllProvidersFailed, BudgetExceeded
from agents.tools.box import call_tool
from agents.tools.tool import ToolContext, ToolResult
from infra.platform.settings import Settings
from infra.service.asking.agent_tools import AgentTool, ServicePorts, list_agent_tools, open_tools
from infra.service.foundation.publishing import make_request, publish
from infra.service.models.models import has_model, has_research, open_model
from schemas.events.project import BudgetSet
from tests.agents.talks import Topic
from tests.agents.test_specialist import YES, Outside, work
from tests.jobs.conftest import Database
from tests.jobs.test_relay import relay_all
from tests.models.provider import Answer, Failure, Request, Step, scripted_provider
from tests.models.worker import ModelWorker, model_worker
from tests.projections.test_projector import until_folded

pytestmark = pytest.mark.broker

GOOD = '{"found": ["a"]}'
SCHEMA = {
    "type": "object",
    "properties": {"found": {"type": "array", "items": {"type": "string"}}},
    "required": ["found"],
    "additionalProperties": False,
}
TROUBLE: tuple[Step, ...] = (
    Answer(GOOD, (120, 11, 40)),
    Failure(500),
    Answer("no JSON", (130, 13, 0)),
    Failure(429, retry_after="60"),
    Answer('{"found": 5}', (140, 17, 0), model="gpt-5.5-2026-04-23"),
    Failure(529),
    Answer(GOOD, (150, 19, 0), model="gpt-5.5-2026-04-23"),
)


def requests(count: int) -> list[ModelRequest]:
    return [
        ModelRequest(
            tier="standard",
            prompt_version="p1",
            messages=(Message(role="user", content=f"Read part {number}"),),
            answer_schema=SCHEMA,
            project_id="prj_1",
            agent=("reader", "quality_gate")[number % 2],
            stage="map",
            run_id="run_1",
        )
        for number in range(count)
    ]


async def ask_all(settings: Settings, asked: Sequence[ModelRequest]) -> list[ModelAnswer]:
    async with open_model(settings) as model:
        assert model is not None
        return list(await asyncio.gather(*(model.complete(each) for each in asked)))


@pytest.fixture(scope="module")
def worker() -> Iterator[ModelWorker]:
    with model_worker() as running:
        yield running


def settings_of(database: Database, worker: ModelWorker) -> Settings:
    """Those of the database, with the worker's home."""
    return database.settings.model_copy(update={"home": worker.settings.home})


def test_costs_add_up_to_what_was_served_and_an_answer_is_read_again(
    whole: Database, worker: ModelWorker
):
    settings, asked = settings_of(whole, worker), requests(14)
    seen: list[Request] = []

    def stumble(request: Request) -> Step:
        seen.append(request)
        if len(request.messages) > 1:  # the repair of an answer that was no use
            return Answer(GOOD, (160, 23, 0))
        return TROUBLE[len(seen) % len(TROUBLE)]

    with (
        scripted_provider(stumble) as first,
        scripted_provider(lambda _: Answer(GOOD, (100, 10, 0))) as second,
    ):
        worker.configure(openai=first, groq=second)
        answers = asyncio.run(ask_all(settings, asked))
        calls = len(first.requests) + len(second.requests)
        again = asyncio.run(ask_all(settings, asked))
        relay_all(whole)
        asyncio.run(until_folded(settings))
        whole.rows("DELETE FROM model_answers RETURNING 1")
        from_tables = asyncio.run(ask_all(settings, asked))
        assert answers == again == from_tables
        assert len(first.requests) + len(second.requests) == calls
        served = {"openai": first.served, "groq": second.served}

    rows = whole.rows("SELECT * FROM llm_calls")
    assert len(rows) == calls == len(whole.rows("SELECT 1 FROM llm_call_payloads"))
    for provider, usages in served.items():
        of_provider = [row for row in rows if row["provider"] == provider]
        told = ("input_tokens", "output_tokens", "cached_tokens")
        for place, name in enumerate(told):
            assert sum(row[name] for row in of_provider) == sum(each[place] for each in usages)
    assert all(row["price_known"] and not row["usage_estimated"] for row in rows)
    assert sum(row["cost_usd"] for row in rows) == pytest.approx(
        sum(answer.cost_usd or 0 for answer in answers)
    )
    fallbacks = [row for row in rows if row["fallback_from"]]
    assert len(fallbacks) == len(
        whole.rows("SELECT 1 FROM outbox WHERE event_type = 'llm.fallback_used'")
    )
    assert not whole.rows("SELECT 1 FROM model_charges WHERE NOT is_settled")


def test_over_its_budget_nobody_is_asked(whole: Database, worker: ModelWorker):
    settings = settings_of(whole, worker)
    fact = make_request(BudgetSet(scope="run", limit_tokens=1_000), "prj_1", "ana", "k-1")
    asyncio.run(publish(settings, [fact]))
    asyncio.run(until_folded(settings))
    with scripted_provider([]) as provider:
        worker.configure(openai=provider)
        with pytest.raises(BudgetExceeded, match="0 of 1,000 are spent or set aside"):
            asyncio.run(ask_all(settings, requests(1)))
    assert provider.requests == []
    assert whole.rows("SELECT event_type FROM outbox") == [{"event_type": "llm.budget_exceeded"}]


def test_a_call_that_nobody_waits_for_any_more_is_settled(whole: Database, worker: ModelWorker):
    settings = settings_of(whole, worker)

    async def leave_one_behind() -> None:
        async with open_model(settings) as model:
            assert model is not None
            slow = asyncio.create_task(model.complete(requests(1)[0]))
            while not whole.rows("SELECT 1 FROM model_charges"):
                await asyncio.sleep(0)
        assert whole.rows("SELECT is_settled FROM model_charges") == [{"is_settled": True}]
        await slow

    with scripted_provider(lambda _: Answer(GOOD, wait_s=0.5)) as slowly:
        worker.configure(openai=slowly)
        asyncio.run(leave_one_behind())


def test_without_a_worker_all_providers_are_away_and_nothing_stays_set_aside(whole: Database):
    settings = whole.settings
    settings.models_file.write_text('[[providers]]\nname = "openai"\napi_key = "k"\n')
    settings.models_file.chmod(0o600)
    with pytest.raises(AllProvidersFailed):
        asyncio.run(ask_all(settings, requests(1)))
    (charge,) = whole.rows("SELECT is_settled, cost_usd, tokens FROM model_charges")
    assert charge == {"is_settled": True, "cost_usd": 0.0, "tokens": 0}


def test_who_searches_the_web_is_asked_where_it_is_configured_and_by_no_other_tier(
    whole: Database, worker: ModelWorker
):
    settings = settings_of(whole, worker)
    context = ToolContext("prj_1", "human:ana", "member", "eff-1")

    async def research() -> ToolResult:
        tool = open_tools(settings).find("deep_research")
        assert tool is not None
        return await call_tool(tool, context, {"query": "What do others say of seals?"})

    found = {"findings": [{"text": "Seals are signed.", "address": "https://example.org/seals"}]}
    with scripted_provider([found]) as outside, scripted_provider([]) as other:
        worker.configure(openai=other)
        assert open_tools(settings).find("deep_research") is None
        assert not has_research(settings)
        worker.configure(perplexity=outside)
        assert has_research(settings)
        assert not has_model(settings)
        with pytest.raises(AllProvidersFailed):
            asyncio.run(ask_all(settings, requests(1)))
        result = asyncio.run(research())

    assert "Seals are signed. (https://example.org/seals, " in result.text
    assert [request.model for request in outside.requests] == ["sonar-deep-research"]


def test_without_a_provider_there_is_no_model(bare: Settings):
    async def look() -> None:
        async with open_model(bare) as model:
            assert model is None

    asyncio.run(look())


def test_the_analyst_and_the_planner_ask_the_configured_service(
    whole: Database, worker: ModelWorker
):
    settings = settings_of(whole, worker)
    found = {"findings": [{"text": "Seals are signed.", "address": "https://example.org/seals"}]}
    with scripted_provider([found, found]) as outside, scripted_provider([]) as other:
        worker.configure(perplexity=outside)
        (tool,) = [one for one in tools_of(settings) if one.name == "deep_research"]
        ports = ServicePorts(settings, can_research=has_research(settings))
        for request in ("Do deep research on seals", "Derive the features and research seals"):
            told = work(request, Outside(service=ports.research), Topic(), YES)
            assert told.output["research"][0]["address"] == "https://example.org/seals"
        worker.configure(openai=other)

    assert {"analyst", "planner"} <= set(tool.agents)
    assert "deep_research" not in [one.name for one in tools_of(settings)]
    assert [one.model for one in outside.requests] == ["sonar-deep-research"] * 2


def tools_of(settings: Settings) -> list[AgentTool]:
    """The tools as the API lists them."""
    return asyncio.run(list_agent_tools(settings))
