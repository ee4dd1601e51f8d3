"""What lines of AsciiDoc say of the block that follows: code, a quotation, a frame, or nothing."""

from __future__ import annotations

import re

from agents.offline.segment.scan import Scan

_ADOC_CALLOUT = re.compile(r"<(?:\d+|\.)>[ \t]")  # remarks on code that is not read
_ADOC_LINE = re.compile(r"\[[^\]]*\]$|\.[A-Z][^.]*$|//|include::|image::|ifdef::|endif::|toc::")
_ADOC_CODE = re.compile(
    r"\[(?:source|listing|literal|stem|latexmath|asciimath|verse|quote|pass|plantuml|mermaid|ditaa|"
    r"graphviz|comment)\b[^\]]*\]$|\[,[\w-]+[^\]]*\]$",
    re.IGNORECASE,
)
_DELIMITER = re.compile(r"([=\-_.+*`])\1{2,}$")


def take_delimiter(scan: Scan, bare: str) -> None:
    """A line that opens or closes a block of AsciiDoc: code, a quotation, or text in a frame."""
    skips, scan.skips_next = scan.skips_next, False
    if bare[0] in "-.+" or skips:
        scan.fence = bare
    elif bare[0] == "_":
        scan.quoting = "" if scan.quoting else bare


def is_markup(scan: Scan, bare: str) -> bool:
    """Whether a line of AsciiDoc says what the next block is, or is a remark."""
    if bare.startswith("////") and not bare.strip("/"):
        scan.fence = bare
        return True
    if _ADOC_CODE.match(bare):
        scan.skips_next = True
        return True
    if bare in ("+", "--") or _ADOC_LINE.match(bare) or _ADOC_CALLOUT.match(bare):
        return True
    if scan.skips_next and not _DELIMITER.match(bare):
        scan.skips_next, scan.skips_paragraph = False, True
        return True
    return False
