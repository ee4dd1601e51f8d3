"""Prose passages to drafts: what the section says a sentence is comes before what its words say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from agents.rules import cues
from agents.rules.claims import claim, exclusive
from agents.rules.cues import ANCHORED, EXPLICIT, MODAL, WEAK, Cue
from agents.rules.documents import Setting, is_silent, setting_of
from agents.rules.drafts import Draft, Sentence, drafted, gives_reason, tags_of
from agents.rules.entities import definition, names_in, starts_with_name
from agents.rules.fragments import asks, is_decisive, is_order, stands_alone
from agents.rules.impact import is_averted, severity_of
from agents.rules.noise import (
    addresses_reader,
    instructs,
    is_chatter,
    is_noise,
    is_pointer,
    is_truncated,
    needs_context,
    spoken,
    words_of,
)
from agents.rules.passages import Passage, Span
from agents.rules.prose import passages
from agents.rules.sections import Role, role_in, subject_of
from agents.rules.soundness import placed
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
    r"(?:when|if|once|while|since|as|although|because|for|in (?:the|response)|upon|after|"
    r"at present)\b",
    re.IGNORECASE,
)
_STEP = re.compile(r"(?:when|if|once|upon|during|while|after|before)\b", re.IGNORECASE)
_WE = frozenset({"we", "us", "our"})
_NO_ACTOR = re.compile(
    r"[A-Z][a-z]+s (?:that|the|an?|all|any)\b|An? (?:example|accompanying)\b|Assum|"
    r"[^:]{1,60}: (?:An?|The) "
)
_NOTHING_OPEN = re.compile(
    r"\bno (?:\w+ )?(?:open|unresolved|outstanding) (?:questions?|issues?)\b", re.IGNORECASE
)
_HARMLESS = re.compile(
    r"\b(?:not|n't|no|hardly|never) (?:an? |any |much of an? )?(?:\w+ )?"
    r"(?:problem|issue|concern|risk|drawback|downside)s?\b|\b(?:negligible|extremely small)\b",
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
    r"the mitigation|to (?:mitigate|prevent|avoid|reduce)\b|we (?:can |could |will )?mitigate)",
    re.IGNORECASE,
)
_AVERTING = re.compile(
    r"\b(?:mitigat\w+|avoid\w*|prevent\w*|ensur\w+|address\w*|solv\w+|reduc\w+|protect\w*|"
    r"safe\w*|no (?:\w+ )?(?:change|impact|effect)s?|backwards?[- ]compatib\w+|"
    r"not (?:be )?affect\w*)\b",
    re.IGNORECASE,
)
_REMARK = re.compile(
    rf"{_AVERTING.pattern}|^(?:m|mitigation): |^worth\b|"
    r"\b(?:we|i) (?:\w+i[sz]ed|tried|noticed|learned)\b|\ballows? \w+ing\b|"
    r"^(?:over time|in the past|initially|while testing)\b",
    re.IGNORECASE,
)  # tells, averts or praises: a consequence beside it is none of its own
_DECIDING = re.compile(
    r"\b(?:will|uses?|using|chose\w*|adopt\w*|decid\w*|implement\w*|introduc\w*|replac\w*|"
    r"remov\w*|"
    r"keep|stor(?:e|es|ed)|must|should|shall|renam\w*|mov(?:e|ed)|creat(?:e|ed)|deprecat\w*)\b",
    re.IGNORECASE,
)
_ADVERSE = re.compile(
    r"\b(?:not|no|never|cannot|without|lack\w*|only|hard|harder|difficult|more|less|fewer|increas\w*|"
    r"decreas\w*|reduc\w*|extra|additional|another|needs?|requir\w*|may|might|could|would|must|too|"
    r"high\w*|long\w*|large\w*|complex\w*|depend\w*|forc\w*|manual\w*|still|limit\w*|assum\w*|"
    r"rel(?:y|ies)|coupl\w*|duplic\w*|maint\w*|effort|work|slow\w*|some)\b|n't\b",
    re.IGNORECASE,
)  # what a drawback is worded with, whose consequence stands beside it
_REMEDY = re.compile(
    r"\b(?:possible|potential|simple|simplest|better|one|another) (?:solution|fix|workaround)\b|"
    r"^(?:it|this|that) (?:should|would|could) be possible\b|\bwork-?arounds?\b|"
    r"\bcan (?:be )?use[ds]?\b|^(?:contact|ask|reach out|file an?)\b|"
    r"\bnot (?:be )?(?:impacted|affected)\b",
    re.IGNORECASE,
)
_POSSIBLE = re.compile(
    r"\b(?:may|might|could|would|can|cannot|will|risks?|likely|dangerous|vulnerab\w+|"
    r"results? in|leads? to|causes?|fails?|lost|loses?|breaks?|never|no longer|"
    r"potential\w*|increas\w*)\b",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"^use\b|\b(?:will|shall|should|must|required|we|chose\w*|adopt\w*|decid\w*|introduc\w*|instead|replac\w*|remov\w*|"
    r"deprecat\w*|switch\w*|keep)\b",
    re.IGNORECASE,
)
_NEEDED = re.compile(
    r"\b(?:must|shall|should|needs?|required|ha(?:s|ve) to|ought|wants?|goal|will|able to|"
    r"mandatory|expected|important|ensure|support|allow)\b",
    re.IGNORECASE,
)
_THOUGHT_OF = re.compile(
    r"\b(?:considered|discussed|explored|tried|looked (?:at|into)|look at)\b", re.I
)
SUBJECT = 60  # characters within which a plain statement has had its verb
_ASSERTS = re.compile(
    r"\s(?:is|are|was|were|has|have|had|exists?|implements?|uses?|provides?|contains?|consists?)\s",
    re.IGNORECASE,
)
_ABLE = re.compile(r"\s(?:can|cannot|can't|could|may|might)\s", re.IGNORECASE)
_SUBJECT_FIRST = re.compile(
    r"(?:the|an?|this|that|these|those|it|they|we|users?|from|on|in|for|there|all|any|each|no)\b",
    re.IGNORECASE,
)
_REACHED = re.compile(
    r"\b(?:is|are|was|were|been) (?:now |already |fully )?"
    r"(?:implemented|done|merged|released|completed?|finished)\b(?! (?:before|by|in|when|once)\b)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:between|from|within|inside|outside) [^,]*$", re.IGNORECASE)
_EXPLAINS = re.compile(r"(?:as|since|because|although|while) ", re.IGNORECASE)
_AFTERWARDS = re.compile(r"(?:once|after|when|whenever)\b", re.IGNORECASE)
_OPEN_TO_US = frozenset({"should", "shall", "we", "worth", "okay", "sense", "best", "better"})
_CASES = re.compile(
    r"\b(?:if|when|whenever|unless|cases?|conditions?|any of|one of|either|scenarios?|situations?|"
    r"examples?|reasons?)\b",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"(?:never|always|do not|don't|avoid|beware)\b", re.IGNORECASE)
_SETTLED = re.compile(
    r"^(?:resolved|answered|done|decided|fixed|closed|yes|no|same)\b|~~", re.IGNORECASE
)


def prose_drafts(chunk: ChunkCreated) -> tuple[list[Draft], list[Sentence]]:
    """Drafts in the order of the text, and every readable sentence for a second look."""
    if is_silent(chunk.path):
        return [], []
    setting = setting_of(chunk)
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
        if cue is not None and cue.kind == "decision":
            said = sentence.text[cue.skip :]
            cue = (
                None if setting.how_to or not is_decisive(said) else cue
            )  # how trouble was resolved
        if cue is None and (role != "plain" or passage.form == "task"):
            cue = _structural(setting, passage, role, direct, sentence, number)
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
            if cue is not None and cue.kind == "claim" and _is_case(setting.text, passage):
                continue
        if cue is None:
            continue
        if cue.kind != "unknown" and is_truncated(sentence.text) and lead is None:
            continue
        draft = drafted(cue, sentence, passage.headings, subject, lead)
        if draft is not None:
            yield placed(draft, setting, passage, role, number, led=lead is not None)


def _is_case(text: str, passage: Passage) -> bool:
    """Whether what reads like a claim is a cell of a table, or one of the cases listed."""
    if passage.form == "row":
        return True
    return passage.lead is not None and bool(_CASES.search(text, *passage.lead))


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
    setting: Setting, passage: Passage, role: Role, direct: bool, sentence: Sentence, number: int
) -> Cue | None:
    """The kind that section and form give a sentence; None when they do not decide."""
    text = sentence.text
    if is_pointer(text) and role != "unknown":
        return None
    first = number == 0
    if passage.form == "heading":
        return Cue("unknown", EXPLICIT) if role == "unknown" and text.endswith("?") else None
    if passage.form == "task":
        done = passage.done or not first or is_chatter(text) or _is_reached(text)
        return None if done or setting.how_to else Cue("action_item", EXPLICIT)
    match role:
        case "decision":
            return None if setting.how_to else _decision_in(passage, direct, text, number)
        case "risk":
            return _risk_in(sentence, first)
        case "unknown":
            return _unknown_in(text, first)
        case "action_item":
            item = passage.form in ("item", "row") and first and len(words_of(text)) >= 3
            item = item and not (_is_reached(text) or _BETWEEN.match(text) or _is_told(text))
            return Cue("action_item", EXPLICIT) if item and not setting.how_to else None
        case "requirement":
            if (
                not (first and direct)
                or len(words_of(text)) < 4
                or is_chatter(text)
                or text.endswith("?")
                or _tells_of_needs(passage, text)
            ):
                return None
            return Cue("requirement", EXPLICIT)
        case "story":
            return cues.user_story(text)
        case "non_goal":
            if not first or passage.form not in ("item", "row") or len(words_of(text)) < 3:
                return None
            if _EXPLAINS.match(text):
                return None
            return Cue("requirement", EXPLICIT, {"scope": "excluded"})
        case _:
            return None


def _is_reached(text: str) -> bool:
    """Whether an item of a list of tasks tells what is done, and asks nobody to see to it."""
    return bool(_REACHED.search(text)) and not is_order(text) and not instructs(text)


def _is_told(text: str) -> bool:
    """Whether an item of a list of tasks says what is so, and asks for nothing."""
    if _NEEDED.search(text) or not _SUBJECT_FIRST.match(text):
        return False
    return bool(_ASSERTS.search(text[:SUBJECT]) or _ABLE.search(text[:SUBJECT]))


def _tells_of_needs(passage: Passage, text: str) -> bool:
    """Whether a text under a heading of needs only tells of them: what is so, or when what is."""
    if _NEEDED.search(text) or is_order(text):
        return False
    return _AFTERWARDS.match(text) is not None or (
        passage.form == "paragraph" and _ASSERTS.search(text[:SUBJECT]) is not None
    )


def _decision_in(passage: Passage, direct: bool, text: str, number: int) -> Cue | None:
    """What opens a decision section is the decision; later sentences must sound like one."""
    if text.endswith("?") or len(words_of(text)) < 4 or not direct:
        return None
    if passage.opening and number == 0 and is_decisive(text):
        return Cue("decision", EXPLICIT)
    if needs_context(text) or not _DECIDING.search(text) or _STEP.match(text):
        return None
    if passage.opening and number < 3:
        return Cue("decision", ANCHORED)
    return Cue("decision", MODAL) if passage.form == "item" and number == 0 else None


def _risk_in(sentence: Sentence, first: bool) -> Cue | None:
    text = sentence.text
    severity = severity_of(text) or severity_of(sentence.reason)
    least = 3 if severity else 4
    if _ABSENT.match(text) or text.endswith("?") or len(words_of(text)) < least:
        return None
    if severity is None:
        told = first and severity_of(sentence.near) and not _REMARK.search(text)
        if not told or _REMEDY.search(text) or is_order(text.rsplit(": ", 1)[-1]):
            return None
        return Cue("risk", MODAL if _ADVERSE.search(text) else WEAK)
    if (is_averted(text) and not first) or instructs(text) or _HARMLESS.search(text):
        return None
    if _REMEDY.search(text):
        return None
    return Cue("risk", EXPLICIT if first else MODAL)


def _unknown_in(text: str, first: bool) -> Cue | None:
    if _SETTLED.match(text) or _ABSENT.match(text) or len(words_of(text)) < 3:
        return None
    if _NOTHING_OPEN.search(text):
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
    if "you" in spoken(text):
        return None
    threatens = severity_of(text) is not None and not _AVERTING.search(text)
    if _is_taught(setting, text):
        return None
    asked = cues.unknown(text, asked=True) is not None and not _SPEAKER.match(text)
    if not (threatens or asked or _CHOOSING.search(text)) or _CONDITIONAL.match(text):
        return None  # cheap to see, and nearly all that the weights would be sure of
    shares = shares_of(sentence.raw, trained())
    kind = max(LEARNED, key=lambda kind: shares[kind])
    if kind == "risk" and (not threatens or is_order(text) or not _endangers(setting, text)):
        return None
    if asked != (kind == "unknown"):
        return None
    if kind == "decision" and (
        not setting.deliberates
        or _WEIGHED.search(text)
        or _NO_ACTOR.match(text)
        or not _CHOSEN.search(text)
        or _THOUGHT_OF.search(text)
        or cues.qualifies(text)
        or cues.tells_what_is(text)
    ):
        return None
    if kind == "requirement" and not _NEEDED.search(text):
        return None
    sure = shares[kind]
    if sure < LEARNED[kind]:
        return None
    return Cue(kind, ANCHORED if sure >= 0.9 else MODAL if sure >= 0.75 else WEAK)


def _endangers(setting: Setting, text: str) -> bool:
    """Whether it says that something of weight may or does go wrong.

    Small troubles are told of as risks by those who weigh what they do, by others as behaviour.
    """
    if severity_of(text) == "low" and not setting.own_voice:
        return False
    return bool(_POSSIBLE.search(text)) and not _ABSENT.match(text)


def _threat(text: str, *, named: bool) -> Cue | None:
    """A risk by wording that is no order, no advice to «you» and not called harmless."""
    cue = cues.risk(text, named=named)
    if (
        cue is None
        or is_order(text)
        or _COMMAND.match(text)
        or "you" in spoken(text)
        or _HARMLESS.search(text)
    ):
        return None
    return cue


def _is_taught(setting: Setting, text: str) -> bool:
    """Whether it is a question that a handbook answers in its next sentence."""
    if not text.endswith("?") or setting.asked or setting.own_voice:
        return False
    return spoken(text).isdisjoint(_OPEN_TO_US)


def _question(setting: Setting, text: str) -> Cue | None:
    """An open question by its wording."""
    if _is_taught(setting, text):
        return None
    return cues.unknown(text, asked=setting.asked)


def _choice(setting: Setting, text: str, *, named: bool) -> Cue | None:
    """A decision by wording that tells no reader what to do.

    What is preferred to something else is a choice only where choices are made; elsewhere it says
    how the thing works.
    """
    cue = cues.decision(text, named=named)
    if cue is None or instructs(text) or (cue.confidence == WEAK and not setting.own_voice):
        return None
    return None if _THOUGHT_OF.search(text) else cue


def _by_words(setting: Setting, role: Role, sentence: Sentence, subject: str) -> Cue | None:
    """The cue table, for sentences that stand on their own."""
    text = without_connective(sentence.text)
    if cue := cues.user_story(text):
        return cue
    how_to = setting.how_to or role == "how_to"
    taught = not setting.own_voice and not spoken(text).isdisjoint(_WE)
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
        _question(setting, text),
        cues.domain_signal(text),
        None if role == "gain" else _threat(text, named=named),
        None if taught else cues.requirement(text, named=named),
        None if taught else _choice(setting, text, named=named),
    ):
        if cue is not None:
            return cue
    if taught:
        return None
    subject_named = starts_with_name(sentence.raw, text, names)
    cue = claim(text, named_subject=subject_named, named=named)
    return cue if cue is None or cue.confidence > WEAK or role == "plain" else None
