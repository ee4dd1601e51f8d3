"""A run that is broken off goes on from its records: to the same artifact, and no call twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from agents.development.workflow_ports import OutsideFinding, WorkflowEnd
from infra.service.runs.driving import Paused
from schemas.envelope import Envelope
from schemas.events.workflow import WorkflowEffectRecorded, WorkflowNodeFinished
from schemas.events.workflow_stages import StageArtifactProduced
from tests.agents.talks import Killed, in_loop
from tests.development.governed_runs import DESIGN, World, approves, blocks
from tests.development.test_governed_stages import a_world
from tests.development.workspaces import WRITES_CODE, WRITES_TESTS, a_change, nothing

NODES = {
    "issue": 7,
    "requirements": 17,  # with a revision
    "implementation_spec": 7,
    "tdd_implementation": 14,  # with a fix
    "scout": 7,  # with a deeper search
}


def make_world(workflow_type: str) -> World:
    if workflow_type == "tdd_implementation":
        return a_change(WRITES_TESTS, nothing, WRITES_CODE)
    if workflow_type == "scout":
        return a_search()
    world = a_world(workflow_type)
    if workflow_type == "requirements":
        world.models.reviews = [blocks("- Keys can be lost."), approves()]
        world.models.drafts.append(DESIGN.replace("- Keys can be lost.", "- Keys expire."))
    return world


def a_search() -> World:
    world = World("scout", issue="How do others sign exports?")
    world.outside.findings = {
        "sign exports": [finding("Most sign with a key.", "https://a.example/1")],
        "rotate keys": [finding("Keys rotate.", "https://b.example/2")],
    }
    world.models.drafts = [
        {"queries": ["sign exports"]},
        {"is_answered": False, "gaps": ["keys"], "queries": ["rotate keys"]},
        {"is_answered": True},
        {"claims": [{"text": "Keys rotate.", "sources": [2]}]},
    ]
    return world


def finding(text: str, address: str) -> OutsideFinding:
    return OutsideFinding(text=text, address=address, found_on="2026-11-29")


class Breaks(World):
    """A run whose process is gone once ``after`` nodes are done."""

    after: int = 0

    async def publish(self, facts: Sequence[Envelope]) -> None:
        for fact in facts:
            if self.after and self.done >= self.after:
                raise Killed
            self.facts.append(fact)

    @property
    def done(self) -> int:
        return len(self.all(WorkflowNodeFinished))


async def finish(world: World) -> WorkflowEnd:
    """The end of the run, which begins again each time its process is gone."""
    while True:
        try:
            end = await world.attempt()
        except Killed:
            world.room = None
            if isinstance(world, Breaks):
                world.after = 0
            continue
        assert not isinstance(end, Paused)
        return end


def calls_of(world: World) -> Counter[str]:
    """Calls of models and of ports, by what they were."""
    counted = Counter(request.request_hash for request in world.models.requests)
    counted += Counter(world.outside.calls)
    workspace = world.ports.get("trees")
    return counted + Counter(workspace.calls if workspace else ())


def breaking(world: World, after: int) -> World:
    names = ("workflow_type", "models", "outside", "settings", "issue", "given", "ports")
    broken = Breaks(**{name: getattr(world, name) for name in names})
    broken.after = after
    return broken


@pytest.mark.parametrize("keeps_states", [True, False])
@pytest.mark.parametrize(
    ("workflow_type", "after"),
    [(name, at) for name, most in NODES.items() for at in range(1, most)],
)
def test_a_run_broken_off_after_a_node_comes_to_the_same_end(
    workflow_type: str, after: int, keeps_states: bool
):
    @in_loop
    async def run():
        quiet = make_world(workflow_type)
        expected = await finish(quiet)
        assert expected.status == "completed"
        assert len(quiet.visits) == NODES[workflow_type]
        broken = breaking(make_world(workflow_type), after)
        broken.keeps_states = keeps_states
        with pytest.raises(Killed):
            await broken.attempt()
        assert len(broken.visits) == after
        assert await finish(broken) == expected
        assert broken.visits == quiet.visits
        assert calls_of(broken) == calls_of(quiet), "no completed call is made again"

    run()


@pytest.mark.parametrize("workflow_type", NODES)
def test_a_run_broken_off_after_any_fact_comes_to_the_same_end(workflow_type: str):
    @in_loop
    async def run():
        quiet = make_world(workflow_type)
        expected = await finish(quiet)
        for room in range(1, len(quiet.facts), 3):
            broken = make_world(workflow_type)
            broken.room = room
            assert await finish(broken) == expected, f"after {room} facts"
            assert sum((calls_of(broken) - calls_of(quiet)).values()) <= 1, "one was under way"
            assert [event.ordinal for event in broken.events] == list(range(len(broken.events)))

    run()


@pytest.mark.parametrize("workflow_type", NODES)
def test_a_replay_tells_the_same_and_asks_nobody(workflow_type: str):
    @in_loop
    async def run():
        world = make_world(workflow_type)
        end = await finish(world)
        before = calls_of(world)
        assert await world.attempt(replays=True) == end
        assert calls_of(world) == before
        assert len(world.all(WorkflowEffectRecorded)) > 1

    run()


@in_loop
async def test_a_gate_is_passed_once_and_its_pause_costs_nothing():
    world = a_world(settings={"gates": ["draft", "verdict"]})
    for _ in range(2):
        for _ in range(2):  # a pause is looked at twice
            assert isinstance(await world.attempt(), Paused)
        world.states.rows.clear()
        await world.decide("approve")
    assert (await finish(world)).status == "completed"
    assert (world.models.count("draft"), world.models.count("review")) == (1, 1)
    assert len(world.all(StageArtifactProduced)) == 1
