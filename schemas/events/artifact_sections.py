"""The sections of artifacts: statements with their citations, and what the validator objects to."""

from __future__ import annotations

from typing import Literal

from schemas.envelope import Part

SectionState = Literal[
    "pending", "generating", "generated", "invalidated", "edited", "insufficient_evidence"
]


class Citation(Part):
    atom_id: str
    atom_revision: int


class Statement(Part):
    """One sentence or item with the atoms it rests on.

    ``provisional`` when all of them are drafts; ``contradiction_ids`` are the open contradictions
    of the cited atoms; the text names them, or they are among the open questions. A line of a plan
    or report may rest on artifacts, too: ``artifact_ids``. ``written_by`` is the person whose words
    these are, None for what was written from atoms; ``backed_by`` are those of the cited atoms that
    were read out of a person's words, by id.
    """

    statement_id: str
    text: str
    citations: list[Citation]
    provisional: bool = False
    confidence: float
    contradiction_ids: list[str] = []
    artifact_ids: list[str] = []
    written_by: str | None = None
    backed_by: list[str] = []


class Suggestion(Part):
    """What a section that a person has edited would say with the lines that are new, and with the
    person's own lines where they stand.
    """

    statements: list[Statement]
    gap: str = ""
    input_hash: str


class Section(Part):
    """One section. Of an ``edited`` one, ``edited_by`` says who wrote in it: the lines of people
    are not overwritten, and lines that would be added are its ``suggestion`` until somebody answers
    that. ``removed_atom_ids`` are the atoms of lines that a person has taken out or declined.

    ``engine`` says who worded it: ``heuristic`` are rules, ``model`` is the model named beside it.
    """

    section_id: str
    title: str
    state: SectionState
    statements: list[Statement] = []
    gap: str = ""
    content_hash: str
    input_hash: str
    edited_by: str | None = None
    suggestion: Suggestion | None = None
    removed_atom_ids: list[str] = []
    engine: str = "heuristic"
    model: str | None = None
    prompt_version: str | None = None


class ReviewFinding(Part):
    """Something the citation validator objects to."""

    code: str
    section_id: str
    statement_id: str
    detail: str = ""
    warning: bool = False
