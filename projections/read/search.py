"""Retrieval for grounding: passages of all text that was read and atoms of the ledger, as one list.

Both are ranked by words and fused by reciprocal rank: a place that both lists name comes first. A
passage that a ranked atom quotes is shown as that atom, since it says the same in fewer words and
has a standing; what no atom says is shown as it was written, with the next best places of its
document. Filters speak of atoms, so passages are left out then, and an atom that holds far fewer
of the question's words than the best one is no answer. The answer says by its coverage how good its
ground is: where nothing holds enough of the question's words, rare ones counting more, the project
does not cover it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from projections.read.search_atoms import Filters as Filters
from projections.read.search_atoms import FoundAtoms, Question, find_atoms
from projections.read.search_judged import LOOKED_AT, Judge, judge_passages, put_last
from projections.read.search_passages import PassageText, Ranked, rank_passages, read_passages
from projections.read.search_sentences import Sentence
from projections.read.search_terms import Terms, questions_in, terms_of
from projections.read.session import Conn, ReadModel, Row, rows
from schemas.answering import Coverage

EVIDENCE_PER_HIT = 3
MOST_ATOMS = 30  # that take part in the fusion
SEARCHED = 100  # of the first passages, for atoms that quote them
K = 20  # reciprocal rank fusion: how little the first ranks differ
ATOMS_WEIGH = 0.2
ATOM_HOLDS = 0.85  # of the words that the best passage holds, by weight
ATOM_ANSWERS = 0.5  # of the words that the best atom holds, where only atoms are asked for
SAME_DOCUMENT = 0.2  # of its best passage's score, to be shown with it
WEAK_BELOW = 0.6  # share of the question's words by weight, held by the passage with most
NONE_BELOW = 0.25

ATOM_FIELDS = (
    *("atom_id", "kind", "title", "body", "confidence", "status", "document_status", "score"),
)

# The passage that the title was made from comes before one that says the same again.
EVIDENCE = """
    SELECT e.atom_id, e.evidence_id, e.source_id, s.title, s.path, e.line_start, e.line_end,
        e.snippet
    FROM (SELECT x.*, row_number() OVER (
            PARTITION BY atom_id ORDER BY x.stale, x.evidence_type <> 'direct',
            ts_rank(x.search, replace(plainto_tsquery('english', a.title)::text, '&', '|')::tsquery)
                DESC, x.evidence_id) AS place
        FROM ledger_evidence x JOIN ledger_atoms a USING (atom_id)
        WHERE x.atom_id = ANY(%s)) e
    LEFT JOIN sources s USING (source_id) WHERE e.place <= %s ORDER BY e.atom_id, e.place
"""
# One look into the index for each passage: a join would read all evidence of a large project.
QUOTED_IN = """
    SELECT DISTINCT p.passage_id, q.atom_id, q.replaced
    FROM passages p CROSS JOIN LATERAL (
        SELECT e.atom_id, a.status = 'superseded' AND a.status_reason = 'newer_fact' AS replaced
        FROM ledger_evidence e JOIN ledger_atoms a USING (atom_id)
        WHERE e.source_id = p.source_id AND e.char_start < p.char_end
            AND p.char_start < e.char_end AND e.sanitized_hash = p.sanitized_hash AND NOT e.stale
        OFFSET 0) q
    WHERE p.passage_id = ANY(%s)
"""
CONFLICTS = """
    SELECT contradiction_id, atom_a_id, atom_b_id FROM ledger_contradictions
    WHERE status IN ('open', 'escalated') AND (atom_a_id = ANY(%s) OR atom_b_id = ANY(%s))
    ORDER BY contradiction_id
"""


class HitQuote(ReadModel):
    """``title`` and ``path`` are those of the source; None while it is not in the tables."""

    evidence_id: str
    source_id: str
    title: str | None
    path: str | None
    line_start: int
    line_end: int
    snippet: str


class Hit(ReadModel):
    """What speaks to the query: an atom with its best places, or a passage of a document.

    One of ``atom_id`` and ``passage_id`` is set. A passage has the kind ``passage``, the headings
    above it as its title, its text as its body, and no doubt about what it says: confidence 1.
    ``document_status`` is what an atom's document says of itself, such as `proposed` or `rejected`.
    ``sentence`` is what a passage says to the question, where somebody asks for sentences.
    """

    atom_id: str | None = None
    passage_id: str | None = None
    kind: str
    title: str
    body: str
    confidence: float
    status: str
    document_status: str | None = None
    score: float
    evidence: list[HitQuote]
    open_contradictions: list[str] = []
    sentence: Sentence | None = None


class Answer(ReadModel):
    """``coverage``: the step that found the first; ``weak``: no text answers the query.

    ``sentences`` are the best ones of the first places, where somebody asks for them.
    """

    coverage: Coverage
    hits: list[Hit]
    sentences: list[Sentence] = []


@dataclass(slots=True)
class _Ranked:
    """One entry of the list on its way: an atom, a passage, or an atom with its passage."""

    score: float
    atom: Row | None = None
    passages: list[str] = field(default_factory=list)


def search_ledger(
    connection: Conn,
    project_id: str,
    query: str,
    filters: Filters | None = None,
    limit: int = 10,
    judge: Judge | None = None,
) -> Answer:
    """The atoms and passages that speak to ``query``, best first; none is a normal answer.

    ``judge`` reads the first candidates and orders them.

    Each of several questions in one is answered by itself, and the first hits are one of each.
    """
    question = Question(
        project_id, query, terms_of(connection, project_id, query), filters or Filters()
    )
    if question.filters != Filters():
        return _only_atoms(connection, question, limit)
    answers = [
        _answer(connection, replace(question, terms=each), limit, judge)
        for each in questions_in(question.terms)
    ]
    if len(answers) == 1:
        return answers[0]
    covered = {answer.coverage for answer in answers}
    coverage = answers[0].coverage if len(covered) == 1 else "fulltext"
    return Answer(
        coverage="weak" if covered & {"weak", "none"} and len(covered) > 1 else coverage,
        hits=_interleave([answer.hits for answer in answers])[:limit],
    )


def _answer(connection: Conn, question: Question, limit: int, judge: Judge | None) -> Answer:
    terms = question.terms
    passages = rank_passages(connection, question.project_id, terms)
    quoted, replaced = _atoms_in(connection, passages)
    passages = [each for each in passages if each.passage_id not in replaced]
    atom_ids = sorted({each for ids in quoted.values() for each in ids}) if terms.size else None
    atoms = find_atoms(connection, replace(question, quoted=atom_ids), max(limit, MOST_ATOMS))
    coverage = _coverage(atoms, passages, terms)
    if coverage == "none":
        return Answer(coverage=coverage, hits=[])
    fused = _fuse(atoms, passages, quoted, terms)
    texts = dict(read_passages(connection, [name for each in fused for name in each.passages]))
    fused = _reorder(connection, question, fused, texts, judge)
    scores = {each.passage_id: each.score for each in passages}
    grouped = _by_document(fused, texts, scores, limit)
    return Answer(coverage=coverage, hits=_show(connection, grouped, texts))


def _interleave(lists: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The first of each, then the second of each; none twice."""
    by_id: dict[str, Hit] = {}
    for row in zip_longest(*lists):
        for hit in row:
            if hit is not None:
                by_id.setdefault(hit.atom_id or hit.passage_id or "", hit)
    return list(by_id.values())


def _only_atoms(connection: Conn, question: Question, limit: int) -> Answer:
    """Atoms with what the filters want: those that hold nearly all words of the best come first."""
    atoms = find_atoms(connection, question, max(limit, MOST_ATOMS))
    named, others = atoms.atoms[: atoms.named], atoms.atoms[atoms.named :]
    most = max((each["held"] for each in others), default=0.0)
    coverage = atoms.step if named else _grade(most, question.terms)
    if coverage == "none":
        return Answer(coverage=coverage, hits=[])
    others = [each for each in others if each["held"] >= most * ATOM_ANSWERS]
    others.sort(key=lambda each: bool(each["held"] < most * ATOM_HOLDS))
    ranked_hits = [_Ranked(atom["score"], atom) for atom in (named + others)[:limit]]
    return Answer(coverage=coverage, hits=_show(connection, ranked_hits, {}))


def _atoms_in(
    connection: Conn, passages: Sequence[Ranked]
) -> tuple[dict[str, list[str]], set[str]]:
    """The atoms that quote each of the first passages, and the passages that say nothing but a fact
    which a newer one of the same list has replaced.
    """
    quoted: dict[str, list[str]] = {}
    holding: set[str] = set()
    first = [each.passage_id for each in passages[:SEARCHED]]
    for row in rows(connection, QUOTED_IN, first):
        quoted.setdefault(row["passage_id"], []).append(row["atom_id"])
        if not row["replaced"]:
            holding.add(row["passage_id"])
    return quoted, quoted.keys() - holding


def _coverage(atoms: FoundAtoms, passages: Sequence[Ranked], terms: Terms) -> Coverage:
    most = max((_weigh(each.held, terms) for each in passages), default=0.0)
    if atoms.named or (atoms.atoms and not terms.size):
        return atoms.step
    grade = _grade(most, terms)
    return "weak" if grade == "none" and atoms.atoms else grade


def _grade(most: float, terms: Terms) -> Coverage:
    share = most / (terms.total or 1.0)
    if share < NONE_BELOW:
        return "none"
    return "weak" if share < WEAK_BELOW else "fulltext"


def _weigh(held: Iterable[str], terms: Terms) -> float:
    return sum(terms.weights[word] for word in held)


def _fuse(
    atoms: FoundAtoms,
    passages: Sequence[Ranked],
    quoted: Mapping[str, Sequence[str]],
    terms: Terms,
) -> list[_Ranked]:
    """Both lists as one, best first; an atom brings the best ranked passage that it quotes.

    An atom that lacks words which a passage has is no better an answer for being an atom. What is
    likely only, a draft, comes after what is sure.
    """
    fewest = max((_weigh(each.held, terms) for each in passages), default=0.0) * ATOM_HOLDS
    others = [each for each in atoms.atoms[atoms.named :] if each["held"] >= fewest]
    others.sort(key=lambda each: bool(each["status"] == "draft"))
    ranked_atoms = atoms.atoms[: atoms.named] + others
    place: dict[str, str] = {}  # of an atom: the first passage that holds it
    by_id: dict[str, _Ranked] = {}
    for rank, passage in enumerate(passages, start=1):
        name = passage.passage_id
        by_id[name] = _Ranked(1 / (K + rank), None, [name])
        for atom_id in quoted.get(name, ()):
            place.setdefault(atom_id, name)
    alone: list[_Ranked] = []
    for rank, atom in enumerate(ranked_atoms, start=1):
        worth = ATOMS_WEIGH / (K + rank) + (rank <= atoms.named)
        if (at := place.get(atom["atom_id"])) is None:
            alone.append(_Ranked(worth, atom))
            continue
        by_id[at].score += worth
        by_id[at].atom = by_id[at].atom or atom
    return sorted([*by_id.values(), *alone], key=lambda each: -each.score)


def _reorder(
    connection: Conn,
    question: Question,
    fused: Sequence[_Ranked],
    texts: dict[str, PassageText],
    judge: Judge | None,
) -> list[_Ranked]:
    """What the query names first, then what answers best, then what nobody has read.

    ``texts`` gets those that the judge has found beside the candidates.
    """
    query, project_id = question.query, question.project_id
    behind = put_last(connection, query, texts)
    ordered = sorted(
        fused,
        key=lambda each: (each.score < 1, behind(texts[each.passages[0]]) if each.passages else 0),
    )
    first = [texts[each.passages[0]] for each in ordered if each.passages][:LOOKED_AT]
    judged = judge_passages(connection, project_id, query, first, judge) if judge else None
    if judged is None:
        return ordered
    by_name = {each.passages[0]: each for each in ordered if each.passages}
    named = [each for each in ordered if each.score >= 1]
    read: list[_Ranked] = []
    for _, piece in judged:
        names = [each.passage_id for each in piece.passages]
        texts |= {each.passage_id: each for each in piece.passages}
        entries = [by_name.get(name) or _Ranked(0.0, None, [name]) for name in names]
        read += sorted(entries, key=lambda each: -each.score)
    read.sort(key=lambda each: behind(texts[each.passages[0]]))
    return list({id(each): each for each in [*named, *read, *ordered]}.values())


def _by_document(
    ranked_hits: Sequence[_Ranked],
    texts: Mapping[str, PassageText],
    scores: Mapping[str, float],
    limit: int,
) -> list[_Ranked]:
    """The best places of a document are one hit; what it says more becomes the next.

    An answer often stands beside the place that has most of the question's words. An atom stays a
    hit of its own: who cites it needs its id.
    """
    hits: list[_Ranked] = []
    documents: dict[str, _Ranked] = {}
    for each in ranked_hits:
        if each.passages:
            (name,) = each.passages
            first = documents.get(texts[name].source_id)
            if first is None or len(first.passages) == EVIDENCE_PER_HIT:
                documents[texts[name].source_id] = each
            else:
                least = SAME_DOCUMENT * scores.get(first.passages[0], 0.0)
                if scores.get(name, 0.0) >= least:
                    first.passages.append(name)
                if each.atom is None:
                    continue
        if len(hits) < limit:
            hits.append(each)
    return hits


def _show(
    connection: Conn, ranked_hits: Sequence[_Ranked], texts: Mapping[str, PassageText]
) -> list[Hit]:
    ids = [each.atom["atom_id"] for each in ranked_hits if each.atom]
    quotes: dict[str, list[HitQuote]] = {}
    for row in rows(connection, EVIDENCE, ids, EVIDENCE_PER_HIT):
        quotes.setdefault(row.pop("atom_id"), []).append(HitQuote(**row))
    conflicts = rows(connection, CONFLICTS, ids, ids)
    hits = []
    for each in ranked_hits:
        passages = [texts[name] for name in each.passages]
        if each.atom is None:
            hits.append(_passage_hit(each.score, passages))
            continue
        atom_id = each.atom["atom_id"]
        places = [_quote_of(passage) for passage in passages]
        hits.append(
            Hit(
                **{name: each.atom[name] for name in ATOM_FIELDS},
                evidence=_merge(quotes.get(atom_id, []), places),
                open_contradictions=[
                    row["contradiction_id"]
                    for row in conflicts
                    if atom_id in (row["atom_a_id"], row["atom_b_id"])
                ],
            )
        )
    return hits


def _merge(quotes: Sequence[HitQuote], places: Sequence[HitQuote]) -> list[HitQuote]:
    """The atom's own quotes, best first, then the passages that say more than these."""
    snippets = {(quote.source_id, " ".join(quote.snippet.split())) for quote in quotes}
    more = [
        place
        for place in places
        if (place.source_id, " ".join(place.snippet.split())) not in snippets
    ]
    return [*quotes[: max(1, EVIDENCE_PER_HIT - len(more))], *more]


def _passage_hit(score: float, passages: Sequence[PassageText]) -> Hit:
    first = passages[0]
    return Hit(
        passage_id=first.passage_id,
        kind="passage",
        title=" › ".join(first.structure_path) or first.title,
        body=first.text,
        confidence=1.0,
        status="quoted",
        score=round(score, 6),
        evidence=[_quote_of(each) for each in passages],
    )


def _quote_of(passage: PassageText) -> HitQuote:
    return HitQuote(
        evidence_id=passage.passage_id,
        source_id=passage.source_id,
        title=passage.title,
        path=passage.path,
        line_start=passage.line_start,
        line_end=passage.line_end,
        snippet=passage.text,
    )
