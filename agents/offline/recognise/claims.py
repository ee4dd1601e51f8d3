"""What makes a declarative sentence a claim: a subject of its own and a predicate that says
something.

The widest kind, so the strictest test: a reader takes a claim for a fact about the project.
"""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording, load_words, read_lexicons
from agents.offline.recognise.cues import ANCHORED, MODAL, WEAK, Cue, has_number
from agents.offline.recognise.fragments import has_verb
from agents.offline.recognise.noise import instructs, needs_context, word_set, words_of

_NOUN = Wording("claims", "nouns")
_INNER = Wording("claims", "inner")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]+")
_OF_TYPES = load_words("claims", "of_types")
_NO_SUBJECT = Wording("claims", "no_subject")
_ANNOUNCES = Wording("claims", "announces")
_SAYS_MUCH = load_words("verbs", "says_much")
_SAYS_LESS = load_words("verbs", "says_less")
_BOUND_TO = {it.id: it.words for it in read_lexicons("verbs")["bound_to"].entries}
_WITH = {
    verb: _BOUND_TO[it.id] for it in read_lexicons("verbs")["bound"].entries for verb in it.words
}  # with what follows these
_OF_MANY = load_words("verbs", "of_many")
_ONLY_VERBS = load_words("verbs", "only_verbs")
_NOUNS_TOO = load_words("verbs", "nouns_too")
_DETERMINERS = load_words("verbs", "determiners")
_FOLLOWING = re.compile(r" ([A-Za-z]+)\b")
_FIRST = re.compile(r"([A-Za-z]+)(?:/[a-z]+)? ([A-Za-z]*)")
_FARTHEST = 80  # characters of a subject
_WORD = re.compile(r"(?<![\w`./-])[a-z]+(?![\w-])")
_IMPERATIVE = Wording("claims", "imperatives")
_HEADLESS = Wording("claims", "headless")
_ABOUT_TEXT = Wording("claims", "about_text")
_VALUE_ONLY = re.compile(r"[^.:]{1,60}: [\w.]{1,20}$")
_MADE_BEFORE = Wording("claims", "made_before")
_USAGE = re.compile(r"[a-z][\w.-]*(?: [\w.-]+){0,3} --\w")
_PRAISE = load_words("claims", "praise")
_MEASURES = Wording("claims", "measures")
_FIELD = re.compile(r"(?:The )?`?[a-z]\w*(?:_\w+|[a-z][A-Z]\w*)`?(?: field| parameter)?")
_DONE = Wording("claims", "done")
_IS = Wording("claims", "is_something")
_SUBJECT_START = Wording("claims", "subject_starts")
_BAD_SUBJECT = Wording("claims", "bad_subjects")

_EXCLUSIVE = Wording("claims", "exclusive")


def exclusive(text: str) -> bool:
    """Whether the sentence is nothing but a named subject, an exclusive relation and its value.

    Such a sentence is short and still says all: «Positions are stored in PostgreSQL.» Its value
    has a name, a number, or two words.
    """
    match = _EXCLUSIVE.match(text)
    if match is None or len(words_of(text)) < 3 or _BAD_SUBJECT.says(match.group("subject")):
        return False
    value = match.group("value")
    return bool(re.search(r"[A-Z0-9]", value))


def _says_its_name(subject: str, predicate: str) -> bool:
    """Whether a type is only said to be what its name says: «DepotSpec defines a Depot's state»."""
    parts = _PARTS.findall(subject)
    if " " in subject or len(parts) < 2:
        return False
    named = {part.lower() for part in parts} | _OF_TYPES
    words = {word.lower() for word in words_of(predicate)[1:] if len(word) > 3}
    return len({word for word in words if not {word, word.rstrip("s")} & named}) < 3


def is_headless(text: str) -> bool:
    """Whether it begins with what is said, and of what is not there."""
    first = _FIRST.match(text)
    if first is None:
        return False
    first_word, following = first.group(1).lower(), first.group(2).lower()
    return bool(
        _HEADLESS.match(text)
        or first_word in _ONLY_VERBS
        or (first_word in _NOUNS_TOO and following in _DETERMINERS)
    )


def _is_verb(word: re.Match[str]) -> bool:
    text = word.group()
    if text in _OF_MANY and not word.string.endswith("s ", 0, word.start()):
        return False
    if text in _SAYS_MUCH or text in _SAYS_LESS:
        return text not in _WITH or _next(word) in _WITH[text]
    return text in _ONLY_VERBS or (text in _NOUNS_TOO and _next(word) in _DETERMINERS)


def _says_much(verb: re.Match[str]) -> bool:
    text = verb.group()
    is_verb = text in _NOUNS_TOO and _next(verb) in _DETERMINERS
    return is_verb or text in _SAYS_MUCH or text in _ONLY_VERBS


def _next(word: re.Match[str]) -> str:
    """The word that follows after a space, in lower case, or nothing."""
    following = _FOLLOWING.match(word.string, word.end())
    return following.group(1).lower() if following else ""


def _is_finite(verb: re.Match[str]) -> bool:
    """Whether it is no noun («support for»), not the verb of a relative clause and no infinitive,
    or another verb before it is finite: «continues to use»."""
    before = verb.string[: verb.start()]
    if _NOUN.match(verb.string, verb.start()) or _INNER.says(before):
        return False
    return not before.endswith(" to ") or has_verb(before)


def find_predicate(text: str) -> re.Match[str] | None:
    """The verb that says something of what stands before it, of those on the lists."""
    return next(filter(_is_finite, filter(_is_verb, _WORD.finditer(text))), None)


def is_main(verb: re.Match[str]) -> bool:
    """Whether a verb stands in no clause inside the sentence."""
    return _INNER.search(verb.string[: verb.start()]) is None


def find_claim(text: str, *, named_subject: bool, named: bool) -> Cue | None:
    """A declarative sentence with a subject of its own and a predicate that says something."""
    if exclusive(text) and not needs_context(text) and not _MADE_BEFORE.match(text):
        return Cue("claim", ANCHORED)
    if text.endswith(("?", "!")) or needs_context(text) or not _SUBJECT_START.match(text):
        return None
    if _ANNOUNCES.says(text[-60:]) or _IMPERATIVE.match(text) or is_headless(text):
        return None
    if _VALUE_ONLY.match(text) or _MADE_BEFORE.match(text) or _USAGE.match(text):
        return None
    if not word_set(text).isdisjoint(_PRAISE):
        return None
    words, measured = text.split(), has_number(text)
    least = 5 if (measured and _MEASURES.says(text)) or (named and " no longer " in text) else 6
    if not least <= len(words) <= 45 or len(words_of(text)) < least - measured:
        return None
    verb = find_predicate(text)
    if verb is None or not 0 < verb.start() <= _FARTHEST:
        return None
    subject, predicate = text[: verb.start()].strip(), text[verb.start() :]
    if not 1 <= len(subject.split()) <= 9 or _BAD_SUBJECT.says(subject) or "," in subject:
        return None
    if _NO_SUBJECT.match(subject) or _says_its_name(subject, predicate):
        return None
    length = len(words_of(predicate)) + measured
    if not words_of(subject) or length < least - 2 or _ABOUT_TEXT.match(predicate):
        return None
    if instructs(text):
        return None
    strong = bool(_IS.match(predicate) or _DONE.match(predicate)) or _says_much(verb)
    if _FIELD.fullmatch(subject):
        return Cue("claim", WEAK) if strong else None
    if named_subject and strong:
        return Cue("claim", ANCHORED)
    if strong and (named or measured):
        return Cue("claim", MODAL)
    if strong or named_subject or (named and " no longer " in text):
        return Cue("claim", WEAK)
    return Cue("claim", WEAK) if measured and _MEASURES.says(predicate) else None
