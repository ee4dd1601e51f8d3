"""The evaluator with a model: three criteria of each dimension, and what its sections lack.

A model is not asked how well statements are evidenced, nor for a tier: evidence is counted, and a
tier follows from the criteria as it does without a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.fence import FENCE_RULE, fence
from agents.models.call import Message
from agents.synthesis.prompts import quote
from schemas.events.artifact_quality import QualityMode, SectionCritique
from schemas.events.artifact_sections import Section
from schemas.quality_gate import DIMENSIONS, select_dimensions

EVALUATION_VERSION = "quality-2"
ASKED = ("completeness", "consistency", "clarity")
LONGEST_CRITIQUE = 400
RULES = (
    """\
You judge a product document for a team that is about to build from it. You are strict and fair, \
and you judge only what stands there.

For each dimension give each criterion a whole number:
0 essential content is missing or wrong, 1 the minimum that can be used, 2 good and ready for use, \
3 comprehensive.
- completeness: is what the dimension needs there?
- consistency: do its statements agree with each other?
- clarity: is each statement definite, understandable alone and testable?
`critique`: one or two sentences that say what would have to be better, empty where nothing would.
`sections`: of a dimension with a criterion below 2 the sections that are at fault, each with what \
it lacks, so specifically that an editor can mend it. An editor can reword, join, order and leave \
out statements, and has no further facts.
Answer with JSON alone, in the form that is asked for.

"""
    + FENCE_RULE
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a model thinks of one dimension: criteria from 0 to 3, and what its sections lack."""

    scores: Mapping[str, float]
    critique: str
    critiques: tuple[SectionCritique, ...]


def ask_for_judgement(
    mode: QualityMode, title: str, sections: Sequence[Section], shown: int
) -> tuple[Message, ...]:
    """The messages for one evaluation; of each section the first ``shown`` statements."""
    names = select_dimensions(mode, [section.section_id for section in sections])
    listed = "\n".join(
        f"- {name}: {', '.join(_list_sections(mode, name, sections))}" for name in names
    )
    document = "\n\n".join(_show(section, shown) for section in sections)
    asked = f"Document: {quote(title)}\n\nDimensions and their sections:\n{listed}\n\n"
    return (
        Message(role="system", content=RULES),
        Message(role="user", content=asked + fence(document)),
    )


def schema_of_judgement(mode: QualityMode, sections: Sequence[Section]) -> dict[str, Any]:
    """The JSON Schema of the answer: an object for each dimension that the document has."""
    names = select_dimensions(mode, [section.section_id for section in sections])
    dimensions = {name: _schema_of(_list_sections(mode, name, sections)) for name in names}
    return _object({"dimensions": _object(dimensions)})


def read_judgement(data: Any) -> dict[str, Judgement]:
    """What the model thinks, by dimension."""
    return {
        name: Judgement(
            scores={criterion: float(given[criterion]) for criterion in ASKED},
            critique=_trim(given["critique"]),
            critiques=tuple(
                SectionCritique(section_id=section["section"], critique=_trim(section["lacks"]))
                for section in given["sections"]
            ),
        )
        for name, given in data["dimensions"].items()
    }


def _schema_of(section_ids: Sequence[str]) -> dict[str, Any]:
    lack = _object({"section": {"enum": list(section_ids)}, "lacks": {"type": "string"}})
    criteria = {name: {"type": "integer", "minimum": 0, "maximum": 3} for name in ASKED}
    return _object(
        {
            **criteria,
            "critique": {"type": "string"},
            "sections": {"type": "array", "items": lack, "maxItems": len(section_ids)},
        }
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list_sections(mode: QualityMode, name: str, sections: Sequence[Section]) -> list[str]:
    wanted = DIMENSIONS[mode][name]
    return [
        section.section_id for section in sections if not wanted or section.section_id in wanted
    ]


def _show(section: Section, shown: int) -> str:
    lines = [f"## {section.section_id}"]
    for statement in section.statements[:shown]:
        notes = ["draft"] if statement.provisional else []
        notes += ["nothing supports it"] if not statement.citations else []
        text = f" ({', '.join(notes)})" if notes else ""
        lines.append(f"- {statement.text}{text}")
    return "\n".join(lines if section.statements else [*lines, "(empty)"])


def _trim(text: str) -> str:
    return " ".join(text.split())[:LONGEST_CRITIQUE]
