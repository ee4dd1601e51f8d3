"""Whose model a model is: drafts are reviewed by another family than the one that wrote them.

The name decides, not the server: the same model is reached over many. A name that says nothing
makes a family of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from agents.models.catalogue import BY_NAME

# Words of a name without the number behind them. Of two, as in distilled models, the first counts.
WORDS = {
    "anthropic": ("claude", "opus", "sonnet", "haiku"),
    "openai": ("gpt", "chatgpt", "codex", "davinci", "o1", "o3", "o4"),
    "google": ("gemini", "gemma", "palm"),
    "xai": ("grok",),
    "meta": ("llama", "codellama"),
    "mistral": ("mistral", "mixtral", "ministral", "codestral", "devstral", "magistral"),
    "deepseek": ("deepseek",),
    "alibaba": ("qwen", "qwq"),
    "zai": ("glm", "chatglm", "zai"),
    "moonshot": ("kimi", "moonshot"),
    "minimax": ("minimax", "abab"),
    "cohere": ("command", "cohere", "aya"),
    "microsoft": ("phi", "wizardlm"),
    "perplexity": ("sonar", "perplexity"),
    "amazon": ("nova", "titan"),
    "nvidia": ("nemotron",),
    "ibm": ("granite",),
}
# Names of who makes models; asked where the name of the model itself says nothing.
MAKERS = {
    "anthropic": ("anthropic",),
    "openai": ("openai",),
    "google": ("google", "vertex", "vertexai", "deepmind"),
    "xai": ("xai", "x"),
    "meta": ("meta",),
    "mistral": ("mistralai",),
    "microsoft": ("microsoft",),
    "nvidia": ("nvidia",),
}
FAMILIES = frozenset(WORDS)
_BY_WORD = {word: family for family, words in WORDS.items() for word in words}
_BY_MAKER = {word: family for family, words in MAKERS.items() for word in words}
_NOT_WORD = re.compile(r"[^a-z0-9]+")
_NUMBER = re.compile(r"\d.*$")


def family_of(provider: str, model: str) -> str:
    """The family of a model by any name; a name that nobody knows is its own family."""
    *above, name = [part for part in model.lower().split("/") if part.strip()] or [""]
    for text in (name, *reversed(above)):
        if family := _find(text, _BY_WORD) or _find(text, _BY_MAKER):
            return family
    own = provider.lower().strip()
    if family := _find(own, _BY_WORD) or _find(own, _BY_MAKER):
        return family
    if own in BY_NAME and own in FAMILIES:
        return own
    return name.strip() or own or "unknown"


def is_known_family(family: str) -> bool:
    """Whether Cairn knows who makes the models of a family; else only its name tells it apart."""
    return family in FAMILIES


def find_conflicts(drafters: Iterable[str], reviewers: Iterable[str]) -> tuple[str, ...]:
    """The families, given as ``provider/model`` names, that both draft and review."""
    drafting = {find_family(name) for name in drafters}
    return tuple(sorted(drafting & {find_family(name) for name in reviewers}))


def find_family(name: str) -> str:
    """The family of a ``provider/model``."""
    provider, _, model = name.partition("/")
    return family_of(provider, model)


def _find(text: str, families: dict[str, str]) -> str:
    for word in _NOT_WORD.split(text):
        plain = word if word in families else _NUMBER.sub("", word)
        if plain in families:
            return families[plain]
    return ""
