"""Fits sections into a number of bytes: the wordy ones of little importance are shortened first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from agents.development.checks.markdown import Line, normalize_title, read_document

_LEAST = 200  # bytes of a body; a section that would keep less is left out


@dataclass(frozen=True, slots=True)
class ContextSection:
    """``head`` and ``tail`` stay whole; lines at the end of ``body`` go first.

    Sections of a lower ``rank`` are shortened before any of a higher one is touched.
    """

    name: str
    rank: int
    head: str
    body: str
    tail: str = ""

    @property
    def text(self) -> str:
        return self.head + self.body + self.tail


@dataclass(frozen=True, slots=True)
class Fitted:
    """``text`` is within the budget; ``shortened`` and ``left_out`` are names of sections."""

    text: str
    shortened: tuple[str, ...]
    left_out: tuple[str, ...]


def fit_sections(sections: Sequence[ContextSection], budget: int) -> Fitted:
    """The sections in their order, in at most ``budget`` bytes of UTF-8."""
    kept: dict[int, ContextSection] = dict(enumerate(sections))
    over = sum(size_of(it.text) for it in sections) - budget
    for rank in sorted({it.rank for it in sections}):
        group = [at for at in sorted(kept) if kept[at].rank == rank]
        while group and over > 0:
            cut = _shorten({at: kept[at] for at in group}, over)
            if cut is None:  # what would be left says nothing: the last section goes instead
                over -= size_of(kept.pop(group.pop()).text)
                continue
            over -= sum(size_of(kept[at].text) - size_of(it.text) for at, it in cut.items())
            kept |= cut
    return Fitted(
        "".join(kept[at].text for at in sorted(kept)),
        tuple(kept[at].name for at in sorted(kept) if kept[at] != sections[at]),
        tuple(it.name for at, it in enumerate(sections) if at not in kept),
    )


def shorten_draft(text: str, budget: int, important: Collection[str]) -> Fitted:
    """A draft in at most ``budget`` bytes. ``important``: titles of sections that keep their text
    longest, with all that is below them; headings stay longer than texts.
    """
    document = read_document(text)
    titles = {normalize_title(it) for it in important}
    sections: list[ContextSection] = []
    starts = [1, *(it.line for it in document.headings)]
    inside: int | None = None  # the level of the important heading that we are below
    for at, start in enumerate(starts):
        heading = document.headings[at - 1] if at else None
        if heading is not None and (inside is None or heading.level <= inside):
            inside = heading.level if normalize_title(heading.title) in titles else None
        end = starts[at + 1] if at + 1 < len(starts) else len(document.lines) + 1
        body_from = heading.last_line if heading else 0
        head = _join(document.lines[start - 1 : body_from], len(document.lines))
        body = _join(document.lines[body_from : end - 1], len(document.lines))
        name = heading.title if heading else ""
        sections.append(ContextSection(name, 2, head, ""))
        sections.append(ContextSection(name, 0 if inside is None else 1, "", body))
    return fit_sections(sections, budget)


def _join(lines: Sequence[Line], last: int) -> str:
    """The lines with their ends; the last one of a draft has none."""
    return "".join(it.text if it.number == last else f"{it.text}\n" for it in lines)


def size_of(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text.encode("utf-8", "replace"))


def _shorten(group: dict[int, ContextSection], over: int) -> dict[int, ContextSection] | None:
    """The longest bodies of the group, cut to one length so that ``over`` bytes go; None where too
    little would be left of each.
    """
    sizes = {at: size_of(it.body) for at, it in group.items()}
    most = _level(sorted(sizes.values()), sum(sizes.values()) - over)
    if most < _LEAST:
        return None
    return {
        at: replace(it, body=_cut(it.body, most)) for at, it in group.items() if sizes[at] > most
    }


def _level(sizes: Sequence[int], allowed: int) -> int:
    """The length to which the longest are cut so that all together have ``allowed`` bytes."""
    for at, size in enumerate(sizes):
        share = allowed // (len(sizes) - at)
        if size > share:
            return share
        allowed -= size
    return max(sizes, default=0)


def _cut(body: str, most: int) -> str:
    """Whole lines of the body and a note of how many are left out, in at most ``most`` bytes."""
    lines = body.splitlines(keepends=True)
    room = most - size_of(f"… ({len(lines)} lines left out)\n")
    kept: list[str] = []
    for line in lines:
        if (room := room - size_of(line)) < 0:
            break
        kept.append(line)
    note = f"… ({len(lines) - len(kept)} lines left out)\n"
    return "".join(kept) + note if size_of(note) <= most else ""
