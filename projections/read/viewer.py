"""Who looks at conversations with the assistant: each is its owner's alone, as long as they may see
all projects that were chosen in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from projections.read.page import Condition
from projections.read.session import Conn, rows

OWNED = "{conversation} IN (SELECT conversation_id FROM conversations WHERE owner = %s)"
SEEN = (
    "NOT EXISTS (SELECT FROM agent_events chosen WHERE chosen.conversation_id = {conversation}"
    " AND chosen.ordinal = 0 AND chosen.data ->> 'project' <> ''"
    " AND NOT chosen.data ->> 'project' = ANY(%s))"
)
ASKED = "SELECT asked AS conversation_id FROM unnest(%s::text[]) asked"


@dataclass(frozen=True, slots=True)
class Viewer:
    """``projects``: those that they may see; None: all."""

    name: str
    projects: frozenset[str] | None = None

    def conditions(self, conversation: str) -> list[Condition]:
        """What holds of the conversations that are theirs to see; ``conversation``: the column."""
        conditions: list[Condition] = [(OWNED.format(conversation=conversation), self.name)]
        if self.projects is not None:
            conditions.append((SEEN.format(conversation=conversation), sorted(self.projects)))
        return conditions


def list_seen(connection: Conn, viewer: Viewer, conversation_ids: Iterable[str]) -> set[str]:
    """Which of the conversations are theirs to see."""
    conditions = viewer.conditions("asked")
    query = " AND ".join([f"{ASKED} WHERE true", *(text for text, _ in conditions)])
    parameters = [value for _, value in conditions]
    matches = rows(connection, query, sorted(set(conversation_ids)), *parameters)
    return {row["conversation_id"] for row in matches}
