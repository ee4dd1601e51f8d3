"""PDF as text, page by page. What is only an image of text cannot be read and is told as such."""

from __future__ import annotations

import io
import re
import unicodedata

import pypdf
from pypdf.errors import PyPdfError

from connectors.unpacking.rendering import MAX_TEXT_CHARS, Unread, joined, place

MAX_PAGES = 2_000
FEWEST_CHARS = 20  # a page, on average; less is a scan with page numbers
HYPHENATED = re.compile(r"(?<=[a-zà-ÿ])[-\u00ad]\n(?=[a-zà-ÿ])")
LIGATURE = re.compile("[\ufb00-\ufb06]")
BULLET = re.compile(r"^[ \t]*[•◦▪‣●○■–][ \t]+", re.MULTILINE)
WRAPPED = re.compile(r"(?<=[\w,;)])[ ]?\n(?=[a-zà-ÿ(])")


def markdown_of(content: bytes) -> str:
    """Raises Unread."""
    try:
        document = pypdf.PdfReader(io.BytesIO(content))
        if document.is_encrypted and not document.decrypt(""):
            raise Unread("encrypted", "a PDF with a password")
        count = len(document.pages)
        if count > MAX_PAGES:
            raise Unread("too_large", f"a PDF of {count:,} pages, {MAX_PAGES:,} are read")
        pages = [_text(page.extract_text()) for page in document.pages]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise Unread("unreadable", "a damaged PDF") from None
    size = sum(map(len, pages))
    if size > MAX_TEXT_CHARS:
        raise Unread("too_large", "a PDF with too much text")
    if size < FEWEST_CHARS * min(count, 5) and not any(len(page) > 200 for page in pages):
        raise Unread("no_text", f"a PDF of {count:,} pages without text, perhaps a scan")
    parts = [(place(f"page {number}"), text) for number, text in enumerate(pages, 1) if text]
    return joined([part for pair in parts for part in pair])


def _text(page: str) -> str:
    """Lines of a paragraph joined: a sentence is not cut where the paper ended."""
    page = LIGATURE.sub(lambda match: unicodedata.normalize("NFKC", match[0]), page)
    text = HYPHENATED.sub("", page.replace("\r", "\n").replace("\0", ""))
    text = BULLET.sub("- ", text)
    return WRAPPED.sub(" ", text).strip()
