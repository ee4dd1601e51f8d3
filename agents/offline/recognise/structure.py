"""What section and form make of a sentence; nothing where they do not decide."""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording
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
_TURNED_DOWN = Wording("structure", "turned_down")
NOTHING_OPEN = Wording("structure", "nothing_open")
_OF_A_FORM = Wording("structure", "of_a_form")
_IN_THAT_CASE = re.compile(r"(?:otherwise|if (?:so|not|yes|no))\b", re.IGNORECASE)
HARMLESS = Wording("structure", "harmless")
ABSENT = Wording("structure", "absent")
AVERTING = Wording("structure", "averting")
POSSIBLE = Wording("structure", "possible")
_REMARK = Wording("structure", "remark")
_DECIDING = Wording("structure", "deciding")
ADVERSE = Wording("structure", "adverse")
_REMEDY = Wording("structure", "remedy")
NEEDED = Wording("structure", "needed")
SUBJECT = 60  # characters within which a plain statement has had its verb
_ASSERTS = Wording("structure", "asserts")
_DOES = Wording("structure", "does")
_DETERMINES = re.compile(r"(?:the|an?) (?:[\w-]+ ){1,3}(?:determines|describes|specifies) ", re.I)
_ABLE = re.compile(r"\s(?:can|cannot|can't|could|may|might)\s", re.IGNORECASE)
_SUBJECT_FIRST = Wording("structure", "subject_first")
_REACHED = Wording("structure", "reached")
_BETWEEN = re.compile(r"(?:between|from|within|inside|outside) [^,]*$", re.IGNORECASE)
_EXPLAINS = re.compile(r"(?:as|since|because|although|while) ", re.IGNORECASE)
_PAGE = re.compile(
    r"\W*\[[^\]\n]*\]\((?!https?://[^)\s]*/(?:issues|pull|browse|merge_requests)/)[^)\s]*\)\W*|"
    r"\W*:(?:doc|ref):`[^`]+`\W*|\W*(?:xref|link):\S+\[[^\]]*\]\W*"
)  # what to read next, not what to do
_LEARNT = re.compile(r"\W*(?:goal|objective)s?\b", re.IGNORECASE)  # what a guide's reader will know
_ABILITY = Wording("structure", "ability")
_AFTERWARDS = re.compile(r"(?:once|after|when|whenever)\b", re.IGNORECASE)
_SETTLED = Wording("structure", "settled")


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
    return _REACHED.says(text) and not is_order(text) and not instructs(text)


def _is_told(text: str) -> bool:
    """Whether an item of a list of tasks says what is so, and asks for nothing."""
    if NEEDED.says(text) or not _SUBJECT_FIRST.match(text):
        return False
    opening = text[:SUBJECT]
    return any(verb.search(opening) for verb in (_ASSERTS, _ABLE, _DOES))


def _tells_of_needs(passage: Passage, text: str) -> bool:
    """Whether a text under a heading of needs only tells of them: what is so, or when what is."""
    if NEEDED.says(text) or is_order(text):
        return False
    return (
        _AFTERWARDS.match(text) is not None
        or (passage.form == "paragraph" and _ASSERTS.says(text[:SUBJECT]))
        or _DETERMINES.match(text) is not None
    )


def _decision_in(passage: Passage, direct: bool, sentence: Sentence, number: int) -> Cue | None:
    """What opens a decision section is the decision; later sentences must sound like one.

    An opening that only tells is seldom it: of 75 that were judged 42 were good, of 151 others 128.
    """
    text = sentence.text
    if _TURNED_DOWN.says(sentence.near) and not _DECIDING.says(text):
        return None
    if text.endswith("?") or len(words_of(text)) < 4 or not direct or _ABILITY.match(text):
        return None
    if passage.opening and number == 0 and is_decisive(text):
        decides = is_order(text) or _DECIDING.search(text)
        return Cue("decision", EXPLICIT if decides else ANCHORED)
    if needs_context(text) or not _DECIDING.says(text) or _STEP.match(text):
        return None
    if passage.opening and number < 3:
        return Cue("decision", ANCHORED)
    return Cue("decision", MODAL) if passage.form == "item" and number == 0 else None


def _risk_in(sentence: Sentence, first: bool) -> Cue | None:
    text = sentence.text
    severity = severity_of(text) or severity_of(sentence.reason)
    least = 3 if severity else 4
    unlabelled = text.rpartition(": ")[2]
    if ABSENT.match(text) or ABSENT.match(unlabelled) or text.endswith("?"):
        return None
    if len(words_of(text)) < least:
        return None
    if severity is None:
        weighs = burden_of(text) or severity_of(sentence.near)
        is_drawback = first and weighs and not _REMARK.says(text)
        if not is_drawback or _REMEDY.says(text) or is_order(unlabelled):
            return None
        sure = MODAL if ADVERSE.says(text) and POSSIBLE.says(text) else WEAK
        return Cue("risk", sure, fragment=True)
    if (is_averted(text) and not first) or instructs(text) or HARMLESS.says(text):
        return None
    if _REMEDY.says(text):
        return None
    if not first:
        return Cue("risk", MODAL)
    is_fact = has_verb(text) and not POSSIBLE.says(text)  # a limit, say
    return Cue("risk", ANCHORED if is_fact else EXPLICIT)


def _unknown_in(text: str, first: bool, *, answering: bool) -> Cue | None:
    if _SETTLED.match(text) or ABSENT.match(text) or len(words_of(text)) < 3:
        return None
    if text.endswith(":"):
        return None
    if NOTHING_OPEN.says(text) or _OF_A_FORM.says(text) or _IN_THAT_CASE.match(text):
        return None
    if text.endswith("?"):
        return Cue("unknown", EXPLICIT)
    return Cue("unknown", EXPLICIT) if first and not answering and asks(text) else None
