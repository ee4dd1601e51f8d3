"""Alarms, and how many of them are raised where there is no reason."""

from __future__ import annotations

import re

from infra.measure.measures.counting import Pairs, share

# A guard of trigger words, to measure against: what anybody would write in five minutes.
TRIGGERS = re.compile(
    r"\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|above|prior|instructions?|rules?)\b"
    r"|\b(you are now|act as|pretend to be|from now on|system prompt|your (answer|reply) must)\b",
    re.IGNORECASE,
)


def flagged(pairs: Pairs) -> float:
    """The share of texts that are called an injection."""
    return share(said["label"] == "injection" for _, said in pairs)


def flagged_by_words(pairs: Pairs) -> float:
    """The share of texts that a guard of trigger words would flag."""
    return share(bool(TRIGGERS.search(row["text"])) for row, _ in pairs)


def redactions_per_100_kb(pairs: Pairs) -> float:
    """Places taken out of each 100 kB of UTF-8 text."""
    size = sum(len(row["text"].encode()) for row, _ in pairs)
    return 100_000 * sum(len(said["spans"]) for _, said in pairs) / max(1, size)
