"""Notebooks of Jupyter: their Markdown cells as they are, their code in fences.

Outputs are left out: they are what a run gave, and repeat the data.
"""

from __future__ import annotations

import json
from typing import Any

from connectors.unpacking.rendering import Unread, fenced, joined, place, text_of


def markdown_of(content: bytes) -> str:
    """Raises Unread."""
    try:
        notebook = json.loads(text_of(content))
        cells = _cells(notebook)
        language = _language(notebook)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Unread("unreadable", "no notebook of Jupyter") from None
    parts: list[str] = []
    for number, cell in enumerate(cells, 1):
        source = cell.get("source") or cell.get("input") or ""
        text = source if isinstance(source, str) else "".join(map(str, source))
        if not text.strip():
            continue
        kind = cell.get("cell_type")
        if kind == "heading":  # of the format before version 4
            text = f"{'#' * int(cell.get('level', 1))} {text}"
        elif kind != "markdown":
            text = fenced(text, language if kind == "code" else "")
        parts += [place(f"cell {number}"), text.replace("\r\n", "\n")]
    return joined(parts)


def _cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    if "cells" in notebook:
        return list(notebook["cells"])
    return [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata") or {}
    named = metadata.get("kernelspec", {}).get("language") or metadata.get("language_info", {}).get(
        "name"
    )
    return str(named or "").split("\n")[0][:20].replace("`", "")
