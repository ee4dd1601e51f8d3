"""What section and form make of a sentence; nothing where they do not decide."""

from __future__ import annotations

import re

from agents.offline.recognise import cues
from agents.offline.recognise.cues import ANCHORED, EXPLICIT, MODAL, WEAK, Cue
from agents.offline.recognise.fragments import asks, has_verb, is_decisive, is_order
from agents.offline.recognise.impact import burden_of, is_averted, severity_of
from agents.offline.recognise.noise import (
    instructs,
    is_chatter,
    is_pointer,
    needs_context,
    words_of,
)
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import Passage, Sentence
from agents.offline.segment.sections import Role

_STEP = re.compile(r"(?:when|if|once|upon|during|while|after|before)\b", re.IGNORECASE)
_TURNED_DOWN = re.compile(
    r"\b(?:option|alternative|idea|approach|proposal|this|that|it) (?:has|have|was|were|is|are)\b"
    r"[^.;]{0,30}\b(?:dismissed|rejected|discarded|abandoned|ruled out|dropped)\b",
    re.IGNORECASE,
)
NOTHING_OPEN = re.compile(
    r"\bno (?:\w+ )?(?:open|unresolved|outstanding) (?:questions?|issues?)\b", re.IGNORECASE
)
_OF_A_FORM = re.compile(
    r"\bdo you (?:expect|consider|think|envision|plan)\b|^will it (?:impact|affect) performance\?$|"
    r"^what other parts of the (?:product|system|project) will be (?:affected|impacted)\?$|"
    r"^will the solution be hard to maintain\b",
    re.IGNORECASE,
)  # what a template asks whoever fills it in
_IN_THAT_CASE = re.compile(r"(?:otherwise|if (?:so|not|yes|no))\b", re.IGNORECASE)
HARMLESS = re.compile(
    r"\b(?:not|n't|no|hardly|never) (?:an? |any |much of an? )?(?:\w+ )?"
    r"(?:problem|issue|concern|risk|drawback|downside)s?\b|\b(?:negligible|extremely small)\b|"
    r"\b(?:attacker|adversary|intruder)s? (?:cannot|can't|can not|could not)\b|"
    r"\b(?:did|does|do|will|should)(?: not|n't) (?:\w+ly )?(?:lead|cause|result|affect|impact|"
    r"harm|degrade|break|hurt|increase)\b|"
    r"\b(?:drawback|risk|concern|issue)s? (?:is|are|can be) mitigated\b|"
    r"\bno (?:significant|noticeable|measurable|visible|real) \w+",
    re.IGNORECASE,
)
ABSENT = re.compile(
    r"^(?:there (?:are|is) (?:no|not|none|currently no)|no (?:known|particular|major|significant|"
    r"real|"
    r"risks?|open|drawbacks?|unresolved|new)|none\b|not (?:applicable|known|that)|n/?a\b|"
    r"nothing\b|"
    r"the risks? (?:\w+ ){0,4}(?:is|are) (?:minimal|low|small|limited)|minimal|low risk|mitigat|"
    r"the mitigation|to (?:mitigate|prevent|avoid|reduce)\b|we (?:can |could |will )?mitigate)",
    re.IGNORECASE,
)
AVERTING = re.compile(
    r"\b(?:mitigat\w+|avoid\w*|prevent\w*|ensur\w+|address\w*|solv\w+|reduc\w+|protect\w*|"
    r"safe\w*|no (?:\w+ )?(?:change|impact|effect)s?|backwards?[- ]compatib\w+|"
    r"not (?:be )?affect\w*)\b",
    re.IGNORECASE,
)
POSSIBLE = re.compile(
    r"\b(?:may|might|could|would|can|cannot|will|risks?|likely|dangerous|vulnerab\w+|"
    r"results? in|leads? to|causes?|fails?|lost|loses?|breaks?|never|no longer|"
    r"potential\w*|increas\w*)\b",
    re.IGNORECASE,
)
_REMARK = re.compile(
    rf"{AVERTING.pattern}|^(?:m|mitigation): |^worth\b|"
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
ADVERSE = re.compile(
    r"\b(?:not|no|never|cannot|without|lack\w*|only|hard|harder|difficult|more|less|fewer|increas\w*|"
    r"decreas\w*|reduc\w*|extra|additional|another|needs?|requir\w*|may|might|could|would|must|too|"
    r"high\w*|long\w*|large\w*|complex\w*|depend\w*|forc\w*|manual\w*|still|limit\w*|assum\w*|"
    r"rel(?:y|ies)|coupl\w*|duplic\w*|maint\w*|effort|work|slow\w*|some)\b|n't\b",
    re.IGNORECASE,
)  # what a drawback is worded with, whose consequence stands beside it
_REMEDY = re.compile(
    r"\b(?:possible|potential|simple|simplest|better|one|another) (?:solution|fix|workaround)\b|"
    r"^(?:it|this|that) (?:should|would|could) be possible\b|\bwork-?arounds?\b|"
    r"^we (?:may|might|could|will|should|plan to) (?:also )?(?:want to )?"
    r"(?:address|fix|solve|mitigate|tackle|revisit)\b|\bcan (?:be )?use[ds]?\b|"
    r"^(?:contact|ask|reach out|file an?)\b|"
    r"\bnot (?:be )?(?:impacted|affected)\b",
    re.IGNORECASE,
)
NEEDED = re.compile(
    r"\b(?:must|shall|should|needs?|required|ha(?:s|ve) to|ought|wants?|goal|will|able to|"
    r"mandatory|expected|important|ensure|support|allow)\b",
    re.IGNORECASE,
)
SUBJECT = 60  # characters within which a plain statement has had its verb
_ASSERTS = re.compile(
    r"\s(?:is|are|was|were|has|have|had|exists?|implements?|uses?|provides?|contains?|consists?)\s",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\s(?:defines|runs|submits|queries|stores|keeps|passes|sends|receives|returns|supports|allows)"
    r"\s",
    re.IGNORECASE,
)
_DETERMINES = re.compile(r"(?:the|an?) (?:[\w-]+ ){1,3}(?:determines|describes|specifies) ", re.I)
_ABLE = re.compile(r"\s(?:can|cannot|can't|could|may|might)\s", re.IGNORECASE)
_SUBJECT_FIRST = re.compile(
    r"(?:\"|the|an?|this|that|these|those|it|they|we|users?|from|on|in|for|there|all|any|each|no)\b",
    re.IGNORECASE,
)
_REACHED = re.compile(
    r"\b(?:is|are|was|were|been) (?:now |already |fully )?"
    r"(?:implemented|done|merged|released|completed?|finished)\b(?! (?:before|by|in|when|once)\b)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:between|from|within|inside|outside) [^,]*$", re.IGNORECASE)
_EXPLAINS = re.compile(r"(?:as|since|because|although|while) ", re.IGNORECASE)
_PAGE = re.compile(
    r"\W*\[[^\]\n]*\]\((?!https?://[^)\s]*/(?:issues|pull|browse|merge_requests)/)[^)\s]*\)\W*|"
    r"\W*:(?:doc|ref):`[^`]+`\W*|\W*(?:xref|link):\S+\[[^\]]*\]\W*"
)  # what to read next, not what to do
_LEARNT = re.compile(r"\W*(?:goal|objective)s?\b", re.IGNORECASE)  # what a guide's reader will know
_ABILITY = re.compile(
    r"(?:the )?(?:ability|possibility|option|support) (?:to|for) ", re.IGNORECASE
)  # what speaks for a choice
_AFTERWARDS = re.compile(r"(?:once|after|when|whenever)\b", re.IGNORECASE)
_SETTLED = re.compile(
    r"^(?:resolved|answered|done|decided|fixed|closed|yes|no|same)\b|~~", re.IGNORECASE
)


def find_by_structure(
    setting: Setting, passage: Passage, role: Role, direct: bool, sentence: Sentence, number: int
) -> Cue | None:
    """The kind that section and form give a sentence; None when they do not decide."""
    text = sentence.text
    if is_pointer(text) and role != "unknown":
        return None
    first = number == 0
    heading = passage.headings[-1].rstrip() if passage.headings else ""
    if passage.form == "heading":
        return Cue("unknown", EXPLICIT) if role == "unknown" and text.endswith("?") else None
    if passage.form == "task":
        done = passage.done or not first or is_chatter(text) or _is_reached(text)
        return None if done or setting.how_to else _task(text)
    match role:
        case "decision":
            return None if setting.how_to else _decision_in(passage, direct, sentence, number)
        case "risk":
            return _risk_in(sentence, first)
        case "unknown":
            return _unknown_in(text, first, answering=heading.endswith("?"))
        case "action_item":
            item = passage.form in ("item", "row") and first and len(words_of(text)) >= 3
            item = item and not (_is_reached(text) or _BETWEEN.match(text) or _is_told(text))
            item = item and not _PAGE.fullmatch(sentence.raw)
            return _task(text) if item and not setting.how_to else None
        case "requirement":
            if (
                not (first and direct)
                or len(words_of(text)) < 4
                or is_chatter(text)
                or text.endswith("?")
                or (setting.how_to and _LEARNT.match(heading))
                or _tells_of_needs(passage, text)
            ):
                return None
            return Cue("requirement", EXPLICIT)
        case "story":
            return cues.find_story(text)
        case "non_goal":
            listed = first and direct and passage.form in ("item", "row")
            if not listed or len(words_of(text)) < 3:
                return None
            if _EXPLAINS.match(text):
                return None
            return Cue("requirement", EXPLICIT, {"scope": "out"})
        case _:
            return None


def _task(text: str) -> Cue:
    """A task, or the question that somebody noted among tasks."""
    return Cue("unknown", MODAL) if text.endswith("?") else Cue("action_item", EXPLICIT)


def _is_reached(text: str) -> bool:
    """Whether an item of a list of tasks tells what is done, and asks nobody to see to it."""
    return bool(_REACHED.search(text)) and not is_order(text) and not instructs(text)


def _is_told(text: str) -> bool:
    """Whether an item of a list of tasks says what is so, and asks for nothing."""
    if NEEDED.search(text) or not _SUBJECT_FIRST.match(text):
        return False
    opening = text[:SUBJECT]
    return any(verb.search(opening) for verb in (_ASSERTS, _ABLE, _DOES))


def _tells_of_needs(passage: Passage, text: str) -> bool:
    """Whether a text under a heading of needs only tells of them: what is so, or when what is."""
    if NEEDED.search(text) or is_order(text):
        return False
    return (
        _AFTERWARDS.match(text) is not None
        or (passage.form == "paragraph" and _ASSERTS.search(text[:SUBJECT]) is not None)
        or _DETERMINES.match(text) is not None
    )


def _decision_in(passage: Passage, direct: bool, sentence: Sentence, number: int) -> Cue | None:
    """What opens a decision section is the decision; later sentences must sound like one.

    An opening that only tells is seldom it: of 75 that were judged 42 were good, of 151 others 128.
    """
    text = sentence.text
    if _TURNED_DOWN.search(sentence.near) and not _DECIDING.search(text):
        return None
    if text.endswith("?") or len(words_of(text)) < 4 or not direct or _ABILITY.match(text):
        return None
    if passage.opening and number == 0 and is_decisive(text):
        decides = is_order(text) or _DECIDING.search(text)
        return Cue("decision", EXPLICIT if decides else ANCHORED)
    if needs_context(text) or not _DECIDING.search(text) or _STEP.match(text):
        return None
    if passage.opening and number < 3:
        return Cue("decision", ANCHORED)
    return Cue("decision", MODAL) if passage.form == "item" and number == 0 else None


def _risk_in(sentence: Sentence, first: bool) -> Cue | None:
    text = sentence.text
    severity = severity_of(text) or severity_of(sentence.reason)
    least = 3 if severity else 4
    label = text.rpartition(": ")[2]
    if ABSENT.match(text) or ABSENT.match(label) or text.endswith("?"):
        return None
    if len(words_of(text)) < least:
        return None
    if severity is None:
        weighs = burden_of(text) or severity_of(sentence.near)
        is_reason = first and weighs and not _REMARK.search(text)
        if not is_reason or _REMEDY.search(text) or is_order(text.rsplit(": ", 1)[-1]):
            return None
        sure = MODAL if ADVERSE.search(text) and POSSIBLE.search(text) else WEAK
        return Cue("risk", sure, fragment=True)
    if (is_averted(text) and not first) or instructs(text) or HARMLESS.search(text):
        return None
    if _REMEDY.search(text):
        return None
    if not first:
        return Cue("risk", MODAL)
    is_reason = has_verb(text) and not POSSIBLE.search(text)  # a limit, say
    return Cue("risk", ANCHORED if is_reason else EXPLICIT)


def _unknown_in(text: str, first: bool, *, answering: bool) -> Cue | None:
    if _SETTLED.match(text) or ABSENT.match(text) or len(words_of(text)) < 3:
        return None
    if text.endswith(":"):
        return None
    if NOTHING_OPEN.search(text) or _OF_A_FORM.search(text) or _IN_THAT_CASE.match(text):
        return None
    if text.endswith("?"):
        return Cue("unknown", EXPLICIT)
    return Cue("unknown", EXPLICIT) if first and not answering and asks(text) else None
