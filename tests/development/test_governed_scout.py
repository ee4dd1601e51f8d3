"""Outside sources on a question: searched deeper where they leave it open, and always cited."""

from __future__ import annotations

from schemas.events.workflow_stages import StageArtifactProduced
from tests.agents.talks import in_loop
from tests.development.governed_runs import World
from tests.development.test_governed_resume import a_search, finding
from tests.development.test_governed_stages import end_of, pause_of


def claims(*given: tuple[str, list[int]]) -> dict[str, object]:
    return {"claims": [{"text": text, "sources": sources} for text, sources in given]}


def a_short_search(synthesis: dict[str, object], **more: object) -> World:
    world = a_search()
    world.models.drafts = [{"queries": ["sign exports"]}, {"is_answered": True}, synthesis]
    world.settings = dict(more)
    return world


@in_loop
async def test_an_answered_question_is_not_searched_deeper():
    world = a_short_search(claims(("Most sign with a key.", [1])))
    end = await end_of(world)
    assert world.visits == ["N0", "N1", "N2", "N3", "N4"]
    assert "- Most sign with a key. [1]" in end.text
    assert "1. https://a.example/1 (2026-11-29)" in end.text
    assert "no evidence" in end.text
    assert world.all(StageArtifactProduced)[0].artifact_type == "intelligence_report"
    assert world.models.count("review") == 0


@in_loop
async def test_an_open_question_is_searched_deeper():
    world = a_search()
    end = await end_of(world)
    assert world.visits == ["N0", "N1", "N2", "N1", "N2", "N3", "N4"]
    assert world.outside.calls == ["search sign exports", "search rotate keys", "write"]
    assert "Keys rotate. [1]" in end.text and "b.example" in end.text
    assert "a.example" not in end.text, "nothing cites it"


@in_loop
async def test_the_search_ends_at_its_limit():
    world = a_search()
    deeper = [{"is_answered": False, "queries": [f"query {number}"]} for number in range(9)]
    world.models.drafts = [{"queries": ["sign exports"]}, *deeper[:1], claims(("Signed.", [1]))]
    world.settings = {"max_search_rounds": 2}
    assert (await end_of(world)).status == "completed"
    assert world.visits.count("N1") == 2


@in_loop
async def test_a_claim_without_a_source_that_was_read_is_dropped():
    world = a_short_search(
        claims(("From memory.", []), ("Of a source unread.", [2, 0, -1]), ("Signed.", [1, 1, 7]))
    )
    end = await end_of(world)
    assert "- Signed. [1]" in end.text
    assert "memory" not in end.text and "unread" not in end.text


@in_loop
async def test_a_report_of_nothing_is_none():
    end = await end_of(a_short_search(claims(("From memory.", []))))
    assert (end.status, end.error) == ("halted", "no_claims")
    world = a_short_search(claims())
    world.outside.findings = {"sign exports": [finding("See here.", "file:///etc/passwd")]}
    end = await end_of(world)
    assert (end.status, end.error) == ("halted", "no_sources")
    assert world.models.count("draft") == 2


@in_loop
async def test_queries_are_shown_before_they_leave_where_the_gate_is_asked_for():
    world = a_short_search(claims(("Signed.", [1])), gates=["draft"])
    world.models.drafts.insert(1, {"queries": ["sign exports", "rotate keys"]})
    paused = await pause_of(world)
    assert paused.confirmations[0].arguments["queries"] == ["sign exports"]
    assert world.outside.calls == []
    await world.decide("reject", "Ask for rotation, too.")
    await pause_of(world)
    assert "Ask for rotation, too." in world.models.prompts("draft")[1]
    await world.decide("approve")
    assert (await end_of(world)).status == "completed"
    assert world.outside.calls[:2] == ["search sign exports", "search rotate keys"]
