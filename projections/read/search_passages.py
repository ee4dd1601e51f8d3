"""Passages that speak to a question, ranked by BM25 over their fields.

PostgreSQL has no BM25. The index gives the passages with the question's rarest words, `ts_rank` of
each word times the word's weight the best few hundred of them, and those are ranked here: how often
each word stands in which field, how long the passage is, how near the words are to each other.
Where every word of the question is in thousands of passages, only some of these are looked at: the
first by id, so that the same question finds the same ones. A sort of all that match costs several
times as much, so the last id of them is estimated from a sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from projections.read.search_terms import Terms, quote
from projections.read.session import Conn, ReadModel, rows

MOST_MATCHED = 3_000  # passages that the index may give for the rarest words
MOST_LOOKED_AT = 5_000  # about so many where all words are in more than that
SAMPLE = 500  # passages that tell how many match; their ids are hashes, so the first are any ones
MOST_RANKED = 150
K1, B = 1.2, 0.5
AVERAGE_WORDS = 60
FIELDS = {"A": 1.6, "B": 0.8, "C": 0.6, "D": 1.0}  # heading and lead, document, path, text
NEAR = 0.3  # what neighbouring words add
COVERED = 0.5  # what it takes off when words of the question are missing
WINDOW = 8  # words

CANDIDATES = """
    SELECT m.passage_id, m.size
    FROM (
        SELECT passage_id, source_id, sanitized_hash, search, length(text) AS size
        FROM passages WHERE project_id = %(project)s AND NOT obsolete
            AND search @@ %(match)s::tsquery AND {among}) m
    JOIN sources s USING (source_id)
    CROSS JOIN LATERAL (
        SELECT sum(ts_rank('{{0.6, 0.4, 0.8, 1.0}}', m.search, w.word::tsquery, 0) * w.weight)
            AS rank
        FROM unnest(%(words)s::text[], %(weights)s::float[]) AS w (word, weight)) r
    WHERE s.state = 'sanitized' AND s.sanitized_hash = m.sanitized_hash
    ORDER BY r.rank DESC, m.passage_id LIMIT %(limit)s
"""
FIRST_IDS = "passage_id <= %(last)s"
LAST_ID = """
    WITH sample AS MATERIALIZED (
        SELECT search FROM passages WHERE project_id = %(project)s AND NOT obsolete
        ORDER BY passage_id LIMIT %(sample)s),
    matched AS MATERIALIZED (
        SELECT avg((search @@ %(match)s::tsquery)::int)::float AS share FROM sample)
    SELECT passage_id FROM passages WHERE project_id = %(project)s AND NOT obsolete
        AND (SELECT share FROM matched) * %(size)s > %(most)s
    ORDER BY passage_id OFFSET (SELECT (%(most)s / nullif(share, 0))::int FROM matched) LIMIT 1
"""
PLACES = """
    SELECT p.passage_id, w.lexeme, w.positions, w.weights
    FROM passages p CROSS JOIN LATERAL unnest(p.search) AS w
    WHERE p.passage_id = ANY(%s) AND w.lexeme = ANY(%s)
"""
TEXTS = """
    SELECT passage_id, source_id, sanitized_hash, chunk_id, path, title, structure_path, char_start,
        char_end, line_start, line_end, text
    FROM passages WHERE passage_id = ANY(%s)
"""


class PassageText(ReadModel):
    """A passage as it is shown."""

    passage_id: str
    source_id: str
    sanitized_hash: str
    chunk_id: str
    path: str
    title: str
    structure_path: list[str]
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    text: str


@dataclass(slots=True)
class Ranked:
    """A passage's rank; ``held``: words of the question in it, with how much each says there."""

    passage_id: str
    size: int
    held: dict[str, float] = field(default_factory=dict)
    places: dict[str, Sequence[int]] = field(default_factory=dict)
    score: float = 0.0


def rank_passages(connection: Conn, project_id: str, terms: Terms) -> list[Ranked]:
    """The passages that hold words of the question, best first, at most ``MOST_RANKED``."""
    match = terms.match(MOST_MATCHED)
    if not match:
        return []
    parameters = {
        "project": project_id,
        "words": [quote(word) for word in terms.weights],
        "weights": list(terms.weights.values()),
        "match": match,
        "limit": MOST_RANKED,
    }
    last = _last_looked_at(connection, project_id, terms, match)
    query = CANDIDATES.format(among="true" if last is None else FIRST_IDS)
    with connection.cursor() as cursor:
        # A plan for any words and any last id reads all passages.
        cursor.execute(query.encode(), parameters | {"last": last}, prepare=False)
        by_name = {name: Ranked(name, size) for name, size in cursor}
    for row in rows(connection, PLACES, list(by_name), list(terms.weights)):
        _hold(by_name[row["passage_id"]], row["lexeme"], row["positions"], row["weights"])
    for each in by_name.values():
        each.score = _score(each, terms)
    return sorted(by_name.values(), key=lambda each: (-each.score, each.passage_id))


def _last_looked_at(connection: Conn, project_id: str, terms: Terms, match: str) -> str | None:
    """The id of the last passage that is looked at; None where all that match are few enough."""
    if not terms.are_common(MOST_MATCHED):
        return None
    parameters = {
        "project": project_id,
        "match": match,
        "size": terms.size,
        "sample": SAMPLE,
        "most": MOST_LOOKED_AT,
    }
    row = connection.execute(LAST_ID.encode(), parameters).fetchone()
    return row[0] if row else None


def read_passages(connection: Conn, passage_ids: Sequence[str]) -> Mapping[str, PassageText]:
    records = rows(connection, TEXTS, list(passage_ids))
    return {row["passage_id"]: PassageText.model_validate(row) for row in records}


def _hold(ranked: Ranked, lexeme: str, positions: Sequence[int], weights: Sequence[str]) -> None:
    """What the word says in this passage: often is more than once, but not many times more."""
    length = 1 - B + B * (ranked.size / 6) / AVERAGE_WORDS
    counts = {name: weights.count(name) for name in FIELDS}
    often = counts["D"] / length + sum(
        FIELDS[name] * min(counts[name], 1) for name in ("A", "B", "C")
    )
    ranked.held[lexeme] = often * (K1 + 1) / (often + K1)
    ranked.places[lexeme] = [
        place for place, name in zip(positions, weights, strict=True) if name == "D"
    ]


def _score(ranked: Ranked, terms: Terms) -> float:
    weight = sum(terms.weights[word] * much for word, much in ranked.held.items())
    share = sum(terms.weights[word] for word in ranked.held) / (terms.total or 1.0)
    return weight * (1 - COVERED + COVERED * share) + NEAR * _nearness(ranked, terms)


def _nearness(ranked: Ranked, terms: Terms) -> float:
    """The weights of pairs of words that stand within a window, near ones more."""
    words = [word for word, places in ranked.places.items() if places]
    total = 0.0
    for at, one in enumerate(words):
        for other in words[at + 1 :]:
            gap = min(abs(a - b) for a in ranked.places[one] for b in ranked.places[other])
            if 0 < gap <= WINDOW:
                total += min(terms.weights[one], terms.weights[other]) / gap**0.5
    return total
