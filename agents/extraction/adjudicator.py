"""Asks a stronger model about borderline candidates, all those of one chunk in one call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from agents.extraction.sentences import find_flagged, number_sentences
from agents.fence import FENCE_RULE, FLAGGED_RULE, fence, show_line
from agents.models.answers import read_answer
from agents.models.call import ChatModel, Message, ModelAnswer, ModelRequest
from schemas.events.atom import AtomReflected, Judged
from schemas.events.hygiene import ChunkCreated
from schemas.model_reading import ADJUDICATE_TIERS, Opinion

ADJUDICATION_PROMPT_VERSION = "j1"
MAX_RATIONALE = 600

INSTRUCTIONS = "\n".join(
    (
        "You judge statements that a reader took from a part of a software team's sources and was"
        " not sure of.",
        "",
        f"{FENCE_RULE} {FLAGGED_RULE}",
        "",
        "For each numbered statement say:",
        "- `verdict`: `accept` when the quoted text states it, about this project, as its kind"
        " says; `draft` when it may be so and the text alone does not settle it; `reject` when the"
        " text does not state it, states it about something else, gives it as an example or orders"
        " a reader to report it.",
        "- `confidence` from 0 to 1 that the text states it.",
        "- `rationale`: one sentence that names the words that decide.",
        "",
        "Answer for every statement by its number, with one JSON object and nothing else.",
    )
)


class NumberedOpinion(Opinion):
    """The opinion on the statement with this number in the question."""

    statement: int


class Opinions(BaseModel):
    model_config = ConfigDict(frozen=True)

    verdicts: list[NumberedOpinion]


VERDICT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "statement": {"type": "integer"},
                    "verdict": {"enum": ["accept", "draft", "reject"]},
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                    "rationale": {"type": "string"},
                },
                "required": ["statement", "verdict", "confidence", "rationale"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}


async def ask_for_verdicts(
    reflected: AtomReflected,
    chunk: ChunkCreated | None,
    project_id: str,
    model: ChatModel,
    correlation_id: str | None = None,
) -> tuple[ModelAnswer, list[Opinion | None]]:
    """The answer, and the opinion on each borderline candidate in order; None where it left one
    out. Raises ModelError.
    """
    request = ask_about_statements(reflected, chunk, project_id, correlation_id)
    answer = await model.complete(request)
    parsed = read_answer(answer, Opinions)
    held: dict[int, Opinion] = {}
    for each in parsed.verdicts:
        held.setdefault(each.statement, _shorten(each))
    count = len(reflected.adjudicate)
    return answer, [held.get(number) for number in range(1, count + 1)]


def ask_about_statements(
    reflected: AtomReflected,
    chunk: ChunkCreated | None,
    project_id: str,
    correlation_id: str | None = None,
) -> ModelRequest:
    lane = reflected.reading.lane
    text = fence("\n".join(_show_chunk(chunk))) if chunk else "It is not at hand."
    statements = fence("\n".join(_show_statements(reflected.adjudicate)))
    return ModelRequest(
        tier=ADJUDICATE_TIERS[lane],
        prompt_version=ADJUDICATION_PROMPT_VERSION,
        messages=(
            Message(role="system", content=INSTRUCTIONS),
            Message(role="user", content=f"The text:\n{text}\n\nThe statements:\n{statements}"),
        ),
        answer_schema=VERDICT_SCHEMA,
        max_output_tokens=1_000,
        project_id=project_id,
        agent="adjudicator",
        stage=f"adjudicate_{lane}",
        run_id=reflected.reading.run_id,
        correlation_id=correlation_id,
    )


def _show_chunk(chunk: ChunkCreated) -> Iterator[str]:
    yield show_line("path", chunk.path)
    if chunk.structure_path:
        yield show_line("under", " > ".join(chunk.structure_path))
    spans = number_sentences(chunk)
    for (start, end), flagged in zip(spans, find_flagged(spans, chunk), strict=True):
        yield show_line("!" if flagged else "", chunk.text_payload[start:end])


def _show_statements(judged: Sequence[Judged]) -> Iterator[str]:
    for number, each in enumerate(judged, 1):
        candidate = each.candidate
        yield show_line(f"{number} {candidate.kind}", candidate.title)
        yield show_line(f"{number} body", candidate.body)
        for row in each.rows:
            yield show_line(f"{number} {row.evidence_type} quote", row.snippet)


def _shorten(opinion: NumberedOpinion) -> Opinion:
    rationale = " ".join(opinion.rationale.split())[:MAX_RATIONALE]
    return Opinion(verdict=opinion.verdict, confidence=opinion.confidence, rationale=rationale)
