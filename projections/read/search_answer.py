"""An answer to a question: what speaks to it, and the sentences there that say it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from projections.read.search import Answer, Filters, Hit, search_ledger
from projections.read.search_judged import Judge
from projections.read.search_sentences import Place, Sentence, choose_sentences
from projections.read.session import Conn

MOST_SENTENCES = 5
# Of the best sentence's score: below it nothing answers. On five projects (Next 10, TANF, Polar,
# GOV.UK Design System, Kata Containers; 2026-11-29) all 15 first sentences that are right are above
# it, and 15 of 26 that are wrong below. Of 23 questions on these projects that their sources do not
# answer 16 are below it, of 44 on another project 41. By words: 14 of 15 above, 12 of 26 below; 18
# of 23 and 37 of 44.
ANSWERS = -2.5
BY_TEXT = ("fulltext", "weak")  # coverage by the words of texts, not by a name


def answer_question(
    connection: Conn,
    project_id: str,
    query: str,
    filters: Filters | None = None,
    limit: int = 10,
    judge: Judge | None = None,
) -> Answer:
    """What speaks to ``query``, and the sentences that say it best.

    Where a model has read the sentences, it says whether one answers: it knows other words for the
    same, and texts that hold the words and speak of something else. What the query names by a word
    of the ledger is covered, whatever a sentence says; so is what filters ask for by its kind.
    """
    answer = search_ledger(connection, project_id, query, filters, limit, judge)
    sentences = choose_sentences(query, list(_places_of(answer.hits)), judge, MOST_SENTENCES)
    answering = [each for each in sentences if each.score is None or each.score >= ANSWERS]
    coverage = answer.coverage
    is_judged = any(each.score is not None for each in sentences)
    if is_judged and coverage in BY_TEXT and not (filters and filters != Filters()):
        coverage = "fulltext" if answering else "weak"
    hits = [_quote_sentence(query, hit, sentences) for hit in answer.hits]
    return Answer(coverage=coverage, hits=hits, sentences=answering)


def _quote_sentence(query: str, hit: Hit, sentences: Sequence[Sentence]) -> Hit:
    """A passage with the sentence of it that fits: one that was chosen, else the one by words."""
    if hit.atom_id:
        return hit
    own = [each for each in sentences if each.cited_id == hit.passage_id]
    best = own or choose_sentences(query, list(_places_of([hit])), None, 1)
    return hit.model_copy(update={"sentence": best[0] if best else None})


def _places_of(hits: Sequence[Hit]) -> Iterator[Place]:
    """The places of the hits, in their order."""
    for hit in hits:
        own = hit.atom_id or hit.passage_id or ""
        for quote in hit.evidence:
            titles = (quote.title, hit.title if hit.atom_id is None else None)
            heading = " › ".join(dict.fromkeys(filter(None, titles)))
            yield Place(own, quote.source_id, heading, quote.path, quote.line_start, quote.snippet)
