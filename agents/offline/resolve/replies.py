"""A question of a list that the text indented under it answers: hardly open any more.

«Should both be allowed?» with «Yes, we'll support both» under it is told with its reply, as what
was found out, and the ledger closes the question with it. Options, examples and further questions
are no reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.offline.lexicons import Wording
from agents.offline.recognise.cues import WEAK, polarity_of
from agents.offline.recognise.noise import words_of
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.passages import Passage, Sentence
from agents.offline.segment.wording import body_of, title_of

_NO_REPLY = Wording("sequels", "no_replies")
_LABEL = Wording("sequels", "reply_labels")
_FEWEST_WORDS = 3


def reply_to(
    passage: Passage, following: Passage, sentences: Sequence[Sentence]
) -> Sentence | None:
    """What ``following``, whose readable ``sentences`` are given, replies to the item before it."""
    is_under = following.form in ("item", "paragraph") and following.indent > passage.indent
    if passage.form != "item" or not is_under or not sentences:
        return None
    text = _LABEL.sub("", sentences[0].text)
    if text.endswith(":") or _NO_REPLY.match(text) or len(words_of(text)) < _FEWEST_WORDS:
        return None
    return replace(sentences[0], text=text)


def add_reply(question: Draft, reply: Sentence) -> list[Draft]:
    """The question, and what was found out as a claim that answers it, both for people to confirm;
    what asks nothing as it is.
    """
    if question.kind != "unknown" or not question.title.endswith("?"):
        return [question]
    claim = replace(
        question,
        kind="claim",
        title=title_of(f"{question.title} {reply.text}"),
        body=body_of(question.body, reply.text),
        confidence=WEAK,
        polarity=polarity_of(reply.text),
        spans=(reply.span, question.spans[0]),
        attributes={},
        answers=question.title,
    )
    return [replace(question, confidence=WEAK), claim]
