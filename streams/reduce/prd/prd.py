"""The PRD of one settled position: a new version, another state, a refusal, or nothing new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.events.artifact_parts import ArtifactSnapshot, Outcome
from schemas.events.artifact_quality import QualityRun
from schemas.events.artifact_sections import ReviewFinding, Section
from schemas.events.change import ChangeRequested
from schemas.ids import sha256_hex
from streams.reduce.artifacts.items import (
    ENGINE,
    Settled,
    Synthesise,
    attempt,
    describe_engine,
    list_changed_sections,
)
from streams.reduce.artifacts.markdown import render
from streams.reduce.artifacts.states import DerivedState, derive_lane, derive_prd_state
from streams.reduce.artifacts.validator import errors
from streams.reduce.prd.edits import apply_edits
from streams.reduce.prd.gate import assess
from streams.reduce.prd.owner_words import leave_out_repeats, link_sentences
from streams.reduce.texts.inputs import Backing, Grounds, SectionInput, Withdrawn, ground_backings
from streams.reduce.texts.sections import PLANS, SHOWN

PRD_NUMBER = "prd-001"
PRD_TITLE = "Product requirements"


@dataclass(frozen=True, slots=True)
class PrdAnswer:
    """What the position means for the PRD; ``quality_run`` when it was judged anew."""

    outcome: Outcome
    snapshot: ArtifactSnapshot
    recomputed_sections: list[str]
    reason_codes: list[str]
    findings: list[ReviewFinding]
    quality_run: QualityRun | None = None


def write_prd(
    artifact_id: str,
    inputs: Sequence[SectionInput],
    before: ArtifactSnapshot | None,
    at: Settled,
    synthesise: Synthesise,
    backings: Sequence[Backing] = (),
    draft: ArtifactSnapshot | None = None,
    withdrawn: Mapping[str, Withdrawn] | None = None,
) -> PrdAnswer:
    """The PRD as it stands at the position; in the deep lane the quality gate judges it.

    ``backings`` are the atoms behind what people wrote into it. ``draft`` is ``before`` with
    sections that a model has worded. ``withdrawn`` are the atoms that were live before.
    """
    grounds = Grounds.of(ground_backings(inputs, backings))
    known = draft or before
    linked = link_sentences(known, backings, grounds) if known else None
    if linked:
        inputs = leave_out_repeats(inputs, linked, backings)
    written = attempt(
        artifact_id, inputs, linked, grounds, at.lane, synthesise, _title_of, withdrawn or {}
    )
    findings = [*written.objections, *written.findings]
    if errors(written.findings):
        return PrdAnswer("rejected", before or empty_prd(artifact_id, at), [], [], findings)
    changed = list_changed_sections(before, written.sections)
    fresh = bool(changed) or before is None or before.version == 0
    version = (before.version if before else 0) + fresh
    lane = derive_lane(at.lane, before, version)
    run = None
    if lane == "deep":
        run = assess(artifact_id, version, "full", written.sections, grounds, ENGINE)
    passed = run is not None and run.status == "passed"
    standing = derive_prd_state(written.sections, grounds, lane, gate_passed=passed)
    base = empty_prd(artifact_id, at) if before is None or fresh else before
    after = _make_snapshot(base, version, written.sections, standing, run)
    outcome: Outcome = "published" if fresh else "unchanged" if after == before else "state_changed"
    judged_anew = run and (before is None or before.quality_run_id != run.quality_run_id)
    return PrdAnswer(
        outcome,
        after,
        changed,
        list(standing.reason_codes),
        findings,
        run if judged_anew else None,
    )


def edit_prd(
    before: ArtifactSnapshot, request: ChangeRequested, grounds: Grounds, at: Settled
) -> PrdAnswer:
    """The PRD as the request wants it. Raises RefusedEdit."""
    sections = apply_edits(before, request, grounds, at.lane)
    changed = list_changed_sections(before, sections)
    version = before.version + bool(changed)
    lane = derive_lane(at.lane, before, version)
    run = assess(before.artifact_id, version, "full", sections, grounds, ENGINE)
    passed = run.status == "passed"
    standing = derive_prd_state(sections, grounds, lane, gate_passed=passed)
    base = empty_prd(before.artifact_id, at) if changed else before
    after = _make_snapshot(base, version, sections, standing, run if lane == "deep" else None)
    if changed:
        after = after.model_copy(update={"edited_by": request.editor})
    return PrdAnswer(
        "published" if changed else "state_changed",
        after,
        changed,
        list(standing.reason_codes),
        [],
        run if lane == "deep" else None,
    )


def _title_of(section_id: str) -> tuple[str, str]:
    plan = PLANS[section_id]
    return plan.title, f"Not enough evidence: no {plan.missing} so far."


def _make_snapshot(
    base: ArtifactSnapshot,
    version: int,
    sections: list[Section],
    standing: DerivedState,
    run: QualityRun | None,
) -> ArtifactSnapshot:
    return base.model_copy(
        update={
            "artifact_state": standing.state,
            "version": version,
            "sections": sections,
            "content_hash": sha256_hex("\n".join(section.content_hash for section in sections)),
            "rendered_markdown": render(PRD_TITLE, standing.state, version, sections, SHOWN),
            "blocked_by": list(standing.blocked_by),
            "quality_tier": run.final_tier if run else None,
            "quality_run_id": run.quality_run_id if run else None,
        }
        | describe_engine(sections)
    )


def empty_prd(artifact_id: str, at: Settled) -> ArtifactSnapshot:
    """The PRD before its first version."""
    return ArtifactSnapshot(
        artifact_id=artifact_id,
        artifact_type="prd",
        number=PRD_NUMBER,
        title=PRD_TITLE,
        artifact_state="draft",
        version=0,
        sections=[],
        content_hash=sha256_hex(""),
        rendered_markdown="",
        lane=at.lane,
        engine=ENGINE,
        run_id=at.run_id,
        input_ledger_seq=at.ledger_seq,
    )
