"""The fold rule of ``ledger.v1``: which record is the next change set of a project.

The writer and all readers use this one rule, so that they agree on what the ledger is. A change set
counts when its number is the next one, when ``prev_hash`` is the hash of the change set before it,
and when its turn moves its run forward (without a turn: when its cause is new). All other records
are repeats, or come from a writer that had already lost its partition.

Number and turn alone are not enough. A writer decides ahead of the broker. One that has lost its
partition may build on a record that nobody accepted: its next record has the expected number, but
turns before it were never applied to the accepted ledger and would be skipped for ever.
"""

from __future__ import annotations

from collections.abc import MutableMapping

from schemas.envelope import Part
from schemas.events.ledger import LedgerChanged, Turn


class Place(Part):
    """The last accepted change set of a project, and the run whose batch it left open, if any."""

    seq: int = 0
    value_hash: str = ""
    begun_run: str = ""


class Progress(Part):
    """The last applied turn of a run; ``done`` when it committed its batch, ``ended`` with it."""

    batch_no: int = -1
    position: int = 0
    done: bool = True
    ended: bool = False

    def precedes(self, turn: Turn) -> bool:
        """Whether ``turn`` lies ahead."""
        if self.ended:
            return False
        if turn.kind == "run_end":
            return True
        return (turn.batch_no, turn.position) > (self.batch_no, self.position)

    def has_committed(self, batch_no: int) -> bool:
        """Whether nothing of the batch lies ahead."""
        return self.ended or (self.batch_no, self.done) >= (batch_no, True)

    def after(self, turn: Turn) -> Progress:
        if turn.kind == "run_end":
            return self.model_copy(update={"done": True, "ended": True})
        return Progress(
            batch_no=turn.batch_no, position=turn.position, done=turn.last_in_batch, ended=False
        )


class LedgerOrder:
    """How far ledgers have come: ``places`` by project, ``progress`` by ``project|run``.

    ``causes`` are those of change sets without a turn, by ``project|cause``.
    """

    def __init__(
        self,
        places: MutableMapping[str, Place],
        progress: MutableMapping[str, Progress],
        causes: MutableMapping[str, int],
    ) -> None:
        self.places = places
        self.progress = progress
        self.causes = causes

    def place(self, project: str) -> Place:
        return self.places.get(project, Place())

    def progress_of(self, project: str, run_id: str) -> Progress:
        return self.progress.get(f"{project}|{run_id}", Progress())

    def accepts(self, project: str, event: LedgerChanged) -> bool:
        """Whether the event is the next change set of its project."""
        last = self.place(project)
        follows = event.ledger_seq == last.seq + 1 and event.prev_hash == last.value_hash
        return follows and self.is_new(project, event)

    def is_new(self, project: str, event: LedgerChanged) -> bool:
        """Whether its turn lies ahead; without a turn, whether its cause is new."""
        if event.turn is None:
            return f"{project}|{event.caused_by_event_id}" not in self.causes
        return self.progress_of(project, event.turn.run_id).precedes(event.turn)

    def take(self, project: str, event: LedgerChanged, value_hash: str) -> None:
        """Move on to an event that ``accepts`` let through; ``value_hash`` is of its bytes."""
        turn, begun = event.turn, self.place(project).begun_run
        if turn is None:
            self.causes[f"{project}|{event.caused_by_event_id}"] = event.ledger_seq
        else:
            key = f"{project}|{turn.run_id}"
            self.progress[key] = self.progress_of(project, turn.run_id).after(turn)
            begun = "" if turn.last_in_batch or turn.kind == "run_end" else turn.run_id
        self.places[project] = Place(seq=event.ledger_seq, value_hash=value_hash, begun_run=begun)
