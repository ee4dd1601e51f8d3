"""The quality gate with a model: what it judges and rewords, what is counted, what rules do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from agents.models.errors import AllProvidersFailed
from infra.service.writing.quality import judge, never_cancelled
from infra.service.writing.quality_parts import Assessor
from schemas.envelope import Event
from schemas.events.artifact_quality import QualityRun
from schemas.events.artifact_sections import Section
from streams.reduce.prd.gate import evaluate
from tests.models.provider import Failure, Request
from tests.reduce.ledgers import ENOUGH, PROJECT, Play
from tests.synthesis.chat import Project, wanted, words_of

FAILING = "functional_requirements"


def judgement(request: Request, score: int, *at_fault: str) -> dict[str, Any]:
    """Every dimension has this score, and in Scoping these sections are at fault."""
    schema = request.body["response_format"]["json_schema"]["schema"]
    names = schema["properties"]["dimensions"]["properties"]
    scores = {"completeness": score, "consistency": score, "clarity": score}
    lacks = [{"section": one, "lacks": "It does not say how often."} for one in at_fault]
    said = {
        name: scores
        | {"critique": "thin" if score < 2 else "", "sections": lacks if name == "Scoping" else []}
        for name in names
    }
    return {"dimensions": said}


class Gate:
    """Runs of the gate over one PRD; what they revise is kept."""

    def __init__(self) -> None:
        play = Play().given(ENOUGH)
        play.ends()
        self.project = Project(play)
        self.artifact = self.project.assessed(self.project.prd)
        self.events: list[Event] = []
        self.revised: list[Section] = []

    async def tell(self, events: Sequence[Event]) -> None:
        self.events += events

    async def hand_over(self, run: QualityRun, revised: Sequence[Section]) -> QualityRun:
        self.revised += revised
        return run

    def run(self, model: Any) -> QualityRun:
        assessor = Assessor(self.artifact, PROJECT, model)
        return asyncio.run(
            judge(
                self.artifact,
                "qlr_1",
                "full",
                self.tell,
                never_cancelled,
                self.hand_over,
                assessor,
            )
        )

    @property
    def counted(self) -> dict[str, float]:
        grounds = Assessor(self.artifact, PROJECT).grounds
        scores = evaluate("full", self.artifact.sections, grounds)
        return {one.name: one.evidence_coverage for one in scores}


@pytest.fixture
def gate() -> Gate:
    return Gate()


def test_a_model_judges_and_evidence_is_counted(gate: Gate, served):
    model, provider = served(lambda request: judgement(request, 3))

    run = gate.run(model)

    assert (run.status, run.engine, run.iteration) == ("passed", "model", 1)
    assert run.model and run.tokens == 120 and run.cost_usd > 0
    assert {one.name: one.evidence_coverage for one in run.dimensions} == gate.counted
    assert {one.completeness for one in run.dimensions} == {3.0}
    (asked,) = provider.requests
    assert "evidence" not in str(asked.body["response_format"])


def revise(request: Request) -> dict[str, Any]:
    """Weak as long as the requirements are the rules', then good; rewords what it is asked for."""
    if wanted(request):
        return words_of(request)
    if "In short" in request.text:
        return judgement(request, 2)
    return judgement(request, 1, FAILING)


def test_the_model_rewords_failing_sections_by_the_critique_and_no_others(gate: Gate, scripted):
    model, provider = scripted(revise)

    run = gate.run(model)

    assert (run.status, run.iteration, run.revised_sections) == ("passed", 2, [FAILING])
    (section,) = gate.revised
    assert (section.section_id, section.engine) == (FAILING, "model")
    assert all(one.citations for one in section.statements)
    (asked,) = [one for one in provider.requests if wanted(one)]
    assert list(wanted(asked)) == [FAILING]
    assert "It does not say how often." in asked.text
    assert run.tokens == 3 * 1_104


def test_a_revision_that_nothing_supports_is_not_taken(gate: Gate, scripted):
    def invent(request: Request) -> dict[str, Any]:
        if not wanted(request):
            return judgement(request, 1, FAILING)
        return {name: [{"text": "It takes 40 days.", "atoms": [1]}] for name in wanted(request)}

    model, provider = scripted(invent)

    run = gate.run(model)

    assert run.status == "needs_attention"
    assert "40 days" not in str(gate.revised)
    assert len([one for one in provider.requests if wanted(one)]) == 2


def test_what_was_answered_before_the_model_went_away_is_paid(gate: Gate, scripted):
    def invent_once(request: Request) -> dict[str, Any]:
        if "cannot be published" in request.text:
            raise AllProvidersFailed("nobody is there")
        if not wanted(request):
            return judgement(request, 1, FAILING)
        return {name: [{"text": "It takes 40 days.", "atoms": [1]}] for name in wanted(request)}

    model, provider = scripted(invent_once)

    run = gate.run(model)

    answered = len(provider.requests) - 1
    assert (answered, run.tokens) == (3, 3 * 1_104)


def test_when_the_model_is_away_the_rules_judge_and_it_is_said(gate: Gate, served):
    model, _ = served(lambda request: Failure(500))

    run = gate.run(model)
    by_rule = Gate().run(None)

    assert (run.engine, run.model, run.cost_usd, run.tokens) == ("heuristic", None, 0.0, 0)
    assert run.dimensions == by_rule.dimensions


def test_a_model_knows_of_no_more_agreement_than_the_ledger(scripted):
    from tests.reduce.ledgers import EXPORT, RETRY, a_conflict

    gate = Gate()
    play = Play().given(ENOUGH, [a_conflict(EXPORT, RETRY)])
    play.ends()
    gate.project = Project(play)
    gate.artifact = gate.project.assessed(gate.project.prd)
    model, _ = scripted(lambda request: judgement(request, 3))

    run = gate.run(model)

    (overall,) = [one for one in run.dimensions if one.name == "Overall"]
    assert overall.consistency == 2.0
