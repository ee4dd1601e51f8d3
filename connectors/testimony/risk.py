"""The risk class of a chat message, the first thing that is determined of it.

Rules only, since no model may see raw text. In doubt the higher class: a negation lowers nothing of
class high, and a quotation lowers nothing at all (what somebody quotes may have happened).
Technical phrases are removed first, because in them processes are killed and arguments are illegal.
Messages of class ``none`` in project channels become sources, so a false match costs knowledge, and
a missed one would expose a person.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from connectors.testimony.lexicon import MACHINES, RULES
from schemas.events.testimony import RiskClass

LOOK_BACK_CHARS = 40
_MACHINES = re.compile(MACHINES, re.IGNORECASE | re.DOTALL)
_NEGATED = re.compile(r"(?:n't|\b(?:not|no|never|without))\W+(?:\w+\W+){0,2}$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Risk:
    """The class of a message and the rules that matched, in the order of the tables."""

    risk_class: RiskClass
    rules: tuple[str, ...] = ()


def risk_of(text: str) -> Risk:
    """The highest class with a rule that matches ``text``."""
    prose = _MACHINES.sub(" it ", text.replace("\u2019", "'"))
    for risk_class, rules in RULES.items():
        names = tuple(name for name, rule in rules.items() if _finds(rule, prose, risk_class))
        if names:
            return Risk(risk_class, names)
    return Risk("none")


def _finds(rule: re.Pattern[str], text: str, risk_class: RiskClass) -> bool:
    """Whether the rule matches; below class high a negated match does not count."""
    return any(
        risk_class == "high"
        or not _NEGATED.search(text, max(0, match.start() - LOOK_BACK_CHARS), match.start())
        for match in rule.finditer(text)
    )
