"""What becomes of the pairs that the ledger asks about: a model's answer, or that there is none.

Every pair gets exactly one answer, whatever happens, or the ledger would wait for ever. Of a pair
whose own text speaks to its reader no model is asked: what rules found of it stands, so that an
order in a source does not decide about the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from schemas.envelope import Envelope, Event
from schemas.events.hygiene import ChunkCreated
from schemas.events.judgement import JudgementRequested, PairJudged, PairToJudge
from schemas.events.ledger import Turn
from schemas.events.ledger_retry import LedgerRetryRequested
from schemas.model_reading import Adviser, PairOpinion, Spent
from streams.hygiene.prompt_injection.marks import find_prompt_injection
from streams.stage import Step

NOTHING = Spent()
FLAGGED = "flagged"


def may_be_shown(pair: PairToJudge) -> bool:
    """Whether a model is asked about it."""
    texts = (text for side in (pair.a, pair.b) for text in (side.title, side.body, side.quote))
    return not find_prompt_injection("\n".join(texts))


def decide_by_opinions(
    requested: JudgementRequested,
    shown: Sequence[bool],
    opinions: Sequence[PairOpinion | None],
    adviser: Adviser,
) -> list[PairJudged]:
    """An answer for each pair: of a model about those that were ``shown`` to it, in their order,
    and that of the rules about the others; the first has the cost of the call.
    """
    given = iter(opinions)
    judgements: list[PairJudged] = []
    for pair, was_shown in zip(requested.pairs, shown, strict=True):
        if not was_shown:
            judgements.append(_leave(requested, pair, FLAGGED))
        elif opinion := next(given):
            judgements.append(
                _answer(requested, pair).model_copy(
                    update={
                        "conflict": opinion.conflict,
                        "severity": opinion.severity,
                        "explanation": opinion.explanation,
                        "decided_by": "model",
                        "provider": adviser.provider,
                        "model": adviser.model,
                        "prompt_version": adviser.prompt_version,
                    }
                )
            )
        else:
            judgements.append(_leave(requested, pair, "malformed"))
    return _charge(judgements, adviser.spent)


def leave_to_rules(
    requested: JudgementRequested, reason: str = "unavailable", spent: Spent = NOTHING
) -> list[PairJudged]:
    """An answer for each pair without a model, and why it has none.

    ``spent``: what a model that was asked in vain has used.
    """
    left = [_leave(requested, pair, reason) for pair in requested.pairs]
    return _charge(left, spent)


def answer_by_rule(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
    match cause.event:
        case JudgementRequested() as requested:
            return [*leave_to_rules(requested)]
        case _:
            return []


def give_up(cause: Envelope, chunk: ChunkCreated | None, error: str) -> list[Event]:
    """What rules found stands, so that the ledger's turn still comes."""
    return answer_by_rule(cause, chunk)


def _answer(requested: JudgementRequested, pair: PairToJudge) -> PairJudged:
    return PairJudged(
        run_id=requested.run_id,
        batch_no=requested.batch_no,
        atom_a_id=pair.a.atom_id,
        atom_b_id=pair.b.atom_id,
        decided_by="fallback",
    )


def _leave(requested: JudgementRequested, pair: PairToJudge, reason: str) -> PairJudged:
    return _answer(requested, pair).model_copy(update={"reason": reason})


def _charge(answers: list[PairJudged], spent: Spent) -> list[PairJudged]:
    return [
        each.model_copy(update=asdict(spent)) if at == 0 else each
        for at, each in enumerate(answers)
    ]


def judge_again(answers: Sequence[Event], dead_letter_id: str) -> list[Event]:
    """The answers as what the ledger is to take in once more: it was answered without them."""
    judged = [it for it in answers if isinstance(it, PairJudged)]
    if not judged:
        return []
    turn = Turn(
        run_id=judged[0].run_id, batch_no=judged[0].batch_no, position=0, kind="pairs", lane="deep"
    )
    return [LedgerRetryRequested(dead_letter_id=dead_letter_id, turn=turn, judged=judged)]


JUDGE = Step(
    name="judge",
    inputs=("ledger.control.v1",),
    handle=answer_by_rule,
    give_up=give_up,
    only=(JudgementRequested.type_name,),
    again=judge_again,
)
