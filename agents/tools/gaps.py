"""The tool that tells what is missing: areas, sections of the PRD, features, open questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agents.tools.ports import Json, Ports
from agents.tools.show import answer, cite_atom, cite_item, cut, name_of
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult
from schemas.inflection import count

LIST_GAPS = "list_gaps"
MOST_UNKNOWNS, SHOWN = 1_000, 8
NO_GAP = "No gap is known: each area is covered, and no section, question or contradiction is open."


class NoArguments(ToolArguments):
    """It takes none."""


def gap_tools(ports: Ports) -> list[Tool]:
    """The tools of the group, over these ports."""

    async def list_gaps(context: ToolContext, _: NoArguments) -> ToolResult:
        project = context.project_id
        gaps = await ports.read_gaps(project)
        unknowns = await ports.list_atoms(project, "unknown", MOST_UNKNOWNS)
        contradictions = await ports.list_contradictions(project)
        features = await ports.list_items(project, "feature")
        parts = [
            ("Areas of which too little is known", [_words(area) for area in gaps["areas"]]),
            ("Sections of the PRD with a gap", [*_sections(gaps["sections"])]),
            ("Features with a gap", [*_of_features(features)]),
            (
                "Open questions",
                [f"{cut(unknown['title'])} [{unknown['atom_id']}]" for unknown in unknowns],
            ),
            (
                "Open contradictions",
                [cut(contradiction["explanation"]) for contradiction in contradictions],
            ),
        ]
        lines = [line for title, entries in parts for line in _show(title, entries)]
        with_gap = [feature for feature in features if any(_sections(feature["sections"]))]
        cited = [cite_item(feature)[0] for feature in with_gap[:SHOWN]]
        data = {
            **gaps,
            "features": [feature["artifact_id"] for feature in with_gap],
            "unknowns": len(unknowns),
            "contradictions": len(contradictions),
        }
        shown = [cite_atom(unknown) for unknown in unknowns[:SHOWN]]
        return answer(lines or [NO_GAP], data, [*shown, *cited])

    return [
        Tool(
            LIST_GAPS,
            "List what is missing: areas that the sources say too little of, sections of the PRD"
            " and features with a gap, open questions and contradictions.",
            NoArguments,
            list_gaps,
            space="status",
        )
    ]


def _sections(sections: Iterable[Json]) -> Iterator[str]:
    """Each section that says what it lacks."""
    return (f"{section['title']}: {cut(section['gap'])}" for section in sections if section["gap"])


def _of_features(features: Sequence[Json]) -> Iterator[str]:
    for feature in features:
        for gap in _sections(feature["sections"]):
            yield f"{name_of(feature)}: {gap}"


def _show(title: str, entries: Sequence[str]) -> list[str]:
    """The first ones of a part, and how many there are; nothing where there is none."""
    if not entries:
        return []
    more = [f"- … {count(len(entries) - SHOWN, 'more', 'more')}"] if len(entries) > SHOWN else []
    return [f"{title}: {len(entries):,}", *(f"- {entry}" for entry in entries[:SHOWN]), *more]


def _words(area: str) -> str:
    return area.replace("_", " ")
