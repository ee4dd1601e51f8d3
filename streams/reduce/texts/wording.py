"""Statements worded from atoms, and the words and numbers of a text.

Wording adds nothing: an atom's own sentence, without markup and with an end. What is added is fixed
(``Out of scope:``, ``impact:``, ``this conflicts with:``) and asserts what the atom's fields say.
"""

from __future__ import annotations

import re

from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.artifact_sections import Citation, ReviewFinding, Statement
from schemas.events.ledger import AtomRecord
from schemas.fingerprint import norm_text
from schemas.ids import derive_id
from schemas.shortening import shorten
from streams.lexicons import Wording
from streams.reduce.texts.inputs import Pick, SectionInput
from streams.reduce.texts.means import ask_how, split_means
from streams.reduce.texts.sections import is_excluded
from streams.reflection.words import STOPWORDS

MAX_STATEMENT = 300
MAX_POSITION = 130
MAX_CONTEXT = 40  # of headings before a statement; of more only the first is told
CONFLICTS_WITH = "this conflicts with:"
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_EDGE_MARKS = re.compile(r"\(\s*\)|(?<!\w)[*_`~]+|[*_`~]+(?!\w)|^(?:[#>+-]+\s+)+")
_BRACKETS = re.compile(r"\[{2,}|\]{2,}")
_NO_GOAL = Wording("reduce", "no_goal")
_DENIES = Wording("reduce", "denies")
_ENDS = (".", "!", "?")


@bounded_cache(8 * MIB, 12)  # a text comes back at every position it stands at
def content_words(text: str) -> frozenset[str]:
    """The words that carry meaning, in lower case."""
    return frozenset(word for word in _WORD.findall(text.lower()) if word not in STOPWORDS)


def numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(text))


def all_text(atom: AtomRecord) -> str:
    """Everything an atom says, for comparing a statement with it."""
    parts = [atom.title, atom.body, atom.impact or "", *atom.attributes.values()]
    return "\n".join(part for part in parts if part)


@bounded_cache(4 * MIB, 4)
def plain(text: str) -> str:
    """``text`` in one line without markup, and without anything that looks like a citation mark."""
    bare = _BRACKETS.sub(
        lambda marks: marks.group()[0], _EDGE_MARKS.sub("", " ".join(text.split()))
    )
    return " ".join(bare.split())


def sentence(text: str) -> str:
    """``text`` with an end; an ellipsis is one."""
    bare = text.rstrip(" ,;:")
    return bare if bare.endswith((*_ENDS, "…")) else f"{bare}."


def position(atom: AtomRecord, *, in_context: bool = True) -> str:
    """What the atom says, in one sentence without its end; of the project's own README without the
    project's name, which begins its context.
    """
    title = plain(_render(atom, in_context=in_context))
    body = plain(atom.body)
    defined = atom.kind == "entity" and len(body.split()) >= 4
    shortened = title.endswith("…") and len(body) > len(title)
    return (body if defined or shortened else title).rstrip(" .,;:")


def _render(atom: AtomRecord, *, in_context: bool) -> str:
    of_project = atom.attributes.get("origin") == "readme"
    if atom.statement == atom.title or (in_context and not of_project):
        return _shorten_context(atom)
    if in_context and of_project and ", " in atom.context:
        return atom.title.partition(", ")[2]
    first = atom.statement.split(" ", 1)[0]
    ordinary = first.isalpha() and first.islower()
    return atom.statement[:1].upper() + atom.statement[1:] if ordinary else atom.statement


def _shorten_context(atom: AtomRecord) -> str:
    """The title; of a long way through headings only where it begins."""
    if len(atom.context) <= MAX_CONTEXT or atom.statement == atom.title:
        return atom.title
    first, _, rest = atom.context.partition(", ")
    if not any(sign.isalpha() for sign in first):  # «2021, Spring - Interviews»
        first = f"{first}, {rest.partition(', ')[0]}"
    return f"{first}: {atom.statement}"


def section_text(section_id: str, atom: AtomRecord) -> str:
    """The statement an atom makes in a section."""
    said = position(atom)
    if not said:
        return ""
    if section_id == "solutions" and atom.kind == "action_item":
        order = plain(atom.statement)
        return sentence(said) if split_means(order) else ask_how(order)
    if section_id == "scope":
        return sentence(_label_scope(atom, said))
    if atom.kind == "risk":
        return sentence(_with(said, "impact", plain(atom.impact or "")))
    if atom.kind == "decision":
        return sentence(_with(said, "rationale", plain(atom.attributes.get("rationale", ""))))
    return sentence(shorten(said, MAX_STATEMENT - 1))


def _label_scope(atom: AtomRecord, text: str) -> str:
    """An item of a list of what is in or out with that word before it; a sentence that denies
    something itself as it is, or it would be denied twice.
    """
    if not is_excluded(atom) and atom.attributes.get("scope") != "in":
        return shorten(text, MAX_STATEMENT - 1)
    bare = plain(atom.statement).rstrip(" .,;:")
    item = _NO_GOAL.sub(lambda mark: mark["first"].upper(), bare)
    label = "Out of scope" if is_excluded(atom) else "In scope"
    if is_excluded(atom) and _DENIES.says(item):
        return shorten(text, MAX_STATEMENT - 1)
    return f"{label}: {shorten(item[:1].upper() + item[1:], MAX_STATEMENT - 20)}"


def _with(text: str, label: str, more: str) -> str:
    """``text`` and its impact or rationale, when that is something new and there is room."""
    more = more.rstrip(" .,;:")
    both = f"{text} — {label}: {more}"
    if not more or norm_text(more) in norm_text(text) or len(both) >= MAX_STATEMENT:
        return shorten(text, MAX_STATEMENT - 1)
    return both


def pair_text(first: AtomRecord, second: AtomRecord) -> str:
    """Both positions of a contradiction, neither preferred."""
    one, other = shorten(position(first), MAX_POSITION), shorten(position(second), MAX_POSITION)
    return sentence(f"{one}; {CONFLICTS_WITH} {other}") if one and other else ""


def statement_of(artifact_id: str, section_id: str, pick: Pick) -> Statement | None:
    """The statement a pick makes; None when nothing readable is left of its text."""
    lead = pick.lead
    text = pair_text(lead, pick.atoms[1]) if pick.paired else section_text(section_id, lead)
    if not text or not content_words(text):
        return None
    atom_ids = sorted(atom.atom_id for atom in pick.atoms)
    return Statement(
        statement_id=derive_id("stm", artifact_id, section_id, *atom_ids),
        text=text,
        citations=[
            Citation(atom_id=atom.atom_id, atom_revision=atom.revision) for atom in pick.atoms
        ],
        provisional=all(atom.status == "draft" for atom in pick.atoms),
        confidence=max(atom.confidence for atom in pick.atoms),
        contradiction_ids=sorted(
            contradiction.contradiction_id for contradiction in pick.contradictions
        ),
    )


def write_section(
    artifact_id: str, section: SectionInput, findings: list[ReviewFinding]
) -> list[Statement]:
    """The section's statements by rule; what the validator objected to is left out."""
    refused = {finding.statement_id for finding in findings if not finding.warning}
    written = [statement_of(artifact_id, section.section_id, pick) for pick in section.picks]
    return [one for one in written if one and one.statement_id not in refused]
