"""What stands over or beside a statement and turns it into its opposite, or takes it back.

«The depot must never:» denies the items of its list, however deep they are nested, until the list
ends or «Exceptions:» follows; «Allowed: no» denies its row, «rejected» takes it back. What is
nearest counts. Only announcements do so: a condition or a reason over a list denies nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agents.offline.lexicons import Wording
from agents.offline.segment.passages import Passage, Span
from agents.offline.segment.sections import Role, role_of, simplify
from agents.offline.segment.tags import SIGN, Stance, label_of, stance_of_heading, takes_back
from agents.offline.segment.wording import split_sentences, strip_markup


class Stand(NamedTuple):
    """How its author stands to a statement; ``by`` is the announcement that says so.

    ``labelled``: the passage's own label says so, which is no part of the statement.
    """

    stance: Stance
    by: Span | None = None
    words: str = ""
    labelled: bool = False


MAX_LEAD_WORDS = 22
_QUOTE_LEAD = Wording("polarity", "quote_lead")
_NO_DENIAL = Wording("polarity", "no_denial")
_YES = Wording("polarity", "yes")
_NO = Wording("polarity", "no")
_REMARK_COLUMN = Wording("polarity", "remark_column")
_STATUS_COLUMN = Wording("polarity", "status_column")
_COLUMNS: tuple[tuple[Wording, bool, Stance], ...] = (
    (Wording("polarity", "allowed_column"), False, "forbidden"),
    (Wording("polarity", "required_column"), False, "waived"),
    (Wording("polarity", "accepted_column"), False, "withdrawn"),
    (Wording("polarity", "forbidden_column"), True, "forbidden"),
    (Wording("polarity", "withdrawn_column"), True, "withdrawn"),
)  # which answer in such a column says so
_LEADS: tuple[tuple[Stance, Wording], ...] = (
    ("withdrawn", Wording("polarity", "withdraws_lead")),
    ("others", Wording("polarity", "others_lead")),
    ("excluded", Wording("polarity", "excludes_lead")),
    ("unsupported", Wording("polarity", "unsupports_lead")),
    ("waived", Wording("polarity", "waives_lead")),
    ("forbidden", Wording("polarity", "forbids_label")),
    ("forbidden", Wording("polarity", "forbids_lead")),
    ("weighed", Wording("polarity", "weighs_lead")),
    ("fine", Wording("polarity", "allows_lead")),
)
_STATE_COLUMN = Wording("polarity", "accepted_column", entry="states")
_STANCE_OF_ROLE: dict[Role, Stance] = {
    "forbidden": "forbidden",
    "waived": "waived",
    "non_goal": "excluded",
    "unsupported": "unsupported",
    "postponed": "postponed",
    "rejected": "withdrawn",
}
MAX_LABEL_WORDS = 8  # of an announcement that is no sentence, as a heading is none
_OF_LABELS = frozenset({"forbidden", "waived", "excluded", "unsupported", "postponed"})
_DENIALS = frozenset({"forbidden", "waived", "excluded", "unsupported", "withdrawn"})
_OPEN_END = re.compile(
    r"\b(?:must|shall|should|may|can|will|do|does)(?: not| never|n['’]t)$|"
    r"\b(?:cannot|can['’]t|won['’]t|never)$",
    re.IGNORECASE,
)
_FOLLOWING = re.compile(r"\b(?:the following|folgende\w*)\b", re.IGNORECASE)
_ID = re.compile(r"(?:[A-Z]{1,6}[-_ .]?)?#?\d[\d.]*", re.IGNORECASE)
_BOLD = re.compile(r"(\*\*|__|[*_`]).{2,80}\1:?")
_ASIDE = re.compile(r"\s*\([^()]*\)")


def _stance_of_lead(words: str) -> Stance | None:
    """What an announcement says of its items; nothing where it only tells when or why."""
    if len(words.split()) > MAX_LEAD_WORDS:
        return None
    announces = words.endswith(":") or _OPEN_END.search(words)
    if not (announces or (_FOLLOWING.search(words) and words.endswith("."))):
        return None
    said = _ASIDE.sub("", words).rstrip(":. ").strip()
    if words.endswith(":") and (stance := stance_of_label(said)):
        return stance
    for stance, wording in _LEADS:
        if wording.search(said):
            return None if stance in _DENIALS and _NO_DENIAL.search(said) else stance
    return None


def stance_of_label(said: str) -> Stance | None:
    """What a label says of what it stands over, which it says as a heading would."""
    if len(said.split()) > MAX_LABEL_WORDS:
        return None
    return _STANCE_OF_ROLE.get(role_of(said))


def stand_over(text: str, passage: Passage) -> Stand | None:
    """The stance of the nearest announcement that ``passage`` stands under."""
    for span in reversed(passage.over):
        start, end = split_sentences(text, *span)[-1]
        words = strip_markup(text[start:end])
        bold = _BOLD.fullmatch(text, start, end) is not None
        stance = _stance_of_lead(f"{words.rstrip(':')}:" if bold else words)
        if stance is not None:
            said = words.rstrip(":. ")  # a label begins no sentence that an item goes on
            return Stand(stance, (start, end), "" if stance_of_label(said) else said)
    return None


def stand_of_label(raw: str) -> Stand | None:
    """What a passage's own label denies of it: «**Out of scope:** transport by air»."""
    label = label_of(raw)
    stance = stance_of_label(label) if label else None
    return Stand(stance, labelled=True) if stance in _OF_LABELS else None


def is_quoted(text: str, passage: Passage) -> bool:
    """Whether a passage announces that others speak in what follows it."""
    start, end = split_sentences(text, passage.start, passage.end)[-1]
    words = strip_markup(text[start:end])
    if not words.endswith(":") or len(words.split()) > MAX_LEAD_WORDS:
        return False
    said = words.rstrip(": ")
    return bool(_QUOTE_LEAD.search(said)) or _stance_of_lead(words) in ("others", "withdrawn")


def stand_of_row(text: str, passage: Passage) -> Stand | None:
    """What the other cells of its row and its own column's head say of a cell."""
    own = text[passage.start : passage.end].strip()
    mine = next((at for at, (_, cell) in enumerate(passage.cells) if cell == own), 0)
    head = passage.cells[mine][0] if passage.cells else ""
    over = stance_of_heading(head, simplify(head)) if head else None
    if over in ("forbidden", "withdrawn", "others"):
        return Stand(over)
    for place in range(len(passage.cells)):
        stance = _stance_of_cell(passage, place) if place != mine else None
        told = stance == "withdrawn" or mine < place or not _is_remark(passage, place, head)
        if stance and told:
            return Stand(stance)
    return None


def is_row_denied(passage: Passage) -> bool:
    """Whether one of its cells takes a row back or denies it; what is not supported is a fact."""
    for place, (head, _) in enumerate(passage.cells):
        stance = _stance_of_cell(passage, place)
        if stance and not (stance == "withdrawn" and _STATE_COLUMN.search(_column(head))):
            return True
    return False


def _stance_of_cell(passage: Passage, place: int) -> Stance | None:
    """What the cell at ``place`` says of its row; the first one may name what the row is about."""
    head, cell = passage.cells[place]
    column, said = _column(head), strip_markup(cell)
    tells = bool(place) and (not column or bool(_STATUS_COLUMN.search(column)))
    if tells and (takes_back(said or cell) or (column and SIGN.search(cell))):
        return "withdrawn"
    for wording, answer, stance in _COLUMNS:
        answers = _YES if answer else _NO
        if wording.search(column) and answers.match(cell.strip(" *_`").lower()):
            return stance
    return None


def _column(head: str) -> str:
    return strip_markup(head).lower().strip(" ?:*")


def _is_remark(passage: Passage, answered: int, head: str) -> bool:
    """Whether a cell behind the answer only speaks of what stands before that."""
    before = (cell for _, cell in passage.cells[:answered])
    named = any(it.strip() and not _ID.fullmatch(strip_markup(it)) for it in before)
    return named or bool(_REMARK_COLUMN.search(_column(head)))
