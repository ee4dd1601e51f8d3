"""What the form of a passage makes of it where its words alone do not decide.

An answer under its question, an item behind its label or under what announces it, and the text of
a card state something with what stands over or before them. Such drafts are weaker than what is
sure by its words, and stand in its place only where there is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.offline.lexicons import Wording
from agents.offline.prose.formed import is_glossary, lower_told, make_formed
from agents.offline.prose.minutes import is_of_meeting, is_of_one_voice, keep_concluded
from agents.offline.recognise.cues import FORMED, MODAL
from agents.offline.recognise.entities import names_in
from agents.offline.recognise.fragments import has_verb, is_order
from agents.offline.recognise.impact import burden_of, severity_of
from agents.offline.recognise.needs import is_of_papers
from agents.offline.recognise.noise import is_chatter, is_pointer, is_truncated
from agents.offline.resolve.drafts import Draft, add_scope, join_lead
from agents.offline.resolve.places import Place
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Passage, Sentence, Span
from agents.offline.segment.sections import Role, role_of, show_heading, simplify
from agents.offline.segment.wording import (
    capitalise,
    lower_first,
    split_sentences,
    strip_markup,
)
from schemas.events.atom import MAX_TITLE, AtomKind

_IN_SCOPE = Wording("forms", "in_scope")
_OUT_OF_SCOPE = Wording("forms", "out_of_scope")
_LEADS = Wording("forms", "leads")
_KINDS = Wording("forms", "kinds")
_NO_LEAD = Wording("forms", "no_leads")
_HOW = Wording("forms", "how_questions")
_NO_CONTENT = Wording("forms", "no_content")
_NO_TELLING = Wording("forms", "no_telling")
_SHORT_ANSWER = Wording("forms", "short_answers")
_PROVED = Wording("lists", "proved")
_WORD = re.compile(r"[a-z]{4,}")
_FOLLOWING = Wording("forms", "following")
_LABEL = re.compile(
    r"(?:\*\*|__|\[\*\*)(?P<bold>[^*_\n]{2,70}?)[.:]?(?:\*\*|__)(?:\]\([^)\n]*\))?(?P<gap>\s*[:–—.-]{1,2}\s+|\s+)|"
    r"\[(?P<link>[^\]\n]{2,70})\]\([^)\n]*\)\s*(?:[:–—]|-{1,2})\s+"
)
_CODE = re.compile(r"\W*`")
_NO_NAME = re.compile(r"[^\w\"'“«(]|\d|[\da-f]{7,}$")
_NAMED_ITEM = re.compile(r"[A-Z][\w.-]*(?: [A-Z(]|$)|[A-Z][\w-]*[A-Z]")
_IDENTIFIER = re.compile(r"[\w/-]*\w[._:/]\w\S*$|[a-z]+[A-Z]\w*$|[A-Z\d]+_[A-Z\d_]+$")
_OF_INTERFACE = Wording("forms", "of_interface")
_TAKES_VERB = Wording("forms", "takes_verb")
_YOU = re.compile(r"\b(?:you|your)\b", re.IGNORECASE)
_BACKWARD = re.compile(r"(?:it|this|that|these|those|they|there|he|she)\b", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:this|these|it|that|here)\b", re.IGNORECASE)
_OPEN_SUBJECT = re.compile(r"(?:it|this|that|they|which|and|or|but|you|i)\b", re.IGNORECASE)
MOST_LEAD_WORDS = 22
FEWEST_WORDS = 3  # of an item behind its announcement
FEWEST_TOLD = 4  # of what a label or title says
LONGEST_LABEL = 8  # words


def add_forms(
    setting: Setting,
    passage: Passage,
    role: Role,
    sentences: Sequence[Sentence],
    drafts: Iterable[Draft],
    place: Place,
) -> list[Draft]:
    """``drafts`` of a passage, with what its form states, and their part in the scope."""
    own_drafts = list(drafts)
    if is_of_meeting(passage.headings):
        return keep_concluded(setting, passage, role, sentences, own_drafts, place)
    if setting.minutes:
        own_drafts = [it for it in own_drafts if not is_of_one_voice(it.statement)]
    if sentences and not sentences[0].denied_by and not passage.done:
        formed = _find_formed(setting, passage, role, sentences, place)
        first = sentences[0].span
        of_first = [it for it in own_drafts if it.spans[0][0] <= first[0] < it.spans[0][1]]
        stands = _question_over(passage) and not _SHORT_ANSWER.match(sentences[0].text)
        if formed and not any(stands or _is_as_good(it) for it in of_first):
            draft = _tell_with(formed, of_first[0]) if of_first else formed
            own_drafts = [draft, *(it for it in own_drafts if it not in of_first)]
    scope, label = scope_over(setting.text, passage)
    return [_mark_scope(it, scope, label) for it in own_drafts] if scope else own_drafts


def _is_as_good(draft: Draft) -> bool:
    return draft.confidence >= MODAL


def _tell_with(formed: Draft, draft: Draft) -> Draft:
    """``formed``, of the kind that the wording of ``draft``, its sentence, has."""
    if formed.kind != "claim" or draft.kind == "claim":
        return formed
    return replace(
        draft,
        title=formed.title,
        body=formed.body,
        confidence=FORMED,
        spans=formed.spans,
        scope=formed.scope,
        aside=formed.aside,
        polarity=None if draft.kind == "unknown" else formed.polarity,
        sequel="",
        prior="",
    )


def _find_formed(
    setting: Setting, passage: Passage, role: Role, sentences: Sequence[Sentence], place: Place
) -> Draft | None:
    guides = setting.teaches or role in ("how_to", "nothing", "terms") or is_glossary(setting)
    first = sentences[0]
    if is_pointer(first.text) or is_truncated(first.text) or passage.form == "heading":
        return None
    if asked := _question_over(passage):
        if passage.form == "paragraph" and passage.place == 0 and not guides and role != "unknown":
            return _answer(setting, passage, role, sentences, asked, place)
        return None
    if passage.form in ("item", "task") and passage.lead and not guides:
        led = _led(setting, passage, role, first, place)
        if led is not None:
            return led
    if guides or role in ("non_goal", "rejected", "unknown", "gain"):
        return None
    label, description = _split_label(setting.text, passage, first)
    if label:
        return _labelled(setting, passage, role, sentences, (label, description), place)
    if passage.titled and passage.headings:
        title = show_heading(passage.headings[-1]).strip(" :.")
        return _labelled(setting, passage, role, sentences, (title, first.text), place)
    return None


def _question_over(passage: Passage) -> str:
    """The question that its heading asks, if it is one."""
    heading = passage.headings[-1].strip() if passage.headings else ""
    return show_heading(heading) if heading.endswith("?") else ""


def _answer(
    setting: Setting,
    passage: Passage,
    role: Role,
    sentences: Sequence[Sentence],
    asked: str,
    place: Place,
) -> Draft | None:
    """What an answer says, told with its question where it does not stand alone."""
    text = re.sub(r"^\W*a(?:nswer)?\s*[:.]\s+", "", sentences[0].text, flags=re.IGNORECASE)
    asked = re.sub(r"^q(?:uestion)?\s*\d*\s*[:.]\s+", "", asked, flags=re.IGNORECASE)
    if _NO_TELLING.says(text):
        return None
    if text.endswith((":", "?")) or _HOW.match(asked) or len(asked.split()) < FEWEST_WORDS:
        return None
    if len(text.split()) < FEWEST_TOLD and len(sentences) > 1:
        text = f"{text} {sentences[1].text}"
    if len(text.split()) < 2 or is_order(text):
        return None
    title = f"{asked} {text}"
    if len(title) > MAX_TITLE:
        return None
    spans = (
        (sentences[0].span,)
        if sentences[0].span[1] - sentences[0].span[0] >= MIN_EVIDENCE_CHARS
        else ()
    )
    spans = spans or ((sentences[0].span[0], sentences[-1].span[1]),)
    scope = "" if names_in(asked, asked) else place.whole
    return make_formed(setting, passage, role, "claim", title, text, spans, scope)


def _led(
    setting: Setting, passage: Passage, role: Role, item: Sentence, place: Place
) -> Draft | None:
    """What an item says with the announcement over its list."""
    if passage.lead is None or len(item.text.split()) < 2:
        return None
    start, end = split_sentences(setting.text, *passage.lead)[-1]
    lead = strip_markup(setting.text[start:end])
    if len(lead.split()) > MOST_LEAD_WORDS or item.text.endswith(":"):
        return None
    spans: tuple[Span, ...] = (item.span, (start, end))
    if end - start < MIN_EVIDENCE_CHARS:
        spans = (item.span,)
    if item.span[1] - item.span[0] < MIN_EVIDENCE_CHARS:
        spans = tuple(reversed(spans)) if len(spans) > 1 else ()
    if not spans:
        return None
    kind: AtomKind
    kinded = _KINDS.search(lead)
    if kinded and kinded.lastgroup and role == "plain" and len(item.text.split()) >= FEWEST_WORDS:
        kind = kinded.lastgroup  # type: ignore[assignment]  # groups are named so
        return _of_kind(setting, passage, role, kind, item, spans, place)
    led = _LEADS.search(lead)
    if _CODE.match(item.raw) or _OF_INTERFACE.match(item.text):
        return None
    if _NO_LEAD.says(lead) or is_of_papers(lead):  # of papers a weak need is told elsewhere
        return None
    if led is None or not led.lastgroup or _OPEN_SUBJECT.match(lead) or is_order(lead):
        return None
    subject = lead[: led.start()]
    if not subject.split() and led.lastgroup != "decision":
        return None
    if _YOU.search(subject):
        return None
    text = _FOLLOWING.sub("", lead).rstrip(": ")
    if not (setting.own_voice or led.lastgroup != "decision"):
        return None
    whole = has_verb(item.text) and not is_order(item.text) and " " in item.text
    whole = whole or (is_order(item.text) and not _TAKES_VERB.says(text))
    joined = f"{text}: {lower_first(item.text)}" if whole else _join(text, item.text)
    if _NAMED_ITEM.match(item.text):
        joined = f"{text} {item.text}"
    scope = place.part or place.whole
    kind = led.lastgroup  # type: ignore[assignment]  # groups are named so
    return make_formed(setting, passage, role, kind, joined, item.text, spans, scope)


def _join(lead: str, item: str) -> str:
    """Both as one sentence; what stands for a thing keeps its form."""
    return join_lead(lead, item) if _TAKES_VERB.says(lead) else f"{lead} {lower_first(item)}"


def _of_kind(
    setting: Setting,
    passage: Passage,
    role: Role,
    kind: AtomKind,
    item: Sentence,
    spans: tuple[Span, ...],
    place: Place,
) -> Draft | None:
    """An item of a list that its announcement calls open, decided, needed, or to be done."""
    if kind == "risk" and not (severity_of(item.text) or burden_of(item.text)):
        kind = "claim"
    if kind == "action_item" and (not is_order(item.text) or _LABEL.match(item.raw)):
        return None
    if kind == "unknown" or has_verb(item.text) or is_order(item.text):
        scope = place.part or place.whole
        return make_formed(setting, passage, role, kind, item.text, item.text, spans, scope)
    return None


def _says_it_again(label: str, text: str) -> bool:
    """Whether hardly a word of the text is not in its label."""
    words = set(_WORD.findall(label.lower()))
    return len(set(_WORD.findall(text.lower())) - words) < 2


def _split_label(text: str, passage: Passage, first: Sentence) -> tuple[str, str]:
    """The label of an item, and what is said behind it."""
    if passage.form not in ("item", "paragraph"):
        return "", ""
    match = _LABEL.match(text, passage.start, passage.end)
    if match is None or _CODE.match(text, passage.start):
        return "", ""
    label = strip_markup(match["bold"] or match["link"]).strip(" :.")
    if match["bold"] and not match["gap"].strip() and text[match.end("bold")] not in ".:":
        return "", ""  # the sentence goes on
    end = max(first.span[1], match.end())
    if match.end() >= first.span[1]:  # the label is a sentence of its own
        begin = match.end()
        spans = split_sentences(text, begin, passage.end)
        end = spans[0][1] if spans else begin
    description = strip_markup(text[match.end() : end])
    return label, description


def _labelled(
    setting: Setting,
    passage: Passage,
    role: Role,
    sentences: Sequence[Sentence],
    labelled: tuple[str, str],
    place: Place,
) -> Draft | None:
    """What is said of what a label or title names."""
    label, description = labelled
    words = description.split()
    if (
        len(words) < FEWEST_TOLD
        or len(label.split()) > LONGEST_LABEL
        or description.endswith((":", "?"))
    ):
        return None
    if is_chatter(description) or _NO_CONTENT.match(description) or _NO_TELLING.says(description):
        return None
    if role_of(label) != "plain" or _PROVED.match(label) or _says_it_again(label, description):
        return None
    if _NO_NAME.match(label) or _BACKWARD.match(description):
        return None
    if _IDENTIFIER.match(label) or _OF_INTERFACE.match(f"{label} {description}"):
        return None
    if _POINTS.search(label):
        return None
    if label.endswith("?") or re.match(r"(?:step|option|example|note|tip)\b", label, re.IGNORECASE):
        return None
    is_repeat = label.lower() in description.lower()
    title = (
        description
        if is_repeat and has_verb(description)
        else f"{capitalise(label)}: {lower_told(description)}"
    )
    if len(title) > MAX_TITLE:
        return None
    kind: AtomKind = "claim"
    if role == "risk" and (severity_of(description) or burden_of(description)):
        kind = "risk"
    elif role in ("decision", "action_item", "requirement"):
        kind = role
    end = max(it.span[1] for it in sentences[:2])
    begin = (
        passage.start if sentences[0].span[0] - passage.start < MAX_TITLE else sentences[0].span[0]
    )
    spans = ((begin, min(end, passage.end)),)
    return make_formed(setting, passage, role, kind, title, description, spans, scope=place.whole)


def scope_over(text: str, passage: Passage) -> tuple[str, str]:
    """Whether a list or row is one of what is in the scope or out of it, and what says so."""
    if passage.form not in ("item", "task", "row"):
        return "", ""
    over = [show_heading(it) for it in passage.headings[-1:]]
    if passage.lead:
        start, end = split_sentences(text, *passage.lead)[-1]
        over.insert(0, strip_markup(text[start:end]))
    for heading in over:
        words = simplify(heading)
        if _OUT_OF_SCOPE.match(words):
            return "out", heading.strip(" :.")
        if _IN_SCOPE.match(words):
            return "in", ""
    return "", ""


def _mark_scope(draft: Draft, scope: str, label: str) -> Draft:
    """``draft`` as part of a list of the scope; what is left out is told with what says so."""
    if draft.kind in ("unknown", "entity", "action_item"):
        return draft
    marked = replace(draft, attributes=draft.attributes | {"scope": scope})
    if scope == "in" or draft.polarity == "negate" or not label:
        return marked
    text = f"{capitalise(label)}: {lower_first(draft.own_title)}"
    title = add_scope(draft.scope, text, aside=draft.aside)
    return replace(marked, title=title, polarity="negate", sequel="", prior="")
