"""A run of the gate over what was written: how it ends when it is cancelled or a part fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from infra.platform.errors import Refusal, Unavailable
from infra.service.writing.quality import HandOver, judge
from infra.service.writing.quality_parts import Assessor
from projections.read.quality import AssessedArtifact
from schemas.envelope import Event
from schemas.events.artifact_quality import QualityRun
from schemas.events.artifact_sections import Section
from schemas.events.quality import QualityEvent, QualityRunFinished
from tests.reduce.ledgers import ENOUGH, PROJECT, a_requirement, prd_of

VAGUE = [
    a_requirement(f"The relay must {one}", status="draft")
    for one in (
        "handle various things of a delivery",
        "be reasonably fast for several warehouses",
        "scan some crates as needed",
        "keep maps of many depots nice and simple",
    )
]


class Run:
    """One run over a thin PRD with vague statements in it; what it tells is kept."""

    def __init__(self, cancelled_after: int = 1_000) -> None:
        self.told: list[QualityEvent] = []
        self.revised: list[Section] = []
        self.cancelled_after = cancelled_after

    async def tell(self, events: Sequence[Event]) -> None:
        self.told += [event for event in events if isinstance(event, QualityEvent)]

    async def is_cancelled(self) -> bool:
        return len(self.told) >= self.cancelled_after

    async def hand_over(self, run: QualityRun, revised: Sequence[Section]) -> QualityRun:
        self.revised += revised
        return run

    def go(self, hand_over: HandOver | None = None) -> QualityRun:
        atoms = (*ENOUGH, *VAGUE)
        snapshot = prd_of(*atoms).snapshot
        artifact = AssessedArtifact(
            artifact_id=snapshot.artifact_id,
            artifact_type="prd",
            number=snapshot.number,
            title=snapshot.title,
            version=snapshot.version,
            ledger_seq=snapshot.input_ledger_seq,
            sections=snapshot.sections,
            atoms=list(atoms),
            contradictions=[],
        )
        return asyncio.run(
            judge(
                artifact,
                "qlr_1",
                "full",
                self.tell,
                self.is_cancelled,
                hand_over or self.hand_over,
                Assessor(artifact, PROJECT),
            )
        )

    @property
    def end(self) -> QualityRun:
        last = self.told[-1]
        assert isinstance(last, QualityRunFinished)
        return last.run


def test_a_weak_prd_is_judged_twice_and_what_was_revised_is_handed_over():
    run = Run()

    done = run.go()

    assert run.end == done
    assert (done.status, done.iteration) == ("needs_attention", 2)
    assert [one.section_id for one in run.revised] == done.revised_sections
    assert "functional_requirements" in done.revised_sections
    said = [one.text for section in run.revised for one in section.statements]
    assert not any("various" in text for text in said)
    assert any("various" in one.text for one in done.removed)
    assert [event.seq for event in run.told] == list(range(1, len(run.told) + 1))


def test_a_cancelled_run_goes_no_further_and_says_so():
    run = Run(cancelled_after=1)

    done = run.go()

    assert run.end == done
    assert (done.status, done.iteration, done.final_tier) == ("cancelled", 0, None)
    assert [event.type_name for event in run.told] == [
        "quality.run_started",
        "quality.run_finished",
    ]
    assert run.revised == []


def test_a_run_with_a_part_that_fails_has_failed():
    run = Run()

    async def fail(done: QualityRun, revised: Sequence[Section]) -> QualityRun:
        raise ZeroDivisionError

    with pytest.raises(Refusal, match="ZeroDivisionError"):
        run.go(fail)
    assert (run.end.status, run.end.error, run.end.iteration) == ("failed", "ZeroDivisionError", 2)


def test_a_run_that_an_outage_has_interrupted_is_not_over():
    run = Run()

    async def wait(done: QualityRun, revised: Sequence[Section]) -> QualityRun:
        raise Unavailable("the broker does not answer")

    with pytest.raises(Unavailable):
        run.go(wait)
    assert not isinstance(run.told[-1], QualityRunFinished)
