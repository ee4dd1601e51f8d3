"""Documents with labelled sections: how well evidence meets the sections' units.

A span meets a unit of its kind when they share half of the shorter and the span is not far longer.
A span mostly inside a unit of another kind is wrong; elsewhere nobody can judge it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from infra.measure.measures.counting import Pairs, harmonic, share
from infra.measure.rows import Row

KINDS = ("action_item", "decision", "requirement", "risk", "unknown")


def macro_f1(pairs: Pairs) -> float:
    """The mean F1 of the five kinds: recall over strong units, precision over judged spans."""
    found = _f1_of_kinds(pairs)
    return sum(found) / len(found)


def weakest_f1(pairs: Pairs) -> float:
    """The F1 of the kind that is read worst."""
    return min(_f1_of_kinds(pairs))


def with_units(documents: Iterable[Row], units: Iterable[Row]) -> list[Row]:
    """Each document with its labelled units; documents without any are left out."""
    known: dict[str, list[Row]] = defaultdict(list)
    for unit in units:
        known[unit["doc_id"]].append(unit)
    return [doc | {"units": known[doc["id"]]} for doc in documents if doc["id"] in known]


def mask(doc: Row) -> Row:
    """The document with its telling headings hidden, at the same offsets."""
    text = list(doc["text"])
    for start, end in doc.get("masks", []):
        room = end - start
        text[start:end] = "Section".ljust(room) if room >= len("Section") else "x" * room
    return doc | {"text": "".join(text)}


def _f1_of_kinds(pairs: Pairs) -> list[float]:
    known = {row["id"]: row["units"] for row, _ in pairs}
    told = {row["id"]: spans_of(said) for row, said in pairs}
    return [_f1(kind, known, told) for kind in KINDS]


def spans_of(said: Row) -> list[Row]:
    return [row | {"kind": atom["kind"]} for atom in said["atoms"] for row in atom["evidence"]]


def _f1(kind: str, known: dict[str, list[Row]], told: dict[str, list[Row]]) -> float:
    strong = met = 0
    judged: list[bool] = []
    for doc, units in known.items():
        spans = [span for span in told.get(doc, ()) if span["kind"] == kind]
        sought = [unit for unit in units if unit["kind"] == kind and unit["grade"] == "strong"]
        strong += len(sought)
        met += sum(any(meets(span, unit) for span in spans) for unit in sought)
        judged += [right for span in spans if (right := is_right(span, units)) is not None]
    return harmonic(share(judged), met / strong if strong else 0.0)


def is_right(span: Row, units: Sequence[Row]) -> bool | None:
    """Whether a unit of its kind meets it; None where it is not inside of others either."""
    if any(meets(span, unit) for unit in units if unit["kind"] == span["kind"]):
        return True
    others = [it for it in units if it["kind"] != span["kind"] and it["grade"] == "strong"]
    return False if 2 * _count_shared(span, others) >= _length(span) else None


def _length(span: Row) -> int:
    return int(span["char_end"] - span["char_start"])


def _count_shared(span: Row, units: Sequence[Row]) -> int:
    return sum(
        max(
            0,
            min(span["char_end"], unit["char_end"]) - max(span["char_start"], unit["char_start"]),
        )
        for unit in units
    )


def meets(span: Row, unit: Row) -> bool:
    shared = _count_shared(span, [unit])
    long_enough = 2 * shared >= min(_length(span), _length(unit)) and shared > 0
    return long_enough and _length(span) <= 4 * _length(unit) + 80
