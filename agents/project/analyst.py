"""The analyst: what the sources say together, where they agree over several sources, what is open.

It works on what the ledger and the insights hold; it reads no source around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.project.outputs import AnalysisResult, FoundInsight, Gap, Pattern
from agents.project.outside import TITLE, ask_outside, tell_findings
from agents.project.specialist import SpecialistContext, cite_slim
from agents.project.state import AgentResult
from agents.project.wording import word_summary
from agents.runs.effects import Json
from schemas.inflection import count

SHOWN = 5
MOST_GAPS = 20


@dataclass(frozen=True, slots=True)
class Totals:
    """How many there are; the result holds the first ones."""

    insights: int
    patterns: int
    gaps: int


async def analyse(specialist: SpecialistContext, began: datetime) -> AgentResult:
    """The state of knowledge, and where it is asked for also what others say, marked as such."""
    listed = await specialist.count_items("insight", counted=_is_shared)
    unknowns = await specialist.list_atoms("unknown", MOST_GAPS)
    contradictions = await specialist.list_contradictions()
    insights = listed.items
    read_insights = [_read_insight(insight) for insight in insights]
    patterns = [
        _read_pattern(read)
        for read, insight in zip(read_insights, insights, strict=True)
        if _is_shared(insight)
    ]
    gaps = [Gap(title=item["title"], atom_id=item["atom_id"]) for item in unknowns.items]
    gaps += [Gap(title=item["explanation"]) for item in contradictions.items]
    findings = await ask_outside(specialist)
    totals = Totals(
        insights=listed.total,
        patterns=max(listed.counted, len(patterns)),
        gaps=unknowns.total + contradictions.total,
    )
    by_rule = _summarise(totals)
    facts = [insight["text"] or insight["title"] for insight in insights] + [
        gap.title for gap in gaps
    ]
    output = AnalysisResult(
        summary=await word_summary(specialist, facts, by_rule),
        insights=read_insights,
        patterns=patterns,
        gaps=gaps,
        atom_ids=sorted({each for read_insight in read_insights for each in read_insight.atom_ids}),
        source_ids=sorted(
            {each for read_insight in read_insights for each in read_insight.source_ids}
        ),
        research=findings,
    )
    cited = cite_slim([*insights[:SHOWN], *unknowns.items[:SHOWN]])
    return await specialist.finish(output, _render(output, totals), began, citations=cited)


def _is_shared(insight: Json) -> bool:
    """Whether several sources say it."""
    return insight["fields"]["cross_source"] and len(insight["fields"]["source_ids"]) > 1


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


def _summarise(totals: Totals) -> str:
    if not totals.insights and not totals.gaps:
        return "Nothing has been found yet: no insight is written, and the ledger knows no gap."
    return (
        f"There are {count(totals.insights, 'insight')},"
        f" {totals.patterns:,} of them over several sources,"
        f" and {count(totals.gaps, 'open point')}."
    )


def _render(output: AnalysisResult, totals: Totals) -> str:
    lines = [output.summary]
    patterns = [pattern.title for pattern in output.patterns]
    lines += _list("Over several sources", patterns, totals.patterns)
    lines += _list("Insights", [insight.title for insight in output.insights], totals.insights)
    lines += _list("Open", [gap.title for gap in output.gaps], totals.gaps)
    outside = tell_findings(output.research)
    lines += _list(TITLE, outside, len(outside))
    return "\n".join(lines)


def _list(title: str, entries: Sequence[str], total: int) -> list[str]:
    if not entries:
        return []
    more = [f"- … and {total - SHOWN:,} more"] if total > SHOWN else []
    return ["", f"{title}:", *(f"- {entry}" for entry in entries[:SHOWN]), *more]
