"""The mood of a statement: whether it binds, lets somebody do a thing, asks, or only tells.

Words know their project, moods do not: «members can see all offers» lets somebody do something
wherever it is said. So a mood shifts the probability that trained weights give to a kind.
"""

from __future__ import annotations

import re
from typing import Literal

from agents.offline.lexicons import Wording
from agents.offline.recognise.needs import find_requirement

Need = Literal["binds", "lets", "acts", "foretells", "describes", "mentions", "tells", "defines"]
Asking = Literal["asks", "requests", "leaves open", "doubts", "tells"]

SUBJECT_CHARS = 60  # what a statement is about stands in its beginning
_QUOTED = re.compile(r"[“\"]\w+(?: \w+)?[”\"]")  # a word that is spoken of
_ADDRESS = re.compile(r"(?<!\S)\S*(?:://|\bwww\.)\S*")
_IT_MUST = Wording("moods", "it_must")
_LETS = Wording("moods", "lets")
_ACTS = Wording("moods", "acts")
_WILL = re.compile(r"\bwill\b", re.IGNORECASE)
_WILL_CHANGE = Wording("moods", "will_change")
_PRODUCT = Wording("moods", "products")
_NEED_WORD = Wording("moods", "need_words")
_OF_THE_TEXT = Wording("moods", "of_the_text")
_REQUESTS = Wording("moods", "requests")
_OPEN = Wording("moods", "leaves_open")
_DOUBTS = Wording("moods", "doubts")


def find_need(words: str) -> Need:
    """How far a plain text asks something of somebody or something."""
    words = _QUOTED.sub("it", words)
    if words.endswith("?"):
        return "tells"
    if _OF_THE_TEXT.match(words):
        return "defines"
    if _IT_MUST.match(words) or find_requirement(words, named=True):
        return "binds"
    if _LETS.match(words):
        return "lets"
    if _ACTS.match(words):
        return "acts"
    if _WILL.search(words) and not _WILL_CHANGE.says(words):
        return "foretells"
    if _PRODUCT.says(words[:SUBJECT_CHARS]):
        return "describes"
    return "mentions" if _NEED_WORD.says(words) else "tells"


def find_asking(words: str) -> Asking:
    """How far a plain text asks; a request is polite for an order."""
    words = _ADDRESS.sub("", words)
    if "?" in words:
        return "requests" if _REQUESTS.match(words) else "asks"
    if _OPEN.says(words):
        return "leaves open"
    return "doubts" if _DOUBTS.match(words) else "tells"
