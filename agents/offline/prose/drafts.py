"""Prose passages to drafts: what the section says a sentence is comes before what its words say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from agents.offline.judge.features import mark_place
from agents.offline.lexicons import Wording
from agents.offline.prose.forms import add_forms
from agents.offline.prose.lists import (
    drop_marks,
    find_burdened,
    find_lead,
    is_case,
    is_further_cell,
    is_of_row,
    name_burdened,
    name_row,
    names_it,
    needs_itself,
    open_lead,
    row_name,
    widen_quotes,
)
from agents.offline.prose.options import Options, propose
from agents.offline.prose.polarity import (
    DENYING,
    denial_of,
    denied_draft,
    deny_sentences,
    keep_denied,
    read_stands,
    without_label,
    without_taken_back,
    without_unstated,
)
from agents.offline.prose.ranked import is_ranked, labelled_draft, listed_draft
from agents.offline.prose.rows import add_rows, row_drafts
from agents.offline.prose.scenarios import scenario_draft
from agents.offline.prose.stated import UNSURE, Read, add_stated, is_unstated, stated_drafts
from agents.offline.recognise import cues
from agents.offline.recognise.cues import ANCHORED, WEAK, Cue
from agents.offline.recognise.entities import definition
from agents.offline.recognise.fragments import has_verb, is_decisive, stands_alone
from agents.offline.recognise.languages import denies_foreign_need, find_foreign_need
from agents.offline.recognise.learned import find_by_models
from agents.offline.recognise.needs import is_of_papers
from agents.offline.recognise.noise import (
    addresses_reader,
    is_chatter,
    is_noise,
    is_truncated,
)
from agents.offline.recognise.phrasing import find_by_words, read_as_plan
from agents.offline.recognise.structure import find_by_structure
from agents.offline.resolve.conditions import add_condition, condition_over
from agents.offline.resolve.drafts import Draft, gives_reason, is_of_present, make_draft, tags_of
from agents.offline.resolve.notes import add_notes
from agents.offline.resolve.placeholders import restore_draft, restore_sentence
from agents.offline.resolve.places import Place, document_subject, place_of
from agents.offline.resolve.replies import add_reply, reply_to
from agents.offline.resolve.sequels import join_sequels
from agents.offline.resolve.subjects import is_of_whole
from agents.offline.segment.documents import Setting, read_setting
from agents.offline.segment.masks import mask
from agents.offline.segment.passages import Passage, Sentence, Span
from agents.offline.segment.placeholders import hide_placeholders
from agents.offline.segment.prose import dialect_of
from agents.offline.segment.sections import Role, bare_name, is_settled, subject_of
from agents.offline.segment.wording import (
    drop_connective,
    split_sentences,
    strip_markup,
    title_of,
)
from schemas.areas import main_area
from schemas.events.hygiene import ChunkCreated
from schemas.readers import is_silent

MIN_EVIDENCE_CHARS = 20
MAX_ANNOUNCING = 16  # words of a sentence that says what the items under it are
_ANNOUNCED: tuple[Role, ...] = ("unknown", "risk", "action_item", "gain", "rejected")
_ANNOUNCES = [(role, Wording("lists", "announces", entry=role)) for role in _ANNOUNCED]
_PROVED = Wording("lists", "proved")
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_LABEL = re.compile(r"\*\*(?P<said>[^*\n]{3,60})(?:\.\*\*|\*\*\.)\s*")
_EXAMPLE = Wording("lists", "example_lead")


def prose_drafts(chunk: ChunkCreated) -> tuple[list[Draft], list[Sentence]]:
    """Drafts in the order of the text, and every readable sentence for a second look."""
    if is_silent(chunk.path):
        return [], []
    dialect = dialect_of(chunk.path)
    whole, rst = chunk.anchor_start == 0, dialect == "rst"
    masked = hide_placeholders(mask(chunk.text_payload, dialect), dialect)
    setting = replace(read_setting(chunk), text=masked.text)
    if masked.words:
        path = [masked.hide(it) for it in chunk.structure_path]
        chunk = chunk.model_copy(update={"structure_path": path})
    results: list[Draft] = []
    seen: list[Sentence] = []
    reads: list[Read] = []
    rows: list[Draft] = []
    formed: list[Draft] = []
    options = Options(chunk)
    for passage, stand in read_stands(setting.text, chunk, whole=whole):
        role, direct, option = options.place(setting, passage, stand)
        if (
            role == "plain"
            and passage.lead
            and (announced_role := _find_announced_role(setting.text, passage.lead))
        ):
            role, direct = announced_role, True
        if role in ("nothing", "rejected"):
            continue
        if passage.form == "record":
            rows += row_drafts(setting, passage, role, place_of(passage, setting))
            continue
        if passage.form == "scenario":
            made = scenario_draft(setting, passage, role, place_of(passage, setting))
            formed += [made] if made else []
            continue
        if made := labelled_draft(setting, passage, role, place_of(passage, setting)):
            formed.append(made)
            continue
        read = without_taken_back(list(_sentences(setting.text, passage, rst=rst)))
        read = without_label(read, stand)
        read = without_unstated(read, passage, role, weighs=setting.deliberates)
        if denial := denial_of(passage, role, stand):
            read = deny_sentences(read, denial)
        elif role in DENYING:
            role, read = "plain", read if stand else keep_denied(read)
        if role not in UNSURE and passage.form != "heading":
            seen += read
        reads.append(Read(passage, role, direct, read, option))
    for at in range(len(reads)):
        drafts = (options.settle(it, reads[at].role) for it in _drafts_at(setting, reads, at))
        option = reads[at].option
        is_open = option and option.status == "open"
        results += [propose(it, option) if option and is_open else it for it in drafts]
    results = sorted([*results, *formed], key=_start_of) if formed else results
    restored = [restore_draft(it, masked) for it in add_rows(results, rows)]
    return add_notes(restored, chunk.text_payload), [restore_sentence(it, masked) for it in seen]


def _start_of(draft: Draft) -> int:
    return draft.spans[0][0]


def _find_announced_role(text: str, lead: Span) -> Role | None:
    """What the sentence over a list says its items are: «Some unresolved questions are:»."""
    start, end = split_sentences(text, *lead)[-1]
    words = strip_markup(text[start:end])
    if len(words.split()) > MAX_ANNOUNCING:
        return None
    return next((role for role, pattern in _ANNOUNCES if pattern.search(words)), None)


def _drafts_at(setting: Setting, reads: Sequence[Read], at: int) -> Iterable[Draft]:
    """The drafts of one passage, with the condition over it and the reply under it."""
    passage, role, _, read, _ = reads[at]
    if role == "risk" and read:
        read = _beside(read, *(other.said for other in reads[max(0, at - 1) : at + 2 : 2]))
    before = reads[at - 1] if at else None
    place = place_of(passage, setting)
    drafts: Iterable[Draft] = _passage_drafts(setting, reads[at]._replace(said=read), before)
    drafts = list(add_forms(setting, passage, role, read, drafts, place))
    if not drafts or is_ranked(setting, passage):
        listed = listed_draft(setting, passage, role, place)
        drafts = [listed] if listed else drafts
    if condition := condition_over(passage, ((it.passage, it.said) for it in reversed(reads[:at]))):
        drafts = [add_condition(it, condition) for it in drafts]
    after = reads[at + 1] if at + 1 < len(reads) else None
    following = (after.passage, after.said) if after else (None, [])
    if reply := reply_to(passage, read, *following):
        drafts = chain.from_iterable(add_reply(it, reply) for it in drafts)
    return drafts


def _beside(read: list[Sentence], *others: list[Sentence]) -> list[Sentence]:
    """``read`` with the passages beside it as what is near its first sentence."""
    texts = [read[0].near, *(sentence.text for other in others for sentence in other[:1])]
    return [replace(read[0], near=" ".join(texts)), *read[1:]]


def _sentences(text: str, passage: Passage, *, rst: bool) -> Iterator[Sentence]:
    """The readable sentences of a passage, each with the reason that follows it."""
    spans = _without_label(text, split_sentences(text, passage.start, passage.end))
    plains = [strip_markup(text[start:end], rst=rst) for start, end in spans]
    plains = drop_marks(passage, plains)
    lead, taken = open_lead(text, passage), False
    for number, (span, words) in enumerate(zip(spans, plains, strict=True)):
        if taken:
            taken = False
            continue
        short = lead and not number and len(words) < MIN_EVIDENCE_CHARS
        if is_noise(f"{lead} {words}" if short else words) and not _is_spoken(
            text[span[0] : span[1]], words
        ):
            continue
        after = number + 1
        near = " ".join(plains[max(0, number - 1) : number] + plains[after : after + 1])
        sentence = Sentence(span, text[span[0] : span[1]], words, near=near)
        if after < len(spans) and gives_reason(plains[after]) and _is_whole(plains[after]):
            sentence = replace(sentence, following=spans[after], reason=plains[after])
            taken = True
        yield sentence


def _is_spoken(raw: str, words: str) -> bool:
    """Whether only the code that it names makes a sentence look like code."""
    if "`" not in raw or not words[:1].isupper() or not raw.rstrip().endswith("."):
        return False
    return not is_noise(strip_markup(_CODE_SPAN.sub("code", raw)))


def _without_label(text: str, spans: Sequence[Span]) -> Sequence[Span]:
    """``spans`` but for a first one that only names what follows: «**No standard.** There is …»."""
    label = _LABEL.fullmatch(text, *spans[0]) if len(spans) > 1 else None
    return spans if label is None or has_verb(label.group("said")) else spans[1:]


def _is_whole(text: str) -> bool:
    return len(text) >= MIN_EVIDENCE_CHARS and not is_truncated(text) and not is_noise(text)


def _passage_drafts(setting: Setting, read: Read, before: Read | None) -> Iterator[Draft]:
    """The drafts of a passage; what leans on the sentence before is told with it.

    What else its sentences state is a draft of its likeliest kind.
    """
    passage, sentences = read.passage, read.said
    subject = subject_of(passage.headings) or setting.name
    place = place_of(passage, setting)
    count = 0 if read.role in UNSURE else len(sentences)
    made = [_sentence_draft(setting, read, number, subject, place) for number in range(count)]
    if passage.form == "row":
        yield from filter(None, made)
        return
    sure = list(join_sequels(made, sentences, setting.text))
    unsure = {} if is_unstated(read) else stated_drafts(setting, read, before, place, subject)
    yield from add_stated(sure, unsure)


def _sentence_draft(
    setting: Setting, read: Read, number: int, subject: str, place: Place
) -> Draft | None:
    passage, role, direct, sentences, _ = read
    sentence = sentences[number]
    if passage.done:
        return None
    if sentence.denied_by:
        return denied_draft(setting, passage, role, sentence, subject, place)
    lead = find_lead(setting.text, passage, role) if number == 0 else None
    short = len(sentence.raw) < MIN_EVIDENCE_CHARS
    if short and (lead is None or role == "risk"):
        return None
    cue = cues.find_label(sentence.text)
    if cue is not None and cue.kind in ("decision", "requirement") and setting.how_to:
        cue = None  # how trouble was resolved, and what the reader wants
    elif cue is not None and cue.kind == "decision":
        cue = cue if is_decisive(sentence.text[cue.skip :]) else None
    if cue is None and (role != "plain" or passage.form == "task"):
        if role == "risk" and is_further_cell(setting.text, passage):
            return None
        cue = find_by_structure(setting, passage, role, direct, sentence, number)
    if cue is None and role in ("plain", "requirement"):
        cue = find_foreign_need(sentence.text)
    if lead is not None and needs_itself(sentence.text):
        lead = None
    if lead is not None and role != "risk" and (cue is None or cue.kind == "requirement"):
        sure = WEAK if is_of_papers(lead[1]) else ANCHORED
        cue = Cue("requirement", sure, fragment=not has_verb(lead[1]))  # no verb: not English
    elif role != "risk" or cue is None or cue.kind != "risk":
        lead = None
    if short and lead is None:
        return None
    if passage.form == "heading":
        if cue is None:
            return None
    elif cue is None:
        entity = _read_definition(passage, sentence)
        if entity is not None and is_of_row(setting.text, passage, entity.title):
            return entity
        if role in ("terms", "non_goal", "unknown"):
            return None
        cue = _find_worded(setting, read, number, subject, place)
    if cue is None or (
        cue.kind == "unknown" and role != "unknown" and _is_answered(sentences, number)
    ):
        return None
    if cue.kind != "unknown" and is_truncated(sentence.text) and lead is None:
        return None
    return _draft_of(cue, setting, read, number, subject, place, lead)


def _find_worded(
    setting: Setting, read: Read, number: int, subject: str, place: Place
) -> Cue | None:
    """What the words of a sentence make of it, where it stands; None where nothing is stated."""
    passage, role, _, sentences, _ = read
    sentence = sentences[number]
    cue = find_by_words(setting, role, sentence, subject)
    if number == 0 and role == "plain" and (cue is None or cue.kind == "claim"):
        cue = find_by_models(setting, sentence) or cue
    cue = read_as_plan(setting, cue, drop_connective(sentence.text))
    if cue is not None and cue.kind == "decision" and is_of_present(sentence.text):
        cue = Cue("claim", WEAK)
    if cue is not None and cue.kind == "requirement" and _PROVED.match(place.label):
        cue = Cue("claim", WEAK)
    if cue is not None and cue.kind == "claim" and is_case(setting.text, passage):
        return None
    if cue is not None and cue.kind in ("requirement", "decision") and passage.lead:
        start, end = passage.lead
        if _EXAMPLE.says(setting.text[start:end]):
            return None
    if cue is not None and cue.kind == "unknown" and is_settled(passage.headings):
        return None
    return cue


def _draft_of(
    cue: Cue,
    setting: Setting,
    read: Read,
    number: int,
    subject: str,
    place: Place,
    lead: tuple[Span, str] | None,
) -> Draft | None:
    """The draft of a sentence whose kind is told, with what its row or its list is about."""
    passage, role, _, sentences, _ = read
    sentence = sentences[number]
    row = row_name(setting.text, passage) if role == "plain" else ""
    name = row or place.term
    about = name if name and not names_it(name, sentence.text) else subject
    whole = document_subject(passage.headings)
    if about == subject and is_of_whole(drop_connective(sentence.text), subject, whole):
        about = whole or setting.name
    over = find_burdened(setting.text, passage.lead) if role == "risk" and passage.lead else None
    about = over[1] if over else about
    draft = make_draft(cue, sentence, passage.headings, about, lead, place, setting.text)
    if draft is None:
        return None
    if lead is not None:
        draft = widen_quotes(draft, setting.text)
    if denies_foreign_need(draft.title if lead else sentence.text):
        draft = replace(draft, polarity="negate")
    if passage.form == "row" and role == "plain":
        draft = name_row(draft, row, bare_name(subject_of(passage.headings)))
    if over:
        draft = name_burdened(draft, *over)
    return mark_place(draft, setting, passage, role, number, led=lead is not None)


def _is_answered(sentences: Sequence[Sentence], number: int) -> bool:
    """Whether it is a question set in bold, and what follows it in its passage answers it."""
    raw = sentences[number].raw.strip()
    asked = number == 0 and raw.startswith("**") and raw.endswith("**")
    return asked and len(sentences) > 1 and not sentences[1].text.endswith("?")


def _read_definition(passage: Passage, sentence: Sentence) -> Draft | None:
    """An entity with its defining sentence."""
    if addresses_reader(sentence.text) or is_truncated(sentence.text):
        return None
    text = drop_connective(sentence.text)
    entry = definition(text)
    if entry is None or not 6 <= len(text.split()) <= 45 or is_chatter(text):
        return None
    if not stands_alone(text, structural=False):
        return None
    name, entity_type, alias = entry
    attributes = {"entity_type": entity_type} | ({"aliases": alias} if alias else {})
    return Draft(
        kind="entity",
        title=title_of(name),
        body=text,
        confidence=ANCHORED,
        spans=(sentence.span,),
        area=main_area(" ".join((text, *passage.headings[-3:]))),
        tags=tags_of(text, ()),
        attributes=attributes,
        entities=(name,),
    )
