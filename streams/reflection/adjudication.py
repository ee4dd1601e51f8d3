"""What becomes of borderline candidates (R13): a stronger model's verdict, or the rule instead.

Which ones are asked about: ``sampling``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

from schemas.envelope import Envelope, Event
from schemas.events.atom import AtomAdjudicated, AtomReflected, Finding, Judged
from schemas.events.hygiene import ChunkCreated
from schemas.events.ledger import Turn
from schemas.events.ledger_retry import LedgerRetryRequested
from schemas.model_reading import Adviser, Opinion, Spent
from streams.reflection.rules import CONFIDENCE_THRESHOLD
from streams.reflection.sampling import may_ask
from streams.stage import Step

MOST_GAIN = 0.20  # of confidence, over what the rules left
NOTHING = Spent()


def apply_opinion(judged: Judged, opinion: Opinion) -> Judged:
    """The candidate as the opinion leaves it; evidence that is too thin stays a draft."""
    highest = min(1.0, judged.confidence_after + MOST_GAIN)
    status: Literal["active", "draft", "rejected"] = "active"
    findings = judged.findings
    if opinion.verdict == "reject":
        status = "rejected"
        findings = [*findings, Finding(rule="R13", code="adjudicated_reject")]
    elif opinion.verdict == "draft" or judged.status == "draft":
        status = "draft"
    return judged.model_copy(
        update={
            "status": status,
            "confidence_after": round(min(highest, max(0.0, opinion.confidence)), 6),
            "findings": findings,
            "adjudication": opinion.verdict,
        }
    )


def apply_fallback(judged: Judged, reason: str) -> Judged:
    """The candidate without a verdict: kept, as a draft where the rules are not sure enough."""
    sure = judged.confidence_after >= CONFIDENCE_THRESHOLD and judged.status != "draft"
    return judged.model_copy(
        update={"status": "active" if sure else "draft", "adjudication": reason}
    )


def decide_by_rule(
    reflected: AtomReflected, reason: str = "", spent: Spent = NOTHING
) -> list[AtomAdjudicated]:
    """A verdict for each borderline candidate by the fall-back rule, and why that decided.

    ``spent``: what a model that was asked in vain has used.
    """
    reason = reason or ("unavailable" if may_ask(reflected.reading) else "overflow")
    found = [_decide_one_by_rule(reflected, judged, reason) for judged in reflected.adjudicate]
    return _charge(found, spent)


def decide_by_opinions(
    reflected: AtomReflected, opinions: Sequence[Opinion | None], adviser: Adviser
) -> list[AtomAdjudicated]:
    """The verdicts of a model; where it left one out the rule decides."""
    verdicts: list[AtomAdjudicated] = []
    for judged, opinion in zip(reflected.adjudicate, opinions, strict=True):
        if opinion is None:
            verdict = _decide_one_by_rule(reflected, judged, "malformed")
        else:
            verdict = AtomAdjudicated(
                reading=reflected.reading,
                judged=apply_opinion(judged, opinion),
                verdict=opinion.verdict,
                decided_by="model",
                rationale=opinion.rationale,
                provider=adviser.provider,
                model=adviser.model,
                prompt_version=adviser.prompt_version,
            )
        verdicts.append(verdict)
    return _charge(verdicts, adviser.spent)


def _charge(verdicts: list[AtomAdjudicated], spent: Spent) -> list[AtomAdjudicated]:
    """The verdicts of one call; the first has its cost."""
    return [
        each.model_copy(update=asdict(spent)) if at == 0 else each
        for at, each in enumerate(verdicts)
    ]


def _decide_one_by_rule(reflected: AtomReflected, judged: Judged, reason: str) -> AtomAdjudicated:
    settled = apply_fallback(judged, reason)
    return AtomAdjudicated(
        reading=reflected.reading,
        judged=settled,
        verdict="accept" if settled.status == "active" else "draft",
        decided_by="fallback",
        reason=reason,
    )


def answer_by_rule(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
    """A verdict for each entry of ``adjudicate``, without a model."""
    match cause.event:
        case AtomReflected() as reflected:
            return [*decide_by_rule(reflected)]
        case _:
            return []


def give_up(cause: Envelope, chunk: ChunkCreated | None, error: str) -> list[Event]:
    """Drafts, without asking the rule, which may be what raised: the ledger's turn still comes."""
    reflected = cause.event
    if not isinstance(reflected, AtomReflected):
        return []
    kept = {"status": "draft", "adjudication": "undecidable"}
    return [
        AtomAdjudicated(
            reading=reflected.reading,
            judged=judged.model_copy(update=kept),
            verdict="draft",
            decided_by="fallback",
            reason="undecidable",
        )
        for judged in reflected.adjudicate
    ]


def decide_again(answers: Sequence[Event], dead_letter_id: str) -> list[Event]:
    """The verdicts as what the ledger is to take in once more: it was answered without them."""
    verdicts = [it for it in answers if isinstance(it, AtomAdjudicated)]
    if not verdicts:
        return []
    reading = verdicts[0].reading
    turn = Turn(
        run_id=reading.run_id,
        batch_no=reading.batch_no,
        position=reading.position,
        kind="chunk",
        lane=reading.lane,
        chunk_id=reading.chunk_id,
        outcome=reading.outcome,
        engine=reading.engine,
    )
    kept = [it.judged for it in verdicts if it.judged.status != "rejected"]
    return [
        LedgerRetryRequested(
            dead_letter_id=dead_letter_id, turn=turn, reading=reading, accepted=kept
        )
    ]


ADJUDICATE = Step(
    name="adjudicate",
    inputs=("atom.validated.v1",),
    handle=answer_by_rule,
    give_up=give_up,
    only=(AtomReflected.type_name,),
    again=decide_again,
)
