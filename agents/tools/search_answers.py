"""What a search has found, for somebody who reads it: the sentence that answers, then what else is
known, each with its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.project.state import Citation
from agents.tools.ports import Json
from agents.tools.show import cite_quote, cut, place_of
from agents.tools.tool import ToolResult
from schemas.answering import NO_ANSWER, NOT_ANSWERED

HITS_TOLD = 4
SENTENCES_TOLD = 3
LONGEST_TOLD = 240  # characters
# «Date: 2026-01-20», «Supersedes ADR 2.»: the head of a record, which answers only who asks for it.
_FIELD = re.compile(
    r"(?:date|status|state|version|title|number|id|tags?|authors?|owners?|deciders?|reviewers?"
    r"|approvers?|created|updated|last[ -](?:updated|modified))\s*:.{0,60}"
    r"|(?:supersedes|superseded by|amends|see(?: also)?)\b.{0,40}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A line of an answer; ``note``: what else is to be said of it."""

    text: str
    citation: Citation
    note: str = ""

    @property
    def line(self) -> str:
        place = place_of(self.citation)
        return f"{self.text}{f' [{place}]' if place else ''}{self.note}"


def tell_result(result: ToolResult) -> str:
    """The answer of a search; that nothing answers, and what comes nearest, where that is so."""
    sentences, hits = _statements_of(result)
    lines = [f"- {statement.line}" for statement in hits]
    if lines and result.data.get("coverage") in NO_ANSWER:
        return "\n".join([f"{NOT_ANSWERED} What comes nearest:", *lines])
    if not sentences:
        return "\n".join(lines) or result.text
    first, *others = sentences
    more = [*(f"- {statement.line}" for statement in others), *lines]
    paragraphs = [first.line]
    if more:
        paragraphs.append("\n".join(["What else is known:", *more]))
    return "\n\n".join(paragraphs)


def cite_result(result: ToolResult) -> tuple[Citation, ...]:
    """The places of what `tell_result` tells, in its order."""
    sentences, hits = _statements_of(result)
    by_place: dict[tuple[str, int | None], Citation] = {}
    for citation in (each.citation for each in [*sentences, *hits]):
        by_place.setdefault((citation.cited_id, citation.line_start), citation)
    return tuple(by_place.values())


def tell_hits(hits: Sequence[Json]) -> list[str]:
    """The first hits: what each says, and where."""
    return [f"- {_state_hit(hit).line}" for hit in hits[:HITS_TOLD]]


def show_sentences(sentences: Sequence[Json]) -> list[str]:
    """The best sentences for a model, each with the id that it is cited by."""
    return [
        f"Says it best: [{each['cited_id']}] {place_of(cite_quote(each['cited_id'], each))}:"
        f" «{cut(each['snippet'])}»"
        for each in sentences
    ]


def shorten_hit(hit: Json) -> Json:
    """What is told of a hit: a log keeps no more of it than a person reads."""
    quotes = [{**quote, "snippet": cut(quote["snippet"])} for quote in hit["evidence"][:1]]
    short = {name: value for name, value in hit.items() if name != "body"}
    return short | {"title": cut(hit["title"]), "evidence": quotes}


def _statements_of(result: ToolResult) -> tuple[list[_Statement], list[_Statement]]:
    """The sentences that answer, and the hits that say more than these."""
    is_answered = result.data.get("coverage") not in NO_ANSWER
    best = result.data.get("sentences") or ()
    telling = [each for each in best[1:] if not _FIELD.fullmatch(each["snippet"])]
    chosen = [*best[:1], *telling][:SENTENCES_TOLD] if is_answered else ()
    sentences = [_state_sentence(each) for each in chosen]
    places = {place_of(each.citation) for each in sentences}
    hits = [_state_hit(hit) for hit in result.data.get("hits") or ()]
    if not sentences:
        return sentences, hits[:HITS_TOLD]
    more = [
        each
        for each in hits
        if place_of(each.citation) not in places and not _FIELD.fullmatch(each.text)
    ]
    return sentences, more[: HITS_TOLD + 1 - len(sentences)]


def _state_sentence(sentence: Json) -> _Statement:
    return _Statement(
        cut(sentence["snippet"], LONGEST_TOLD), cite_quote(sentence["cited_id"], sentence)
    )


def _state_hit(hit: Json) -> _Statement:
    """An atom by its title; of a passage the sentence that fits."""
    cited_id = hit["atom_id"] or hit["passage_id"]
    if not hit["atom_id"] and hit.get("sentence"):
        return _state_sentence(hit["sentence"])
    quote = (hit["evidence"] or [{}])[0]
    citation = cite_quote(cited_id, quote or {"snippet": hit["title"]})
    title = hit["title"] if hit["atom_id"] else citation.snippet or hit["title"]
    note = f" ({_name_kind(hit)})" if hit["atom_id"] else ""
    against = " Contradicted by another statement." if hit.get("open_contradictions") else ""
    return _Statement(f"{cut(title, LONGEST_TOLD)}{note}", citation, against)


def _name_kind(hit: Json) -> str:
    """The kind, and the status of the atom, which is not that of its document."""
    of_document = hit.get("document_status")
    kind = hit["kind"].replace("_", " ")
    return f"{kind}, {hit['status']}{f'; the document is {of_document}' if of_document else ''}"
