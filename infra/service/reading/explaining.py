"""What became of every sentence of a document, and why: from its text to the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from projections.log_reader import facts_at
from projections.read import projects
from projections.read.outcomes import (
    ChunkPlace,
    QuotedPlace,
    SourceText,
    list_chunks,
    list_quoted,
    read_source,
)
from projections.read.session import Conn
from schemas.events.hygiene import ChunkCreated

if TYPE_CHECKING:
    from agents.offline.outcomes import Outcome

WAITING, LEFT_OUT = "waiting", "left out"


@dataclass(frozen=True, slots=True)
class ExplainedSentence:
    """One sentence. ``result``: atom, merged, refused, left out or waiting.

    ``about`` is the id of the atom or of the refused candidate; ``because`` says why it is none.
    """

    line_start: int
    line_end: int
    text: str
    result: str
    because: str = ""
    about: str = ""
    kind: str = ""
    title: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A source with its sentences; none where nothing of it was read, which ``because`` tells."""

    path: str
    root: str
    because: str
    sentences: tuple[ExplainedSentence, ...]


@dataclass(frozen=True, slots=True)
class _Document:
    source: SourceText
    chunks: Sequence[ChunkPlace]
    quoted: Sequence[QuotedPlace]


async def explain_source(
    settings: Settings, project: str, path: str, line: int | None = None
) -> Explanation:
    """The sentences of a source, or those at one line, each with what became of it.

    ``path`` is that of the source, or ``root:path``. Raises NotFound, Conflict, Invalid for a line
    that the text does not have, DatabaseUnavailable, BrokerUnavailable.
    """

    def question(tables: Conn) -> _Document:
        source = read_source(tables, projects.find_project(tables, project), path)
        return _Document(source, list_chunks(tables, source), list_quoted(tables, source))

    document = await ask(settings, question)
    source = document.source
    count = source.text.count("\n") + 1
    if line is not None and source.text and not 1 <= line <= count:
        raise Invalid(f"{source.path} has {count} lines: there is no line {line}.")
    chunks = await _read_chunks(settings, document.chunks)
    sentences = _explain(document, chunks)
    wanted = tuple(it for it in sentences if line is None or it.line_start <= line <= it.line_end)
    because = f"{source.reason}: {source.detail}" if source.detail else source.reason or ""
    return Explanation(source.path, source.root, because, wanted)


async def _read_chunks(
    settings: Settings, places: Sequence[ChunkPlace]
) -> list[tuple[ChunkPlace, ChunkCreated | None]]:
    facts = await facts_at(settings, [it.place for it in places if it.place])
    found: list[tuple[ChunkPlace, ChunkCreated | None]] = []
    for it in places:
        fact = facts.get(it.place) if it.place else None
        event = fact.event if fact else None
        found.append((it, event if isinstance(event, ChunkCreated) else None))
    return found


def _explain(
    document: _Document, chunks: Sequence[tuple[ChunkPlace, ChunkCreated | None]]
) -> Iterator[ExplainedSentence]:
    from agents.offline.outcomes import (
        outcomes_of,
    )  # a second of processor time for a server that starts

    text = document.source.text
    for place, chunk in chunks:
        outcomes = outcomes_of(chunk) if chunk else []
        for outcome in outcomes:
            start, end = place.char_start + outcome.start, place.char_start + outcome.end
            yield _explain_sentence(text, start, end, outcome, place, document.quoted)


def _explain_sentence(
    text: str,
    start: int,
    end: int,
    outcome: Outcome,
    place: ChunkPlace,
    quoted: Sequence[QuotedPlace],
) -> ExplainedSentence:
    """By the ledger where it quotes the sentence, else by the reader."""
    lines = text.count("\n", 0, start) + 1, text.count("\n", 0, max(start, end - 1)) + 1
    said = " ".join(text[start:end].split())
    held = [it for it in quoted if it.char_start < end and start < it.char_end]
    if held:
        best = max(held, key=lambda it: _share(it, start, end))
        return ExplainedSentence(
            *lines,
            said,
            best.result,
            best.because,
            best.about,
            best.kind,
            best.title,
            best.status,
        )
    if place.state in ("pending", "scheduled"):
        return ExplainedSentence(*lines, said, WAITING, "its chunk is not read yet")
    from agents.offline.outcomes import PROPOSED

    if outcome.why == PROPOSED:
        return ExplainedSentence(
            *lines, said, LEFT_OUT, "proposed, but no atom took it as its evidence"
        )
    return ExplainedSentence(*lines, said, LEFT_OUT, place.skip_reason or outcome.why)


def _share(quoted: QuotedPlace, start: int, end: int) -> tuple[bool, int]:
    """Atoms before refusals, then what quotes more of the sentence and less around it."""
    common = min(end, quoted.char_end) - max(start, quoted.char_start)
    return quoted.result != "refused", 2 * common - (quoted.char_end - quoted.char_start)
