"""Turns of phrase by which a draft is a weak cue, whoever wrote it and wherever it stands.

Found among the drafts that people judged (``agents/training/drafts.tsv``, .65 of all good): of each
at most one in three was good there, but for what dangles or is cut (102 judged, .44 good; «is then»
37, .57, of which with the document open 10, .30), what links to its subject (112, .35), needs and
tasks that point back (218, .37) and «of that …» (46, .46). Other options and what a text announces
among decisions are too few to say (5). The trained sum of ``soundness.py`` sees single words and
places only. Decided against leaving such drafts out, as there.
"""

from __future__ import annotations

import re

from agents.rules.drafts import THIN, Draft
from agents.rules.noise import spoken

_STATING = frozenset({"claim", "decision", "requirement", "risk"})
_POINTING = frozenset({"this", "these", "those", "that"})
_POINTS_BACK = re.compile(
    r"\s(?:this|these|those|(?:of|on|in|to|from|for|with|by|at|into|fetch|uses?) that"
    r"(?! (?:is|are|can|will|has|have|the|an?|it|they|we|you|this|all|each)\b))\s(?P<what>[\w-]+)",
    re.IGNORECASE,
)
_NO_NOUN = frozenset({"who", "that", "which", "of", "in", "with", "are", "where", "for"})
_OWN = frozenset(
    {"project", "system", "product", "repository", "service", "software", "library", "tool"}
    | {"release"}
)
_AFTER_CLAUSE = re.compile(r"(?:[,;:]|\b(?:and|as|because|so|since|but|however|means))$")
_GENERAL = re.compile(
    r".{0,80}?\b(?:(?:a|an|the most|reasonably|increasingly|very|fairly|quite) (?:very )?"
    r"(?:popular|great|well[- ]known|modern|widespread|key|crucial|vital|essential|important|"
    r"central|fundamental|widely)\b|(?:very|fairly) common\b|"
    r"(?:is|are) (?:very|fairly|quite|crucial|vital|key|widely|well[- ]known|often) |"
    r"used widely\b|good support\b)",
    re.IGNORECASE,
)  # praise, and what is so everywhere
_NUMBERED = re.compile(
    r"(?:[^:]{1,60}: )?(?:requirement|property|invariant|assumption|condition) \d+\w? ",
    re.IGNORECASE,
)  # what is said of «Requirement 2», whose words stand elsewhere
_SUPPOSES = re.compile(r"\bwe (?:can|could|may|might|would)\b", re.IGNORECASE)
_BURDEN = re.compile(
    r"[^,;]*\b(?:(?<!not )(?<!that )needs? to|the need to|requires?|be able to)\b", re.IGNORECASE
)  # what follows from a decision, or why one is taken
_OTHER = re.compile(
    r"(?:an?|the|one) (?:alternative|other|possible) (?:solution|approach|option|way|idea)\b|"
    r".*\bwe (?:will|shall) (?:\w+ )?(?:describe|detail|explain|discuss|show|outline|present|"
    r"see)\b",
    re.IGNORECASE,
)  # what is weighed, or said of the text itself
_DANGLING = re.compile(
    r"\bthe (?:described|above|above-?mentioned|aforementioned|passed[- ]in|latter|former) [a-z]|"
    r"\b(?:supplied|described|listed|shown|mentioned|defined|given) (?:here|above|below|earlier|"
    r"previously)\b|\bsuch an? [a-z]+ (?:as\b|must|should|shall|is|can)|\bduring this [a-z]+|"
    r"(?:^|: )(?:to|in order to) (?:prevent|avoid|facilitate|address|solve|mitigate|achieve|"
    r"support|fix|handle) (?:this|these|that|the last|the previous)\b|(?:^|: )when present\b|"
    r"\b(?:is|are|was|were|be) then [a-z]|\bin question\b|"
    r"\bthe (?:last|previous|preceding) (?:issue|problem|section|step|point|paragraph|example)\b|"
    r"…$",
    re.IGNORECASE,
)  # what stands before it, and what is cut
_LINKED = re.compile(
    r"\W{0,4}(?:the |an? )?(?:\[[^\]\n]{2,60}\]\(https?://|`[^`<\n]{2,60}<https?://|https?://\S+\[)",
    re.IGNORECASE,
)  # «[Delta Lake](https://delta.io/) is …»: who links to its subject tells of somebody else's
_NAMELESS = re.compile(r"(?<![!\]])\[\]\([^)\s]")  # MyST shows its target's title, not here
_OF_WHOLE = re.compile(r"(?:^|/)(?:readme|_?index)\.\w+$", re.IGNORECASE)  # links to its own site
_STEM = 5


def is_doubtful(draft: Draft, raw: str, path: str) -> bool:
    """Whether ``draft``, of the words ``raw``, speaks of what stands elsewhere, of the world at
    large or of others, or is not its kind.
    """
    text = draft.first
    if THIN in draft.place or _NAMELESS.search(raw):
        return True
    if draft.kind == "claim" and _LINKED.match(raw) and not _OF_WHOLE.search(path):
        return True
    if draft.kind in _STATING and _DANGLING.search(text):
        return True
    match draft.kind:
        case "claim":
            return (
                _points_back(text)
                or _NUMBERED.match(text) is not None
                or _GENERAL.match(text) is not None
                or _SUPPOSES.search(text) is not None
            )
        case "decision":
            return _points_back(text) or bool(_BURDEN.match(text) or _OTHER.match(draft.statement))
        case "risk" | "requirement" | "action_item":
            return _points_back(text)
        case _:
            return False


def _points_back(text: str) -> bool:
    """Whether a «this», «these» or «of that» in ``text`` stands for nothing that ``text`` names."""
    if spoken(text).isdisjoint(_POINTING):
        return False
    return any(_is_foreign(text, match) for match in _POINTS_BACK.finditer(text))


def _is_foreign(text: str, match: re.Match[str]) -> bool:
    what, before = match.group("what").lower(), text[: match.start()]
    if what in _NO_NOUN or what in _OWN or _AFTER_CLAUSE.search(before):
        return False
    return what[:_STEM] not in before.lower()
