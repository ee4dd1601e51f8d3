"""What an item says once the announcement over it, or a cell beside it, denies it.

«The depot must not:» with «open a parcel» is «The depot must not open a parcel». A whole sentence
gets its verb denied, and what can neither be joined nor denied gets a label that denies it.
"""

from __future__ import annotations

import re

from agents.offline.recognise.fragments import has_verb, is_order
from agents.offline.recognise.stances import Stand
from agents.offline.resolve.drafts import join_lead
from agents.offline.segment.wording import lower_first

_CLAUSE = re.compile(
    r"\b(?:that|which|who|whose|where|if|when|while|because|unless|until|although|so that|dass|"
    r"wenn|weil|falls)\b|[;:]",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"^\W*(?:do not|don['’]t|never|no|avoid|refrain|nothing|nobody|nie|niemals|kein\w*|keine\w*)\b|"
    r"\b(?:must|shall|should|may|can|could|will|would|do|does|did|is|are|was|were|has|have|need|"
    r"ought)(?: not| never|n['’]t)\b|\bcannot\b|\b(?:forbidden|prohibited|avoided)\b|"
    r"\b(?:darf|dürfen|soll|sollen|kann|können|wird|ist)\b.{0,40}\b(?:nicht|kein\w*|nie\w*)\b",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"\b(?P<modal>must|shall|should|may|can|could|will|would|has to|have to|needs? to|ought to|"
    r"(?:is|are) allowed to|muss|müssen|soll|sollen|sollte|sollten|darf|dürfen|kann|können)\b",
    re.IGNORECASE,
)
_GERMAN = re.compile(r"(?:muss|müssen|soll\w*|darf|dürfen|kann|können)$", re.IGNORECASE)
_PLURAL = re.compile(r"(?:have|are|müssen|sollen|sollten|dürfen|können|need)\b", re.IGNORECASE)
_ENDS_IN_VERB = re.compile(
    r"\b(?:must|shall|should|may|can|could|will|would|do|does|did|need)(?: not| never|n['’]t)"
    r"(?: \w+ly)?$|\b(?:cannot|can['’]t|won['’]t|never|need not|not (?:need|have|allowed|permitted|"
    r"able|required|obliged) to|(?:forbidden|prohibited) to)$",
    re.IGNORECASE,
)
_TAKES_OBJECT = re.compile(
    r"^(?!.*\b(?:following|these|this|that|it|things?|actions?)$)(?:.*\b(?:do|does|did|is|are|must|"
    r"shall|should|may|can|could|will|would)(?: not| never|n['’]t)(?: [a-z]+){0,3}|"
    r"(?:do not|don['’]t|never|avoid)(?: [a-z]+){0,2})$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?:the|an?|this|these|that|it|they|we|each|every|all|any|no|some|der|die|das|ein|eine)\b",
    re.IGNORECASE,
)
_GERUND = re.compile(r"\W*(?:not )?\w+ing\b")
_AUXILIARY = re.compile(r"^[^,;:]{2,50}? (?:is|are|was|were|has|have|wird|werden|ist|sind)\b")
_POINTS = re.compile(
    r"\b(?:following|these|those|any of|none of|nobody|no one|forbidden|prohibited|disallowed|"
    r"banned|not (?:allowed|permitted|acceptable|supported|required|needed|necessary)|"
    r"folgende\w*|verboten|untersagt|"
    r"nicht (?:erlaubt|gestattet|zulässig|erforderlich))\b",
    re.IGNORECASE,
)  # such an announcement names its items, whatever they are
_DO_THESE = re.compile(
    r"(?<=\bnot) (?:ever )?do (?:any |one |either )?(?:of )?(?:the following|these|this)"
    r"(?: [\w-]+)?$",
    re.IGNORECASE,
)
_GERMAN_WORDS = re.compile(
    r"\b(?:nicht|kein\w*|niemand|verboten|untersagt|unzulässig|niemals|nie|darf|dürfen|folgende\w*)\b",
    re.IGNORECASE,
)


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
        return f"{label[bool(_GERMAN_WORDS.search(stand.words))]}: {lower_first(item)}"
    lead = _DO_THESE.sub("", stand.words) if _opens_with_verb(item) else stand.words
    if lead and _is_clause(item) and not _POINTS.search(lead):
        return ""
    if denied := _deny_verb(item, waived=stand.stance == "waived"):
        return denied
    if not lead and stand.stance == "waived":
        return ""  # a thing that is not required, and what is said of it
    if lead and _ENDS_IN_VERB.search(lead) and not _is_clause(item):
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
    if _GERMAN_WORDS.search(stand.words):
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
