"""Pairs of statements about which a model is asked, from the first doubt to the answer.

In a deep run with a model, rules nominate the pairs they are not sure of (``doubts``) with the turn
that first sees both sides. The last chunk of a batch asks about the best of them: its change set
names them, does not commit the batch, and comes with one ``ledger.judgement_requested`` that holds
their texts. The ``judge`` step (``judging``) answers each pair with one ``ledger.pair_judged``, by
a model or, where nobody answers, with the reason why the rules decide. When all answers are there,
one more turn of the batch applies them in the order of the pairs and commits the batch.

What was nominated, asked and settled is folded from the ledger's own output, the answers from
``ledger.control.v1`` alone. So a replay asks nobody, a restart goes on waiting, and an answer to a
pair of an applied batch is dropped. In all other runs no pair is nominated, and nothing waits.

Decided against: asking with every chunk, which is a call for each; and a judge that reads
``ledger.v1``, which would need all atoms of a project to know two texts.
"""

from __future__ import annotations

from typing import Any

from schemas.envelope import Envelope, Part
from schemas.events.judgement import PairJudged
from schemas.events.ledger import LedgerChanged, Turn
from streams.cause import Cause
from streams.ledger.turns.fold import LedgerView
from streams.stage import Table, Tables

Pair = tuple[str, str]  # ids of atoms, the smaller one first
ANSWERED = frozenset({"conflict", "no_conflict"})  # by a model: nobody asks about the pair again


class WaitingAnswer(Part):
    cause: Cause
    judged: PairJudged


class Judgements:
    """The doubtful pairs of the projects of one partition."""

    def __init__(self, tables: Tables, view: LedgerView) -> None:
        self._view = view
        self.nominated: Table[float] = tables.table("nominated_pairs", float)
        self.asked: Table[str] = tables.table("asked_pairs", str)
        self.answers: Table[WaitingAnswer] = tables.table("waiting_answers", WaitingAnswer)
        self.settled: Table[int] = tables.table("judged_pairs", int)

    def take(self, envelope: Envelope) -> None:
        """Fold an input; the first answer for a pair counts, one for an applied batch is dropped.

        A batch that waits for answers is not done; one that is done waits for none.
        """
        judged, project = envelope.event, envelope.project_id
        if not isinstance(judged, PairJudged):
            return
        if not self._view.progress_of(project, judged.run_id).has_committed(judged.batch_no):
            batch = batch_key(project, judged.run_id, judged.batch_no)
            waiting = WaitingAnswer(cause=Cause.of(envelope), judged=judged)
            key = f"{batch}|{judged.atom_a_id}|{judged.atom_b_id}"
            self.answers.setdefault(key, waiting)

    def take_own(self, project: str, event: LedgerChanged, turn: Turn) -> None:
        """Fold a change set of our own."""
        batch = batch_key(project, turn.run_id, turn.batch_no)
        for change in event.changes:
            match change.op:
                case "pair_nominated":
                    self.nominated[f"{batch}|{change.target_id}|{change.other_id}"] = float(
                        change.detail
                    )
                case "judgement_asked":
                    self.asked[f"{batch}|{change.target_id}|{change.other_id}"] = ""
                case "pair_judged" if change.reason in ANSWERED:
                    pair = f"{project}|{change.target_id}|{change.other_id}"
                    self.settled[pair] = event.ledger_seq
                case _:
                    pass
        if turn.kind == "run_end":
            self._drop(f"{project}|{turn.run_id}|")
        elif turn.last_in_batch:
            self._drop(f"{batch}|")

    def nominees(self, project: str, turn: Turn) -> dict[Pair, float]:
        """The doubts that the turns of the batch have left, by pair."""
        prefix = f"{batch_key(project, turn.run_id, turn.batch_no)}|"
        return {_pair_in(key): score for key, score in self.nominated.with_prefix(prefix)}

    def is_settled(self, project: str, pair: Pair) -> bool:
        """Whether a model has answered about the pair, in whatever run."""
        return f"{project}|{pair[0]}|{pair[1]}" in self.settled

    def answers_of(self, project: str, run_id: str, batch_no: int) -> list[WaitingAnswer] | None:
        """The answers about a batch by pair; None until all are there."""
        prefix = f"{batch_key(project, run_id, batch_no)}|"
        found = [self.answers.get(key) for key, _ in self.asked.with_prefix(prefix)]
        known = [it for it in found if it is not None]
        return known if len(known) == len(found) else None

    def _drop(self, prefix: str) -> None:
        for table in (self.nominated, self.asked, self.answers):
            drop_under(table, prefix)


def drop_under(table: Table[Any], prefix: str) -> None:
    for key in [key for key, _ in table.with_prefix(prefix)]:
        del table[key]


def batch_key(project: str, run_id: str, batch_no: int) -> str:
    return f"{project}|{run_id}|{batch_no:08d}"


def _pair_in(key: str) -> Pair:
    *_, one, other = key.split("|")
    return one, other
