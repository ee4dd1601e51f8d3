"""How the parts of what the tools answer read as lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol

from infra.mcp.pages import Entry, Rendered
from infra.mcp.results import (
    ArtifactListed,
    AtomResult,
    Changed,
    Cited,
    Claimed,
    Contradicting,
    Covered,
    Detail,
    Found,
    SearchResult,
    Stated,
    Traced,
)
from infra.mcp.text import cut
from projections.read.artifact_list import ArtifactDetail, ArtifactSummary
from projections.read.atom_detail import AtomDetail
from projections.read.changes import (
    ChangedAtom,
    Changes,
    ContradictionSummary,
    DecisionSummary,
    WrittenVersion,
)
from projections.read.contradictions import ContradictionCard
from projections.read.coverage import Coverage
from projections.read.lineage import TraceNode
from projections.read.search import Answer
from schemas.answering import NO_ANSWER, NOT_ANSWERED

TITLE, BODY, QUOTE, PATH, WORD = 60, 90, 50, 40, 24  # tokens
QUOTES, ATOMS, LOG = 2, 6, 2  # of one item
SENTENCES = 2
FACTS = (
    *("title", "text", "snippet", "kind", "status", "confidence", "artifact_type", "version"),
    *("artifact_state", "section_id", "path", "line_start", "line_end", "root", "revision_ref"),
    *("evidence_type", "stale", "speaker", "stated_at", "lane", "engine", "model", "trigger"),
)


class Quoted(Protocol):
    @property
    def path(self) -> str | None: ...
    @property
    def line_start(self) -> int: ...
    @property
    def line_end(self) -> int: ...
    @property
    def snippet(self) -> str: ...


def head_of_search(answer: Answer) -> tuple[str, SearchResult]:
    """How good the ground is, and the sentence that says it best."""
    line = f"coverage: {answer.coverage}"
    if answer.coverage in NO_ANSWER:
        return f"{line}\n{NOT_ANSWERED}", SearchResult(coverage=answer.coverage, hits=[])
    sentences = _cite(answer.sentences[:SENTENCES])
    lines = [line, *([*["says it best:"], *_quote(sentences)] if sentences else [])]
    result = SearchResult(coverage=answer.coverage, sentences=sentences or None, hits=[])
    return "\n".join(lines), result


def show_hits(answer: Answer) -> Iterator[Entry]:
    for hit in answer.hits:
        known = hit.atom_id or hit.passage_id or ""
        title, quotes = cut(hit.title, TITLE), _cite(hit.evidence)
        body = cut(hit.body, BODY)
        said = (title, *(each.quote for each in quotes))
        found = Found(
            id=known,
            kind=hit.kind,
            status=hit.status,
            confidence=_round(hit.confidence),
            title=title,
            text=body if _is_new(body, *said) else None,
            quotes=quotes,
            contradictions=hit.open_contradictions[:ATOMS] or None,
        )
        yield Entry(_lines_of(found), found)


def _lines_of(found: Found) -> str:
    lines = [f"[{found.kind} {found.status} {found.confidence:.2f}] {found.title} ({found.id})"]
    if found.text:
        lines.append(f"  {found.text}")
    if found.contradictions:
        lines.append(f"  contradicted: {', '.join(found.contradictions)}")
    return "\n".join([*lines, *_quote(found.quotes)])


def head_of_atom(atom: AtomDetail) -> tuple[str, AtomResult]:
    title, body = cut(atom.title, TITLE), cut(atom.body, BODY * 2)
    text = body if _is_new(body, title) else None
    by = cut(atom.verified_by, WORD) if atom.verified_by else None
    result = AtomResult(
        id=atom.atom_id,
        kind=atom.kind,
        status=atom.status,
        confidence=_round(atom.confidence),
        area=atom.area,
        title=title,
        text=text,
        verified_by=by,
        details=[],
    )
    verified = f", verified by {by}" if by else ""
    line = f"[{atom.kind} {atom.status} {atom.confidence:.2f}, {atom.area}{verified}] {title}"
    line += f" ({atom.atom_id})"
    return (f"{line}\n{text}" if text else line), result


def show_details(atom: AtomDetail) -> Iterator[Entry]:
    """Evidence, then links, then how it changed, the newest change first."""
    for quote in atom.evidence:
        stale = "stale " if quote.stale else ""
        yield _detail(
            "evidence", quote.evidence_id, cut(quote.snippet, QUOTE * 2), stale + _place(quote)
        )
    for link in atom.links:
        text = f"{link.link_type} {cut(link.other_title, TITLE)}"
        yield _detail("link", link.other_atom_id, text)
    for change in reversed(atom.history):
        done = ", ".join(change.operations) or change.reason
        text = (
            f"{change.recorded_at:%Y-%m-%d %H:%M} {done}: {change.status} {change.confidence:.2f}"
        )
        yield _detail("change", f"seq {change.ledger_seq}", cut(text, QUOTE))


def _detail(what: str, known_id: str, text: str, at: str | None = None) -> Entry:
    said = f'{at} "{text}"' if at else text
    return Entry(f"{what} {said} ({known_id})", Detail(what=what, id=known_id, text=text, at=at))


def show_tree(node: TraceNode, depth: int = 0) -> Iterator[Entry]:
    """A node and what it rests on, depth first."""
    facts = {
        name: _plain(node.facts[name])
        for name in FACTS
        if node.facts.get(name) not in (None, "", [], {}, False)
        and (node.what, name) != ("chunk", "text")  # its evidence quotes what matters
    }
    log = [f"{each.topic}/{each.partition}@{each.offset}" for each in node.events[-LOG:]]
    traced = Traced(depth=depth, what=node.what, id=node.id, facts=facts, log=log or None)
    told = " ".join(f"{name}={value}" for name, value in facts.items())
    line = "  " * min(depth, 8) + f"{node.what} {node.id} {told}"
    yield Entry(f"{line} [{', '.join(log)}]" if log else line, traced)
    for child in node.children:
        yield from show_tree(child, depth + 1)


def show_contradictions(cards: Sequence[ContradictionCard]) -> Iterator[Entry]:
    for card in cards:
        decided = " ".join(
            each for each in (card.resolution_kind, card.rationale, card.decided_by) if each
        )
        affects = [f"{each.artifact_type} {each.number}" for each in card.affected_artifacts]
        a, b = (
            Claimed(
                id=side.atom_id,
                title=cut(side.title, TITLE),
                confidence=_round(side.confidence),
                quotes=_cite(side.evidence),
            )
            for side in (card.a, card.b)
        )
        told = Contradicting(
            id=card.contradiction_id,
            severity=card.severity,
            status=card.status,
            why=cut(card.explanation, TITLE),
            a=a,
            b=b,
            affects=affects[:ATOMS] or None,
            decided=cut(decided, TITLE) if decided else None,
        )
        lines = [f"[{told.severity} {told.status}] {told.why} ({told.id})"]
        for side in (a, b):
            lines.append(f"  {side.title} ({side.id}, {side.confidence:.2f})")
            lines += _quote(side.quotes)
        if told.affects:
            lines.append(f"  affects {', '.join(told.affects)}")
        if told.decided:
            lines.append(f"  decided: {told.decided}")
        yield Entry("\n".join(lines), told)


def show_artifacts(artifacts: Sequence[ArtifactSummary]) -> Iterator[Entry]:
    for each in artifacts:
        listed = list_artifact(each)
        yield Entry(line_of_artifact(listed), listed)


def list_artifact(artifact: ArtifactSummary) -> ArtifactListed:
    return ArtifactListed(
        id=artifact.artifact_id,
        type=artifact.artifact_type,
        number=artifact.number,
        title=cut(artifact.title, TITLE),
        state=artifact.artifact_state,
        version=artifact.version,
    )


def line_of_artifact(listed: ArtifactListed) -> str:
    named = f"{listed.type} {listed.number}".strip()
    return f"{named}: {listed.title} [{listed.state}, version {listed.version}] ({listed.id})"


def show_statements(artifact: ArtifactDetail) -> Iterator[Entry]:
    """The statements of its sections; what is missing in a section stands there, too."""
    for section in artifact.sections:
        name = cut(section.title, WORD)
        if section.gap:
            yield _stated(name, f"(missing) {cut(section.gap, BODY)}", [], [])
        for one in section.statements:
            places = list(dict.fromkeys(place for each in one.citations for place in each.places))
            yield _stated(
                name,
                cut(one.text, BODY * 2),
                [each.atom_id for each in one.citations],
                [cut(place, PATH) for place in places[:QUOTES]],
            )


def _stated(section: str, text: str, atoms: list[str], at: list[str]) -> Entry:
    shown = Stated(section=section, text=text, atoms=atoms[:ATOMS], at=at)
    cited = ", ".join([*shown.at, *shown.atoms])
    return Entry(f"{section}: {text}" + (f" [{cited}]" if cited else ""), shown)


def show_coverage(found: Coverage) -> Iterator[Entry]:
    """Areas, then tiers; those without a chunk left out."""
    for area in found.areas:
        atoms = area.active_atoms + area.draft_atoms
        if area.total or atoms:
            yield _covered(area.area, area, atoms)
    for tier in found.tiers:
        if tier.total:
            yield _covered(f"tier {tier.tier}", tier)


class Counted(Protocol):
    @property
    def total(self) -> int: ...
    @property
    def extracted(self) -> int: ...
    @property
    def pending(self) -> int: ...
    @property
    def skipped(self) -> dict[str, int]: ...


def _covered(name: str, counts: Counted, atoms: int | None = None) -> Entry:
    row = Covered(
        name=name,
        total=counts.total,
        read=counts.extracted,
        pending=counts.pending,
        skipped=sum(counts.skipped.values()),
        atoms=atoms,
    )
    line = f"{name}: {row.read} of {row.total} chunks read, {row.pending} pending"
    line += f", {row.skipped} skipped" if row.skipped else ""
    return Entry(line if atoms is None else f"{line}, {atoms} atoms", row)


def show_changes(found: Changes) -> Rendered:
    """In the order of their pages: what was decided and disputed first, then atoms by the change
    set that left them, then what was written of them.
    """
    shown: list[Callable[[], Entry]] = [partial(_decided, each) for each in found.decided]
    shown += [partial(_disputed, each) for each in found.contradictions]
    groups = (("added", found.added), ("removed", found.removed), ("changed", found.changed))
    moved = [(atom, what) for what, atoms in groups for atom in atoms]
    moved.sort(key=lambda each: (each[0].ledger_seq, each[0].atom_id))
    shown += [partial(_moved, what, atom) for atom, what in moved]
    shown += [partial(_written, each) for each in found.written]
    return Rendered(shown)


def _decided(decided: DecisionSummary) -> Entry:
    return _changed("decided", decided.ledger_seq, decided.target_id, decided.summary)


def _disputed(dispute: ContradictionSummary) -> Entry:
    sides = f"{cut(dispute.title_a, TITLE)} / {cut(dispute.title_b, TITLE)}"
    text = f"{dispute.status} {dispute.severity}: {sides}"
    return _changed("contradiction", dispute.updated_seq, dispute.contradiction_id, text)


def _moved(what: str, atom: ChangedAtom) -> Entry:
    fields = f" ({', '.join(atom.fields)})" if atom.fields else ""
    why = f" ({atom.why})" if atom.why else ""
    text = f"{atom.kind} {atom.status}: {cut(atom.title, TITLE)}{fields}{why}"
    return _changed(what, atom.ledger_seq, atom.atom_id, text, _cite(atom.citations[:1]))


def _written(written: WrittenVersion) -> Entry:
    named = f"{written.artifact_type} {written.number or ''} {written.title or ''}"
    text = f"{named} version {written.version}"
    return _changed("written", written.input_ledger_seq, written.artifact_id, text)


def _changed(
    what: str, seq: int, known_id: str, text: str, quotes: list[Cited] | None = None
) -> Entry:
    shown = Changed(what=what, seq=seq, id=known_id, text=cut(text, BODY * 2), quotes=quotes)
    line = f"{what} @{seq} {shown.text} ({known_id})"
    return Entry("\n".join([line, *_quote(quotes or [])]), shown)


def _cite(quotes: Sequence[Quoted]) -> list[Cited]:
    return [Cited(at=_place(each), quote=cut(each.snippet, QUOTE)) for each in quotes[:QUOTES]]


def _quote(quotes: Sequence[Cited]) -> list[str]:
    return [f'  {each.at} "{each.quote}"' for each in quotes]


def _place(quote: Quoted) -> str:
    last = f"-{quote.line_end}" if quote.line_end > quote.line_start else ""
    return f"{cut(quote.path or 'removed source', PATH)}:{quote.line_start}{last}"


def _plain(value: Any) -> Any:
    match value:
        case float():
            return _round(value)
        case bool() | int():
            return value
        case _:
            return cut(value, TITLE)


def _is_new(text: str, *said: str) -> bool:
    """Whether ``text`` tells more than what stands beside it."""
    return not any(text.rstrip(".").lower() in each.lower() for each in said)


def _round(confidence: float) -> float:
    return round(confidence, 2)
