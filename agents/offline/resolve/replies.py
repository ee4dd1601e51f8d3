"""A question that the text below it answers: hardly open any more.

«Should both be allowed?» with «Yes, we'll support both» under it is told with its reply, as what
was found out, and the ledger closes the question with it. The reply of an item is indented under
it; that of a question in bold, as a heading or behind «Q:» is the paragraph that follows. Options,
examples and further questions are no reply; among open questions a paragraph explains more often
than it answers, unless it says that it does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agents.offline.lexicons import Wording
from agents.offline.recognise.cues import WEAK, polarity_of
from agents.offline.recognise.noise import words_of
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.passages import Passage, Sentence
from agents.offline.segment.sections import simplify
from agents.offline.segment.wording import body_of, title_of

_NO_REPLY = Wording("sequels", "no_replies")
_LABEL = Wording("sequels", "reply_labels")
_ANSWERS = Wording("sequels", "answers")
_OPEN = Wording("headings", "left_open")
_ASKS = re.compile(
    r"(?:\*\*|__)[^*\n]+\?\W*|(?:\*\*|__)?(?:Q|Question|Problem)\s?\d*(?:\*\*|__)?[:.)].*",
    re.DOTALL,
)
_FEWEST_ANNOUNCING = 5  # words of an answer that goes on in a list
_FEWEST_WORDS = 3


def reply_to(
    passage: Passage,
    asked: Sequence[Sentence],
    following: Passage | None,
    sentences: Sequence[Sentence],
) -> Sentence | None:
    """What replies to the question that ``asked`` begins with: the rest of its passage, or the
    ``sentences`` of the passage that follows.
    """
    if not asked or not asked[0].text.endswith("?"):
        return None
    is_set_off = passage.form == "heading" or _ASKS.fullmatch(asked[0].raw.strip()) is not None
    if len(asked) > 1:
        return _read_reply(passage, asked[1]) if is_set_off else None
    if following is None or not sentences:
        return None
    is_under = following.form in ("item", "paragraph") and following.indent > passage.indent
    if passage.form == "item":
        return _read(sentences[0]) if is_under else None
    if not is_set_off or following.form != "paragraph" or not _is_next(passage, following):
        return None
    return _read_reply(following, sentences[0])


def _is_next(passage: Passage, following: Passage) -> bool:
    """Whether it is the next paragraph of the same section, or the first under that heading."""
    if passage.form == "heading":
        return following.place == 0
    return following.headings == passage.headings and following.place == passage.place + 1


def _read_reply(passage: Passage, sentence: Sentence) -> Sentence | None:
    """The sentence as a reply, which among open questions says that it is one."""
    is_open = any(_OPEN.match(simplify(it)) for it in passage.headings)
    if is_open and not (_ANSWERS.match(sentence.text) or _LABEL.match(sentence.text)):
        return None
    text = sentence.text
    if text.endswith(":") and len(words_of(text)) >= _FEWEST_ANNOUNCING:
        sentence = replace(sentence, text=text.rstrip(":"))
    return _read(sentence)


def _read(sentence: Sentence) -> Sentence | None:
    text = _LABEL.sub("", sentence.text)
    if text.endswith((":", "?")) or _NO_REPLY.match(text) or len(words_of(text)) < _FEWEST_WORDS:
        return None
    return replace(sentence, text=text)


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
