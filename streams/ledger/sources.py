"""What happens to evidence when its source changes, and to atoms when a run ends (spec 03 §7).

A revised source makes the rows on its older payloads stale; atoms keep their status until the run
that re-read the source ends. Then what was not found again is obsolete. A removed source has
nothing to wait for. What a person has verified is not taken away by a run: a person is asked again.
"""

from __future__ import annotations

from schemas.events.ingestion import SourceChange
from schemas.events.ledger import AtomRecord
from streams.ledger.draft import Draft
from streams.ledger.evidence import TWO_ROWS_KINDS, stale_row, two_rows_apart
from streams.ledger.indexes import is_live
from streams.ledger.lifecycle import retire


def apply_source_changes(draft: Draft, changes: list[SourceChange]) -> list[str]:
    """The changes in listing order; the sources that were revised by them."""
    revised: list[str] = []
    for change in changes:
        source = change.source_id
        match change.kind:
            case "revised":
                _stale(draft, source, change.new_hash, "revised")
                _note_revision(draft, change)
                revised.append(source)
            case "removed":
                _stale(draft, source, None, "removed")
                _settle(draft, source)
                draft.note("source_settled", source, None, "removed")
            case "duplicate" | "renamed":
                draft.note("source_settled", source, change.other_source_id, change.kind)
    return revised


def note_revisions(draft: Draft, changes: list[SourceChange]) -> None:
    """The revisions are known, but what they make stale is left to the end of the run."""
    for change in changes:
        if change.kind == "revised":
            _note_revision(draft, change)


def settle_run(draft: Draft, changes: list[SourceChange], unfinished: tuple[str, ...]) -> None:
    """The end of a run: the last changes, then every source it leaves wholly read again."""
    due = dict.fromkeys(apply_source_changes(draft, changes))
    prefix = f"{draft.project}|"
    for key, run_id in draft.state.reread.with_prefix(prefix):
        ended = (
            run_id == draft.turn.run_id or draft.state.view.progress_of(draft.project, run_id).ended
        )
        if ended:
            due[key.removeprefix(prefix)] = None
    for source in sorted(due):
        if source not in unfinished:
            current = draft.state.current_hash.get(f"{draft.project}|{source}")
            if current:
                _stale(draft, source, current, "revised")
            _settle(draft, source)
            draft.note("source_settled", source, None, "settled")


def _note_revision(draft: Draft, change: SourceChange) -> None:
    draft.note("source_settled", change.source_id, change.new_hash, "revised")


def _stale(draft: Draft, source: str, current_hash: str | None, reason: str) -> None:
    """All fresh rows of the source that are not of its current payload become stale."""
    touched: dict[str, AtomRecord] = {}
    for atom_id, evidence_id in _rows_of_source(draft, source):
        row = draft.evidence_row(atom_id, evidence_id)
        if row is None or row.stale or row.sanitized_hash == current_hash:
            continue
        atom = touched.get(atom_id) or draft.known_atom(atom_id)
        touched[atom_id] = stale_row(draft, atom, row)
    for atom_id, atom in touched.items():
        draft.put_atom(atom)
        draft.note("evidence_staled", atom_id, source, reason)


def _settle(draft: Draft, source: str) -> None:
    """Judge the atoms that rest on the source by the rows that are still fresh."""
    for atom_id in dict.fromkeys(atom_id for atom_id, _ in _rows_of_source(draft, source)):
        atom = draft.known_atom(atom_id)
        if not is_live(atom):
            continue
        if atom.evidence_state == "stale":
            if atom.verified_by:
                draft.note("review_item_raised", atom_id, source, "verified_evidence_stale")
            else:
                retire(draft, atom, "obsolete", "not_found_again")
        elif (
            atom.status == "active"
            and atom.kind in TWO_ROWS_KINDS
            and not atom.verified_by
            and not two_rows_apart(draft.rows_of(atom_id))
        ):
            draft.put_atom(atom, status="draft", status_reason="evidence_below_floor")
            draft.note("status_set", atom_id, None, "evidence_below_floor", "draft")


def _rows_of_source(draft: Draft, source: str) -> list[tuple[str, str]]:
    """Atom and evidence id of every row of a source, in that order."""
    prefix = f"{draft.project}|{source}|"
    found: list[tuple[str, str]] = []
    for key, _ in draft.state.source_rows.with_prefix(prefix):
        atom_id, evidence_id = key.removeprefix(prefix).split("|")
        found.append((atom_id, evidence_id))
    return found
