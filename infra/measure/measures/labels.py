"""One statement each: whether it was taken for the kind its label names."""

from __future__ import annotations

from collections.abc import Callable

from infra.measure.measures.counting import Pairs, f1, share

KINDS = ("action_item", "decision", "other", "requirement", "risk", "unknown")
DEBT_KINDS = ("risk", "action_item")


def kind_f1(label: str) -> Callable[[Pairs], float]:
    """F1 of one label against all others."""

    def measure(pairs: Pairs) -> float:
        gold = [row["label"] == label for row, _ in pairs]
        return f1(gold, [said["label"] == label for _, said in pairs])

    return measure


def macro_f1(pairs: Pairs) -> float:
    """The mean F1 of the six labels."""
    return sum(kind_f1(kind)(pairs) for kind in KINDS) / len(KINDS)


def worth_f1(pairs: Pairs) -> float:
    """F1 of being worth recording at all, whatever the kind."""
    gold = [row["label"] != "other" for row, _ in pairs]
    return f1(gold, [said["label"] != "other" for _, said in pairs])


def worth_always(pairs: Pairs) -> float:
    """What ``worth_f1`` would be if everything were recorded."""
    return f1([row["label"] != "other" for row, _ in pairs], [True] * len(pairs))


def requirement_recall(pairs: Pairs) -> float:
    """The share that is found, where every row is a requirement."""
    return share(said["label"] == "requirement" for _, said in pairs)


def type_macro_f1(pairs: Pairs) -> float:
    """The mean F1 of functional and non-functional."""
    gold = [row["requirement_type"] for row, _ in pairs]
    told = [said["attributes"].get("requirement_type") for _, said in pairs]
    names = ("functional", "non_functional")
    return sum(f1([a == n for a in gold], [b == n for b in told]) for n in names) / len(names)


def debt_f1(pairs: Pairs) -> float:
    """F1 of debt, where a risk or an action item counts as having seen it."""
    gold = [row["label"] == "debt" for row, _ in pairs]
    return f1(gold, [said["label"] in DEBT_KINDS for _, said in pairs])
