"""What was read with words in place of placeholders, in the words of its document again."""

from __future__ import annotations

from dataclasses import replace

from agents.offline.resolve.drafts import Draft
from agents.offline.segment.passages import Sentence
from agents.offline.segment.placeholders import Masked
from schemas.events.atom import MAX_BODY, MAX_TITLE


def restore_sentence(sentence: Sentence, masked: Masked) -> Sentence:
    if not masked.words:
        return sentence
    return replace(
        sentence,
        text=masked.restore(sentence.text),
        reason=masked.restore(sentence.reason),
        near=masked.restore(sentence.near),
    )


def restore_draft(draft: Draft, masked: Masked) -> Draft:
    """``draft`` in the words of its document, with the lines that define them as its frames."""
    if not masked.words:
        return draft
    start, end = draft.spans[0]
    text = masked.text[start:end].lower()
    frames = (it.span for name, it in masked.values.items() if masked.words[name] in text)
    names = (it for it in draft.entities if not masked.has_unknown(it))
    tags = (it for it in draft.tags if not masked.has_unknown(it))
    return replace(
        draft,
        title=_cut(masked.restore(draft.title), MAX_TITLE),
        body=_cut(masked.restore(draft.body), MAX_BODY),
        tags=tuple(masked.restore(it).lower() for it in tags),
        impact=masked.restore(draft.impact) if draft.impact else draft.impact,
        attributes={name: masked.restore(it) for name, it in draft.attributes.items()},
        entities=tuple(dict.fromkeys(map(masked.restore, names))),
        answers=masked.restore(draft.answers),
        scope=masked.restore(draft.scope),
        sequel=masked.restore(draft.sequel),
        prior=masked.restore(draft.prior),
        frames=tuple(dict.fromkeys((*draft.frames, *frames))),
        instead=restore_draft(draft.instead, masked) if draft.instead else None,
    )


def _cut(text: str, most: int) -> str:
    """``text`` no longer than ``most``, cut between words."""
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"
