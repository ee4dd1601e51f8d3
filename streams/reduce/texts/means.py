"""By what means an order is done, as far as its sentence says so; else that is an open question."""

from __future__ import annotations

import re

from schemas.shortening import shorten
from streams.lexicons import Wording
from streams.reduce.texts.action_items import begins_with_order

OPEN = "Open question: how"
NOTHING_SAYS = "Nothing in the ledger says it yet."
OPEN_FOR_PERSON = f"{OPEN} is this done? {NOTHING_SAYS}"
MAX_ORDER = 130
# Where a sentence goes on with how, after what is to be done.
_BY_MEANS = Wording("reduce", "by_means")
_WORD = re.compile(r"[^\W_]+")
_LEAST_LEFT = 2  # words of what is to be done, before how


def split_means(sentence: str) -> str:
    """What is to be done, without how; empty where the sentence does not say how."""
    for match in _BY_MEANS.finditer(sentence):
        what, how = sentence[: match.start()], sentence[match.end() :]
        if len(_WORD.findall(what)) >= _LEAST_LEFT and _WORD.search(how):
            return what.rstrip(" ,;:")
    return ""


def ask_how(order: str) -> str:
    """The open question that stands for the approach of an order."""
    text = shorten(order.rstrip(" .,;:?!"), MAX_ORDER)
    if begins_with_order(text):
        return f"{OPEN} to {text[:1].lower()}{text[1:]}? {NOTHING_SAYS}"
    return f"{OPEN} is this done: {text}? {NOTHING_SAYS}"
