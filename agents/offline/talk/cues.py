"""What only talk says so: decisions in passing, conditional approvals, tasks, open questions.

One sentence at a time, in plain wording. What only points at something («let's go with that») says
nothing by itself and is left out.
"""

from __future__ import annotations

import re
from dataclasses import replace

from agents.offline.lexicons import Wording, load_words
from agents.offline.recognise import cues
from agents.offline.recognise.cues import ANCHORED, MODAL
from agents.offline.recognise.needs import requirement_attributes
from agents.offline.recognise.noise import is_truncated, words_of
from agents.offline.resolve.drafts import Draft, tags_of
from agents.offline.segment.wording import body_of, capitalise, title_of
from schemas.areas import Area, main_area
from schemas.events.atom import AtomKind

_OPENING = (
    r"^(?:(?:ok(?:ay)?|so|alright|right|great|agreed|yes|yeah|sounds good|good point|thanks|then|"
    r"in that case|after (?:some )?discussion|for now)[,.!:;]? +){0,3}"
)
_GOING = Wording("talk", "going")
_LETS = Wording("talk", "lets")
_REFUSING = Wording("talk", "refusing")
_CHOSEN = Wording("talk", "chosen")
_PLANNED = Wording("talk", "planned")
_CONSENSUS = Wording("talk", "consensus")
_WANTED = Wording("talk", "wanted")
_CHANGED = load_words("talk", "changed")
_QUESTION = Wording("talk", "questions")
_APPROVING = Wording("talk", "approving")
_CLOSING = Wording("talk", "closing")
_WORKS = (
    r"(?:add|write|open|create|fix|update|remove|rename|move|send|prepare|document|file|implement|"
    r"migrate|investigate|split|rework|refactor|change|test|release|deploy|set up|draft|port|"
    r"extend|review|replace|rebase|clean up|look into|follow up|work on|take care of|make|submit|"
    r"bump|extract|handle|cover|benchmark|profile|verify|cherry-pick|backport|revert|drop|delete|use)"
)
_WHO = r"(?:@?PERSON:p_\w+|@[\w.-]+)"  # plain wording has no brackets
_TAKEN_ON = Wording("talk", "taken_on")
_HANDED = Wording("talk", "handed")
_ASKED_IN_REVIEW = Wording("talk", "asked_in_review")
_DUE = Wording("talk", "due")
_EMPTY = Wording("talk", "empty")
_POINTING = Wording("talk", "pointing")
_POINTS_BACK = Wording("talk", "points_back")
PERSONAL = Wording("talk", "personal")


def find_decision(text: str, record: str) -> Draft | None:
    """The decision a sentence takes; ``record`` is the title of what is talked about."""
    if text.endswith("?") or is_truncated(text):
        return None
    if (match := _CHOSEN.match(text)) and _says(match["what"].strip().partition(" ")[2]):
        act, what = match["act"].lower(), match["what"]
        if act not in _CHANGED or re.search(r" (?:to|from|in favou?r of) ", what):
            return _draft("decision", f"We {act}{what}", text, MODAL)
    if (match := _PLANNED.search(text)) and _says(match["what"].split(" ", 3)[-1]):
        return _draft("decision", match["what"], text, MODAL)
    if (match := _CONSENSUS.search(text)) and _says(match["what"].split(" ", 2)[-1]):
        return _draft("decision", f"The consensus is {match['what']}", text, MODAL)
    if (match := _APPROVING.match(text)) and _says(match["what"]):
        about = record.removeprefix("Re: ")
        when = (
            "provided" if match["when"].lower() in ("with", "but", "modulo", "pending") else "once"
        )
        when = "except" if match["when"].lower() == "except" else when
        title = f"Approved {when} {match['what']}"
        return _draft("decision", title, f"{about}: {title}" if about else title, MODAL)
    if (match := _GOING.match(text)) and _says(match["what"]):
        return _draft("decision", f"We will go with {match['what']}", text, ANCHORED)
    if (match := _LETS.match(text)) and _says(match["what"].partition(" ")[2]):
        return _draft("decision", f"We will {match['what']}", text, MODAL)
    if (match := _REFUSING.match(text)) and _says(match["what"].partition(" to ")[2] or text):
        return _draft("decision", match["what"], text, MODAL)
    if (match := _CLOSING.match(text)) and record:
        about, why = record.removeprefix("Re: "), re.split(r" [—–-] |[;:] ", match["why"])[0]
        if len(words_of(why)) >= 4:
            return _draft("decision", f"{about} is closed {why}", text, MODAL)
    return None


def find_task(text: str, speaker: str, *, reviewed: bool) -> Draft | None:
    """The task a sentence takes on or hands over; a reviewer's request is one (``reviewed``)."""
    if is_truncated(text.rstrip("?")):
        return None
    if match := _HANDED.match(text):
        owner = match["owner"].lstrip("@")
        owner = f"[{owner}]" if owner.startswith("PERSON:") else owner
    elif match := _TAKEN_ON.match(text):
        owner = speaker
    elif reviewed and (match := _ASKED_IN_REVIEW.match(text)):
        owner = ""
    else:
        return None
    task = match["task"].rstrip("?!. ")
    if not _says(task.partition(" ")[2]):
        return None
    given = {"owner_hint": owner} if owner else {}
    if due := _DUE.search(task):
        given["due_hint"] = due[1]
    return replace(_draft("action_item", task, text, ANCHORED), attributes=given)


def find_wish(text: str) -> Draft | None:
    """What a ticket asks to be made possible for somebody."""
    if not _WANTED.match(text) or is_truncated(text) or len(words_of(text)) < 5:
        return None
    given = requirement_attributes(text)
    return replace(_draft("requirement", text, text, MODAL), attributes=given)


def find_question(text: str) -> Draft | None:
    """A question to whoever knows, about something that it names."""
    if not _QUESTION.match(text) or PERSONAL.says(text) or text.count("?") > 1:
        return None
    if len(words_of(text)) < 5 or sum(len(word) > 3 for word in words_of(text)) < 3:
        return None
    if _POINTS_BACK.says(text):
        return None
    return replace(
        _draft("unknown", text, text, MODAL), attributes={"question": text}, polarity=None
    )


def _says(what: str) -> bool:
    """Whether an object is named, and not only pointed at."""
    bare = what.strip()
    pointing = _POINTING.match(bare) or _EMPTY.match(bare)
    return not pointing and any(len(word) > 3 for word in words_of(what))


def _draft(kind: AtomKind, title: str, body: str, confidence: float) -> Draft:
    default: Area = "delivery" if kind == "action_item" else "architecture_decisions"
    wording = capitalise(title.rstrip(". "))
    return Draft(
        kind=kind,
        title=title_of(wording),
        body=body_of(capitalise(body), ""),
        confidence=confidence,
        spans=((0, 0),),
        area=main_area(title, default),
        polarity=cues.polarity_of(title),
        tags=tags_of(title, ()),
    )
