"""What stands over or beside a statement and turns it into its opposite, or takes it back.

«The depot must never:» denies the items of its list, however deep they are nested, until the list
ends or «Exceptions:» follows; «Allowed: no» denies its row, «rejected» takes it back. What is
nearest counts. Only announcements do so: a condition or a reason over a list denies nothing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from agents.offline.lexicons import Wording, load_words
from agents.offline.recognise.disowned import is_of_nobody
from agents.offline.recognise.noise import word_set
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
    ("weighed", Wording("polarity", "weighs_lead")),
    ("withdrawn", Wording("polarity", "withdraws_lead")),
    ("others", Wording("polarity", "others_lead")),
    ("excluded", Wording("polarity", "excludes_lead")),
    ("unsupported", Wording("polarity", "unsupports_lead")),
    ("waived", Wording("polarity", "waives_lead")),
    ("forbidden", Wording("polarity", "forbids_label")),
    ("forbidden", Wording("polarity", "forbids_lead")),
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
_UNSTATED_WORDS = load_words("polarity", "unstated_words")
_FORMER = Wording("polarity", "former")
_ENDURED = Wording("polarity", "endured")
_ENDURED_IN_COMPLAINT = Wording("polarity", "endured_in_complaint")
_COMPLAINT_HEADING = Wording("polarity", "complaint_heading")
_SUPPOSED = Wording("polarity", "supposed")
_HYPOTHETICAL = Wording("polarity", "hypothetical")
_ANOTHER_OPTION = Wording("polarity", "another_option")
_SAID_OF_OTHERS = Wording("polarity", "said_of_others")
_OPTION_COLUMN = Wording("polarity", "option_column")
_WEIGHING_COLUMN = Wording("polarity", "weighing_column")
_CHOSEN = Wording("polarity", "chosen")
_OPEN_END = Wording("polarity", "open_end")
_FOLLOWING = re.compile(r"\b(?:the following|folgende\w*)\b", re.IGNORECASE)
_ID = re.compile(r"(?:[A-Z]{1,6}[-_ .]?)?#?\d[\d.]*", re.IGNORECASE)
_BOLD = re.compile(r"(\*\*|__|[*_`]).{2,80}\1:?")
_CONDITION = re.compile(r"(?:if|when|whenever|unless|until|while|in case|as long as)\b", re.I)
_ASIDE = re.compile(r"\s*\([^()]*\)")


@functools.lru_cache(maxsize=256)  # each item under it asks
def _stance_of_lead(words: str) -> Stance | None:
    """What an announcement says of its items; nothing where it only tells when or why."""
    if len(words.split()) > MAX_LEAD_WORDS:
        return None
    announces = words.endswith(":") or _OPEN_END.search(words)
    if not (announces or (_FOLLOWING.search(words) and words.endswith("."))):
        return None
    text = _ASIDE.sub("", words).rstrip(":. ").strip()
    if words.endswith(":") and (stance := stance_of_label(text)):
        return stance
    if is_of_nobody(text):
        return "others"
    for stance, wording in _LEADS:
        if wording.search(text):
            is_other = _NO_DENIAL.search(text) or _CONDITION.match(text)
            return None if stance in _DENIALS and is_other else stance
    return None


def stance_of_label(text: str) -> Stance | None:
    """What a label says of what it stands over, which it says as a heading would."""
    if len(text.split()) > MAX_LABEL_WORDS:
        return None
    return _STANCE_OF_ROLE.get(role_of(text))


def stand_over(text: str, passage: Passage) -> Stand | None:
    """The stance of the nearest announcement that ``passage`` stands under."""
    for span in reversed(passage.over):
        start, end = split_sentences(text, *span)[-1]
        words = strip_markup(text[start:end])
        bold = _BOLD.fullmatch(text, start, end) is not None
        stance = _stance_of_lead(f"{words.rstrip(':')}:" if bold else words)
        if stance is not None:
            label = words.rstrip(":. ")  # a label begins no sentence that an item goes on
            return Stand(stance, (start, end), "" if stance_of_label(label) else label)
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
    label = words.rstrip(": ")
    return _QUOTE_LEAD.says(label) or _stance_of_lead(words) in ("others", "withdrawn")


def stand_of_row(text: str, passage: Passage) -> Stand | None:
    """What the other cells of its row and its own column's head say of a cell."""
    own = text[passage.start : passage.end].strip()
    mine = next((at for at, (_, cell) in enumerate(passage.cells) if cell == own), 0)
    head = passage.cells[mine][0] if passage.cells else ""
    over = stance_of_heading(head, simplify(head)) if head else None
    if over in ("forbidden", "withdrawn", "others"):
        return Stand(over)
    if _is_weighed(passage):
        return Stand("weighed")
    for place in range(len(passage.cells)):
        stance = _stance_of_cell(passage, place) if place != mine else None
        counts = stance == "withdrawn" or mine < place or not _is_remark(passage, place, head)
        if stance and counts:
            return Stand(stance)
    return None


def is_row_denied(passage: Passage) -> bool:
    """Whether one of its cells takes a row back or denies it; what is not supported is a fact."""
    for place, (head, _) in enumerate(passage.cells):
        stance = _stance_of_cell(passage, place)
        if stance and not (stance == "withdrawn" and _STATE_COLUMN.says(_column(head))):
            return True
    return False


def _is_weighed(passage: Passage) -> bool:
    """Whether a row tells of one of several options, and not that it was chosen."""
    heads = [_column(head) for head, _ in passage.cells]
    if not heads or not _OPTION_COLUMN.says(heads[0]):
        return False
    if not any(_WEIGHING_COLUMN.says(it) for it in heads[1:]):
        return False
    chosen = (
        _CHOSEN.match(text) or (_CHOSEN.match(head) and _YES.match(text))
        for head, (_, cell) in zip(heads, passage.cells, strict=True)
        if (text := strip_markup(cell).strip(" *_`").lower() or cell.strip())
    )
    return not any(chosen)


def _stance_of_cell(passage: Passage, place: int) -> Stance | None:
    """What the cell at ``place`` says of its row; the first one may name what the row is about."""
    head, cell = passage.cells[place]
    column, value = _column(head), strip_markup(cell)
    tells = bool(place) and (not column or _STATUS_COLUMN.says(column))
    if tells and (takes_back(value or cell) or (column and SIGN.says(cell))):
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
    return named or bool(_REMARK_COLUMN.says(_column(head)))


def is_unstated(text: str, headings: Sequence[str], *, feared: bool, weighs: bool) -> bool:
    """Whether a sentence tells what was so once, what would be so, what another option is like or
    what others do: nothing that its author states of the project.

    What is ``feared`` may be worded as what would happen. Where a document ``weighs``, what people
    have to do as things are is what it wants to change.
    """
    if text.endswith("?") or word_set(text).isdisjoint(_UNSTATED_WORDS):
        return False
    if _FORMER.match(text) or _ANOTHER_OPTION.match(text) or _SAID_OF_OTHERS.match(text):
        return True
    if weighs and (_ENDURED.match(text) or _is_complaint(text, headings)):
        return True
    if feared:
        return False
    supposed = weighs and _SUPPOSED.says(text)
    return supposed or _HYPOTHETICAL.says(text)


def _is_complaint(text: str, headings: Sequence[str]) -> bool:
    if not _ENDURED_IN_COMPLAINT.match(text):
        return False
    return any(_COMPLAINT_HEADING.match(simplify(it)) for it in headings)
