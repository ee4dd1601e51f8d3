"""The analyst: what the sources say together, where they agree over several sources, what is open.

It works on what the ledger and the insights hold; it reads no source around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from agents.project.desk import Desk, cite_slim
from agents.project.effects import Json
from agents.project.outputs import AnalysisResult, FoundInsight, Gap, Pattern, ResearchFinding
from agents.project.state import AgentResult
from agents.project.wording import word_summary
from agents.tools.ports import ToolRefused
from agents.tools.research import DEEP_RESEARCH, tell_finding
from agents.tools.show import count
from agents.tools.tool import ToolContext

SHOWN = 5
MOST_GAPS = 20
LONGEST_QUERY = 1_000


async def analyse(desk: Desk, began: datetime) -> AgentResult:
    """The state of knowledge, and where it is asked for also what others say, marked as such."""
    insights = await desk.list_items("insight")
    unknowns = await desk.list_atoms("unknown", MOST_GAPS)
    contradictions = await desk.list_contradictions()
    found = [_read_insight(one) for one in insights]
    patterns = [_read_pattern(one) for one in found if one.cross_source and len(one.source_ids) > 1]
    gaps = [Gap(title=one["title"], atom_id=one["atom_id"]) for one in unknowns]
    gaps += [Gap(title=one["explanation"]) for one in contradictions]
    findings = await _ask_outside(desk)
    by_rule = _summarise(found, patterns, gaps)
    facts = [one["text"] or one["title"] for one in insights] + [one.title for one in gaps]
    output = AnalysisResult(
        summary=await word_summary(desk, facts, by_rule),
        insights=found,
        patterns=patterns,
        gaps=gaps,
        atom_ids=sorted({each for one in found for each in one.atom_ids}),
        source_ids=sorted({each for one in found for each in one.source_ids}),
        research=findings,
    )
    cited = cite_slim([*insights[:SHOWN], *unknowns[:SHOWN]])
    return await desk.finish(output, _render(output), began, citations=cited)


def _read_insight(item: Json) -> FoundInsight:
    fields = item["fields"]
    return FoundInsight(
        insight_id=item["artifact_id"],
        title=item["title"],
        category=fields["category"],
        confidence=fields["confidence"],
        cross_source=fields["cross_source"],
        atom_ids=fields["atom_ids"],
        source_ids=fields["source_ids"],
    )


def _read_pattern(insight: FoundInsight) -> Pattern:
    return Pattern(title=insight.title, source_ids=insight.source_ids, atom_ids=insight.atom_ids)


async def _ask_outside(desk: Desk) -> list[ResearchFinding]:
    """What a research service answers, where there is one and the request is for it."""
    if not desk.can_research or "research" not in desk.request.lower():
        return []
    query = desk.request[:LONGEST_QUERY]

    async def make(context: ToolContext) -> Json:
        return await desk.ports.research(context, query)

    try:
        told = await desk.change(DEEP_RESEARCH, {"query": query}, make, needs="member")
    except ToolRefused:
        return []
    return [ResearchFinding.model_validate(one) for one in told.get("findings", ())]


def _summarise(
    insights: Sequence[FoundInsight], patterns: Sequence[Pattern], gaps: Sequence[Gap]
) -> str:
    if not insights and not gaps:
        return "Nothing has been found yet: no insight is written, and the ledger knows no gap."
    return (
        f"There are {count(len(insights), 'insight')},"
        f" {len(patterns):,} of them over several sources, and {count(len(gaps), 'open point')}."
    )


def _render(output: AnalysisResult) -> str:
    lines = [output.summary]
    lines += _list("Over several sources", [one.title for one in output.patterns])
    lines += _list("Insights", [one.title for one in output.insights])
    lines += _list("Open", [one.title for one in output.gaps])
    lines += _list(
        "Outside sources (no evidence of the project)",
        [tell_finding(one.model_dump())[2:] for one in output.research],
    )
    return "\n".join(lines)


def _list(title: str, entries: Sequence[str]) -> list[str]:
    if not entries:
        return []
    more = [f"- … and {len(entries) - SHOWN} more"] if len(entries) > SHOWN else []
    return ["", f"{title}:", *(f"- {one}" for one in entries[:SHOWN]), *more]
