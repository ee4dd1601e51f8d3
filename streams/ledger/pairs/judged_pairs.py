"""What a turn does about doubtful pairs: nominate them, ask about them, apply the answers.

A model finds no contradiction graver than the rules allow for the confidence of the two sides, and
changes none that is known: what a rule or a person has said of a pair stands.
"""

from __future__ import annotations

from collections.abc import Mapping

from schemas.events.judgement import (
    JudgementRequested,
    PairJudged,
    PairToJudge,
    StatementToJudge,
)
from schemas.events.ledger import AtomRecord
from schemas.ids import pair_id
from streams.ledger.pairs.authority import SUGGESTED
from streams.ledger.pairs.contradictions import (
    SEVERITIES,
    ContradictionReason,
    Kind,
    record_contradiction,
    severity_of,
)
from streams.ledger.turns.changes import Changes, note
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.judgements import Pair

MOST_PAIRS = 20  # of a batch, all in one call
MAX_TEXT = 600  # characters of a text of a side


def ask_about_doubts(ledger: CurrentLedger) -> Changes[JudgementRequested | None]:
    """What the last chunk of a batch asks; the others only nominate.

    Where it asks, the answers end the batch in its place.
    """
    if not ledger.turn.last_in_batch:
        for (one, other), doubt in _best(ledger.doubts):
            yield note("pair_nominated", one, other, "doubtful", f"{doubt:.6f}")
        return None
    if not ledger.judges:
        return None
    nominees = ledger.state.judgements.nominees(ledger.project, ledger.turn)
    still = {
        pair: doubt
        for pair, doubt in {**nominees, **ledger.doubts}.items()
        if _is_open(ledger, pair)
    }
    asked = _best(still)
    if not asked:
        return None
    for (one, other), doubt in asked:
        yield note("judgement_asked", one, other, "doubtful", f"{doubt:.6f}")
    turn = ledger.turn
    yield turn.model_copy(update={"last_in_batch": False})
    return JudgementRequested(
        run_id=turn.run_id,
        batch_no=turn.batch_no,
        pairs=[
            PairToJudge(a=_show(ledger, one), b=_show(ledger, other)) for (one, other), _ in asked
        ],
    )


def apply_judgements(ledger: CurrentLedger, judged: tuple[PairJudged, ...]) -> Changes[None]:
    """Each answer in turn; where nobody has answered, what the rules found stands."""
    for it in judged:
        outcome = it.reason
        if it.conflict is not None:
            outcome = (yield from _apply(ledger, it)) if it.conflict else "no_conflict"
        yield note("pair_judged", it.atom_a_id, it.atom_b_id, outcome, _tell(it))


def _apply(ledger: CurrentLedger, judged: PairJudged) -> Changes[str]:
    one, other = (ledger.live_atom(key) for key in (judged.atom_a_id, judged.atom_b_id))
    if one is None or other is None:
        return "side_gone"
    if ledger.contradiction(pair_id("ctr", ledger.project, one.atom_id, other.atom_id)):
        return "known"
    highest = min(judged.severity or "low", severity_of(one, other), key=SEVERITIES.index)
    kind: Kind = "body_conflict"
    if one.kind == other.kind and {one.polarity, other.polarity} == {"affirm", "negate"}:
        kind = "polarity_mismatch"
    reason = ContradictionReason(kind, _tell(judged), highest)
    yield from record_contradiction(ledger, one, other, reason, gained_source=False)
    return "conflict"


def _tell(judged: PairJudged) -> str:
    """The explanation, and which model gives it."""
    if judged.decided_by != "model":
        return ""
    text = judged.explanation.split(SUGGESTED)[0].strip() or "they cannot both hold"
    return f"{text} (judged by {judged.provider}/{judged.model})"


def _is_open(ledger: CurrentLedger, pair: Pair) -> bool:
    """Whether both sides are live and no contradiction of them is known."""
    if ledger.contradiction(pair_id("ctr", ledger.project, *pair)):
        return False
    return all(ledger.live_atom(key) for key in pair)


def _best(doubts: Mapping[Pair, float]) -> list[tuple[Pair, float]]:
    return sorted(doubts.items(), key=lambda it: (-it[1], it[0]))[:MOST_PAIRS]


def _show(ledger: CurrentLedger, atom_id: str) -> StatementToJudge:
    atom: AtomRecord = ledger.get_atom(atom_id)
    quotes = (
        row.snippet
        for row in ledger.rows_of(atom_id)
        if not row.stale and row.evidence_type == "direct"
    )
    return StatementToJudge(
        atom_id=atom_id,
        kind=atom.kind,
        title=atom.title[:MAX_TEXT],
        body=atom.body[:MAX_TEXT],
        quote=next(quotes, "")[:MAX_TEXT],
    )
