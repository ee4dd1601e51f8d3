"""The ledger as it is after the changes made so far: what a step of a turn may ask.

Steps change nothing by themselves: what they yield (``changes``) is laid over the state by
``draft`` before they go on, so that the second candidate of a turn sees what the first one did. The
state itself is not touched: what is decided counts only once it is read back from the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from schemas.codec import utc_millis
from schemas.events.ledger import (
    LIVE,
    AtomRecord,
    Change,
    ContradictionRecord,
    DocumentRoleRecord,
    EntityMention,
    EvidenceRow,
    LinkRecord,
    LinkType,
    MergeCandidate,
    MergeOp,
    Turn,
)
from schemas.ids import link_id
from streams.ledger.turns.decisions import DueDecision
from streams.ledger.turns.indexes import ProjectIndex, group_of, is_live
from streams.ledger.turns.judgements import Pair
from streams.ledger.turns.retries import DueRetry
from streams.ledger.turns.state import LedgerState
from streams.ledger.turns.turns import DueTurn

MAX_RECORDS_CHANGED = 2_000  # by the end of a run in one change set, about 4 MB


@dataclass(slots=True)
class Made:
    """What was made so far, as whole records."""

    turn: Turn | None  # the turn, or the part of it that the change set holds
    atoms: dict[str, AtomRecord] = field(default_factory=dict)
    evidence: dict[str, EvidenceRow] = field(default_factory=dict)
    links: dict[str, LinkRecord] = field(default_factory=dict)
    mentions: dict[tuple[str, str], EntityMention] = field(default_factory=dict)
    merge_candidates: dict[str, MergeCandidate] = field(default_factory=dict)
    contradictions: dict[str, ContradictionRecord] = field(default_factory=dict)
    document_roles: dict[str, DocumentRoleRecord] = field(default_factory=dict)  # by source
    merge_ops: list[MergeOp] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    support: dict[tuple[str, str], int] = field(default_factory=dict)
    waiting: dict[str, list[str]] = field(default_factory=dict)
    read_as: dict[str, str] = field(default_factory=dict)  # candidate id -> the atom it became
    fingerprints_read: frozenset[str] = frozenset()  # of all candidates of this turn
    doubts: dict[Pair, float] = field(default_factory=dict)  # only if the turn judges

    def copy(self) -> Made:
        made = copy(self)
        for name in self.__slots__:
            setattr(made, name, copy(getattr(self, name)))
        return made


class CurrentLedger:
    """Read only; what changes it is ``ChangeSetDraft.apply``."""

    def __init__(
        self, state: LedgerState, due: DueTurn | DueDecision | DueRetry, made: Made
    ) -> None:
        self.state = state
        self.project = due.cause.project_id
        self.cause_id = str(due.cause.event_id)
        self.at: datetime = utc_millis(due.cause.occurred_at)
        self.place = state.view.place(self.project)
        self.seq = self.place.seq + 1
        self.judges = isinstance(due, DueTurn) and due.judges
        self._made = made

    @property
    def atoms(self) -> Mapping[str, AtomRecord]:
        """Those that were changed; so with all that follow."""
        return self._made.atoms

    @property
    def evidence(self) -> Mapping[str, EvidenceRow]:
        return self._made.evidence

    @property
    def contradictions(self) -> Mapping[str, ContradictionRecord]:
        return self._made.contradictions

    @property
    def doubts(self) -> Mapping[Pair, float]:
        return self._made.doubts

    @property
    def read_as(self) -> Mapping[str, str]:
        return self._made.read_as

    @property
    def fingerprints_read(self) -> frozenset[str]:
        return self._made.fingerprints_read

    @property
    def merges_made(self) -> int:
        return len(self._made.merge_ops)

    @property
    def turn(self) -> Turn:
        """The turn; only for what no decision of a person leads to."""
        assert self._made.turn is not None
        return self._made.turn

    @property
    def is_full(self) -> bool:
        """Whether no more atoms should be judged in it: a change set has to fit into a record."""
        changed = len(self._made.atoms) + len(self._made.evidence) + len(self._made.links)
        changed += len(self._made.contradictions) + len(self._made.merge_candidates)
        return changed >= MAX_RECORDS_CHANGED

    @property
    def run_id(self) -> str | None:
        return self._made.turn.run_id if self._made.turn else None

    @property
    def is_of_person(self) -> bool:
        """Whether a decision of a person makes the change set."""
        return self._made.turn is None

    @property
    def lane(self) -> Literal["preview", "deep"]:
        """Whose budget the working summary keeps to."""
        return self._made.turn.lane if self._made.turn else "deep"

    @property
    def index(self) -> ProjectIndex:
        """The project's index as of the change set before."""
        return self.state.index(self.project)

    def atom(self, atom_id: str) -> AtomRecord | None:
        return self._made.atoms.get(atom_id) or self.state.atom(self.project, atom_id)

    def get_atom(self, atom_id: str) -> AtomRecord:
        atom = self.atom(atom_id)
        assert atom is not None, atom_id
        return atom

    def live_atom(self, atom_id: str) -> AtomRecord | None:
        atom = self.atom(atom_id)
        return atom if atom and atom.status in LIVE else None

    def find_survivor(self, atom_id: str) -> AtomRecord | None:
        """The atom, or the one it was merged into since."""
        atom = self.atom(atom_id)
        while atom and atom.status == "merged" and atom.merged_into:
            atom = self.atom(atom.merged_into)
        return atom

    def find_newly_live(self, kind: str) -> Iterator[AtomRecord]:
        """Live atoms of this change set that the index does not hold yet, of a kind's group."""
        group = self.index.group(kind)
        for atom in list(self._made.atoms.values()):
            if (
                is_live(atom)
                and group_of(atom.kind) == group_of(kind)
                and (atom.atom_id not in group.ordinals)
            ):
                yield atom

    def evidence_row(self, atom_id: str, evidence_id: str) -> EvidenceRow | None:
        drafted = self._made.evidence.get(evidence_id)
        if drafted:
            return drafted if drafted.atom_id == atom_id else None
        return self.state.evidence_row(self.project, atom_id, evidence_id)

    def rows_of(self, atom_id: str) -> list[EvidenceRow]:
        """All rows of an atom as of now, by evidence id."""
        is_known = self.state.atom(self.project, atom_id) is not None
        held = self.state.view.evidence_of(self.project, atom_id) if is_known else []
        rows = {row.evidence_id: row for row in held if row.evidence_id not in self._made.evidence}
        rows |= {key: row for key, row in self._made.evidence.items() if row.atom_id == atom_id}
        return [rows[key] for key in sorted(rows)]

    def supports(self, source_id: str, atom_id: str) -> int | None:
        """How many fresh rows of the source the atom has; None when it never had any at all."""
        key = (source_id, atom_id)
        if key in self._made.support:
            return self._made.support[key]
        return self.state.support.get(f"{self.project}|{source_id}|{atom_id}")

    def never_supported(self, source_id: str, atom_id: str) -> bool:
        """Whether the atom had no row of the source, not even a stale one, before this change."""
        return f"{self.project}|{source_id}|{atom_id}" not in self.state.support

    def find_link(
        self, from_atom: str, to_atom: str, link_type: LinkType
    ) -> tuple[str, LinkRecord | None]:
        """The id of such a link, and the link if there is or was one."""
        key = link_id(from_atom, to_atom, link_type)
        held = self.state.view.links
        return key, self._made.links.get(key) or held.get(f"{self.project}|{key}")

    def get_link(self, key: str) -> LinkRecord:
        return self._made.links.get(key) or self.state.view.links[f"{self.project}|{key}"]

    def links_of(self, atom_id: str) -> list[LinkRecord]:
        """The active links from and to an atom, by link id."""
        prefix = f"{self.project}|{atom_id}|"
        held = [key.rsplit("|", 1)[1] for key, _ in self.state.links_of.with_prefix(prefix)]
        drafted = [
            key
            for key, link in self._made.links.items()
            if atom_id in (link.from_atom_id, link.to_atom_id)
        ]
        links = [self.get_link(key) for key in sorted({*held, *drafted})]
        return [link for link in links if link.active]

    def mentions_of(self, atom_id: str) -> list[EntityMention]:
        """The entities an atom speaks of, by entity."""
        held = {
            mention.entity_atom_id: mention
            for mention in self.state.view.mentions_of(self.project, atom_id)
        }
        held |= {key[1]: each for key, each in self._made.mentions.items() if key[0] == atom_id}
        return [held[key] for key in sorted(held) if held[key].active]

    def mentions_to(self, entity_id: str) -> list[EntityMention]:
        """Who speaks of an entity, by atom."""
        prefix = f"{self.project}|{entity_id}|"
        held = [key.rsplit("|", 1)[1] for key, _ in self.state.mentioned_by.with_prefix(prefix)]
        drafted = [atom_id for atom_id, of in self._made.mentions if of == entity_id]
        mentions = [self.find_mention(atom_id, entity_id) for atom_id in sorted({*held, *drafted})]
        return [each for each in mentions if each and each.active]

    def speaks_of(self, atom_id: str, entity_id: str) -> bool:
        mention = self.find_mention(atom_id, entity_id)
        return mention is not None and mention.active

    def find_mention(self, atom_id: str, entity_id: str) -> EntityMention | None:
        key = f"{self.project}|{atom_id}|{entity_id}"
        return self._made.mentions.get((atom_id, entity_id)) or self.state.view.mentions.get(key)

    def find_waiting(self, name: str) -> Sequence[str]:
        """The atoms that speak of a normalised name which had no entity when they came."""
        if name in self._made.waiting:
            return self._made.waiting[name]
        return self.state.waiting_names.get(f"{self.project}|{name}", [])

    def contradiction(self, contradiction_id: str) -> ContradictionRecord | None:
        key = f"{self.project}|{contradiction_id}"
        return self._made.contradictions.get(
            contradiction_id
        ) or self.state.view.contradictions.get(key)

    def document_role(self, source_id: str) -> DocumentRoleRecord | None:
        """What a person has last said of the document's role; None where nobody has."""
        key = f"{self.project}|{source_id}"
        held = self.state.view.document_roles
        return self._made.document_roles.get(source_id) or held.get(key)

    def contradictions_of(self, atom_id: str) -> list[ContradictionRecord]:
        """All contradictions an atom is part of, closed ones too, by id."""
        drafted = [
            key
            for key, record in self._made.contradictions.items()
            if atom_id in (record.atom_a_id, record.atom_b_id)
        ]
        contradictions = [self.contradiction(key) for key in self._pairs("ctr_", atom_id, drafted)]
        return [record for record in contradictions if record]

    def merge_candidate(self, candidate_id: str) -> MergeCandidate | None:
        key = f"{self.project}|{candidate_id}"
        return self._made.merge_candidates.get(
            candidate_id
        ) or self.state.view.merge_candidates.get(key)

    def merge_candidates_of(self, atom_id: str) -> list[MergeCandidate]:
        """All merge candidates an atom is part of, decided ones too, by id."""
        drafted = [
            key
            for key, record in self._made.merge_candidates.items()
            if atom_id in (record.atom_a_id, record.atom_b_id)
        ]
        candidates = [self.merge_candidate(key) for key in self._pairs("mrg_", atom_id, drafted)]
        return [record for record in candidates if record]

    def _pairs(self, prefix: str, atom_id: str, drafted: list[str]) -> list[str]:
        held = [
            key.rsplit("|", 1)[1]
            for key, _ in self.state.pairs.with_prefix(f"{self.project}|{atom_id}|{prefix}")
        ]
        return sorted({*held, *drafted})
