"""Damage to bytes and to trees of JSON."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any, Literal

NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 40, 1 << 62)
DEEP, DIGITS, NAN = "@deep", "@digits", "@nan"  # stand for what the writer of JSON would not write
TEXTS = (
    "", "\0", "\ud83d", "\u202e\u2028", "A" * 70_000, " " * 70_000 + "x", "`" * 20_000,
    "*a " * 20_000, "[a|" * 20_000, "<@U1" * 20_000, "{quote}" * 5_000, "{code:" * 9_000,
    "\n" * 30_000, "http://" * 9_000, "9" * 5_000, "../../etc/passwd", "-1", "1e999", "1." * 9_000,
    "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-01-01T00:00:00Z",
    "99999999999.000000", "SHOP-99999999999999999999", DEEP, DIGITS, NAN,
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, -1, 1 << 63, 10**300, 1.5, [], {}, [[]], [{}], {"": None}, {"level": 10**12},
    {"type": "heading", "attrs": {"level": 10**10}},
    {"type": "text", "text": "a", "marks": [{"type": "em"}] * 30_000},
)  # fmt: skip


def damaged(raw: bytes, chance: Random) -> bytes:
    """Some bytes of it changed, moved, doubled or gone."""
    found = bytearray(raw)
    for _ in range(chance.choice((0, 1, 1, 2, 3, 8))):
        if not found:
            break
        at = chance.randrange(len(found))
        size = min(chance.choice((1, 2, 4, 8, 32, 512)), len(found) - at)
        match chance.randrange(7):
            case 0:
                found[at] ^= 1 << chance.randrange(8)
            case 1:
                found[at : at + size] = chance.randbytes(size)
            case 2:
                order: Literal["little", "big"] = "little" if chance.random() < 0.5 else "big"
                width = chance.choice((2, 4, 8))
                number = chance.choice(NUMBERS) & ((1 << 8 * width) - 1)
                found[at : at + width] = number.to_bytes(
                    width, "little" if order[0] == "l" else "big"
                )
            case 3:
                del found[at : at + size]
            case 4:
                found[at:at] = found[at : at + size] * chance.choice((1, 2, 50))
            case 5:
                found[at:at] = chance.choice((b"\0", b"\xff", b"9", b"/", b"\n")) * size
            case 6:
                del found[at:]
    return bytes(found)


def grown(tree: Any, chance: Random) -> Any:
    """The tree with some of its values put for others; often only texts, so that it is read."""
    places = _places(tree)
    if chance.random() < 0.5:
        texts = [(holder, key) for holder, key in places if isinstance(holder[key], str)]
        for holder, key in chance.sample(texts, min(2, len(texts))):
            holder[key] = chance.choice((*TEXTS, holder[key] + chance.choice(TEXTS)))
        return tree
    for _ in range(chance.choice((1, 1, 2, 5))):
        holder, key = chance.choice(places)
        match chance.randrange(4):
            case 0:
                holder[key] = chance.choice(TEXTS)
            case 1:
                holder[key] = deepcopy(chance.choice(ODD))  # it may be changed in its turn
            case 2:
                other, name = chance.choice(places)
                holder[key] = json.loads(json.dumps(other[name]))
            case 3 if isinstance(holder, dict):
                del holder[key]
            case _:
                holder[key] = [json.loads(json.dumps(holder[key]))] * chance.choice((2, 300))
        if not (places := _places(tree)):
            break
    return tree


def written(tree: Any, chance: Random) -> str:
    """The tree as JSON, with what no writer of JSON would write."""
    text = json.dumps(tree, ensure_ascii=chance.random() < 0.7)
    levels = chance.choice((65, 500, 100_000))
    text = text.replace(f'"{DEEP}"', "[" * levels + "]" * levels)
    return text.replace(f'"{DIGITS}"', "9" * 6_000).replace(f'"{NAN}"', "NaN")


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Every holder with every key or index, breadth first; of large lists the first few."""
    found: list[tuple[Any, Any]] = []
    level = [tree]
    while level and len(found) < 2_000:
        below: list[Any] = []
        for each in level:
            pairs = each.items() if isinstance(each, dict) else enumerate(each[:5])
            for key, value in pairs:
                found.append((each, key))
                if isinstance(value, dict | list):
                    below.append(value)
        level = below
    return found
