"""From declared dependencies to drafts: each is an entity, a fact of a list of its own."""

from __future__ import annotations

from agents.offline.manifests.dependencies import Dependency, dependencies
from agents.offline.recognise.cues import MODAL
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.code_comments import line_around
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Span
from schemas.events.hygiene import ChunkCreated

MAX_DEPENDENCIES = 25  # of one chunk
DEPENDENCY = "dependency"  # the tag by which they are listed


def dependency_drafts(chunk: ChunkCreated) -> list[Draft]:
    """Declared dependencies as entities."""
    text = chunk.text_payload
    drafts: list[Draft] = []
    for dependency in dependencies(text, chunk.path, tuple(chunk.structure_path))[
        :MAX_DEPENDENCIES
    ]:
        span = line_around(text, *_trim(text, dependency), MIN_EVIDENCE_CHARS)
        drafts.append(
            Draft(
                kind="entity",
                title=dependency.name[:160],
                body=f"{dependency.name} is a declared dependency.",
                confidence=MODAL,
                spans=(span,),
                area="integrations",
                tags=(DEPENDENCY,),
                attributes={"entity_type": "component"} | _version(dependency),
                entities=(dependency.name,),
            )
        )
    return drafts


def _version(dependency: Dependency) -> dict[str, str]:
    return {"version": dependency.version} if dependency.version else {}


def _trim(text: str, dependency: Dependency) -> Span:
    raw = text[dependency.start : dependency.end]
    return dependency.start + len(raw) - len(raw.lstrip()), dependency.end
