"""The citation validator: what may not be published, and why.

It knows nothing of who wrote: rules, a model or a person. It is handed the text, the atoms as they
were when it was written (``Grounds``) and the lane.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from schemas.events.artifact_sections import ReviewFinding, Section, Statement
from schemas.events.ledger import LIVE, AtomRecord, ContradictionRecord
from streams.reduce.texts.inputs import Grounds
from streams.reduce.texts.wording import all_text, content_words, numbers

MIN_OVERLAP = 0.20
MIN_NAMED = 0.5  # share of a position's words that a statement must hold to name it
OPEN_QUESTIONS = "open_questions"
_MARK = re.compile(r"\[\[(atm_[0-9a-f]+)\]\]")
_ARTIFACT_MARK = re.compile(r"\[art:(art_[0-9a-f]+)\]")
Lane = Literal["preview", "deep"]
Objection = tuple[str, str]


def validate(
    sections: Iterable[Section],
    grounds: Grounds,
    lane: Lane,
    reincluded: frozenset[str] = frozenset(),
) -> list[ReviewFinding]:
    """All objections to ``sections``, in their order; warnings among them do not forbid publishing.

    ``reincluded`` are atoms that may be cited although they are not live.
    """
    return [
        ReviewFinding(
            code=code,
            section_id=section.section_id,
            statement_id=statement.statement_id,
            detail=detail,
            warning=code == "weak_support" and lane == "preview",
        )
        for section in sections
        for statement in section.statements
        for code, detail in _objections(section.section_id, statement, grounds, reincluded)
    ]


def errors(findings: Iterable[ReviewFinding]) -> list[ReviewFinding]:
    return [finding for finding in findings if not finding.warning]


def _objections(
    section_id: str, statement: Statement, grounds: Grounds, reincluded: frozenset[str]
) -> list[Objection]:
    if not (statement.citations or statement.artifact_ids) or not statement.text.strip():
        return [("uncited_assertion", statement.text[:80])]
    objections = _find_unknown(statement.artifact_ids, grounds)
    cited: list[AtomRecord] = []
    for citation in statement.citations:
        atom = grounds.atoms.get(citation.atom_id)
        if atom is None:
            objections.append(("unknown_atom", citation.atom_id))
            continue
        cited.append(atom)
        if atom.status not in LIVE and atom.atom_id not in reincluded:
            objections.append(("not_live_atom", atom.atom_id))
        if atom.ledger != "pkl":
            objections.append(("restricted_atom", atom.atom_id))
        if atom.revision != citation.atom_revision:
            objections.append(("stale_citation", f"{atom.atom_id} {citation.atom_revision}"))
    documents = [grounds.artifacts.get(artifact_id, "") for artifact_id in statement.artifact_ids]
    if cited or documents:
        objections += _find_unsupported(statement.text, cited, documents)
    return objections + _find_ignored(section_id, statement, grounds)


def _find_unknown(artifact_ids: Iterable[str], grounds: Grounds) -> list[Objection]:
    return [
        ("unknown_artifact", artifact_id)
        for artifact_id in artifact_ids
        if artifact_id not in grounds.artifacts
    ]


def _find_unsupported(
    text: str, cited: Sequence[AtomRecord], documents: Sequence[str] = ()
) -> list[Objection]:
    """Whether words and numbers of ``text`` come from the cited atoms and artifacts."""
    source = "\n".join([*(all_text(atom) for atom in cited), *documents])
    words = content_words(text)
    shared = len(words & content_words(source))
    objections: list[Objection] = []
    if shared < MIN_OVERLAP * len(words) or not shared:
        objections.append(("weak_support", f"{shared} of {len(words)} words"))
    if invented := sorted(numbers(text) - numbers(source)):
        objections.append(("unsupported_number", ", ".join(invented)))
    return objections


def _find_ignored(section_id: str, statement: Statement, grounds: Grounds) -> list[Objection]:
    """Open contradictions that the statement passes over."""
    cited = {citation.atom_id for citation in statement.citations}
    return [
        ("contradiction_ignored", contradiction.contradiction_id)
        for contradiction in grounds.contradictions_of(sorted(cited))
        if contradiction.contradiction_id not in statement.contradiction_ids
        or not (
            section_id == OPEN_QUESTIONS
            or _names_both(statement.text, cited, contradiction, grounds)
        )
    ]


def _names_both(
    text: str, cited: set[str], contradiction_record: ContradictionRecord, grounds: Grounds
) -> bool:
    sides = (contradiction_record.atom_a_id, contradiction_record.atom_b_id)
    return cited.issuperset(sides) and all(_names(text, grounds.atoms.get(side)) for side in sides)


def _names(text: str, atom: AtomRecord | None) -> bool:
    if atom is None:
        return False
    words = content_words(text)
    says = [content_words(part) for part in (atom.title, atom.body)]
    return any(len(part & words) >= MIN_NAMED * len(part) for part in says if part)


def validate_markdown(
    markdown: str,
    grounds: Grounds,
    lane: Lane,
    *,
    notes: frozenset[str] = frozenset(),
    reincluded: frozenset[str] = frozenset(),
) -> list[ReviewFinding]:
    """The same checks on text with ``[[atm_…]]`` marks and, in plans and reports, ``[art:art_…]``,
    line by line; ids are line numbers.

    Headings and list lead-ins that end with a colon need no mark; ``notes`` are whole lines that
    assert nothing, such as what a section lacks. A mark names no revision, so none can be stale. An
    open contradiction counts as reflected when the line cites and names both sides, or stands under
    the heading ``Open questions``.
    """
    review_findings: list[ReviewFinding] = []
    heading = ""
    for number, line in enumerate(markdown.splitlines(), 1):
        bare = line.strip()
        heading = bare.strip("# ").lower() if bare.startswith("#") else heading
        marks, artifacts = _MARK.findall(bare), _ARTIFACT_MARK.findall(bare)
        needs_none = bare.startswith("#") or bare.endswith(":") or bare in notes
        if not bare or (needs_none and not marks and not artifacts):
            continue
        review_findings += [
            ReviewFinding(
                code=code,
                section_id="",
                statement_id=str(number),
                detail=detail,
                warning=code == "weak_support" and lane == "preview",
            )
            for code, detail in _line_objections(
                bare, marks, artifacts, grounds, reincluded, questions=heading == "open questions"
            )
        ]
    return review_findings


def _line_objections(
    line: str,
    marks: list[str],
    artifacts: list[str],
    grounds: Grounds,
    reincluded: frozenset[str],
    *,
    questions: bool,
) -> list[Objection]:
    if not marks and not artifacts:
        return [("uncited_assertion", line[:80])]
    text = _ARTIFACT_MARK.sub("", _MARK.sub("", line))
    objections = _find_unknown(artifacts, grounds)
    objections += [("unknown_atom", atom_id) for atom_id in marks if atom_id not in grounds.atoms]
    cited = [grounds.atoms[atom_id] for atom_id in marks if atom_id in grounds.atoms]
    for atom in cited:
        if atom.status not in LIVE and atom.atom_id not in reincluded:
            objections.append(("not_live_atom", atom.atom_id))
        if atom.ledger != "pkl":
            objections.append(("restricted_atom", atom.atom_id))
    documents = [grounds.artifacts.get(artifact, "") for artifact in artifacts]
    if cited or documents:
        objections += _find_unsupported(text, cited, documents)
    return objections + [
        ("contradiction_ignored", contradiction.contradiction_id)
        for contradiction in grounds.contradictions_of(marks)
        if not (questions or _names_both(text, set(marks), contradiction, grounds))
    ]
