"""Rows of tables as statements: each is read with what the head calls its columns.

What a table is about decides: needs, risks, choices, questions, tasks, states, bounds, or what
things do. Rows that list the parts of an interface, of a test or of a history state nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from agents.offline.judge.features import mark_place
from agents.offline.lexicons import Wording
from agents.offline.prose.formed import is_glossary, lower_told
from agents.offline.prose.lists import widen_quotes
from agents.offline.prose.story_rows import story_row
from agents.offline.prose.values import Cell, Statement, ranked_row, tell_pairs, valued_row
from agents.offline.recognise.cues import FORMED, MODAL, polarity_of
from agents.offline.recognise.entities import names_in
from agents.offline.recognise.fragments import has_verb
from agents.offline.recognise.impact import burden_of, impact_of, severity_of
from agents.offline.recognise.needs import requirement_attributes
from agents.offline.recognise.stances import is_row_denied
from agents.offline.resolve.drafts import Draft, add_scope, tags_of
from agents.offline.resolve.places import Place
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Passage
from agents.offline.segment.sections import Role, role_of, show_heading
from agents.offline.segment.wording import body_of, lower_first, strip_markup
from schemas.areas import main_area
from schemas.events.atom import AtomKind, Polarity

_COLUMNS = {
    name: Wording("tables", name)
    for name in (
        "numbering",
        "question",
        "risk",
        "requirement",
        "decision",
        "task",
        "impact",
        "measure",
        "answer",
        "owner",
        "due",
        "priority",
        "status",
        "telling",
        "reference",
    )
}
_LIMIT = Wording("tables", "limit")
_FINISHED = Wording("tables", "finished")
_YES = Wording("polarity", "yes")
_NO = Wording("polarity", "no")
_DENIES = Wording("tables", "denies")
_MINE = re.compile(r"\b(?:I|my|me)\b")
_EXAMPLE = Wording("tables", "example_row")
_EMPTY = re.compile(r"[\W_]*(?:n/?a|none|tbd|unknown|todo)?[\W_]*$", re.IGNORECASE)
_FIGURE = re.compile(r"\d")
_ID = re.compile(r"(?:[A-Z]++[-_ .]?)*+#?\d[\d.]*$|[A-Z]{1,3}$")
_STATED: tuple[tuple[str, AtomKind], ...] = (
    ("question", "unknown"),
    ("risk", "risk"),
    ("requirement", "requirement"),
    ("decision", "decision"),
    ("task", "action_item"),
)
_LEFT_OUT = frozenset({"non_goal", "unsupported", "postponed", "waived", "forbidden"})
MOST_NAME = 80  # characters of what names a row
FEWEST_WORDS = 3  # of a cell that states something
TELLING_WORDS = 4  # of one that tells what a thing is


def row_drafts(setting: Setting, passage: Passage, role: Role, place: Place) -> Iterator[Draft]:
    """What a row states; nothing where it is one of a list that states nothing."""
    labelled = zip((head for head, _ in passage.cells), passage.labels, strict=False)
    cells = [it for it in map(_read_cell, labelled) if it.head or it.said]
    if role in ("how_to", "terms") or is_glossary(setting) or len(cells) < 2:
        return
    if _serves_as_example(setting.text, passage):
        return
    story = story_row(cells)
    if story is None and any(_MINE.search(it.head) for it in cells):
        return
    if is_row_denied(passage) or _is_over(cells):
        return
    if passage.end - passage.start < MIN_EVIDENCE_CHARS:
        row = ranked_row(cells) or valued_row(cells)
    else:
        row = _stated(cells) or ranked_row(cells) or _tell_row(cells) or valued_row(cells)
    row = story or row
    rows = list(_sided(cells)) or filter(None, (row,))
    for it in rows:
        if role in _LEFT_OUT:
            it = it._replace(**_deny(passage, role, it))
        if it.title:
            yield _draft_of(setting, passage, role, place, cells, it)


def _deny(passage: Passage, role: Role, row: Statement) -> dict[str, Any]:
    """What a row says under a heading that leaves it out; no title where that is another one."""
    over = passage.headings[-1]
    if role_of(over) != role:
        return {"title": ""}
    title = f"{show_heading(over)}: {lower_first(row.title)}"
    return {"title": title, "kind": "claim", "attributes": row.attributes | {"scope": "out"}}


def _serves_as_example(text: str, passage: Passage) -> bool:
    """Whether what stands before the table announces an example."""
    return any(_EXAMPLE.search(text, *span) for span in passage.over[-1:])


def _draft_of(
    setting: Setting,
    passage: Passage,
    role: Role,
    place: Place,
    cells: list[Cell],
    draft: Statement,
) -> Draft:
    scope = _scope_of(place, draft.title)
    title = add_scope(scope, draft.title, aside=True)
    made = Draft(
        kind=draft.kind,
        title=title,
        body=body_of("; ".join(f"{it.head}: {it.said}" for it in cells if it.said)),
        confidence=draft.confidence,
        spans=((passage.start, passage.end),),
        area=main_area(" ".join((draft.title, *passage.headings[-3:])), "scope"),
        polarity=_polarity_of(draft),
        severity=draft.severity,
        impact=draft.impact,
        tags=tags_of(draft.title, ()),
        attributes=draft.attributes,
        entities=tuple(names_in(draft.title, draft.title)),
        scope=scope,
        aside=bool(scope),
    )
    return mark_place(widen_quotes(made, setting.text), setting, passage, role, 0, led=False)


def add_rows(drafts: list[Draft], rows: list[Draft]) -> list[Draft]:
    """``drafts`` with the rows; in place of what is less sure of one of their cells."""
    sure = [it.spans[0] for it in drafts if it.confidence >= MODAL]
    kept = [it for it in rows if not any(_holds(it, span) for span in sure)]
    beside = [it for it in drafts if not any(_holds(row, it.spans[0]) for row in kept)]
    return [*beside, *kept]


def _holds(row: Draft, span: tuple[int, int]) -> bool:
    return row.spans[0][0] <= span[0] and span[1] <= row.spans[0][1]


def _polarity_of(draft: Statement) -> Polarity | None:
    if draft.attributes.get("scope") == "out":
        return "negate"
    return None if draft.kind == "unknown" else polarity_of(draft.title)


def _read_cell(cell: tuple[str, str]) -> Cell:
    head = strip_markup(cell[0]).strip(" *_`")
    words = head.lower().strip(" ?:.*")
    sort = next((name for name, wording in _COLUMNS.items() if wording.match(words)), "")
    text = strip_markup(cell[1]).replace("\\|", "|").strip()
    return Cell(head, sort, "" if _EMPTY.match(text) else text, cell[1])


def _sided(cells: list[Cell]) -> Iterator[Statement]:
    """Both cells of a row whose columns are opposite lists: «We seal», «We do not seal»."""
    if len(cells) != 2 or _DENIES.says(cells[0].head) or not _DENIES.says(cells[1].head):
        return
    for cell, scope in zip(cells, ("in", "out"), strict=True):
        if len(cell.said.split()) > 1:
            yield Statement(
                "claim", f"{cell.head}: {lower_first(cell.said)}", FORMED, {"scope": scope}
            )


def _stated(cells: list[Cell]) -> Statement | None:
    """What a row states whose column says which kind of thing it holds."""
    sorts = {it.sort for it in cells}
    for sort, kind in _STATED:
        cell = next((it for it in cells if it.sort == sort), None)
        if cell is None or not cell.said:
            continue
        if len(cell.said.split()) < FEWEST_WORDS and sort != "decision":
            continue
        match kind:
            case "unknown":
                return _asked(cells, cell)
            case "risk" if sorts & {"impact", "measure", "priority"} or cell is cells[0]:
                return _threatening(cells, cell)
            case "requirement":
                return _needed(cells, cell)
            case "decision":
                return _chosen(cells, cell)
            case "action_item" if sorts & {"owner", "due", "status", "priority"}:
                return _to_do(cells, cell)
    return None


def _is_over(cells: list[Cell]) -> bool:
    """Whether it is a task or question that was seen to, and says no answer."""
    sorts = {it.sort for it in cells}
    if not sorts & {"task", "question"} or "answer" in sorts:
        return False
    states = (it for it in cells if it.sort == "status")
    return any(
        _FINISHED.match(it.said) or _YES.match(it.raw.strip(" *_`").lower()) for it in states
    )


def _asked(cells: list[Cell], cell: Cell) -> Statement | None:
    answer = next((it.said for it in cells if it.sort in ("answer", "decision")), "")
    if len(answer.split()) >= 2:
        return Statement("claim", f"{cell.said} {answer}", FORMED, {})
    return Statement("unknown", cell.said, MODAL, {"question": cell.said})


def _threatening(cells: list[Cell], cell: Cell) -> Statement | None:
    beside = next((it.said for it in cells if it.sort == "impact"), "")
    text = cell.said
    if beside and len(beside.split()) >= FEWEST_WORDS:
        text = f"{cell.said.rstrip('.')} – {lower_first(beside)}"
    whole = " ".join(it.said for it in cells if it.sort != "measure")
    impact = impact_of(whole) or burden_of(whole)
    if not impact:
        return None
    return Statement("risk", text, MODAL, {}, severity_of(whole) or "low", impact)


def _needed(cells: list[Cell], cell: Cell) -> Statement:
    name = _name_of(cells, cell)
    text = cell.said if has_verb(cell.said) else f"{name or cell.head}: {lower_first(cell.said)}"
    return Statement("requirement", text, MODAL, requirement_attributes(cell.said))


def _chosen(cells: list[Cell], cell: Cell) -> Statement | None:
    name = _name_of(cells, cell)
    if not name or name == cell.said:
        return None
    why = next((it.said for it in cells if it.sort == "telling"), "")
    return Statement(
        "decision", f"{name}: {lower_first(cell.said)}", MODAL, {"rationale": why} if why else {}
    )


def _to_do(cells: list[Cell], cell: Cell) -> Statement:
    hints = {"owner": "owner_hint", "due": "due_hint"}
    given = {hints[it.sort]: it.said for it in cells if it.sort in hints and it.said}
    return Statement("action_item", cell.said, MODAL, given)


def _name_of(cells: list[Cell], but: Cell) -> str:
    """What the row is about: its first cell that is more than a number."""
    for it in cells:
        if it is not but and it.said and it.sort != "numbering" and not _ID.match(it.said):
            return it.said if len(it.said) <= MOST_NAME else ""
    return ""


def _tell_row(cells: list[Cell]) -> Statement | None:
    """What a row tells of the thing that its first cell names."""
    named = [it for it in cells if it.sort != "numbering"]
    if len(named) < 2 or not named[0].said or len(named[0].said) > MOST_NAME:
        return None
    first, rest = named[0], named[1:]
    if (
        first.sort == "reference"
        or first.raw.lstrip(" *[").startswith("`")
        or _FIGURE.match(first.said)
    ):
        return None
    if any(it.sort in ("reference", "task", "measure") for it in rest) or not any(
        it.head for it in rest
    ):
        return None
    return _answered(first, rest) or _bounded(first, rest) or _described(first, rest)


def _answered(first: Cell, rest: list[Cell]) -> Statement | None:
    """A row of yes and no: which of the columns have what it names."""
    marks = [it.raw.strip(" *_`").lower() for it in rest]
    has = [it.head for it, mark in zip(rest, marks, strict=True) if it.head and _YES.match(mark)]
    lacks = [it.head for it, mark in zip(rest, marks, strict=True) if it.head and _NO.match(mark)]
    if not has + lacks or len(has + lacks) * 2 < len(rest):
        return None
    phrases = [f"yes for {_list(has)}"] if has else []
    phrases += [f"no for {_list(lacks)}"] if lacks else []
    others = [f"{it.head} {lower_first(it.said)}" for it in rest if it.head not in has + lacks]
    phrases += [it for it in others[:2] if it.strip()]
    return Statement("claim", f"{first.said}: {'; '.join(phrases)}", FORMED, {})


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _bounded(first: Cell, rest: list[Cell]) -> Statement | None:
    """A row with a figure in a column that names a bound."""
    if not any(_LIMIT.says(it.head.lower()) and _FIGURE.search(it.said) for it in rest):
        return None
    return Statement("claim", tell_pairs(first, rest), FORMED, {})


def _described(first: Cell, rest: list[Cell]) -> Statement | None:
    """A row that tells in words what a thing is, or how it differs by column."""
    telling = [it for it in rest if len(it.said.split()) >= TELLING_WORDS]
    state = any(it.sort in ("status", "due") and it.said for it in rest)
    if not telling and not state:
        return None
    if len(telling) == 1 and telling[0].sort == "telling" and not state:
        text = telling[0].said
        own = text.lower().startswith(first.said.lower())
        return Statement("claim", text if own else f"{first.said}: {lower_told(text)}", FORMED, {})
    return Statement("claim", tell_pairs(first, rest), FORMED, {})


def _scope_of(place: Place, title: str) -> str:
    """What document and section are about, as far as the title does not say it."""
    low = title.lower()
    names = [it for it in (place.whole, place.part) if it and it.lower() not in low]
    return ", ".join(dict.fromkeys(names))
