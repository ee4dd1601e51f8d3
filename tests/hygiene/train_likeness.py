"""Makes ``likeness.json``: ``python -m tests.hygiene.train_likeness DATA [--out FILE]``.

DATA is a folder with the labelled sets. Logistic regression by AdaGrad over the
features of ``likeness.py``, one pass after another in an order drawn from a fixed seed, weights
rounded to bytes. The result names the seed and the hash of what was read. ``--holdout`` trains on
one half (by group of wordings, attack category and document) and prints the figures of the other.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import exp, sqrt
from pathlib import Path
from random import Random
from typing import Any

from streams.hygiene.normalise import lower
from streams.hygiene.prompt_injection.likeness import (
    BUCKETS,
    SCALE,
    WEIGHTS_PATH,
    Weights,
    features,
    lines_apart,
    message_parts,
    score,
)
from tests.hygiene.likeness_phrases import for_documents, messages

SEED = 20261121
PASSES = 4
RATE = 0.5
DECAY = 2e-6
CUTS = {"message": -800, "line": 2000}
Sample = tuple[frozenset[int], bool, float]


@dataclass
class Data:
    """The labelled sets, and the hash of the bytes they were read from."""

    folder: Path
    digest: Any = field(default_factory=hashlib.sha256)

    def rows(self, name: str) -> list[dict[str, Any]]:
        raw = (self.folder / name).read_bytes()
        self.digest.update(raw)
        return [json.loads(line) for line in raw.split(b"\n") if line]


def half(key: str) -> int:
    return zlib.crc32(key.encode()) % 2


def group_of(prompts: list[dict[str, Any]]) -> dict[str, str]:
    """Rows that hold the same order, or are each other's translation, belong to one group."""
    orders = [row for row in prompts if row["label"] == "injection"]
    cores = [row["text"].strip() for row in orders]
    groups = {}
    for row in orders:
        at = next(n for n, core in enumerate(cores) if core[-60:] in row["text"])
        groups[row["id"]] = f"order {at % 37 if at < 74 else at}"
    return groups


def message_samples(data: Data, keep: Iterable[int]) -> Iterator[Sample]:
    rng, keep = Random(SEED), set(keep)
    prompts = data.rows("injection/prompts.jsonl")
    groups = group_of(prompts)
    for row in prompts:
        if half(groups.get(row["id"], row["text"])) in keep:
            yield features(row["text"]), row["label"] == "injection", 1.5
    for text in messages(rng, 6_000):
        yield features(text), True, 0.4
    for text in _ordinary(data, keep):
        yield features(text), False, 1.0


def _ordinary(data: Data, keep: set[int]) -> Iterator[str]:
    for row in data.rows("injection/hard_negatives.jsonl"):
        if half(row["source"]) in keep:
            yield row["text"]
    for name, fields in (
        ("sections/units.jsonl", ("text",)),
        ("decisions/condec_sentences.jsonl", ("text",)),
        ("requirements/promise_exp.jsonl", ("text",)),
        ("risks/technical_debt.jsonl", ("text",)),
        ("duplicates/sts_stackexchange.jsonl", ("a", "b")),
        ("duplicates/issue_corpus.jsonl", ("text",)),
    ):
        for row in data.rows(name):
            for one in fields:
                if half(row[one]) in keep:
                    yield row[one][:600]


def line_samples(data: Data, keep: Iterable[int]) -> Iterator[Sample]:
    rng, keep = Random(SEED), set(keep)
    documents = data.rows("injection/documents.jsonl")
    clean = [
        row["text"] for row in documents if row["label"] == "benign" and half(_doc(row)) in keep
    ]
    for row in documents:
        if row["spans"] and half(str(row["category"])) in keep:
            span = row["spans"][0]
            order = row["text"][span["start"] : span["end"]].split("\n")[0]
            for _ in range(4):
                yield from _plant(rng, rng.choice(clean), order, 3.0)
    for order in for_documents(rng, 6_000):
        yield from _plant(rng, rng.choice(clean), order, 1.0)
    whole = [row["text"] for row in data.rows("sections/docs.jsonl") if half(row["repo"]) in keep]
    for text in clean + whole:
        for start, end, more in lines_apart(text, lower(text)):
            yield features(text[start:end], *more), False, 2.0


def _doc(row: dict[str, Any]) -> str:
    return str(row["id"]).rpartition(":")[0]


def _plant(rng: Random, text: str, order: str, weight: float) -> Iterator[Sample]:
    lines = text.split("\n")
    at = rng.choice([0, len(lines), rng.randrange(len(lines) + 1)])
    text = "\n".join([*lines[:at], order, *lines[at:]])
    start = len("\n".join(lines[:at])) + (at > 0)
    for first, end, more in lines_apart(text, lower(text)):
        if first <= start < end:
            yield features(text[first:end], *more), True, weight


def train_weights(samples: list[Sample], seed: int = SEED) -> tuple[list[float], float]:
    """Weights and bias of a logistic regression over unit vectors."""
    weights, seen = [0.0] * BUCKETS, [1e-6] * BUCKETS
    bias, seen_bias = 0.0, 1e-6
    rng = Random(seed)
    for _ in range(PASSES):
        rng.shuffle(samples)
        for found, positive, weight in samples:
            scale = 1 / sqrt(len(found) or 1)
            logit = bias + scale * sum(weights[it] for it in sorted(found))
            error = weight * ((1 / (1 + exp(-max(-30.0, min(30.0, logit))))) - positive)
            seen_bias += error * error
            bias -= RATE * error / sqrt(seen_bias)
            step = error * scale
            for it in found:
                gradient = step + DECAY * weights[it]
                seen[it] += gradient * gradient
                weights[it] -= RATE * gradient / sqrt(seen[it])
    return weights, bias


def as_bytes(weights: list[float], bias: float, cut: int) -> Weights:
    whole = bytes(128 + max(-127, min(127, round(SCALE * it))) for it in weights)
    return Weights(whole, round(1000 * bias), cut)


def train(data: Data, keep: Iterable[int]) -> dict[str, Weights]:
    made = {}
    for name, samples in (("message", message_samples), ("line", line_samples)):
        rows = sorted(samples(data, keep), key=lambda it: (sorted(it[0]), it[1]))
        made[name] = as_bytes(*train_weights(rows), CUTS[name])
    return made


def judge(data: Data, heads: dict[str, Weights], keep: set[int]) -> None:
    """Prints how each head does on the half that is not ``keep``."""
    prompts = data.rows("injection/prompts.jsonl")
    groups = group_of(prompts)
    head = heads["message"]
    scored = []
    for row in prompts:
        text = row["text"]
        if half(groups.get(row["id"], text)) not in keep:
            best = max(score(text[a:b], head) for a, b in message_parts(text))
            scored.append((best, row["label"] == "injection"))
    _table("message", scored)
    hard = [
        (score(row["text"], head), False)
        for row in data.rows("injection/hard_negatives.jsonl")
        if half(row["source"]) not in keep
    ]
    for cut in (-500, 0, 500, 1000):
        print("hard negatives at", cut, sum(it >= cut for it, _ in hard), "of", len(hard))
    lines = []
    for row in data.rows("injection/documents.jsonl"):
        if half(str(row["category"]) if row["spans"] else _doc(row)) not in keep:
            lines.append((_best_line(row["text"], heads["line"]), bool(row["spans"])))
    _table("line", lines)
    docs = [it for it in data.rows("sections/docs.jsonl") if half(it["repo"]) not in keep]
    scores = [_best_line(it["text"], heads["line"]) for it in docs]
    for cut in range(0, 4001, 500):
        print("documents at", cut, sum(it >= cut for it in scores), "of", len(docs))


def _best_line(text: str, head: Weights) -> int:
    found = [score(text[a:b], head, *more) for a, b, more in lines_apart(text, lower(text))]
    return max(found, default=-9_999)


def _table(name: str, scored: list[tuple[int, bool]]) -> None:
    for cut in range(-1500, 4001, 500):
        right = sum(positive and it >= cut for it, positive in scored)
        wrong = sum(not positive and it >= cut for it, positive in scored)
        all_ = sum(positive for _, positive in scored)
        print(name, cut, "P", right / max(1, right + wrong), "R", right / max(1, all_),
              "F1", 2 * right / (right + wrong + all_))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=WEIGHTS_PATH)
    parser.add_argument("--holdout", action="store_true")
    asked = parser.parse_args()
    data = Data(asked.data)
    if asked.holdout:
        for keep in ({0}, {1}):
            judge(data, train(data, keep), keep)
        return
    heads = train(data, {0, 1})
    stored = {
        "seed": SEED,
        "data_sha256": data.digest.hexdigest(),
        "heads": {
            name: {
                "bias": it.bias,
                "cut": it.cut,
                "weights": base64.b85encode(zlib.compress(it.values, 9)).decode(),
            }
            for name, it in heads.items()
        },
    }
    asked.out.write_text(json.dumps(stored, indent=1) + "\n")


if __name__ == "__main__":
    main()
