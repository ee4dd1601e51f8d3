"""What tools answer as text: short lines with ids, and the citations behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from agents.project.state import Citation
from agents.tools.ports import Json
from agents.tools.tool import Paging, ToolResult
from schemas.shortening import shorten

LONGEST_SNIPPET = 400
MOST_CITED = 6

T = TypeVar("T")


def answer(
    lines: Iterable[str], data: Mapping[str, Any], citations: Iterable[Citation] = ()
) -> ToolResult:
    """A result of these lines; each citation once."""
    by_id: dict[str, Citation] = {}
    for citation in citations:
        by_id.setdefault(citation.cited_id, citation)
    return ToolResult("\n".join(lines), data, tuple(by_id.values()))


def cite_quote(cited_id: str, quote: Json) -> Citation:
    return Citation(
        cited_id=cited_id,
        path=quote.get("path"),
        line_start=quote.get("line_start"),
        line_end=quote.get("line_end"),
        snippet=cut(str(quote.get("snippet") or "")) or None,
    )


def cite_atom(atom: Json) -> Citation:
    """An atom with its first place."""
    evidence = atom.get("evidence") or []
    return cite_quote(atom["atom_id"], evidence[0] if evidence else {"snippet": atom["title"]})


def cite_item(item: Json) -> list[Citation]:
    """An artifact, and the first atoms that it cites."""
    own = Citation(cited_id=item["artifact_id"], snippet=name_of(item))
    cited: dict[str, Citation] = {}
    for statement in statements_of(item):
        for citation in statement["citations"]:
            cited.setdefault(citation["atom_id"], _cite_place(citation, statement["text"]))
    return [own, *list(cited.values())[:MOST_CITED]]


def _cite_place(cited: Json, text: str) -> Citation:
    places = cited.get("places") or []
    path, _, line = (places[0] if places else "").rpartition(":")
    number = int(line) if line.isdigit() else None
    return Citation(
        cited_id=cited["atom_id"],
        path=path or None,
        line_start=number,
        line_end=number,
        snippet=cut(text),
    )


def statements_of(item: Json, section_id: str = "") -> list[Json]:
    return [
        statement
        for section in item.get("sections") or []
        if section_id in ("", section["section_id"])
        for statement in section["statements"]
    ]


def name_of(item: Json) -> str:
    return f"{item.get('number') or ''} {item['title']}".strip()


def place_of(citation: Citation) -> str:
    if not citation.path:
        return ""
    last = citation.line_end if citation.line_end != citation.line_start else None
    lines = f":{citation.line_start}" if citation.line_start else ""
    return f"{citation.path}{lines}{f'-{last}' if last else ''}"


def cut(text: str, longest: int = LONGEST_SNIPPET) -> str:
    return shorten(" ".join(text.split()), longest)


def show_list(title: str, lines: Sequence[str]) -> list[str]:
    """A heading with the number, then the lines."""
    return [f"{title}: {len(lines):,}", *(f"- {line}" for line in lines)]


def take_page(items: Sequence[T], page: Paging) -> Sequence[T]:
    return items[page.offset : page.offset + page.limit]


def show_page(title: str, lines: Sequence[str], page: Paging, total: int) -> list[str]:
    """A heading with the number of all, the lines of the page, and how to get the rest."""
    last = page.offset + len(lines)
    left = total - last if lines else 0
    more = [f"… {left:,} more: ask again with offset {last}."] if left > 0 else []
    if total and not lines:
        more = [f"None is left from offset {page.offset}."]
    return [f"{title}: {total:,}", *(f"- {line}" for line in lines), *more]
