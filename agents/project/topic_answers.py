"""What the ledger says of one kind about a topic. Of decisions also where they stand, and what
speaks against them, as one answer.

Each part is a search of its own. A part that finds nothing says so: something else would be read as
an answer to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.project.lexicons import Wording
from agents.project.state import Citation
from agents.tools.search_answers import HITS_TOLD, cite_result, tell_hits, tell_result
from agents.tools.tool import ToolResult
from schemas.answering import NO_ANSWER

DECISION = "decision"
SUPERSEDED = "superseded"
AGAINST = ("risk", "unknown")
_KINDS = {  # what is asked for: how the answer is headed, and what it says when there is nothing
    (DECISION,): ("Decided:", "No decision on this was found."),
    AGAINST: ("What speaks against it:", "Nothing against it was found."),
    ("risk",): ("Risks:", "No risk of this was found."),
    ("unknown",): ("Open questions:", "No open question on this was found."),
    ("requirement",): ("Requirements:", "No requirement for this was found."),
    ("action_item",): ("Action items:", "No action item on this was found."),
}
_ASKS_STANDING = Wording("answers", "asks_standing")
_ASKS_AGAINST = Wording("answers", "asks_against")


@dataclass(frozen=True, slots=True)
class Part:
    """``nothing`` is what is said where the search finds nothing on the topic."""

    heading: str
    arguments: Mapping[str, Any]
    nothing: str


@dataclass(frozen=True, slots=True)
class PartResult:
    """A part and the result of its search; ``hits`` are those that speak of the topic."""

    part: Part
    result: ToolResult

    @property
    def hits(self) -> Sequence[dict[str, Any]]:
        is_about = self.result.data.get("coverage") not in ("weak", "none")
        return self.result.data.get("hits") or [] if is_about else []


def split_topic(request: str, first: Mapping[str, Any]) -> list[Part]:
    """The parts of an answer to a question of which ``first`` is the search for the main one."""
    parts = [_part_of(first, first["kinds"])]
    if first["kinds"] != [DECISION]:
        return parts
    if _ASKS_STANDING.says(request):
        replaced = {**first, "statuses": [SUPERSEDED]}
        parts.append(Part("Where it stands:", replaced, "No document says where it stands."))
    if _ASKS_AGAINST.says(request):
        parts.append(_part_of(first, AGAINST))
    return parts


def _part_of(first: Mapping[str, Any], kinds: Sequence[str]) -> Part:
    heading, nothing = _KINDS[tuple(kinds)]
    return Part(heading, {**first, "kinds": [*kinds]}, nothing)


def tell_topic(answers: Sequence[PartResult], nearest: ToolResult | None) -> str:
    """The parts under their headings. ``nearest``: what was found of any kind, where the first part
    has found nothing.
    """
    paragraphs = []
    for answer in answers:
        lines = tell_hits(answer.hits)
        if answer.part.arguments.get("statuses"):
            hits = nearest.data.get("hits") or () if nearest else answers[0].hits
            lines = [*_tell_standing(hits), *lines]
        if lines:
            paragraphs.append("\n".join([answer.part.heading, *lines]))
        else:
            paragraphs.append(answer.part.nothing)
    if nearest and nearest.citations:
        near = tell_result(nearest)
        if nearest.data.get("coverage") in NO_ANSWER:
            near = "\n".join(tell_hits(nearest.data.get("hits") or ()))
        paragraphs[0] = f"{answers[0].part.nothing} What comes nearest:\n{near}"
    return "\n\n".join(paragraphs)


def cite_topic(answers: Sequence[PartResult], nearest: ToolResult | None) -> tuple[Citation, ...]:
    """What the answer tells, each once."""
    cited = [answer.result.citations for answer in answers if answer.hits]
    if nearest:
        cited.append(cite_result(nearest))
    first = (citation for citations in cited for citation in citations[:HITS_TOLD])
    return tuple({citation.cited_id: citation for citation in first}.values())


def _tell_standing(hits: Iterable[dict[str, Any]]) -> list[str]:
    """What each document behind the hits says of itself."""
    statuses: dict[str, str] = {}
    for hit in hits:
        path = (hit["evidence"] or [{}])[0].get("path")
        if path and hit.get("document_status"):
            statuses.setdefault(path, hit["document_status"])
    return [f"- {path}: {status}" for path, status in statuses.items()]
