"""What only talk says so: decisions in passing, conditional approvals, tasks, open questions.

One sentence at a time, in plain wording. What only points at something («let's go with that») says
nothing by itself and is left out.
"""

from __future__ import annotations

import re
from dataclasses import replace

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
_GOING = re.compile(
    _OPENING + r"(?:let'?s|we(?:'ll| will| should(?: just)?| are going to|'re going to)|"
    r"i(?:'d| would) (?:say|suggest) (?:we|to)|(?:we're|i'm|we are) (?=going))\s+"
    r"(?P<act>(?:go(?:ing)?|stick|proceed|move (?:forward|ahead)|stay) with) (?P<what>.+)",
    re.IGNORECASE,
)
_LETS = re.compile(
    _OPENING
    + r"let'?s (?P<what>(?:not |just |also |first )?(?:use|keep|drop|remove|rename|postpone|"
    r"defer|move|split|make|leave|add|store|switch|replace|avoid|support|deprecate|merge|limit|"
    r"default|require|call|do|ship|release|skip|start|stop|revert|treat|put|have|focus)\b.+)",
    re.IGNORECASE,
)
_REFUSING = re.compile(
    _OPENING + r"(?P<what>we (?:won'?t|will not|are not going to|aren't going to|"
    r"(?:do not|don't) (?:plan|want|intend) to|decided not to) .+)",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    _OPENING + r"(?:i(?:'ve| have)?|we(?:'ve| have)?|the team(?: has)?) (?:now |finally |just )?"
    r"(?P<act>decided|chose|opted|agreed|settled|switched|migrated|moved)\b(?P<what> .+)",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"(?:^|, )(?P<what>we(?:'ll| will| plan to| intend to| are going to|'re going to) (?:now |"
    r"then |only |also )?(?:drop|remove|deprecate|delete|ship|postpone|defer|require|support|"
    r"limit|keep|rename|split|stop|discontinue|sunset|default|switch|migrate|move) .+)",
    re.IGNORECASE,
)
_CONSENSUS = re.compile(
    r"(?:^|\b)the (?:consensus|agreement|conclusion) (?:here )?(?:is|was|seems) (?:to be )?"
    r"(?P<what>(?:to|that) .+)",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"^(?:allow|enable|let|permit) (?:the |all |our )?(?:\w+ )?(?:users?|people|admin\w*|"
    r"developers?|operators?|customers?|clients?|teams?|anyone|maintainers?|members?|authors?)\b.{10,}",
    re.IGNORECASE,
)
_CHANGED = frozenset({"switched", "migrated", "moved"})
_QUESTION = re.compile(
    r"(?:which|where|how (?:do|should|can|could|will|would|does|must) (?!i\b|you\b)\w+|"
    r"how (?:to|many|much|long|often)|should|shall|must|do we|does|is|are|what (?:should|is|are|"
    r"happens|will|would|do we)|when (?:should|do|will|does)|who (?:should|owns|decides))\b"
    r".+\?$",
    re.IGNORECASE,
)
_APPROVING = re.compile(
    r"^\W*(?:lgtm|looks good(?: to me)?|approved?|approving|happy to (?:merge|approve|sign off)|"
    r"good to (?:go|merge)|ready to (?:go|merge)|\+1|ship it)\b[,.!]?\s*(?:this |it )?"
    r"(?P<when>after|once|when|as soon as|if|provided|assuming|with|modulo|except|but|pending)\b"
    r"[,:]? (?P<what>.+)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"^(?:i'?m |i am |i will |i'll )?clos(?:ing|ed?) (?:this |the )?(?:issue |pr |ticket |one )?"
    r"(?:for now )?(?P<why>(?:as|since|because|in favou?r of|due to)\b .+)",
    re.IGNORECASE,
)
_WORKS = (
    r"(?:add|write|open|create|fix|update|remove|rename|move|send|prepare|document|file|implement|"
    r"migrate|investigate|split|rework|refactor|change|test|release|deploy|set up|draft|port|"
    r"extend|review|replace|rebase|clean up|look into|follow up|work on|take care of|make|submit|"
    r"bump|extract|handle|cover|benchmark|profile|verify|cherry-pick|backport|revert|drop|delete|use)"
)
_WHO = r"(?:@?PERSON:p_\w+|@[\w.-]+)"  # plain wording has no brackets
_TAKEN_ON = re.compile(
    _OPENING + r"(?:i(?:'ll| will| am going to|'m going to| plan to| can)|let me) "
    rf"(?:also |then |just |try to |go ahead and |quickly )*(?P<task>{_WORKS}\b.+)",
    re.IGNORECASE,
)
_HANDED = re.compile(
    rf"^(?P<owner>{_WHO})[,:]? (?:(?:can|could|would|will) you (?:please |also )*|please |pls |to |"
    rf"will |needs to |is going to )(?P<task>{_WORKS}\b.+)",
    re.IGNORECASE,
)
_ASKED_IN_REVIEW = re.compile(
    r"^(?:nit:? )?(?:(?:can|could|would) (?:you|we) (?:please |also )*|(?:please |pls )(?:also )?)"
    rf"(?P<task>{_WORKS}\b.+)",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"\bby (\d{4}-\d\d-\d\d|tomorrow|(?:mon|tues|wednes|thurs|fri)day|(?:the )?end of (?:the )?\w+|"
    r"Q[1-4]|next \w+)",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"^(?:it|this|that|these|those|them|one|something|anything|so|your|the (?:former|latter|first|"
    r"second|other|latter|above)(?: one| option| approach)?)\b[^a-z]*(?:then|for now|instead|too|"
    r"here|there|later|now|please|first|option|approach|one|idea|way|suggestion|proposal|\W)*$",
    re.IGNORECASE,
)
_POINTING = re.compile(r"(?:it|this|that|these|those|them|both|neither|either)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"^(?:is|are|does|should|shall|must|how (?:does|should|can)) (?:it|this|that|these|those|they|"
    r"there)\b|\b(?:this|that|it|these|those|them)\?$",
    re.IGNORECASE,
)
PERSONAL = re.compile(
    r"^(?:any (?:updates?|news|chance|thoughts|ideas?|progress|eta|feedback|luck|plans?)|"
    r"is there (?:any|an) (?:updates?|progress|news|workaround|eta|chance|way)|am i|are you|"
    r"(?:can|could|would|does|has|have|did|do|is|if) (?:you|someone|anyone|anybody|somebody|i)|"
    r"(?:who|when|where) (?:can|is|are|will)|(?:what|which) (?:version|os|browser|distro)|"
    r"thoughts|wdyt|ideas|maybe|perhaps|hi|hello|hey|sorry|curious|wondering)\b|\b(?:you|your)\b",
    re.IGNORECASE,
)


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
    if not _QUESTION.match(text) or PERSONAL.search(text) or text.count("?") > 1:
        return None
    if len(words_of(text)) < 5 or sum(len(word) > 3 for word in words_of(text)) < 3:
        return None
    if _POINTS_BACK.search(text):
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
