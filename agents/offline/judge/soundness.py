"""How likely a draft is sound: true to its source, clear alone, of the right kind, worth recording.

Rules see a sentence, and know no word for «this speaks of something that is not here». What a
trained sum sees beside its words is where it stands, how it is introduced and whether its subject
is known there. Decided against a rule for each cause: on projects nobody had read, what went wrong
was spread over too many. What is doubted is kept as a draft; what nothing but its wording calls so
is the last of the drafts below ``KEPT``. Only what says nothing is refused. Whole numbers, as in
``schemas/linear.py``; made by ``tests/reading/training/soundness.py``.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from agents.offline.judge.confirmations import CONFIRMED, WEIGHED, confirm_draft
from agents.offline.judge.doubts import Doubt, doubt_of, is_note
from agents.offline.judge.features import draft_features
from agents.offline.lexicons import Wording
from agents.offline.models.weights import load_soundness
from agents.offline.recognise.cues import (
    DOUBTED,
    EXPLICIT,
    FORMED,
    LIKELY,
    MODAL,
    UNLIKELY,
    WEAK,
)
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.documents import is_record
from schemas.events.atom import AtomKind
from schemas.events.hygiene import ChunkCreated

# From this probability on a draft keeps the confidence its cue gives it, and a claim is raised.
SOUND = 0.75
EXPECTED = 0.6  # the same where a label or heading says what it is
NOTED = 0.5  # and of questions and tasks, of which no more are good above
NEVER = 2.0  # no probability is as high
# The probability below which what nothing but its wording calls so is doubted: where a document
# deliberates, of a passage's first sentence and of later ones, and elsewhere.
KEPT: dict[AtomKind, tuple[float, float, float, float]] = {
    "claim": (0.62, 0.68, 0.6, 0.68),
    "decision": (0.45, 0.45, 0.5, 0.5),
    "requirement": (0.5, 0.6, 0.3, 0.6),
    "risk": (0.25, 0.4, 0.45, 0.6),
    "unknown": (0.1, 0.1, 0.4, 0.4),
    "action_item": (0.0, 0.0, 0.6, 0.6),
}
KEPT_WEAK: dict[AtomKind, tuple[float, float, float, float]] = {  # the same of a weak cue
    "decision": (0.6, 0.6, 0.7, 0.7),
    "requirement": (0.3, 0.3, 0.6, 0.6),
}
REFUSED = frozenset(
    {"claim", "decision", "entity", "requirement", "unknown"}
)  # where doubted by form
STRAY = frozenset({"action_item", "risk", "unknown"})
_RELATES = Wording("doubts", "relates")
TERSE = 12  # words of what only says so
KEPT_LOOSE = 0.45  # of these, where no heading is over anything, and of tasks noted in code
JUDGED = frozenset(  # of the rest too few were read
    {"action_item", "claim", "decision", "requirement", "risk", "unknown"}
)
SHORTEST = 5  # words; of shorter ones, and of answers, too few were read
OF_PATH = (
    frozenset(  # what a document's name says; doubted by them, a file that moves would tell less
        {"@all known", "@deliberates", "@foreign name", "@how_to", "@known in path", "@own_voice"}
    )
)
_MEASURED = Wording("doubts", "measured")


def judge_drafts(drafts: list[Draft], chunk: ChunkCreated) -> list[Draft]:
    """``drafts``, of which those that are hardly good are no more than a weak cue, claims of a weak
    cue that are surely good as sure as others by their wording, and what is hardly of its kind is
    too unlikely to pass reflection.
    """
    weighings = (_Weighing(draft, chunk) for draft in drafts)
    return [_take_wording(_confirm(it, _judge_draft(it))) for it in weighings]


class _Weighing:
    """A draft with what is asked of it more than once."""

    def __init__(self, draft: Draft, chunk: ChunkCreated) -> None:
        self.draft, self.chunk, self.doubt = draft, chunk, doubt_of(draft, chunk)

    @functools.cached_property
    def features(self) -> set[str]:
        return draft_features(self.draft, self.chunk)

    @functools.cached_property
    def probability(self) -> float:
        """How likely it is good."""
        return load_soundness().probability(self.features)


def _confirm(weighing: _Weighing, judged: Draft) -> Draft:
    """``judged``, surer where something beside its words confirms it."""
    draft, chunk, doubt = weighing.draft, weighing.chunk, weighing.doubt
    if judged.confidence <= DOUBTED or draft.kind not in CONFIRMED:
        return judged
    weighed = not doubt and draft.kind in WEIGHED and _is_weighable(draft, chunk)
    return confirm_draft(draft, judged, chunk, doubt, weighing.probability if weighed else 0.0)


def _is_weighable(draft: Draft, chunk: ChunkCreated) -> bool:
    return bool(chunk.structure_path) and _is_judged(draft, chunk)


def _take_wording(draft: Draft) -> Draft:
    """A claim that is hardly sure as what its wording makes of it."""
    if draft.instead is None or not DOUBTED <= draft.confidence < MODAL:
        return draft
    return replace(draft.instead, confidence=draft.confidence)


def find_threshold(draft: Draft, chunk: ChunkCreated, doubt: Doubt) -> float:
    """The probability below which ``draft`` is the last of all; 0 where it is kept in any case,
    ``NEVER`` where its words say that it is none.
    """
    if doubt == Doubt.EMPTY:
        return NEVER
    doubtful = draft.kind in REFUSED and doubt > Doubt.NONE
    if draft.kind == "entity":
        return NEVER if doubtful else 0.0
    among = draft.kind == "risk" and "@role risk" in draft.place
    called = among or draft.confidence == EXPLICIT
    if not _is_judged(draft, chunk) or (called and draft.kind != "action_item"):
        return 0.0
    if draft.kind == "requirement" and _MEASURED.match(draft.title):
        return 0.0
    terse = draft.kind in ("claim", "requirement") and _is_terse(draft.statement)
    if terse and not doubtful:
        return 0.0
    deliberating = "@deliberates" in draft.place or is_record(chunk)
    if not chunk.structure_path or is_note(draft, chunk.path):
        return KEPT_LOOSE if draft.kind in STRAY and not deliberating else 0.0
    bounds = KEPT_WEAK.get(draft.kind) if draft.confidence == WEAK else None
    if doubtful and not (bounds and deliberating):
        return NEVER
    first, later, first_elsewhere, later_elsewhere = bounds or KEPT[draft.kind]
    if "@sentence 0" in draft.place or not draft.place:
        return first if deliberating else first_elsewhere
    return later if deliberating else later_elsewhere


def _is_terse(text: str) -> bool:
    """Whether it is hardly more than a subject and its value in a relation that has one."""
    return len(text.split()) <= TERSE and _RELATES.says(text)


def least_of(draft: Draft, chunk: ChunkCreated, doubt: Doubt) -> float:
    """The probability from which ``draft`` is surer than a weak cue; 0 where its cue alone decides,
    ``NEVER`` where its words say that it is none.
    """
    if draft.kind == "entity":
        return NEVER if doubt else 0.0
    if not _is_judged(draft, chunk) or (draft.confidence == WEAK and draft.kind != "claim"):
        return 0.0
    if draft.kind == "requirement" and _MEASURED.match(draft.title):
        return 0.0
    if doubt:
        return NEVER
    if draft.confidence < EXPLICIT:
        return SOUND
    return NOTED if draft.kind in ("unknown", "action_item") else EXPECTED


def _is_judged(draft: Draft, chunk: ChunkCreated) -> bool:
    """Whether enough of its kind and length were read to say how likely it is good."""
    text = draft.own_title if draft.aside else draft.title
    long = len(text.split()) >= SHORTEST or is_note(draft, chunk.path)
    return draft.kind in JUDGED and long and not draft.answers


def _judge_draft(weighing: _Weighing) -> Draft:
    draft, chunk, doubt = weighing.draft, weighing.chunk, weighing.doubt
    if doubt == Doubt.EMPTY or (doubt and draft.kind == "entity"):
        return replace(draft, confidence=UNLIKELY)
    if draft.confidence in (LIKELY, FORMED):
        return draft
    kept = find_threshold(draft, chunk, doubt)
    if kept == NEVER:
        return replace(draft, confidence=DOUBTED)
    least = least_of(draft, chunk, doubt)
    if kept and load_soundness().probability(weighing.features - OF_PATH) < kept:
        return replace(draft, confidence=DOUBTED)
    if not least:
        return draft
    is_sure = least < NEVER and weighing.probability >= least
    return replace(draft, confidence=max(MODAL, draft.confidence) if is_sure else WEAK)
