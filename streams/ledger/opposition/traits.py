"""What kind of statement a wording shows: of when, of how many, a rule or one occasion."""

from __future__ import annotations

import re
from typing import NamedTuple

from schemas.bounded_cache import MIB, bounded_cache
from streams.ledger.likeness.lexicon import SEEN_IN_SCENES
from streams.lexicons import Wording

_PAST = Wording("ledger", "past")
_PLANNED = Wording("ledger", "planned")
_WILL = re.compile(r"(?i)\bwill\b")
_MODAL = re.compile(r"(?i)\b(?:will|wo|shall|must|should|may|can|cannot|never|to)\b")
_RULING = re.compile(r"(?i)\b(?:must|shall|should|can|cannot|may|will)\b|n['\u2019]t\b")
_GOING_ON = Wording("ledger", "going_on")
_NO_VERB = Wording("ledger", "no_verb")
_INDEFINITE = Wording("ledger", "indefinite")
_PARTIAL = Wording("ledger", "partial")
_LISTING = Wording("ledger", "listing")
_NOT_BOUND = Wording("ledger", "not_bound")
_LEFT_OPEN = re.compile(r"(?i)\b(?:may|can|could|might|optional|optionally)\b")
_WORD = re.compile(r"[a-z]+")


class Traits(NamedTuple):
    """``is_rule``: told in general, not of one scene; ``is_partial``: of some only;
    ``lists``: by a verb that takes many objects; ``will`` and ``has_modal``: of verbs."""

    asks: bool
    is_past: bool
    is_planned: bool
    will: bool
    has_modal: bool
    is_rule: bool
    is_partial: bool
    lists: bool
    is_not_bound: bool
    is_left_open: bool


@bounded_cache(MIB, 3)
def traits_of(text: str) -> Traits:
    return Traits(
        asks=text.rstrip(" \"'*_)").endswith("?"),
        is_past=_PAST.says(text),
        is_planned=_PLANNED.says(text),
        will=bool(_WILL.search(text)),
        has_modal=bool(_MODAL.search(text)),
        is_rule=bool(_RULING.search(text)) or not _tells_scene(text),
        is_partial=_PARTIAL.says(text),
        lists=_LISTING.says(text),
        is_not_bound=_NOT_BOUND.says(text),
        is_left_open=bool(_LEFT_OPEN.search(text)),
    )


def _tells_scene(text: str) -> bool:
    """«a man is sitting», «two dogs play»; «a request without a token is refused» is a rule."""
    if _GOING_ON.says(text) or _NO_VERB.says(text):
        return True
    seen = not SEEN_IN_SCENES.isdisjoint(_WORD.findall(text.lower()))
    return seen and _INDEFINITE.says(text)
