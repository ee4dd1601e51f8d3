"""The document format of Jira Cloud (ADF) as Markdown.

A document is a tree of nodes. A node of unknown type is read through its children or the text of
its attributes, so that a new type loses its format but not its words. Source: Atlassian,
«Atlassian Document Format».
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

Node = Mapping[str, Any]
_WRAPS = {"strong": "**", "em": "*", "strike": "~~", "code": "`"}
DEEPEST = 40
LEVELS = range(1, 7)  # of headings
MOST_MARKS = 10  # of one word
MOST_NUMBERED = 1_000_000
WIDEST_SPAN = 64  # columns or rows of a merged cell
_INLINE = frozenset(
    ("text", "hardBreak", "mention", "emoji", "inlineCard", "date", "status", "placeholder")
    + ("mediaInline", "inlineExtension")
)
_FENCES = re.compile(r"`{3,}")
_BARE_PIPE = re.compile(r"(?<!\\)\|")


def markdown(document: Node) -> str:
    """A document as Markdown; empty if it has no text."""
    return "\n\n".join(block for block in _blocks(_children(document), 0) if block.strip())


def _children(node: Node) -> list[Node]:
    content = node.get("content")
    return [it for it in content if isinstance(it, Mapping)] if isinstance(content, list) else []


def _attributes(node: Node) -> Node:
    attributes = node.get("attrs")
    return attributes if isinstance(attributes, Mapping) else {}


def _blocks(nodes: Iterable[Node], depth: int) -> list[str]:
    """Each node as a block; of what is nested deeper than is read only the words."""
    if depth < DEEPEST:
        return [_block(node, depth) for node in nodes]
    return [words for node in nodes if (words := _words_below(node))]


def _block(node: Node, depth: int) -> str:
    inner, attributes = _children(node), _attributes(node)
    match node.get("type"):
        case "heading":
            level = attributes.get("level")
            mark = "#" * level if isinstance(level, int) and level in LEVELS else "##"
            return f"{mark} {_inline(inner)}"
        case "codeBlock":
            return _code(_plain(inner), str(attributes.get("language") or ""))
        case "blockquote":
            return _indent(_joined(inner, depth), "> ", "> ")
        case "bulletList":
            return "\n".join(_item(it, "- ", depth) for it in inner)
        case "orderedList":
            first = attributes.get("order")
            first = first if isinstance(first, int) and 0 <= first < MOST_NUMBERED else 1
            return "\n".join(_item(it, f"{n}. ", depth) for n, it in enumerate(inner, first))
        case "taskList" | "decisionList":
            return "\n".join(_task(it, depth) for it in inner)
        case "rule":
            return "---"
        case "table":
            return _table(inner, depth)
        case "expand" | "nestedExpand" | "panel" | "bodiedExtension":
            return _titled(_title(node), _joined(inner, depth))
        case "paragraph" | "caption":
            return _inline(inner)
        case _:
            return _joined(inner, depth) if inner else _inline([node])


def _joined(nodes: list[Node], depth: int) -> str:
    """Blocks with a blank line between; words that stand between blocks are a paragraph."""
    if any(it.get("type") in _INLINE for it in nodes):
        return _inline(nodes)
    return "\n\n".join(block for block in _blocks(nodes, depth + 1) if block.strip())


def _titled(title: str, body: str) -> str:
    heading = f"**{title}**" if title else ""
    return "\n\n".join(part for part in (heading, body) if part)


def _title(node: Node) -> str:
    """What a frame is called: of a macro in its parameters."""
    title = _attributes(node).get("title")
    parameters = _attributes(node).get("parameters")
    macro = parameters.get("macroParams") if isinstance(parameters, Mapping) else None
    named = macro.get("title") if isinstance(macro, Mapping) else None
    title = title or (named.get("value") if isinstance(named, Mapping) else None)
    return " ".join(title.split()) if isinstance(title, str) else ""


def _code(text: str, language: str) -> str:
    """A fence longer than every one inside."""
    fence = "`" * max(3, 1 + max(map(len, _FENCES.findall(text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def _item(node: Node, mark: str, depth: int) -> str:
    text = "\n".join(_blocks(_children(node), depth + 1)) or _inline([node])
    return _indent(text, mark, " " * len(mark))


def _task(node: Node, depth: int) -> str:
    """A task with its box; a decision with the word Decision."""
    kind, state = node.get("type"), _attributes(node).get("state")
    if kind in ("taskList", "decisionList"):
        return _indent("\n".join(_blocks([node], depth + 1)), "  ", "  ")
    inner = _children(node)
    text = _joined(inner, depth) if kind == "blockTaskItem" else _inline(inner)
    if kind == "decisionItem":
        mark = "- Decision: " if state == "DECIDED" else "- "
    else:
        mark = f"- [{'x' if state == 'DONE' else ' '}] "
    return _indent(text, mark, "  ")


def _table(rows: list[Node], depth: int) -> str:
    """Each row as a line with as many cells as the widest: of merged cells the others are empty."""
    grid = _grid(rows, depth)
    width = max((len(cells) for cells, _ in grid), default=0)
    lines = []
    for number, (cells, is_head) in enumerate(grid):
        lines.append(f"| {' | '.join([*cells, *[''] * (width - len(cells))])} |")
        if number == 0 and is_head:
            lines.append(f"|{'---|' * width}")
    return "\n".join(lines)


def _grid(rows: list[Node], depth: int) -> list[tuple[list[str], bool]]:
    """The texts of the cells of each row in their columns, and whether it has headings."""
    below: dict[tuple[int, int], str] = {}  # what cells of several rows leave to those below
    grid = []
    for number, row in enumerate(rows):
        cells: list[str] = []
        nodes = _children(row)
        for node in nodes:
            while (number, len(cells)) in below:
                cells.append(below[number, len(cells)])
            wide, high = _span(node, "colspan"), _span(node, "rowspan")
            text = " ".join(" ".join(_blocks(_children(node), depth + 1)).split())
            text = _BARE_PIPE.sub(r"\\|", text)
            for down in range(1, high):
                below |= {(number + down, len(cells) + right): "" for right in range(wide)}
            cells += [text, *[""] * (wide - 1)]
        while (number, len(cells)) in below:
            cells.append(below[number, len(cells)])
        grid.append((cells, any(it.get("type") == "tableHeader" for it in nodes)))
    return grid


def _span(cell: Node, name: str) -> int:
    span = _attributes(cell).get(name)
    return span if isinstance(span, int) and 0 < span <= WIDEST_SPAN else 1


def _inline(nodes: Iterable[Node]) -> str:
    return "".join(_word(node) for node in nodes)


def _word(node: Node) -> str:
    attributes = _attributes(node)
    match node.get("type"):
        case "text":
            return _apply_marks(node)
        case "hardBreak":
            return "\n"
        case "mention":
            return "@" + str(attributes.get("text") or attributes.get("id") or "").lstrip("@")
        case "emoji":
            return str(attributes.get("text") or attributes.get("shortName") or "")
        case "inlineCard" | "blockCard" | "embedCard":
            return _card(attributes)
        case "date":
            return _date(attributes.get("timestamp"))
        case _:
            return _inline(_children(node)) or _text_of(attributes)


def _card(attributes: Node) -> str:
    """A link; a card that holds its object names it."""
    data = attributes.get("data")
    data = data if isinstance(data, Mapping) else {}
    url = attributes.get("url") or data.get("url")
    name = data.get("name")
    if not isinstance(url, str):
        return name if isinstance(name, str) else ""
    return f"[{name}]({url})" if isinstance(name, str) and name else f"<{url}>"


def _date(stamp: Any) -> str:
    """The day of a time in milliseconds of the epoch; another value as it stands."""
    try:
        at = datetime.fromtimestamp(int(stamp) / 1000, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return stamp if isinstance(stamp, str) else ""
    return f"{at:%Y-%m-%d}"


def _text_of(attributes: Node) -> str:
    """What a node without inner nodes says: its text, its title, or what stands for a picture."""
    for name in ("text", "title", "label", "alt", "fallback"):
        value = attributes.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _words_below(node: Node) -> str:
    """The words of a node and of all in it, without format and without recursion."""
    words, waiting = list[str](), [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each.get("text"), str):
            words.append(str(each["text"]))
        waiting += reversed(_children(each))
    return " ".join(words)


def _apply_marks(node: Node) -> str:
    """Puts marks around the words; blanks stay outside."""
    text = str(node.get("text") or "")
    bare = text.strip()
    if not bare:
        return text
    written = bare
    marks = node.get("marks")
    for mark in marks[:MOST_MARKS] if isinstance(marks, list) else []:
        kind = mark.get("type") if isinstance(mark, Mapping) else None
        if kind == "link" and (link := _attributes(mark).get("href")):
            written = f"[{written}]({link})"
        elif wrap := _WRAPS.get(str(kind)):
            written = f"{wrap}{written}{wrap}"
    return text.replace(bare, written, 1)


def _plain(nodes: Iterable[Node]) -> str:
    """Text without marks; another node within it as it reads elsewhere."""
    return "".join(
        str(it.get("text") or "") if it.get("type") == "text" else _word(it) for it in nodes
    )


def _indent(text: str, first: str, further: str) -> str:
    lines = text.split("\n")
    return "\n".join(
        f"{first if number == 0 else further}{line}".rstrip() for number, line in enumerate(lines)
    )
