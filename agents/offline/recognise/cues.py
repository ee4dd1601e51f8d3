"""Wording that tells the kind of a sentence, one plain sentence at a time.

Confidence follows the cue: an explicit label or section, a modal with a number or a name, a modal
alone, a weak cue. Anything weaker is not proposed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from agents.offline.lexicons import Wording, load_words
from agents.offline.recognise.impact import is_averted, severity_of
from agents.offline.recognise.noise import word_set, words_of
from schemas.events.atom import AtomKind, Polarity

EXPLICIT = 0.75
ANCHORED = 0.70
MODAL = 0.62
WEAK = 0.55
LEAST_CHOSEN = 2  # words of a choice behind its label: «Decision: use Kafka»
UNLIKELY = 0.45  # reflection keeps it among what it refused


@dataclass(frozen=True, slots=True)
class Cue:
    """Which kind a sentence states and how surely; ``skip`` characters of label come before it.

    A ``fragment`` needs neither subject nor verb, as an item of a list of its kind.
    """

    kind: AtomKind
    confidence: float
    attributes: dict[str, str] = field(default_factory=dict)
    skip: int = 0
    fragment: bool = False


_LABEL = re.compile(
    r"(?:[-*•]\s*)?(?:"
    r"(?P<decision>decision(?: outcome)?|decided|resolution|resolved|chosen option|"
    r"proposal accepted)|"
    r"(?P<risk>(?:risks?|known issue|caveat|drawback|downside|danger|threat)"
    r"(?: (?:of|with) [^:.]{3,40})?)|"
    r"(?P<action_item>todo|fixme|action(?: item| point)?|next step|follow[- ]?up)|"
    r"(?P<unknown>open (?:question|issue|point)|unresolved(?: question)?|question|tbd|unclear|"
    r"unknown|(?:still )?to be (?:decided|clarified|discussed|determined)|needs? clarification)|"
    r"(?P<requirement>requirement|req[- ]?\d+|acceptance criteri(?:on|a)|constraint|goal))"
    r"\s*(?:#?\d{1,3}|\([^)]{1,40}\))?\s*:\s+(?=\S)",
    re.IGNORECASE,
)
_DEFINES = re.compile(r"\W*(?:requirement|action|question)\s*(?:\([^)]{1,40}\))?\s*:", re.I)
_GLOSS = re.compile(  # «Requirement: a condition that must be met to earn a badge»
    r"an? (?:(?!must|should|shall|will|needs?|is|are)[\w-]+ ){1,4}"
    r"(?:that|which|tied|of|used|for|associated|when|where|by)\b",
    re.IGNORECASE,
)
_ROLE = (
    r"\W*as (?:an?|someone|somebody) "
    r"(?!(?:result|consequence|side effect|rule|note|reminder|whole)\b)"
)
_TELLER = (
    rf"{_ROLE}[^,.]{{3,60}}(?:, (?:who|that|with) [^,.]{{3,80}})?,? (?:i|we|they|s?he|he/she) "
)
_TELLS = re.compile(_TELLER, re.IGNORECASE)
_STORY = re.compile(
    rf"{_TELLER}(?:want|would like|need|wish|can|should|must|expect)\b|"
    rf"{_ROLE}[^,.]{{3,120}}(?:, [^,.]{{3,100}}){{0,2}},? (?:i|we) (?:want|would like|need|wish)\b",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"^\W*(?:in|at|for|on|with|to|from|by|during|after|before|when|if|since|as|once|given|while|under|"
    r"without|because|although|though|unless|until|currently|today|however|therefore|also|instead)\b",
    re.IGNORECASE,
)
_CONTACT = re.compile(
    r"\b(?!(?:that|and|but|so|then|thus|hence|or|means|believe|think|also|here|instead|now|first|"
    r"therefore|because|since|as|if|when|where|while|what|which|how|why|later|\w+ly|\w+\.\w*)\b)"
    r"[a-z][\w-]* we\b[^,.;:]*$",
    re.IGNORECASE,
)  # «the records we should send»: a relative clause without its pronoun
_WE_DO = re.compile(r"\bwe(?:'ll| (?:will|shall|should|must|can|need))\b")
_DECIDED = Wording("wordings", "decided")
_WE_WILL = Wording("wordings", "chosen_by_us")
_AS_IT_IS = re.compile(
    r"\b(?:currently|today|at (?:present|the moment)|so far|until now|previously|historically|"
    r"already|recommended|same .* as)\b|^prior\b",
    re.IGNORECASE,
)
_ABLE = re.compile(r"\b(?:can|could|may|might|would)(?: also)? (?:be|use)\b", re.IGNORECASE)
_PREFERENCE = re.compile(
    r"\b(?:will|is|are|uses?|used|stored?|implemented|we|built|chosen|moves?|prefer(?:red)?)\b.*"
    r"\b(?:instead of|rather than|in favou?r of)\b",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"\b(?:may|might|could|can|would|risks?|likely|potential(?:ly)?)\b"
    r"(?! (?:use|users?|uses|solutions?|fix(?:es)?|benefits?|improvements?|candidates?)\b)"
    r"(?P<rest>.{0,90})",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^)]*\)?")
_ON_CONDITION = re.compile(
    r"\b(?:if|when|whenever|unless|in case|even if|because|so that|in order to|"
    r"to (?:avoid|prevent|reduce|detect|handle|recover|report))\b",
    re.IGNORECASE,
)  # what follows is no consequence
_CONDITION = re.compile(
    r"^(?:if|when|once|in case|should|as|while|whenever|upon|after)\b[^,]{5,160},\s", re.I
)
_WISH = re.compile(
    r"\b(?:may|might|could|can|would|will) (?:\w+ly |also |then )?(?:want|wish|choose|decide|like|"
    r"prefer|be able|correct|detect|handle|recover|retry|monitor|opt|return|be used|be tested|"
    r"be detected|be corrected|be confident)\b",
    re.IGNORECASE,
)
_NAMED_RISK = Wording("wordings", "named_risk")
_DISABLED = re.compile(
    r"\b(?:can|could|will|would) (?:no longer|not|never)\b|\b(?:cannot|can't|won't|nobody can|"
    r"no one can|is gone|are gone|stops? working)\b",
    re.IGNORECASE,
)
_THERE_IS_RISK = re.compile(
    r"\bthere (?:is|are|remains?) (?:still |also )?(?:an?|the|some) (?:\w+ )?(?:risks?|danger) "
    r"(?:that|of)\b|"
    r"\b(?:is|are|remains?) (?:the|an?|our|one) (?:\w+ ){0,2}(?:risk|drawback|downside|danger)\b",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(
    r"@[\w-]+(?:,? @[\w-]+| and @[\w-]+)* (?:(?:will|to|should|please) )?"
    r"(?!be\b|not\b|is\b|was\b|has\b|said\b|thinks?\b|wrote\b|can\b|and\b|or\b)[a-z]{2,}(?<!s) \w|"
    r"someone please (?!be\b)[a-z]{2,} \w|"
    r"(?-i:[A-Z][a-z]{2,})(?: (?:and|&) (?-i:[A-Z][a-z]{2,}))? (?:to|will) "
    r"(?!(?:be|not|the|an?|all|any|each|its|their|our|this|that|have)\b)[a-z]{2,} .*"
    r"\b(?:by|until|before|next) (?:\w+ ){0,2}"
    r"(?:monday|tuesday|wednesday|thursday|friday|tomorrow|"
    r"week|month|sprint|eod|\d{4}-\d\d|\d{1,2}\.|january|february|march|april|may|june|july|august|"
    r"september|october|november|december)\b",
    re.IGNORECASE,
)
_CALLED_RISK = re.compile(
    r"(?:there (?:is|are|remains?|exists?)(?: still| also)? (?:an?|the|some) (?:\w+ )?|"
    r"(?:the|a|an?other|one|our|main|biggest|major) (?:\w+ ){0,2})"
    r"(?:(?:risk|danger)(?: here)?(?: (?:is|remains))? (?:that|of)\b|"
    r"(?:risk|drawback|downside|danger)(?: (?:of|in|with|for|around|here)\b[^,.;:]{0,60})? "
    r"(?:is|would be)\b)|"
    r"(?:an? |any |the )?(?:malicious|rogue|compromised|hostile) [\w -]{2,40} "
    r"(?:can|could|may|might) (?!not\b)",
    re.IGNORECASE,
)  # called so, or what somebody hostile can do: however mild the words
_OPEN = Wording("wordings", "open")
_TELLS_A_QUESTION = re.compile(
    r"[^?]{8,}\b(?:answers?|answering|addresses) the (?:\w+ )?question\b", re.IGNORECASE
)  # what does so is told, not asked
_RHETORICAL = Wording("wordings", "rhetorical")
_SIGNAL = re.compile(
    r"(?P<before>\b\w+ |^)(?:(?:our|the|some|many|most|several|two|three|\d+|all|a few|new|large|"
    r"enterprise|existing|more) ){0,2}(?:customers?|users?|clients|competitors?|operators|"
    r"subscribers|"
    r"buyers|end[- ]users|stakeholders|(?:app(?:lication)? )?developers|the community|the market|"
    r"teams|(?:project |product )?managers|auditors|engineers|administrators|maintainers)"
    r"(?: (?:have|has|had|are|were|is|often|frequently|repeatedly|already|also|regularly|"
    r"increasingly|"
    r"currently|been|now|constantly|still)){0,3} "
    r"(?:ask(?:ed|ing)?(?: for| us| that| whether)?|complain\w*|request(?:ed|ing)|report(?:ed|"
    r"ing)|"
    r"demand(?:ed|ing|s)?|want(?:ed|s)?|struggl\w+|switch(?:ed|ing)? (?:to|from|away)|churn\w*|"
    r"prefer(?:red|s)?|confused|frustrated|unhappy|expressed|abandon\w*|"
    r"find it (?:hard|difficult|confusing)|found it)\b",
    re.IGNORECASE,
)
_SHARE_OF = re.compile(
    r"\b\d[\d.,]*\s?(?:%|percent|per cent|out of \d+|of \d+) (?:of )?(?:(?:our|the|all|paying|"
    r"active) ){0,2}(?:customers|users|clients|subscribers|buyers|teams|tenants|stakeholders|"
    r"visitors|shoppers|players|patients|viewers|readers|drivers|students|teachers|citizens|farmers|"
    r"households|members|companies|people|guests|orders|calls|tickets)\b|"
    r"^(?:(?:our|the) )?(?:(?:monthly|yearly|annual|daily|weekly) )?(?:churn|retention|conversion|"
    r"return)(?: rates?)?(?: in [\w ]{3,30})? (?:is|are|was|has been) [^.]{0,20}\d|"
    r"\bthe market (?:for|of) [\w -]{3,40} (?:is (?:growing|shrinking)|grows|shrinks)\b|"
    r"\bcompetitors? (?:[\w-]+ ){0,2}"
    r"(?:raised|lowered|launched|offers?|charges?|introduced|sells?)\b|"
    r"\btold us (?:in interviews |again and again )?that\b",
    re.IGNORECASE,
)
_WANTED = re.compile(r"\b(?:want|wants|wanted|prefer|prefers|preferred)$", re.IGNORECASE)
_NO_SIGNAL = re.compile(
    r"^(?:if|should|when|for|in case|suppose|let|while|as)\b|\b(?:no|not|without) (?:\w+ ){1,4}"
    r"(?:customers?|users?|clients?|operators?)\b|\b(?:users?|clients?|developers?|"
    r"operators?) "
    r"(?:who|that|which)\b|\bfor example\b|"
    r"\b(?:way|ways|how|what|whatever) (?:its |their |our |the )?(?:users?|clients?|developers?|"
    r"customers?|operators?|teams) (?:want|prefer)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*(?:\s?(?:%|[a-zA-Z]+))?")
_NEGATION = re.compile(
    r"\b(?:not|never|cannot|can't|won't|don't|doesn't|isn't|aren't|wasn't|weren't|shouldn't|"
    r"mustn't|"
    r"couldn't|wouldn't|didn't|hasn't|haven't|neither|nor|no longer|nobody|nothing|none of|"
    r"no \w+)\b",
    re.IGNORECASE,
)
_CHOICE_WORDS = load_words("wordings", "choice_words")
_DANGER_WORDS = load_words("wordings", "danger_words")
_OPEN_WORDS = load_words("wordings", "open_words")
_ACTOR_WORDS = load_words("wordings", "actor_words")
_NEGATING_WORDS = frozenset(
    {"not", "never", "cannot", "t", "neither", "nor", "no", "nobody", "nothing", "none"}
)


def polarity_of(text: str) -> Polarity:
    if word_set(text).isdisjoint(_NEGATING_WORDS):
        return "affirm"
    return "negate" if _NEGATION.search(text) else "affirm"


def has_number(text: str) -> bool:
    return bool(_NUMBER.search(text))


def find_label(text: str) -> Cue | None:
    """The kind that a label at the start names: ``Decision: …``, ``TODO(x): …``."""
    match = _LABEL.match(text)
    if not match or match.lastgroup is None:
        return None
    least = LEAST_CHOSEN if match.lastgroup == "decision" else 3
    if len(words_of(text[match.end() :])) < least:
        return None
    if _DEFINES.match(text) and _GLOSS.match(text, match.end()):
        return None
    kind: AtomKind = match.lastgroup  # type: ignore[assignment]  # the groups are named after kinds
    return Cue(kind, EXPLICIT, skip=match.end())


def is_story(text: str) -> bool:
    """Whether somebody tells what they do or want: «As a clerk, who seals parcels, I …»."""
    return _TELLS.match(text) is not None


def find_assignment(text: str) -> Cue | None:
    """A task that has an owner: «@anna will …», «Anna to … by Friday»."""
    return Cue("action_item", MODAL) if _ASSIGNED.match(text) else None


def find_story(text: str) -> Cue | None:
    return Cue("requirement", EXPLICIT) if _STORY.match(text) else None


def qualifies(text: str) -> bool:
    """Whether the first «we will» only says which thing is meant: «the API we will provide»."""
    ours = _WE_DO.search(text)
    return ours is not None and in_contact_clause(text[: ours.start() + 2])


def in_contact_clause(before: str) -> bool:
    """Whether the «we» that ends ``before`` only qualifies the noun in front of it."""
    clause = re.split(r"[,;:]", before)[-1]
    return not _OPENER.match(clause) and bool(_CONTACT.search(clause))


def tells_what_is(text: str) -> bool:
    """Whether ``text`` says what is, was or is advised; what «will» be is chosen all the same."""
    return "will" not in word_set(text) and bool(_AS_IT_IS.search(text))


def find_decision(text: str, *, named: bool) -> Cue | None:
    if text.endswith("?"):
        return None
    if word_set(text).isdisjoint(_CHOICE_WORDS):
        preferred = named and ("instead of" in text or "rather than" in text)
        preferred = preferred and not tells_what_is(text) and not _ABLE.search(text)
        return Cue("decision", WEAK) if preferred and _PREFERENCE.search(text) else None
    if _DECIDED.search(text):
        return Cue("decision", ANCHORED if named or has_number(text) else MODAL)
    if tells_what_is(text):
        return None
    if (will := _WE_WILL.search(text)) and not in_contact_clause(text[: will.start() + 2]):
        defined = re.match(r" [\"“'`]\w+[\"”'`] |.{1,40}\bhere\b", text[will.end() :])
        return None if defined else Cue("decision", MODAL if named else WEAK)
    if _PREFERENCE.search(text) and named and not _ABLE.search(text):
        return Cue("decision", WEAK)
    return None


def find_risk(text: str, *, named: bool) -> Cue | None:
    """A possible failure with a consequence that weighs something."""
    if word_set(text).isdisjoint(_DANGER_WORDS):
        return None
    condition = _CONDITION.match(text)
    disabled = condition and _DISABLED.search(text, condition.end())
    called = _CALLED_RISK.match(text) or _THERE_IS_RISK.search(text)
    if not called and not disabled and not _MAY.search(text) and not _NAMED_RISK.search(text):
        return None
    severity = severity_of(text)
    if severity is None or text.endswith("?") or is_averted(text):
        return None
    if called:
        return Cue("risk", ANCHORED if named or has_number(text) else MODAL)
    if severity == "low":
        return None
    if condition and disabled and severity_of(condition.group()) in ("critical", "high"):
        return Cue("risk", MODAL)
    strong = severity != "medium"
    if _NAMED_RISK.search(text):
        return Cue("risk", ANCHORED if named or has_number(text) else MODAL)
    if _WISH.search(text):
        return None
    main = text[condition.end() :] if condition else text
    possible = _MAY.search(main)
    rest = _ON_CONDITION.split(possible.group("rest"), maxsplit=1)[0] if possible else ""
    rest = _ASIDE.sub("", rest)
    threatened = severity_of(rest)
    if threatened in (None, "low") or is_averted(rest):
        return None
    if not strong:
        return Cue("risk", WEAK)
    return Cue("risk", ANCHORED if named or has_number(text) else MODAL)


def find_question(text: str, *, asked: bool) -> Cue | None:
    """An open question; ``asked`` marks a text where questions are meant (an issue)."""
    if text.endswith("?"):
        if _TELLS_A_QUESTION.match(text):
            return None
        if len(words_of(text)) < 5 or _RHETORICAL.match(text) or "you" in word_set(text):
            return None
        return Cue("unknown", MODAL if asked else WEAK)
    open_words = not word_set(text).isdisjoint(_OPEN_WORDS)
    return Cue("unknown", MODAL) if open_words and _OPEN.search(text) else None


def find_signal(text: str) -> Cue | None:
    if word_set(text).isdisjoint(_ACTOR_WORDS):
        return None
    if (share := _SHARE_OF.search(text)) and not _NO_SIGNAL.search(text):
        return Cue("domain_signal", ANCHORED, {"signal_type": _signal_type(share.group())})
    match = _SIGNAL.search(text)
    if match is None or text.endswith("?") or _NO_SIGNAL.search(text):
        return None
    if match.group("before").strip().lower() in (
        "if",
        "for",
        "when",
        "of",
        "should",
        "where",
        "to",
    ):
        return None
    signal = _signal_type(text)
    if _WANTED.search(match.group()):  # of a reader, more often than not: of 17 six were good
        return Cue("domain_signal", WEAK, {"signal_type": signal})
    return Cue("domain_signal", ANCHORED if has_number(text) else MODAL, {"signal_type": signal})


def _signal_type(text: str) -> str:
    lowered = text.lower()
    return "competitive" if "competitor" in lowered else "market" if "market" in lowered else "user"
