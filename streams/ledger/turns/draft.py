"""A change set in the making: what a turn has done so far, laid over the state it began with.

Reading goes through the draft, so that the second candidate of a turn sees what the first one did.
The state itself is not touched: what is decided counts only once it is read back from the log.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal, TypeVar

from schemas.codec import utc_millis
from schemas.events.ledger import (
    LIVE,
    AtomRecord,
    Change,
    ChangeOp,
    ContradictionRecord,
    EntityMention,
    EvidenceRow,
    HumanDecision,
    LedgerChanged,
    LinkRecord,
    LinkType,
    MergeCandidate,
    MergeOp,
    Turn,
    WorkingSummary,
)
from schemas.ids import link_id, merge_op_id
from streams.ledger.turns.decisions import DueDecision
from streams.ledger.turns.indexes import ProjectIndex, group_of, is_live
from streams.ledger.turns.judgements import Pair
from streams.ledger.turns.retries import DueRetry
from streams.ledger.turns.state import LedgerState
from streams.ledger.turns.turns import DueTurn

MAX_RECORDS_CHANGED = 2_000  # by the end of a run in one change set, about 4 MB
MADE = (
    *("atoms", "evidence", "links", "mentions", "merge_candidates", "contradictions"),
    *("merge_ops", "changes", "support", "waiting", "read_as", "doubts"),
)
PairRecord = TypeVar("PairRecord", MergeCandidate, ContradictionRecord)


class ChangeSetDraft:
    """The change set of one turn or of one decision of a person.

    All ``put_`` methods take whole records as they stand after.
    """

    def __init__(self, state: LedgerState, due: DueTurn | DueDecision | DueRetry) -> None:
        self.state = state
        self.project = due.cause.project_id
        self._turn: Turn | None = due.turn
        self._is_retry = isinstance(due, DueRetry)
        self.cause_id = str(due.cause.event_id)
        self.at: datetime = utc_millis(due.cause.occurred_at)
        self.place = state.view.place(self.project)
        self.seq = self.place.seq + 1
        self.atoms: dict[str, AtomRecord] = {}
        self.evidence: dict[str, EvidenceRow] = {}
        self.links: dict[str, LinkRecord] = {}
        self.mentions: dict[tuple[str, str], EntityMention] = {}
        self.merge_candidates: dict[str, MergeCandidate] = {}
        self.contradictions: dict[str, ContradictionRecord] = {}
        self.merge_ops: list[MergeOp] = []
        self.changes: list[Change] = []
        self.support: dict[tuple[str, str], int] = {}
        self.waiting: dict[str, list[str]] = {}
        self.read_as: dict[str, str] = {}  # candidate id of this turn -> the atom it became
        self.fingerprints_read: frozenset[str] = frozenset()  # of all candidates of this turn
        self.judges = isinstance(due, DueTurn) and due.judges
        self.doubts: dict[Pair, float] = {}  # pairs a model may be asked about; only if it judges

    def copy_made(self) -> dict[str, Any]:
        """What was made so far, for `restore`."""
        made = {name: getattr(self, name).copy() for name in MADE}
        return made | {"waiting": {name: list(ids) for name, ids in self.waiting.items()}}

    def restore(self, made: dict[str, Any]) -> None:
        """As if nothing had been made since."""
        for name, value in made.items():
            setattr(self, name, value)

    @property
    def turn(self) -> Turn:
        """The turn; only for what no decision of a person leads to."""
        assert self._turn is not None
        return self._turn

    def turn_into_part(self, turn: Turn) -> None:
        """It does not hold all that its turn was to do, so ``turn`` is told in its place."""
        self._turn = turn

    @property
    def is_full(self) -> bool:
        """Whether no more atoms should be judged in it: a change set has to fit into a record."""
        changed = len(self.atoms) + len(self.evidence) + len(self.links)
        changed += len(self.contradictions) + len(self.merge_candidates)
        return changed >= MAX_RECORDS_CHANGED

    @property
    def run_id(self) -> str | None:
        return self._turn.run_id if self._turn else None

    @property
    def lane(self) -> Literal["preview", "deep"]:
        """Whose budget the working summary keeps to."""
        return self._turn.lane if self._turn else "deep"

    @property
    def index(self) -> ProjectIndex:
        """The project's index as of the change set before."""
        return self.state.index(self.project)

    def atom(self, atom_id: str) -> AtomRecord | None:
        return self.atoms.get(atom_id) or self.state.atom(self.project, atom_id)

    def get_atom(self, atom_id: str) -> AtomRecord:
        found = self.atom(atom_id)
        assert found is not None, atom_id
        return found

    def live_atom(self, atom_id: str) -> AtomRecord | None:
        found = self.atom(atom_id)
        return found if found and found.status in LIVE else None

    def find_survivor(self, atom_id: str) -> AtomRecord | None:
        """The atom, or the one it was merged into since."""
        found = self.atom(atom_id)
        while found and found.status == "merged" and found.merged_into:
            found = self.atom(found.merged_into)
        return found

    def find_newly_live(self, kind: str) -> Iterator[AtomRecord]:
        """Live atoms of this draft that the index does not hold yet, of a kind's group."""
        group = self.index.group(kind)
        for atom in list(self.atoms.values()):
            if (
                is_live(atom)
                and group_of(atom.kind) == group_of(kind)
                and (atom.atom_id not in group.ordinals)
            ):
                yield atom

    def put_atom(self, atom: AtomRecord, **changed: Any) -> AtomRecord:
        """The atom with ``changed`` fields; its revision goes up once a change set."""
        before = self.state.atom(self.project, atom.atom_id)
        revision = before.revision + 1 if before else 1
        after = atom.model_copy(update={"revision": revision} | changed)
        self.atoms[atom.atom_id] = after
        return after

    def evidence_row(self, atom_id: str, evidence_id: str) -> EvidenceRow | None:
        drafted = self.evidence.get(evidence_id)
        if drafted:
            return drafted if drafted.atom_id == atom_id else None
        return self.state.evidence_row(self.project, atom_id, evidence_id)

    def rows_of(self, atom_id: str) -> list[EvidenceRow]:
        """All rows of an atom as of now, by evidence id."""
        is_known = self.state.atom(self.project, atom_id) is not None
        held = self.state.view.evidence_of(self.project, atom_id) if is_known else []
        rows = {row.evidence_id: row for row in held if row.evidence_id not in self.evidence}
        rows |= {key: row for key, row in self.evidence.items() if row.atom_id == atom_id}
        return [rows[key] for key in sorted(rows)]

    def put_evidence(self, row: EvidenceRow) -> None:
        self.evidence[row.evidence_id] = row

    def supports(self, source_id: str, atom_id: str) -> int | None:
        """How many fresh rows of the source the atom has; None when it never had any at all."""
        key = (source_id, atom_id)
        if key in self.support:
            return self.support[key]
        return self.state.support.get(f"{self.project}|{source_id}|{atom_id}")

    def never_supported(self, source_id: str, atom_id: str) -> bool:
        """Whether the atom had no row of the source, not even a stale one, before this change."""
        return f"{self.project}|{source_id}|{atom_id}" not in self.state.support

    def count_support(self, source_id: str, atom_id: str, step: int) -> int:
        """The number of fresh rows after ``step`` more of them."""
        after = (self.supports(source_id, atom_id) or 0) + step
        self.support[(source_id, atom_id)] = after
        return after

    def link(
        self,
        from_atom: str,
        to_atom: str,
        link_type: LinkType,
        reason: str,
        *,
        by_model: bool = False,
    ) -> str | None:
        """An active link from one atom to the other; its id, or None when there was one."""
        key = link_id(from_atom, to_atom, link_type)
        known = self.links.get(key) or self.state.view.links.get(f"{self.project}|{key}")
        if known and known.active:
            return None
        ours: Literal["rule", "model"] = "model" if by_model else "rule"
        self.links[key] = LinkRecord(
            link_id=key,
            from_atom_id=from_atom,
            to_atom_id=to_atom,
            link_type=link_type,
            created_by=ours if self._turn else "human",
            run_id=self.run_id,
        )
        self.note("link_added", from_atom, to_atom, link_type, reason)
        return key

    def unlink(self, from_atom: str, to_atom: str, link_type: LinkType, reason: str) -> None:
        """There is no active link from one atom to the other."""
        key = link_id(from_atom, to_atom, link_type)
        known = self.links.get(key) or self.state.view.links.get(f"{self.project}|{key}")
        if known and known.active:
            self.links[key] = known.model_copy(update={"active": False})
            self.note("link_removed", from_atom, to_atom, link_type, reason)

    def get_link(self, key: str) -> LinkRecord:
        return self.links.get(key) or self.state.view.links[f"{self.project}|{key}"]

    def links_of(self, atom_id: str) -> list[LinkRecord]:
        """The active links from and to an atom, by link id."""
        prefix = f"{self.project}|{atom_id}|"
        held = [key.rsplit("|", 1)[1] for key, _ in self.state.links_of.with_prefix(prefix)]
        drafted = [
            key
            for key, link in self.links.items()
            if atom_id in (link.from_atom_id, link.to_atom_id)
        ]
        found = [self.get_link(key) for key in sorted({*held, *drafted})]
        return [link for link in found if link.active]

    def mention(self, atom_id: str, entity_id: str, name: str, reason: str) -> bool:
        """The atom speaks of the entity; False when that is known, or said of itself."""
        if atom_id == entity_id or self.speaks_of(atom_id, entity_id):
            return False
        self.mentions[(atom_id, entity_id)] = EntityMention(
            atom_id=atom_id, entity_atom_id=entity_id, mention=name
        )
        self.note("entity_linked", atom_id, entity_id, reason, name)
        return True

    def unmention(self, atom_id: str, entity_id: str, reason: str) -> None:
        """The atom does not speak of the entity after all."""
        known = self._mention(atom_id, entity_id)
        if known and known.active:
            self.mentions[(atom_id, entity_id)] = known.model_copy(update={"active": False})
            self.note("entity_linked", atom_id, entity_id, reason, known.mention)

    def mentions_of(self, atom_id: str) -> list[EntityMention]:
        """The entities an atom speaks of, by entity."""
        held = {
            mention.entity_atom_id: mention
            for mention in self.state.view.mentions_of(self.project, atom_id)
        }
        held |= {key[1]: each for key, each in self.mentions.items() if key[0] == atom_id}
        return [held[key] for key in sorted(held) if held[key].active]

    def mentions_to(self, entity_id: str) -> list[EntityMention]:
        """Who speaks of an entity, by atom."""
        prefix = f"{self.project}|{entity_id}|"
        held = [key.rsplit("|", 1)[1] for key, _ in self.state.mentioned_by.with_prefix(prefix)]
        drafted = [atom_id for atom_id, of in self.mentions if of == entity_id]
        found = [self._mention(atom_id, entity_id) for atom_id in sorted({*held, *drafted})]
        return [each for each in found if each and each.active]

    def speaks_of(self, atom_id: str, entity_id: str) -> bool:
        known = self._mention(atom_id, entity_id)
        return known is not None and known.active

    def _mention(self, atom_id: str, entity_id: str) -> EntityMention | None:
        key = f"{self.project}|{atom_id}|{entity_id}"
        return self.mentions.get((atom_id, entity_id)) or self.state.view.mentions.get(key)

    def find_waiting(self, name: str) -> list[str]:
        """The atoms that speak of a normalised name which had no entity when they came."""
        if name not in self.waiting:
            held = self.state.waiting_names.get(f"{self.project}|{name}", [])
            self.waiting[name] = list(held)
        return self.waiting[name]

    def contradiction(self, contradiction_id: str) -> ContradictionRecord | None:
        key = f"{self.project}|{contradiction_id}"
        return self.contradictions.get(contradiction_id) or self.state.view.contradictions.get(key)

    def contradictions_of(self, atom_id: str) -> list[ContradictionRecord]:
        """All contradictions an atom is part of, closed ones too, by id."""
        drafted = [
            key
            for key, record in self.contradictions.items()
            if atom_id in (record.atom_a_id, record.atom_b_id)
        ]
        found = [self.contradiction(key) for key in self._pairs("ctr_", atom_id, drafted)]
        return [record for record in found if record]

    def merge_candidate(self, candidate_id: str) -> MergeCandidate | None:
        key = f"{self.project}|{candidate_id}"
        return self.merge_candidates.get(candidate_id) or self.state.view.merge_candidates.get(key)

    def merge_candidates_of(self, atom_id: str) -> list[MergeCandidate]:
        """All merge candidates an atom is part of, decided ones too, by id."""
        drafted = [
            key
            for key, record in self.merge_candidates.items()
            if atom_id in (record.atom_a_id, record.atom_b_id)
        ]
        found = [self.merge_candidate(key) for key in self._pairs("mrg_", atom_id, drafted)]
        return [record for record in found if record]

    def record_merge(self, **fields: Any) -> MergeOp:
        op = MergeOp(
            merge_op_id=merge_op_id(self.cause_id, len(self.merge_ops)),
            run_id=self.run_id,
            caused_by_event_id=self.cause_id,
            **fields,
        )
        self.merge_ops.append(op)
        self.note("merge_op_recorded", op.winner_atom_id, op.loser_atom_id, op.op, op.merge_op_id)
        return op

    def note(
        self,
        op: ChangeOp,
        target_id: str,
        other_id: str | None = None,
        reason: str = "",
        detail: str = "",
    ) -> None:
        """Say what was done to what, and why."""
        self.changes.append(
            Change(op=op, target_id=target_id, other_id=other_id, reason=reason, detail=detail)
        )

    def event(
        self, summary: WorkingSummary | None, hitl: HumanDecision | None = None
    ) -> LedgerChanged:
        """The change set; pairs that were known have their next revision."""
        view, turn = self.state.view, None if self._is_retry else self._turn
        return LedgerChanged(
            ledger_seq=self.seq,
            prev_hash=self.place.value_hash,
            caused_by_event_id=self.cause_id,
            turn=turn,
            reason=turn.kind if turn else "retry" if self._is_retry else "decision",
            changes=self.changes,
            atoms=list(self.atoms.values()),
            evidence=list(self.evidence.values()),
            links=list(self.links.values()),
            mentions=list(self.mentions.values()),
            merge_ops=self.merge_ops,
            merge_candidates=[
                _raise_revision(pair, view.merge_candidates.get(f"{self.project}|{key}"))
                for key, pair in self.merge_candidates.items()
            ],
            contradictions=[
                _raise_revision(contradiction, view.contradictions.get(f"{self.project}|{key}"))
                for key, contradiction in self.contradictions.items()
            ],
            summary=summary,
            hitl=hitl,
        )

    def _pairs(self, prefix: str, atom_id: str, drafted: list[str]) -> list[str]:
        held = [
            key.rsplit("|", 1)[1]
            for key, _ in self.state.pairs.with_prefix(f"{self.project}|{atom_id}|{prefix}")
        ]
        return sorted({*held, *drafted})


def _raise_revision(after: PairRecord, before: PairRecord | None) -> PairRecord:
    """``after`` with the revision that follows that of ``before``."""
    return after.model_copy(update={"revision": before.revision + 1 if before else 1})
