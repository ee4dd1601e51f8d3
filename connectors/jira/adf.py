"""The document format of Jira Cloud (ADF) as Markdown.

A document is a tree of nodes. A node of unknown type is read through its children, so that a new
type loses its format but not its words. Source: Atlassian, «Atlassian Document Format».
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Node = Mapping[str, Any]
_WRAPS = {"strong": "**", "em": "*", "strike": "~~", "code": "`"}
DEEPEST = 40
LEVELS = range(1, 7)  # of headings
MOST_MARKS = 10  # of one word


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
    return [_block(node, depth) for node in nodes] if depth < DEEPEST else []


def _block(node: Node, depth: int) -> str:
    inner, attributes = _children(node), _attributes(node)
    match node.get("type"):
        case "heading":
            level = attributes.get("level")
            mark = "#" * level if isinstance(level, int) and level in LEVELS else "##"
            return f"{mark} {_inline(inner)}"
        case "codeBlock":
            return f"```{attributes.get('language') or ''}\n{_plain(inner)}\n```"
        case "blockquote":
            return _indent("\n\n".join(_blocks(inner, depth + 1)), "> ", "> ")
        case "bulletList":
            return "\n".join(_item(it, "- ", depth) for it in inner)
        case "orderedList":
            return "\n".join(_item(it, f"{n}. ", depth) for n, it in enumerate(inner, 1))
        case "taskList" | "decisionList":
            return "\n".join(_task(it, depth) for it in inner)
        case "rule":
            return "---"
        case "table":
            return _table(inner, depth)
        case "mediaSingle" | "mediaGroup" | "media" | "extension":
            return ""
        case "paragraph":
            return _inline(inner)
        case _:
            return "\n\n".join(_blocks(inner, depth + 1)) if inner else _inline([node])


def _item(node: Node, mark: str, depth: int) -> str:
    text = "\n".join(_blocks(_children(node), depth + 1))
    return _indent(text, mark, " " * len(mark))


def _task(node: Node, depth: int) -> str:
    """A task with its box; a decision with the word Decision."""
    kind, state = node.get("type"), _attributes(node).get("state")
    if kind in ("taskList", "decisionList"):
        return _indent("\n".join(_blocks([node], depth + 1)), "  ", "  ")
    text = _inline(_children(node))
    if kind == "decisionItem":
        return f"- Decision: {text}" if state == "DECIDED" else f"- {text}"
    return f"- [{'x' if state == 'DONE' else ' '}] {text}"


def _table(rows: list[Node], depth: int) -> str:
    lines = []
    for number, row in enumerate(rows):
        cells = _children(row)
        texts = [" ".join(" ".join(_blocks(_children(it), depth + 1)).split()) for it in cells]
        lines.append(f"| {' | '.join(texts)} |")
        if number == 0 and any(it.get("type") == "tableHeader" for it in cells):
            lines.append(f"|{'---|' * len(cells)}")
    return "\n".join(lines)


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
            return f"<{attributes['url']}>" if attributes.get("url") else ""
        case "status" | "placeholder":
            return str(attributes.get("text") or "")
        case _:
            return _inline(_children(node))


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
    return "".join(str(it.get("text") or "") for it in nodes)


def _indent(text: str, first: str, further: str) -> str:
    lines = text.split("\n")
    return "\n".join(
        f"{first if number == 0 else further}{line}".rstrip() for number, line in enumerate(lines)
    )
