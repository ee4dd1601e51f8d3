"""Finds the files that are built most like those that are to be changed.

A file is a set of features: what its classes extend, what decorates and what is called, imports,
names, folder and size. Two files are alike by the features they share, as the cosine of their
weights; a feature that few files have weighs more. There is no index and no model, so the same
repository gives the same answer.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePosixPath
from statistics import median

from agents.development.codebase.facts import Declaration, FileFacts

# How much a kind of feature says, besides how rare it is; set by hand on repositories that are in
# no list of cases.
_WEIGHTS = {
    "base": 3.0,
    "decorator": 2.0,
    "member": 1.5,
    "name": 1.5,
    "call": 1.0,
    "import": 1.0,
    "declares": 1.0,
    "folder": 1.0,
    "shape": 0.5,
}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_TESTS = re.compile(r"(?:^|[._/-])(?:tests?|specs?|__tests__)(?:[._/-]|$)")
_MOST_SHARED = 6
_OTHER_SIDE = 0.5  # a test is no model for code that is none, and the other way round
_TYPICAL = 0.5  # of the files beside a new one: a feature that so many have, it will have

Features = frozenset[str]


@dataclass(frozen=True, slots=True)
class SimilarFile:
    """``score`` is 0 to 1 and orders; ``like``: the file to change; ``shared``: the rarest features
    of both, as words.
    """

    path: str
    score: float
    like: str
    shared: tuple[str, ...]


def features_of(path: str, facts: FileFacts | None) -> Features:
    """What a file is known by; without ``facts``, of a file that is not there yet, by its path."""
    return frozenset(chain(_path_features(path), _facts_features(facts) if facts else ()))


def features_of_words(words: Iterable[str], vocabulary: Iterable[Features]) -> Features:
    """Of names that a draft mentions those that some file has as a feature."""
    names = {it.casefold() for it in words}
    parts = {part for it in words for part in words_of(it)}
    return frozenset(
        feature
        for features in vocabulary
        for feature in features
        if (split := feature.partition(":"))[2].casefold() in names
        or (split[0] in ("name", "declares") and split[2] in parts)
    )


def typical_features(path: str, candidates: Mapping[str, Features]) -> Features:
    """What a file that is not there yet will have in common with those beside it.

    Where hardly any is in its folder, those in the folders beside that count.
    """
    side, above = is_test(path), path.split("/")[:-1]
    beside: list[Features] = []
    for folder in (above, above[:-1]):
        prefix = "".join(f"{it}/" for it in folder)
        files = (it for it in candidates if it.startswith(prefix) and is_test(it) == side)
        deep = [it for it in files if it.count("/") <= len(above)]
        if len(deep) > 2 and folder:
            beside = [candidates[it] for it in deep]
            break
    counts = Counter(chain.from_iterable(beside))
    return frozenset(it for it, count in counts.items() if count >= len(beside) * _TYPICAL)


def rank_similar(
    targets: Mapping[str, Features], candidates: Mapping[str, Features]
) -> tuple[SimilarFile, ...]:
    """The candidates that share anything with a target, the most similar first."""
    counts = Counter(chain.from_iterable(candidates.values()))
    most = len(candidates) + 1
    weights = {
        it: _WEIGHTS[it.partition(":")[0]] * math.log(most / count) for it, count in counts.items()
    }
    norms = {path: _norm(features, weights) for path, features in candidates.items()}
    least = median(norms.values()) if norms else 0.0  # a file of two lines is like nothing
    ranked = []
    for path, features in candidates.items():
        scored = [
            (
                _cosine(weights, own & features, _norm(own, weights), max(norms[path], least))
                * (1.0 if is_test(path) == is_test(name) else _OTHER_SIDE),
                name,
            )
            for name, own in targets.items()
        ]
        score, like = max(scored, key=lambda it: (it[0], it[1]), default=(0.0, ""))
        if score > 0:
            shared = _shared(targets[like] & features, weights)
            ranked.append(SimilarFile(path, round(score, 4), like, shared))
    return tuple(sorted(ranked, key=lambda it: (-it.score, -near(it.path, it.like), it.path)))


def near(path: str, other: str) -> int:
    """How many folders two paths have in common from the root on."""
    pairs = zip(path.split("/")[:-1], other.split("/")[:-1], strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), path.count("/"))


def words_of(name: str) -> Iterator[str]:
    """The words of a name in any of the usual styles, in lower case."""
    return (it.casefold() for it in _WORDS.findall(name) if len(it) > 1)


def is_test(path: str) -> bool:
    return bool(_TESTS.search(path.casefold()))


def _path_features(path: str) -> Iterator[str]:
    pure = PurePosixPath(path)
    folders = path.split("/")[:-1]
    stem = pure.name.partition(".")[0] or pure.name
    if stem in ("__init__", "index", "mod", "main") and folders:
        stem = f"{folders[-1]}_{stem}"
    yield from (f"name:{word}" for word in words_of(stem))
    yield from (f"folder:{'/'.join(folders[:end])}" for end in range(1, len(folders) + 1))
    yield f"shape:ending {''.join(pure.suffixes[-2:]).casefold()}"
    yield f"shape:{'test' if is_test(path) else 'no test'}"


def _facts_features(facts: FileFacts) -> Iterator[str]:
    yield f"shape:about {2 ** max(facts.lines, 1).bit_length()} lines"
    kinds = Counter(it.kind for it in facts.declarations)
    yield from (f"shape:{min(count, 8)} of {kind}" for kind, count in kinds.items())
    yield from (f"import:{it}" for it in facts.modules)
    yield from (f"call:{it}" for it in facts.calls)
    yield from chain.from_iterable(map(_declared, facts.declarations))


def _declared(declaration: Declaration) -> Iterator[str]:
    yield from (f"base:{it}" for it in declaration.bases)
    yield from (f"decorator:{it.partition('(')[0]}" for it in declaration.decorators)
    yield from (f"declares:{word}" for word in words_of(declaration.name))
    for member in declaration.members:
        yield f"member:{member.name}"
        yield from (f"decorator:{it.partition('(')[0]}" for it in member.decorators)
        yield from (f"declares:{word}" for word in words_of(member.name))


def _norm(features: Features, weights: Mapping[str, float]) -> float:
    return math.sqrt(math.fsum(weights.get(it, 0.0) ** 2 for it in features))


def _cosine(weights: Mapping[str, float], shared: Features, one: float, other: float) -> float:
    both = one * other
    return math.fsum(weights.get(it, 0.0) ** 2 for it in shared) / both if both else 0.0


def _shared(features: Features, weights: Mapping[str, float]) -> tuple[str, ...]:
    ordered: Sequence[str] = sorted(features, key=lambda it: (-weights.get(it, 0.0), it))
    return tuple(it.replace(":", " ", 1) for it in ordered[:_MOST_SHARED])
