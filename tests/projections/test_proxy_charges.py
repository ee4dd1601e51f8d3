"""What a program behind walls asks of models is charged to its project, under its workflow."""

from __future__ import annotations

import asyncio

import httpx

from infra.service.models.proxy import open_proxy
from tests.models.provider import Answer, scripted_provider
from tests.models.worker import ModelWorker
from tests.projections.test_model_charges import PROJECT, Books
from tests.projections.test_model_charges import books as books  # the fixture


async def ask(books: Books, worker: ModelWorker, times: int) -> list[int]:
    async with (
        open_proxy(
            worker.settings,
            books.watch,
            project_id=PROJECT,
            workflow_id="wf-7",
            agent="developer",
            models=("lab/m",),
            ttl_s=60,
        ) as access,
        httpx.AsyncClient(trust_env=False, timeout=60) as client,
    ):
        message = {"role": "user", "content": "Name a color."}
        body = {"model": "lab/m", "messages": [message], "max_tokens": 100}
        headers = {"authorization": f"Bearer {access.token}"}
        place = f"{access.base_url}/chat/completions"
        return [
            (await client.post(place, json=body, headers=headers)).status_code for _ in range(times)
        ]


def test_a_call_through_the_proxy_costs_its_workflow(books: Books, model_worker: ModelWorker):
    with scripted_provider([Answer("Blue.", (70, 9, 0))]) as provider:
        fields = {"base_url": provider.base_url, "api_key": "k", "models": ["m"]}
        model_worker.configure(lab=fields)
        assert asyncio.run(ask(books, model_worker, 1)) == [200]
    assert "llm.call_completed" in books.publish()
    ((workflow_id, agent, role, tokens, cost_usd),) = books.model.rows(
        "SELECT workflow_id, agent, tier, input_tokens + output_tokens, cost_usd FROM llm_calls"
    )
    assert (workflow_id, agent, role, tokens) == ("wf-7", "developer", "draft", 79)
    assert cost_usd > 0


def test_a_budget_holds_for_the_proxy_too(books: Books, model_worker: ModelWorker):
    books.budget("run", limit_tokens=300)
    with scripted_provider([Answer("Blue.", (150, 9, 0))] * 3) as provider:
        fields = {"base_url": provider.base_url, "api_key": "k", "models": ["m"]}
        model_worker.configure(lab=fields)
        assert asyncio.run(ask(books, model_worker, 3)) == [200, 200, 402]
        assert len(provider.requests) == 2
