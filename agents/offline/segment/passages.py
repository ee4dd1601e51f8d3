"""A passage: a paragraph, list item, table cell or comment, as a span of the chunk's raw text.

Markup is taken off only for wording; what counts as evidence is always the raw span.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Form = Literal[
    "paragraph", "item", "task", "row", "quote", "heading", "comment", "record", "scenario"
]
Span = tuple[int, int]
MIN_EVIDENCE_CHARS = 20  # of a passage that is cited


@dataclass(frozen=True, slots=True)
class Passage:
    """``[start, end)`` of the chunk's text, without list marker and outer blanks.

    ``headings`` are those in force, outermost first. ``lead`` is the sentence that announces the
    list this item stands in. ``place`` counts the passages since the last heading from 0;
    ``opening`` says that it is what opens its section, or an item of the list the opening
    announces. ``indent`` is that of its first line, list marker and all, in characters. ``over`` is
    what an item or row stands under, outermost first: the paragraph before the list, whatever that
    says, and the items it is nested in. ``cells`` are a row's cells, each after what the table's
    head calls its column, those of a ``scenario`` its steps, each after its word. A ``record`` is a
    whole row. ``titled`` says that it is the first text of an element with a title, or what a
    document says of itself before it begins. ``labels`` are the cells before a row's cell, those
    that go over several rows among them, of a ``record`` all its cells; ``beside`` are those after
    it, each after its column's head.
    """

    start: int
    end: int
    form: Form
    headings: tuple[str, ...] = ()
    lead: Span | None = None
    done: bool = False
    place: int = 0
    opening: bool = False
    indent: int = 0
    over: tuple[Span, ...] = ()
    cells: tuple[tuple[str, str], ...] = ()
    titled: bool = False
    labels: tuple[str, ...] = ()
    beside: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: its span, raw and plain, with the reason sentence that follows it, if any.

    ``near`` are the plain sentences before and after it in its passage. ``denied_by`` is what
    it takes its negation from, where its own words had none.
    """

    span: Span
    raw: str
    text: str
    following: Span | None = None
    reason: str = ""
    near: str = ""
    denied_by: Span | None = None
