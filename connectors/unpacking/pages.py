"""HTML as Markdown. Scripts, styles, forms and what leads around the page are left out."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, Comment, Tag
from markdownify import MarkdownConverter

from connectors.unpacking.page_tables import lay_out_tables
from connectors.unpacking.rendering import Unread, joined, text_of

LEFT_OUT = (
    *("script", "style", "noscript", "template", "svg", "iframe", "object", "embed"),
    *("button", "select", "input", "nav", "head", "img"),
)
CHARSET = re.compile(rb"<meta[^>]{0,200}charset=[\"']?([\w-]{2,40})", re.IGNORECASE)
ENCODING = re.compile(rb"^<\?xml[^>]{0,200}encoding=[\"']([\w-]{2,40})", re.IGNORECASE)
CONVERTER = MarkdownConverter(
    heading_style="ATX",
    bullets="-",
    escape_misc=False,
    escape_asterisks=False,
    escape_underscores=False,
)
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
PIPE = re.compile(r"\|")
BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


def markdown_of(content: bytes, charset: str | None = None) -> str:
    """Raises Unread."""
    match = ENCODING.match(content) or CHARSET.search(content[:4096])
    named = charset or (match[1].decode() if match else None)
    text = markdown_of_text(text_of(content, named))
    if not text.strip():
        raise Unread("no_text", "a page without words; a script may write them")
    return text


def _is_hidden(element: Tag) -> bool:
    return element.has_attr("hidden") or bool(HIDDEN.search(str(element.get("style", ""))))


def markdown_of_text(text: str) -> str:
    """Headings, lists, tables, code and paragraphs; links with their addresses."""
    soup = BeautifulSoup(text.encode(), "lxml", from_encoding="utf-8")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for element in soup.find_all(LEFT_OUT):
        element.decompose()
    for element in soup.find_all(_is_hidden):
        element.decompose()
    for comment in soup.find_all(string=lambda it: isinstance(it, Comment)):
        comment.extract()
    for string in [it for cell in soup.find_all(("td", "th")) for it in cell.find_all(string=PIPE)]:
        string.replace_with(string.replace("|", "\\|"))
    lay_out_tables(soup)
    body = soup.find("main") or soup.body or soup
    written = CONVERTER.convert_soup(body)
    named = [] if not title or body.find("h1") else [f"# {' '.join(title.split())}"]
    return joined([*named, BLANK_LINES.sub("\n\n", written)])
