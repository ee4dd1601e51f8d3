"""How likely a draft is sound: true to its source, clear alone, of the right kind, worth recording.

Rules see a sentence, and know no word for «this speaks of something that is not here». What a
trained sum sees beside its words is where it stands, how it is introduced and whether its subject
is known there. Decided against a rule for each cause: on projects nobody had read, what went wrong
was spread over too many. What is doubted is kept as a draft where a label or heading says what it
is; what nothing but its wording calls so is refused below ``KEPT``, documents that deliberate aside
where risks and questions would go first, true ones among them. Whole numbers, as in ``linear.py``;
made by ``tests/reading/training/soundness.py``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import replace

from agents.offline.judge.doubts import Doubt, doubt_of, is_note
from agents.offline.models.linear import load_soundness
from agents.offline.recognise.cues import EXPLICIT, MODAL, UNLIKELY, WEAK
from agents.offline.recognise.features import features_of
from agents.offline.recognise.noise import word_set
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.documents import Setting, is_record
from agents.offline.segment.passages import Passage
from agents.offline.segment.sections import Role, simplify
from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.atom import AtomKind
from schemas.events.hygiene import ChunkCreated

# From this probability on a draft keeps the confidence its cue gives it, and a claim is raised.
SOUND = 0.75
EXPECTED = 0.6  # the same where a label or heading says what it is
NOTED = 0.5  # and of questions and tasks, of which no more are good above
NEVER = 2.0  # no probability is as high
# The probability below which what nothing but its wording calls so is refused: where a document
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
_RELATES = re.compile(
    r"\b(?:uses?|runs? (?:on|in)|authenticates?|listens? on|defaults? to|depends? on|"
    r"default [\w ]{1,30} is|consists of (?:an?|one|two|three|four|five|six|\d+)|"
    r"(?:writes?|reads?|saves?|sends?) (?:[\w-]+ ){1,3}(?:to|from)|"
    r"(?:after|every|within|for|up to|at most) \d[\d.,]* ?(?:ms|seconds?|minutes?|hours?|days?|"
    r"weeks?|months?|years?|[kmg]i?b)|"
    r"(?:is|are) (?:stored|kept|deployed|hosted|written|owned|authenticated) (?:in|on|by|with))\b",
    re.IGNORECASE,
)  # what excludes another value: refused, it would hide what conflicts with it
TERSE = 12  # words of what only says so
KEPT_LOOSE = 0.45  # of these, where no heading is over anything, and of tasks noted in code
JUDGED = frozenset(  # of the rest too few were read
    {"action_item", "claim", "decision", "requirement", "risk", "unknown"}
)
SHORTEST = 5  # words; of shorter ones, and of answers, too few were read
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|may|might|must|shall|should|will|would|does|do|"
    r"did|needs?|cannot|[a-z]{3,}s|[a-z]{3,}ed)\b"
)
_TELLING = """
    alternative appendix background compar consequence context current decision deprecat design
    example future goal implementation introduction migrat motivation note option overview proposal
    rationale related requirement result roadmap security specification step story summary test user
    """.split()  # noqa: SIM905  # as a list it would take thirty lines
OF_PATH = (
    frozenset(  # what a document's name says; refused by them, a file that moves would tell less
        {"@all known", "@deliberates", "@foreign name", "@how_to", "@known in path", "@own_voice"}
    )
)
_OPENERS = frozenset(
    """
    the a an if when we all each every any there to in for as by on with once while since because
    no not only this that these it its users most many some another at from using
    """.split()  # noqa: SIM905  # as a list it would take fifty lines
)
_NEXT = frozenset({"this", "it", "these", "they", "for", "in", "the", "however", "that", "if"})
_WORD = re.compile(r"[a-z][\w-]{2,}")
_COMPOUND = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[-_./]")
_STEM = 5
OWN_SUBJECT, OWN_SAID = "@own subject", "@own said"
UNKNOWN_ROOT = "@root unknown"  # weighs what the two weigh on average
_OWN_STEM = 6
_NOBODY_S = frozenset(
    """
    and app apps architecture archive checkout code community data design designs doc docs
    documentation enhancements example for handbook home lib main master new old org project
    projects proposal proposals repo repository rfc rfcs source spec specs src the website work
    """.split()  # noqa: SIM905  # as a list it would take forty lines
)
_SAYS_LITTLE = frozenset(
    word[:_STEM]
    for word in """
    provide define implement contain represent describe include various several multiple different
    class interface type object instance used using use certain following one support function
    information data specific related associate given new common simple general way method and the
    are was has have can will may for with that this from into its their which also only all any
    """.split()  # noqa: SIM905  # as a list it would take fifty lines
)
_MEASURED = re.compile(
    r"(?=.*\b(?:must|shall)\b).*\b\d[\d.,]* ?(?:ms|milliseconds?|s|sec(?:ond)?s?|minutes?|hours?|"
    r"days?|weeks?|%|percent|[kmgt]i?b|bytes?|characters?|requests?|users?|times|retries|attempts|"
    r"[\w-]+(?: per |/)(?:second|minute|hour|day|s))(?!\w)",
    re.IGNORECASE,
)  # what must hold to a figure; of 35 that were judged 30 were good, one wrong
_SEVERAL = (
    r"(?:several|various|multiple|numerous|many|different|some|"
    r"(?:wide |broad |large )?(?:variety|range|set|number|couple|pair|collection|family) of)"
)
_SEVERAL_WORDS = " ".join(re.findall(r"[a-z]{3,}", _SEVERAL))
_LOOSE = {
    name: (frozenset(words.split()), re.compile(pattern, re.IGNORECASE))
    for name, words, pattern in (
        (
            "examples",
            "e such example instance",
            r"\be\.g\.|\bsuch as\b|\bfor (?:example|instance)\b",
        ),
        ("several", _SEVERAL_WORDS, rf"\b{_SEVERAL} (?:[\w-]+ ){{0,2}}\w+s\b"),
        (
            "only several",
            _SEVERAL_WORDS,
            r"^(?:[\w`'.-]+ ){1,5}(?:has|have|supports?|provides?|offers?|consists? of|uses?|"
            r"contains?|includes?|is|are|defines?|exposes?|implements?) (?:an? |the )?"
            rf"{_SEVERAL}\b|\b{_SEVERAL} (?:[\w-]+ ){{0,3}}\w+s\W*$",
        ),
        ("the ones", "the", r"^the (?:[\w-]+ )?\w+[^s]s (?:are|have|can|must|should|will|may)\b"),
        ("points", "this these those such", r"\b(?:this|these|those|such)\b(?! as\b)"),
        ("owned", "its their", r"^(?:[\w-]+ ){0,6}(?:its|their)\b"),
        ("both", "both either same other", r"\b(?:both|either|same|other)\b"),
        ("figures", "", r"\d"),
        ("only", "only", r"\bonly\b"),
        ("then", "then", r"\bthen\b"),
        ("a kind", "a an", r"^an? [\w -]{2,30} (?:is|are)\b"),
    )
}  # with the words of which each has one, as most statements need no search at all
_STEP, _LONGEST = 25, 10  # characters of a statement, counted in steps
_AROUND = 200  # characters before and after that are looked at


def judge_drafts(drafts: list[Draft], chunk: ChunkCreated) -> list[Draft]:
    """``drafts``, of which those that are hardly good are no more than a weak cue, claims of a weak
    cue that are surely good as sure as others by their wording, and what is hardly of its kind is
    too unlikely to pass reflection.
    """
    return [_judge_draft(it, chunk) for it in drafts]


def kept_from(draft: Draft, chunk: ChunkCreated, doubt: Doubt) -> float:
    """The probability below which ``draft`` is refused; 0 where it is kept in any case, ``NEVER``
    where its words say that it is none.
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


def _is_terse(said: str) -> bool:
    """Whether it is hardly more than a subject and its value in a relation that has one."""
    return len(said.split()) <= TERSE and _RELATES.search(said) is not None


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
    said = draft.told if draft.aside else draft.title
    long = len(said.split()) >= SHORTEST or is_note(draft, chunk.path)
    return draft.kind in JUDGED and long and not draft.answers


def _judge_draft(draft: Draft, chunk: ChunkCreated) -> Draft:
    doubt = doubt_of(draft, chunk)
    kept = kept_from(draft, chunk, doubt)
    if kept == NEVER:
        return replace(draft, confidence=UNLIKELY)
    least = least_of(draft, chunk, doubt)
    weighed = kept > 0.0 or 0.0 < least < NEVER
    features = draft_features(draft, chunk) if weighed else set()
    if kept and load_soundness().probability(features - OF_PATH) < kept:
        return replace(draft, confidence=UNLIKELY)
    if not least:
        return draft
    probability = load_soundness().probability(features) if least < NEVER else 0.0
    return replace(draft, confidence=max(MODAL, draft.confidence) if probability >= least else WEAK)


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
    found = features_of(draft.statement)
    found.update(draft.place)
    found.update(
        (
            f"@kind {draft.kind}",
            f"@sure {draft.kind} {draft.confidence}",
            f"@suffix {chunk.path.rsplit('.', 1)[-1]}",
            f"@rows {len(draft.spans)}",
            f"@scoped {min(2, len(draft.scope.split(', ')) if draft.scope else 0)}",
            f"@names {min(4, len(draft.entities))}",
            f"@sequel {draft.kind if draft.sequel else ''}",
            f"@chars {min(_LONGEST, len(draft.statement) // _STEP)}",
            f"@title {min(_LONGEST, len(draft.first) // _STEP)}",
            f"@code {min(3, raw.count('`') // 2)}",
            f"@links {min(2, raw.count('](') + raw.count('`_') + raw.count('<http'))}",
        )
    )
    found.update(_subject_features(draft.statement, raw, chunk, start, end))
    found.update(_own_features(draft.statement, chunk.root))
    found.update(f"@{name} {draft.kind}" for name in _manners(draft.statement))
    found.update(_near_features(text, start, end))
    return found


def _manners(statement: str) -> Iterable[str]:
    """How loosely it speaks: by examples, of «several» that it does not name, of things before."""
    heard = word_set(statement)
    for name, (words, pattern) in _LOOSE.items():
        if (not words or not heard.isdisjoint(words)) and pattern.search(statement):
            yield name


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
    found = re.findall(r"[a-z][\w-]{3,}", subject)
    text = chunk.text_payload.lower()
    earlier = text.count(found[-1][:6], 0, start) if found else 0
    if found:
        yield f"@said before {min(3, earlier)}"
        yield f"@said after {min(3, text.count(found[-1][:6], end))}"
    if first == "the" and not named and not code:
        yield f"@the {min(3, len(words) - 1)}"
        if not stems & headings:
            yield "@the unknown"
        if found:
            yield "@the said" if earlier else "@the new"


def _news_features(subject: str, told: str, chunk: ChunkCreated) -> Iterable[str]:
    """How much is told of the subject that its own name and its headings do not say already."""
    named = _part_stems(subject) | _part_stems(" ".join(chunk.structure_path))
    stems = _part_stems(told) - _SAYS_LITTLE
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
