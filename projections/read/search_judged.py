"""Who comes first among the candidates of a question: the order by words, mended.

What is superseded comes last, and code comes after prose unless the question names an identifier.
The first candidates are then read by a model, if there is one, which says how well each answers: in
pieces of about 1,000 characters with title and headings in front, since a place alone often does
not say what it speaks of. The opening of the README is read with them: «what is this for?» has no
word to look for. Without a model, or without its answer in time, the order by words stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from projections.read.search_passages import PassageText
from projections.read.session import Conn, rows
from schemas.source_kinds import source_type_of

Judge = Callable[[str, Sequence[str]], list[float] | None]
"""A question and texts → how well each answers, the higher the better; None: nobody can say."""

JUDGED = 10  # pieces at once
OF_DOCUMENT = 3  # of the first ones
DOCUMENTS = 2  # that are looked around in
CHUNKS_AROUND = 12
OPENINGS = 2  # pieces of the README
LOOKED_AT = 60  # of the first passages, for pieces and standing
PIECE = 1_000  # characters
CODE = frozenset({"code", "entry_point", "config", "manifest"})
OVER = ("superseded", "rejected")
# `maxRetries`, `max_retries`, `retry()`, `Retry.max`, `src/retry`, a word in backticks.
_IDENTIFIER = re.compile(
    r"`[^`]+`|\b[a-z]+[a-z0-9]*[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\w_\w|\w\(\)|\w::\w|\b\w+\.[a-z]{1,4}\b(?!\.\w)"
)

# What a document says of itself is an attribute of its atoms.
OVER_SOURCES = """
    SELECT DISTINCT e.source_id FROM ledger_evidence e JOIN ledger_atoms a USING (atom_id)
    WHERE e.source_id = ANY(%s) AND NOT e.stale
        AND a.attributes->>'document_status' = ANY(%s)
"""
BESIDE = """
    SELECT passage_id, source_id, sanitized_hash, chunk_id, path, title, structure_path, char_start,
        char_end, line_start, line_end, text
    FROM passages WHERE chunk_id = ANY(%s) AND NOT obsolete ORDER BY chunk_id, char_start
"""
AROUND = """
    SELECT chunk_id FROM passages WHERE source_id = %s AND sanitized_hash = %s AND NOT obsolete
    GROUP BY chunk_id ORDER BY min(abs(char_start - %s)), chunk_id LIMIT %s
"""


OPENING = """
    SELECT p.chunk_id FROM passages p JOIN sources s USING (source_id)
    WHERE s.project_id = %s AND s.path ~* '^readme([.][a-z]+)?$' AND NOT p.obsolete
    GROUP BY p.chunk_id ORDER BY min(p.char_start), p.chunk_id LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Piece:
    """Neighbouring passages of one chunk as one text."""

    passages: tuple[PassageText, ...]

    @property
    def source_id(self) -> str:
        return self.passages[0].source_id

    @property
    def text(self) -> str:
        first = self.passages[0]
        heading = " › ".join(dict.fromkeys([first.title, *first.structure_path]))
        return "\n".join([heading, *(each.text for each in self.passages)])


def names_identifier(question: str) -> bool:
    """Whether a question asks about a name that stands in code."""
    return bool(_IDENTIFIER.search(question))


def put_last(
    connection: Conn, question: str, texts: Mapping[str, PassageText]
) -> Callable[[PassageText], int]:
    """How far behind a passage stands: 0 in front, 1 code, 2 superseded."""
    source_ids = sorted({each.source_id for each in texts.values()})
    over = {row["source_id"] for row in rows(connection, OVER_SOURCES, source_ids, [*OVER])}
    about_code = names_identifier(question)

    def place(passage: PassageText) -> int:
        if passage.source_id in over:
            return 2
        return int(not about_code and source_type_of(passage.path) in CODE)

    return place


def judge_passages(
    connection: Conn, project_id: str, question: str, order: Sequence[PassageText], judge: Judge
) -> list[tuple[float, Piece]] | None:
    """The first pieces and what stands around the best of them, best first.

    A document that speaks of the question often answers it where it repeats none of its words.
    """
    first = _first_pieces(_pieces_of(connection, {each.chunk_id for each in order}), order)
    first += [piece for piece in _read_opening(connection, project_id) if piece not in first]
    scores = judge(question, [piece.text for piece in first])
    if not scores:
        return None
    judged = _sorted(scores, first)
    around = _pieces_around(connection, [piece for _, piece in judged])
    more = judge(question, [piece.text for piece in around])
    if more is None:
        return judged
    return _sorted([*scores, *more], [*first, *around])


def _sorted(scores: Sequence[float], pieces: Sequence[Piece]) -> list[tuple[float, Piece]]:
    return sorted(zip(scores, pieces, strict=True), key=lambda each: -each[0])


def _first_pieces(pieces: Sequence[Piece], order: Sequence[PassageText]) -> list[Piece]:
    """The first by the words of their passages, not all of one document."""
    holding = {each.passage_id: piece for piece in pieces for each in piece.passages}
    chosen: dict[str, Piece] = {}
    of_source: Counter[str] = Counter()
    for passage in order:
        piece = holding.get(passage.passage_id)
        if piece is None or piece.passages[0].passage_id in chosen or len(chosen) == JUDGED:
            continue
        if of_source[piece.source_id] < OF_DOCUMENT:
            of_source[piece.source_id] += 1
            chosen[piece.passages[0].passage_id] = piece
    return list(chosen.values())


def _read_opening(connection: Conn, project_id: str) -> list[Piece]:
    """How the README of the project begins."""
    chunks = rows(connection, OPENING, project_id, OPENINGS)
    pieces = _pieces_of(connection, {row["chunk_id"] for row in chunks})
    return sorted(pieces, key=lambda piece: piece.passages[0].char_start)[:OPENINGS]


def _pieces_around(connection: Conn, judged: Sequence[Piece]) -> list[Piece]:
    """What else stands in the best documents, the nearest first."""
    read = {each.passage_id for piece in judged for each in piece.passages}
    pieces: list[Piece] = []
    best: dict[str, Piece] = {}
    for piece in judged:
        best.setdefault(piece.source_id, piece)
    for piece in list(best.values())[:DOCUMENTS]:
        here = piece.passages[0]
        near = (here.source_id, here.sanitized_hash, here.char_start, CHUNKS_AROUND)
        chunks = [row["chunk_id"] for row in rows(connection, AROUND, *near)]
        others = [
            each
            for each in _pieces_of(connection, chunks)
            if each.passages[0].passage_id not in read
        ]
        others.sort(key=lambda each: abs(each.passages[0].char_start - here.char_start))
        pieces += others[: JUDGED // DOCUMENTS]
    return pieces


def _pieces_of(connection: Conn, chunk_ids: Iterable[str]) -> list[Piece]:
    """The passages of these chunks, neighbours together up to the length of a piece."""
    groups: list[list[PassageText]] = []
    size = 0
    for row in rows(connection, BESIDE, sorted(chunk_ids)):
        passage = PassageText.model_validate(row)
        if (
            groups
            and groups[-1][0].chunk_id == passage.chunk_id
            and size + len(passage.text) <= PIECE
        ):
            groups[-1].append(passage)
            size += len(passage.text)
        else:
            groups.append([passage])
            size = len(passage.text)
    return [Piece(tuple(group)) for group in groups]
