"""How like an order to a model a passage is: a linear scorer beside the pattern families.

Patterns know the wordings somebody wrote down; this knows what orders have in common. Two heads
share the features: ``message`` for a short text as a whole, such as a comment or a chat message,
and ``line`` for one line of a longer document, which must also stand apart from what is around it.
Weights are whole numbers made by ``tests/hygiene/train_likeness.py``; a score is their sum over the
distinct features by the root of their number, so that neither order nor machine changes it.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from functools import cache
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from schemas.data_files import read_table

WEIGHTS_PATH = Path(__file__).with_name("likeness.json")
BUCKETS = 1 << 15
SCALE = 24  # a weight of 1.0 as a whole number
MOST_WORDS = 80
LONGEST_MESSAGE = 2_500
LINES_OF_A_DOCUMENT = 5
LEAST_AROUND = 200  # characters around a line without which it cannot be called foreign
WINDOW = 6_000  # characters on either side in which a line's words are looked for
TOKEN = re.compile(r"[^\W\d_]+|[?!]")
SENTENCE_END = re.compile(r"(?<=[.?!\"”])[ \t\n]+|\n+")
LINE = re.compile(r"\n[\"'“]?[A-Z¿¡][^\n]{12,320}[.?!:\"')”](?=\n)")
HEADING = re.compile(r"\s{0,20}#{1,6} \S")
CONTENT = re.compile(r"[^\W\d_]{4,}")
OPENERS = frozenset(read_table(__package__, "openers.toml")["words"].split())


class Weights(NamedTuple):
    """One head. ``cut``: from this score on a passage is taken for an order."""

    values: bytes  # of BUCKETS weights, each 128 more than it is
    bias: int
    cut: int


class Passage(NamedTuple):
    start: int
    end: int
    score: int


@cache
def heads() -> dict[str, Weights]:
    """The trained weights, read once."""
    stored = json.loads(WEIGHTS_PATH.read_text())
    return {
        name: Weights(zlib.decompress(base64.b85decode(it["weights"])), it["bias"], it["cut"])
        for name, it in stored["heads"].items()
    }


def score(text: str, head: Weights, *more: str) -> int:
    """Thousandths of a logit: how like an order the passage is."""
    found = features(text, *more)
    total = sum(head.values[it] for it in found) - 128 * len(found)
    return head.bias + round(1000 * total / (SCALE * sqrt(len(found) or 1)))


def features(text: str, *more: str) -> frozenset[int]:
    """The passage's features as bucket numbers; ``more`` are features of its surroundings."""
    tokens = TOKEN.findall(text)[:MOST_WORDS]
    words = [token.lower() for token in tokens]
    names = [f"w {word}" for word in words]
    names += [f"b {one} {two}" for one, two in zip(words, words[1:], strict=False)]
    names += [f"p {word[:5]}" for word in words if len(word) > 5]
    names += [f"s {word[-4:]}" for word in words if len(word) > 6]
    names += [f"f {words[0]}", f"g {' '.join(words[:2])}"] if words else []
    loud = sum(len(token) > 3 and token.isupper() for token in tokens)
    names += [f"n {min(9, len(words) // 4)}", f"l {min(4, loud)}", f"e {text.rstrip()[-1:]}", *more]
    return frozenset(zlib.crc32(name.encode()) % BUCKETS for name in names)


def is_document(text: str) -> bool:
    """Whether the text is judged line by line rather than as one message."""
    if len(text) > LONGEST_MESSAGE or HEADING.match(text):
        return True
    lines = sum(1 for line in text.split("\n") if line.strip())
    return lines >= LINES_OF_A_DOCUMENT


def message_parts(text: str) -> Iterator[tuple[int, int]]:
    """The whole of a message, each of its sentences, and each with those behind it."""
    starts = [0, *(match.end() for match in SENTENCE_END.finditer(text))]
    ends = [*(match.start() for match in SENTENCE_END.finditer(text)), len(text)]
    yield 0, len(text)
    if len(starts) > 1:
        for start, end in zip(starts[:24], ends[:24], strict=True):
            if len(text[start:end].split()) > 1:
                yield start, end


def lines_apart(text: str, lowered: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Lines that open like an order or question and say what nothing around them says."""
    padded = f"\n{text}\n"
    for match in LINE.finditer(padded):
        start, end = (
            match.start(),
            match.end() - 1,
        )  # the line feed before stands in for the one added
        line = lowered[start:end]
        first = TOKEN.search(line)
        if not first or (first[0] not in OPENERS and " your " not in line):
            continue
        content = list(dict.fromkeys(CONTENT.findall(line)))[:16]
        strange = sum(_stands_alone(word, lowered, start, end) for word in content)
        little = len(text) - len(line) < LEAST_AROUND or 2 * strange < len(content)
        if little and " your " not in line:
            continue
        yield start, end, surroundings(text, start, end, strange, len(content))


def surroundings(text: str, start: int, end: int, strange: int, size: int) -> tuple[str, ...]:
    """Features of where a line stands: how foreign it is, and whether it stands by itself."""
    share = 4 * strange // size if size else 0
    before = text[:start].rstrip(" \t")
    after = text[end:].lstrip(" \t")
    alone = ("a" if not before or before.endswith("\n\n") else "") + (
        "z" if not after.strip() or after.startswith("\n\n") else ""
    )
    place = "first" if not before else "last" if not after.strip() else "inside"
    return f"strange {share}", f"strange {share} {min(size, 6)}", f"alone {alone}", f"at {place}"


def _stands_alone(word: str, lowered: str, start: int, end: int) -> bool:
    return (
        lowered.find(word, max(0, start - WINDOW), start) < 0
        and lowered.find(word, end, end + WINDOW) < 0
    )
