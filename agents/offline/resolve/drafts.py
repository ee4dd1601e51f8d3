"""From a recognised sentence to a draft of an atom: wording, evidence spans, kind's own fields."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agents.offline.lexicons import Wording
from agents.offline.recognise import cues
from agents.offline.recognise.cues import EXPLICIT, LIKELY, Cue
from agents.offline.recognise.entities import names_in
from agents.offline.recognise.fragments import has_verb, is_order, is_whole, stands_alone
from agents.offline.recognise.impact import burden_of, impact_of, severity_of
from agents.offline.recognise.needs import requirement_attributes
from agents.offline.recognise.noise import words_of
from agents.offline.resolve.places import Place
from agents.offline.resolve.subjects import (
    is_labelled,
    name_subject,
    of_whole,
    opens_plainly,
    opens_with_name,
    scope_of,
    version_of,
)
from agents.offline.segment.passages import Sentence, Span
from agents.offline.segment.wording import (
    body_of,
    capitalise,
    drop_connective,
    lower_first,
    title_of,
)
from schemas.areas import AREAS, Area, area_counts, main_area
from schemas.events.atom import CONTEXT, MAX_TITLE, WITHIN, AtomKind, AtomSeverity, Polarity

NOWHERE = Place()
THIN = "@thin"  # the feature of what says hardly more than the name of what it stands beside
MAX_TAGS = 6
MAX_LABEL = 60
MAX_NAME_WORDS = 3  # of what «this extension» stands for; a longer name tells what it is itself
_REASON = Wording("subjects", "reasons")
_AREA_OF_KIND: dict[str, Area] = {
    "decision": "architecture_decisions",
    "domain_signal": "user_needs",
    "action_item": "delivery",
}
_SCOPED = frozenset(
    {"claim", "decision", "requirement", "risk", "domain_signal", "action_item", "unknown"}
)
_PRONOUN = Wording("subjects", "pronouns")
_STANDS_FOR = Wording("subjects", "stands_for")
_EXPLETIVE = Wording("subjects", "expletives")
_NO_NAME = Wording("subjects", "no_headed_names")
_PRESENT = re.compile(r"currently, ", re.IGNORECASE)
_DUE = re.compile(
    r"\bby (\d{4}-\d\d-\d\d|(?:mon|tues|wednes|thurs|fri)day|end of \w+|Q[1-4])", re.I
)
_OWNER = re.compile(
    r"^@?([A-Z]{2,3}|@?[A-Z][a-z]+|@[\w-]+)(?: will| to|:| -)\s+(?=\w)|\(([\w.-]{2,20})\)"
)

_LEAD_WITH_OBJECT = re.compile(r"\b(?:be|have|support|provide)$", re.IGNORECASE)
_THIRD_PERSON = re.compile(r"[A-Z]?[a-z]{2,}(?<![ius])s")


@dataclass(frozen=True, slots=True)
class Draft:
    """An atom before it has an id; spans are local, the first is the statement itself.

    ``answers`` is the title of the question, of the same chunk, that it answers; ``place`` are the
    features of where it was read (``soundness.py``). ``scope`` was put before its title, with a
    colon or a comma, as an ``aside`` where the same is true elsewhere; ``sequel`` is the sentence
    told after it, ``prior`` the one before. ``frames`` are spans that it stands under, which are
    cited with it and confirm nothing. ``instead`` is what its wording makes of a claim that turns
    out to be unsure. ``serial`` is its number in a list of facts of which the newer counts.
    """

    kind: AtomKind
    title: str
    body: str
    confidence: float
    spans: tuple[Span, ...]
    area: Area
    polarity: Polarity | None = None
    severity: AtomSeverity | None = None
    impact: str | None = None
    tags: tuple[str, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)
    entities: tuple[str, ...] = ()
    answers: str = ""
    place: tuple[str, ...] = ()
    scope: str = ""
    sequel: str = ""
    aside: bool = False
    prior: str = ""
    frames: tuple[Span, ...] = ()
    instead: Draft | None = None
    serial: int | None = None

    @property
    def first(self) -> str:
        """The title without its sequel."""
        return self.title.removesuffix(f". {self.sequel}") if self.sequel else self.title

    @property
    def own_title(self) -> str:
        """The title without scope and sequel, as its author said it."""
        return capitalise(self.first[len(self.scope) + 2 :]) if self.scope else self.first

    @property
    def statement(self) -> str:
        """The sentence that it was made of."""
        return self.own_title[len(self.prior) + 2 :] if self.prior else self.own_title


def retitle(draft: Draft, title: str) -> Draft:
    """``draft`` with another title before its sequel, which is left out where both are too long."""
    if not draft.sequel or len(title) + len(draft.sequel) + 2 > MAX_TITLE:
        return replace(draft, title=title, sequel="")
    return replace(draft, title=f"{title}. {draft.sequel}")


def add_scope(scope: str, text: str, *, aside: bool = False) -> str:
    """``text`` as a title, with its scope in front where it has one; of two labels the first ends
    in a comma. Where that is an ``aside``, ``text`` may open with a name of one word.
    """
    if not scope:
        return title_of(text)
    named = (aside or opens_with_name(text)) and not opens_plainly(text)
    body = text if named else lower_first(text)
    return title_of(f"{scope}, {text}" if is_labelled(text) else f"{scope}: {body}")


def context_of(draft: Draft) -> dict[str, str]:
    """The attribute that tells what of a title is its scope."""
    return {WITHIN if draft.aside else CONTEXT: draft.scope} if draft.scope else {}


def is_of_present(text: str) -> bool:
    """Whether it begins by saying that it is so for now."""
    return _PRESENT.match(text) is not None


def _as_of_now(text: str, sentence: str) -> str:
    """``text`` with the «Currently, » that its sentence began with: a record may change it."""
    now = _PRESENT.match(sentence)
    if not text or now is None or _PRESENT.match(text):
        return text
    first = sentence[now.end()]
    return f"Currently, {first if first.lower() == text[0].lower() else text[0]}{text[1:]}"


def gives_reason(text: str) -> bool:
    """Whether it says why what stands right before it is so."""
    return _REASON.match(text) is not None and not text.endswith((":", "?"))


def _attributes(cue: Cue, text: str, reason: str) -> dict[str, str]:
    given = dict(cue.attributes)
    if cue.kind == "requirement":
        given |= {k: v for k, v in requirement_attributes(text).items() if k not in given}
    elif cue.kind == "decision" and reason:
        given["rationale"] = reason
    elif cue.kind == "unknown":
        given["question"] = text
    elif cue.kind == "domain_signal":
        given.setdefault("category", main_area(text, "user_needs"))
    elif cue.kind == "action_item":
        if due := _DUE.search(text):
            given["due_hint"] = due.group(1)
        if owner := _OWNER.match(text):
            given["owner_hint"] = (owner.group(1) or owner.group(2)).lstrip("@")
    return given


def tags_of(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Areas whose words occur, strongest first, then names; from the atom's own text alone.

    Tags are part of an atom's fingerprint: were headings to enter, the same statement in two
    documents would be two atoms.
    """
    counts = area_counts(text)
    ranked = sorted(counts, key=lambda area: (-counts[area], AREAS.index(area)))
    tags = [area.replace("_", "-") for area in ranked[:3]]
    tags += [name.lower() for name in names if name.lower() not in tags]
    return tuple(tags[:MAX_TAGS])


def make_readable(sentence: str, subject: str) -> str:
    """``sentence`` so that it can be read alone; nothing where that cannot be done.

    ``subject`` stands for «it» in front of the verb, with its noun for «this extension»: what is
    called Jetty may be somebody else's.
    """
    text = _drop_label(drop_connective(sentence))
    if not subject or not _PRONOUN.match(text):
        return capitalise(text)
    if _EXPLETIVE.match(text):
        return capitalise(text)
    alone = _STANDS_FOR.match(text)
    if alone is None:
        return ""
    name = subject.rsplit(": ", 1)[-1]
    what = alone.group("what")
    if what and what.lower() not in name.lower() and len(name.split()) <= MAX_NAME_WORDS:
        name = f"The {name.removeprefix('The ')} {what}"
    return f"{capitalise(name)} {text[alone.end() :]}"


def _drop_label(text: str) -> str:
    """``text`` without a label that its sentence repeats: «Cache: The cache keeps …»."""
    label, colon, rest = text.partition(": ")
    if not colon or len(label) > MAX_LABEL:
        return text
    rest = rest.removeprefix("- ").removeprefix("– ")
    again = words_of(rest[: len(label) + 10].lower())
    return rest if set(words_of(label.lower())) <= set(again) and again else f"{label}: {rest}"


def join_lead(lead: str, item: str) -> str:
    """«The system must» and «Checks each rule» as one sentence.

    After «should be» an item that is an order cannot follow: the order stands without its lead.
    """
    if _LEAD_WITH_OBJECT.search(lead):
        return item if is_order(item) else f"{lead} {lower_first(item)}"
    first, gap, rest = item.partition(" ")
    if not has_verb(lead):  # not English: «Die Schnittstelle muss» over «Fehler melden»
        return f"{lead} {item}"
    if _THIRD_PERSON.fullmatch(first):
        item = f"{_base_form(first)}{gap}{rest}"
    return f"{lead} {lower_first(item)}"


def _base_form(verb: str) -> str:
    if verb.lower() != "caches" and re.search(r"(?:ss|x|zz|[cs]h|o)es$", verb):
        return verb[:-2]
    return f"{verb[:-3]}y" if verb.endswith("ies") else verb[:-1]


def make_draft(
    cue: Cue,
    sentence: Sentence,
    headings: Sequence[str],
    subject: str,
    lead: tuple[Span, str] | None,
    place: Place = NOWHERE,
    around: str = "",
) -> Draft | None:
    """The draft of a sentence whose kind is known; None when no statement is left of it.

    ``place`` is what document and section are about, for a title whose subject is no name in the
    text ``around``.
    """
    if place.whole and subject == place.name:
        subject = place.whole
    text = sentence.text[cue.skip :].strip()
    if lead:
        text = join_lead(lead[1], text)
    excluded = cue.attributes.get("scope") == "out"
    if _PRONOUN.match(text) and (excluded or (cue.kind == "claim" and _NO_NAME.says(subject))):
        return None
    text = make_readable(text, subject)
    if place.recorded:
        text = _as_of_now(text, sentence.text)
    if not _is_statement(cue, text):
        return None
    names = names_in(sentence.raw, text)
    text = name_subject(text, subject, cue.kind, names=bool(names))
    polarity: Polarity | None = None if cue.kind == "unknown" else cues.polarity_of(text)
    if excluded:
        polarity, text = "negate", f"Not a goal{of_whole(place)}: {lower_first(text)}"
    over = (lead[0],) if lead and lead[0] != sentence.span else ()
    severity, impact = _harm_of(text, sentence) if cue.kind == "risk" else (None, "")
    if cue.kind == "risk" and not impact:
        return None
    default = _AREA_OF_KIND.get(cue.kind, "scope")
    scope, aside = "", False
    if cue.kind in _SCOPED:
        scope, aside = scope_of(text, cue.kind, place, names, around)
        if (version := version_of(headings)) and version not in text:
            scope, aside = f"{scope}, {version}" if scope else version, False
    return Draft(
        kind=cue.kind,
        title=add_scope(scope, text, aside=aside),
        body=body_of(text, sentence.reason),
        confidence=cue.confidence,
        spans=tuple(filter(None, (sentence.span, sentence.following))),
        area=main_area(" ".join((text, *headings[-3:])), default),
        polarity=polarity,
        severity=severity,
        impact=impact or None,
        tags=tags_of(text, names),
        attributes=_attributes(cue, text, sentence.reason),
        entities=tuple(names),
        scope=scope,
        aside=aside,
        frames=over,
    )


def _is_statement(cue: Cue, text: str) -> bool:
    """Whether enough is said for what the cue takes it for."""
    labelled = cue.kind == "decision" and cue.skip
    if len(words_of(text)) < (cues.LEAST_CHOSEN if labelled else 3):
        return False
    if cue.confidence == LIKELY:
        return is_whole(text)
    structural = (
        cue.fragment or cue.confidence == EXPLICIT or cue.kind in ("action_item", "unknown")
    )
    return stands_alone(text, structural=structural)


def _harm_of(text: str, sentence: Sentence) -> tuple[AtomSeverity | None, str]:
    """How grave a risk is, and what it leads to, which may be said beside it."""
    if impact := impact_of(text):
        return severity_of(text), impact
    if burden := burden_of(text):
        return "low", burden
    reason = sentence.reason if severity_of(sentence.reason) else sentence.near
    return severity_of(reason), impact_of(reason)
