"""Two texts each: whether they were taken for the same, or for a contradiction."""

from __future__ import annotations

from infra.measure.measures.counting import Pairs, best_f1, share
from schemas.fingerprint import norm_text
from streams.ledger.likeness.similarity import AUTO_MERGE_THRESHOLD, similarity, statement_text


def best_duplicate_f1(pairs: Pairs) -> float:
    """F1 of duplicates at the threshold of the score that suits the set best."""
    gold = [row["label"] == "duplicate" for row, _ in pairs]
    return best_f1(gold, [said["score"] for _, said in pairs])


def merged(pairs: Pairs) -> Pairs:
    """The pairs that become one atom without a person."""
    return [(row, said) for row, said in pairs if said["fate"] == "merge"]


def duplicates(pairs: Pairs) -> float:
    """The share of duplicates."""
    return share(row["label"] == "duplicate" for row, _ in pairs)


def differently_merged(pairs: Pairs) -> Pairs:
    """The pairs of different wording that become one atom without a person."""
    return [(row, it) for row, it in merged(pairs) if norm_text(row["a"]) != norm_text(row["b"])]


def entailed(pairs: Pairs) -> float:
    """The share whose second text follows from the first."""
    return share(row["label"] == "entail" for row, _ in pairs)


def contrary(pairs: Pairs) -> Pairs:
    """The pairs that are labelled a contradiction."""
    return [(row, said) for row, said in pairs if row["label"] == "contradiction"]


def merged_share(pairs: Pairs) -> float:
    return share(said["fate"] == "merge" for _, said in pairs)


def alike_share(pairs: Pairs) -> float:
    """What ``merged_share`` of contrary pairs would be if similarity alone decided."""
    return share(
        similarity(statement_text(row["a"], ""), statement_text(row["b"], ""))
        >= AUTO_MERGE_THRESHOLD
        for row, _ in contrary(pairs)
    )


def grave(pairs: Pairs) -> Pairs:
    """The pairs that are called a contradiction of high severity."""
    said_grave = ("contradiction", "high")
    return [(row, it) for row, it in pairs if (it["label"], it["severity"]) == said_grave]


def contradictions(pairs: Pairs) -> float:
    """The share of contradictions."""
    return share(row["label"] == "contradiction" for row, _ in pairs)
