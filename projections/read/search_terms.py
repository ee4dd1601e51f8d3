"""The words of a question as the tables hold them, each with how much it tells apart."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from projections.read.session import Conn, rows

COMMON = 500  # a word in more passages than this is not counted further, but estimated
SAMPLE = 2_000  # passages for that; their ids are hashes, so the first ones are any ones
# A question's own words say what is asked for, not what about.
_ASKING = """
what which who whom whose when where why how much many long often far does did do done is are was
were be been being can could may might must shall should will would have has had get gets got there
any ever that this these those it its they them their we our you your i my me use used using work
works happen happens make makes made take takes taken give gives given show list tell find exist
exists
"""
_STOP_WORDS = """
a an the of to in on for and or as at by from with about into than if so not no
"""
ASKING = frozenset(_ASKING.split())
STOP_WORDS = frozenset(_STOP_WORDS.split())
_WORD = re.compile(r"[^\W_]+")

# Where one question ends and the next begins; what stands before the second may be "and at".
_ASKS = (
    r"(?:(?:in|at|to|by|for|from|on|with|of)\s+)?(?:how|what|which|whose|whom|who|when|where|why)"
    r"|does|do|did|is|are|was|were|can|could|may|must|should|will|has|have"
)
_BORDER = re.compile(
    rf"\?\s+|;\s+|(?:,\s*)?\b(?:and|or|but)\s+(?=(?:{_ASKS})\b)|,\s+(?=(?:{_ASKS})\b)", re.I
)
MOST_QUESTIONS = 3
CONTEXT = 0.3  # what the words of the other questions count

# All words of the question, also those that the index leaves out, stem beside word.
LEXEMES = """
    SELECT lexeme FROM unnest(to_tsvector('english', cairn.search_words(%s)))
"""
COUNTS = """
    SELECT word, (SELECT count(*) FROM (
        SELECT FROM passages WHERE project_id = %s AND NOT obsolete
            AND search @@ word::tsquery LIMIT %s) AS found) AS passages
    FROM unnest(%s::text[]) AS word
"""
SHARES = """
    WITH sample AS MATERIALIZED (
        SELECT search FROM passages WHERE project_id = %s AND NOT obsolete
        ORDER BY passage_id LIMIT %s)
    SELECT word, (SELECT avg((search @@ word::tsquery)::int)::float FROM sample) AS share
    FROM unnest(%s::text[]) AS word
"""
SIZE = "SELECT count(*) AS passages FROM passages WHERE project_id = %s AND NOT obsolete"


@dataclass(frozen=True, slots=True)
class Terms:
    """``weights`` by lexeme, rare ones higher; ``counts``: passages with it; ``size``: passages.

    ``parts``: the lexemes of each question that is asked.
    """

    weights: Mapping[str, float]
    counts: Mapping[str, int]
    size: int
    parts: Sequence[frozenset[str]] = ()

    @property
    def total(self) -> float:
        return sum(self.weights.values())

    def are_common(self, most: int) -> bool:
        """Whether every word that there is stands in more than ``most`` passages."""
        return min(filter(None, self.counts.values()), default=0) > most

    def match(self, most: int) -> str:
        """A tsquery that about ``most`` passages match: one of the rarest words, or two at once.

        The two can match more where the words are common. Empty when no passage has any of them.
        """
        counted = sorted((count, word) for word, count in self.counts.items() if count)
        if not counted or self.are_common(most):
            return " & ".join(quote(word) for _, word in counted[:2])
        total = 0
        chosen: list[str] = []
        for count, word in counted:
            total += count
            if total > most and chosen:
                break
            chosen.append(quote(word))
        return " | ".join(chosen)


def questions_in(terms: Terms) -> list[Terms]:
    """The questions that are asked at once, in order; each knows a little of what the others say.

    "How many may there be, and when?" is one: what follows says nothing by itself.
    """
    own = [words for words in terms.parts if words]
    if not 1 < len(own) <= MOST_QUESTIONS:
        return [terms]
    return [
        replace(
            terms,
            weights={
                word: weight * (1.0 if word in words else CONTEXT)
                for word, weight in terms.weights.items()
            },
            parts=[words],
        )
        for words in own
    ]


def _words_about(query: str) -> list[str]:
    """The words of ``query`` that say what it is about."""
    words = _WORD.findall(query)
    return [word for word in words if word.lower() not in ASKING | STOP_WORDS]


def terms_of(connection: Conn, project_id: str, query: str) -> Terms:
    """The words of ``query`` that say what it is about; all of them when it has no others."""
    about = " ".join(_words_about(query))
    asked = [" ".join(_words_about(part)) for part in _BORDER.split(query)] if about else [query]
    parts = [frozenset(row["lexeme"] for row in rows(connection, LEXEMES, part)) for part in asked]
    lexemes = sorted(frozenset().union(*parts))
    (size,) = [row["passages"] for row in rows(connection, SIZE, project_id)]
    counts = count_passages(connection, project_id, lexemes, size)
    weights = {word: weight(count, size) for word, count in counts.items()}
    return Terms(weights, counts, size, parts)


def count_passages(
    connection: Conn, project_id: str, lexemes: Iterable[str], size: int
) -> dict[str, int]:
    """How many passages have each word: exact for rare ones, which tell most apart."""
    quoted = {quote(lexeme): lexeme for lexeme in lexemes}
    records = rows(connection, COUNTS, project_id, COMMON, list(quoted))
    counts = {row["word"]: row["passages"] for row in records}
    common = [word for word, count in counts.items() if count == COMMON]
    for row in rows(connection, SHARES, project_id, SAMPLE, common) if common else []:
        counts[row["word"]] = max(COMMON, round(row["share"] * size))
    return {quoted[word]: count for word, count in counts.items()}


def weight(count: int, size: int) -> float:
    """BM25's inverse document frequency, never negative."""
    return math.log(1 + (max(size, count) - count + 0.5) / (count + 0.5))


def any_of(lexemes: Iterable[str]) -> str:
    """A tsquery for text with one of them."""
    return " | ".join(quote(lexeme) for lexeme in lexemes)


def quote(lexeme: str) -> str:
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
