"""Whether a change is what the user has asked for: one function for every tool, rules and models.

Only an imperative in the user's own words that names the change consents. A question, a condition,
what was done, and whatever is quoted or pasted do not; nor does what a tool or a source says. The
verbs looked for are English, with the simplest German and Spanish ones: in another language every
change is shown to a person first. The functions here are total: any text has an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from agents.runs.consent.imperatives import (
    FAMILIES,
    KINDS,
    Order,
    is_question,
    list_orders,
    strip_lead,
)
from agents.runs.consent.lexicons import Wording, list_ids, load_words
from agents.runs.consent.own_words import CUT, take_own_words
from agents.runs.consent.scheduling_patterns import list_weekdays, take_recurrences
from agents.runs.consent.scheduling_times import take_times
from agents.runs.consent.scheduling_work import find_work

OWN_SHARE = 0.6  # of the words of each text
NO_TEXTS = frozenset(("as_of", "status", "phase", "report_type"))
OUTWARD = frozenset(("deep_research",))  # leaves the machine: a person is always asked
# What an order to make something has to name, beside its verb.
_NAMES = {tool: Wording("consent", "names", entry=tool) for tool in list_ids("consent", "names")}
_FRAGMENT = Wording("consent", "fragment")
_NUMBERED = re.compile(r"[a-z]+-0*(\d+)")
_WORD = re.compile(r"[^\W_]+")
_SMALL = load_words("consent", "small")
_POINTS_BACK = re.compile(r"\b(?:it|its|them|that|this|those|these|both)\b", re.IGNORECASE)
_STATUSES = {
    name: Wording("consent", "status", entry=name) for name in list_ids("consent", "status")
}
_STATEMENT = Wording("consent", "statement")
_REMINDS_US = re.compile(r"\b(?:me|us|the team)\b", re.IGNORECASE)
_REMIND = Wording("consent", "remind")


def is_asked_for(
    tool: str, arguments: Mapping[str, Any], request: str, names: Mapping[str, str]
) -> bool:
    """Whether an order of the user names this change, in words that hold its texts.

    ``names`` are those of artifacts by id: who names one has named its id.
    """
    own = take_own_words(request)
    if tool in OUTWARD or not own:
        return False
    if any(CUT in text and CUT not in request for text in _texts(arguments)):
        return False  # a title of which a part was left out as a quote
    if tool == "schedule_work":
        return asks_for_schedule(own) and _is_own_schedule(arguments, own)
    return any(_names_change(tool, arguments, order, own, names) for order in list_orders(own)) or (
        tool in _NAMES and not is_question(own) and _is_fragment(tool, own)
    )


def asks_for_schedule(own: str) -> bool:
    """Whether own words have work done at times: an order, or days and work without a verb."""
    own = strip_lead(own)
    if is_question(own):
        return False
    orders = list_orders(own)
    if any(order.is_open and not _REMIND.match(order.text) for order in orders):
        orders = [order for order in orders if take_recurrences(order.text)[0]]
    recurrences, left = take_recurrences(own)
    left = take_times(left)[1]
    work = find_work(left)
    is_job = work is not None and work.job_type is not None
    if any(order.begins_with("schedule") and not order.is_able for order in orders):
        return True
    if any(order.is_able for order in orders):
        return is_job or _REMINDS_US.search(own) is not None
    if not recurrences or own.rstrip().endswith("?"):
        return False
    if is_job or _REMIND.says(left):
        return True
    is_first = recurrences[0].start < 4
    return is_first and not _STATEMENT.says(left) and (":" in left or not _begins_with_name(left))


def _begins_with_name(left: str) -> bool:
    """Whether what follows the days begins like a statement: «every monday the couriers …»."""
    bare = left.replace("\0", " ").strip(" ,.")
    return bool(re.match(r"(?:the|our|a|an|all|my|his|her|their)\b", bare, re.IGNORECASE))


def _is_own_schedule(arguments: Mapping[str, Any], own: str) -> bool:
    text = " ".join(_texts(arguments))
    return set(list_weekdays(text)) <= set(list_weekdays(own)) and _is_own(text, _words(own))


def _is_fragment(tool: str, own: str) -> bool:
    first = own.split("\n")[0].strip()
    return bool(_FRAGMENT.match(first) and not first.endswith("?") and _NAMES[tool].says(first))


def _names_change(
    tool: str, arguments: Mapping[str, Any], order: Order, own: str, names: Mapping[str, str]
) -> bool:
    if order.is_open or not _has_verb(tool, order):
        return False
    if (wanted := _NAMES.get(tool)) is not None:
        if not wanted.says(order.text):
            return False
    elif not _names_kind(tool, order):
        return False
    # «Task 3 is ready. Close it.»: the order points to what was said before.
    near = own if _POINTS_BACK.search(order.text) else order.text
    return all(
        _is_meant(name, value, near)
        and all(_is_named(text, near, own, names) for text in _texts(value, name))
        for name, value in arguments.items()
    )


def _has_verb(tool: str, order: Order) -> bool:
    family = tool.partition("_")[0]
    return family in FAMILIES and order.begins_with(family)


def _names_kind(tool: str, order: Order) -> bool:
    """Whether the order is about things of the tool's kind, and where it makes one, about one that
    it describes: «can you create tasks?» describes none.
    """
    kind = tool.rpartition("_")[2]
    text = re.sub(r'"[^"]*"', " ", order.text)
    title = order.title
    if tool.startswith("create"):
        if title is None or not KINDS[kind].says(text):
            return False
        head = order.text[: len(order.text) - len(title)]
        is_several = re.search(r"\b(?:tasks|tickets|features|stories|sprints|todos)\b", head, re.I)
        if order.is_asked and is_several:
            return False
        first = re.search(r"\b(?:task|ticket|to-?do|feature|story|sprint)s?\b", head, re.I)
        if first and not KINDS[kind].fullmatch(first.group()):
            return False
        return bool(_words(title) - _SMALL)
    return KINDS[kind].says(text) or not any(words.says(text) for words in KINDS.values())


def _is_named(text: str, near: str, own: str, names: Mapping[str, str]) -> bool:
    """Whether a text of the arguments is of the user: a number of this order, or their words."""
    if numbered := _NUMBERED.fullmatch(text.lower()):
        return numbered[1] in _words(near)
    if text in names:
        title = _title_of(names[text])
        number = _NUMBERED.match(names[text].lower())
        is_numbered = bool(number and number[1] in _words(near) and _names_number(near, number[1]))
        return is_numbered or _is_own(title, _words(near))
    return _is_own(text, _words(own))


def _names_number(near: str, number: str) -> bool:
    return re.search(rf"[a-z][- ]0*{number}\b", near, re.IGNORECASE) is not None


def _is_meant(name: str, value: Any, request: str) -> bool:
    """Whether a figure, a switch or a status is in the order; all else is read as text."""
    match value:
        case bool():  # `closed`: who closes or opens something says so
            pattern = rf"{name.removesuffix('d')}\w*" if value else "open|reopen"
        case int() | float():
            pattern = re.escape(f"{value:g}")
        case str() if name == "status" and value in _STATUSES:
            return _STATUSES[value].says(request)
        case str() if name == "status":
            pattern = re.escape(value.replace("_", " "))
        case _:
            return True
    return re.search(rf"\b(?:{pattern})\b", request, re.IGNORECASE) is not None


def _title_of(name: str) -> str:
    """The name without the number in front."""
    number, _, title = name.partition(" ")
    return title if _NUMBERED.fullmatch(number) else name


def _texts(value: Any, name: str = "") -> Iterator[str]:
    """The free texts among the arguments; a day, a status and a kind are none."""
    if isinstance(value, str) and name not in NO_TEXTS:
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, str(key))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item, name)


def _is_own(text: str, words: frozenset[str]) -> bool:
    needed = _words(text) - _SMALL
    return not needed or len(needed & words) >= OWN_SHARE * len(needed)


def _words(text: str) -> frozenset[str]:
    """Numbers without leading zeros, so that `task 3` is `task-003`."""
    bare = re.sub("['’]", "", text.lower())
    return frozenset(word.lstrip("0") or word for word in _WORD.findall(bare))
