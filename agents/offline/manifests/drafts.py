"""From declared dependencies to drafts: each is an entity, the first few also a claim."""

from __future__ import annotations

from agents.offline.manifests.dependencies import Dependency, dependencies, owner_of
from agents.offline.recognise.cues import MODAL
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.code_comments import line_around
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Span
from schemas.events.hygiene import ChunkCreated

MAX_DEPENDENCIES = 12
MAX_DEPENDENCY_CLAIMS = 3


def dependency_drafts(chunk: ChunkCreated) -> list[Draft]:
    """Declared dependencies as entities; the first versions also as claims."""
    text = chunk.text_payload
    owner = owner_of(text)
    found: list[Draft] = []
    claims = 0
    for one in dependencies(text, chunk.path, tuple(chunk.structure_path))[:MAX_DEPENDENCIES]:
        span = line_around(text, *_trim(text, one), MIN_EVIDENCE_CHARS)
        found.append(
            Draft(
                kind="entity",
                title=one.name[:160],
                body=f"{one.name} is a declared dependency.",
                confidence=MODAL,
                spans=(span,),
                area="integrations",
                tags=("dependency",),
                attributes={"entity_type": "component"},
                entities=(one.name,),
            )
        )
        if owner and one.version and claims < MAX_DEPENDENCY_CLAIMS:
            claims += 1
            statement = f"{owner} depends on {one.name} {one.version}"
            found.append(
                Draft(
                    kind="claim",
                    title=statement[:160],
                    body=f"{statement}.",
                    confidence=MODAL,
                    spans=(span,),
                    area="integrations",
                    polarity="affirm",
                    tags=("dependency",),
                    entities=(one.name,),
                )
            )
    return found


def _trim(text: str, one: Dependency) -> Span:
    raw = text[one.start : one.end]
    return one.start + len(raw) - len(raw.lstrip()), one.end
