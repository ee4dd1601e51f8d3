"""What one pass over the lines of a text remembers: headings in force, the open block, and what
announces the list it is in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from agents.offline.lexicons import Wording
from agents.offline.segment.passages import Form, Passage, Span
from agents.offline.segment.stated_headings import find_stated

TITLED = 9  # the level of an element's title; those of headings are lower
_OPEN_END = Wording("sentences", "binding_end")

FAR_BELOW = 600  # characters below a heading in which its words may be said again


@dataclass(slots=True)
class Block:
    """Lines that will be a passage; ``cells`` are those of its row, by what their columns are
    called.
    """

    start: int
    end: int
    form: Form
    indent: int
    lines: int = 1
    done: bool = False
    cells: tuple[tuple[str, str], ...] = ()
    labels: tuple[str, ...] = ()
    beside: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Scan:
    """The state of one pass over a chunk's lines.

    ``fence`` opened what is skipped to its end, ``until`` is a text that ends it. ``parents`` are
    the items the next one may stand under, ``intro`` is the paragraph before their list. ``inside``
    is the indent of a directive whose body is prose, and that of its body, -1 when not yet seen.
    ``elements`` are the open ones by name, indent and level of the heading they may have;
    ``tag_from`` is where a tag began that goes on. ``gherkin`` says that the lines are those of
    features, ``background`` are the steps that are given for each scenario.
    """

    text: str
    base: tuple[str, ...]
    dialect: str
    found: list[Passage] = field(default_factory=list)
    stack: list[tuple[int, str]] = field(default_factory=list)
    block: Block | None = None
    lead: Span | None = None
    intro: Span | None = None
    parents: list[tuple[int, Span]] = field(default_factory=list)
    place: int = 0
    announced: bool = False
    list_indent: int = -1
    literal: bool = False
    until: str = ""
    fence: str = ""
    prose_fence: str = ""
    skip_indent: int = -1
    skips_next: bool = False
    skips_paragraph: bool = False
    quoting: str = ""
    alert: bool = False
    inside: tuple[int, int] | None = None
    elements: list[tuple[str, int, int]] = field(default_factory=list)
    tag_from: int = -1
    tag_lines: int = 0
    gherkin: bool = False
    background: tuple[tuple[str, str], ...] = ()

    def headings(self) -> tuple[str, ...]:
        return self.base + tuple(title for _, title in self.stack)

    def heading(self, level: int, title: str, start: int, end: int, form: Form = "heading") -> None:
        self.flush()
        if not self.stack and self.base and _same(title, self.base[-1]):
            self.base = self.base[:-1]  # what stands before it is the opening of what is over it
            self.found = [replace(it, headings=self.base) for it in self.found]
        while self.stack and self.stack[-1][0] >= level:
            self.stack.pop()
        outer = self.headings()
        text = find_stated(title) if self._may_state(form, level) else ""
        if text and not self._is_repeated(text, end):
            at = self.text.find(text, start, end)
            start = at if at >= 0 else start
            self.open(start, end, "paragraph", 0)
            self.flush()
            self.lead, self.announced, self.list_indent = None, False, -1
            self.intro, self.parents = None, []
            return
        if form == "heading":  # a task is a statement of its own
            self.stack.append((level, title))
        self.found.append(Passage(start, end, form, outer))
        self.lead, self.place, self.announced, self.list_indent = None, 0, False, -1
        self.intro, self.parents = None, []

    def _may_state(self, form: Form, level: int) -> bool:
        """Whether it is no document's title, and no headline of Org, which may be a task."""
        return form == "heading" and level > 1 and self.dialect != "org"

    def _is_repeated(self, text: str, end: int) -> bool:
        """Whether what is below says it in the same words: a heading confirms no sentence."""
        return text.rstrip(" .").lower() in self.text[end : end + FAR_BELOW].lower()

    def flush(self) -> None:
        block, self.block = self.block, None
        if block is None:
            return
        raw = self.text[block.start : block.end]
        start = block.start + len(raw) - len(raw.lstrip())
        end = block.start + len(raw.rstrip())
        if start >= end:
            return
        in_list = block.form in ("item", "task")
        opening = self.place == 0 or (in_list and self.announced)
        lead = self.lead if in_list else None
        self.found.append(
            Passage(
                start,
                end,
                block.form,
                self.headings(),
                lead,
                block.done,
                self.place,
                opening,
                block.indent,
                self._over(block, (start, end)),
                block.cells,
                self.place == 0 and bool(self.stack) and self.stack[-1][0] >= TITLED,
                block.labels,
                block.beside,
            )
        )
        if not in_list:
            announces = self.text[end - 1] == ":" or self.text[max(0, end - 3) : end] == ":**"
            announces = announces or bool(_OPEN_END.search(self.text, max(start, end - 30), end))
            self.announced = self.place == 0 and announces
            self.lead = (start, end) if announces else None
        elif self.place == 0:
            self.announced = True
        self.place += 1

    def _over(self, block: Block, own: Span) -> tuple[Span, ...]:
        """What ``block`` stands under: the paragraph before its list and the items over it."""
        in_list = block.form in ("item", "task")
        above = [it for it in self.parents if it[0] < block.indent]
        if in_list or (block.form == "paragraph" and above):
            self.parents = [*above, (block.indent, own)] if in_list else self.parents
        elif block.form != "row":
            self.intro, self.parents = own, []
            return ()
        return ((self.intro,) if self.intro else ()) + tuple(span for _, span in above)

    def open(
        self,
        start: int,
        end: int,
        form: Form,
        indent: int,
        *,
        done: bool = False,
        cells: tuple[tuple[str, str], ...] = (),
        labels: tuple[str, ...] = (),
        beside: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.flush()
        self.block = Block(start, end, form, indent, 1, done, cells, labels, beside)


def goes_on_below(line: str) -> bool:
    """Whether a line set as a heading is the beginning of each item under it: «The lock must:»."""
    bare = line.rstrip("*_ ")
    return bare.endswith(":") and _OPEN_END.says(bare.rstrip("*_: "))


def _same(a: str, b: str) -> bool:
    return re.sub(r"\W+", "", a).lower() == re.sub(r"\W+", "", b).lower()
