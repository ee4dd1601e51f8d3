"""Which anchors of secrets a text may hold, read off its distinct long words.

An anchor is a short literal that a form of secret begins with. Most texts hold none, and the long
words of a text are a fraction of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from streams.hygiene.secrets.forms import SHORT_FORMS, SHORTEST_WORD, Form

SHORTEST_PREFIXED = 24
LONG_PIECE = re.compile(rf"[A-Za-z0-9]{{{SHORTEST_PREFIXED},}}")
ALPHANUMERIC = "".join(chr(at) for at in range(128) if chr(at).isalnum())
APART = {at: " " for at in range(128) if not chr(at).isalnum()}
NO_DIGITS = {ord(digit): None for digit in "0123456789"}
HEAD = 3  # letters of an anchor that longer runs are looked up by


def _anchor_parts(form: Form, anchor: str) -> tuple[str, str]:
    """A whole run of letters and digits that the anchor begins with, or the head of a longer one.

    Neither when the anchor may stand within a run.
    """
    run = anchor[: len(anchor) - len(anchor.lstrip(ALPHANUMERIC))]
    if form.backwards or not run:
        return "", ""
    if run != anchor:
        return run, ""
    return ("", run[:HEAD]) if len(run) >= HEAD else ("", "")


Anchor = tuple[int, str]  # the order of its form, and the anchor
ANCHORS: list[Anchor] = [
    (order, anchor) for order, form in enumerate(SHORT_FORMS, 1) for anchor in form.anchors
]
BY_PIECE: dict[str, list[Anchor]] = {}
BY_HEAD: dict[str, list[Anchor]] = {}
ANYWHERE: list[Anchor] = []
for _order, _anchor in ANCHORS:
    _piece, _head = _anchor_parts(SHORT_FORMS[_order - 1], _anchor)
    if _piece:
        BY_PIECE.setdefault(_piece, []).append((_order, _anchor))
    elif _head:
        BY_HEAD.setdefault(_head, []).append((_order, _anchor))
    else:
        ANYWHERE.append((_order, _anchor))
LOWER_CASE = [it for it in ANCHORS if it[1] in ("hf_", "api_org_")]


class Words(NamedTuple):
    """The distinct long words of a text, and ``mixed``, those that could be a key.

    ``pieces`` are the runs of letters and digits of ``mixed``; None when it is not ASCII.
    """

    lettered: str
    mixed: str
    pieces: set[str] | None
    long_pieces: list[str]


def split_words(text: str) -> Words:
    words = [word for word in set(text.split()) if len(word) >= SHORTEST_WORD]
    lettered = "\n".join(words)
    without = lettered.translate(NO_DIGITS).split("\n")
    mixed = "\n".join(
        it
        for it, bare in zip(words, without, strict=False)
        if len(it) > len(bare) or not it.islower()
    )
    if not mixed.isascii():
        return Words(lettered, mixed, None, LONG_PIECE.findall(mixed))
    pieces = set(mixed.translate(APART).split())
    return Words(lettered, mixed, pieces, [it for it in pieces if len(it) >= SHORTEST_PREFIXED])


def list_anchors(words: Words) -> Iterator[tuple[int, str]]:
    """The anchors that may stand in the long words, each with the order of its form."""
    yield from (it for it in LOWER_CASE if it[1] in words.lettered)
    if words.pieces is None:
        yield from (it for it in ANCHORS if it[1] in words.mixed)
        return
    yield from (it for it in ANYWHERE if it[1] in words.mixed)
    for piece in sorted(words.pieces & BY_PIECE.keys()):
        yield from BY_PIECE[piece]
    for head in sorted({piece[:HEAD] for piece in words.pieces} & BY_HEAD.keys()):
        yield from BY_HEAD[head]
