"""Everything a message says, as one text in Slack's markup: its text, blocks, attachments, files.

Programs often leave the text empty and write blocks. What a person wrote is in both, so blocks
count where they say more. Previews of links are the words of others and are left out; a shared
message is quoted. Of a file its title is named, and the text of a snippet or post is read.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any

from connectors.payloads import Payload, text

MORE = 1.5  # times as many words in blocks as in the text: they say something else, too
DEEPEST = 12
SNIPPETS = frozenset(("snippet", "post", "space", "email", "canvas", "quip"))
_WORD = re.compile(r"\w+")
_STYLES = {"bold": "*", "italic": "_", "strike": "~", "code": "`"}


def whole_text(payload: Payload) -> str:
    """The text of a message with all its parts. Raises UnreadablePayload."""
    message_text, blocks = text(payload, "text"), _blocks(payload.get("blocks"))
    parts = [_join_said(message_text, blocks)]
    parts += [_attachment(it) for it in _objects(payload.get("attachments"))]
    parts += [_file(it) for it in _objects(payload.get("files"))]
    comment = payload.get("comment")  # of a file, in old exports
    if isinstance(comment, Mapping) and not message_text.strip():
        parts.append(str(comment.get("comment") or ""))
    return "\n".join(part for part in parts if part.strip())


def _join_said(message_text: str, blocks: str) -> str:
    words, of_blocks = set(_WORD.findall(message_text)), set(_WORD.findall(blocks))
    if not words:
        return blocks if blocks.strip() else message_text
    if len(of_blocks) < MORE * len(words):
        return message_text
    return blocks if words <= of_blocks else f"{message_text}\n{blocks}"


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [it for it in value if isinstance(it, Mapping)] if isinstance(value, list) else []


def _plain(value: Any) -> str:
    """Plain text as markup: its own signs are escaped."""
    return html.escape(value, quote=False) if isinstance(value, str) else ""


def _text_of(value: Any) -> str:
    """A text object: markup, or plain."""
    if not isinstance(value, Mapping):
        return _plain(value)
    content = value.get("text")
    if value.get("type") == "mrkdwn":
        return content if isinstance(content, str) else ""
    return _plain(content)


def _blocks(blocks: Any, depth: int = 0) -> str:
    if depth > DEEPEST:
        return ""
    return "\n".join(block for it in _objects(blocks) if (block := _block(it, depth)).strip())


def _block(block: Mapping[str, Any], depth: int) -> str:
    match block.get("type"):
        case "rich_text":
            return _blocks(block.get("elements"), depth + 1)
        case "rich_text_section" | "rich_text":
            return _inline(block.get("elements"))
        case "rich_text_list":
            return _list(block)
        case "rich_text_quote":
            return "\n".join(f"&gt; {line}" for line in _inline(block.get("elements")).split("\n"))
        case "rich_text_preformatted":
            return f"```{_inline(block.get('elements'))}```"
        case "divider" | "actions" | "input" | "file":
            return ""
        case "image" | "video":
            return _text_of(block.get("title")) or _plain(block.get("alt_text"))
        case "table":
            rows = block.get("rows")
            return "\n".join(_row(row, depth) for row in (rows if isinstance(rows, list) else ()))
    fields = [_text_of(it) for it in _objects(block.get("fields"))]
    elements = [_text_of(it) for it in _objects(block.get("elements"))]
    return "\n".join(it for it in (_text_of(block.get("text")), *fields, *elements) if it.strip())


def _row(row: Any, depth: int) -> str:
    cells = [_blocks([it], depth + 1).replace("\n", " ") for it in _objects(row)]
    return f"| {' | '.join(cells)} |"


def _list(block: Mapping[str, Any]) -> str:
    indent = block.get("indent")
    before = "  " * indent if isinstance(indent, int) and 0 < indent < DEEPEST else ""
    ordered = block.get("style") == "ordered"
    items = [_inline(it.get("elements")) for it in _objects(block.get("elements"))]
    marks = (f"{number}." if ordered else "•" for number in range(1, len(items) + 1))
    return "\n".join(f"{before}{mark} {item}" for mark, item in zip(marks, items, strict=True))


def _inline(elements: Any) -> str:
    return "".join(_element(it) for it in _objects(elements))


def _element(it: Mapping[str, Any]) -> str:
    match it.get("type"):
        case "text":
            return _styled(_plain(it.get("text")), it.get("style"))
        case "link":
            label = _plain(it.get("text"))
            return f"<{it.get('url')}|{label}>" if label else f"<{it.get('url')}>"
        case "user":
            return f"<@{it.get('user_id')}>"
        case "channel":
            return f"<#{it.get('channel_id')}>"
        case "usergroup":
            return f"<!subteam^{it.get('usergroup_id')}>"
        case "broadcast":
            return f"<!{it.get('range')}>"
        case "emoji":
            return f":{it.get('name')}:"
        case "date":
            return _plain(it.get("fallback")) or str(it.get("timestamp") or "")
        case _:
            return _plain(it.get("text")) or _inline(it.get("elements"))


def _styled(words: str, style: Any) -> str:
    bare = words.strip()
    if not bare or not isinstance(style, Mapping):
        return words
    marked = bare
    for name, mark in _STYLES.items():
        if style.get(name) is True:
            marked = f"{mark}{marked}{mark}"
    return words.replace(bare, marked, 1)


def _attachment(it: Mapping[str, Any]) -> str:
    is_shared = bool(it.get("is_share") or it.get("is_msg_unfurl"))
    if not is_shared and (it.get("from_url") or it.get("original_url")):
        return ""
    blocks = _blocks(it.get("blocks")) or _blocks(it.get("message_blocks"))
    fields = [
        ": ".join(_texts(field.get("title"), field.get("value")))
        for field in _objects(it.get("fields"))
    ]
    pieces = [
        *_texts(it.get("pretext"), it.get("title")),
        *_texts(it.get("text") or blocks),
        *fields,
    ]
    whole = "\n".join(pieces or _texts(it.get("fallback")))
    return "\n".join(f"&gt; {line}" for line in whole.split("\n")) if is_shared and whole else whole


def _texts(*values: Any) -> Iterable[str]:
    return [value for value in values if isinstance(value, str) and value.strip()]


def _file(it: Mapping[str, Any]) -> str:
    """The file's title and, of a snippet or post, its text as far as the message holds it."""
    if it.get("mode") in ("tombstone", "hidden_by_limit"):
        return ""
    title = " ".join(_plain(it.get("title") or it.get("name")).split())
    name = f"File: {title}" if title else ""
    if it.get("mode") not in SNIPPETS:
        return name
    held = it.get("plain_text") or it.get("content") or it.get("preview_plain_text")
    held = held or it.get("preview")
    if not isinstance(held, str) or not held.strip():
        return name
    cut = " (its beginning)" if it.get("preview_is_truncated") else ""
    prose = it.get("mode") != "snippet" or it.get("filetype") in (
        "text",
        "markdown",
        "post",
        "email",
    )
    plain_text = _plain(held).strip("\n")
    return f"{name}{cut}\n{plain_text if prose else f'```{plain_text}```'}"
