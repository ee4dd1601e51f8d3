"""A model's answer as candidates: titles within their limits, spans cut here, order kept.

Nothing is judged here: what is weak or wrong falls by the rules of reflection, with its reason.
"""

from __future__ import annotations

from agents.extraction.anchors import MOST_SENTENCES, Anchors, Cut
from agents.extraction.answer import CLOSED_VALUES, EXTRA_FIELDS, ReadAtom
from agents.extraction.prompt import PROMPT_VERSION, Prepared
from agents.extraction.sentences import find_serial, is_list_of_facts
from agents.offline.judge.origins import describe_standing
from agents.offline.talk.drafts import is_talk, remarks_of, speaker_at
from schemas.events.atom import BEYOND_LIMIT, MAX_BODY, MAX_TAGS, Candidate, CandidateRow
from schemas.events.hygiene import ChunkCreated
from schemas.ids import derive_id
from schemas.talk import RemarkSpan

MAX_MODEL_TITLE = 160
MOST_ROWS = 4
MOST_ENTITIES = 12
MAX_FIELD = 600


def make_candidates(
    chunk: ChunkCreated, prepared: Prepared, run_id: str, atoms: list[ReadAtom], most: int
) -> list[Candidate]:
    """The atoms of the answer as candidates, in its order; those after ``most`` are marked."""
    most_sentences = 1 if is_list_of_facts(chunk) else MOST_SENTENCES
    anchors = Anchors(chunk.text_payload, prepared.sentences, most_sentences)
    remarks = remarks_of(chunk) if is_talk(chunk.source_type) else []
    return [
        _candidate(chunk, run_id, ordinal, atom, _rows(chunk, atom, anchors, remarks), most)
        for ordinal, atom in enumerate(atoms)
    ]


def _candidate(
    chunk: ChunkCreated,
    run_id: str,
    ordinal: int,
    atom: ReadAtom,
    rows: list[CandidateRow],
    most: int,
) -> Candidate:
    at = rows[0].char_start - chunk.anchor_start if rows else 0
    mark = {BEYOND_LIMIT: "true"} if ordinal >= most else {}
    title = _shorten(atom.title, MAX_MODEL_TITLE)
    return Candidate(
        candidate_id=derive_id("cnd", chunk.chunk_id, run_id, PROMPT_VERSION, ordinal),
        kind=atom.kind,
        title=title,
        body=_shorten(atom.body, MAX_BODY),
        polarity=atom.polarity,
        severity=atom.severity if atom.kind == "risk" else None,
        impact=_shorten(atom.impact or "", MAX_FIELD) or None if atom.kind == "risk" else None,
        tags=_distinct(atom.tags, MAX_TAGS),
        area=atom.area,
        confidence=min(1.0, max(0.0, atom.confidence)),
        attributes=_attributes(atom) | describe_standing(chunk, title, at) | mark,
        entities=_distinct(atom.entities, MOST_ENTITIES),
        evidence=rows,
    )


def _attributes(atom: ReadAtom) -> dict[str, str]:
    """The extra fields of the atom's kind; several values of one are joined by line feeds."""
    fields: dict[str, list[str]] = {}
    for extra in atom.attributes:
        value = _shorten(extra.value, MAX_FIELD)
        closed = CLOSED_VALUES.get(extra.name)
        is_extra = extra.name in EXTRA_FIELDS.get(atom.kind, ())
        if is_extra and value and (closed is None or value in closed):
            fields.setdefault(extra.name, []).append(value)
    return {name: values[0] if name in CLOSED_VALUES else "\n".join(values)
            for name, values in fields.items()}  # fmt: skip


def _rows(
    chunk: ChunkCreated, atom: ReadAtom, anchors: Anchors, remarks: list[RemarkSpan]
) -> list[CandidateRow]:
    rows: list[CandidateRow] = []
    for quote in atom.evidence[:MOST_ROWS]:
        cut = anchors.cut(quote.sentences, quote.anchor, is_name=atom.kind == "entity")
        if cut is not None and (row := _row(chunk, cut, remarks)) not in rows:
            rows.append(row)
    return rows


def _row(chunk: ChunkCreated, cut: Cut, remarks: list[RemarkSpan]) -> CandidateRow:
    text, (start, end) = chunk.text_payload, cut.span
    remark = speaker_at(remarks, start)
    return CandidateRow(
        char_start=chunk.anchor_start + start,
        char_end=chunk.anchor_start + end,
        line_start=chunk.line_start + text.count("\n", 0, start),
        line_end=chunk.line_start + text.count("\n", 0, max(start, end - 1)),
        snippet=text[start:end],
        evidence_type=cut.evidence_type,
        speaker=remark.speaker if remark else None,
        speaker_role=remark.role if remark else None,
        said_at=remark.at if remark else None,
        serial=find_serial(chunk, start),
    )


def _shorten(text: str, most: int) -> str:
    """``text`` on one line, cut at a word where it is too long."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[: most - 1].rsplit(" ", 1)[0]
    return f"{cut or line[: most - 1]}…"


def _distinct(names: list[str], most: int) -> list[str]:
    """The names without blanks around them, each once whatever its case, at most ``most``."""
    kept: dict[str, str] = {}
    for name in names:
        if line := " ".join(name.split()):
            kept.setdefault(line.casefold(), line)
    return list(kept.values())[:most]
