"""No way leads round a review: on the compiled graphs, and in what was recorded."""

from __future__ import annotations

import pytest

from agents.development.errors import ConfigurationError
from agents.development.governed.graphs import compile_drawing
from agents.development.governed.proof import find_bypasses, find_unapproved, list_edges
from agents.development.governed.run import WORKFLOWS, check_settings, draw
from schemas.events.workflow import GateWaived, WorkflowEvent, WorkflowSettings
from schemas.events.workflow_stages import StageArtifactProduced, VerdictGiven
from tests.agents.talks import in_loop
from tests.development.governed_runs import DESIGN, World, approves, blocks
from tests.development.test_governed_stages import a_world, end_of, pause_of
from tests.development.workspaces import a_change

NAMES = {
    "issue": ["N0", "N1", "N2", "N3", "N4", "N5", "N6"],
    "requirements": ["N0", "N0b", "N1", "N1.6", "N1.5", "N1b", "N2", "N3", "N4", "N5"],
    "implementation_spec": ["N0", "N1", "N2", "N3", "N4", "N5", "N6"],
    "tdd_implementation": [f"N{number}" for number in range(13)],
    "scout": ["N0", "N1", "N2", "N3", "N4"],
}
REVIEWED = [name for name in NAMES if name != "scout"]
EDGES = {
    "requirements": [("N2", "N5"), ("N2", "N4"), ("N0", "N5"), ("N1.5", "N4")],
    "issue": [("N3", "N5"), ("N2", "N6")],
    "implementation_spec": [("N4", "N6"), ("N0", "N6")],
    "tdd_implementation": [("N9", "N11"), ("N9", "N12"), ("N7", "N12"), ("N5", "N11")],
}


@pytest.mark.parametrize("name", NAMES)
def test_a_workflow_has_its_nodes(name: str):
    drawn = draw(name)
    assert list(drawn.nodes) == NAMES[name]
    assert any(edge.is_conditional for edge in drawn.edges)
    assert WORKFLOWS[name].state.__annotations__


@pytest.mark.parametrize("name", REVIEWED)
def test_every_way_to_the_artifact_leads_through_the_review(name: str):
    workflow = WORKFLOWS[name]
    assert workflow.review is not None
    edges = list_edges(compile_drawing(workflow))
    assert len(edges) > len(workflow.nodes)
    assert find_bypasses(edges, workflow.review, workflow.final) == []


@pytest.mark.parametrize(("name", "edge"), [(name, it) for name in EDGES for it in EDGES[name]])
def test_an_edge_round_the_review_is_named(name: str, edge: tuple[str, str]):
    workflow = WORKFLOWS[name]
    assert workflow.review is not None
    graph = compile_drawing(workflow).builder
    graph.add_edge(*edge)
    edges = list_edges(graph.compile())
    assert edge in edges
    (bypass,) = find_bypasses(edges, workflow.review, workflow.final)
    assert bypass.edge == edge
    assert f"The edge {edge[0]} -> {edge[1]} goes round the review" in str(bypass)


def test_two_edges_round_the_review_are_both_named():
    workflow = WORKFLOWS["requirements"]
    edges = [*list_edges(compile_drawing(workflow)), ("N2", "N5"), ("N1", "N4")]
    bypasses = find_bypasses(edges, "N3", "N5")
    assert {("N2", "N5"), ("N1", "N4")} <= {bypass.edge for bypass in bypasses}


async def recorded(world: World) -> list[WorkflowEvent]:
    await end_of(world)
    return world.events


def without(events: list[WorkflowEvent], kind: type[WorkflowEvent]) -> list[WorkflowEvent]:
    return [event for event in events if not isinstance(event, kind)]


def changed(events: list[WorkflowEvent]) -> list[WorkflowEvent]:
    """The artifact is another one than that which was approved."""
    return [
        event.model_copy(update={"artifact_hash": "0" * 64})
        if isinstance(event, StageArtifactProduced)
        else event
        for event in events
    ]


@in_loop
async def test_what_is_recorded_shows_who_has_approved_the_artifact():
    events = await recorded(a_world())
    assert find_unapproved(events) == []
    assert "no verdict before it" in find_unapproved(without(events, VerdictGiven))[0]
    assert "no verdict before it" in find_unapproved(changed(events))[0]


@in_loop
async def test_a_verdict_behind_the_artifact_approves_nothing():
    events = await recorded(a_world())
    late = [
        event.model_copy(update={"ordinal": 999}) if isinstance(event, VerdictGiven) else event
        for event in events
    ]
    assert len(find_unapproved(late)) == 1


@in_loop
async def test_what_is_recorded_shows_who_has_waived():
    world = a_world("requirements", blocks("- Keys can be lost."), settings={"gates": ["verdict"]})
    await pause_of(world)
    await world.decide("edit", "Hotfix.", waived=True)
    events = await recorded(world)
    assert find_unapproved(events) == []
    assert "no waiver before it" in find_unapproved(without(events, GateWaived))[0]


@in_loop
async def test_only_an_issue_may_go_without_a_review():
    events = await recorded(a_world("issue", settings={"is_reviewed": False}))
    assert find_unapproved(events) == []
    design = [
        event.model_copy(update={"artifact_type": "low_level_design"})
        if isinstance(event, StageArtifactProduced)
        else event
        for event in events
    ]
    assert "optional for issues alone" in find_unapproved(design)[0]


@pytest.mark.parametrize("name", ["requirements", "implementation_spec", "tdd_implementation"])
def test_a_mandatory_review_cannot_be_turned_off(name: str):
    with pytest.raises(ConfigurationError, match="mandatory"):
        check_settings(name, WorkflowSettings(is_reviewed=False))
    check_settings("issue", WorkflowSettings(is_reviewed=False))


def test_settings_that_cannot_be_are_refused():
    with pytest.raises(ConfigurationError, match="There is no gate draught"):
        check_settings("issue", WorkflowSettings(gates=["draft", "draught"]))
    with pytest.raises(ConfigurationError, match="at least 1"):
        check_settings("issue", WorkflowSettings(max_iterations=0))


@in_loop
async def test_a_reviewer_of_the_drafters_family_is_refused_before_anything():
    world = a_world(reviewer_family="anthropic")
    with pytest.raises(ConfigurationError, match="family_conflict"):
        await world.attempt()
    assert world.models.requests == [] and world.visits == []


@in_loop
async def test_a_reviewer_of_the_coding_models_family_is_refused_before_anything():
    world = a_change(reviewer_family="openai")
    world.ports["implementer"].name = "codex"
    with pytest.raises(ConfigurationError, match="both of the family openai"):
        await world.attempt()
    assert world.ports["trees"].calls == []


@in_loop
async def test_a_run_without_what_it_needs_is_refused_before_anything():
    world = a_world(ports={"artifacts": None})
    with pytest.raises(ConfigurationError, match="needs artifacts"):
        await world.attempt()


def test_the_recursion_limit_is_that_of_its_loop():
    workflow = WORKFLOWS["requirements"]
    assert workflow.limit(WorkflowSettings()) == 5 * workflow.edges_per_loop + 10
    assert workflow.limit(WorkflowSettings(max_iterations=2)) == 2 * workflow.edges_per_loop + 10


@in_loop
async def test_the_longest_run_stays_below_the_recursion_limit():
    """Each verdict comes after as many refused drafts as rules may send back."""
    lines = [f"- Keys can be lost {number} times." for number in range(5)]
    drafts: list[object] = []
    for line in lines:
        drafts += ["Not a design."] * 3 + [DESIGN.replace("- Keys can be lost.", line)]
    reviews = [*(blocks(line) for line in lines[:4]), approves()]
    world = a_world("requirements", *reviews)
    world.models.drafts = drafts  # type: ignore[assignment]
    assert (await end_of(world)).status == "completed"
    workflow = WORKFLOWS["requirements"]
    assert len(world.visits) <= workflow.limit(WorkflowSettings())
