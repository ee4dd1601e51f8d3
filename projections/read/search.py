"""Retrieval for grounding: by entity, else by metadata, else by words.

The later steps run only while there are fewer than ``MIN_HITS`` hits, so an answer says by its
coverage how good its ground is. Vectors were decided against for now: the steps must work without a
model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from projections.read.session import Conn, ReadModel, Row, rows
from schemas.areas import AREAS
from schemas.events.atom import KINDS
from schemas.events.ledger import LIVE, AtomStatus
from schemas.fingerprint import norm_text

MIN_HITS = 3
EVIDENCE_PER_HIT = 3
Coverage = Literal["entity", "metadata", "fulltext", "none"]

# Any of a text's lexemes: all of them would be a riddle, not a search.
ANY_WORD_OF = "replace(plainto_tsquery('english', {})::text, '&', '|')::tsquery"
WORDS = ANY_WORD_OF.format("%(query)s")
RANKED = f"""
    SELECT a.atom_id, a.kind, a.title, a.body, a.confidence, a.status,
        round((ts_rank(a.search, {WORDS}) + coalesce(e.rank, 0))::numeric, 6)::float AS score
    FROM ledger_atoms a
    LEFT JOIN (
        SELECT atom_id, max(ts_rank(search, {WORDS})) / 2 AS rank FROM ledger_evidence
        WHERE project_id = %(project)s AND search @@ {WORDS} GROUP BY atom_id) e USING (atom_id)
    WHERE a.project_id = %(project)s AND a.status = ANY(%(statuses)s)
        AND (%(kinds)s::text[] IS NULL OR a.kind = ANY(%(kinds)s))
        AND (%(areas)s::text[] IS NULL OR a.area = ANY(%(areas)s))
        AND (%(tags)s::text[] IS NULL OR a.tags && %(tags)s)
        AND (%(source_types)s::text[] IS NULL OR EXISTS (
            SELECT 1 FROM ledger_evidence x JOIN sources s USING (source_id)
            WHERE x.atom_id = a.atom_id AND s.source_type = ANY(%(source_types)s)))
        AND {{condition}}
    ORDER BY score DESC, a.confidence DESC, a.atom_id LIMIT %(limit)s
"""
LINKED = (
    "(a.atom_id = ANY(%(entities)s) OR EXISTS (SELECT 1 FROM ledger_atom_entities m"
    " WHERE m.active AND m.atom_id = a.atom_id AND m.entity_atom_id = ANY(%(entities)s)))"
)
SPEAKS_OF = (
    "a.atom_id IN (SELECT x.atom_id FROM ledger_atoms x"
    f"   WHERE x.project_id = %(project)s AND x.search @@ {WORDS}"
    " UNION SELECT x.atom_id FROM ledger_evidence x"
    f"   WHERE x.project_id = %(project)s AND x.search @@ {WORDS})"
)
ENTITIES = (
    "SELECT atom_id FROM ledger_atoms WHERE project_id = %s AND kind = 'entity'"
    " AND status IN ('active', 'draft') AND names && %s ORDER BY atom_id"
)
LONGEST_NAME = 12  # words
# The passage that the title was made from comes before one that says the same again.
EVIDENCE = f"""
    SELECT e.atom_id, e.evidence_id, e.source_id, s.title, s.path, e.line_start, e.line_end,
        e.snippet
    FROM (SELECT x.*, row_number() OVER (
            PARTITION BY atom_id ORDER BY x.stale, x.evidence_type <> 'direct',
            ts_rank(x.search, {ANY_WORD_OF.format("a.title")}) DESC, x.evidence_id) AS place
        FROM ledger_evidence x JOIN ledger_atoms a USING (atom_id)
        WHERE x.atom_id = ANY(%s)) e
    LEFT JOIN sources s USING (source_id) WHERE e.place <= %s ORDER BY e.atom_id, e.place
"""
CONFLICTS = """
    SELECT contradiction_id, atom_a_id, atom_b_id FROM ledger_contradictions
    WHERE status IN ('open', 'escalated') AND (atom_a_id = ANY(%s) OR atom_b_id = ANY(%s))
    ORDER BY contradiction_id
"""
_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Filters:
    """What hits must have; empty: anything. ``statuses``: live ones unless said."""

    kinds: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    source_types: tuple[str, ...] = ()


class HitQuote(ReadModel):
    """``title`` and ``path`` are those of the source; None while it is not in the tables."""

    evidence_id: str
    source_id: str
    title: str | None
    path: str | None
    line_start: int
    line_end: int
    snippet: str


class Hit(ReadModel):
    """An atom that speaks to the query, with its best passages."""

    atom_id: str
    kind: str
    title: str
    body: str
    confidence: float
    status: str
    score: float
    evidence: list[HitQuote]
    open_contradictions: list[str]


class Answer(ReadModel):
    """``coverage`` names the last step that found something."""

    coverage: Coverage
    hits: list[Hit]


def search_ledger(
    connection: Conn,
    project_id: str,
    query: str,
    filters: Filters | None = None,
    limit: int = 10,
) -> Answer:
    """The atoms that speak to ``query``, best first; none is a normal answer."""
    filters = filters or Filters()
    named = metadata_in(connection, project_id, query)
    entities = entities_in(connection, project_id, query)
    steps: tuple[tuple[Coverage, Filters, str, bool], ...] = (
        ("entity", filters, LINKED, bool(entities)),
        ("metadata", _join(filters, named), "true", named != Filters() or filters != Filters()),
        ("fulltext", filters, SPEAKS_OF, True),
    )
    coverage: Coverage = "none"
    hits: dict[str, Row] = {}
    for step, narrowed, condition, applies in steps:
        if not applies or len(hits) >= min(MIN_HITS, limit):
            continue
        found = _rank(connection, project_id, query, narrowed, condition, entities, limit)
        if new := {hit["atom_id"]: hit for hit in found if hit["atom_id"] not in hits}:
            coverage = step
            hits |= new
    return Answer(coverage=coverage, hits=_with_evidence(connection, list(hits.values())[:limit]))


def entities_in(connection: Conn, project_id: str, query: str) -> list[str]:
    """The entity atoms whose name or alias stands in ``query`` as whole words."""
    words = norm_text(query).split()
    phrases = {
        " ".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, min(start + LONGEST_NAME, len(words)) + 1)
    }
    found = rows(connection, ENTITIES, project_id, sorted(phrases))
    return [row["atom_id"] for row in found]


def metadata_in(connection: Conn, project_id: str, query: str) -> Filters:
    """Kinds, areas, statuses and tags of the project that ``query`` names."""
    words = {word.lower() for word in _WORD.findall(query)}
    text = f" {' '.join(_WORD.findall(query.lower()))} "

    def named(values: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            value
            for value in values
            if {value, f"{value}s", _plural(value)} & words
            or f" {value.replace('_', ' ')} " in text
        )

    tags = rows(
        connection,
        "SELECT word AS tag FROM unnest(%s::text[]) AS word WHERE EXISTS ("
        " SELECT 1 FROM ledger_atoms WHERE project_id = %s AND tags @> ARRAY[word]) ORDER BY word",
        *(sorted(words), project_id),
    )
    return Filters(
        kinds=named(KINDS),
        areas=named(AREAS),
        tags=tuple(row["tag"] for row in tags),
        statuses=tuple(value for value in named(get_args(AtomStatus)) if value not in LIVE),
    )


def _plural(word: str) -> str:
    return f"{word[:-1]}ies" if word.endswith("y") else word


def _join(filters: Filters, named: Filters) -> Filters:
    """The filters given, and what the query names where nothing was given."""
    return Filters(
        kinds=filters.kinds or named.kinds,
        areas=filters.areas or named.areas,
        tags=filters.tags or named.tags,
        statuses=filters.statuses or named.statuses,
        source_types=filters.source_types,
    )


def _rank(
    connection: Conn,
    project_id: str,
    query: str,
    filters: Filters,
    condition: str,
    entities: list[str],
    limit: int,
) -> list[Row]:
    parameters: Mapping[str, Any] = {
        "project": project_id,
        "query": query,
        "statuses": list(filters.statuses) or sorted(LIVE),
        "kinds": list(filters.kinds) or None,
        "areas": list(filters.areas) or None,
        "tags": list(filters.tags) or None,
        "source_types": list(filters.source_types) or None,
        "entities": entities,
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(RANKED.format(condition=condition).encode(), parameters)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor]


def _with_evidence(connection: Conn, hits: list[Row]) -> list[Hit]:
    ids = [hit["atom_id"] for hit in hits]
    evidence = rows(connection, EVIDENCE, ids, EVIDENCE_PER_HIT)
    conflicts = rows(connection, CONFLICTS, ids, ids)
    quotes: dict[str, list[HitQuote]] = {}
    for row in evidence:
        quotes.setdefault(row.pop("atom_id"), []).append(HitQuote(**row))
    return [
        Hit(
            **hit,
            evidence=quotes.get(hit["atom_id"], []),
            open_contradictions=[
                row["contradiction_id"]
                for row in conflicts
                if hit["atom_id"] in (row["atom_a_id"], row["atom_b_id"])
            ],
        )
        for hit in hits
    ]
