"""What a turn does about doubtful pairs: nominate them, ask about them, apply the answers.

A model finds no contradiction graver than the rules allow for the confidence of the two sides, and
changes none that is known: what a rule or a person has said of a pair stands.
"""

from __future__ import annotations

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
from streams.ledger.turns.draft import ChangeSetDraft
from streams.ledger.turns.judgements import Pair

MOST_PAIRS = 20  # of a batch, all in one call
MAX_TEXT = 600  # characters of a text of a side


def ask_about_doubts(draft: ChangeSetDraft) -> JudgementRequested | None:
    """What the last chunk of a batch asks; the others only nominate.

    Where it asks, the answers end the batch in its place.
    """
    if not draft.turn.last_in_batch:
        for (one, other), doubt in _best(draft.doubts):
            draft.note("pair_nominated", one, other, "doubtful", f"{doubt:.6f}")
        return None
    if not draft.judges:
        return None
    known = draft.state.judgements.nominees(draft.project, draft.turn)
    still = {pair: doubt for pair, doubt in (known | draft.doubts).items() if _is_open(draft, pair)}
    asked = _best(still)
    if not asked:
        return None
    for (one, other), doubt in asked:
        draft.note("judgement_asked", one, other, "doubtful", f"{doubt:.6f}")
    turn = draft.turn
    draft.turn_into_part(turn.model_copy(update={"last_in_batch": False}))
    return JudgementRequested(
        run_id=turn.run_id,
        batch_no=turn.batch_no,
        pairs=[
            PairToJudge(a=_show(draft, one), b=_show(draft, other)) for (one, other), _ in asked
        ],
    )


def apply_judgements(draft: ChangeSetDraft, judged: tuple[PairJudged, ...]) -> None:
    """Each answer in turn; where nobody has answered, what the rules found stands."""
    for it in judged:
        outcome = it.reason
        if it.conflict is not None:
            outcome = _apply(draft, it) if it.conflict else "no_conflict"
        draft.note("pair_judged", it.atom_a_id, it.atom_b_id, outcome, _tell(it))


def _apply(draft: ChangeSetDraft, judged: PairJudged) -> str:
    one, other = (draft.live_atom(key) for key in (judged.atom_a_id, judged.atom_b_id))
    if one is None or other is None:
        return "side_gone"
    if draft.contradiction(pair_id("ctr", draft.project, one.atom_id, other.atom_id)):
        return "known"
    highest = min(judged.severity or "low", severity_of(one, other), key=SEVERITIES.index)
    kind: Kind = "body_conflict"
    if one.kind == other.kind and {one.polarity, other.polarity} == {"affirm", "negate"}:
        kind = "polarity_mismatch"
    reason = ContradictionReason(kind, _tell(judged), highest)
    record_contradiction(draft, one, other, reason, gained_source=False)
    return "conflict"


def _tell(judged: PairJudged) -> str:
    """The explanation, and which model gives it."""
    if judged.decided_by != "model":
        return ""
    said = judged.explanation.split(SUGGESTED)[0].strip() or "they cannot both hold"
    return f"{said} (judged by {judged.provider}/{judged.model})"


def _is_open(draft: ChangeSetDraft, pair: Pair) -> bool:
    """Whether both sides are live and no contradiction of them is known."""
    if draft.contradiction(pair_id("ctr", draft.project, *pair)):
        return False
    return all(draft.live_atom(key) for key in pair)


def _best(doubts: dict[Pair, float]) -> list[tuple[Pair, float]]:
    return sorted(doubts.items(), key=lambda it: (-it[1], it[0]))[:MOST_PAIRS]


def _show(draft: ChangeSetDraft, atom_id: str) -> StatementToJudge:
    atom: AtomRecord = draft.get_atom(atom_id)
    quotes = (
        row.snippet
        for row in draft.rows_of(atom_id)
        if not row.stale and row.evidence_type == "direct"
    )
    return StatementToJudge(
        atom_id=atom_id,
        kind=atom.kind,
        title=atom.title[:MAX_TEXT],
        body=atom.body[:MAX_TEXT],
        quote=next(quotes, "")[:MAX_TEXT],
    )
