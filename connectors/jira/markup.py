"""A body of Jira's, in either of its two formats, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connectors.jira import adf, wiki
from connectors.payloads import UnreadablePayload


def body_of(body: Any) -> str:
    """Markdown of wiki markup or of a document; empty for none. Raises UnreadablePayload."""
    if body is None:
        return ""
    if isinstance(body, str):
        return wiki.markdown(body)
    if isinstance(body, Mapping):
        return adf.markdown(body)
    raise UnreadablePayload("a body is neither text nor document")
