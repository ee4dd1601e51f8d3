"""What an item says once the announcement over it, or a cell beside it, denies it.

«The depot must not:» with «open a parcel» is «The depot must not open a parcel». A whole sentence
gets its verb denied, and what can neither be joined nor denied gets a label that denies it.
"""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording
from agents.offline.recognise.fragments import has_verb, is_order
from agents.offline.recognise.stances import Stand
from agents.offline.resolve.drafts import join_lead
from agents.offline.segment.wording import lower_first

_CLAUSE = Wording("polarity", "clause_begins")
_DENIED = Wording("polarity", "denied")
_MODAL = Wording("polarity", "modal")
_GERMAN = re.compile(r"(?:muss|müssen|soll\w*|darf|dürfen|kann|können)$", re.IGNORECASE)
_PLURAL = re.compile(r"(?:have|are|müssen|sollen|sollten|dürfen|können|need)\b", re.IGNORECASE)
_ENDS_IN_VERB = Wording("polarity", "ends_in_verb")
_TAKES_OBJECT = Wording("polarity", "takes_object")
_SUBJECT = Wording("polarity", "subject_word")
_GERUND = re.compile(r"\W*(?:not )?\w+ing\b")
_AUXILIARY = re.compile(r"^[^,;:]{2,50}? (?:is|are|was|were|has|have|wird|werden|ist|sind)\b")
_POINTS = Wording("polarity", "points_to_items")
_DO_THESE = Wording("polarity", "do_these")
_GERMAN_WORDS = Wording("polarity", "german_denial")


_LABELS = {
    "unsupported": ("Not supported", "Nicht unterstützt"),
    "postponed": ("Postponed", "Zurückgestellt"),
}


def is_denied(text: str) -> bool:
    """Whether its main clause says no by itself."""
    denied = _DENIED.search(text)
    clause = _CLAUSE.search(text)
    return denied is not None and (clause is None or denied.start() <= clause.start())


def deny(text: str, stand: Stand) -> str:
    """``text`` as what its author means under ``stand``, which forbids or waives it; nothing where
    it is a sentence that does not go on what the announcement began.
    """
    item = text.strip()
    if is_denied(item):
        return item
    if label := _LABELS.get(stand.stance):
        return f"{label[_GERMAN_WORDS.says(stand.words)]}: {lower_first(item)}"
    lead = _DO_THESE.sub("", stand.words) if _opens_with_verb(item) else stand.words
    if lead and _is_clause(item) and not _POINTS.says(lead):
        return ""
    if denied := _deny_verb(item, waived=stand.stance == "waived"):
        return denied
    if not lead and stand.stance == "waived":
        return ""  # a thing that is not required, and what is said of it
    if lead and _ENDS_IN_VERB.says(lead) and not _is_clause(item):
        return join_lead(lead, item)
    if lead and _TAKES_OBJECT.match(lead) and not _is_clause(item) and not is_order(item):
        return f"{lead} {lower_first(item)}"
    return _label(item, stand)


def _is_clause(item: str) -> bool:
    """Whether an item is a sentence of its own: «The depot is cleaned by hand»."""
    if _GERUND.match(item):
        return False
    return bool(_AUXILIARY.search(item)) or (bool(_SUBJECT.match(item)) and has_verb(item))


def _opens_with_verb(item: str) -> bool:
    """Whether an item can go on «must not»: it is no gerund, no sentence, and names no thing."""
    return not (_GERUND.match(item) or _SUBJECT.match(item) or _is_clause(item))


def _deny_verb(item: str, *, waived: bool) -> str:
    """A sentence with its modal denied; nothing where it has none in its main clause."""
    modal, clause = _MODAL.search(item), _CLAUSE.search(item)
    if modal is None or not modal.start() or (clause and clause.start() < modal.start()):
        return ""
    text = modal["modal"].lower()
    before, after = item[: modal.start()], item[modal.end() :]
    if _GERMAN.match(text):
        verb = "müssen" if _PLURAL.match(text) else "muss"
        allowed = "dürfen" if _PLURAL.match(text) else "darf"
        return f"{before}{verb if waived else allowed} nicht{after}"
    if waived:
        return f"{before}need not{after}"
    denied = {"can": "cannot", "should": "should not", "shall": "shall not", "may": "may not"}
    denied |= {"will": "will not", "would": "would not", "could": "could not"}
    return f"{before}{denied.get(text, 'must not')}{after}"


def _label(item: str, stand: Stand) -> str:
    """``item`` behind words that deny it."""
    if _GERMAN_WORDS.says(stand.words):
        label = "Nicht erforderlich" if stand.stance == "waived" else "Nicht erlaubt"
    elif stand.stance == "waived":
        label = "Not required"
    elif _is_clause(item):
        return f"It must not happen that {lower_first(item)}"
    elif is_order(item):
        return f"Do not {lower_first(item)}"
    else:
        label = "Not allowed"
    return f"{label}: {lower_first(item)}"
