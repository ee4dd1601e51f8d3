"""The prompts of the workflows: fixed words with a version first, then data behind fences."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from agents.fence import FENCE_RULE, fence
from agents.models.call import Message


@dataclass(frozen=True, slots=True)
class Prompt:
    """``version`` changes with the text, so that a record says which words were used."""

    name: str
    version: str
    text: str

    def with_rules(self, *rules: str) -> Message:
        """The system message: the words, further rules of ours, and what a fence is."""
        return Message(role="system", content="\n\n".join([self.text.strip(), *rules, FENCE_RULE]))


@cache
def read_prompts() -> dict[str, Prompt]:
    """All prompts by name."""
    text = resources.files(__package__).joinpath("prompts.toml").read_text(encoding="utf-8")
    return {name: Prompt(name, **fields) for name, fields in tomllib.loads(text).items()}


def get_prompt(name: str) -> Prompt:
    return read_prompts()[name]


def show(title: str, text: str) -> str:
    """A part of a request: what it is, and the text of others behind its fence; empty: no part."""
    return f"{title}:\n{fence(text.strip())}" if text.strip() else ""


def join_parts(*parts: str) -> Message:
    """The user message of the parts that are there."""
    return Message(role="user", content="\n\n".join(part for part in parts if part))


def list_items(items: list[str]) -> str:
    return "\n".join(f"- {' '.join(item.split())}" for item in items)
