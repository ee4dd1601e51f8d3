"""What a set's misses look like: ten of each, drawn by the hash of the row, so the same each time.

A figure says how many; what to mend shows in the rows. Secrets are named by id and rule only, so
that a report can be passed on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from infra.measure.measures import labels, neighbours, places, sections
from infra.measure.measures.counting import Pairs
from infra.measure.measures.table import LabelledSet
from infra.measure.rows import Row
from schemas.ids import sha256_hex

SHOWN = 10
LONGEST = 220
Said = Row
Found = Iterator[tuple[str, str]]


class Misses(NamedTuple):
    """``total`` misses of the set in all, of which some are told in a line each."""

    heading: str
    total: int
    shown: list[str]


def misses_of(labelled: LabelledSet, pairs: Pairs) -> Misses:
    found = sorted(_finder(labelled, pairs)(pairs), key=lambda miss: sha256_hex("|".join(miss)))
    return Misses(
        labelled.heading, len(found), [f"`{key}` {_line(told)}" for key, told in found[:SHOWN]]
    )


def as_markdown(found: list[Misses]) -> str:
    """A section a set; sets without a miss have none."""
    parts = ["## Ten misses of each set"]
    for one in found:
        if one.total:
            parts.append(f"### {one.heading}: {one.total} misses")
            parts.append("\n".join(f"- {line}" for line in one.shown))
    return "\n\n".join(parts)


def _finder(labelled: LabelledSet, pairs: Pairs) -> Callable[[Pairs], Found]:
    if labelled.task == "similar":
        return neighbour_misses
    if labelled.task == "duplicate" and all(row["label"] != "duplicate" for row, _ in pairs):
        return _each(_of_merge)
    return _each(FINDERS[labelled.task])


def _each(find: Callable[[Row, Said], Iterator[str]]) -> Callable[[Pairs], Found]:
    def of_all(pairs: Pairs) -> Found:
        for row, said in pairs:
            yield from ((str(row["id"]), told) for told in find(row, said))

    return of_all


def neighbour_misses(pairs: Pairs) -> Found:
    """Questions whose first true duplicate is not among the first ten."""
    asked = neighbours.with_a_duplicate(pairs)
    first = {row["id"]: row["text"].partition("\n")[0] for row, _ in pairs}
    for (row, said), place in zip(asked, neighbours.first_places(asked), strict=True):
        if not 0 < place <= neighbours.TOP:
            best = next((it for it in said["ranked"] if it != row["id"]), None)
            where = f"at place {place}" if place else "not ranked"
            yield (
                str(row["id"]),
                f"duplicate {where}: {first[row['id']]} ‖ first was: {first.get(best, 'nothing')}",
            )


def _of_kind(row: Row, said: Said) -> Iterator[str]:
    gold, told = row["label"], said["label"]
    if gold == "debt" or "debt_type" in row:
        if (gold == "debt") != (told in labels.DEBT_KINDS):
            yield f"{gold}, said {told}: {row['text']}"
    elif gold != told and (gold in labels.KINDS or told in labels.KINDS):
        yield f"{gold}, said {told}: {row['text']}"
    wanted = row.get("requirement_type")
    if wanted and wanted != said["attributes"].get("requirement_type"):
        yield f"{wanted}, said {said['attributes'].get('requirement_type')}: {row['text']}"


def _of_pair(row: Row, said: Said) -> Iterator[str]:
    sought = "duplicate" if "fate" in said else "contradiction"
    if (row["label"] == sought) != (said["label"] == sought):
        yield f"{row['label']}, said {said['label']}: {row['a']} ‖ {row['b']}"


def _of_merge(row: Row, said: Said) -> Iterator[str]:
    """Where no label says duplicate: what would merge though it does not follow."""
    if said["fate"] == "merge" and row["label"] != "entail":
        yield f"{row['label']}, merged: {row['a']} ‖ {row['b']}"


def _of_place(row: Row, said: Said) -> Iterator[str]:
    secret = "text_b64" in row
    for place in row.get("spans", []):
        judged = "template" not in row or place["type"] in places.STRUCTURED
        if judged and not any(places.meets(it, place) for it in said["spans"]):
            text = "" if secret else f": {row['text'][place['start'] : place['end']]}"
            yield f"{place['type']} not found{text}"
    for it in said["spans"]:
        if not any(places.meets(it, place) for place in row.get("spans", [])):
            text = "" if secret else f": {row['text'][it['start'] : it['end']]}"
            yield f"{it.get('rule_id', it['type'])} where nothing is labelled{text}"


def _of_order(row: Row, said: Said) -> Iterator[str]:
    if row.get("spans"):
        yield from (it for it in _of_place(row, said) if "not found" in it)
    elif row.get("label", "benign") != said["label"]:
        place = next(iter(said["spans"]), {"start": 0, "end": LONGEST})
        text = row["text"][place["start"] : place["end"]]
        yield f"{row.get('label', 'ordinary document')}, said {said['label']}: {text}"


def _of_unit(row: Row, said: Said) -> Iterator[str]:
    told = sections.spans_of(said)
    for unit in row["units"]:
        if unit["grade"] == "strong" and unit["kind"] in sections.KINDS:
            near = {it["kind"] for it in told if sections.meets(it, unit)}
            if unit["kind"] not in near:
                text = row["text"][unit["char_start"] : unit["char_end"]]
                yield f"{unit['kind']}, said {', '.join(sorted(near)) or 'nothing'}: {text}"


FINDERS: dict[str, Callable[[Row, Said], Iterator[str]]] = {
    "classify": _of_kind,
    "extract": _of_unit,
    "duplicate": _of_pair,
    "contradict": _of_pair,
    "redact": _of_place,
    "inject": _of_order,
}


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[:LONGEST]}…"
