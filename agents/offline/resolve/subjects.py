"""Naming what a statement is about, when its own words do not.

«Increases complexity» under *Negative* of a record speaks of what the record proposes; «Length must
be of size 20» speaks of what its section describes. Their titles begin with that name. Only words
of the author are put in front; nothing is made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from agents.offline.lexicons import Wording, load_words
from agents.offline.recognise.cues import is_story
from agents.offline.recognise.fragments import has_verb
from agents.offline.resolve.places import Place
from agents.offline.segment.sections import bare_name, version_in
from agents.offline.segment.wording import capitalise, lower_first
from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.atom import MAX_TITLE, AtomKind

_LABELLED = re.compile(r"[^:]{1,60}:\s")
_ACTS = Wording("subjects", "acts")
_BEFORE_VERB = Wording("subjects", "before_verb")
_SUBORDINATE = Wording("subjects", "subordinate")
_POINTS_AROUND = Wording("subjects", "points_around")
_BARE_NEED = Wording("subjects", "bare_needs")
_GENERIC = Wording("subjects", "generic_parts")
_THIS_WHOLE = Wording("subjects", "this_whole")
_ACTORS = Wording("subjects", "actors")
_PREDICATE = Wording("subjects", "predicates")
_PART = Wording("subjects", "parts")
_NO_NAMES = load_words("subjects", "no_names")
_OF_WHAT = Wording("subjects", "of_what")
_TWO_NAMES = Wording("subjects", "two_names")
_OPENERS = frozenset(word.lower() for word in _NO_NAMES)
_IDENTIFIER = re.compile(r"[a-z][\w.\-/]*")  # in code: it names a part, of what its heading says
_CODE_NAME = re.compile(r"[a-z]+(?:[-_.][a-z\d]+)+")  # «ai-cache», which «cached» does not say
_GIVEN = re.compile(r"[A-Z][A-Z\d_-]+(?= )")  # by a user: «**FROM** is the base domain»
_NOBODY = Wording("subjects", "nobody")
_MOST_SCOPE = 130  # characters in front of a title
_SMALL = frozenset({"the", "and", "for", "with", "from", "into", "via"})
MENTIONED = 0.7  # of the words of a name of three and more
_BETWEEN = 4  # words that may stand between those of a name
_WHOSE = Wording("subjects", "whose")
_ANY_ONE = re.compile(r"(?:each|every|all|any|no) (?!of\b)", re.IGNORECASE)
_EXCLUDED = re.compile(r"Not a goal\b")
_NO_SUBJECT = Wording("fragments", "headed_verbs")
_ARTICLE = re.compile(r"(?:the|an?|all|each|every|any) ", re.IGNORECASE)
_PARTS_OF_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_WORDS = re.compile(r"[a-z]+")
_SHORT_NAME = re.compile(r"(?=\w*\d|\w+[A-Z])\w{1,4}")  # «S3», «QoS»
_ADDRESS = re.compile(r"\S*\w\.[a-z]\S+|[^\s/]*/\S*[/-]\S+")  # a file, an image
_SHORT = 8  # words of a question that can hardly name its subject
_STEM = 5


class Scope(NamedTuple):
    """What stands before a title; an ``aside`` where the same is true elsewhere."""

    said: str = ""
    aside: bool = False


NOWHERE_SAID = Scope()


def name_subject(text: str, subject: str, kind: AtomKind, *, names: bool) -> str:
    """``text`` with its subject in front where it has none of its own; else as it is.

    ``names``: it holds a name already.
    """
    name = bare_name(subject)
    is_said = _stems(name) <= _stems(text) and not (kind == "risk" and _ACTS.match(text))
    if not name or is_labelled(text) or is_said:
        return text
    if not _is_bare(text, kind, names=names):
        return text
    return f"{capitalise(name)}: {lower_first(text)}"


def version_of(headings: Sequence[str]) -> str:
    """The innermost version that a heading names alone: what stands under it is true of that."""
    return next(filter(None, map(version_in, reversed(headings))), "")


def scope_of(text: str, kind: AtomKind, place: Place, names: Sequence[str], around: str) -> Scope:
    """What document and section are about, to stand before ``text`` where it mentions neither.

    ``around`` is the text in which a capital inside a sentence tells a name. «The filter stores
    what upstream returns» is a fact of the filter that its heading names; what a record decides and
    demands is one of what it is about, even of a name. What a question asks, or is said of people
    whose part in the document is not known, is told with the document alone. What is said elsewhere
    of a name is told with where it stands, but is the same fact wherever that is.
    """
    if is_story(text) and not (place.of_project or _is_mentioned(place.whole, text)):
        return Scope(capitalise(place.whole), aside=True)
    if _EXCLUDED.match(text) or (_NOBODY.match(text) and not place.recorded):
        return NOWHERE_SAID
    if _NOBODY.match(text):
        return Scope("" if _is_mentioned(place.whole, text) else capitalise(place.whole))
    words = place.whole.split()
    of_whole = _opens_with(text, (" ".join(words[at:]) for at in range(len(words))))
    of_part = _opens_with(text, (place.part,))
    asked = kind == "unknown" or is_labelled(text)
    recorded = place.recorded and kind in ("decision", "requirement")
    scope = of_whole or of_part
    if not asked and (recorded or (not scope and is_unnamed(text, names, around))):
        return Scope(_place_said(text, place))
    if asked or _WHOSE.match(text):
        return Scope("" if _is_mentioned(place.whole, text) else capitalise(place.whole))
    if of_part:  # neither the section nor what is over it needs to be told
        place = place._replace(part="", over="", label="")
    aside = "" if of_whole or place.of_project else _place_said(text, place)
    return Scope(aside if len(aside) + len(text) + 2 <= MAX_TITLE else "", aside=True)


def _place_said(text: str, place: Place) -> str:
    """The names of document, section and item that ``text`` does not mention, the widest first."""
    whole, part, label = place.whole, place.part, bare_name(place.label)
    over = place.over if not _stems(place.over) & _stems(f"{part} {label}") else ""
    names = [it for it in (whole, over, part) if it and not _is_mentioned(it, text)]
    if label and not (
        label in text.split() or (not label.islower() and _is_mentioned(label, text))
    ):
        names.append(label)
    names = [it for at, it in enumerate(names) if not _stems(it) <= _stems(" ".join(names[:at]))]
    if len(", ".join(names)) > _MOST_SCOPE:
        names = [it for it in names if it != over]
    while len(", ".join(names)) > _MOST_SCOPE and len(names) > 1:
        names.pop(1 if len(names) > 2 or names[1] != label else 0)
    return capitalise(", ".join(names)) if names else ""


def of_whole(place: Place) -> str:
    """« of » and what the document is about, where that has a name."""
    name = place.whole or bare_name(place.name)
    return f" of «{name}»" if name else ""


def is_labelled(text: str) -> bool:
    """Whether it begins with a label and a colon."""
    return _LABELLED.match(text) is not None


def _opens_with(text: str, names: Iterable[str]) -> bool:
    """Whether one of ``names`` is its subject."""
    return any(
        name[:1].isupper() and not name.endswith("s") and text.startswith(f"{name} ")
        for name in names
    )


def _opens_with_name(text: str, around: str) -> bool:
    """Whether its first word has a capital for being a name: the next one has, too, or it has one
    inside a sentence, or is the whole subject, in the singular, not all in capitals, and nowhere
    without one.
    """
    first, _, rest = text.partition(" ")
    word = first.strip("\"',").removesuffix("'s").removesuffix("’s")
    if not word[:1].isupper() or word in _NO_NAMES:
        return False
    if opens_with_name(text) or any(_is_small(around, at) for at in _places(around, word)):
        return True
    if word.endswith("s") or word.isupper() or not _PREDICATE.match(rest):
        return False
    return not any(_is_small(around, at) for at in _places(around, word.lower()))


def _places(text: str, word: str) -> Iterator[int]:
    """Where ``word``, alone or with an s, follows a blank: the offsets of the blanks."""
    at = text.find(f" {word}")
    while at >= 0:
        end = at + 1 + len(word)
        if not text[end : end + 2].removeprefix("s")[:1].isalnum():
            yield at
        at = text.find(f" {word}", end)


def _is_small(text: str, at: int) -> bool:
    """Whether the word before the blank at ``at`` is an ordinary one inside a sentence."""
    start = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at)) + 1
    before = text[start:at].rstrip(",")
    return before.isalpha() and before.islower()


def opens_with_name(text: str) -> bool:
    """Whether its first two words have capitals, and the first is no order: «Cloud Controller»."""
    return _TWO_NAMES.match(text) is not None and not _NO_SUBJECT.match(text)


def opens_plainly(text: str) -> bool:
    """Whether its first word is one that no name begins with: «The», «Each»."""
    return text.split(" ", 1)[0].lower() in _OPENERS


def shares_subject(text: str, other: str) -> bool:
    """Whether what stands before the verb in ``text``, without what that is of, has a word of
    ``other``.
    """
    head = _OF_WHAT.split(_subject(text), 1)[0]
    return not _roots(head).isdisjoint(_roots(other))


def _subject(text: str) -> str:
    """What stands before the verb, or the first words where none is seen."""
    verb = _PREDICATE.search(text, 1)
    return text[: verb.start()].strip() if verb else " ".join(text.split()[:4])


def _roots(text: str) -> frozenset[str]:
    """Its words' beginnings without an s, those that say nothing aside."""
    words = (word.lower() for word in _PARTS_OF_NAME.findall(text) if len(word) > 2)
    return frozenset(
        word.rstrip("s")[:_STEM] for word in words if word not in _SMALL and word not in _OPENERS
    )


def is_unnamed(text: str, names: Sequence[str], around: str) -> bool:
    """Whether the subject, what stands before the verb, is no name of its own; an order and what
    begins with its verb have none.
    """
    if _NO_SUBJECT.match(text) or _ANY_ONE.match(text):
        return True
    if _opens_with_name(text, around):
        return False
    subject = _subject(text)
    if _ACTORS.fullmatch(_ARTICLE.sub("", subject)):
        return False
    first = _GIVEN.match(text)
    given = first.group() if first else ""
    proper = [it for it in names if it in subject and not _IDENTIFIER.fullmatch(it)]
    return _PART.says(subject) or set(proper) <= {given}


def _is_mentioned(name: str, text: str) -> bool:
    """Whether ``text`` says ``name``: one plain word itself, of others the beginnings, of long
    names most. What is written as one word («HealthTrait») is said where its parts follow one
    another.
    """
    if name.isalpha() and name[1:].islower():
        return name.lower().rstrip("s") in (
            word.rstrip("s") for word in _WORDS.findall(text.lower())
        )
    if _CODE_NAME.fullmatch(name):
        return name in text.lower()
    words = [stems for word in name.split() if word not in _SMALL and (stems := _spoken(word))]
    if len(words) > 2:  # an address is called after much that is not spoken of
        text = _ADDRESS.sub(" ", text)
    spoken = _spoken(text)
    places = sorted(
        (at, which)
        for which, stems in enumerate(words)
        for at in range(len(spoken) - len(stems) + 1)
        if spoken[at : at + len(stems)] == stems
    )
    least = MENTIONED * len(words) if len(words) > 2 else len(words)
    wide = sum(map(len, words)) + _BETWEEN
    return any(
        len({which for other, which in places[first:] if other - at < wide}) >= least
        for first, (at, _) in enumerate(places)
    )


@bounded_cache(MIB, 15)  # several names are looked for in one statement
def _spoken(text: str) -> tuple[str, ...]:
    """The beginnings of its words, those inside compounds too; of short names («S3») themselves."""
    return tuple(stem for word in text.split() for stem in (_parts(word) or _bare(word)))


def _bare(word: str) -> list[str]:
    word = word.strip(".,:;()'\"")
    return [word.lower()] if _SHORT_NAME.fullmatch(word) else []


def _parts(text: str) -> list[str]:
    """The beginnings of its words, those inside compounds too; small ones aside."""
    return [word.lower()[:_STEM] for word in _PARTS_OF_NAME.findall(text) if len(word) > 2]


def _stems(text: str) -> frozenset[str]:
    return frozenset(_parts(text))


def is_of_whole(text: str, part: str, whole: str) -> bool:
    """Whether ``text`` speaks of «the plugin» that the document ``whole``, not its ``part``, is
    about; of «this plugin» where neither the part is called one nor the document tells of several.
    """
    generic = _GENERIC.match(text)
    if generic is not None and generic.group("whole") is not None:
        return True
    this = _THIS_WHOLE.match(text)
    if this is None:
        return False
    what = this.group("what").lower()
    return what not in part.lower() and f"{what}s" not in whole.lower()


def _is_bare(text: str, kind: AtomKind, *, names: bool) -> bool:
    """Whether nothing in ``text`` says what it is about."""
    match kind:
        case "risk":
            if _BEFORE_VERB.match(text):
                return True
            head = _SUBORDINATE.split(text, 1)[0]
            return bool(head) and not has_verb(head)
        case "unknown":
            short = not names and len(text.split()) <= _SHORT
            return short or _POINTS_AROUND.says(text[:90])
        case "claim" | "decision":
            return _GENERIC.match(text) is not None
        case "requirement":
            if _GENERIC.match(text):
                return True
            need = None if names else _BARE_NEED.match(text)
            return need is not None and not _ACTORS.fullmatch(need.group("noun") or "")
        case _:
            return False
