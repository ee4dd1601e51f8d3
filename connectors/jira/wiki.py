"""Jira's wiki markup as Markdown, the format of all other sources.

It works line by line and is forgiving: text that looks like half a macro stays text. Pure
formatting (colour, frames, underlining) is dropped; formatting with a meaning (quotes, struck-out
text, code) is kept. Source: Atlassian, «Text formatting notation help» of Jira.
"""

from __future__ import annotations

import re

_HEADING = re.compile(r"[ \t]*h([1-6])\.[ \t]+(?=\S)")
_CODE = re.compile(r"\{(code|noformat)(?::([^{}\n]*))?\}(.*?)(?:\{\1\}|\Z)", re.DOTALL)
_QUOTE = re.compile(r"\{quote\}")
_PANEL = re.compile(
    r"\{(panel|info|note|tip|warning|expand|status|color|anchor|toc|section|column)"
    r"(?::([^{}\n]*))?\}"
)
_PANEL_TITLE = re.compile(r"(?:^|\|)title=([^|]+)")
_FRAMES = frozenset(("panel", "info", "note", "tip", "warning", "expand"))
_PIPE = "\ue000"  # stands for an escaped pipe while a row is read
_BORDER = re.compile(r"\|\|?")
_DATE = re.compile(r"\{date:(\d{4}-\d\d-\d\d)\}")
_LIST = re.compile(r"[ \t]*([*#]{1,6}|-{1,3})[ \t]+(?=\S)")
_RULE = re.compile(r"[ \t]*-{4,}[ \t]*$")
_MONO = re.compile(r"\{\{(.{1,400}?)\}\}")
_LINK = re.compile(r"(?<!\\)\[([^\[\]|\n]{1,300})\|([^\[\]\s|]{1,1000})(?:\|[^\[\]\n]{0,60})?\]")
_BARE_LINK = re.compile(r"(?<!\\)\[((?:https?|mailto|ftp):[^\[\]\s|]{1,1000})\]")
_USER = re.compile(r"\[~(?:accountid:)?([^\[\]\s]{1,128})\]")
_IMAGE = re.compile(r"!([^\s!|]{1,200}\.[A-Za-z]{2,5})(?:\|[^!\n]{0,100})?!")
_BOLD = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]{1,400}?)(?<=\S)\*(?![\w*])")
_STRUCK = re.compile(r"(?<![\w-])-(?=[^\s-])([^\n-]{1,400}?)(?<=\S)-(?![\w-])")
_INSERTED = re.compile(r"(?<![\w+])\+(?=[^\s+])([^+\n]{1,400}?)(?<=\S)\+(?![\w+])")
_CITED = re.compile(r"\?\?(?=\S)([^?\n]{1,200}?)(?<=\S)\?\?")
_ESCAPED = re.compile(r"\\([\[\]{}*_+\-!|#?~^])")
_BREAK = re.compile(r"\\\\(?=\s|$)")


def markdown(text: str) -> str:
    """The text in Markdown; plain text stays as it is."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    written: list[str] = []
    read = 0
    for block in _CODE.finditer(text):
        written += _prose(text[read : block.start()].rstrip("\n") if block.start() else "")
        written += [f"```{_language(block[2])}", block[3].strip("\n"), "```"]
        read = block.end()
    written += _prose(text[read:].lstrip("\n") if read else text)
    return "\n".join(written)


def _prose(text: str) -> list[str]:
    """Text outside of code; every second part between quote marks is a quote."""
    written: list[str] = []
    for number, part in enumerate(_QUOTE.split(text)):
        lines = [_line(line) for line in (part.strip("\n") if number else part).split("\n")]
        if number % 2:
            lines = [*(f"> {line}".rstrip() for line in lines), ""]
        written += lines if any(lines) else []
    return written


def _language(parameters: str | None) -> str:
    first = (parameters or "").split("|")[0].strip()
    return first if first.isalnum() else ""


def _line(line: str) -> str:
    """One line outside of code."""
    line = _DATE.sub(r"\1", _PANEL.sub(_panel, line))
    if _RULE.match(line):
        return "---"
    if line.lstrip().startswith("bq. "):
        return f"> {_inline(line.lstrip()[4:])}"
    if heading := _HEADING.match(line):
        return f"{'#' * int(heading[1])} {_inline(line[heading.end() :])}"
    if line.lstrip().startswith("|"):
        return _table_row(line.strip())
    if item := _LIST.match(line):
        mark = "1." if item[1][-1] == "#" else "-"
        return f"{'  ' * (len(item[1]) - 1)}{mark} {_inline(line[item.end() :])}"
    return _inline(line)


def _panel(match: re.Match[str]) -> str:
    """The title of a frame as a bold line, of a status as a word; an expand's may stand alone."""
    kind, parameters = match[1], match[2] or ""
    title = _PANEL_TITLE.search(parameters)
    words = title[1].strip() if title else ""
    if kind == "expand" and "=" not in parameters:
        words = parameters.split("|")[0].strip()
    if kind == "status" or not words:
        return words
    return f"**{words}**" if kind in _FRAMES else ""


def _table_row(line: str) -> str:
    """A row of a table, with a rule below it if all of its cells are headings.

    A pipe that is no border stays escaped, and one inside a link is none.
    """
    written = _inline(line.replace("\\|", _PIPE))
    if not written.startswith("||"):
        return written.replace(_PIPE, "\\|")
    cells = [cell.strip().replace(_PIPE, "\\|") for cell in _BORDER.split(written.strip("|"))]
    row = f"| {' | '.join(cells)} |"
    is_head = "|" not in written.replace("||", "")
    return f"{row}\n|{'---|' * len(cells)}" if is_head else row


def _inline(text: str) -> str:
    """Marks within a line; monospaced text is not changed."""
    parts = _MONO.split(text)
    for number, part in enumerate(parts):
        parts[number] = f"`{part}`" if number % 2 else _marks(part)
    return "".join(parts)


def _marks(text: str) -> str:
    text = _BREAK.sub("", text)
    text = _USER.sub(r"@\1", text)
    text = _IMAGE.sub("", text)
    text = _LINK.sub(r"[\1](\2)", text)
    text = _BARE_LINK.sub(r"<\1>", text)
    text = _BOLD.sub(r"**\1**", text)
    text = _STRUCK.sub(r"~~\1~~", text)
    text = _INSERTED.sub(r"\1", text)
    text = _CITED.sub(r"*\1*", text)
    return _ESCAPED.sub(r"\1", text)
