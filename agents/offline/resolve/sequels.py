"""Two sentences of a passage that are one statement: what leans on the sentence before is told
with it.

A sentence whose subject is «it» is read with the one before it or not at all, and what opens a
section or a type's comment often says no more than a name does: what it is worth stands in the next
sentence. «The transport can return errors. Errors of two types are ignored …»: the second means the
errors of the first. Both are then one statement with two passages. Decided against a statement of
its own with the subject in place of «it»: which of the names before is meant would be guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.offline.lexicons import Wording
from agents.offline.recognise.entities import names_in
from agents.offline.recognise.noise import addresses_reader, is_chatter, is_truncated, needs_context
from agents.offline.resolve.drafts import Draft, add_scope, retitle
from agents.offline.resolve.subjects import is_labelled, is_unnamed, shares_subject
from agents.offline.segment.passages import Sentence
from agents.offline.segment.wording import body_of, capitalise, drop_connective
from schemas.events.atom import MAX_TITLE

SHORT = 130  # characters of a statement that may say little alone
BOTH = 260  # characters of two claims that become one
LEAST = 20  # characters of what goes on
APART = 4  # characters between two sentences of one paragraph
_GOES_ON = Wording("sequels", "goes_on")
_OF_NOUN = Wording("sequels", "of_noun")
_STEM = 5
_DEFINITE = re.compile(r"(?:[^,]{3,60}, )?the\b", re.IGNORECASE)
_TURNS = Wording("sequels", "turns")
_ELSEWHERE = Wording("sequels", "elsewhere")


def join_sequels(
    made: Sequence[Draft | None], sentences: Sequence[Sentence], around: str
) -> Iterator[Draft]:
    """The drafts of a passage's sentences, each of one or two of them.

    ``made`` has the draft of each of the ``sentences``, or None; ``around`` is their chunk's text.
    """
    last = -1
    for at, draft in enumerate(made):
        if draft is None or at == last:
            continue
        before = made[at - 1] if at else None
        if at and (before is None or before.kind != draft.kind) and _may_lean(draft):
            draft = _after(draft, sentences[at], sentences[at - 1], around)
        further = made[at + 1] if at + 1 < len(made) else None
        if at + 1 < len(made) and not draft.prior:
            after = sentences[at + 1]
            if draft.kind == "unknown":
                longer = _add_question(draft, after)
            else:
                longer = sequel_of(draft, sentences[at], after, around, claimed=further)
            if longer is not draft:
                draft, last = longer, at + 1
        yield draft


def sequel_of(
    draft: Draft,
    sentence: Sentence,
    after: Sentence,
    around: str = "",
    *,
    of_type: bool = False,
    claimed: Draft | None = None,
) -> Draft:
    """``draft``, made of ``sentence``, with what ``after`` goes on to say; else as it is.

    ``of_type``: both stand in the comment of a type, of which every sentence speaks. ``claimed`` is
    the draft of ``after``, which is then told with this one.
    """
    text = drop_connective(after.text).rstrip(" .")
    if draft.kind != "claim" or len(draft.spans) > 1 or draft.title.endswith("…"):
        return draft
    if claimed is None and len(draft.statement) > SHORT:
        return draft
    if claimed is not None and (
        claimed.kind != "claim" or len(claimed.spans) > 1 or len(draft.statement) + len(text) > BOTH
    ):
        return draft
    if len(text) < LEAST or not _is_told(after.text):
        return draft
    if not (after.text.endswith(".") if of_type else _leans(after, sentence, around)):
        return draft
    longer = retitle(replace(draft, sequel=text), draft.title)
    if not longer.sequel:
        return draft
    if claimed is not None:
        names = tuple(dict.fromkeys((*draft.entities, *claimed.entities)))
        sure = max(draft.confidence, claimed.confidence)
        longer = replace(longer, entities=names, confidence=sure)
    body = body_of(draft.body, after.text)
    return replace(longer, body=body, spans=(*draft.spans, after.span))


def _may_lean(draft: Draft) -> bool:
    """Whether it is a claim, or a need of «the option» that its own sentence does not name."""
    return draft.kind == "claim" or (
        draft.kind == "requirement" and bool(_DEFINITE.match(draft.statement))
    )


def _add_question(draft: Draft, after: Sentence) -> Draft:
    """A question that is told first and asked in the next sentence, with both."""
    if draft.title.endswith(("?", "…")) or not after.text.endswith("?") or draft.sequel:
        return draft
    longer = retitle(replace(draft, sequel=after.text), draft.title)
    if not longer.sequel:
        return draft
    attributes = {**draft.attributes, "question": after.text}
    body = body_of(draft.body, after.text)
    return replace(longer, body=body, attributes=attributes, spans=(*draft.spans, after.span))


def _after(draft: Draft, sentence: Sentence, before: Sentence, around: str) -> Draft:
    """``draft``, made of ``sentence``, with what it leans on in front; else as it is."""
    prior = drop_connective(before.text).rstrip(" .")
    if len(draft.spans) > 1 or draft.sequel or draft.title.endswith("…"):
        return draft
    if len(prior) < LEAST or needs_context(prior) or not _is_told(before.text):
        return draft
    if is_labelled(prior) or not _leans(sentence, before, around):
        return draft
    named = not is_unnamed(prior, names_in(before.raw, prior), around)
    title = add_scope(draft.scope, f"{capitalise(prior)}. {draft.statement}", aside=named)
    if len(title) > MAX_TITLE or title.endswith("…"):
        return draft
    body = body_of(before.text, draft.body)
    frames = (*draft.frames, before.span)
    return replace(draft, title=title, body=body, prior=prior, frames=frames)


def _leans(sentence: Sentence, before: Sentence, around: str) -> bool:
    """Whether ``sentence`` is understood with the one right ``before`` it only: its subject is
    «it», or no name and what that one speaks of.
    """
    if not 0 <= sentence.span[0] - before.span[1] <= APART:
        return False
    text = drop_connective(sentence.text)
    if _GOES_ON.match(text):
        other = _OF_NOUN.match(text)
        return other is None or other.group("noun")[:_STEM].lower() in before.text.lower()
    if not (_TURNS.match(text) or shares_subject(text, before.text)):
        return False
    return is_unnamed(text, names_in(sentence.raw, text), around)


def _is_told(text: str) -> bool:
    """Whether it is a whole sentence that leads nobody and nowhere."""
    leads = addresses_reader(text) or _ELSEWHERE.search(text)
    return not (leads or is_truncated(text) or is_chatter(text))
