"""Sources whose text is nearly that of another one: a copied guide, the same page of two versions.

Paragraphs are compared as they stand, blanks and capitals aside, so a source with other values in a
few of them is still a near copy, and each of its values stays an atom of its own. Asked for a whole
project at once; nothing is stored, as it follows from the texts.
"""

from __future__ import annotations

from projections.read.session import Conn, ReadModel, select
from schemas.readers import PROSE_TYPES

LEAST_SHARE = 0.8  # of a source's characters
LEAST_CHARS = 300  # of a source; shorter ones are alike by chance
LEAST_PARAGRAPH = 40  # characters; shorter ones are headings and the like

# Of the sources that have a paragraph the one with the shortest path counts as where it comes from.
_NEAR_COPIES = """
    WITH paragraphs AS (
        SELECT DISTINCT s.source_id, s.path, length(p.said) AS size,
            md5(lower(regexp_replace(p.said, '\\s+', ' ', 'g'))) AS hash
        FROM sources s JOIN source_texts t USING (source_id, sanitized_hash),
            regexp_split_to_table(t.text, '\\n\\s*\\n') AS p(said)
        WHERE s.project_id = %s AND s.state = 'sanitized' AND s.duplicate_of IS NULL
            AND s.source_type = ANY(%s) AND length(p.said) >= %s
    ), origins AS (
        SELECT source_id, path, size, hash, first_value(source_id) OVER w AS origin,
            first_value(path) OVER w AS origin_path
        FROM paragraphs WINDOW w AS (PARTITION BY hash ORDER BY length(path), path, source_id)
    ), shares AS (
        SELECT source_id, path, origin, origin_path, sum(size) AS shared,
            sum(sum(size)) OVER (PARTITION BY source_id) AS size
        FROM origins GROUP BY source_id, path, origin, origin_path
    )
    SELECT DISTINCT ON (source_id) source_id, path, origin AS original_id,
        origin_path AS original_path, round(shared / size, 4)::float AS share
    FROM shares
    WHERE origin <> source_id AND size >= %s AND shared >= %s * size
    ORDER BY source_id, shared DESC, origin_path
"""


class NearCopy(ReadModel):
    """``share`` of the source's characters stand in the original, word by word."""

    source_id: str
    path: str
    original_id: str
    original_path: str
    share: float


def list_near_copies(connection: Conn, project_id: str) -> list[NearCopy]:
    """The near copies of a project by path; exact copies are told as duplicates elsewhere."""
    items = select(
        connection,
        NearCopy,
        _NEAR_COPIES,
        *(project_id, sorted(PROSE_TYPES), LEAST_PARAGRAPH, LEAST_CHARS, LEAST_SHARE),
    )
    return sorted(items, key=lambda copy: (copy.path, copy.source_id))
