"""What the words of a sentence make of it, by rule."""

from __future__ import annotations

import re

from agents.offline.recognise import cues
from agents.offline.recognise.claims import exclusive, find_claim
from agents.offline.recognise.cues import ANCHORED, MODAL, WEAK, Cue, has_number
from agents.offline.recognise.entities import names_in, starts_with_name
from agents.offline.recognise.fragments import is_order
from agents.offline.recognise.needs import find_requirement
from agents.offline.recognise.noise import (
    addresses_reader,
    instructs,
    is_chatter,
    is_truncated,
    needs_context,
    presents,
    word_set,
    words_of,
)
from agents.offline.recognise.structure import HARMLESS
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import Sentence
from agents.offline.segment.sections import Role
from agents.offline.segment.wording import drop_connective

_WE = frozenset({"we", "us", "our"})
_BINDING = frozenset({"must", "should", "has", "have", "need", "needs"})
_OURS = re.compile(r"Our\b")
_LISTS = re.compile(
    r"there (?:are|exist) (?:two|three|four|five|six|seven|eight|nine|ten|\d\d?) [^:.]{3,60}: "
    r"(?:[^,]{2,40}, )+(?:[^,]{2,40} )?(?:and|or) ",
    re.IGNORECASE,
)  # «There are three lanes: light, heavy and lost»
_SELF = re.compile(
    r"^this (?:module|component|service|extension|library|package|plugin|project|tool|system|"
    r"class|"
    r"interface|api|protocol|feature|repository|framework)\b",
    re.IGNORECASE,
)
THOUGHT_OF = re.compile(
    r"\b(?:considered|discussed|explored|tried|looked (?:at|into)|look at)\b", re.I
)
_LEFT_OPEN = re.compile(
    r"^(?!(?:if|when|while|as|since|because|although|for|to|in the meantime)\b)(?:.*\b"
    r"(?:is|are|was|remains?|it'?s|been|we don't|we do not)\b[^,;]{0,24}?)?\b"
    r"(?:unclear|unknown|undecided|unresolved|tbd|know|open (?:question|issue)|discussion|"
    r"investigation|thought|research|clarification|to be seen|unexplained|unsolved|"
    r"(?:clear|decided|determined|clarified|discussed))"
    r"(?:\W*$| (?:how|whether|which|what|if|why|when|who|where|yet)\b)|"
    r"^(?:we(?:'re| are) )?not sure (?:how|whether|which|what|if|why|when|who|where)\b|"
    r"^we (?:still )?(?:have|need) to (?:research|investigate|find out|figure out|clarify) "
    r"(?:how|whether|which|what|if|why)\b|"
    r"^(?:we|they) have no idea (?:how|whether|which|what|if|why|when|who|where)\b|"
    r"^nobody (?:knows|could (?:say|tell|explain))\b",
    re.IGNORECASE,
)  # what is open is what the sentence says, not a word in passing
_OPEN_TO_US = frozenset({"should", "shall", "we", "worth", "okay", "sense", "best", "better"})
MENDED = re.compile(r"(?:fixed|fixes|improved|resolved|corrected) ", re.IGNORECASE)
_COMMAND = re.compile(r"(?:never|always|do not|don't|avoid|beware)\b", re.IGNORECASE)
_NO_HARM = re.compile(
    r"\b(?:trigger|throw|return|raise|report|emit|answer)(?:s|ed|ing)? (?:with )?(?:an? )?"
    r"(?:[\w-]+ ){0,3}(?:errors?|exceptions?|failures?)\b|\b(?:is|are) (?:treated|considered) as\b|"
    r"\b(?:must|shall|should)\b(?!.*\b(?:otherwise|or else)\b)|"
    r"\breturn(?:s|ed|ing)? (?:an? |the )?(?:[\w.-]+ ){0,2}(?:codes?|status(?:es)?|values?)\b|"
    r"\bbug ?fixes\b|"
    r"\bin (?:two|three|four|several|the following) (?:cases|scenarios|situations)\b|"
    r"\bresults? in (?:more|better) (?:\w+able|robust|efficient|\w+ code)\b|"
    r"\b(?:improv|simplif|benefit)\w*|\b(?:is|are) intended to\b|"
    r"^(?:[^:]{1,60}: )?(?:future (?:work|enhancements?|extensions?)|"
    r"we (?:have|should|will|can|do|don't)|users can)\b|"
    r"\b(?:configuration|parameters?|settings?|options?) (?:may|might|could) be "
    r"(?:required|needed)\b|"
    r"\bcan (?:also )?be (?:inherited|extended|reused|used|configured)\b",
    re.IGNORECASE,
)  # what is specified for a failure, bound, hoped for or left to choose
_PLANNED = re.compile(
    r"(?!(?:if|when|once|as|since|while|because|although|after|before|until|unless|where|for|in|"
    r"with|without|this|these|it|they|however|future|users?|you|developers?|operators?)\b)"
    r"(?!\w+ing\b)(?:(?!\b(?:when|that|which|who|is|are|has|have|if|how|whether|so)\b)[^,;:]){2,90}?"
    r" (?:will|(?:is|are) going to) (?:\w+ly |also |now |then |only |still |instead )?"
    r"(?!(?:cause|lead|result|need|have (?!an?\b|one\b|two\b|its\b)|cost|fail|break|"
    r"increase|decrease|likely|probably|not|never|depend|become|continue|remain|see|know|want|notice|wait|look|require|eventually|appear|take|"
    r"happen|come|go|get|lose|still|always|usually|typically|often|no|mean|make|be to)\b)"
    r"[a-z]{2,} \S",
    re.IGNORECASE,
)  # what a proposal is going to do
_PROPOSES = re.compile(
    r"(?:[^;:]{0,80}(?<!\bas )(?<!\bif )(?<!when )(?<!once )(?<!that )(?<!and ))?"
    r"\bwe (?:introduce|add|propose|make|replace|remove|extend|rename|split|move|keep) "
    r"(?!(?:sure|use|it clear|a distinction|the assumption|the following|that)\b)\S",
    re.IGNORECASE,
)
_ENABLED = re.compile(r"\bit (?:should|must|shall) be possible (?:to|for)\b", re.IGNORECASE)
LACKING = re.compile(
    r"[^,;:]{2,80} (?:will (?:need|have) to be (?:changed|extended|adapted|updated|modified|"
    r"adjusted|rewritten|moved|added|removed|replaced)|requires? the (?:ability|possibility) to|"
    r"will require (?:amend|chang|extend|adapt|updat|modify|adjust|rewrit|mov|add|remov|replac)"
    r"ing)\b",
    re.IGNORECASE,
)  # what the thing proposed has to be or to bring
_AS_IT_HAPPENS = re.compile(
    r"^(?:typically|usually|normally|generally|often|currently|today)\b|"
    r"\b(?:must|should|ha(?:s|ve) to|needs? to) (?:currently|today|usually|typically|only take)\b|"
    r"\b(?:currently|today),? (?:\w+ )?(?:must|ha(?:s|ve) to|needs? to)\b",
    re.IGNORECASE,
)  # how it is done so far, which nobody asks for
_LACKS = re.compile(r"we (?:will )?(?:also )?(?:need|require) (?!to\b)", re.IGNORECASE)


def _threat(text: str, *, named: bool) -> Cue | None:
    """A risk by wording that is no order, no advice to «you» and not called harmless."""
    cue = cues.find_risk(text, named=named)
    if (
        cue is None
        or is_order(text)
        or _COMMAND.match(text)
        or "you" in word_set(text)
        or HARMLESS.search(text)
        or MENDED.match(text)
        or is_harmless(text)
    ):
        return None
    return cue


def is_harmless(text: str) -> bool:
    """Whether it only says how a failure is answered, what is bound, hoped for or left open."""
    return _NO_HARM.search(text) is not None


def read_as_plan(setting: Setting, cue: Cue | None, text: str) -> Cue | None:
    """``cue``, where a document that deliberates tells what it is going to do as if it were so: a
    decision; and a need, where it tells what that takes.
    """
    if not setting.deliberates or (cue is not None and cue.kind != "claim"):
        return cue
    if LACKING.match(text) and (cue is not None or not needs_context(text)):
        return Cue("requirement", MODAL)
    if cue is None and _ENABLED.search(text) and not needs_context(text):
        return Cue("requirement", WEAK)
    planned = _PROPOSES.match(text) or (cue is not None and _PLANNED.match(text))
    if planned and not (
        cues.qualifies(text)
        or THOUGHT_OF.search(text)
        or needs_context(text)
        or is_truncated(text)
        or text.endswith("?")
    ):
        return Cue("decision", MODAL)
    return cue


def is_taught(setting: Setting, text: str) -> bool:
    """Whether it is a question that a handbook answers in its next sentence."""
    if not text.endswith("?") or setting.asked or setting.own_voice:
        return False
    return word_set(text).isdisjoint(_OPEN_TO_US)


def _question(setting: Setting, text: str) -> Cue | None:
    """An open question by its wording."""
    if is_taught(setting, text):
        return None
    if not text.endswith("?") and not _LEFT_OPEN.search(text):
        return None
    return cues.find_question(text, asked=setting.asked)


def _choice(setting: Setting, text: str, *, named: bool) -> Cue | None:
    """A decision by wording that tells no reader what to do.

    What is preferred to something else is a choice only where choices are made; elsewhere it says
    how the thing works.
    """
    cue = cues.find_decision(text, named=named)
    if cue is None or instructs(text) or (cue.confidence == WEAK and not setting.own_voice):
        return None
    return None if THOUGHT_OF.search(text) else cue


def find_by_words(setting: Setting, role: Role, sentence: Sentence, subject: str) -> Cue | None:
    """The cue table, for sentences that stand on their own."""
    text = drop_connective(sentence.text)
    if cue := cues.find_story(text):
        return cue
    how_to = setting.how_to or role == "how_to"
    taught = not setting.own_voice and not word_set(text).isdisjoint(_WE)
    if addresses_reader(text) or is_truncated(text):
        return None
    names = names_in(sentence.raw, text)
    if setting.own_voice and (cue := cues.find_assignment(text)):
        return cue
    if _LISTS.match(text) and not how_to:
        return Cue("claim", WEAK)
    presented = presents(text)
    if needs_context(text) and not presented:
        own = bool(_SELF.match(text)) and subject != setting.name and not how_to
        return find_claim(_SELF.sub("The", text), named_subject=False, named=True) if own else None
    named = bool(names)
    if is_chatter(text):
        return None
    if len(words_of(text)) < (4 if has_number(text) else 5):
        if how_to:
            return None
        if exclusive(text):
            return Cue("claim", ANCHORED)
        return _choice(setting, text, named=named) if len(words_of(text)) > 2 else None
    if _AS_IT_HAPPENS.search(text) and not word_set(text).isdisjoint(_BINDING):
        return None
    if setting.deliberates and _LACKS.match(text):
        return Cue("requirement", WEAK)
    strong = role not in ("gain", "risk") and bool(
        re.search(r"\b(?:must|shall|MUST|SHALL|may not exceed)\b", text)
    )
    if strong and (cue := find_requirement(text, named=named)):
        return None if how_to and cue.confidence < MODAL else cue
    if how_to:
        return None
    for cue in (
        _question(setting, text),
        cues.find_signal(text),
        None if role == "gain" else _threat(text, named=named),
        None if taught or role in ("gain", "risk") else find_requirement(text, named=named),
        None if taught else _choice(setting, text, named=named),
    ):
        if cue is not None:
            return cue
    if taught or presented:
        return None
    subject_named = starts_with_name(sentence.raw, text, names)
    told = _OURS.sub("The", text) if setting.own_voice else text
    cue = find_claim(told, named_subject=subject_named, named=named)
    return cue if cue is None or cue.confidence > WEAK or role == "plain" else None
