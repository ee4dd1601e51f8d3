"""Which drafts are sure: those that something beside their own words confirms.

A score alone does not do: of 4,410 judged drafts of 46 projects, each scored by weights that had
not seen its project, the best half by score held 6 wrong ones in 100, whatever the bound. What a
section or label calls a decision or requirement was wrong in 2 of 100, a plain rule («must») or a
claim that scores well in 4. Risks and tasks have no such signal. In minutes a section gathers what
was talked about, too, and confirms nothing. Figures: ``models/soundness.md``.
"""

from __future__ import annotations

from dataclasses import replace

from agents.offline.judge.doubts import Doubt
from agents.offline.judge.origins import origin_of
from agents.offline.lexicons import Wording
from agents.offline.recognise.cues import DOUBTED, EXPLICIT, FORMED, LIKELY, MODAL
from agents.offline.recognise.noise import needs_context
from agents.offline.resolve.drafts import Draft
from schemas.confirmations import CONFIRMED_BY, LABEL, RULE, SECTION, WORDING
from schemas.events.hygiene import ChunkCreated

LEAST = 0.6  # the probability of being good from which a claim or plain rule is sure
LEAST_ELSEWHERE = 0.7  # the same of a claim that no rule of wording found, where nobody describes
CONFIRMED = frozenset({"claim", "decision", "requirement"})  # what a signal confirms
WEIGHED = frozenset({"claim", "requirement"})  # those of them that must score well, too
HOLDS_NOT = frozenset({"proposed", "rejected", "superseded"})
_DESCRIBING = frozenset(
    {"architecture", "doc", "guide", "overview", "part", "product", "readme", "reference"}
)
_NAMED_BY_SECTION = {
    "decision": frozenset({"@role decision"}),
    "requirement": frozenset({"@role requirement", "@role story"}),
}
_PLAIN_RULE = Wording("needs", "plain_rules")
_COMMAND = Wording("needs", "commands")


def confirm_draft(
    draft: Draft, judged: Draft, chunk: ChunkCreated, doubt: Doubt, probability: float
) -> Draft:
    """``judged``, surer where something confirms what ``draft`` was before it was judged."""
    confirmed_by = find_confirmation(draft, chunk, doubt, probability)
    if not confirmed_by or judged.confidence <= DOUBTED:
        return judged
    return replace(
        judged,
        confidence=max(MODAL, judged.confidence),
        attributes=judged.attributes | {CONFIRMED_BY: confirmed_by},
    )


def find_confirmation(draft: Draft, chunk: ChunkCreated, doubt: Doubt, probability: float) -> str:
    """What confirms the draft, of which ``probability`` says how likely it is good; or nothing."""
    labelled, origin = draft.confidence == EXPLICIT, origin_of(chunk)
    if doubt or origin == "minutes" or chunk.document_status in HOLDS_NOT:
        return ""
    match draft.kind:
        case "claim":
            sure = draft.instead is None and probability >= _least_of(draft, origin)
            return WORDING if sure and _stands_alone(draft.statement) else ""
        case "decision" | "requirement" if _is_named_by_section(draft):
            return SECTION
        case "decision":
            return LABEL if labelled else ""
        case "requirement" if probability >= LEAST:
            is_rule = _PLAIN_RULE.says(draft.statement) and _stands_alone(draft.statement)
            return LABEL if labelled else RULE if is_rule else ""
        case _:
            return ""


def _least_of(draft: Draft, origin: str) -> float:
    found_by_rule = draft.confidence not in (LIKELY, FORMED)
    return LEAST if found_by_rule or origin in _DESCRIBING else LEAST_ELSEWHERE


def _stands_alone(text: str) -> bool:
    return not (needs_context(text) or _COMMAND.says(text))


def _is_named_by_section(draft: Draft) -> bool:
    return not _NAMED_BY_SECTION[draft.kind].isdisjoint(draft.place)
