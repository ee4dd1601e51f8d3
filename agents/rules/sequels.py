"""What a short claim's next sentence says of the same thing: «It keeps …», told with it.

A sentence whose subject is «it» is read with the one before it or not at all, and what opens a
section or a type's comment often says no more than a name does: what it is worth stands in the next
sentence. Both are then one statement with two passages. Decided against a statement of its own with
the subject in place of «it»: which of the names before is meant would be guessed.
"""

from __future__ import annotations

import re
from dataclasses import replace

from agents.rules.drafts import Draft, Sentence, retold
from agents.rules.noise import addresses_reader, is_chatter, is_truncated
from agents.rules.wording import body_of, without_connective

SHORT = 130  # characters of a statement that may say little alone
LEAST = 20  # characters of what goes on
APART = 4  # characters between two sentences of one paragraph
_GOES_ON = re.compile(
    r"(?:it|its|they|their|these|this|such)\b(?! (?:is|are) why\b)", re.IGNORECASE
)
_ELSEWHERE = re.compile(
    r"\b(?:below|above|following|previous|next|see|refer|sections?|examples?|figures?|tables?|here|"
    r"page|documents?|documentation|guides?|chapter|you|your|we|our|todo|fixme|deprecated|must|shall|"
    r"doing so)\b|@\w|"
    r"^this (?:class|interface|type|method|function) |[?!]$",
    re.IGNORECASE,
)


def sequel_of(draft: Draft, sentence: Sentence, after: Sentence, *, of_type: bool = False) -> Draft:
    """``draft``, made of ``sentence``, with what ``after`` goes on to say; else as it is.

    ``of_type``: both stand in the comment of a type, of which every sentence speaks.
    """
    told = without_connective(after.text).rstrip(" .")
    if draft.kind != "claim" or len(draft.spans) > 1 or len(draft.statement) > SHORT:
        return draft
    if len(told) < LEAST or not _is_told(after.text):
        return draft
    beside = 0 <= after.span[0] - sentence.span[1] <= APART and _GOES_ON.match(told)
    if not (after.text.endswith(".") if of_type else beside):
        return draft
    longer = retold(replace(draft, sequel=told), draft.title)
    if not longer.sequel or draft.title.endswith("…"):
        return draft
    body = body_of(draft.body, after.text)
    return replace(longer, body=body, spans=(*draft.spans, after.span))


def _is_told(text: str) -> bool:
    """Whether it is a whole sentence that leads nobody and nowhere."""
    leads = addresses_reader(text) or _ELSEWHERE.search(text)
    return not (leads or is_truncated(text) or is_chatter(text))
