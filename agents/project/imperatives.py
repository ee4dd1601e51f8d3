"""The orders in a user's own words: sentences that begin with a verb in the imperative.

A question is no order, nor is what depends on a condition, what was done, or what somebody wonders
about. A polite form is one where it names the change: «could you create a task called X?», and not
«could you create tasks?».
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

# What begins an order, by what it does; German and Spanish in their simple form.
VERBS = {
    "create": "create|add|make|open|file|write|log|set up|put|note|draft|raise|new|start|erstelle"
    r"|erzeuge|lege?|füge?|crea|añade|agrega",
    "update": "update|change|set|rename|move|assign|reassign|unassign|mark|close|edit|estimate|give"
    "|start|finish|complete|reopen|block|unblock|raise|lower|put|make|bump|reduce|increase|retitle"
    "|ändere|setze?|benenne?|schließe?|markiere?|weise?|verschiebe?|cambia|pon|marca|cierra|asigna",
    "delete": "delete|remove|drop|discard|erase|trash|get rid of|lösche?|entferne?|borra|elimina"
    "|quita",
    "generate": "generate|create|write|make|give|show|prepare|draft|produce|build|do|run|send|get"
    "|have|print|compile|derive|plan|propose|prioriti[sz]e|rank|update|refresh|erstelle|schreibe?|genera"
    "|escribe|dame",
    "break": "break|split|divide|generate|create|make|derive",
    "run": "run|check|judge|review|assess|evaluate|do|start|make|give",
    "schedule": "schedule|remind|plan|set up|put|send|make|write|give|prepare|run|do|create"
    "|generate|check|sync|read|call|show|review|refresh|start|add|get|post|analy[sz]e|update|erinnere?"
    "|recuérda(?:me|nos)",
}
VERBS["request"] = f"{VERBS['generate']}|break|split|divide|let|forecast|predict"
VERBS["propose"] = (
    "rebalance|redistribute|balance|spread|even|level|move|shift|suggest|propose|make|distribute"
)
VERBS["forecast"] = f"{VERBS['generate']}|forecast|predict|estimate"
KINDS = {
    "task": r"tasks?|tickets?|to-?dos?|action items?|aufgaben?|tareas?",
    "feature": r"features?|feats?|stor(?:y|ies)|funktion(?:en)?|funciones|función",
    "sprint": r"sprints?|iterations?",
}
_ANY_KIND = "|".join(KINDS.values())
_ANY_VERB = "|".join(dict.fromkeys("|".join(VERBS.values()).split("|")))
_SOFT = (
    r"(?:please|kindly|pls|just|now|then|also|and|so|ok|okay|yes|sure|great|thanks|thank you|hi"
    r"|maybe|perhaps|possibly|quickly"
    r"|hello|hey|cairn|assistant|everybody|everyone|all|(?:first|next|finally)(?=,)"
    r"|good (?:morning|afternoon|evening|day)"
    r"|bitte|por favor|hallo|hola|dear (?:cairn|assistant|agents?)|go ahead and|do)"
)
_WISH = (
    r"(?:i(?:'d| would) like (?:you )?to|i want (?:you )?to|i need you to|(?:let's|let us)"
    r"|make sure (?:you|to)|be so kind (?:as to|and)|do me a favou?r and)"
)
_POLITE = (
    r"(?:(?:can|could) you|(?:would|will) you (?:please|kindly)|would you mind"
    r"|kannst du|könntest du|puedes|podrías)"
)
GREETING = re.compile(rf"(?:{_SOFT}[\s,!.:-]*)+(?:all|team|there|cairn|agents?)?[\s,!.:-]*", re.I)
_LEAD = re.compile(rf"^(?:(?:{_SOFT}|{_WISH})[\s,!.:]+)+", re.IGNORECASE)
_ASKED = re.compile(rf"^{_POLITE}\b[\s,]*(?:{_SOFT}[\s,]+)*", re.IGNORECASE)
_TAG = re.compile(
    r"[\s,]+(?:please|pls|ok|okay|thanks|right|will you|would you|could you|can you|bitte"
    r"|por favor)"
    r"\s*\?+\s*$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+")
_END = re.compile(r"(?<=[.!?;])\s+|\n+|;")
_CLAUSE = re.compile(
    rf"(?:,\s*(?:and\s+)?(?:then\s+|also\s+)*|\s+(?:and|then|und|y)\s+(?:then\s+|also\s+|please\s+)*)"
    rf"(?=(?:{_ANY_VERB})\b)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^(?:if|when|whenever|unless|once|in case|as soon as|after|before|provided|assuming|suppose"
    r"|supposing|should|were|had|until|while|wenn|falls|si|cuando)\b",
    re.IGNORECASE,
)
_DEPENDS = re.compile(
    r"\b(?:if|unless|in case|provided|as soon as|once|depending on|when(?:ever)?|until|falls"
    r"|assuming)\b",
    re.IGNORECASE,
)
_LATE = re.compile(
    r"(?:, (?:but )?(?:only )?(?:if|unless|in case|as soon as|once|when)|\bonly (?:if|when)"
    r"|\bunless|\bif (?:needed|necessary|required|possible|you|he|she|they|it|that|there|we|i"
    r"|so))\b",
    re.IGNORECASE,
)
_ABLE = re.compile(r"(?:can|kannst|puedes)\b(?! you please)", re.IGNORECASE)
_NAMED = (
    r"(?:(?:a|an|one|another|the|ein|eine|einen|una|un)\s+)?(?:new\s+|neue[nr]?\s+)?"
    rf"(?:[\w-]+\s+){{0,2}}?(?:{_ANY_KIND})"
)
NAMES_ITEM = re.compile(
    rf"^(?:{VERBS['create']})\s+{_NAMED}\b\s*(?P<how>called|named|titled|labell?ed"
    r"|with the (?:title|name)|that says|saying|to|for|about|on|:|,|\"|namens|llamad[ao]|para"
    r"|für)?(?P<title>.*)$",
    re.IGNORECASE,
)
_ITEM_FIRST = re.compile(rf"^(?:new )?(?:{_ANY_KIND})\s*:\s*\S", re.IGNORECASE)
_KIND_LAST = re.compile(
    rf"(?:^|[\s,.!?])(?:(?:{VERBS['create']})\s+)?(?:(?:a|an|one|another|the|two|three|these)\s+)?"
    r"(?:(?:new|following)\s+)?"
    rf"(?:task|ticket|to-?do|feature|story|sprint)s?\s*(?:called|named|titled|:|,)\s*:?\s*$",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:what|who|whom|whose|why|how|where|when|which|is|are|was|were|am|has|have|had|does|did"
    r"|do(?! (?:it|this|that|the|a|so|please)\b)|should|shall|would|will|may|might|must|can|could"
    r"|isn't|aren't|don't|didn't|wasn't|i wonder|i am wondering|i'm wondering|wondering|any idea"
    r"|tell me|explain|warum|wie|was|wer|wann|soll|sollen|qué|cómo|por qué|cuándo|quién)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the user: its text from the verb on, without what is only polite.

    ``is_asked``: it has the form of a question. ``is_open``: it depends on something. ``is_able``:
    it may ask whether that can be done at all.
    """

    text: str
    is_asked: bool
    is_open: bool
    is_able: bool = False

    @property
    def title(self) -> str | None:
        """What is to be made is called so; None: this makes nothing with a name."""
        named = NAMES_ITEM.match(self.text)
        return named["title"].strip() if named else None

    def begins_with(self, family: str) -> bool:
        return _family(family).match(self.text) is not None


def strip_lead(text: str) -> str:
    """The text without what is only polite before it."""
    return _LEAD.sub("", text)


def list_orders(own: str) -> list[Order]:
    """The orders of a user's own words."""
    return [order for sentence in _split(own) for order in _read(sentence)]


def asks_for_change(line: str) -> bool:
    """Whether the line holds an order to make, change or remove something, or to schedule it."""
    return bool(_ITEM_FIRST.match(line.strip())) or any(
        order.begins_with(family)
        for order in list_orders(line)
        for family in ("create", "update", "delete", "generate", "break", "run", "schedule")
    )


def is_question(own: str) -> bool:
    """Whether the words ask something, in a form that is no order."""
    bare = _LEAD.sub("", next(iter(_split(own)), ""))
    return not list_orders(own) and bool(_QUESTION.match(bare) or bare.endswith("?"))


def names_kind_before(text: str) -> bool:
    """Whether the text ends with «create a task called» or the like, so that a name follows."""
    return _KIND_LAST.search(text[-80:]) is not None


def _split(own: str) -> Iterator[str]:
    """The sentences; what is said in quotes ends none."""
    quiet = re.sub(r'"[^"\n]*"', lambda it: re.sub(r"[.!?;:]", " ", it.group()), own)
    for sentence in _END.split(quiet):
        if bare := _BULLET.sub("", sentence).strip():
            yield bare


def _read(sentence: str) -> Iterator[Order]:
    bare = _LEAD.sub("", sentence)
    polite = _ASKED.match(bare)
    text = _LEAD.sub("", bare[polite.end() :]) if polite else bare
    if _CONDITION.match(bare):
        return
    if _ITEM_FIRST.match(text):
        text = f"create a {text}"
    is_tagged = bool(_TAG.search(text))
    text = _TAG.sub("", text)
    is_asked = bool(polite) or (text.rstrip().endswith("?") and not is_tagged)
    if not _family("any").match(text):
        return
    if text.rstrip().endswith("?") and not polite and not _asks_in_title(text):
        return
    named = NAMES_ITEM.match(text)
    is_able = bool(polite and _ABLE.match(polite.group()))
    if named and named["title"].strip():  # the title takes all that follows
        yield Order(text, is_asked, _is_open(named), is_able)
        return
    is_open = bool(_DEPENDS.search(text))
    for clause in _CLAUSE.split(text):
        if _family("any").match(clause):
            yield Order(clause, is_asked, is_open, is_able)


def _is_open(named: re.Match[str]) -> bool:
    """Whether a thing is to be made only under a condition, which is no part of its title."""
    if named["how"] is None:
        return bool(_CONDITION.match(named["title"].strip()))
    return named["how"].lower() in ("for", "about", "to") and bool(_LATE.search(named["title"]))


def _asks_in_title(text: str) -> bool:
    """Whether only the title of what is to be made is a question: «create a task called Why …?»."""
    named = NAMES_ITEM.match(text)
    return bool(
        named
        and (named["how"] or "").lower() in ("called", "named", "titled", ":")
        and _QUESTION.match(named["title"].strip(' "'))
    )


@cache
def _family(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{_ANY_VERB if name == 'any' else VERBS[name]})\b", re.IGNORECASE)
