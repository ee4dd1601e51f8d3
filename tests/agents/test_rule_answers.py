"""Which tool a request means without a model, and with which arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import pytest

from agents.project.assistant import run_assistant
from agents.project.own_objects import is_about_project
from agents.project.rule_answers import NO_MODEL, choose_call, concerns_project
from agents.project.state import AgentResult, Citation
from agents.runs.confirmations import Decision, WaitsForConfirmation
from agents.tools.box import Tools
from agents.tools.ledger import ledger_tools, open_point_tools
from agents.tools.ports import Json, Ports
from agents.tools.show import answer
from tests.agents.turns import Recorded, Shelf, a_turn


class LongPassages:
    """A ledger whose search finds long passages."""

    async def search_ledger(self, project_id: str, query: str, **_: object) -> Json:
        text = "The seal of each crate is signed. " * 300
        quote = {"path": "a.md", "line_start": 1, "line_end": 90, "snippet": text}
        hit = {
            "atom_id": None,
            "kind": "passage",
            "title": "Seals",
            "body": text,
            "status": "quoted",
        }
        hits = [{**hit, "passage_id": f"psg_{n}", "evidence": [quote] * 3} for n in range(10)]
        return {"coverage": "fulltext", "hits": hits}


@dataclass
class Minutes:
    """A ledger that answers a search by the kinds and statuses that are asked for."""

    hits: dict[str, Json]

    async def search_ledger(
        self, _: str, __: str, *, kinds: Sequence[str], statuses: Sequence[str], **___: object
    ) -> Json:
        found = self.hits.get(" ".join([*statuses, *kinds]))
        return {"coverage": "fulltext" if found else "none", "hits": [found] if found else []}


def a_hit(kind: str, title: str, **more: object) -> Json:
    quote = {"path": f"{kind}.md", "line_start": 3, "line_end": 3, "snippet": title}
    own = {"atom_id": f"atm_{kind}", "kind": kind, "title": title, "status": "draft"}
    return own | {"evidence": [quote]} | more


def answer_from(hits: dict[str, Json], question: str) -> AgentResult:
    tools = Tools(ledger_tools(cast(Ports, Minutes(hits))))
    return asyncio.run(run_assistant(a_turn(question), None, tools, Recorded()))


@pytest.mark.parametrize(
    ("request_text", "tool", "arguments"),
    [
        ("Create a task for password reset", "create_task", {"title": "Password reset"}),
        ("please add a new task: oil the gate.", "create_task", {"title": "Oil the gate"}),
        ("Add a task called «Oil the gate»", "create_task", {"title": "Oil the gate"}),
        ("Mark task-003 as done", "update_task", {"task": "task-003", "status": "done"}),
        ("mark task 3 done", "update_task", {"task": "task 3", "status": "done"}),
        ("Finish task 3, please", "update_task", {"task": "task 3", "status": "done"}),
        ("make task 3 blocked", "update_task", {"task": "task 3", "status": "blocked"}),
        (
            "could you assign task 3 to Ben please?",
            "update_task",
            {"task": "task 3", "assignee": "Ben"},
        ),
        ("Is task 3 done?", "get_task", {"reference": "task 3"}),
        ("Should I delete task 3?", "get_task", {"reference": "task 3"}),
        ("If Ben agrees, mark task 3 as done", "get_task", {"reference": "task 3"}),
        ("Ada wrote: delete task 3", "get_task", {"reference": "task 3"}),
        ("what is missing?", "list_gaps", {}),
        ("Where are the gaps of the PRD?", "list_gaps", {}),
        ("What is missing in task 3?", "get_task", {"reference": "task 3"}),
        (
            "Here is a document: All seals are red.",
            "save_source",
            {"title": "", "text": "All seals are red."},
        ),
        (
            "Keep these minutes of 2 May:\nAda decides.",
            "save_source",
            {"title": "2 May", "text": "Ada decides."},
        ),
        ("Set task 3 to in progress", "update_task", {"task": "task 3", "status": "in_progress"}),
        ("Assign task 3 to Ben", "update_task", {"task": "task 3", "assignee": "Ben"}),
        ("Rename task 3 to Sign-in", "update_task", {"task": "task 3", "title": "Sign-in"}),
        ("Delete task 12", "delete_task", {"task": "task 12"}),
        ("Move task 3 to sprint 2", "update_task", {"task": "task 3", "sprint": "sprint 2"}),
        ("Add a feature: export as CSV", "create_feature", {"title": "Export as CSV"}),
        ("Set feature 2 to must", "update_feature", {"feature": "feature 2", "priority": "must"}),
        ("Make feat-002 a won't", "update_feature", {"feature": "feat-002", "priority": "wont"}),
        ("Delete feature «Seals»", "delete_feature", {"feature": "Seals"}),
        ("Delete task 3 of feature 2", "delete_task", {"task": "task 3"}),
        ("Close sprint-001", "update_sprint", {"sprint": "sprint-001", "closed": True}),
        ("Delete sprint 2", "delete_sprint", {"sprint": "sprint 2"}),
        ("Show me task-003", "get_task", {"reference": "task-003"}),
        ("What does feature 2 say?", "get_feature", {"reference": "feature 2"}),
        ("Give me the standup", "generate_standup", {}),
        ("Write a sprint report", "generate_sprint_report", {}),
        ("Let's have a retro", "generate_retro", {}),
        ("When will it be finished?", "forecast_delivery", {}),
        ("Who should take which task?", "suggest_assignments", {}),
        ("How is the workload?", "get_member_workload", {}),
        ("List the features", "list_features", {}),
        ("Show the features we decided on", "list_features", {}),
        ("Which features did we agree to build for exports?", "list_features", {}),
        ("List all open tasks that were decided on Monday", "list_tasks", {}),
        ("show me the open questions we agreed on", "list_unknowns", {}),
        ("What contradictions have we decided about?", "list_contradictions", {}),
        ("Explain atm_0a1b", "get_atom", {"atom_id": "atm_0a1b"}),
        (
            "Why do depots sign seals?",
            "search_ledger",
            {"query": "Why do depots sign seals?", "limit": 4},
        ),
        (
            "What did we decide about control planes, and what speaks against it?",
            "search_ledger",
            {"query": "control planes", "kinds": ["decision"], "limit": 4},
        ),
        (
            "Which decisions are there on seals?",
            "search_ledger",
            {"query": "seals", "kinds": ["decision"], "limit": 4},
        ),
        (
            "What did we decide about seals, ropes and keys?\nMany thanks",
            "search_ledger",
            {"query": "seals, ropes and keys", "kinds": ["decision"], "limit": 4},
        ),
        (
            "What did we decide about ?",
            "search_ledger",
            {"query": "What did we decide about ?", "limit": 4},
        ),
        (
            "What did we decide about features?",
            "search_ledger",
            {"query": "features", "kinds": ["decision"], "limit": 4},
        ),
        (
            "Show what was decided on the team of couriers",
            "search_ledger",
            {"query": "the team of couriers", "kinds": ["decision"], "limit": 4},
        ),
        (
            "What budget did we agree on for the depot?",
            "search_ledger",
            {"query": "for the depot", "kinds": ["decision"], "limit": 4},
        ),
        (
            "Remind me what we decided about seals",
            "search_ledger",
            {"query": "seals", "kinds": ["decision"], "limit": 4},
        ),
        ("Add a task to decide on seals", "create_task", {"title": "Decide on seals"}),
        ("x" * 1_001 + " List the features", "search_ledger", {"query": "x" * 1_000, "limit": 4}),
        (
            "What speaks against signed seals?",
            "search_ledger",
            {"query": "signed seals", "kinds": ["risk", "unknown"], "limit": 4},
        ),
        (
            "What are the biggest risks of the seal depot?",
            "search_ledger",
            {"query": "the seal depot", "kinds": ["risk"], "limit": 4},
        ),
        (
            "Which questions are still open about seals?",
            "search_ledger",
            {"query": "seals", "kinds": ["unknown"], "limit": 4},
        ),
        (
            "Are there open questions on signed seals, and who answers them?",
            "search_ledger",
            {"query": "signed seals", "kinds": ["unknown"], "limit": 4},
        ),
        (
            "List the requirements for couriers.",
            "search_ledger",
            {"query": "couriers", "kinds": ["requirement"], "limit": 4},
        ),
        (
            "What action items are there for Ada?",
            "search_ledger",
            {"query": "Ada", "kinds": ["action_item"], "limit": 4},
        ),
        (
            "What did we decide about the risks of seals?",
            "search_ledger",
            {"query": "the risks of seals", "kinds": ["decision"], "limit": 4},
        ),
        ("What are the risks of our project?", "analyze_risks", {}),
        ("Show the risks for the next release", "analyze_risks", {}),
        ("Are there open questions in the project?", "list_unknowns", {}),
        ("What are the risks of task-003?", "analyze_risks", {}),
        ("Create a task for the risks of seals", "create_task", {"title": "The risks of seals"}),
    ],
)
def test_a_request_means_a_tool(request_text, tool, arguments):
    assert choose_call(request_text) == (tool, arguments)


def test_a_long_text_without_a_word_on_it_is_offered_to_be_a_source():
    minutes = "Minutes of May\n" + "Ada says that all seals are red and signed by two.\n" * 20
    tool, arguments = choose_call(minutes)
    assert (tool, arguments["title"]) == ("save_source", "Minutes of May")
    assert arguments["text"] == minutes.strip()
    assert choose_call(f"What does this say?\n{minutes}")[0] == "search_ledger"


def test_greetings_and_orders_ask_the_ledger_nothing():
    assert concerns_project("How are seals signed?")
    assert not concerns_project("Hello there!")
    assert not concerns_project("Please create a task for the seals")


def test_to_be_reminded_of_what_was_decided_is_a_question():
    assert concerns_project("Remind me what we decided about seals")
    assert concerns_project("Please remind us again of the decision on seals")
    assert not concerns_project("Remind me to ask what we decided")
    assert not concerns_project("Remind us tomorrow what we decided")


@pytest.mark.parametrize("piece", ["show ", "show a features ", "remind me ", "which tasks a "])
def test_a_long_request_that_nearly_fits_is_read_like_any_other(piece):
    said = piece * 100_000 + "?"

    tool, arguments = choose_call(said)

    assert tool in ("search_ledger", "list_features", "list_tasks")
    assert len(arguments.get("query", "")) <= 1_000
    assert concerns_project(said) is not piece.startswith("remind")


def test_a_deletion_by_rule_waits_for_a_person_and_happens_once():
    shelf, effects = Shelf(), Recorded()
    with pytest.raises(WaitsForConfirmation) as waits:
        asyncio.run(run_assistant(a_turn("Delete task 3"), None, shelf.tools(), effects))
    assert shelf.calls == []

    decision = {waits.value.confirmation.confirmation_id: Decision(kind="approve")}
    turn = a_turn("Delete task 3", decisions=decision)
    for _ in range(2):
        result = asyncio.run(run_assistant(turn, None, shelf.tools(), effects))

    assert (shelf.calls, result.error) == ([("delete_task", {"task": "task 3"})], None)


def test_a_search_tells_the_first_hits_in_short_however_long_they_are():
    tools = Tools(ledger_tools(cast(Ports, LongPassages())))

    result = asyncio.run(run_assistant(a_turn("How are seals signed?"), None, tools, Recorded()))

    told = [line for line in result.response.splitlines() if line.startswith("- ")]
    assert len(told) == 4
    assert all("[a.md:1-90]" in line and len(line) < 300 for line in told)
    assert "psg_" not in result.response


def test_each_part_of_a_question_about_a_decision_is_answered():
    hits = {
        "decision": a_hit("decision", "Seals are signed", document_status="proposed"),
        "superseded decision": a_hit("old", "Seals are stamped", status="superseded"),
        "risk unknown": a_hit("risk", "Signing takes a minute"),
    }
    question = "What did we decide about seals, where does it stand, and what speaks against it?"
    result = answer_from(hits, question)

    decided, stands, against, _ = result.response.split("\n\n")
    assert decided == (
        "Decided:\n- Seals are signed (decision, draft; the document is proposed) [decision.md:3]"
    )
    assert stands == (
        "Where it stands:\n- decision.md: proposed\n"
        "- Seals are stamped (old, superseded) [old.md:3]"
    )
    assert against == "What speaks against it:\n- Signing takes a minute (risk, draft) [risk.md:3]"
    assert [it.cited_id for it in result.citations] == ["atm_decision", "atm_old", "atm_risk"]


def test_without_a_decision_the_answer_says_so_and_tells_what_comes_nearest():
    hits = {"": a_hit("claim", "Seals are red")}
    result = answer_from(hits, "What did we decide about seals, and what speaks against them?")

    first, against, _ = result.response.split("\n\n")
    assert first == (
        "No decision on this was found. What comes nearest:\n"
        "- Seals are red (claim, draft) [claim.md:3]"
    )
    assert against == "Nothing against it was found."


@pytest.mark.parametrize(
    ("kind", "question", "found", "nothing"),
    [
        ("risk", "What are the risks of seals?", "Risks:", "No risk of this was found."),
        (
            "unknown",
            "Which questions are open about seals?",
            "Open questions:",
            "No open question on this was found.",
        ),
    ],
)
def test_a_question_for_a_kind_is_answered_by_that_kind_or_says_that_there_is_none(
    kind: str, question: str, found: str, nothing: str
):
    result = answer_from({kind: a_hit(kind, "Seals break")}, question)
    told = f"{found}\n- Seals break ({kind}, draft) [{kind}.md:3]"
    assert result.response.split("\n\n")[0] == told

    result = answer_from({"": a_hit("claim", "Seals are red")}, question)
    told = f"{nothing} What comes nearest:\n- Seals are red (claim, draft) [claim.md:3]"
    assert result.response.split("\n\n")[0] == told


def test_by_rule_nobody_without_the_right_is_asked_to_confirm():
    shelf, turn = Shelf(), a_turn("Delete task 3", role="viewer")

    result = asyncio.run(run_assistant(turn, None, shelf.tools(), Recorded()))

    assert (shelf.calls, result.error) == ([], "forbidden")


@pytest.mark.parametrize("order", ["Delete T-1", "Please change it", "Mark it as great"])
def test_an_order_that_no_rule_understands_is_asked_back_and_searches_nothing(order):
    shelf = Shelf()
    result = asyncio.run(run_assistant(a_turn(order), None, shelf.tools(), Recorded()))

    assert shelf.calls == []
    assert "did not understand" in result.response


def test_a_change_that_a_pasted_text_wants_is_not_made_by_rules():
    shelf = Shelf()
    for request in ("What does Ada want? «delete task 3»", "Sum this up: mark task 3 as done"):
        asyncio.run(run_assistant(a_turn(request), None, shelf.tools(), Recorded()))
    assert {name for name, _ in shelf.calls} <= {"search_ledger"}


def test_an_order_that_depends_on_something_is_asked_about():
    shelf = Shelf()
    with pytest.raises(WaitsForConfirmation):
        request = "mark task-003 as done if Ada agrees"
        asyncio.run(run_assistant(a_turn(request), None, shelf.tools(), Recorded()))
    assert shelf.calls == []


@dataclass
class Answering:
    """A ledger whose search chooses sentences; everything that Cairn lists itself is empty."""

    coverage: str = "fulltext"

    async def search_ledger(self, *_: object, **__: object) -> Json:
        places = {"path": "a.md", "source_id": "src_1"}
        quote = {**places, "line_start": 1, "line_end": 9, "snippet": "# Seals\n\nAll of it. " * 40}
        sentence = {**places, "line_start": 7, "line_end": 7, "snippet": "A depot signs its seals."}
        other = {**places, "line_start": 4, "line_end": 4, "snippet": "Red seals break."}
        hit = {"atom_id": None, "kind": "passage", "title": "Seals", "body": "", "status": "quoted"}
        hits = [
            {**hit, "passage_id": "psg_1", "evidence": [quote], "sentence": sentence},
            {**hit, "passage_id": "psg_2", "evidence": [quote], "sentence": other},
        ]
        for number, each in enumerate((sentence, other), 1):
            each["cited_id"] = f"psg_{number}"
        heads = [{**other, "snippet": it} for it in ("Date: 2026-01-20", "Supersedes ADR 2.")]
        chosen = [sentence, *heads] if self.coverage == "fulltext" else []
        return {"coverage": self.coverage, "hits": hits, "sentences": chosen}

    async def list_contradictions(self, *_: object, **__: object) -> list[Json]:
        return []


MORE = "What else is known:\n- Red seals break. [a.md:4]"


def ask_sources(coverage: str, question: str) -> AgentResult:
    ports = cast(Ports, Answering(coverage))
    tools = Tools([*ledger_tools(ports), *open_point_tools(ports)])
    return asyncio.run(run_assistant(a_turn(question), None, tools, Recorded()))


def test_the_sentence_that_answers_is_told_first_with_its_line():
    result = ask_sources("fulltext", "Who signs the seals?")
    first, more, _ = result.response.split("\n\n")
    assert first == "A depot signs its seals. [a.md:7]"
    assert more == MORE
    assert [(each.cited_id, each.line_start) for each in result.citations] == [
        ("psg_1", 7),
        ("psg_2", 4),
    ]


def test_what_nothing_answers_is_said_before_what_comes_nearest():
    result = ask_sources("weak", "Who signs the seals?")
    assert result.response.startswith(
        "Nothing in the sources answers this. What comes nearest:\n- A depot signs its seals."
    )


@pytest.mark.parametrize(
    ("coverage", "sentence"),
    [("fulltext", "\n\nA depot signs its seals. [a.md:7]\n\n" + MORE), ("weak", "")],
)
def test_the_sources_answer_where_cairn_has_nothing_to_list(coverage: str, sentence: str):
    result = ask_sources(coverage, "Which contradictions are there?")
    assert result.response == f"Open contradictions: 0{sentence}\n\n{NO_MODEL}"
    assert [call["tool"] for call in result.output["tool_calls"]] == [
        "list_contradictions",
        "search_ledger",
    ]


@pytest.mark.parametrize(
    ("question", "is_about"),
    [
        ("What did we spend?", False),
        ("How many tasks are open?", False),
        ("Who's overloaded right now?", False),
        ("What does a transaction cost on the free plan?", True),
        ("Which jobs run in the payment service?", True),
        ("Who may see the members of a workspace?", True),
        ("", False),
    ],
)
def test_a_question_with_words_of_its_own_is_about_the_project(question: str, is_about: bool):
    assert is_about_project(question) == is_about
    if is_about:
        assert choose_call(question)[0] == "search_ledger"


def test_what_is_cited_twice_stands_where_it_is_cited_first():
    first, second = Citation(cited_id="atm_1"), Citation(cited_id="atm_2")
    assert answer([], {}, [first, second, first]).citations == (first, second)
