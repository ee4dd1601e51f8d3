"""Pages of MediaWiki as Markdown: headings, lists, tables and text; templates are left out."""

from __future__ import annotations

import re

import mwparserfromhell

from connectors.unpacking.rendering import joined, text_of

HEADING = re.compile(r"^(={1,6})[ \t]*+(.+?)(?<![ \t])[ \t]*+\1[ \t]*+$", re.MULTILINE)
ITEM = re.compile(r"^([*#]+)[ \t]*(?=\S)", re.MULTILINE)
QUOTES = re.compile(r"'{2,5}")


def markdown_of(content: bytes) -> str:
    """Raises Unread."""
    text = text_of(content)
    if not HEADING.search(text) and "[[" not in text and "'''" not in text:
        return text  # another wiki's syntax, or none
    parsed = mwparserfromhell.parse(text, skip_style_tags=True)
    for template in parsed.filter_templates(recursive=False):
        parsed.replace(template, "")
    for comment in parsed.filter_comments():
        parsed.replace(comment, "")
    for link in parsed.filter_wikilinks(recursive=False):
        parsed.replace(link, str(link.text or link.title).rpartition("|")[2])
    plain = QUOTES.sub("", str(parsed))
    plain = ITEM.sub(lambda mark: "  " * (len(mark[1]) - 1) + "- ", plain)
    return joined([HEADING.sub(lambda head: f"{'#' * len(head[1])} {head[2]}", plain)])
