"""Slack's message markup as Markdown, with people as pseudonyms.

Source: Slack, «Formatting text for app surfaces»: ``<@U…>``, ``<#C…|name>``, ``<!here>``,
``<url|label>``; ``&``, ``<`` and ``>`` of the text itself are escaped.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

_CODE = re.compile(r"```(.*?)(?:```|\Z)", re.DOTALL)
_MONO = re.compile(r"(`[^`\n]+`)")
_REFERENCE = re.compile(r"<([^<>\n]{1,3000})>")
_BOLD = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]{1,400}?)(?<=\S)\*(?![\w*])")
_STRUCK = re.compile(r"(?<![\w~])~(?=\S)([^~\n]{1,400}?)(?<=\S)~(?![\w~])")
_EMOJI = re.compile(r"(?<!\S):[a-z0-9_+'-]{1,60}:(?:(?::skin-tone-\d:)?)(?![\w])")
_BULLET = re.compile(r"^([ \t]*)[•◦▪]\s*", re.MULTILINE)
_QUOTED_TO_THE_END = re.compile(r"^>>>[ ]?(.*)", re.MULTILINE | re.DOTALL)
_BLANKS_AT_END = re.compile(r"(?<![ \t])[ \t]+$", re.MULTILINE)

Speak = Callable[[str], str]


def markdown(text: str, speak: Speak) -> str:
    """The text in Markdown; ``speak`` gives the pseudonym of a member id."""
    written: list[str] = []
    read = 0
    for block in _CODE.finditer(text):
        written += _lines(_prose(text[read : block.start()], speak))
        code = _REFERENCE.sub(lambda it: it[1].rpartition("|")[2], block[1])
        written.append(f"```\n{html.unescape(code).strip(chr(10))}\n```")
        read = block.end()
    written += _lines(_prose(text[read:], speak))
    return "\n".join(written)


def _lines(text: str) -> list[str]:
    return [text.strip("\n")] if text.strip() else []


def _prose(text: str, speak: Speak) -> str:
    """Text outside of code blocks; text in back quotes keeps its marks."""
    spans = _MONO.split(text)
    for number, span in enumerate(spans):
        if number % 2 == 0:
            spans[number] = _STRUCK.sub(r"~~\1~~", _BOLD.sub(r"**\1**", _EMOJI.sub("", span)))
    referred = _REFERENCE.sub(lambda it: _reference(it[1], speak), "".join(spans))
    listed = _BULLET.sub(r"\1- ", html.unescape(referred))
    return _BLANKS_AT_END.sub("", _QUOTED_TO_THE_END.sub(_quote_rest, listed))


def _quote_rest(match: re.Match[str]) -> str:
    """Three marks quote everything after them."""
    return "\n".join(f"> {line}".rstrip() for line in match[1].split("\n"))


def _reference(inside: str, speak: Speak) -> str:
    """The text for what is between angle brackets; a link stays a link."""
    target, _, label = inside.partition("|")
    match target[:1]:
        case "@":
            return f"@{speak(target[1:])}"
        case "#":
            return f"#{label or target[1:]}"
        case "!":
            return label or "@" + target[1:].partition("^")[0]
    if target.startswith(("mailto:", "tel:")):
        return label or target.partition(":")[2]
    return f"[{label}]({target})" if label and label != target else f"&lt;{target}&gt;"
