"""An outside service, or a part of Cairn, that the assistant has tools for."""

from __future__ import annotations

from dataclasses import dataclass

from agents.tools.tool import Tool

PROJECT, LEDGER = "project", "ledger"  # Cairn's own
NO_PROJECT = (
    "No project is chosen in this conversation: choose one to ask its agents or its ledger."
)


@dataclass(frozen=True, slots=True)
class Provider:
    """``name`` is also the space of its tools. ``prompt`` is the system prompt of its subagent.

    ``missing``: a sentence that says which credential is missing and how to give it. Where it is
    not empty, the provider is not configured, and its tools refuse with that sentence.
    """

    name: str
    title: str
    prompt: str
    tools: tuple[Tool, ...]
    missing: str = ""

    @property
    def is_configured(self) -> bool:
        return not self.missing
