"""What a person looks at before and after a decision."""

from __future__ import annotations

from typing import Any

from infra.service.reading import ask
from infra.settings import Settings
from projections import people, queries


async def list_contradictions(
    settings: Settings, project: str, status: str | None = "open"
) -> list[dict[str, Any]]:
    """Contradictions with both sides, the gravest first; ``status`` None: all.

    Raises NotFound, DatabaseUnavailable.
    """
    return await ask(
        settings,
        lambda tables: people.cards(tables, queries.project_of(tables, project), status),
    )


async def read_prd(settings: Settings, project: str) -> dict[str, Any]:
    """The published PRD, its text as ``rendered_markdown``. Raises NotFound before the first."""
    return await ask(
        settings,
        lambda tables: queries.artifact(tables, queries.project_of(tables, project), "prd"),
    )
