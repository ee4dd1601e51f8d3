"""Fields that a site has added to its issues, where they hold sentences: acceptance criteria.

A site names them as it likes, so what counts is their value: text of several words, a document, or
a list of these. Numbers, dates, choices, ranks and people are no statements. Only a poll and an
export tell a field's name, so a field is an item of its own, which a webhook leaves alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from connectors.jira.markup import body_of
from connectors.jira.times import time_written
from connectors.payloads import Payload

CUSTOM = "customfield_"
LONGEST_NAME = 80  # characters
LEAST_WORDS = 2
_WORD = re.compile(r"[^\W\d_]{2,}")
# Scripts without blanks between words: a run of letters of theirs is several words.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4,}")
_OF_A_PROGRAM = re.compile(r"\s*(?:\{|\[?com\.[\w.]+[@\[]|<\?xml)")


def text_fields(fields: Payload, names: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Name and text in Markdown of each field of the site's own that holds sentences, by its id."""
    by_name = {}
    for field_id in sorted(it for it in fields if it.startswith(CUSTOM)):
        if written := prose_of(fields[field_id]):
            name = " ".join(names.get(field_id, "").split()) or field_id
            by_name[field_id] = (name[:LONGEST_NAME], written)
    return by_name


def prose_of(value: Any) -> str:
    """The sentences of a field's value; empty if it holds none."""
    if isinstance(value, list):
        parts = [prose for it in value if not isinstance(it, list) and (prose := prose_of(it))]
        return "\n".join(f"- {part}" if "\n" not in part else part for part in parts)
    if isinstance(value, str):
        return body_of(value).strip() if is_prose(value) else ""
    if isinstance(value, Mapping) and value.get("type") == "doc":
        return body_of(value).strip()
    return ""


def is_prose(text: str) -> bool:
    """Whether a text holds words and is neither a time nor what a program wrote."""
    words = len(_WORD.findall(text)) + LEAST_WORDS * len(_UNSPACED.findall(text))
    return words >= LEAST_WORDS and not _OF_A_PROGRAM.match(text) and time_written(text) is None
