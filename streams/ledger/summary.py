"""The working summary: a digest of the ledger small enough to hand to a reader.

It is taken from counters and ordered lists that the index keeps, with what the turn itself changed
laid over them; no batch walks over all atoms. Lists are cut from the tail, the longest first, until
the digest fits the lane's budget.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from schemas.areas import Area
from schemas.events.atom import KINDS, AtomKind
from schemas.events.ledger import (
    AtomRecord,
    ContradictionRecord,
)
from schemas.events.working_summary import (
    KindCount,
    OpenContradiction,
    TitledAtom,
    WorkingSummary,
)
from schemas.ids import sha256_hex
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.indexes import gaps_of, is_live, rank_of
from streams.ledger.turns.state import OPEN

BUDGET_TOKENS = {"preview": 800, "deep": 2_000}
CHARS_PER_TOKEN = 4
MAX_LISTED = 60
LISTS: dict[str, AtomKind] = {
    "decisions": "decision",
    "requirements": "requirement",
    "risks": "risk",
    "entities": "entity",
    "open_unknowns": "unknown",
}
CUT_ORDER = (*LISTS, "open_contradictions")
SEVERITY_ORDER = {"high": 0, "medium": 1, "low": 2}


def derive_summary(ledger: CurrentLedger) -> WorkingSummary:
    """The digest of the ledger as it stands after the change set."""
    by_status, active_by_area = _counts(ledger)
    lists: dict[str, list[Any]] = {
        name: _best(ledger, kind, MAX_LISTED) for name, kind in LISTS.items()
    }
    lists["open_contradictions"] = _open_contradictions(ledger, MAX_LISTED)
    counts = [
        KindCount(kind=kind, active=by_status[(kind, "active")], draft=by_status[(kind, "draft")])
        for kind in KINDS
    ]
    rest = WorkingSummary(
        state_version="",
        ledger_seq=ledger.seq,
        counts_by_kind=[count for count in counts if count.active or count.draft],
        gaps=gaps_of(active_by_area),
    )
    tokens = _cut(rest, lists, BUDGET_TOKENS[ledger.lane])
    whole = rest.model_copy(update=lists | {"token_estimate": tokens})
    content = whole.model_dump(exclude={"state_version"})
    version = sha256_hex(json.dumps(content, sort_keys=True))
    return whole.model_copy(update={"state_version": version})


def _cut(rest: WorkingSummary, lists: dict[str, list[Any]], budget: int) -> int:
    """Shorten the lists in place; the tokens of what is left."""
    sizes = {name: [_size(item) for item in items] for name, items in lists.items()}
    total = len(json.dumps(rest.model_dump(exclude={"state_version"})))
    total += sum(map(sum, sizes.values()))
    while _tokens(total) > budget and any(sizes.values()):
        longest = max(CUT_ORDER, key=lambda name: len(sizes[name]))
        lists[longest].pop()
        total -= sizes[longest].pop()
    return _tokens(total)


def _size(item: TitledAtom | OpenContradiction) -> int:
    return len(json.dumps(item.model_dump(exclude={"only_source"}))) + 2  # no reader is shown it


def _tokens(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)


def _counts(ledger: CurrentLedger) -> tuple[Counter[tuple[str, str]], Counter[Area]]:
    by_status = Counter(ledger.index.by_status)
    active_by_area = Counter(ledger.index.active_by_area)
    for atom in ledger.atoms.values():
        before = ledger.state.atom(ledger.project, atom.atom_id)
        for step, each in ((-1, before), (1, atom)):
            if each is None or not is_live(each):
                continue
            by_status[(each.kind, each.status)] += step
            if each.status == "active":
                active_by_area[each.area] += step
    return by_status, active_by_area


def _best(ledger: CurrentLedger, kind: AtomKind, count: int) -> list[TitledAtom]:
    """The first ``count`` live atoms of a kind by rank."""
    touched = [atom for atom in ledger.atoms.values() if atom.kind == kind]
    held = ledger.index.best(kind, count + len(touched))
    ranks = [rank for rank in held if rank[1] not in ledger.atoms]
    ranks += [rank_of(atom) for atom in touched if is_live(atom)]
    return [
        TitledAtom(
            atom_id=atom_id,
            title=ledger.get_atom(atom_id).title,
            only_source=_only_source_of(ledger, ledger.get_atom(atom_id)),
        )
        for _, atom_id in sorted(ranks)[:count]
    ]


def _only_source_of(ledger: CurrentLedger, atom: AtomRecord) -> str:
    """The source that all the atom's fresh evidence is of; where none is fresh, its last one."""
    if atom.source_count > 1:
        return ""
    rows = ledger.rows_of(atom.atom_id)
    sources = {row.source_id for row in rows if not row.stale}
    return min(sources or {row.source_id for row in rows}, default="")


def _open_contradictions(ledger: CurrentLedger, count: int) -> list[OpenContradiction]:
    """The open ones, worst first, then by id."""
    prefix = f"{ledger.project}|"
    held = [
        key.removeprefix(prefix) for key, _ in ledger.state.open_contradictions.with_prefix(prefix)
    ]
    contradictions = [ledger.contradiction(key) for key in sorted({*held, *ledger.contradictions})]
    open_ones = [each for each in contradictions if each and each.status in OPEN]
    open_ones.sort(key=_worst_first)
    return [
        OpenContradiction(
            contradiction_id=each.contradiction_id,
            title_a=ledger.get_atom(each.atom_a_id).title,
            title_b=ledger.get_atom(each.atom_b_id).title,
            severity=each.severity,
        )
        for each in open_ones[:count]
    ]


def _worst_first(record: ContradictionRecord) -> tuple[int, str]:
    return SEVERITY_ORDER[record.severity], record.contradiction_id
