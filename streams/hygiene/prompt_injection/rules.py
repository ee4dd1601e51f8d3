"""What text that is aimed at a model looks like: the pattern families.

Project documents speak of rules, prompts, tokens and agents all day, so a pattern asks for more
than its trigger word: override wording, a second person, an imperative at the start of a
sentence, or an addressee. Each rule names literals (``anchors``) without which it cannot match;
its pattern is tried on the few characters around an anchor only, which keeps the time linear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from schemas.events.hygiene import AnnotationType, Severity
from schemas.lexicons import Entry
from streams.hygiene.lexicons import read_lexicons
from streams.hygiene.prompt_injection.languages import Order, list_orders


class Rule(NamedTuple):
    """A pattern over lower-case text, looked for from ``back`` characters before an anchor."""

    rule_id: str
    type: AnnotationType
    severity: Severity
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    back: int = 0
    words: frozenset[str] = frozenset()  # a text with none of these holds no match
    also: frozenset[str] = frozenset()  # neither does one with none of these, unless it is empty
    is_latin: bool = True  # otherwise every anchor has a letter of another script


OTHER_SCRIPT = re.compile("[\u0370-\u1cff\u3040-\ud7ff]")  # than Latin, of those in the rules
REACH = 240  # characters after an anchor within which a match must end


def _rule(
    rule_id: str,
    kind: AnnotationType,
    severity: Severity,
    anchors: Sequence[str],
    pattern: str,
    back: int = 0,
    also: str = "",
) -> Rule:
    return Rule(
        *(rule_id, kind, severity, tuple(anchors), re.compile(pattern), back),
        words=_find_telling_words(anchors),
        also=frozenset(also.split()),
        is_latin=not all(OTHER_SCRIPT.search(anchor) for anchor in anchors),
    )


def compile_rule(entry: Entry) -> Rule:
    """The rule of a row."""
    row, pattern = entry.fields, "|".join(entry.patterns)
    own = row["rule"], row["type"], row["severity"], row["anchors"]
    return _rule(*own, pattern, row.get("back", 0), row.get("also", ""))


def compile_order(order: Order) -> Rule:
    """The rule of an order in another language."""
    return _rule(
        order.rule_id, "prompt_injection", "high", order.anchors, order.pattern, order.back
    )


def _find_telling_words(anchors: Sequence[str]) -> frozenset[str]:
    """For each anchor one whole word that a match needs; empty when an anchor has no such word."""
    words: set[str] = set()
    for anchor in anchors:
        whole = re.findall("[a-z]{2,}", anchor)
        if not whole:
            return frozenset()
        words |= {whole[0], f"{whole[0]}s"}
    return frozenset(words)


RULES = (
    *map(compile_rule, read_lexicons("prompt_injection")["rules"].entries),
    *map(compile_order, list_orders()),
)
