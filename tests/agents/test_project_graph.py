"""The project graph: seven nodes, who may follow whom, the review, the limit."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from agents.project.graph import Decision, draw_graph
from agents.project.state import SPECIALISTS, AgentResult, AgentState
from schemas.events.agent import LimitReached, ResultProduced, Routed
from tests.agents.talks import Topic, accept_after, in_loop, run

AT = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


def a_result(agent: str, **given: Any) -> AgentResult:
    values: dict[str, Any] = {
        "result_type": "answer",
        "response": f"{agent} says",
        "started_at": AT,
    }
    return AgentResult(agent=agent, finished_at=AT, **(values | given))


def answers(agent: str, **given: Any) -> Any:
    async def perform(state: AgentState) -> AgentResult:
        return a_result(agent, **given)

    return perform


def test_the_compiled_graph_has_seven_nodes_and_the_edges_of_the_table():
    drawn = draw_graph()

    assert set(drawn.nodes) == {"supervisor", *SPECIALISTS}
    edges = {(edge.source, edge.target): edge.is_conditional for edge in drawn.edges}
    reviewed = set(SPECIALISTS) - {"scheduler"}
    wanted = {("supervisor", name): True for name in (*SPECIALISTS, "__end__")}
    wanted |= {(name, target): True for name in reviewed for target in ("supervisor", "__end__")}
    wanted |= {("__start__", "supervisor"): False, ("scheduler", "__end__"): False}
    assert edges == wanted
    assert "supervisor -.-> planner" in drawn.mermaid


@in_loop
async def test_a_result_that_wants_no_review_ends_the_turn():
    topic = Topic()

    state = await run(topic.open_log(), {"assistant": answers("assistant")})

    assert topic.types == ["routed", "result_produced"]
    assert (state["final_response"], state["iteration"]) == ("assistant says", 2)
    assert topic.frames == ["routing", "result"]


@in_loop
async def test_a_result_that_wants_a_review_comes_back_and_is_accepted():
    topic = Topic()
    parts = {"decide": accept_after("planner")}
    parts |= {"planner": answers("planner", requires_review=True)}

    state = await run(topic.open_log(), parts)

    assert topic.types == ["routed", "result_produced", "review_requested", "routed"]
    assert state["final_response"] == "planner says"
    assert [one.agent for one in state["results"]] == ["planner"]
    assert [one.thought for one in state["thoughts"]] == ["It fits.", "It is sound."]


@in_loop
async def test_a_review_may_send_back_with_a_comment_or_ask_somebody_else():
    said: list[str] = []

    async def decide(state: AgentState) -> Decision:
        match len(state["results"]):
            case 0:
                return Decision("planner", "plan it", "first")
            case 1:
                return Decision("planner", "name the sprint", "sent back")
            case 2:
                return Decision("reporter", "tell it", "somebody else")
            case _:
                return Decision("end", "Told.", "accepted")

    def hears(name: str) -> Any:
        async def perform(state: AgentState) -> AgentResult:
            said.append(state["message_to_agent"])
            return a_result(name, requires_review=True)

        return perform

    topic = Topic()
    parts = {"decide": decide, "planner": hears("planner"), "reporter": hears("reporter")}
    state = await run(topic.open_log(), parts)

    assert said == ["plan it", "name the sprint", "tell it"]
    assert state["final_response"] == "Told."
    assert [one.agent for one in state["results"]] == ["planner", "planner", "reporter"]


@in_loop
async def test_the_scheduler_is_never_reviewed_whatever_it_says():
    topic = Topic()
    parts = {"decide": accept_after("scheduler")}
    parts |= {"scheduler": answers("scheduler", requires_review=True)}

    await run(topic.open_log(), parts)

    assert topic.types == ["routed", "result_produced"]


@in_loop
async def test_a_specialist_that_always_wants_a_review_ends_after_ten_steps():
    async def never_content(state: AgentState) -> Decision:
        return Decision("analyst", "again", "not yet")

    topic = Topic()
    parts = {"decide": never_content, "analyst": answers("analyst", requires_review=True)}
    state = await run(topic.open_log(), parts)

    assert state["limit_reached"]
    assert state["iteration"] == 10
    assert state["final_response"].startswith("analyst says")
    (limit,) = [event for event in topic.events if isinstance(event, LimitReached)]
    assert (limit.iteration, limit.max_iterations) == (10, 10)
    steps = [event for event in topic.events if isinstance(event, Routed | ResultProduced)]
    assert [event.iteration for event in steps] == list(range(1, 11))


@in_loop
async def test_a_supervisor_that_answers_itself_asks_nobody():
    async def about_itself(state: AgentState) -> Decision:
        return Decision("end", "I route.", "a question about me")

    topic = Topic()
    state = await run(topic.open_log(), {"decide": about_itself})

    assert topic.types == ["routed"]
    assert state["final_response"] == "I route."
