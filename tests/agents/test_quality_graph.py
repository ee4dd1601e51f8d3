"""The gate's graph: its order and limits, what a reviser may change, and whom it tells."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Sequence

import pytest

from agents.quality.graph import Assessed, GateState, Parts, conclude, run_gate
from infra.service.writing.quality import describe_quality_graph
from schemas.envelope import Event
from schemas.events.artifact_quality import DimensionScore, QualityMode, SectionCritique
from schemas.events.artifact_sections import Citation, ReviewFinding, Section, Statement
from schemas.events.quality import IterationCompleted, QualityRunStarted, SectionRevised
from schemas.ids import sha256_hex
from schemas.quality_gate import describe_judgement, final_tier, passes, select_dimensions

FULL = ("Scoping", "Solution Design", "Operational Design", "Overall")


def a_section(section_id: str, text: str) -> Section:
    said = Statement(
        statement_id=f"stm_{section_id}",
        text=text,
        citations=[Citation(atom_id="atm_1", atom_revision=1)],
        confidence=0.7,
    )
    return Section(
        section_id=section_id,
        title=section_id,
        state="generated",
        statements=[said],
        content_hash=sha256_hex(text),
        input_hash="i",
    )


GOALS, RISKS = a_section("goals", "as it was"), a_section("risks", "as it was too")


def a_score(name: str, tier: int, *failing: str) -> DimensionScore:
    return DimensionScore(
        name=name,
        tier=tier,
        completeness=tier,
        consistency=tier,
        evidence_coverage=tier,
        clarity=tier,
        critique="weak" if tier < 2 else "",
        failing_sections=list(failing),
        critiques=[SectionCritique(section_id=one, critique=f"{one} is thin") for one in failing],
    )


class Script:
    """Scripted evaluations, one list of scores for each; what the parts were asked is kept."""

    def __init__(
        self,
        *evaluations: Sequence[DimensionScore],
        mode: QualityMode = "full",
        refused: Sequence[str] = (),
        may_revise: bool = True,
    ) -> None:
        self.evaluations = list(evaluations)
        self.mode = mode
        self.refused = refused
        self.may_revise = may_revise
        self.asked: list[str] = []
        self.critiques: list[str] = []
        self.told: list[Event] = []

    def parts(self) -> Parts:
        return Parts(self.load, self.evaluate, self.revise, self.find_errors, self.tell, "scripted")

    async def load(self) -> Assessed:
        self.asked.append("init")
        return Assessed("qlr_1", "art_1", 3, 9, self.mode, (GOALS, RISKS), self.may_revise)

    async def evaluate(
        self, mode: QualityMode, sections: Sequence[Section]
    ) -> list[DimensionScore]:
        self.asked.append("evaluator")
        return list(self.evaluations.pop(0))

    async def revise(
        self, sections: Sequence[Section], dimensions: Sequence[DimensionScore]
    ) -> list[Section]:
        """It rewrites everything, whether it may or not."""
        self.asked.append("reviser")
        self.critiques += [one.critique for each in dimensions for one in each.critiques]
        return [a_section(one.section_id, "rewritten") for one in reversed(sections)]

    def find_errors(self, sections: Sequence[Section]) -> list[ReviewFinding]:
        return [
            ReviewFinding(code="uncited_assertion", section_id=one, statement_id="")
            for one in self.refused
        ]

    async def tell(self, events: Sequence[Event]) -> None:
        self.told += events

    def run(self) -> GateState:
        return asyncio.run(run_gate(self.parts()))


GOOD = [a_score(name, 2) for name in FULL]
WEAK = [a_score("Scoping", 1, "goals"), *GOOD[1:]]


def test_a_version_that_passes_is_evaluated_once():
    script = Script(GOOD)

    run = conclude(script.run(), script.parts())

    assert script.asked == ["init", "evaluator"]
    assert (run.status, run.iteration, run.final_tier) == ("passed", 1, "intermediate")
    assert run.revised_sections == []


def test_a_weak_one_is_revised_once_and_evaluated_twice_whatever_comes_of_it():
    script = Script(WEAK, WEAK, WEAK)

    run = conclude(script.run(), script.parts())

    assert script.asked == ["init", "evaluator", "reviser", "evaluator"]
    assert (run.status, run.iteration, run.max_iterations) == ("needs_attention", 2, 2)


def test_light_mode_evaluates_once_and_never_revises():
    script = Script([a_score("Scoping", 1, "goals"), a_score("Overall", 1)], mode="light")

    run = conclude(script.run(), script.parts())

    assert script.asked == ["init", "evaluator"]
    assert (run.status, run.max_iterations) == ("needs_attention", 1)


def test_a_run_that_may_not_revise_evaluates_once_and_says_so():
    script = Script(WEAK, may_revise=False)

    run = conclude(script.run(), script.parts())

    assert script.asked == ["init", "evaluator"]
    assert (run.status, run.max_iterations, run.revised_sections) == ("needs_attention", 1, [])


def test_only_failing_sections_change_whatever_the_reviser_returns():
    script = Script(WEAK, GOOD)

    state = script.run()

    assert [one.section_id for one in state["sections"]] == ["goals", "risks"]
    assert state["sections"][1] == RISKS
    assert state["sections"][0].content_hash != GOALS.content_hash
    assert conclude(state, script.parts()).revised_sections == ["goals"]


def test_the_reviser_is_handed_what_each_section_lacks():
    script = Script(WEAK, GOOD)
    script.run()

    assert script.critiques == ["goals is thin"]


def test_a_section_that_the_validator_refuses_stays_as_it_was():
    script = Script(WEAK, WEAK, refused=["goals"])

    state = script.run()

    assert state["sections"] == [GOALS, RISKS]
    assert not [event for event in script.told if isinstance(event, SectionRevised)]


def test_each_event_is_told_once_in_the_order_of_its_number():
    script = Script(WEAK, GOOD)

    state = script.run()

    assert script.told == state["events"]
    assert [getattr(event, "seq", 0) for event in script.told] == list(range(1, 13))
    assert [event.type_name.split(".")[1] for event in script.told] == [
        "run_started",
        *["dimension_scored"] * 4,
        "iteration_completed",
        "section_revised",
        *["dimension_scored"] * 4,
        "iteration_completed",
    ]
    started, first = script.told[0], script.told[5]
    assert isinstance(started, QualityRunStarted) and isinstance(first, IterationCompleted)
    assert (started.dimensions, started.max_iterations) == (
        ["Scoping", "Operational Design", "Overall"],
        2,
    )
    assert (first.passed, first.failing_dimensions) == (False, ["Scoping"])
    assert first.failing_sections == ["goals"]


def test_what_a_part_raises_comes_out():
    script = Script(GOOD)

    async def fail(events: Sequence[Event]) -> None:
        raise ConnectionError("no broker")

    script.tell = fail  # type: ignore[method-assign]
    with pytest.raises(ConnectionError):
        script.run()
    assert script.asked == ["init"]


def test_the_graph_has_the_nodes_and_steps_that_it_says():
    drawn = describe_quality_graph()

    assert drawn.nodes == ("__start__", "init", "evaluator", "reviser", "__end__")
    assert set(drawn.steps) == {
        ("__start__", "init"),
        ("init", "evaluator"),
        ("evaluator", "reviser"),
        ("evaluator", "__end__"),
        ("reviser", "evaluator"),
    }


@pytest.mark.parametrize(
    ("tiers", "name"),
    [
        ((3, 3, 3, 3), "advanced"),
        ((1, 3, 3, 3), "intermediate"),
        ((0, 3, 3, 3), "basic"),
        ((3, 3, 3, 0), "incomplete"),
        ((2,), "intermediate"),
    ],
)
def test_the_final_tier_is_that_of_overall_but_at_most_the_lowest_other_and_one(tiers, name):
    assert final_tier([a_score("d", tier) for tier in tiers]) == name


def test_it_passes_when_every_dimension_is_intermediate():
    assert passes([a_score("d", 2), a_score("e", 3)])
    assert not passes([a_score("d", 1), a_score("e", 3)])


def test_an_artifact_is_assessed_in_the_dimensions_it_has():
    assert select_dimensions("full", ["goals", "risks"]) == [
        "Scoping",
        "Operational Design",
        "Overall",
    ]
    assert select_dimensions("light", ["description"]) == ["Scoping", "Overall"]


def test_a_judgement_made_in_passing_has_the_same_trail():
    script = Script(WEAK[:1], mode="light")
    run = conclude(script.run(), script.parts())

    told = describe_judgement(run, 9)

    assert [event.type_name for event in told[:-1]] == [one.type_name for one in script.told]
    assert told[-1].type_name == "quality.run_finished"
    assert [getattr(event, "seq", 0) for event in told] == [1, 2, 3, 4]


TRACED = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        print(event, arguments[1:]); sys.exit(7)
sys.addaudithook(refuse)
import os
before = dict(os.environ)
import threading
from tests.agents.test_quality_graph import GOOD, WEAK, Script
assert Script(WEAK, GOOD).run()["iteration"] == 2
assert dict(os.environ) == before, "the environment of the process has changed"
import langsmith.run_trees
assert langsmith.run_trees._CLIENT is None, "a client of the tracing service was made"
print("quiet")
"""


def test_a_run_tells_nobody_outside_even_where_the_environment_asks_for_it():
    """A server listens where traces would go, and no socket may connect anywhere."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        asked = {
            f"{family}_{name}": value
            for family in ("LANGSMITH", "LANGCHAIN")
            for name, value in {
                "TRACING_V2": "true",
                "API_KEY": "key",
                "ENDPOINT": address,
            }.items()
        } | {"LANGSMITH_TRACING": "true"}
        done = subprocess.run(
            [sys.executable, "-c", TRACED],
            env=os.environ | asked,
            capture_output=True,
            text=True,
            timeout=120,
        )
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert (done.returncode, done.stdout.strip()) == (0, "quiet"), done.stdout + done.stderr


def test_a_command_that_judges_nothing_does_not_import_the_graph():
    code = (
        "import sys; import infra.cli.commands, infra.service.writing.quality,"
        " infra.cli.quality, agents.quality.graph;"
        "assert not [n for n in sys.modules if n.startswith(('langgraph', 'langsmith'))]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
