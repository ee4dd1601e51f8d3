"""Who judges and revises in a run of the quality gate: rules, or a model that rules stand in for.

The tier follows from the criteria either way, and how well statements are evidenced is counted. A
model's revision goes through the citation validator; where it fails, the rules revise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.models.call import ChatModel, ModelAnswer, Tier
from agents.models.errors import ModelError
from agents.quality.evaluation import (
    EVALUATION_VERSION,
    Judgement,
    ask_for_judgement,
    read_judgement,
    schema_of_judgement,
)
from agents.synthesis.counted import CountedModel
from agents.synthesis.wording import Caller, word
from infra.service.writing.synthesis import find_errors_of, make_change, make_order
from projections.read.quality import AssessedArtifact
from schemas.events.artifact_quality import DimensionScore, QualityMode, QualityRun
from schemas.events.artifact_sections import ReviewFinding, Section
from schemas.quality_gate import PASS, list_failing_sections
from streams.reduce.artifacts.items import ENGINE, MODEL
from streams.reduce.artifacts.section_text import EDITED
from streams.reduce.artifacts.validator import errors, validate
from streams.reduce.model_texts import draft_sections
from streams.reduce.prd import gate, revision
from streams.reduce.prd.edits import RefusedEdit
from streams.reduce.texts.inputs import Grounds
from streams.reduce.texts.sections import SHOWN

AGENT = "quality_gate"
MOST_TOKENS = 4_000


@dataclass(slots=True)
class Assessor:
    """The judge and reviser of one run over ``artifact``."""

    artifact: AssessedArtifact
    project_id: str
    model: ChatModel | None = None
    correlation_id: str | None = None
    engine: str = ENGINE
    answers: list[ModelAnswer] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.model:
            self.model = CountedModel(self.model, self.answers.append)

    @property
    def grounds(self) -> Grounds:
        return Grounds(self.artifact.atoms, self.artifact.contradictions)

    @property
    def planned_engine(self) -> str:
        return MODEL if self.model else ENGINE

    @property
    def model_name(self) -> str | None:
        return self.answers[-1].model if self.answers else None

    async def evaluate(
        self, mode: QualityMode, sections: Sequence[Section]
    ) -> list[DimensionScore]:
        """The scores of each dimension; without an answer of the model those of the rules."""
        counted = gate.evaluate(mode, sections, self.grounds)
        self.engine = ENGINE
        if self.model is None:
            return counted
        request = self._caller(mode).request(
            ask_for_judgement(mode, self.artifact.title, sections, SHOWN),
            schema_of_judgement(mode, sections),
            prompt_version=EVALUATION_VERSION,
            max_output_tokens=MOST_TOKENS,
        )
        try:
            answer = await self.model.complete(request)
        except ModelError:
            return counted
        self.engine = MODEL
        judged = read_judgement(answer.data)
        return [_join(one, judged[one.name]) for one in counted]

    async def revise(
        self, sections: Sequence[Section], dimensions: Sequence[DimensionScore]
    ) -> list[Section]:
        """The sections with better ones in the place of those that fail."""
        failing = list_failing_sections(dimensions)
        by_rule = revision.revise(sections, failing, self.grounds)
        if self.model is None:
            return by_rule
        lacks = {one.section_id: one.critique for each in dimensions for one in each.critiques}
        revised = []
        for before, otherwise in zip(sections, by_rule, strict=True):
            is_open = before.section_id in failing and before.state != EDITED and before.statements
            worded = await self._reword(before, lacks) if is_open else None
            revised.append(worded or otherwise)
        return revised

    def find_errors(self, sections: Sequence[Section]) -> list[ReviewFinding]:
        return errors(validate(sections, self.grounds, "deep"))

    def describe(self, run: QualityRun) -> QualityRun:
        """The run with who has judged, and what that cost."""
        usages = [one.usage for one in self.answers]
        return run.model_copy(
            update={
                "engine": self.engine,
                "model": self.model_name,
                "tokens": sum(one.input_tokens + one.output_tokens for one in usages),
                "cost_usd": sum(one.cost_usd or 0.0 for one in self.answers),
            }
        )

    async def _reword(self, section: Section, lacks: dict[str, str]) -> Section | None:
        """The section as the model words it by the critique, if nothing is wrong with that."""
        assert self.model
        lack = lacks.get(section.section_id, "it does not pass")
        order = make_order(self.artifact, [section], critique={section.section_id: lack})
        caller = self._caller("full")
        try:
            worded = await word(self.model, caller, order, find_errors_of(self.artifact))
        except ModelError:
            return None
        if not worded.sections:
            return None
        change = make_change(self.artifact, worded.sections, worded.model)
        try:
            (reworded,) = draft_sections([section], change, self.grounds, "deep")
        except RefusedEdit:  # it says the same again
            return None
        return reworded

    def _caller(self, mode: QualityMode) -> Caller:
        """PRDs are judged by the strongest model there is."""
        tier: Tier = "strong" if mode == "full" else "standard"
        return Caller(
            self.project_id,
            agent=AGENT,
            stage="quality",
            tier=tier,
            correlation_id=self.correlation_id,
        )


def _join(counted: DimensionScore, judged: Judgement) -> DimensionScore:
    """The model's criteria with what is counted, and the tier that follows: no model can know of
    more agreement than the ledger.
    """
    scores = {
        **judged.scores,
        "consistency": min(judged.scores["consistency"], counted.consistency),
        "evidence_coverage": counted.evidence_coverage,
    }
    tier = gate.tier_of(list(scores.values()))
    failing = (list(judged.critiques) or counted.critiques) if tier < PASS else []
    return counted.model_copy(
        update={
            **scores,
            "tier": tier,
            "critique": judged.critique or counted.critique,
            "failing_sections": list(dict.fromkeys(one.section_id for one in failing)),
            "critiques": failing,
        }
    )
