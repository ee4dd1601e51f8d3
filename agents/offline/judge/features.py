"""What the model of soundness weighs of a draft: its words, its place, its subject."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import replace

from agents.offline.lexicons import Wording, list_ids, load_words, read_lexicons
from agents.offline.recognise.features import features_of
from agents.offline.recognise.noise import word_set
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.documents import Setting
from agents.offline.segment.passages import Passage
from agents.offline.segment.sections import Role, simplify
from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.hygiene import ChunkCreated

_VERB = Wording("sentences", "finite_verb")
_TELLING = sorted(load_words("features", "telling_headings"))
_OPENERS = load_words("features", "openers")
_NEXT = load_words("features", "following")
_WORD = re.compile(r"[a-z][\w-]{2,}")
_COMPOUND = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[-_./]")
_STEM = 5
OWN_SUBJECT = "@own subject"
OWN_SAID = "@own said"
UNKNOWN_ROOT = "@root unknown"  # weighs what the two weigh on average
_OWN_STEM = 6
_NOBODY_S = load_words("features", "in_many_names")
_SAYS_LITTLE = frozenset(word[:_STEM] for word in load_words("features", "says_little"))
_HEARD = {it.id: it.words for it in read_lexicons("features")["manner_words"].entries}
_MANNERS = {
    name: Wording("features", "manners", entry=name) for name in list_ids("features", "manners")
}
_STEP = 25  # characters of a statement, counted in steps
_LONGEST = 10
_AROUND = 200  # characters before and after that are looked at


def mark_place(
    draft: Draft, setting: Setting, passage: Passage, role: Role, number: int, *, led: bool
) -> Draft:
    """``draft`` with the features of the place it was read in."""
    features = [f"@role {role}", f"@form {passage.form}", f"@place {min(3, passage.place)}"]
    features += [f"@sentence {min(2, number)}"]
    features += [
        f"@{name}" for name in ("how_to", "deliberates", "own_voice") if getattr(setting, name)
    ]
    if passage.opening:
        features.append("@opening")
    if passage.lead is not None:
        features.append("@led" if led else "@announced")
    return replace(draft, place=(*features, *_heading_features(passage.headings)))


@functools.lru_cache(maxsize=256)
def _heading_features(headings: tuple[str, ...]) -> tuple[str, ...]:
    spoken = [simplify(heading) for heading in headings]
    features = [f"@depth {min(5, len(spoken))}"]
    features += [f"@under {word}" for word in _TELLING if any(word in it for it in spoken)]
    if spoken and spoken[-1]:
        features.append(f"@heading {spoken[-1].split()[0][:6]}")
    if headings and headings[-1].rstrip().endswith("?"):
        features.append("@heading ?")
    return tuple(features)


def draft_features(draft: Draft, chunk: ChunkCreated) -> set[str]:
    """What is weighed of a draft: its title's words, where it stands, and its subject."""
    start, end = draft.spans[0]
    text = chunk.text_payload
    raw = text[start:end]
    features = features_of(draft.statement)
    features.update(draft.place)
    features.update(
        (
            f"@kind {draft.kind}",
            f"@sure {draft.kind} {draft.confidence}",
            f"@suffix {chunk.path.rsplit('.', 1)[-1]}",
            f"@rows {len(draft.spans) + len(draft.frames)}",
            f"@scoped {min(2, len(draft.scope.split(', ')) if draft.scope else 0)}",
            f"@names {min(4, len(draft.entities))}",
            f"@sequel {draft.kind if draft.sequel else ''}",
            f"@chars {min(_LONGEST, len(draft.statement) // _STEP)}",
            f"@title {min(_LONGEST, len(draft.first) // _STEP)}",
            f"@code {min(3, raw.count('`') // 2)}",
            f"@links {min(2, raw.count('](') + raw.count('`_') + raw.count('<http'))}",
        )
    )
    features.update(_subject_features(draft.statement, raw, chunk, start, end))
    features.update(_own_features(draft.statement, chunk.root))
    features.update(f"@{name} {draft.kind}" for name in _manners(draft.statement))
    features.update(_near_features(text, start, end))
    return features


def _manners(statement: str) -> Iterable[str]:
    """How loosely it speaks: by examples, of «several» that it does not name, of things before."""
    heard = word_set(statement)
    for name, manner in _MANNERS.items():
        words = _HEARD.get(name)  # most statements have none of them and need no search
        if (words is None or not heard.isdisjoint(words)) and manner.search(statement):
            yield name.replace("-", " ")


def _own_features(statement: str, root: str) -> Iterable[str]:
    """Whether it speaks of the project by the name that its repository has."""
    own = _own_names(root)
    if not own:
        yield UNKNOWN_ROOT
        return
    low = statement.lower()
    verb = _VERB.search(low, len(low.split(" ", 1)[0]))
    if own & _names_of(low[: verb.start()] if verb else low):
        yield OWN_SUBJECT
    elif own & _names_of(low):
        yield OWN_SAID


@functools.lru_cache(maxsize=64)
def _own_names(root: str) -> frozenset[str]:
    """The beginnings of the words in ``owner/name``, those aside that many repositories have."""
    parts = re.split(r"[^a-z\d]+", root.lower())
    whole = re.sub(r"[^a-z\d]", "", root.lower().rpartition("/")[2])
    return frozenset(
        it[:_OWN_STEM] for it in (*parts, whole) if len(it) > 2 and it not in _NOBODY_S
    )


def _names_of(low: str) -> frozenset[str]:
    """The beginnings of its words, of compounds those of their parts, too."""
    words = re.findall(r"[a-z][\w-]+", low)
    parts = (part for word in words for part in re.split(r"[-_]", word))
    return frozenset(
        it[:_OWN_STEM] for it in (*parts, *(word.replace("-", "") for word in words)) if len(it) > 2
    )


def _subject_features(
    title: str, raw: str, chunk: ChunkCreated, start: int, end: int
) -> Iterable[str]:
    """What stands before the verb, and whether the place knows it."""
    low = title.lower()
    first = low.split(" ", 1)[0].strip('",:')
    verb = _VERB.search(low, len(first))
    subject = low[: verb.start()].strip() if verb else low
    words = subject.split()
    yield from _news_features(title[: len(subject)], title[len(subject) :], chunk)
    yield f"@opens {first if first in _OPENERS else 'other'}"
    yield f"@subject {min(6, len(words))}"
    named = bool(re.search(r"[A-Z]", title[1 : len(subject)])) or title[1:2].isupper()
    code = "`" in raw[: len(subject) + 12]
    yield "@subject " + ("code" if code else "name" if named else "bare")
    stems = {word[:_STEM] for word in _WORD.findall(subject)} - {"the", "all", "each", "every"}
    headings = _stems(" ".join(map(simplify, chunk.structure_path)))
    path = _stems(chunk.path.lower().replace("_", " "))
    if stems:
        yield "@known in heading" if stems & headings else "@unknown in heading"
        if stems & path:
            yield "@known in path"
        if stems <= headings | path:
            yield "@all known"
        if named and not stems & (headings | path):
            yield "@foreign name"
    words_of_subject = re.findall(r"[a-z][\w-]{3,}", subject)
    text = chunk.text_payload.lower()
    earlier = text.count(words_of_subject[-1][:6], 0, start) if words_of_subject else 0
    if words_of_subject:
        yield f"@said before {min(3, earlier)}"
        yield f"@said after {min(3, text.count(words_of_subject[-1][:6], end))}"
    if first == "the" and not named and not code:
        yield f"@the {min(3, len(words) - 1)}"
        if not stems & headings:
            yield "@the unknown"
        if words_of_subject:
            yield "@the said" if earlier else "@the new"


def _news_features(subject: str, text: str, chunk: ChunkCreated) -> Iterable[str]:
    """How much is told of the subject that its own name and its headings do not say already."""
    named = _part_stems(subject) | _part_stems(" ".join(chunk.structure_path))
    stems = _part_stems(text) - _SAYS_LITTLE
    yield f"@news {min(7, len(stems - named))}"
    yield f"@again {min(3, len(stems & named))}"


@bounded_cache(2 * MIB, 20)
def _part_stems(text: str) -> frozenset[str]:
    """The same of what compounds are made of."""
    return _stems(_COMPOUND.sub(" ", text).lower())


@bounded_cache(2 * MIB, 20)  # of a document's path and headings, again and again
def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in _WORD.findall(text))


def _near_features(text: str, start: int, end: int) -> Iterable[str]:
    before, after = text[max(0, start - _AROUND) : start].rstrip(), text[end : end + _AROUND]
    if before.endswith((":", "```")):
        yield f"@after {before[-1]}"
    following = _WORD.search(after.lower())
    if not after.strip():
        yield "@last"
    elif after.lstrip().startswith("```"):
        yield "@before `"
    elif following and following.group() in _NEXT:
        yield f"@before {following.group()}"
