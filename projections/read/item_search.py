"""The items of a plan that hold words: ranked in the database, so that only a page of them is
read.
"""

from __future__ import annotations

from collections.abc import Sequence

from projections.read.artifacts import ITEMS, Item, add_places
from projections.read.page import page_of
from projections.read.session import Conn, ReadModel, rows

# A word of the title counts twice; a word is a run of letters and digits.
RANKED = """
    WITH said AS (
        SELECT a.artifact_id, a.artifact_type, a.number,
            regexp_split_to_array(lower(a.number || ' ' || a.title), '[^[:alnum:]]+') AS title,
            regexp_split_to_array(lower(coalesce((SELECT string_agg(text #>> '{}', ' ')
                FROM jsonb_path_query(a.content, '$[*].statements[*].text') AS text), '')),
                '[^[:alnum:]]+') AS body
        FROM artifacts a
        WHERE a.project_id = %s AND a.artifact_type = ANY(%s) AND a.number <> ''
    ), ranked AS (
        SELECT said.*, (SELECT sum(2 * (word = ANY(title))::int + (word = ANY(body))::int)
            FROM unnest(%s::text[]) AS word) AS score
        FROM said
    )
    SELECT artifact_id, artifact_type FROM ranked WHERE score > 0
    ORDER BY score DESC, array_position(%s::text[], artifact_type), number, artifact_id
"""


class FoundItem(ReadModel):
    artifact_type: str
    item: Item


class FoundItems(ReadModel):
    """``total`` is how many there are, on this page or not."""

    items: list[FoundItem]
    total: int


def search_items(
    connection: Conn,
    project_id: str,
    types: Sequence[str],
    words: Sequence[str],
    *,
    offset: int,
    limit: int,
) -> FoundItems:
    """The present items of these types that hold one of the words in lower case; those that hold
    most come first, else they are in the order of types and numbers.
    """
    given = (list(types), list(words), list(types))
    ranked = rows(connection, RANKED, project_id, *given)
    shown = {row["artifact_id"]: row["artifact_type"] for row in ranked[offset : offset + limit]}
    condition = ("a.project_id = %s AND a.artifact_id = ANY(%s)", project_id, list(shown))
    records, _ = page_of(connection, ITEMS, [condition], None, max(len(shown), 1))
    add_places(connection, records)
    items = {row["artifact_id"]: Item(**row) for row in records}
    return FoundItems(
        items=[
            FoundItem(artifact_type=kind, item=items[item_id]) for item_id, kind in shown.items()
        ],
        total=len(ranked),
    )
