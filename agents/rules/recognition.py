"""Prose passages to drafts: what the section says a sentence is comes before what its words say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from agents.rules import cues
from agents.rules.claims import claim, exclusive
from agents.rules.cues import ANCHORED, EXPLICIT, MODAL, WEAK, Cue
from agents.rules.drafts import Draft, Sentence, drafted, gives_reason, tags_of
from agents.rules.entities import definition, names_in, starts_with_name
from agents.rules.fragments import asks, is_decisive, stands_alone
from agents.rules.impact import is_averted, severity_of
from agents.rules.noise import (
    addresses_reader,
    is_chatter,
    is_noise,
    is_pointer,
    is_truncated,
    needs_context,
    words_of,
)
from agents.rules.passages import Passage, Span
from agents.rules.prose import passages
from agents.rules.sections import Role, document_name, role_in, subject_of
from agents.rules.statements import shares_of
from agents.rules.weights import trained
from agents.rules.wording import plain, sentences, title_of, without_connective
from schemas.areas import main_area
from schemas.events.atom import AtomKind
from schemas.events.hygiene import ChunkCreated

MIN_EVIDENCE_CHARS = 20
# From which share on the weights alone make a kind; below it a sentence is left to the rules.
LEARNED: dict[AtomKind, float] = {
    "decision": 0.65,
    "risk": 0.65,
    "unknown": 0.6,
    "requirement": 0.7,
}
_CHOOSING = re.compile(
    r"\b(?:will|shall|should|must|need|uses?|chose\w*|adopt\w*|decid\w*|keep|instead|introduc\w*)\b",
    re.IGNORECASE,
)
_WEIGHED = re.compile(r"\b(?:could|might|may|would) (?:also |instead )?\w", re.IGNORECASE)
_SPEAKER = re.compile(r"\W*\w{1,12}:\s")
_CONDITIONAL = re.compile(
    r"(?:when|if|once|while|since|as|although|because|for|in the|at present)\b", re.IGNORECASE
)
_CONVERSATIONS = frozenset(
    {"issue", "pull_request", "review_comment", "comment", "chat_thread", "interview"}
)
_HOW_TO_PATH = re.compile(
    r"tutorial|getting[-_ ]?started|quick[-_ ]?start|how[-_ ]?to|examples?/|samples?/|"
    r"walk-?through|"
    r"install",
    re.IGNORECASE,
)
_DELIBERATING_PATH = re.compile(
    r"(?:^|[/_.-])(?:adrs?|rfcs?|rfds?|keps?|peps?|seps?|decisions?|proposals?|designs?|"
    r"architecture|enhancements?|specs?|specification|minutes|meetings?|notes|drs?)(?=[/_.\-\d]|$)",
    re.IGNORECASE,
)
_SILENT_PATH = re.compile(
    r"(?:^|/)(?:changelog|changes|history|releases?|news|licen[cs]e|notice|contributors|authors|"
    r"codeowners|code[-_]of[-_]conduct|contributing|maintainers|dependencies|"
    r"pull_request_template|"
    r"third[-_]party\w*|credits|.*template)(?:\.\w+)?$|(?:^|/)(?:issue_template|\.changelog|"
    r"changelogs?|licenses)/",
    re.IGNORECASE,
)
_SELF = re.compile(
    r"^this (?:module|component|service|extension|library|package|plugin|project|tool|system|"
    r"class|"
    r"interface|api|protocol|feature|repository|framework)\b",
    re.IGNORECASE,
)
_LEAD_MODAL = re.compile(
    r"\b(?:must|shall|should|needs? to|has to|have to|required to)(?: be able to| support|"
    r" provide| be| "
    r"have| not)?:$",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"^(?:there (?:are|is) (?:no|not|none|currently no)|no (?:known|particular|major|significant|"
    r"real|"
    r"risks?|open|drawbacks?|unresolved|new)|none\b|not (?:applicable|known|that)|n/?a\b|"
    r"nothing\b|"
    r"the risks? (?:\w+ ){0,4}(?:is|are) (?:minimal|low|small|limited)|minimal|low risk|mitigat|"
    r"the mitigation|to mitigate|we (?:can |could |will )?mitigate)",
    re.IGNORECASE,
)
_AVERTING = re.compile(
    r"\b(?:mitigat\w+|avoid\w*|prevent\w*|ensur\w+|address\w*|solv\w+|reduc\w+|protect\w*|"
    r"safe\w*|no (?:\w+ )?(?:change|impact|effect)s?|backwards?[- ]compatib\w+|"
    r"not (?:be )?affect\w*)\b",
    re.IGNORECASE,
)
_DECIDING = re.compile(
    r"\b(?:will|uses?|using|chose\w*|adopt\w*|decid\w*|implement\w*|introduc\w*|replac\w*|"
    r"remov\w*|"
    r"keep|stor(?:e|es|ed)|must|should|shall|renam\w*|mov(?:e|ed)|creat(?:e|ed)|deprecat\w*)\b",
    re.IGNORECASE,
)
_SETTLED = re.compile(
    r"^(?:resolved|answered|done|decided|fixed|closed|yes|no)\b|~~", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known about a chunk before a sentence of it is read.

    ``deliberates``: decisions are taken or proposed in documents like it, talk among them.
    """

    text: str
    name: str
    asked: bool
    how_to: bool
    deliberates: bool


def is_silent(path: str) -> bool:
    """Whether documents of this name state nothing about the project: logs, licences, templates."""
    return bool(_SILENT_PATH.search(path))


def prose_drafts(chunk: ChunkCreated) -> tuple[list[Draft], list[Sentence]]:
    """Drafts in the order of the text, and every readable sentence for a second look."""
    if is_silent(chunk.path):
        return [], []
    setting = Setting(
        chunk.text_payload,
        document_name(chunk.title, chunk.path),
        chunk.source_type in _CONVERSATIONS or chunk.source_type == "architecture_doc",
        bool(_HOW_TO_PATH.search(chunk.path)),
        chunk.source_type in _CONVERSATIONS or bool(_DELIBERATING_PATH.search(chunk.path)),
    )
    whole = chunk.anchor_start == 0
    found: list[Draft] = []
    seen: list[Sentence] = []
    known: list[tuple[Passage, Role, bool, list[Sentence]]] = []
    for passage in passages(chunk.text_payload, chunk.structure_path, chunk.path, whole=whole):
        role, direct = role_in(passage.headings)
        if role in ("nothing", "rejected", "mitigation"):
            continue
        read = list(_sentences(setting.text, passage))
        seen += read
        known.append((passage, role, direct, read))
    for at, (passage, role, direct, read) in enumerate(known):
        if role == "risk" and read:
            read = _beside(read, *(other[3] for other in known[max(0, at - 1) : at + 2 : 2]))
        found += _passage_drafts(setting, passage, role, direct, read)
    return found, seen


def _beside(read: list[Sentence], *others: list[Sentence]) -> list[Sentence]:
    """``read`` with the passages beside it as what is near its first sentence."""
    texts = [read[0].near, *(sentence.text for other in others for sentence in other[:1])]
    return [replace(read[0], near=" ".join(texts)), *read[1:]]


def _sentences(text: str, passage: Passage) -> Iterator[Sentence]:
    """The readable sentences of a passage, each with the reason that follows it."""
    spans = sentences(text, passage.start, passage.end)
    plains = [plain(text[start:end]) for start, end in spans]
    taken = False
    for number, (span, words) in enumerate(zip(spans, plains, strict=True)):
        if taken:
            taken = False
            continue
        if is_noise(words):
            continue
        after = number + 1
        near = " ".join(plains[max(0, number - 1) : number] + plains[after : after + 1])
        sentence = Sentence(span, text[span[0] : span[1]], words, near=near)
        if after < len(spans) and gives_reason(plains[after]) and _is_whole(plains[after]):
            sentence = replace(sentence, following=spans[after], reason=plains[after])
            taken = True
        yield sentence


def _is_whole(text: str) -> bool:
    return len(text) >= MIN_EVIDENCE_CHARS and not is_truncated(text) and not is_noise(text)


def _passage_drafts(
    setting: Setting, passage: Passage, role: Role, direct: bool, read: list[Sentence]
) -> Iterator[Draft]:
    subject = subject_of(passage.headings) or setting.name
    for number, sentence in enumerate(read):
        if len(sentence.raw) < MIN_EVIDENCE_CHARS or passage.done:
            continue
        cue = cues.labelled(sentence.text)
        if cue is None and (role != "plain" or passage.form == "task"):
            cue = _structural(passage, role, direct, sentence, number, len(read))
        lead = _lead(setting.text, passage, role) if number == 0 else None
        if lead is not None and (cue is None or cue.kind == "requirement"):
            cue = Cue("requirement", ANCHORED)
        else:
            lead = None
        if passage.form == "heading":
            if cue is None:
                continue
        elif cue is None:
            entity = _defined(passage, sentence)
            if entity is not None:
                yield entity
                continue
            if role in ("terms", "non_goal", "unknown"):
                continue
            cue = _by_words(setting, role, sentence, subject)
            if number == 0 and role == "plain" and (cue is None or cue.kind == "claim"):
                cue = _by_weights(setting, sentence) or cue
        if cue is None:
            continue
        if cue.kind != "unknown" and is_truncated(sentence.text) and lead is None:
            continue
        draft = drafted(cue, sentence, passage.headings, subject, lead)
        if draft is not None:
            yield draft


def _lead(text: str, passage: Passage, role: Role) -> tuple[Span, str] | None:
    """The announcing sentence of a list when it ends in a modal: «The system must:»."""
    if passage.lead is None or role not in ("plain", "requirement", "decision"):
        return None
    span = sentences(text, *passage.lead)[-1]
    words = plain(text[span[0] : span[1]])
    if not _LEAD_MODAL.search(words) or not 3 <= len(words.split()) <= 20 or needs_context(words):
        return None
    return span, words.rstrip(": ")


def _structural(
    passage: Passage, role: Role, direct: bool, sentence: Sentence, number: int, count: int
) -> Cue | None:
    """The kind that section and form give a sentence; None when they do not decide."""
    text = sentence.text
    if is_pointer(text) and role != "unknown":
        return None
    first = number == 0
    if passage.form == "heading":
        return Cue("unknown", EXPLICIT) if role == "unknown" and text.endswith("?") else None
    if passage.form == "task":
        return (
            None if passage.done or not first or is_chatter(text) else Cue("action_item", EXPLICIT)
        )
    match role:
        case "decision":
            return _decision_in(passage, direct, text, number)
        case "risk":
            return _risk_in(sentence, first)
        case "unknown":
            return _unknown_in(text, first)
        case "action_item":
            item = passage.form in ("item", "row") and first and len(words_of(text)) >= 3
            return Cue("action_item", EXPLICIT) if item else None
        case "requirement":
            if (
                not (first and direct)
                or len(words_of(text)) < 4
                or is_chatter(text)
                or text.endswith("?")
            ):
                return None
            return Cue("requirement", EXPLICIT)
        case "story":
            return cues.user_story(text)
        case "non_goal":
            if not first or passage.form not in ("item", "row") or len(words_of(text)) < 3:
                return None
            return Cue("requirement", EXPLICIT, {"scope": "excluded"})
        case _:
            return None


def _decision_in(passage: Passage, direct: bool, text: str, number: int) -> Cue | None:
    """What opens a decision section is the decision; later sentences must sound like one."""
    if text.endswith("?") or len(words_of(text)) < 4 or not direct:
        return None
    if passage.opening and number == 0 and is_decisive(text):
        return Cue("decision", EXPLICIT)
    if needs_context(text) or not _DECIDING.search(text):
        return None
    if passage.opening and number < 3:
        return Cue("decision", ANCHORED)
    return Cue("decision", MODAL) if passage.form == "item" and number == 0 else None


def _risk_in(sentence: Sentence, first: bool) -> Cue | None:
    text = sentence.text
    if _ABSENT.match(text) or text.endswith("?") or len(words_of(text)) < 4:
        return None
    severity = severity_of(text) or severity_of(sentence.reason)
    if severity is None:
        told = first and severity_of(sentence.near) and not _AVERTING.search(text)
        return Cue("risk", MODAL) if told else None
    if is_averted(text) and not first:
        return None
    return Cue("risk", EXPLICIT if first else MODAL)


def _unknown_in(text: str, first: bool) -> Cue | None:
    if _SETTLED.match(text) or _ABSENT.match(text) or len(words_of(text)) < 3:
        return None
    if text.endswith("?"):
        return Cue("unknown", EXPLICIT)
    return Cue("unknown", EXPLICIT) if first and asks(text) else None


def _defined(passage: Passage, sentence: Sentence) -> Draft | None:
    """An entity with its defining sentence."""
    if addresses_reader(sentence.text) or is_truncated(sentence.text):
        return None
    text = without_connective(sentence.text)
    known = definition(text)
    if known is None or not 6 <= len(text.split()) <= 45 or is_chatter(text):
        return None
    if not stands_alone(text, structural=False):
        return None
    name, entity_type, alias = known
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


def _by_weights(setting: Setting, sentence: Sentence) -> Cue | None:
    """What the trained weights say of a passage's first sentence, where they are sure of it."""
    text = sentence.text
    if setting.how_to or is_truncated(text) or is_pointer(text) or is_chatter(text):
        return None
    if len(words_of(text)) < 5 or needs_context(text) or addresses_reader(text):
        return None
    threatens = severity_of(text) is not None and not _AVERTING.search(text)
    asked = cues.unknown(text, asked=True) is not None and not _SPEAKER.match(text)
    if not (threatens or asked or _CHOOSING.search(text)) or _CONDITIONAL.match(text):
        return None  # cheap to see, and nearly all that the weights would be sure of
    shares = shares_of(sentence.raw, trained())
    kind = max(LEARNED, key=lambda kind: shares[kind])
    if (kind == "risk" and not threatens) or asked != (kind == "unknown"):
        return None
    if kind == "decision" and (not setting.deliberates or _WEIGHED.search(text)):
        return None
    sure = shares[kind]
    if sure < LEARNED[kind]:
        return None
    return Cue(kind, ANCHORED if sure >= 0.9 else MODAL if sure >= 0.75 else WEAK)


def _by_words(setting: Setting, role: Role, sentence: Sentence, subject: str) -> Cue | None:
    """The cue table, for sentences that stand on their own."""
    text = without_connective(sentence.text)
    if cue := cues.user_story(text):
        return cue
    how_to = setting.how_to or role == "how_to"
    if addresses_reader(text) or is_truncated(text):
        return None
    names = names_in(sentence.raw, text)
    if needs_context(text):
        own = bool(_SELF.match(text)) and subject != setting.name and not how_to
        return claim(_SELF.sub("The", text), named_subject=False, named=True) if own else None
    named = bool(names)
    if is_chatter(text):
        return None
    if len(words_of(text)) < 5:
        return Cue("claim", ANCHORED) if exclusive(text) and not how_to else None
    strong = bool(re.search(r"\b(?:must|shall|MUST|SHALL)\b", text))
    if strong and (cue := cues.requirement(text, named=named)):
        return None if how_to and cue.confidence < MODAL else cue
    if how_to:
        return None
    for cue in (
        cues.unknown(text, asked=setting.asked),
        cues.domain_signal(text),
        cues.risk(text, named=named),
        cues.requirement(text, named=named),
        cues.decision(text, named=named),
    ):
        if cue is not None:
            return cue
    subject_named = starts_with_name(sentence.raw, text, names)
    cue = claim(text, named_subject=subject_named, named=named)
    return cue if cue is None or cue.confidence > WEAK or role == "plain" else None
