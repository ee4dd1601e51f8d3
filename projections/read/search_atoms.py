"""Atoms that speak to a question: by entity, by metadata, by words.

Names and metadata are looked for where the query is nothing else; the later steps run only while
there are fewer than ``MIN_HITS`` hits. Words count by how much they tell apart, as with passages,
so that both lists can be fused by rank.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any, Literal, get_args

from projections.read.search_terms import ASKING, STOP_WORDS, Terms, any_of, quote
from projections.read.session import Conn, Row, rows
from schemas.areas import AREAS
from schemas.events.atom import KINDS
from schemas.events.ledger import LIVE, AtomStatus
from schemas.fingerprint import norm_text

MIN_HITS = 3
Step = Literal["entity", "metadata", "fulltext", "none"]

MOST_RANKED = 2_000  # atoms whose words are weighed: those worth most

TERMS = "(SELECT sum(ts_rank({}, w.word::tsquery) * w.weight) FROM asked w)"
RANKED = f"""
    WITH asked AS (
        SELECT * FROM unnest(%(words)s::text[], %(weights)s::float[]) AS w (word, weight)),
    wanted AS (
        SELECT a.atom_id FROM ledger_atoms a WHERE {{wanted}} AND {{condition}}
        ORDER BY (-a.worth), a.first_seq, a.atom_id LIMIT %(most)s),
    ranked AS (
    SELECT a.atom_id, a.kind, a.title, a.body, a.confidence, a.status,
        a.attributes->>'document_status' AS document_status,
        round((coalesce({TERMS.format("a.search")}, 0) + coalesce(e.rank, 0))::numeric, 6)::float
            AS score
    FROM wanted JOIN ledger_atoms a USING (atom_id)
    CROSS JOIN LATERAL (
        SELECT max({TERMS.format("x.search")}) / 2 AS rank FROM ledger_evidence x
        WHERE x.atom_id = a.atom_id AND x.search @@ %(any)s::tsquery
    ) e
    ORDER BY score DESC, a.confidence DESC, a.atom_id LIMIT %(limit)s)
    SELECT r.*, (
        SELECT coalesce(sum(w.weight), 0) FROM asked w
        WHERE a.search @@ w.word::tsquery OR EXISTS (
            SELECT 1 FROM ledger_evidence x
            WHERE x.atom_id = r.atom_id AND x.search @@ w.word::tsquery)) AS held
    FROM ranked r JOIN ledger_atoms a USING (atom_id)
    ORDER BY r.score DESC, r.confidence DESC, r.atom_id
"""
AMONG = {  # what each filter asks
    "statuses": "a.status = ANY(%(statuses)s)",
    "kinds": "a.kind = ANY(%(kinds)s)",
    "areas": "a.area = ANY(%(areas)s)",
    "tags": "a.tags && %(tags)s",
    "source_types": (
        "EXISTS (SELECT 1 FROM ledger_evidence x JOIN sources s USING (source_id)"
        "   WHERE x.atom_id = a.atom_id AND s.source_type = ANY(%(source_types)s))"
    ),
}
IS_SMALL = (
    "SELECT count(*) <= %(most)s FROM (SELECT FROM ledger_atoms a WHERE {} LIMIT %(most)s + 1)"
)
LINKED = (
    "a.atom_id IN (SELECT unnest(%(entities)s::text[])"
    " UNION SELECT m.atom_id FROM ledger_atom_entities m"
    "   WHERE m.active AND m.entity_atom_id = ANY(%(entities)s))"
)
# Two ways to find the same atoms: rare words by their index, common ones by a look at each atom.
INDEXED = (
    "a.atom_id IN (SELECT x.atom_id FROM ledger_atoms x"
    "   WHERE x.project_id = %(project)s AND x.search @@ %(match)s::tsquery"
    " UNION SELECT x.atom_id FROM ledger_evidence x"
    "   WHERE x.project_id = %(project)s AND x.search @@ %(match)s::tsquery)"
)
LOOKED_AT = (
    "(a.search @@ %(match)s::tsquery OR (SELECT true FROM ledger_evidence x"
    "   WHERE x.atom_id = a.atom_id AND x.search @@ %(match)s::tsquery LIMIT 1))"
)
QUOTED = "a.atom_id = ANY(%(quoted)s)"
ENTITIES = (
    "SELECT atom_id, names FROM ledger_atoms WHERE project_id = %s AND kind = 'entity'"
    " AND status IN ('active', 'draft') AND names && %s ORDER BY atom_id"
)
LONGEST_NAME = 12  # words
_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Filters:
    """What hits must have; empty: anything. ``statuses``: live ones unless said."""

    kinds: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    source_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundAtoms:
    """Atoms best first; ``step`` is the first that found one.

    ``named``: so many of the first are what the query names, when it says nothing but names of
    entities, kinds, areas and tags.
    """

    step: Step
    atoms: list[Row]
    named: int


@dataclass(frozen=True, slots=True)
class Question:
    """``quoted``: atoms that ranked passages hold; None: look for those with the words."""

    project_id: str
    query: str
    terms: Terms
    filters: Filters
    quoted: Sequence[str] | None = None


def find_atoms(connection: Conn, question: Question, limit: int) -> FoundAtoms:
    """The atoms that speak to a question, best first.

    A question that also has words of its own is answered by these alone: an entity that it names in
    passing is linked to too much.
    """
    filters = question.filters
    metadata = metadata_in(connection, question.project_id, question.query)
    entities = entities_in(connection, question.project_id, question.query)
    is_named = _is_named(question.query, metadata, entities)
    joined = _join(filters, metadata)
    asked = _Asked(connection, question, list(entities), limit)
    steps: tuple[tuple[Step, Callable[[], list[Row]], bool], ...] = (
        ("entity", lambda: asked.rank(filters, LINKED), is_named and bool(entities)),
        ("metadata", lambda: asked.rank(joined, "true"), is_named and joined != Filters()),
        ("fulltext", lambda: asked.with_words(filters), True),
    )
    reached: Step = "none"
    named = 0
    hits: dict[str, Row] = {}
    for step, find, applies in steps:
        if not applies or len(hits) >= min(MIN_HITS, limit):
            continue
        if new := {hit["atom_id"]: hit for hit in find() if hit["atom_id"] not in hits}:
            reached = step if reached == "none" else reached
            hits |= new
        named = len(hits) if is_named and step != "fulltext" else named
    return FoundAtoms(reached, list(hits.values()), named)


def _is_named(query: str, filters: Filters, entities: Mapping[str, list[str]]) -> bool:
    """Whether names and metadata are all that ``query`` says."""
    words = {
        word
        for names in (*entities.values(), *astuple(filters))
        for name in names
        for word in norm_text(name.replace("_", " ")).split()
    }
    words |= {f"{word}s" for word in words} | {_plural(word) for word in words}
    query_words = [word for word in norm_text(query).split() if word not in ASKING | STOP_WORDS]
    return bool(query_words) and words.issuperset(query_words)


def entities_in(connection: Conn, project_id: str, query: str) -> dict[str, list[str]]:
    """The entity atoms whose name or alias stands in ``query`` as whole words, with their names."""
    words = norm_text(query).split()
    phrases = {
        " ".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, min(start + LONGEST_NAME, len(words)) + 1)
    }
    records = rows(connection, ENTITIES, project_id, sorted(phrases))
    return {row["atom_id"]: row["names"] for row in records}


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


@dataclass(frozen=True, slots=True)
class _Asked:
    """The statements that look for the atoms of a question, ``limit`` at most."""

    connection: Conn
    question: Question
    entities: list[str]
    limit: int

    def with_words(self, filters: Filters) -> list[Row]:
        """Atoms that hold words of the question, or that ranked passages hold.

        Where the filters let many through, those with its rarest words come alone, when there are
        any: what only holds words that are everywhere is no answer beside them.
        """
        terms = self.question.terms
        if self.question.quoted is not None:
            return self.rank(filters, QUOTED)
        if self._is_small(filters):
            return self.rank(filters, LOOKED_AT)
        match = terms.match(MOST_RANKED)
        condition = LOOKED_AT if terms.are_common(MOST_RANKED) else INDEXED
        ranked = self.rank(filters, condition, match) if match else []
        return ranked or self.rank(filters, LOOKED_AT)

    def rank(self, filters: Filters, condition: str, match: str = "") -> list[Row]:
        """Those that meet ``condition``, best first; ``match``: words for it, any unless given."""
        wanted, parameters = self._asked(filters)
        any_word = any_of(self.question.terms.weights)
        parameters |= {
            "words": [quote(word) for word in self.question.terms.weights],
            "weights": list(self.question.terms.weights.values()),
            "any": any_word,
            "match": match or any_word,
            "quoted": list(self.question.quoted or ()),
            "entities": self.entities,
            "limit": self.limit,
        }
        query = RANKED.format(wanted=wanted, condition=condition)
        with self.connection.cursor() as cursor:
            # A plan for any words takes five times as long for common ones.
            cursor.execute(query.encode(), parameters, prepare=False)
            names = [column.name for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def _is_small(self, filters: Filters) -> bool:
        wanted, parameters = self._asked(filters)
        (row,) = self.connection.execute(IS_SMALL.format(wanted).encode(), parameters)
        return bool(row[0])

    def _asked(self, filters: Filters) -> tuple[str, dict[str, Any]]:
        """The condition of ``filters``, and what it is asked with."""
        asked = asdict(filters) | {"statuses": filters.statuses or sorted(LIVE)}
        values = {name: list(value) for name, value in asked.items() if value}
        wanted = " AND ".join(["a.project_id = %(project)s", *(AMONG[name] for name in values)])
        return wanted, values | {"project": self.question.project_id, "most": MOST_RANKED}
