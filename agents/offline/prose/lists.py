"""What the items of lists and the cells of tables take from the text that announces them."""

from __future__ import annotations

import re
from dataclasses import replace

from agents.offline.lexicons import Wording
from agents.offline.recognise.cues import WEAK
from agents.offline.recognise.fragments import is_order
from agents.offline.recognise.noise import (
    needs_context,
)
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Passage, Span
from agents.offline.segment.sections import Role
from agents.offline.segment.tables import is_id
from agents.offline.segment.wording import (
    body_of,
    lower_first,
    split_sentences,
    strip_markup,
    title_of,
)

MAX_NAME = 40  # characters of a cell that names its row
_NAMES_ROWS = Wording("tables", "naming")
_LEAD_MODAL = Wording("lists", "lead_modals")
_LEAD_THREAT = re.compile(r"^(?!\W*(?:this|it|these|they|we|you)\b).*\b(?:can|could|may|might):$")
_LEAD_ACTOR = Wording("lists", "lead_actors")
_MODAL_FIRST = re.compile(r"\W{0,4}(?:must|shall|should)\b", re.IGNORECASE)
_NEEDS_ITSELF = Wording("lists", "needs_itself")
_CASES = Wording("lists", "cases")
_BURDENED = Wording("lists", "burdened")
_ASIDE_LAST = Wording("lists", "aside_last")
_FOR_NOW = Wording("lists", "for_now")
_LIST_END = re.compile(r"(?<=[\w)\]%\"”’'`])[;,](?: (?:and|or|und|oder|y|o))?$")
FEWEST_BLANKS = 2  # of an item that is no line of code
_OPEN_END = Wording("lists", "open_end")


def row_name(text: str, passage: Passage) -> str:
    """What a row of a table is about: the cells before its statement, as far as they are names."""
    if passage.form != "row":
        return ""
    cells = [strip_markup(it) for it in passage.labels]
    named = [it for it in cells if it and not is_id(it)]
    cells = named or [it for it in cells if it]
    names = [it for it in cells if _is_name(it)]
    if not cells:  # the statement comes first
        beside = ((head, strip_markup(cell).strip()) for head, cell in passage.beside)
        cells = names = [
            cell
            for head, cell in beside
            if _is_name(cell) and not is_id(cell) and _NAMES_ROWS.match(_words(head))
        ]
    return ", ".join(dict.fromkeys(names)) if cells and cells[0] in names else ""


def _is_name(text: str) -> bool:
    return 0 < len(text) <= MAX_NAME and len(text.split()) <= 3


def _words(head: str) -> str:
    return strip_markup(head).lower().strip(" ?:.*")


def names_it(name: str, text: str) -> bool:
    """Whether ``text`` has the name as words of its own; «A» is no «a»."""
    flags = re.IGNORECASE if len(name) > 3 else re.NOFLAG
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, flags) is not None


def is_of_row(text: str, passage: Passage, name: str) -> bool:
    """Whether it is no cell of a table, or of the row that has this name."""
    return passage.form != "row" or name.lower() == row_name(text, passage).lower()


def is_further_cell(text: str, passage: Passage) -> bool:
    """Whether a cell comes before it in its row: among risks, it says what is done about one."""
    return passage.form == "row" and bool(_before_in_line(text, passage).strip(" \t|"))


def _before_in_line(text: str, passage: Passage) -> str:
    return text[text.rfind("\n", 0, passage.start) + 1 : passage.start].strip()


def name_row(draft: Draft, name: str, section: str) -> Draft:
    """``draft`` with its section's and row's name in front: a field is one of its message. Weak
    where the row has none, or it is no need.
    """
    if not name or draft.kind != "requirement":
        return replace(draft, confidence=WEAK)
    label = f"{name}: "
    statement, body = draft.statement, draft.body
    if statement.lower().startswith(label.lower()):  # named so already
        statement, body = statement[len(label) :], body.removeprefix(label)
    elif names_it(name, draft.title):
        return draft
    front = "" if not section or section.lower() in draft.title.lower() else f"{section}, "
    text = f"{front}{label}{lower_first(statement)}"
    title = title_of(f"{draft.scope}: {text}" if draft.scope else text)
    return replace(draft, title=title, body=body_of(f"{label}{lower_first(body)}"))


def find_burdened(text: str, lead: Span) -> tuple[Span, str] | None:
    """The sentence over a list of drawbacks and what it says has them."""
    start, end = split_sentences(text, *lead)[-1]
    over = _BURDENED.match(strip_markup(text[start:end]))
    return ((start, end), over.group("what")) if over else None


def name_burdened(draft: Draft, over: Span, what: str) -> Draft:
    """``draft`` with what has that drawback in its title, and the sentence that says so."""
    if what.lower() not in draft.title.lower():
        title = title_of(f"{what}: {lower_first(draft.own_title)}")
        draft = replace(draft, title=title, scope=what, aside=False)
    return replace(draft, frames=(*draft.frames, over))


def is_case(text: str, passage: Passage) -> bool:
    """Whether what reads like a claim is a cell of a table, or one of the cases listed."""
    if passage.form == "row":
        return True
    return passage.lead is not None and bool(_CASES.search(text, *passage.lead))


def find_lead(text: str, passage: Passage, role: Role) -> tuple[Span, str] | None:
    """The announcing sentence of a list when it ends in a modal: «The system must:», among risks
    «An attacker could:».
    """
    if passage.lead is None or role not in ("plain", "requirement", "decision", "risk"):
        return None
    span = split_sentences(text, *passage.lead)[-1]
    words = _FOR_NOW.sub("", strip_markup(text[span[0] : span[1]]))
    words = f"{words.rstrip(': ')}:"
    if role == "risk":
        return (span, words.rstrip(": ")) if _LEAD_THREAT.search(words) else None
    is_subject = _LEAD_ACTOR.fullmatch(words) and _MODAL_FIRST.match(text, passage.start)
    if not is_subject and not (_LEAD_MODAL.says(words) and 3 <= len(words.split()) <= 20):
        return None
    if needs_context(words):
        return None
    lead = words.rstrip(": ")
    return span, f"{lead}," if _ASIDE_LAST.says(lead) else lead


def drop_marks(passage: Passage, plains: list[str]) -> list[str]:
    """The sentences of a cell without escapes of its bars, those of an item without what ties it
    to the next one: «…; and».
    """
    if passage.form == "row":
        return [it.replace("\\|", "|") for it in plains]
    end = _LIST_END.search(plains[-1]) if passage.form in ("item", "task") and plains else None
    if end is None or plains[-1].count(" ") < FEWEST_BLANKS:
        return plains
    return [*plains[:-1], plains[-1][: end.start()]]


def open_lead(text: str, passage: Passage) -> str:
    """The announcement of a list whose items go on its verb: «The depot must not:»; else nothing.

    With it an item of one word is a sentence.
    """
    if passage.form not in ("item", "task") or passage.lead is None:
        return ""
    words = strip_markup(text[slice(*split_sentences(text, *passage.lead)[-1])])
    return words.rstrip(": ") if _OPEN_END.says(words) else ""


def widen_quotes(draft: Draft, text: str) -> Draft:
    """``draft`` with what it cites long enough to be evidence: a short item with the lines before
    it, and its announcement too.
    """
    start, end = draft.spans[0]
    if end - start >= MIN_EVIDENCE_CHARS:
        return draft
    leads = tuple(_widen(text, it, ()) for it in draft.frames)
    first = _widen(text, draft.spans[0], leads)
    return replace(draft, spans=(first, *draft.spans[1:]), frames=leads)


def _widen(text: str, span: Span, leads: tuple[Span, ...]) -> Span:
    """``span`` from the start of a line before it on, and of a lead that it would cut."""
    start, end = span
    while end - start < MIN_EVIDENCE_CHARS and text[:start].strip():
        before = len(text[:start].rstrip())
        start = text.rfind("\n", 0, before) + 1
    return min([start, *(a for a, b in leads if a < start < b)]), end


def needs_itself(item: str) -> bool:
    """Whether an item is a need with a subject of its own: no «must:» above begins it."""
    return _NEEDS_ITSELF.match(item) is not None and not is_order(item)
