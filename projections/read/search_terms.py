"""The words of a question as the tables hold them, each with how much it tells apart."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from projections.read.session import Conn, rows

COMMON = 4_000  # a word in more passages than this is not counted further
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

# All words of the question, also those that the index leaves out, stem beside word.
LEXEMES = """
    SELECT DISTINCT lexeme FROM unnest(to_tsvector('english', cairn.search_words(%s))) ORDER BY 1
"""
COUNTS = """
    SELECT word, (SELECT count(*) FROM (
        SELECT FROM passages WHERE project_id = %s AND NOT obsolete
            AND search @@ word::tsquery LIMIT %s) AS found) AS passages
    FROM unnest(%s::text[]) AS word
"""
SIZE = "SELECT count(*) AS passages FROM passages WHERE project_id = %s AND NOT obsolete"


@dataclass(frozen=True, slots=True)
class Terms:
    """``weights`` by lexeme, rare ones higher; ``counts``: passages with it; ``size``: passages."""

    weights: Mapping[str, float]
    counts: Mapping[str, int]
    size: int

    @property
    def total(self) -> float:
        return sum(self.weights.values())

    def rarest(self, most: int) -> list[str]:
        """The rarest words that some passage has, while their passages number at most ``most``."""
        found: list[str] = []
        for word in sorted(self.counts, key=lambda word: (self.counts[word], word)):
            if not self.counts[word]:
                continue
            if found and sum(self.counts[each] for each in found) + self.counts[word] > most:
                break
            found.append(word)
        return found


def terms_of(connection: Conn, project_id: str, query: str) -> Terms:
    """The words of ``query`` that say what it is about; all of them when it has no others."""
    about = " ".join(word for word in _WORD.findall(query) if word.lower() not in ASKING)
    lexemes = [row["lexeme"] for row in rows(connection, LEXEMES, about or query)]
    quoted = {quote(lexeme): lexeme for lexeme in lexemes}
    found = rows(connection, COUNTS, project_id, COMMON, list(quoted))
    counts = {quoted[row["word"]]: row["passages"] for row in found}
    (size,) = [row["passages"] for row in rows(connection, SIZE, project_id)]
    return Terms({word: weight(count, size) for word, count in counts.items()}, counts, size)


def weight(count: int, size: int) -> float:
    """BM25's inverse document frequency, never negative."""
    return math.log(1 + (max(size, count) - count + 0.5) / (count + 0.5))


def any_of(lexemes: Iterable[str]) -> str:
    """A tsquery for passages with one of them."""
    return " | ".join(quote(lexeme) for lexeme in lexemes)


def quote(lexeme: str) -> str:
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
