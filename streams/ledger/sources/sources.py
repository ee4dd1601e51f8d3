"""What happens to evidence when its source changes, and to atoms when a run ends.

A revised source makes the rows on its older payloads stale; atoms keep their status until the run
that re-read the source ends. Then what was not found again is obsolete. A removed source has
nothing to wait for. What a renamed source said, the new one says (see ``reanchor``). What a person
has verified is not taken away by a run: a person is asked again.
"""

from __future__ import annotations

from schemas.events.ingestion import SourceChange
from schemas.events.ledger import AtomRecord
from streams.ledger.atoms.evidence import TWO_ROWS_KINDS, stale_row, two_rows_apart
from streams.ledger.atoms.lifecycle import retire
from streams.ledger.sources.documents import settle_documents
from streams.ledger.sources.reanchor import reanchor, rows_of_source
from streams.ledger.sources.wording import in_standing_words
from streams.ledger.turns.draft import ChangeSetDraft
from streams.ledger.turns.indexes import is_live


def apply_source_changes(draft: ChangeSetDraft, changes: list[SourceChange]) -> None:
    """The changes in listing order; what they make stale is judged at the end of a run."""
    for change in changes:
        source = change.source_id
        match change.kind:
            case "revised":
                reanchor(draft, change)
                _stale(draft, source, change.new_hash, "revised")
            case "renamed" if change.other_source_id:
                reanchor(draft, change)
                _stale(draft, change.other_source_id, None, "renamed")
            case "removed":
                _stale(draft, source, None, "removed")
                _settle(draft, source)
            case "duplicate" if change.old_hash:
                _stale(draft, source, None, "duplicate")
            case _:
                pass
        _note(draft, change)


def note_changes(draft: ChangeSetDraft, changes: list[SourceChange]) -> None:
    """The changes are known, but what they make stale is left to the end of the run.

    So a removed source is one with nothing to read until its rows are dealt with.
    """
    for change in changes:
        left = change.kind == "removed"
        _note(draft, change.model_copy(update={"kind": "revised"}) if left else change)


def _note(draft: ChangeSetDraft, change: SourceChange) -> None:
    if change.kind == "revised":
        draft.note("source_settled", change.source_id, change.new_hash, "revised")
    else:
        other, detail = change.other_source_id, change.new_hash or ""
        draft.note("source_settled", change.source_id, other, change.kind, detail)


def settle_run(
    draft: ChangeSetDraft, changes: list[SourceChange], unfinished: tuple[str, ...], held: int
) -> bool:
    """The end of a run: the last changes, then every source it leaves wholly read again.

    False when the draft is full before all of them are judged; the next one goes on where it ends,
    since what has been judged needs nothing more.
    """
    apply_source_changes(draft, changes)
    prefix, current = f"{draft.project}|", draft.state.current_hash
    due = {source: payload for change in changes for source, payload in _list_left_by(change)}
    for key, run_id in draft.state.reread.with_prefix(prefix):
        ended = (
            run_id == draft.turn.run_id or draft.state.view.progress_of(draft.project, run_id).ended
        )
        if ended:
            due.setdefault(key.removeprefix(prefix), current.get(key) or None)
    left = frozenset(unfinished)
    for source in sorted(due):
        if source not in left:
            if not _stale(draft, source, due[source], "revised", bounded=True):
                return False
            if not _settle(draft, source, bounded=True):
                return False
            draft.note("source_settled", source, None, "settled")
    gone = {
        it.source_id for it in changes if it.kind in ("removed", "duplicate") or not it.new_hash
    }
    if not settle_documents(draft, gone):
        return False
    if held:
        draft.note(
            "review_item_raised", draft.turn.run_id, None, "removals_held", f"{held} sources"
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
    draft: ChangeSetDraft,
    source: str,
    current_hash: str | None,
    reason: str,
    *,
    bounded: bool = False,
) -> bool:
    """The source's fresh rows that are not of its current payload become stale.

    False when a ``bounded`` draft had no room for all of them.
    """
    touched: dict[str, AtomRecord] = {}
    all_of_them = True
    for atom_id, evidence_id in rows_of_source(draft, source):
        row = draft.evidence_row(atom_id, evidence_id)
        if row is None or row.stale or row.sanitized_hash == current_hash:
            continue
        if bounded and draft.is_full:
            all_of_them = False
            break
        atom = touched.get(atom_id) or draft.get_atom(atom_id)
        touched[atom_id] = stale_row(draft, atom, row)
    for atom_id, atom in touched.items():
        draft.put_atom(atom)
        draft.note("evidence_staled", atom_id, source, reason)
    return all_of_them


def _settle(draft: ChangeSetDraft, source: str, *, bounded: bool = False) -> bool:
    """Judge the atoms that rest on the source by the rows that are still fresh.

    False when a ``bounded`` draft had no room for all of them.
    """
    for atom_id in dict.fromkeys(atom_id for atom_id, _ in rows_of_source(draft, source)):
        atom = draft.get_atom(atom_id)
        if not is_live(atom):
            continue
        if bounded and draft.is_full:
            return False
        if atom.evidence_state == "stale":
            if atom.verified_by:
                draft.note("review_item_raised", atom_id, source, "verified_evidence_stale")
            else:
                retire(draft, atom, "obsolete", "not_found_again")
            continue
        atom = in_standing_words(draft, atom)
        if (
            atom.status == "active"
            and atom.kind in TWO_ROWS_KINDS
            and not atom.verified_by
            and not two_rows_apart(draft.rows_of(atom.atom_id))
        ):
            draft.put_atom(atom, status="draft", status_reason="evidence_below_floor")
            draft.note("status_set", atom.atom_id, None, "evidence_below_floor", "draft")
    return True
