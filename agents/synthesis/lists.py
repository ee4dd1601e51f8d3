"""The items of a list one by one: what a model is told of those before, and whether to go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.fence import FENCE_RULE, fence
from agents.loop import FULL_ITEMS, show_earlier
from agents.models.call import ChatModel, Message
from agents.synthesis.wording import Caller
from schemas.generation import Decision

SUMMED_UP_EVERY = 25  # further items, after which the summary is made anew
MOST_SUMMARY_TOKENS = 600

_CONTINUATION: dict[str, Any] = {
    "type": "object",
    "properties": {
        "should_continue": {"type": "boolean"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "coverage_assessment": {"type": "string"},
        "gaps_remaining": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
    },
    "required": ["should_continue", "confidence", "coverage_assessment", "gaps_remaining"],
    "additionalProperties": False,
}
_SUMMARY: dict[str, Any] = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}
_DECIDE = (
    """\
You decide whether a list of a product document is complete enough. You are told of the items \
that have been worded and of the candidates that are left, best first. Go on as long as a \
candidate would tell a reader something that the list does not say yet. `confidence` from 0 to 1 \
says how sure you are that the list covers what there is to say. Answer with JSON alone.

"""
    + FENCE_RULE
)
_SUM_UP = (
    """\
Sum up the items of a list in at most 200 words, so that somebody who words a further one does not \
repeat one: what they are about, grouped, without judgement. Answer with JSON alone.

"""
    + FENCE_RULE
)


@dataclass(frozen=True, slots=True)
class EarlierItem:
    """An item that the list has already."""

    title: str
    text: str


@dataclass(slots=True)
class EarlierItems:
    """What is told of the items before: all of them, or beyond 50 a summary and the titles."""

    model: ChatModel
    caller: Caller
    summary: str = ""
    summed_up: int = 0

    async def describe(self, items: Sequence[EarlierItem]) -> str:
        """In the order in which they were worded. Raises ModelError."""
        if len(items) > FULL_ITEMS and len(items) - self.summed_up >= SUMMED_UP_EVERY:
            self.summary, self.summed_up = await self._sum_up(items), len(items)
        shown = show_earlier(items, lambda item: item.title, self.summary)
        lines = [*map(_line, shown.full), *(f"- {title}" for title in shown.titles)]
        return "\n".join([shown.summary, *lines] if shown.summary else lines)

    async def _sum_up(self, items: Sequence[EarlierItem]) -> str:
        messages = (
            Message(role="system", content=_SUM_UP),
            Message(role="user", content=fence("\n".join(map(_line, items)))),
        )
        request = self.caller.request(messages, _SUMMARY, max_output_tokens=MOST_SUMMARY_TOKENS)
        return str((await self.model.complete(request)).data["summary"])


async def decide(model: ChatModel, caller: Caller, earlier: str, left: Sequence[str]) -> Decision:
    """Whether to go on after the last of the ``earlier`` items. Raises ModelError."""
    candidates = "\n".join(f"- {candidate}" for candidate in left)
    asked = f"Worded so far:\n{fence(earlier)}\n\nCandidates that are left:\n{fence(candidates)}"
    messages = (Message(role="system", content=_DECIDE), Message(role="user", content=asked))
    data = (await model.complete(caller.request(messages, _CONTINUATION, tier="fast"))).data
    return Decision(
        should_continue=bool(data["should_continue"]),
        confidence=float(data["confidence"]),
        coverage_assessment=str(data["coverage_assessment"]),
        gaps_remaining=tuple(data["gaps_remaining"]),
    )


def _line(item: EarlierItem) -> str:
    return f"- {item.title}: {' '.join(item.text.split())}"
