"""What a person looks at before and after a decision."""

from __future__ import annotations

from functools import partial

from infra.service.reading import ask
from infra.settings import Settings
from projections.read import artifacts, contradictions, projects
from projections.read.artifacts import Artifact
from projections.read.contradictions import Card
from projections.read.page import take
from projections.read.session import Conn


async def list_contradictions(
    settings: Settings, project: str, status: str | None = "open"
) -> list[Card]:
    """Contradictions with both sides, the gravest first; ``status`` None: all.

    Raises NotFound, DatabaseUnavailable.
    """

    def question(tables: Conn) -> list[Card]:
        project_id = projects.project_of(tables, project)
        return list(take(partial(contradictions.cards, tables, project_id, status)))

    return await ask(settings, question)


async def read_prd(settings: Settings, project: str) -> Artifact:
    """The published PRD, its text as ``rendered_markdown``. Raises NotFound before the first."""
    return await ask(
        settings,
        lambda tables: artifacts.artifact(tables, projects.project_of(tables, project), "prd"),
    )
