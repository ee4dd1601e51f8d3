"""Whether a sentence stands alone: whole, with a verb, and clear to who has not read its page.

The last question before a sentence becomes an atom, asked of its final wording. Repairing a
fragment was decided against, beyond taking a leading label or connective off: what is missing
cannot be known.
"""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording, load_words
from agents.offline.recognise.antecedents import lacks_antecedent
from agents.offline.recognise.noise import word_set
from agents.offline.recognise.stand_ins import speaks_of_stand_ins

_OPENS_ODD = re.compile(r"[()\]}>,;:./|*=~-]|\d+[).]\s|[a-z]\)\s|[ivx]{1,4}[.)]\s", re.IGNORECASE)
_ENDS_OPEN = Wording("fragments", "ends_open")
_ENDS_WITH_PREPOSITION = Wording("fragments", "ends_with_preposition")
_POINTS = Wording("fragments", "points_elsewhere")
_LABELLED_CLAUSE = re.compile(r"[^:]{1,50}: (?:is|are|was|will|[a-z]+s) ")
_POINTS_EARLY = Wording("fragments", "points_early")
_ELSEWHERE = Wording("fragments", "elsewhere")
_FIELD_LABEL = re.compile(
    r"\"[^\"]{1,40}\"\s*:|[a-z][\w.-]*(?: \([^)]*\))?: (?!must\b|should\b|shall\b)"
)
EARLY = 50  # characters before which «these» can have nothing in its own sentence to stand for
_NOTATION = Wording("fragments", "notation")
_JOINED = re.compile(
    r"[a-z]{2}\.[A-Z][a-z]+ [a-z]|[a-z],[a-z]+ |"
    r"[a-z]{3} (?:(?:This|These|It|However|Therefore) [a-z]|(?:In|If|When|For) (?:the|a|an|this) )|"
    r"(?<!etc)(?<!resp)(?<!incl)(?<!approx)(?<=[a-z]{3})\. [a-z]|"
    r"\(\s*\)|\?\?|\b(\w{3,}) \1\b"
)
_VERB = Wording("fragments", "finite")
_DANGLING = Wording("fragments", "dangling")
_ONLY_IF = re.compile(r"if [^,]+(?:, (?:but|and|or) [^,]+)+$", re.IGNORECASE)
_NO_SUBJECT = Wording("fragments", "no_subject")
_NO_CLAUSE = Wording("fragments", "no_clause")
_ORDER = Wording("fragments", "orders")
_QUESTION_WORD = Wording("fragments", "question_words")
_UNSURE = load_words("fragments", "unsure")
_ONCE_DONE = load_words("fragments", "once_done")
_NOT_DONE = Wording("fragments", "not_done")


def is_whole(text: str) -> bool:
    """Whether nothing of ``text`` is missing, wherever it points."""
    if _OPENS_ODD.match(text) or _is_unbalanced(text):
        return False
    is_question = text.endswith("?")  # «What is it made of?»
    if not is_question and (_ENDS_OPEN.says(text) or _ENDS_WITH_PREPOSITION.match(text)):
        return False
    return not (_NOTATION.says(text) or _ONLY_IF.match(text) or speaks_of_stand_ins(text))


def stands_alone(text: str, *, structural: bool) -> bool:
    """Whether ``text`` is a whole statement; under a telling heading it needs no verb."""
    if not is_whole(text):
        return False
    if not structural and (
        _NO_CLAUSE.match(text)
        or _NO_SUBJECT.match(text)
        or _FIELD_LABEL.match(text)
        or lacks_antecedent(text)
        or _LABELLED_CLAUSE.match(text.lower())
    ):
        return False
    if _LABELLED_CLAUSE.match(text):
        return False
    if _DANGLING.match(text) or _JOINED.search(text):
        return False
    if not word_set(text).isdisjoint(("above", "below")) and _ELSEWHERE.says(text):
        return False
    if _POINTS.says(text) or _POINTS_EARLY.search(text, 0, EARLY):
        return False
    return structural or has_verb(text)


def has_verb(text: str) -> bool:
    """Whether a finite verb is in sight; English only, and generous."""
    return _VERB.says(text)


def is_decisive(text: str) -> bool:
    """Whether what opens a decision section is a sentence or an order, not a heading in prose."""
    return has_verb(text) or is_order(text)


def is_order(text: str) -> bool:
    """Whether ``text`` begins with a verb that tells somebody to do it."""
    return bool(_ORDER.match(text))


def _is_unbalanced(text: str) -> bool:
    pairs = (("(", ")"), ("[", "]"), ("{", "}"))
    return any(text.count(a) != text.count(b) for a, b in pairs) or text.count('"') % 2 == 1


def asks(text: str) -> bool:
    """Whether ``text`` names something that is not known or not decided."""
    if text.endswith("?") or _QUESTION_WORD.match(text):
        return True
    heard = word_set(text)
    return not heard.isdisjoint(_UNSURE) or (
        not heard.isdisjoint(_ONCE_DONE) and _NOT_DONE.says(text)
    )
