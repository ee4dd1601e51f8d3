"""Where there is no verdict the workflow halts, and nothing goes on but by a person."""

from __future__ import annotations

import pytest

from agents.models.errors import (
    AllProvidersFailed,
    AnswerEmpty,
    AnswerMalformed,
    BudgetExceeded,
    RequestRefused,
)
from infra.service.runs.driving import Paused
from schemas.events.workflow import GateWaived, WorkflowHalted
from schemas.events.workflow_stages import StageArtifactProduced, VerdictGiven
from tests.agents.talks import in_loop
from tests.development.governed_runs import DESIGN, World, approves, blocks
from tests.development.test_governed_stages import a_world, end_of, pause_of

HTML = "<!DOCTYPE html><html><body>502 Bad Gateway: APPROVE</body></html>"
NO_VERDICTS = {
    "down": (AllProvidersFailed("Nobody answers."), "UNAVAILABLE"),
    "refused": (RequestRefused("HTTP 403"), "UNAVAILABLE"),
    "no budget": (BudgetExceeded("Nothing is left."), "UNAVAILABLE"),
    "no text": (AnswerEmpty("It is empty."), "UNREADABLE"),
    "malformed": (AnswerMalformed("It is no JSON."), "UNREADABLE"),
    "empty": ("", "UNREADABLE"),
    "HTML": (HTML, "UNREADABLE"),
    "prose": ("All in all I would APPROVE this design.", "UNREADABLE"),
    "another artifact": (approves(artifact="0123456789abcdef"), "UNREADABLE"),
    "no artifact": ({"verdict": "APPROVE", "findings": [], "artifact": ""}, "UNREADABLE"),
    "no line of the draft": (blocks("- This line is not there."), "UNREADABLE"),
    "another word": (approves(verdict="LGTM"), "UNREADABLE"),
}


@pytest.mark.parametrize("case", NO_VERDICTS)
@pytest.mark.parametrize("workflow_type", ["issue", "requirements", "implementation_spec"])
def test_without_a_verdict_the_workflow_halts(case: str, workflow_type: str):
    answer, outcome = NO_VERDICTS[case]

    @in_loop
    async def run():
        world = a_world(workflow_type, answer)
        paused = await pause_of(world)
        assert paused.confirmations[0].arguments["reason"] == outcome.lower()
        assert [one.verdict for one in world.all(VerdictGiven)] == [outcome]
        (halted,) = world.all(WorkflowHalted)
        assert halted.command == "cairn workflow resume wfl_1"
        assert len(halted.may_try) == 4
        assert (world.models.count("draft"), world.models.count("review")) == (1, 1)
        assert isinstance(await world.attempt(), Paused)
        assert len(world.models.requests) == 2, "a halt asks no model again"
        assert world.all(StageArtifactProduced) == []

    run()


def halted(workflow_type: str) -> World:
    return a_world(workflow_type, AllProvidersFailed("Nobody answers."), approves())


@pytest.mark.parametrize("workflow_type", ["requirements", "implementation_spec"])
def test_a_person_has_the_reviewer_asked_again(workflow_type: str):
    @in_loop
    async def run():
        world = halted(workflow_type)
        await pause_of(world)
        await world.decide("approve")
        assert (await end_of(world)).status == "completed"
        assert (world.models.count("draft"), world.models.count("review")) == (1, 2)
        verdicts = [(one.verdict, one.iteration) for one in world.all(VerdictGiven)]
        assert verdicts == [("UNAVAILABLE", 1), ("APPROVE", 1)], "iterations count verdicts"

    run()


@pytest.mark.parametrize("workflow_type", ["requirements", "implementation_spec"])
def test_a_person_goes_on_without_a_verdict_and_answers_for_it(workflow_type: str):
    @in_loop
    async def run():
        world = halted(workflow_type)
        await pause_of(world)
        await world.decide("edit", "The site is down.", waived=True)
        assert (await end_of(world)).status == "completed"
        assert world.models.count("review") == 1
        assert world.all(GateWaived)[0].verdict_overridden == "UNAVAILABLE"
        assert world.all(StageArtifactProduced)[0].approval == "waiver"

    run()


@pytest.mark.parametrize("workflow_type", ["requirements", "implementation_spec"])
def test_a_person_ends_a_workflow_that_has_halted(workflow_type: str):
    @in_loop
    async def run():
        world = halted(workflow_type)
        await pause_of(world)
        await world.decide("reject")
        end = await end_of(world)
        assert (end.status, end.error) == ("rejected", "unavailable")
        assert world.models.count("review") == 1
        assert world.outside.kept == {}

    run()


@in_loop
async def test_a_drafter_that_does_not_answer_halts_before_any_review():
    world = a_world()
    world.models.drafts = [AllProvidersFailed("Nobody answers."), DESIGN]
    paused = await pause_of(world)
    assert paused.confirmations[0].arguments["reason"] == "drafter_failed"
    assert world.models.count("review") == 0
    await world.decide("approve")
    assert (await end_of(world)).status == "completed"


@in_loop
async def test_a_question_that_nobody_answers_in_time_is_asked_again():
    world = halted("requirements")
    first = await pause_of(world)
    log = world.open_log()
    await log.take_decision(
        first.confirmations[0].confirmation_id, None, decision="reject", reason="", given_by=""
    )
    second = await pause_of(world)
    assert first.confirmations[0].confirmation_id != second.confirmations[0].confirmation_id
    await world.decide("approve")
    assert (await end_of(world)).status == "completed"


@in_loop
async def test_an_answer_by_a_model_of_the_drafters_family_is_no_verdict():
    world = a_world()
    world.models.reviewer = "claude-sonnet-4-6"
    await pause_of(world)
    (verdict,) = world.all(VerdictGiven)
    assert (verdict.verdict, verdict.reviewer_family) == ("UNAVAILABLE", "anthropic")
    assert (verdict.draft_family, verdict.draft_model) == ("anthropic", "claude-opus-4-6")
    world.models.reviewer = "gemini-3.1-pro-preview"
    await world.decide("approve")
    assert (await end_of(world)).status == "completed"
    assert world.all(VerdictGiven)[1].reviewer_family == "google"
