"""What the trained weights see of an atom: its kind, document, headings, wording and form.

None of its words: what holds for another project is in the lists of wordings and in the form, and
weights of words know the projects they were learnt from. A sign is a short text, a name with its
value, and two that tell more together are one sign too (``kind=claim wording=users``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from schemas.events.atom import DOCUMENT_STATUS, ORIGIN
from schemas.events.ledger import AtomRecord, EvidenceRow
from schemas.generality import general
from schemas.worth import readable
from streams.headings import find_role
from streams.reduce.prd.placed_atoms import (
    SectionFits,
    count_code_words,
    list_paths,
    read_headings,
    voice_of,
)
from streams.reduce.prd.subjects import (
    is_about_product,
    is_about_users,
    tells_choice,
    tells_purpose,
    tells_service,
)
from streams.reduce.texts.sections import is_excluded
from streams.reduce.texts.vocabulary import find_wordings

_TOLD = ("scope", "about", "requirement_type", "signal_type", "feature_place")
_GIVEN = ("rationale", "alternatives", "feature", "attribution")
_LENGTHS = (5, 10, 20, 32)  # words
_LINES = (6, 15, 40, 100)
_DEEPEST = 5
_MANY_CODE_WORDS = 3
_FORMS = {
    "we": re.compile(r"\b(?:we|our|us)\b", re.IGNORECASE),
    "you": re.compile(r"\b(?:you|your)\b", re.IGNORECASE),
    "I": re.compile(r"\bI\b"),
    "lower": re.compile(r"^[a-z]"),
    "backward": re.compile(
        r"^(?:it|this|that|these|those|they|he|she|here|there|also|such|but|and|or|so)\b", re.I
    ),
}
_HEADING_WORD = re.compile(r"[a-z]+")
STEM = 6
_TELLS = {
    "users": is_about_users,
    "product": is_about_product,
    "choice": tells_choice,
    "purpose": tells_purpose,
    "service": tells_service,
}


def signs_of(atom: AtomRecord, rows: Iterable[EvidenceRow], fits: SectionFits) -> set[str]:
    """The signs of an atom with its evidence; ``fits`` is what the rules say."""
    fresh = sorted((row for row in rows if not row.stale), key=lambda row: row.evidence_id)
    paths = list_paths(atom, fresh) or [[]]
    return {
        *_of_document(atom),
        *_of_headings(atom, paths),
        *_of_place(atom, fresh, paths[0]),
        *_of_wording(atom),
        *_of_form(atom),
        *_of_rules(fits),
    }


def _of_document(atom: AtomRecord) -> Iterator[str]:
    told, kind = atom.attributes, f"kind={atom.kind}"
    origin = f"origin={told.get(ORIGIN, '')}"
    yield from (kind, origin, f"{kind} {origin}", f"status={told.get(DOCUMENT_STATUS, '')}")
    yield f"{kind} area={atom.area}"
    yield f"voice={voice_of(atom):.1f}"
    for name in _TOLD:
        if name in told:
            yield f"{name}={told[name]}"
    for name in _GIVEN:
        if name in told:
            yield f"has {name}"


def _of_headings(atom: AtomRecord, paths: Sequence[Sequence[str]]) -> Iterator[str]:
    origin = atom.attributes.get(ORIGIN, "")
    for section, weight in read_headings(paths).items():
        yield f"under {section}"
        yield f"under {section} {weight}"
        yield f"kind={atom.kind} under {section}"
        yield f"origin={origin} under {section}"
    nearest = paths[0]
    below_title = nearest[1:] if len(nearest) > 1 else nearest
    for above, heading in enumerate(reversed(below_title[-2:])):
        for word in _HEADING_WORD.findall(heading.lower()):
            yield f"heading{above} {word[:STEM]}"
    for above, heading in enumerate(reversed(nearest)):
        if role := find_role(heading)[0]:
            yield f"role={role}"
            if not above:
                yield f"right under {role}"
                yield f"kind={atom.kind} right under {role}"


def _of_place(atom: AtomRecord, rows: Sequence[EvidenceRow], path: Sequence[str]) -> Iterator[str]:
    line = min((row.line_start for row in rows), default=1)
    yield f"line{_step(line, _LINES)}"
    if line <= _LINES[1]:
        yield f"early in {atom.attributes.get(ORIGIN, '')}"
    yield f"depth={min(len(path), _DEEPEST)}"


def _of_wording(atom: AtomRecord) -> Iterator[str]:
    for wording in find_wordings(atom.statement):
        yield f"wording={wording}"
        yield f"kind={atom.kind} wording={wording}"
    for name, tells in _TELLS.items():
        if tells(atom.statement):
            yield f"tells {name}"
    if is_excluded(atom):
        yield "excluded"


def _of_form(atom: AtomRecord) -> Iterator[str]:
    text = atom.statement
    yield f"words{_step(len(text.split()), _LENGTHS)}"
    yield f"code words={min(_MANY_CODE_WORDS, count_code_words(text))}"
    yield f"readable={readable(text):.1f}"
    yield f"general={general(text):.1f}"
    yield f"polarity={atom.polarity}"
    if atom.context:
        yield "in context"
    for name, form in _FORMS.items():
        if form.search(text):
            yield name


def _of_rules(fits: SectionFits) -> Iterator[str]:
    if fits.own:
        yield f"own={fits.own.section_id}"
        yield f"own fits {round(fits.own.fit * 5) / 5:.1f}"
    for fit in fits.others:
        yield f"other={fit.section_id}"
    if not fits.own and not fits.others:
        yield "fits nowhere"


def _step(value: int, steps: Sequence[int]) -> str:
    return next((f"<={step}" for step in steps if value <= step), f">{steps[-1]}")
