"""The tools of all categories, and the search that finds those which a request needs.

A model cannot be shown hundreds of tools, so it searches for them. The search is lexical: it needs
no model, and the same words always give the same tools. A word of a tool's name weighs more than
one of its description, and that more than one of its arguments; a word that few tools have weighs
more than one that many have (BM25 over the fields together).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from agents.tools.tool import Tool

LIMIT = 10
LONGEST_QUERY = 4_000  # characters; what follows is not searched for
IN_NAME, IN_DESCRIPTION, IN_ARGUMENTS, IN_SPACE = 4.0, 1.5, 0.5, 2.0
SATURATION, BY_LENGTH = 1.5, 0.4  # BM25's k and b; descriptions are all short
SHORTEST_STEM = 3
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_HYPHENATED = re.compile(r"\b\w+(?:-\w+)+\b")
_WORD = re.compile(r"[^\W_]+")
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ings", ""), ("ing", ""), ("es", ""), ("ed", ""))
_LAST = (("s", ""), ("e", ""))
_SAY_LITTLE = (
    "a an and any are as at be by can do for from has have i if in is it its me my of on or our"
    " please so that the their them then these this those to up was we what where which who will"
    " with you your"
)
_EMPTY_WORDS = frozenset(_SAY_LITTLE.split(" "))


class ToolRegistry:
    """The tools by category, which is the ``space`` that a search is limited to.

    A tool may be in several categories. Raises ValueError where two tools have one name.
    """

    def __init__(self, spaces: Mapping[str, Sequence[Tool]]) -> None:
        self._spaces = {space: tuple(tools) for space, tools in spaces.items()}
        self._tools: dict[str, Tool] = {}
        for space, tools in self._spaces.items():
            for tool in tools:
                if self._tools.setdefault(tool.name, tool) is not tool:
                    raise ValueError(f"{space} has another tool named {tool.name}.")

    @property
    def spaces(self) -> Mapping[str, tuple[Tool, ...]]:
        """The tools of each category, in their order."""
        return self._spaces

    def names(self) -> tuple[str, ...]:
        return tuple(self._tools)

    def find(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def within(self, spaces: Collection[str]) -> ToolRegistry:
        """The same with these categories alone; one that is not there is empty."""
        return ToolRegistry(
            {space: tools for space, tools in self._spaces.items() if space in spaces}
        )

    def search(self, query: str, limit: int = LIMIT) -> tuple[Tool, ...]:
        """The tools that fit the words best, the best first, equal ones by name.

        A tool that ``query`` names exactly comes before all others. Empty where no word fits.
        """
        text = query[:LONGEST_QUERY]
        words = dict.fromkeys(_list_terms(text))
        named = set(re.findall(r"\w+", text))
        scores = {name: self._score(terms, words) for name, terms in self._documents.items()}
        ranked = sorted(
            (name for name in scores if scores[name] > 0 or name in named),
            key=lambda name: (name not in named, -scores[name], name),
        )
        return tuple(self._tools[name] for name in ranked[: max(0, limit)])

    def _score(self, terms: Mapping[str, float], words: Iterable[str]) -> float:
        length = sum(terms.values()) / self._mean_length
        spread = SATURATION * (1 - BY_LENGTH + BY_LENGTH * length)
        weights = ((word, terms[word]) for word in words if word in terms)
        score = sum(
            self._rarity[word] * weight * (SATURATION + 1) / (weight + spread)
            for word, weight in weights
        )
        return round(score, 9)

    @cached_property
    def _documents(self) -> dict[str, dict[str, float]]:
        """The terms of each tool with their weights."""
        spaces: dict[str, list[str]] = {}
        for space, tools in self._spaces.items():
            for tool in tools:
                spaces.setdefault(tool.name, []).append(space)
        return {
            name: _weigh_terms(tool, " ".join(spaces[name])) for name, tool in self._tools.items()
        }

    @cached_property
    def _rarity(self) -> dict[str, float]:
        """How much a term tells: the fewer tools have it, the more."""
        counts = Counter(term for terms in self._documents.values() for term in terms)
        total = len(self._documents)
        return {
            term: math.log(1 + (total - number + 0.5) / (number + 0.5))
            for term, number in counts.items()
        }

    @cached_property
    def _mean_length(self) -> float:
        lengths = [sum(terms.values()) for terms in self._documents.values()]
        return max(1.0, sum(lengths) / max(1, len(lengths)))


def _weigh_terms(tool: Tool, space: str) -> dict[str, float]:
    arguments = [tool.arguments.__doc__ or ""]
    for name, field in tool.arguments.model_fields.items():
        arguments += [name, field.description or ""]
    weights: dict[str, float] = {}
    for text, weight in (
        (tool.name, IN_NAME),
        (space, IN_SPACE),
        (tool.description, IN_DESCRIPTION),
        (" ".join(arguments), IN_ARGUMENTS),
    ):
        for term in dict.fromkeys(_list_terms(text)):
            weights[term] = weights.get(term, 0.0) + weight
    return weights


def _list_terms(text: str) -> list[str]:
    """The stems of its words, of compounds also joined (`e-mail`, `email`), of names in camel case
    also their parts (`GitHub`, `listIssues`).
    """
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    joined = [match.group().replace("-", "") for match in _HYPHENATED.finditer(plain)]
    written = _WORD.findall(plain)
    parts = [part for word in written for part in _CAMEL.split(word)]
    words = [*dict.fromkeys([*written, *parts]), *joined]
    lowered = (word.casefold() for word in words)
    return [_cut_ending(word) for word in lowered if word not in _EMPTY_WORDS]


def _cut_ending(word: str) -> str:
    """Forms of an English word become one: it need not be a word, only the same for all."""
    for endings in (_ENDINGS, _LAST):
        for ending, instead in endings:
            root = word.removesuffix(ending)
            if root != word and len(root) >= SHORTEST_STEM and not word.endswith("ss"):
                word = root + instead
                break
    is_doubled = len(word) > SHORTEST_STEM and word[-1] == word[-2]
    return word[:-1] if is_doubled else word
