"""What a model is told of the items before: all of them, or a summary and the titles."""

from __future__ import annotations

import asyncio

from agents.loop import FULL_ITEMS
from agents.synthesis.lists import EarlierItem, EarlierItems
from agents.synthesis.wording import Caller
from tests.models.provider import Request
from tests.reduce.ledgers import PROJECT, Play
from tests.synthesis.chat import Project

TOKENS_OF_AN_ANSWER = 1_104  # of the model without a network
ITEMS = [EarlierItem(f"Insight {number}", f"what {number} says") for number in range(1, 101)]


def sum_up(request: Request) -> dict[str, str]:
    told = request.text.count("- Insight ")
    return {"summary": f"It is about {told} things."}


def test_fifty_items_are_told_in_full_and_nobody_sums_them_up(scripted):
    model, provider = scripted(sum_up)

    said = asyncio.run(EarlierItems(model, Caller(PROJECT)).describe(ITEMS[:FULL_ITEMS]))

    assert all(f"- {one.title}: {one.text}" in said for one in ITEMS[:FULL_ITEMS])
    assert provider.requests == []


def test_of_more_items_a_summary_and_all_titles_are_told(scripted):
    model, provider = scripted(sum_up)
    earlier = EarlierItems(model, Caller(PROJECT))

    said = asyncio.run(earlier.describe(ITEMS[:60]))

    assert said.startswith("It is about 60 things.")
    assert [f"- {one.title}" for one in ITEMS[:60]] == said.split("\n")[1:]
    asyncio.run(earlier.describe(ITEMS[:70]))
    assert len(provider.requests) == 1
    assert "85 things" in asyncio.run(earlier.describe(ITEMS[:85]))


def test_what_a_summary_costs_is_counted(scripted):
    model, _ = scripted(sum_up)
    writer = Project(Play()).writer(model)

    asyncio.run(EarlierItems(writer.model, writer.caller).describe(ITEMS))

    assert writer.report.tokens == TOKENS_OF_AN_ANSWER
