"""Needs in German and Spanish sentences: their modals bind as those of English do.

All else of such a document is read as English is, so little of it is: what is no English sentence
has no verb that this reader knows. A sentence counts as German or Spanish by its function words.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.offline.lexicons import Wording, load_words
from agents.offline.recognise.cues import MODAL, Cue, has_number
from agents.offline.recognise.noise import words_of

LEAST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Language:
    """The wordings of one language; ``must`` before ``should`` before ``could``."""

    words: frozenset[str]
    unbound: Wording
    modals: tuple[tuple[str, Wording], ...]
    decided: Wording


_GERMAN = Language(
    load_words("languages", "german_words"),
    Wording("languages", "german_unbound"),
    (
        ("must", Wording("languages", "german_must")),
        ("should", Wording("languages", "german_should")),
        ("could", Wording("languages", "german_could")),
    ),
    Wording("languages", "german_decided"),
)
_SPANISH = Language(
    load_words("languages", "spanish_words"),
    Wording("languages", "spanish_unbound"),
    (
        ("must", Wording("languages", "spanish_must")),
        ("should", Wording("languages", "spanish_should")),
        ("could", Wording("languages", "spanish_could")),
    ),
    Wording("languages", "spanish_decided"),
)
_ENGLISH = load_words("languages", "english_words")
_NEGATING = Wording("languages", "negating")


def find_foreign_need(text: str) -> Cue | None:
    """What a German or Spanish sentence asks of somebody, or tells was chosen; None for what is
    neither, asks a question, or binds nobody.
    """
    if text.rstrip().endswith("?"):
        return None
    words = [word.lower() for word in words_of(text)]
    if len(words) >= LEAST_WORDS and _ENGLISH.isdisjoint(words) and _is_decided(text):
        return Cue("decision", MODAL, fragment=True)
    language = _find_language(words)
    if language is None or len(words) < LEAST_WORDS or language.unbound.search(text):
        return None
    priority = next((name for name, modal in language.modals if modal.search(text)), None)
    if priority is None:
        return None
    kind = "non_functional" if has_number(text) else "functional"
    attributes = {"requirement_type": kind, "priority": priority}
    return Cue("requirement", MODAL, attributes, fragment=True)


def denies_foreign_need(text: str) -> bool:
    """Whether a German or Spanish need forbids something."""
    return _NEGATING.says(text) and find_foreign_need(text) is not None


def _is_decided(text: str) -> bool:
    """Whether a German or Spanish sentence tells what was chosen."""
    languages = (_GERMAN, _SPANISH)
    return any(it.decided.search(text) and not it.unbound.search(text) for it in languages)


def _find_language(words: list[str]) -> Language | None:
    """The language with the most function words, where these are more than the English ones."""
    english = sum(map(_ENGLISH.__contains__, words))
    counted = [(sum(map(it.words.__contains__, words)), it) for it in (_GERMAN, _SPANISH)]
    most, language = max(counted, key=lambda pair: pair[0])
    return language if most > english else None
