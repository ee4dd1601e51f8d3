"""The stages that draft: each to its end, and each way on from its checks, gates and verdicts."""

from __future__ import annotations

import pytest

from agents.development.workflow_ports import EarlierFindings, WorkflowEnd
from infra.service.runs.driving import Paused
from schemas.events.workflow import GateWaived, WorkflowHalted, WorkflowInput
from schemas.events.workflow_stages import (
    CodebaseRead,
    DraftProduced,
    DraftRepaired,
    MechanicallyValidated,
    StageArtifactProduced,
    VerdictGiven,
    WorkflowTestPlanValidated,
)
from schemas.ids import sha256_hex
from tests.agents.talks import in_loop
from tests.development.governed_runs import (
    BRIEF,
    DESIGN,
    SPECIFICATION,
    Models,
    World,
    approves,
    blocks,
    finding,
)

DRAFTS = {"issue": BRIEF, "requirements": DESIGN, "implementation_spec": SPECIFICATION}
WAYS = {
    "issue": ["N0", "N1", "N2", "N3", "N4", "N5", "N6"],
    "requirements": ["N0", "N0b", "N1", "N1.6", "N1.5", "N1b", "N2", "N3", "N4", "N5"],
    "implementation_spec": ["N0", "N1", "N2", "N3", "N4", "N5", "N6"],
}


def a_world(workflow_type: str = "requirements", *reviews: object, **more: object) -> World:
    models = Models([DRAFTS[workflow_type]], list(reviews) or [approves()])  # type: ignore[arg-type]
    return World(workflow_type, models, **more)  # type: ignore[arg-type]


async def end_of(world: World) -> WorkflowEnd:
    end = await world.attempt()
    assert isinstance(end, WorkflowEnd), end
    return end


async def pause_of(world: World) -> Paused:
    paused = await world.attempt()
    assert isinstance(paused, Paused), paused
    return paused


@pytest.mark.parametrize("workflow_type", WAYS)
def test_an_approved_draft_becomes_the_artifact_of_its_stage(workflow_type: str):
    @in_loop
    async def run():
        world = a_world(workflow_type)
        end = await end_of(world)
        assert world.visits == WAYS[workflow_type]
        assert (end.status, end.text) == ("completed", DRAFTS[workflow_type])
        assert end.artifact_hash == sha256_hex(DRAFTS[workflow_type])
        (artifact,) = world.all(StageArtifactProduced)
        assert (artifact.approval, artifact.atom_ids) == ("verdict", ["atm_1"])
        assert artifact.artifact_hash == end.artifact_hash
        (kept,) = world.outside.kept.values()
        assert kept == DRAFTS[workflow_type]
        assert (world.models.count("draft"), world.models.count("review")) == (1, 1)

    run()


@in_loop
async def test_input_and_code_are_recorded_before_the_draft():
    world = a_world()
    await end_of(world)
    kinds = [type(event) for event in world.events]
    assert kinds.index(CodebaseRead) < kinds.index(DraftProduced)
    assert "def export(rows)" in world.models.prompts("draft")[0]


@in_loop
async def test_a_broken_draft_goes_back_without_a_call_of_the_reviewer():
    world = a_world()
    world.models.drafts = [DESIGN.replace("## Design", "## Thoughts"), DESIGN]
    await end_of(world)
    assert world.visits[2:7] == ["N1", "N1.6", "N1.5", "N1", "N1.6"]
    first, second = world.all(MechanicallyValidated)
    assert "«Design» is missing" in " ".join(first.problems)
    assert second.problems == []
    assert world.models.count("review") == 1
    assert "«Design» is missing" in world.models.prompts("draft")[1]


@in_loop
async def test_defects_of_form_are_repaired_and_listed():
    world = a_world()
    world.models.drafts = [DESIGN.replace("## Design", "##Design").replace("- Keys", "* Keys")]
    end = await end_of(world)
    (repaired,) = world.all(DraftRepaired)
    assert len(repaired.repairs) == 2
    assert end.text == DESIGN
    assert world.models.count("draft") == 1


@in_loop
async def test_a_requirement_without_a_scenario_sends_the_draft_back():
    world = a_world()
    world.models.drafts = [DESIGN.replace("(R-2).", "(R-1)."), DESIGN]
    await end_of(world)
    assert world.visits[5:7] == ["N1b", "N1"]
    first, second = world.all(WorkflowTestPlanValidated)
    assert (first.covered, first.uncovered) == (["R-1"], ["R-2"])
    assert second.uncovered == []


@in_loop
async def test_an_incomplete_specification_is_written_again_before_its_review():
    world = a_world("implementation_spec")
    world.models.drafts = [SPECIFICATION.replace("Target signature:", "Hint:"), SPECIFICATION]
    await end_of(world)
    assert world.visits == ["N0", "N1", "N2", "N3", "N2", "N3", "N4", "N5", "N6"]
    assert world.models.count("review") == 1


@in_loop
async def test_drafts_that_rules_refuse_again_and_again_halt_for_a_person():
    world = a_world()
    world.models.drafts = ["Here you are!"]
    paused = await pause_of(world)
    assert paused.confirmations[0].arguments["reason"] == "blocked_checks"
    assert (world.models.count("draft"), world.models.count("review")) == (4, 0)
    world.models.drafts.append(DESIGN)
    await world.decide("approve", "Write all sections.")
    assert (await end_of(world)).status == "completed"
    assert "Write all sections." in world.models.prompts("draft")[-1]


@pytest.mark.parametrize("verdict", ["BLOCK", "REVISE"])
@pytest.mark.parametrize(("workflow_type", "draft_node"), [("issue", "N1"), ("requirements", "N1")])
def test_a_verdict_against_a_draft_sends_it_back_with_its_findings(
    verdict: str, workflow_type: str, draft_node: str
):
    @in_loop
    async def run():
        line = "- R-2: An export names its author."
        world = a_world(workflow_type, blocks(line, verdict=verdict), approves(resolved=["F1"]))
        changed = DRAFTS[workflow_type].replace("Exports are", "All exports are")
        world.models.drafts.append(changed)
        end = await end_of(world)
        assert end.status == "completed"
        assert [one.verdict for one in world.all(VerdictGiven)] == [verdict, "APPROVE"]
        assert world.visits.count(draft_node) == 2
        assert "This is wrong." in world.models.prompts("draft")[1]
        assert "F1 (major in «Design»): This is wrong." in world.models.prompts("review")[1]

    run()


@in_loop
async def test_verdicts_against_the_draft_end_at_the_limit():
    world = a_world("requirements", settings={"max_iterations": 3})
    lines = [f"- Keys can be lost {number} times." for number in range(9)]
    world.models.drafts = [DESIGN.replace("- Keys can be lost.", line) for line in lines]
    world.models.reviews = [blocks(line) for line in lines]
    paused = await pause_of(world)
    assert paused.confirmations[0].arguments["reason"] == "blocked_max_iterations"
    assert world.models.count("review") == 3
    (halted,) = world.all(WorkflowHalted)
    assert (halted.input_tokens, round(halted.cost_usd, 2)) == (600, 0.06)
    assert halted.command == "cairn workflow resume wfl_1"
    assert halted.may_try
    await world.decide("approve")
    await pause_of(world)
    assert world.models.count("review") == 6
    await world.decide("reject", "We give up.")
    end = await end_of(world)
    assert (end.status, end.error) == ("rejected", "blocked_max_iterations")
    assert world.all(StageArtifactProduced) == []


@in_loop
async def test_two_rounds_with_the_same_findings_halt():
    world = a_world("requirements", blocks("- Keys can be lost."))
    world.models.drafts = [DESIGN, DESIGN.replace("Exports have", "All exports have")]
    paused = await pause_of(world)
    assert paused.confirmations[0].arguments["reason"] == "stagnated"
    assert world.models.count("review") == 2
    changed = DESIGN.replace("- Keys can be lost.", "- None.")
    world.models.drafts, world.models.reviews = [changed], [approves()]
    await world.decide("approve", "Leave the keys out.")
    assert (await end_of(world)).text == changed


@in_loop
async def test_a_draft_that_comes_back_unchanged_is_not_reviewed_again():
    world = a_world("requirements", blocks("- Keys can be lost."))
    paused = await pause_of(world)
    assert paused.confirmations[0].arguments["reason"] == "stagnated"
    assert (world.models.count("draft"), world.models.count("review")) == (2, 1)


@in_loop
async def test_a_gate_on_the_draft_waits_where_it_is_asked_for():
    world = a_world(settings={"gates": ["draft"]})
    paused = await pause_of(world)
    assert paused.confirmations[0].tool == "draft"
    assert paused.confirmations[0].arguments["artifact_hash"] == sha256_hex(DESIGN)
    assert world.models.count("review") == 0
    world.models.drafts.append(DESIGN.replace("- Keys can be lost.", "- Keys expire."))
    await world.decide("reject", "Keys expire, they are not lost.")
    await pause_of(world)
    assert "Keys expire, they are not lost." in world.models.prompts("draft")[1]
    await world.decide("approve")
    assert "Keys expire" in (await end_of(world)).text


@in_loop
async def test_a_person_waives_a_verdict_behind_the_review_and_answers_for_it():
    world = a_world("requirements", blocks("- Keys can be lost."), settings={"gates": ["verdict"]})
    paused = await pause_of(world)
    assert paused.confirmations[0].tool == "verdict"
    await world.decide("edit", waived=True)
    again = await pause_of(world)
    assert "A waiver needs a reason" in again.confirmations[0].summary
    await world.decide("edit", "Hotfix of the night.", waived=True)
    end = await end_of(world)
    (waived,) = world.all(GateWaived)
    assert (waived.actor, waived.reason) == ("orla", "Hotfix of the night.")
    assert (waived.verdict_overridden, waived.artifact_hash) == ("BLOCK", end.artifact_hash)
    (artifact,) = world.all(StageArtifactProduced)
    assert (artifact.approval, artifact.approved_by) == ("waiver", "orla")
    assert world.visits.index("N3") < world.visits.index("N5")


@in_loop
async def test_an_approval_is_no_verdict_to_waive():
    world = a_world(settings={"gates": ["verdict"]})
    await pause_of(world)
    await world.decide("edit", "Just so.", waived=True)
    again = await pause_of(world)
    assert "nothing to waive" in again.confirmations[0].summary
    world.models.drafts.append(DESIGN.replace("- Keys can be lost.", "- Keys expire."))
    await world.decide("reject", "Keys expire.")
    await pause_of(world)
    await world.decide("approve")
    assert "Keys expire" in (await end_of(world)).text


@in_loop
async def test_an_issue_may_go_without_a_review_and_says_so():
    world = a_world("issue", settings={"is_reviewed": False})
    end = await end_of(world)
    assert end.status == "completed"
    (verdict,) = world.all(VerdictGiven)
    assert (verdict.verdict, verdict.artifact_hash) == ("SKIPPED_OPTIONAL", end.artifact_hash)
    assert world.all(StageArtifactProduced)[0].approval == "optional"
    assert world.models.count("review") == 0


@in_loop
async def test_requirements_that_contradict_each_other_stop_before_anything_is_spent():
    issue = "- R-1: Exports must be signed.\n- R-2: Exports must not be signed."
    world = a_world(issue=issue)
    end = await end_of(world)
    assert (end.status, end.error) == ("halted", "contradicting_requirements")
    assert "Exports must be signed" in end.message
    assert world.visits == ["N0", "N0b"]
    assert world.models.requests == []
    assert world.all(WorkflowHalted)[0].cost_usd == 0


@in_loop
async def test_zero_files_are_no_codebase():
    world = a_world()
    world.outside.files = ()
    end = await end_of(world)
    assert (end.status, end.error) == ("halted", "no_files_examined")
    assert world.models.requests == []


@in_loop
async def test_pitfalls_of_an_earlier_issue_like_this_one_are_in_the_prompt():
    world = a_world()
    world.outside.earlier = [
        EarlierFindings(
            workflow_id="wfl_0", issue="Paint the logo", findings=("The blue was too dark.",)
        ),
        EarlierFindings(
            workflow_id="wfl_2",
            issue="Sign all exports with the author",
            findings=("The key was in the log.",),
        ),
    ]
    await end_of(world)
    (prompt,) = world.models.prompts("draft")
    assert "The key was in the log." in prompt
    assert "too dark" not in prompt
    assert world.all(DraftProduced)[0].pitfalls == ["The key was in the log."]


@in_loop
async def test_the_text_of_the_stage_before_is_taken_to_the_letter():
    given = WorkflowInput(artifact_hash=sha256_hex(BRIEF), text=BRIEF + " ")
    end = await end_of(a_world(given=given))
    assert (end.status, end.error) == ("halted", "input_changed")
    whole = WorkflowInput(artifact_hash=sha256_hex(BRIEF), text=BRIEF)
    assert (await end_of(a_world(given=whole))).status == "completed"


@in_loop
async def test_a_file_that_is_not_the_approved_bytes_is_refused():
    world = a_world()
    world.outside.spoils = True
    end = await end_of(world)
    assert (end.status, end.error) == ("failed", "artifact_changed")
    assert world.all(StageArtifactProduced) == []


@in_loop
async def test_an_approval_with_a_critical_finding_is_none():
    world = a_world("requirements", approves(findings=[finding("- Keys can be lost.", "blocker")]))
    world.models.drafts = [DESIGN, DESIGN.replace("- Keys can be lost.", "- None.")]
    world.models.reviews.append(approves())
    await end_of(world)
    assert [one.verdict for one in world.all(VerdictGiven)] == ["BLOCK", "APPROVE"]
