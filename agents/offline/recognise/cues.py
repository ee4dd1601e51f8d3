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
FORMED = 0.57  # of what a row, a card or an announcement states, whatever its words
LIKELY = 0.52  # of what states something and no rule is sure of
LEAST_CHOSEN = 2  # words of a choice behind its label: «Decision: use Kafka»
DOUBTED = 0.50  # what a rule or weights propose and is hardly good: the last of the drafts
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


_LABEL = Wording("labels", "label")
_DEFINES = Wording("labels", "defined")
_GLOSS = Wording("labels", "glosses")
_TELLS = Wording("stories", "tells")
_STORY = Wording("stories", "story")
_OPENER = Wording("wordings", "contact_openers")
_CONTACT = Wording("wordings", "contact")
_WE_DO = Wording("wordings", "we_do")
_DECIDED = Wording("wordings", "decided")
_WE_WILL = Wording("wordings", "chosen_by_us")
_AS_IT_IS = Wording("wordings", "as_it_is")
_ABLE = Wording("wordings", "able")
_PREFERENCE = Wording("wordings", "preference")
_MAY = Wording("wordings", "possible")
_ASIDE = re.compile(r"\([^)]*\)?")
_ON_CONDITION = Wording("wordings", "on_condition")
_CONDITION = Wording("wordings", "conditions")
_WISH = Wording("wordings", "wish")
_NAMED_RISK = Wording("wordings", "named_risk")
_DISABLED = Wording("wordings", "disabled")
_THERE_IS_RISK = Wording("wordings", "there_is_risk")
_ASSIGNED = Wording("wordings", "assigned")
_CALLED_RISK = Wording("wordings", "called_risk")
_OPEN = Wording("wordings", "open")
_TELLS_A_QUESTION = Wording("wordings", "tells_a_question")
_RHETORICAL = Wording("wordings", "rhetorical")
_SIGNAL = Wording("wordings", "signals")
_SHARE_OF = Wording("wordings", "shares")
_WANTED = Wording("wordings", "wanted")
_NO_SIGNAL = Wording("wordings", "no_signals")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*(?:\s?(?:%|[a-zA-Z]+))?")
_NEGATION = Wording("wordings", "negations")
_CHOICE_WORDS = load_words("wordings", "choice_words")
_DANGER_WORDS = load_words("wordings", "danger_words")
_OPEN_WORDS = load_words("wordings", "open_words")
_ACTOR_WORDS = load_words("wordings", "actor_words")
_NEGATING_WORDS = load_words("wordings", "negating_words")


def polarity_of(text: str) -> Polarity:
    if word_set(text).isdisjoint(_NEGATING_WORDS):
        return "affirm"
    return "negate" if _NEGATION.says(text) else "affirm"


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
    return not _OPENER.match(clause) and _CONTACT.says(clause)


def tells_what_is(text: str) -> bool:
    """Whether ``text`` says what is, was or is advised; what «will» be is chosen all the same."""
    return "will" not in word_set(text) and _AS_IT_IS.says(text)


def find_decision(text: str, *, named: bool) -> Cue | None:
    if text.endswith("?"):
        return None
    if word_set(text).isdisjoint(_CHOICE_WORDS):
        preferred = named and ("instead of" in text or "rather than" in text)
        preferred = preferred and not tells_what_is(text) and not _ABLE.says(text)
        return Cue("decision", WEAK) if preferred and _PREFERENCE.says(text) else None
    if _DECIDED.says(text):
        return Cue("decision", ANCHORED if named or has_number(text) else MODAL)
    if tells_what_is(text):
        return None
    if (will := _WE_WILL.search(text)) and not in_contact_clause(text[: will.start() + 2]):
        defined = re.match(r" [\"“'`]\w+[\"”'`] |.{1,40}\bhere\b", text[will.end() :])
        return None if defined else Cue("decision", MODAL if named else WEAK)
    if _PREFERENCE.says(text) and named and not _ABLE.says(text):
        return Cue("decision", WEAK)
    return None


def find_risk(text: str, *, named: bool) -> Cue | None:
    """A possible failure with a consequence that weighs something."""
    if word_set(text).isdisjoint(_DANGER_WORDS):
        return None
    condition = _CONDITION.match(text)
    disabled = condition and _DISABLED.search(text, condition.end())
    called = _CALLED_RISK.match(text) or _THERE_IS_RISK.search(text)
    if not called and not disabled and not _MAY.says(text) and not _NAMED_RISK.says(text):
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
    if _NAMED_RISK.says(text):
        return Cue("risk", ANCHORED if named or has_number(text) else MODAL)
    if _WISH.says(text):
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
    return Cue("unknown", MODAL) if open_words and _OPEN.says(text) else None


def find_signal(text: str) -> Cue | None:
    if word_set(text).isdisjoint(_ACTOR_WORDS):
        return None
    if (share := _SHARE_OF.search(text)) and not _NO_SIGNAL.says(text):
        return Cue("domain_signal", ANCHORED, {"signal_type": signal_type(share.group())})
    match = _SIGNAL.search(text)
    if match is None or text.endswith("?") or _NO_SIGNAL.says(text):
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
    signal = signal_type(text)
    if _WANTED.says(match.group()):  # of a reader, more often than not: of 17 six were good
        return Cue("domain_signal", WEAK, {"signal_type": signal})
    return Cue("domain_signal", ANCHORED if has_number(text) else MODAL, {"signal_type": signal})


def signal_type(text: str) -> str:
    lowered = text.lower()
    return "competitive" if "competitor" in lowered else "market" if "market" in lowered else "user"
