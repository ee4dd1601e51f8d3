"""Needs: what the words of a sentence ask of somebody or something, and what sort of need it is."""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording, load_words
from agents.offline.recognise.cues import ANCHORED, MODAL, WEAK, Cue, has_number, in_contact_clause
from agents.offline.recognise.noise import presents, word_set, words_of
from agents.offline.segment.wording import drop_quoted

_MODAL = Wording("needs", "modals")
_ASIDE = re.compile(r"\([^()]*\)")
_ONLY_CLAUSE = Wording("needs", "bare_clauses")
_EPISTEMIC = Wording("needs", "advises_nobody")
_STRANDED = Wording("needs", "stranded")
_TO_BE_DONE_WITH = Wording("needs", "process")
_PROPORTION = Wording("needs", "proportion")
_NOBODYS = Wording("needs", "nobodys")
_REMARKS = Wording("needs", "remarks")
_OF_PAPERS = Wording("needs", "of_papers")
_DEMANDED = Wording("needs", "demanded")
_OF_NOBODY = Wording("needs", "of_nobody")
_MEASURE = Wording("needs", "asked")
_SUPPOSED = Wording("needs", "supposed")
_WITH_RELATIVE = Wording("needs", "with_relative")
_SPEAKER = Wording("needs", "speakers")
_RELATIVE = Wording("needs", "relative")
_LEADING_CLAUSE = Wording("needs", "leading_clauses")
_TO_DO = Wording("needs", "tasks")
_TENTATIVE = Wording("needs", "tentative")
_OPTIONAL = Wording("needs", "optional")
_WE = re.compile(r"\bwe\b[^,.;]{0,14}$", re.IGNORECASE)
_FIGURE = Wording("needs", "figures")
_TARGET = Wording("needs", "targets")
_MEASURED = Wording("needs", "measured")
_HYPOTHETICAL = Wording("needs", "hypothetical")
_EMBEDDED = Wording("needs", "embedded")
_QUALITY = Wording("needs", "qualities")
_NEED_WORDS = load_words("needs", "need_words")


def requirement_attributes(text: str) -> dict[str, str]:
    """Type by quality words, priority by the modal."""
    modal = _MODAL.search(text)
    priority = "must" if modal and modal.group("must") else "should" if modal else "must"
    if _OPTIONAL.says(text) and not modal:
        priority = "could"
    kind = "non_functional" if _QUALITY.says(text) else "functional"
    return {"requirement_type": kind, "priority": priority}


def is_of_papers(text: str) -> bool:
    """Whether it speaks of how those who make the product write."""
    return bool(_OF_PAPERS.match(text))


def find_requirement(text: str, *, named: bool) -> Cue | None:
    """A need with somebody or something that has it, or what its makers have to do; advice to the
    reader is none.
    """
    if word_set(text).isdisjoint(_NEED_WORDS):
        return None
    modal = _MODAL.search(text)
    if modal is not None and _MODAL.search(_ASIDE.sub("", text)) is None:
        return None
    if _DEMANDED.match(text):
        return None if _OF_NOBODY.match(text) else _surer(named or has_number(text))
    if modal is None:
        target = _FIGURE.search(text) and _TARGET.search(text) and not _MEASURED.says(text)
        return Cue("requirement", ANCHORED) if target else None
    clause = _LEADING_CLAUSE.match(text)
    if clause and modal.start() <= clause.end():  # what a condition needs, nobody is asked for
        modal = _MODAL.search(text, clause.end())
        if modal is None or not text[clause.end() : modal.start()].strip():
            return None
    subject, rest = text[: modal.start()], modal.group("rest")
    if modal.group(0).lower().startswith("required") and not re.search(r"\b(?:is|are)\s$", subject):
        return None
    binding = modal.group("must") is not None
    if len(words_of(rest)) < 2 or len(words_of(subject)) < 1:
        return None
    if (_SUPPOSED if binding else _EPISTEMIC).match(rest):
        return None
    if _MODAL.search(drop_quoted(text)) is None:
        return None
    if (
        text.endswith("?")
        or _ONLY_CLAUSE.match(text)
        or _HYPOTHETICAL.says(subject)
        or _RELATIVE.says(subject)
    ):
        return None
    if _STRANDED.says(text) or _NOBODYS.match(text) or _PROPORTION.match(text):
        return None
    if _REMARKS.match(text) or _MEASURE.match(text):
        return None
    if _TO_BE_DONE_WITH.match(text):
        return None
    if _EMBEDDED.says(subject) and not (binding and _WITH_RELATIVE.match(subject)):
        return None
    if _WE.search(subject):
        if in_contact_clause(subject):
            return None
        if _TO_DO.match(rest):
            return Cue("action_item", WEAK)
        return None if _TENTATIVE.match(rest) else Cue("requirement", WEAK)
    if _SPEAKER.says(subject) and not presents(text):
        return None
    if re.search(r"\byour?\b", text, re.IGNORECASE):
        return Cue("requirement", WEAK) if binding else None
    if is_of_papers(text):
        return Cue("requirement", WEAK)
    return _surer(named or has_number(text))


def _surer(anchored: bool) -> Cue:
    return Cue("requirement", ANCHORED if anchored else MODAL)
