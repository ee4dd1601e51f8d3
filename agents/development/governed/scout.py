"""`scout`: a question, and what sources outside of the project say on it, each sentence cited.

What it finds is no evidence of the project and nothing is built on it without a stage of its own,
so it has no review. A claim without a source that was really read is dropped.
"""

from __future__ import annotations

from typing import Any

from agents.development.governed.gates import DRAFT_GATE, halt, open_gate, persist, stop
from agents.development.governed.graphs import Workflow, WorkflowNode
from agents.development.governed.node import END, AtNode, RunEnded, Step, hash_text
from agents.development.governed.prompts import get_prompt, join_parts, list_items, show
from agents.development.governed.state import ClaimState, EndState, ScoutState, SourceState
from agents.development.workflow_ports import OutsideFinding, Value, WrittenArtifact
from agents.models.call import Message
from agents.models.errors import ModelError
from schemas.events.workflow_stages import StageArtifactProduced

ARTIFACT_TYPE = "intelligence_report"
MOST_QUERIES, MOST_NEW_QUERIES = 4, 3
LONGEST_QUERY = 200
MOST_SOURCES = 60
NO_SOURCES = "No source outside says anything on the question."
NO_CLAIMS = "No claim cites a source that was read, so there is nothing to report."
ASK_AGAIN = ("Put the question in other words, and start a new run.",)
NOTE = "These are sources outside of the project. They are no evidence of it."

_TEXTS = {"type": "array", "items": {"type": "string"}}
_PLAN = {"type": "object", "properties": {"queries": _TEXTS}, "required": ["queries"]}
_ASSESSMENT = {
    "type": "object",
    "properties": {"is_answered": {"type": "boolean"}, "gaps": _TEXTS, "queries": _TEXTS},
    "required": ["is_answered"],
}
_CLAIM = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "sources": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["text"],
}
_SYNTHESIS = {
    "type": "object",
    "properties": {"claims": {"type": "array", "items": _CLAIM}, "open_questions": _TEXTS},
    "required": ["claims"],
}


class Results(Value):
    findings: tuple[OutsideFinding, ...]


async def plan_queries(at: AtNode, state: ScoutState) -> Step:
    """The queries for the question, which a person sees first where the run has this gate."""
    question = _read_question(at)
    if not question:
        await stop(at, "empty_input", "There is no question.", ASK_AGAIN)
    advice = ""
    while True:
        data = await _ask(at, "scout_plan", _PLAN, show("A person's advice", advice))
        queries = _clean(data["queries"], [])[:MOST_QUERIES] or [question[:LONGEST_QUERY]]
        if DRAFT_GATE not in at.run.settings.gates:
            return Step({"queries": queries})
        about = {"artifact_hash": hash_text("\n".join(queries)), "queries": queries}
        summary = f"These queries would leave the machine: {'; '.join(queries)}."
        choice = await open_gate(at, DRAFT_GATE, about, summary)
        if choice.kind == "approve":
            return Step({"queries": queries})
        advice = choice.text


async def search(at: AtNode, state: ScoutState) -> Step:
    """What a research service finds for each query, each source once."""
    research = at.run.ports.research
    assert research is not None  # see NEEDED
    sources, asked = [*state.get("sources", [])], [*state.get("asked", [])]
    for query in state["queries"]:

        async def make(key: str, query: str = query) -> Results:
            return Results(findings=tuple(await research.search(query)))

        async def attempt(query: str = query, make: Any = make) -> Results:
            return await at.call("search", {"query": query}, Results, make)

        for finding in (await persist(at, attempt)).findings:
            source: SourceState = {**finding.model_dump(), "query": query}  # type: ignore[typeddict-item]
            if _is_new(source, sources) and len(sources) < MOST_SOURCES:
                sources.append(source)
        asked.append(query)
    rounds = state.get("rounds", 0) + 1
    return Step({"sources": sources, "asked": asked, "queries": [], "rounds": rounds})


async def assess(at: AtNode, state: ScoutState) -> Step:
    """Whether the sources answer the question; if not it is searched deeper, a few times."""
    rounds, limit = state["rounds"], at.run.settings.max_search_rounds
    if rounds >= limit:
        return Step({}, "N3", f"{rounds} rounds of search are the limit.")
    asked = show("Queries that were asked", list_items(state["asked"]))
    data = await _ask(at, "scout_assess", _ASSESSMENT, asked, _show_sources(state))
    queries = _clean(data.get("queries", ()), state["asked"])[:MOST_NEW_QUERIES]
    if data["is_answered"] or not queries:
        return Step({}, "N3", "The sources answer the question, or no query is left.")
    return Step({"queries": queries}, "N1", f"{len(queries)} queries for what is still open.")


async def synthesise(at: AtNode, state: ScoutState) -> Step:
    """Claims with their sources; a claim without one is dropped."""
    if not state["sources"]:
        await stop(at, "no_sources", NO_SOURCES, ASK_AGAIN)
    data = await _ask(at, "scout_synthesise", _SYNTHESIS, _show_sources(state))
    claims: list[ClaimState] = []
    dropped = []
    for each in data["claims"]:
        numbers = range(1, len(state["sources"]) + 1)
        cited = sorted({it for it in each.get("sources", ()) if it in numbers})
        text = " ".join(str(each["text"]).split())
        if text and cited:
            claims.append({"text": text, "sources": cited})
        elif text:
            dropped.append(text)
    if not claims:
        await stop(at, "no_claims", NO_CLAIMS, ASK_AGAIN)
    change = {
        "claims": claims,
        "dropped": dropped,
        "open_questions": _clean(data.get("open_questions", ()), [], 500),
    }
    return Step(change, "N4", f"{len(dropped)} claims without a source were dropped.")


async def report(at: AtNode, state: ScoutState) -> Step:
    """The report is kept, with the sources that it cites."""
    artifacts, text = at.run.ports.artifacts, render_report(_read_question(at), state)
    assert artifacts is not None  # see NEEDED
    args = {"artifact_type": ARTIFACT_TYPE, "sha256": hash_text(text)}

    async def make(key: str) -> WrittenArtifact:
        return await artifacts.write(ARTIFACT_TYPE, text, key)

    written = await persist(at, lambda: at.call("write_artifact", args, WrittenArtifact, make))
    if written.sha256 != hash_text(text):
        raise RunEnded(
            "failed", "artifact_changed", "The file is not the report as it was written."
        )
    await at.record(
        StageArtifactProduced,
        artifact_type=ARTIFACT_TYPE,
        artifact_hash=hash_text(text),
        text=text,
        approval="optional",
        path=written.path,
    )
    end: EndState = {
        "status": "completed",
        "artifact_type": ARTIFACT_TYPE,
        "artifact_hash": hash_text(text),
        "text": text,
        "path": written.path,
    }
    return Step({"end": end}, END)


def render_report(question: str, state: ScoutState) -> str:
    """The report as Markdown; sources that no claim cites are left out."""
    cited = sorted({number for claim in state["claims"] for number in claim["sources"]})
    places = {number: place for place, number in enumerate(cited, start=1)}
    lines = [f"# {_on_a_line(question)}", "", NOTE, "", "## Findings", ""]
    for claim in state["claims"]:
        marks = "".join(f"[{places[number]}]" for number in claim["sources"])
        lines.append(f"- {claim['text']} {marks}")
    if state["open_questions"]:
        lines += ["", "## Open questions", "", *(f"- {it}" for it in state["open_questions"])]
    lines += ["", "## Sources", ""]
    for number, place in places.items():
        source = state["sources"][number - 1]
        lines.append(f"{place}. {source['address']} ({source['found_on']})")
    return "\n".join(lines) + "\n"


async def _ask(at: AtNode, name: str, schema: dict[str, Any], *parts: str) -> dict[str, Any]:
    prompt = get_prompt(name)
    messages: tuple[Message, ...] = (
        prompt.with_rules("Answer with one object of JSON and nothing else."),
        join_parts(show("The question", _read_question(at)), *parts),
    )
    while True:
        try:
            answer = await at.ask_model(
                "draft", messages, prompt_version=prompt.version, schema=schema
            )
        except ModelError as error:
            await halt(at, "drafter_failed", str(error))
            continue
        data: dict[str, Any] = answer.data
        return data


def _read_question(at: AtNode) -> str:
    return f"{at.run.issue.title}\n\n{at.run.issue.text}".strip()


def _show_sources(state: ScoutState) -> str:
    lines = [
        f"[{number}] {source['text']} ({source['address']}, {source['found_on']})"
        for number, source in enumerate(state["sources"], start=1)
    ]
    return show("Sources", "\n\n".join(lines)) or "There are no sources yet."


def _is_new(source: SourceState, sources: list[SourceState]) -> bool:
    """Whether it can be cited, and was not there before."""
    is_address = source["address"].startswith(("https://", "http://"))
    same = any(
        (each["address"], each["text"]) == (source["address"], source["text"]) for each in sources
    )
    return is_address and bool(source["text"].strip()) and not same


def _clean(texts: Any, but: list[str], longest: int = LONGEST_QUERY) -> list[str]:
    lines = [_on_a_line(str(text))[:longest] for text in texts]
    return [line for line in dict.fromkeys(lines) if line and line not in but]


def _on_a_line(text: str) -> str:
    return " ".join(text.split())


SCOUT = Workflow(
    name="scout",
    state=ScoutState,
    nodes={
        "N0": WorkflowNode("plan queries", plan_queries, ("N1", END)),
        "N1": WorkflowNode("search", search, ("N2", END)),
        "N2": WorkflowNode("assess", assess, ("N3", "N1", END)),
        "N3": WorkflowNode("synthesise", synthesise, ("N4", END)),
        "N4": WorkflowNode("report", report, (END,)),
    },
    edges_per_loop=2,
    review=None,
    final="N4",
    is_search=True,
)
