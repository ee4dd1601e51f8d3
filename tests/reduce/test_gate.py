"""The quality gate by rule: what is missing, disputed, unproven or vague lowers a tier."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_quality import DimensionScore, QualityRun
from schemas.events.artifact_sections import Section
from schemas.events.ledger import AtomRecord
from schemas.quality_gate import PASS
from streams.reduce.artifacts.items import section_of as write_section_of
from streams.reduce.prd.gate import assess
from streams.reduce.texts.inputs import Grounds, Pick, SectionInput
from streams.reduce.texts.wording import write_section
from tests.reduce.ledgers import (
    ENOUGH,
    EXPORT,
    LOSS,
    QUEUE,
    RETRY,
    Play,
    a_conflict,
    a_requirement,
    an_atom,
    items_of,
    prd_of,
)

WHOLE = (
    *ENOUGH,
    an_atom("claim", "Operators can see every order of a warehouse", area="user_needs"),
    an_atom("requirement", "Orders without a customs number are out of scope"),
    a_requirement("The goal of the relay must be an order book that warehouses trust", tags=["x"]),
    an_atom("claim", "The relay is split into an intake and a dispatcher", area="scope"),
    an_atom("entity", "Customs office", body="The office that clears orders at the border today"),
    a_requirement(
        "The relay must encrypt stored orders", attributes={"requirement_type": "non_functional"}
    ),
    an_atom("claim", "The dispatcher runs in one container", area="deployment_constraints"),
    an_atom("claim", "Delivery latency stays below 5 seconds in the measured warehouses"),
)


def judged(answer: ArtifactChanged, grounds: Grounds) -> QualityRun:
    return assess("art_1", 1, "full", answer.snapshot.sections, grounds, "heuristic")


def scores(run: QualityRun) -> dict[str, DimensionScore]:
    return {one.name: one for one in run.dimensions}


def test_a_prd_with_proven_sections_passes_and_becomes_stable_after_a_deep_run():
    answer = prd_of(*WHOLE)

    (run,) = [one for one in answer.quality_runs if one.mode == "full"]

    assert (run.status, run.iteration) == ("passed", 1)
    assert answer.snapshot.artifact_state == "stable"
    assert answer.snapshot.quality_tier == run.final_tier
    assert answer.reason_codes == ["deep_validation_complete", "quality_gate_passed"]


def test_a_preview_run_is_not_judged():
    answer = Play().given(WHOLE).ends("preview")

    assert answer.quality_runs == []
    assert answer.snapshot.artifact_state == "preview_stable"
    assert answer.snapshot.quality_tier is None


def test_what_is_missing_is_named_and_keeps_the_prd_from_being_stable():
    answer = prd_of(*ENOUGH)

    (run,) = [one for one in answer.quality_runs if one.mode == "full"]
    weak = scores(run)["Solution Design"]

    assert run.status == "needs_attention"
    assert answer.snapshot.artifact_state == "preview_stable"
    assert "quality_gate_not_passed" in answer.reason_codes
    assert (weak.tier, weak.completeness) == (1, 1.0)
    assert "solution_overview" in weak.critique
    assert weak.failing_sections == ["solution_overview", "data_and_integrations"]


def spoilt(**changes: Any) -> list[AtomRecord]:
    return [one.model_copy(update=changes) for one in WHOLE]


@pytest.mark.parametrize(
    ("atoms", "criterion"),
    [
        (spoilt(status="draft"), "evidence_coverage"),
        (spoilt(attributes={"origin": "code"}), "evidence_coverage"),
        (ENOUGH, "completeness"),
    ],
    ids=["drafts only", "comments of code only", "half of it missing"],
)
def test_a_prd_that_rests_on_little_is_not_stable(atoms, criterion):
    answer = prd_of(*atoms)
    (run,) = [one for one in answer.quality_runs if one.mode == "full"]

    assert run.status == "needs_attention"
    assert answer.snapshot.artifact_state != "stable"
    assert getattr(scores(run)["Overall"], criterion) < PASS


@pytest.mark.parametrize(
    "said",
    [
        [f"Nothing is known of porter {word}" for word in ("one", "two", "three", "four")],
        ["It is sealed by the porters of depot one", "These are kept in the archive of the north",
         "They carry crates to the depot of the west", "Such orders are read by three clerks"],
        ["You must seal the crate with lead", "You need a receipt of the depot",
         "Each pull request must name a depot", "Run the relay in the terminal of the depot"],
        ["Orders are various and possibly slow", "Some crates may perhaps be sealed",
         "Several depots are probably fast", "Deliveries are simple and easy things"],
    ],
    ids=["repeats itself", "looks back", "speaks to others", "vague"],
)  # fmt: skip
def test_statements_that_are_of_no_use_alone_are_not_clear(said: list[str]):
    atoms = [a_requirement(one, name=f"{number}") for number, one in enumerate(said)]
    sections = [section_of("functional_requirements", atoms)]

    (dimension, *_) = assess("art_1", 1, "full", sections, Grounds(atoms), "heuristic").dimensions

    assert dimension.clarity < PASS
    assert dimension.tier < PASS


def section_of(section_id: str, atoms: list[AtomRecord]) -> Section:
    """A section as somebody wrote it who took whatever there was."""
    given = SectionInput(section_id=section_id, picks=[Pick(atoms=[one]) for one in atoms])
    return write_section_of(given, write_section("art_1", given, []), "Requirements")


def test_each_open_contradiction_costs_one_of_consistency():
    conflict = a_conflict(EXPORT, RETRY, severity="low")
    answer = prd_of(*WHOLE, conflicts=[conflict])

    run = judged(answer, Grounds(WHOLE, [conflict]))

    assert scores(run)["Scoping"].consistency == 2.0
    assert scores(run)["Operational Design"].consistency == 3.0


def test_drafts_are_no_evidence_and_vague_words_are_not_clear():
    answer = prd_of(*WHOLE)
    drafts = Grounds([one.model_copy(update={"status": "draft"}) for one in WHOLE])
    vague = LOSS.model_copy(
        update={"title": "Some deliveries may perhaps be slow at various times"}
    )

    assert scores(judged(answer, drafts))["Overall"].evidence_coverage == 0.0
    assert scores(judged(prd_of(vague, QUEUE), Grounds([vague, QUEUE])))["Overall"].clarity == 1.0


def test_the_final_tier_is_not_above_the_lowest_other_dimension_and_one():
    run = judged(prd_of(*ENOUGH), Grounds(ENOUGH))
    tiers = {one.name: one.tier for one in run.dimensions}
    names = ("incomplete", "basic", "intermediate", "advanced")
    lowest = min(tier for name, tier in tiers.items() if name != "Overall")

    assert names.index(run.final_tier) == min(tiers["Overall"], lowest + 1)


def test_a_blocking_contradiction_takes_stability_away_and_its_resolution_gives_it_back():
    conflict = a_conflict(EXPORT, RETRY)
    closed = conflict.model_copy(update={"status": "resolved", "updated_seq": 9})
    play = Play().given(WHOLE)
    play.ends()

    (blocked,) = play.decided([], [conflict])
    (free,) = play.decided([], [closed])

    assert (blocked.state_before, blocked.snapshot.artifact_state) == ("stable", "preview_stable")
    assert blocked.snapshot.blocked_by == [conflict.contradiction_id]
    assert (free.state_before, free.snapshot.artifact_state) == ("preview_stable", "stable")


def test_features_are_judged_lightly_and_only_once_while_they_stay():
    play = Play().given(ENOUGH)
    first = play.ends()
    (feature,) = items_of(first, "feature")

    light = [one for one in first.quality_runs if one.mode == "light"]
    again = play.given([]).ends()

    assert [one.artifact_id for one in light] == [feature.artifact_id]
    assert (light[0].max_iterations, len(light[0].dimensions)) == (1, 2)
    assert feature.quality_run_id == light[0].quality_run_id
    assert again.quality_runs == []


def test_every_failing_section_is_told_what_it_lacks():
    answer = prd_of(*ENOUGH)
    (run,) = [one for one in answer.quality_runs if one.mode == "full"]

    for one in run.dimensions:
        assert [said.section_id for said in one.critiques] == one.failing_sections
        assert bool(one.failing_sections) == (one.tier < PASS)
    said = {one.section_id: one.critique for one in scores(run)["Solution Design"].critiques}
    assert said["data_and_integrations"] == "missing: statements about data and integrations"


def test_a_critique_names_how_many_statements_are_at_fault_with_the_first_of_them():
    vague = [
        a_requirement("Orders are various and possibly slow"),
        a_requirement("Crates may perhaps be sealed").model_copy(update={"status": "draft"}),
    ]
    sections = [section_of("functional_requirements", vague)]
    conflict = a_conflict(*vague)

    (scoping, _) = assess(
        "art_1", 1, "full", sections, Grounds(vague, [conflict]), "heuristic"
    ).dimensions

    (said,) = scoping.critiques
    assert f"open contradiction {conflict.contradiction_id}" in said.critique
    assert "1 of 2 statements rest on no active atom" in said.critique
    assert "2 of 2 statements are vague" in said.critique
    assert "«Orders are various and possibly slow.»" in said.critique
