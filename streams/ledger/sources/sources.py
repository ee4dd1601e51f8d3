"""What happens to evidence when its source changes, and to atoms when a run ends.

A revised source makes the rows on its older payloads stale; atoms keep their status until the run
that re-read the source ends. Then what was not found again is obsolete. A removed source has
nothing to wait for. What a renamed source said, the new one says (see ``reanchor``). What a person
has verified is not taken away by a run: a person is asked again.
"""

from __future__ import annotations

from schemas.events.ingestion import SourceChange
from schemas.events.ledger import AtomRecord
from streams.ledger.atoms.evidence import (
    TWO_ROWS_KINDS,
    is_confirmed,
    stale_row,
    with_confirmation,
)
from streams.ledger.atoms.lifecycle import retire
from streams.ledger.sources.document_roles import move_role
from streams.ledger.sources.documents import settle_documents
from streams.ledger.sources.reanchor import reanchor, rows_of_source
from streams.ledger.sources.wording import in_standing_words
from streams.ledger.turns.changes import Changes, note, put_atom
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.indexes import is_live


def apply_source_changes(ledger: CurrentLedger, changes: list[SourceChange]) -> Changes[None]:
    """The changes in listing order; what they make stale is judged at the end of a run."""
    for change in changes:
        source = change.source_id
        match change.kind:
            case "revised":
                yield from reanchor(ledger, change)
                yield from _stale(ledger, source, change.new_hash, "revised")
            case "renamed" if change.other_source_id:
                yield from reanchor(ledger, change)
                yield from _stale(ledger, change.other_source_id, None, "renamed")
                yield from move_role(ledger, change.other_source_id, source)
            case "removed":
                yield from _stale(ledger, source, None, "removed")
                yield from _settle(ledger, source)
            case "duplicate" if change.old_hash:
                yield from _stale(ledger, source, None, "duplicate")
            case _:
                pass
        yield from _note(ledger, change)


def note_changes(ledger: CurrentLedger, changes: list[SourceChange]) -> Changes[None]:
    """The changes are known, but what they make stale is left to the end of the run.

    So a removed source is one with nothing to read until its rows are dealt with.
    """
    for change in changes:
        left = change.kind == "removed"
        yield from _note(ledger, change.model_copy(update={"kind": "revised"}) if left else change)


def _note(ledger: CurrentLedger, change: SourceChange) -> Changes[None]:
    if change.kind == "revised":
        yield note("source_settled", change.source_id, change.new_hash, "revised")
    else:
        other, detail = change.other_source_id, change.new_hash or ""
        yield note("source_settled", change.source_id, other, change.kind, detail)


def settle_run(
    ledger: CurrentLedger, changes: list[SourceChange], unfinished: tuple[str, ...], held: int
) -> Changes[bool]:
    """The end of a run: the last changes, then every source it leaves wholly read again.

    False when the change set is full before all of them are judged; the next one goes on where it
    ends, since what has been judged needs nothing more.
    """
    yield from apply_source_changes(ledger, changes)
    prefix, current = f"{ledger.project}|", ledger.state.current_hash
    due = {source: payload for change in changes for source, payload in _list_left_by(change)}
    for key, run_id in ledger.state.reread.with_prefix(prefix):
        ended = (
            run_id == ledger.turn.run_id
            or ledger.state.view.progress_of(ledger.project, run_id).ended
        )
        if ended:
            due.setdefault(key.removeprefix(prefix), current.get(key) or None)
    left = frozenset(unfinished)
    for source in sorted(due):
        if source not in left:
            if not (yield from _stale(ledger, source, due[source], "revised", bounded=True)):
                return False
            if not (yield from _settle(ledger, source, bounded=True)):
                return False
            yield note("source_settled", source, None, "settled")
    gone = {
        it.source_id for it in changes if it.kind in ("removed", "duplicate") or not it.new_hash
    }
    if not (yield from settle_documents(ledger, gone)):
        return False
    if held:
        yield note(
            "review_item_raised", ledger.turn.run_id, None, "removals_held", f"{held} sources"
        )
    return True


def _list_left_by(change: SourceChange) -> list[tuple[str, str | None]]:
    """The sources that a change leaves to be judged, each with the payload it has now."""
    match change.kind:
        case "revised":
            return [(change.source_id, change.new_hash)]
        case "renamed" if change.other_source_id:
            return [(change.source_id, change.new_hash), (change.other_source_id, None)]
        case "duplicate" if change.old_hash:
            return [(change.source_id, None)]
        case _:
            return []


def _stale(
    ledger: CurrentLedger,
    source: str,
    current_hash: str | None,
    reason: str,
    *,
    bounded: bool = False,
) -> Changes[bool]:
    """The source's fresh rows that are not of its current payload become stale.

    False when a ``bounded`` change set had no room for all of them.
    """
    touched: dict[str, AtomRecord] = {}
    all_of_them = True
    for atom_id, evidence_id in rows_of_source(ledger, source):
        row = ledger.evidence_row(atom_id, evidence_id)
        if row is None or row.stale or row.sanitized_hash == current_hash:
            continue
        if bounded and ledger.is_full:
            all_of_them = False
            break
        atom = touched.get(atom_id) or ledger.get_atom(atom_id)
        touched[atom_id] = yield from stale_row(ledger, atom, row)
    for atom_id, atom in touched.items():
        yield from put_atom(ledger, atom)
        yield note("evidence_staled", atom_id, source, reason)
    return all_of_them


def _settle(ledger: CurrentLedger, source: str, *, bounded: bool = False) -> Changes[bool]:
    """Judge the atoms that rest on the source by the rows that are still fresh.

    False when a ``bounded`` change set had no room for all of them.
    """
    for atom_id in dict.fromkeys(atom_id for atom_id, _ in rows_of_source(ledger, source)):
        atom = ledger.get_atom(atom_id)
        if not is_live(atom):
            continue
        if bounded and ledger.is_full:
            return False
        if atom.evidence_state == "stale":
            if atom.verified_by:
                yield note("review_item_raised", atom_id, source, "verified_evidence_stale")
            else:
                yield from retire(ledger, atom, "obsolete", "not_found_again")
            continue
        atom = yield from in_standing_words(ledger, atom)
        confirmed = with_confirmation(ledger, atom)
        if confirmed is not atom:
            atom = yield from put_atom(ledger, confirmed)
        if (
            atom.status == "active"
            and atom.kind in TWO_ROWS_KINDS
            and not atom.verified_by
            and not is_confirmed(ledger, atom)
        ):
            yield from put_atom(ledger, atom, status="draft", status_reason="evidence_below_floor")
            yield note("status_set", atom.atom_id, None, "evidence_below_floor", "draft")
    return True
