"""Samples of every form, made out of its expression, so that a new form needs no sample by hand."""

from __future__ import annotations

import base64
import importlib
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from streams.hygiene.secrets.forms import Form

# There is no public one. Not an import statement: whether types of it are found depends on what
# else is checked.
parser: Any = importlib.import_module("re._parser")
ALPHABET = "".join(map(chr, range(33, 127)))
LINE = 64
CATEGORIES = {"CATEGORY_WORD": r"\w", "CATEGORY_SPACE": r"\s", "CATEGORY_DIGIT": r"\d"}


def samples_of(form: Form, length: int, seed: int) -> Iterator[str]:
    """Texts that hold the form, its open runs ``length`` long; one for each of its branches."""
    if form.rule_id == "R-BASIC":
        said = base64.b64encode(b"user:" + drawn(length, seed).encode()).decode()
        yield f'"auth": "{said}"' if '"auth"' in form.anchors else f"Basic {said}"
        return
    tree = parser.parse(form.pattern.pattern, form.pattern.flags & ~re.UNICODE | re.ASCII)
    branches = max([len(it) for it in _branches(tree)], default=1)
    for branch in range(branches):
        chance = Random(f"{form.anchors}{length}{seed}")
        sample = _anchored(form, _Sample(chance, length, branch).of(tree))
        if form.pattern.search(sample):
            yield sample


def _anchored(form: Form, sample: str) -> str:
    """The sample with one of the form's anchors: an expression may allow more than these."""
    lowered = sample.lower()
    for anchor in form.anchors:
        at = max(sample.find(anchor), lowered.find(anchor))
        if at >= 0 and (form.backwards or form.pattern.match(sample, at)):
            return sample
    anchor = form.anchors[0]
    if sample.startswith(anchor[1:]):
        return anchor[0] + sample
    return anchor + sample[len(anchor) :]


def drawn(length: int, seed: int, alphabet: str = "") -> str:
    """Characters drawn by lot; letters and digits unless ``alphabet`` says others."""
    chance = Random(seed)
    chars = alphabet or "".join(map(chr, range(48, 123)))
    kept = [it for it in chars if alphabet or it.isalnum()]
    return "".join(chance.choice(kept) for _ in range(length))


def _branches(tree: Any) -> Iterator[list[Any]]:
    for operation, argument in tree:
        if operation is parser.BRANCH:
            yield argument[1]
        elif operation is parser.SUBPATTERN:
            yield from _branches(argument[3])
        elif operation in (parser.MAX_REPEAT, parser.POSSESSIVE_REPEAT, parser.MIN_REPEAT):
            yield from _branches(argument[2])


class _Sample:
    def __init__(self, chance: Random, length: int, branch: int) -> None:
        self._chance, self._length, self._branch = chance, length, branch

    def of(self, tree: Any) -> str:
        return "".join(self._one(operation, argument) for operation, argument in tree)

    def _one(self, operation: Any, argument: Any) -> str:
        if operation is parser.LITERAL:
            return chr(argument)
        if operation is parser.IN:
            return self._of_set(argument)
        if operation is parser.BRANCH:
            return self.of(argument[1][self._branch % len(argument[1])])
        if operation is parser.SUBPATTERN:
            return self.of(argument[3])
        if operation is parser.ATOMIC_GROUP:
            return self.of(argument)
        if operation in (parser.MAX_REPEAT, parser.POSSESSIVE_REPEAT, parser.MIN_REPEAT):
            return self._repeated(*argument)
        if operation is parser.ASSERT:  # what has to stand before or behind
            return self.of(argument[1])
        return ""

    def _repeated(self, least: int, most: Any, repeated: Any) -> str:
        if most is not parser.MAXREPEAT:
            return "".join(self.of(repeated) for _ in range(least))
        whole = self._length
        if "MAXREPEAT" in repr(repeated.data):  # lines of so many characters
            self._length = LINE
        made = [self.of(repeated)]
        while len(made) < least or sum(map(len, made[:2])) * len(made) < whole:
            made.append(self.of(repeated))
        self._length = whole
        return "".join(made)

    def _of_set(self, argument: list[Any]) -> str:
        told = "".join(
            f"\\x{value:02x}"
            if kind is parser.LITERAL
            else f"\\x{value[0]:02x}-\\x{value[1]:02x}"
            if kind is parser.RANGE
            else CATEGORIES.get(str(value), r"\W")
            if kind is parser.CATEGORY
            else "^"
            for kind, value in argument
        )
        chars = re.findall(f"[{told}]", ALPHABET, re.ASCII) or re.findall(f"[{told}]", " \t\n")
        digits = [it for it in chars if it.isdigit()]
        likely = [it for it in chars if it.isalnum()] * 20 + digits * 20
        return str(self._chance.choice(likely + chars))
