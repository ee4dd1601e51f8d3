"""The orders in a user's own words: sentences that begin with a verb in the imperative.

A question is no order, nor is what depends on a condition, what was done, or what somebody wonders
about. A polite form is one where it names the change: «could you create a task called X?», and not
«could you create tasks?».
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agents.runs.consent.lexicons import Wording

FAMILIES = {  # what begins an order, by what it does
    name: Wording("orders", name)
    for name in ("any", "create", "update", "delete", "generate", "break", "run", "schedule")
    + ("request", "propose", "forecast")
}
KINDS = {name: Wording("orders", name) for name in ("task", "feature", "sprint")}
GREETING = Wording("orders", "greeting")
_LEAD = Wording("orders", "lead")
_ASKED = Wording("orders", "asked")
_TAG = Wording("orders", "tag")
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+")
_END = re.compile(r"(?<=[.!?;])\s+|\n+|;")
_CLAUSE = Wording("orders", "clause")
_CONDITION = Wording("orders", "condition")
_DEPENDS = Wording("orders", "depends")
_LATE = Wording("orders", "late")
_ABLE = re.compile(r"(?:can|kannst|puedes)\b(?! you please)", re.IGNORECASE)
NAMES_ITEM = Wording("orders", "names_item")
_ITEM_FIRST = Wording("orders", "item_first")
_KIND_LAST = Wording("orders", "kind_last")
_QUESTION = Wording("orders", "question")


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
        return FAMILIES[family].match(self.text) is not None


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
    return _KIND_LAST.says(text[-80:])


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
    is_tagged = _TAG.says(text)
    text = _TAG.sub("", text)
    is_asked = bool(polite) or (text.rstrip().endswith("?") and not is_tagged)
    if not FAMILIES["any"].match(text):
        return
    if text.rstrip().endswith("?") and not polite and not _asks_in_title(text):
        return
    named = NAMES_ITEM.match(text)
    is_able = bool(polite and _ABLE.match(polite.group()))
    if named and named["title"].strip():  # the title takes all that follows
        yield Order(text, is_asked, _is_open(named), is_able)
        return
    is_open = _DEPENDS.says(text)
    for clause in _CLAUSE.split(text):
        if FAMILIES["any"].match(clause):
            yield Order(clause, is_asked, is_open, is_able)


def _is_open(named: re.Match[str]) -> bool:
    """Whether a thing is to be made only under a condition, which is no part of its title."""
    if named["how"] is None:
        return bool(_CONDITION.match(named["title"].strip()))
    return named["how"].lower() in ("for", "about", "to") and _LATE.says(named["title"])


def _asks_in_title(text: str) -> bool:
    """Whether only the title of what is to be made is a question: «create a task called Why …?»."""
    named = NAMES_ITEM.match(text)
    return bool(
        named
        and (named["how"] or "").lower() in ("called", "named", "titled", ":")
        and _QUESTION.match(named["title"].strip(' "'))
    )
