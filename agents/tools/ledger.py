"""Tools over the ledger: what is known, where it was read, what contradicts what, what is open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import get_args

from pydantic import Field

from agents.project.state import Citation
from agents.tools.ports import Json, Ports, ToolRefused
from agents.tools.search_answers import HITS_TOLD, shorten_hit, show_sentences
from agents.tools.show import (
    answer,
    cite_atom,
    cite_quote,
    cut,
    place_of,
    show_page,
    take_page,
)
from agents.tools.tool import Paging, Tool, ToolArguments, ToolContext, ToolResult
from schemas.areas import AREAS
from schemas.events.atom import KINDS
from schemas.events.ledger import AtomStatus
from schemas.inflection import count

SEARCH_LEDGER = "search_ledger"
PASSAGE = "psg_"  # how ids of passages begin
SENTENCES_SHOWN = 2  # beside the hits
MOST_ATOMS = 1_000
NOTHING = "The ledger holds nothing on this (coverage: none)."


class SearchLedger(ToolArguments):
    """``query``: the question in words. ``kinds``: only atoms of these, such as `requirement`,
    `decision`, `risk`, `unknown` or `claim`. ``areas``: only these, such as `security`.
    ``statuses``: only these, such as `active` or `draft`. Each empty: all. ``limit``: how many hits
    at most, 1 to 50.
    """

    query: str = Field(min_length=1, max_length=1_000)
    kinds: list[str] = Field(default=[], max_length=10)
    areas: list[str] = Field(default=[], max_length=10)
    statuses: list[str] = Field(default=[], max_length=10)
    limit: int = Field(default=10, ge=1, le=50)


class AtomArguments(ToolArguments):
    """``atom_id``: an id such as `atm_…`, as search_ledger tells it."""

    atom_id: str = Field(min_length=1, max_length=100)


class SearchSources(Paging):
    """``words``: parts of the path; empty: all sources. ``limit``: how many at most, 1 to 100.
    ``offset``: how many to leave out at the start, for the rest of a long list.
    """

    words: str = Field(default="", max_length=200)


def ledger_tools(ports: Ports) -> list[Tool]:
    """What is known, and where it was read."""

    async def search_ledger(context: ToolContext, wanted: SearchLedger) -> ToolResult:
        _check_known("kind", wanted.kinds, KINDS)
        _check_known("area", wanted.areas, AREAS)
        _check_known("status", wanted.statuses, get_args(AtomStatus))
        result = await ports.search_ledger(
            context.project_id,
            wanted.query,
            kinds=wanted.kinds,
            areas=wanted.areas,
            statuses=wanted.statuses,
            limit=wanted.limit,
        )
        hits = result["hits"]
        if not hits:
            return answer([NOTHING], result)
        lines = [f"Coverage: {result['coverage']}. {count(len(hits), 'hit')}."]
        lines += show_sentences((result.get("sentences") or ())[:SENTENCES_SHOWN])
        data = {**result, "hits": [shorten_hit(hit) for hit in hits[:HITS_TOLD]]}
        cited = [citation for hit in hits for citation in _cite_hit(hit)]
        return answer(lines + [_show_hit(hit) for hit in hits], data, cited)

    async def get_atom(context: ToolContext, wanted: AtomArguments) -> ToolResult:
        atom = await ports.read_atom(context.project_id, wanted.atom_id)
        quotes = [cite_quote(atom["atom_id"], evidence) for evidence in atom["evidence"]]
        lines = [
            f"{atom['atom_id']} ({atom['kind']}, {atom['status']}, confidence"
            f" {atom['confidence']:.2f}): {atom['title']}",
            cut(atom["body"]),
            *(f"- {place_of(quote)}: «{quote.snippet}»" for quote in quotes),
        ]
        return answer(lines, atom, [cite_atom(atom)])

    return [
        Tool(
            SEARCH_LEDGER,
            "Search the project's ledger: claims, decisions, requirements, risks and open"
            " questions with their evidence. Call it first for every question about the project.",
            SearchLedger,
            search_ledger,
            space="ledger",
        ),
        Tool(
            "get_atom",
            "Read one atom with all its evidence: file, lines and the words there.",
            AtomArguments,
            get_atom,
            space="ledger",
        ),
    ]


def open_point_tools(ports: Ports) -> list[Tool]:
    """What contradicts what, and which questions are open."""

    async def list_contradictions(context: ToolContext, wanted: Paging) -> ToolResult:
        every = await ports.list_contradictions(context.project_id)
        contradictions = take_page(every, wanted)
        sides = [side for pair in contradictions for side in (pair["a"], pair["b"])]
        lines = [
            f"{pair['contradiction_id']} ({pair['severity']}): «{pair['a']['title']}»"
            f" [{pair['a']['atom_id']}] against «{pair['b']['title']}» [{pair['b']['atom_id']}]"
            for pair in contradictions
        ]
        data = {"contradictions": list(contradictions), "total": len(every)}
        shown = show_page("Open contradictions", lines, wanted, len(every))
        return answer(shown, data, map(cite_atom, sides))

    async def list_unknowns(context: ToolContext, wanted: Paging) -> ToolResult:
        every = await ports.list_atoms(context.project_id, "unknown", MOST_ATOMS)
        atoms = take_page(every, wanted)
        lines = [f"{atom['title']} [{atom['atom_id']}]" for atom in atoms]
        data = {"atoms": list(atoms), "total": len(every)}
        shown = show_page("Open questions", lines, wanted, len(every))
        return answer(shown, data, map(cite_atom, atoms))

    return [
        Tool(
            "list_contradictions",
            "List the open contradictions, the gravest first, with both sides.",
            Paging,
            list_contradictions,
            space="ledger",
        ),
        Tool(
            "list_unknowns",
            "List the questions that the sources leave open.",
            Paging,
            list_unknowns,
            space="ledger",
        ),
    ]


def source_list_tools(ports: Ports) -> list[Tool]:
    """Which sources there are."""

    async def search_sources(context: ToolContext, wanted: SearchSources) -> ToolResult:
        words = wanted.words.lower().split()
        sources = [
            source
            for source in await ports.list_sources(context.project_id)
            if all(word in source["path"].lower() for word in words)
        ]
        page = take_page(sources, wanted)
        lines = [
            f"{source['path']} ({source['source_type'] or 'no source'}, {source['state']}"
            f"{', ' + source['reason'] if source['reason'] else ''})"
            for source in page
        ]
        shown = show_page("Sources", lines, wanted, len(sources))
        return answer(shown, {"sources": page, "total": len(sources)})

    return [
        Tool(
            "search_sources",
            "List sources whose path holds all of the words: which are read, which not and why.",
            SearchSources,
            search_sources,
            space="search",
        ),
    ]


def _check_known(name: str, given: Iterable[str], choices: Sequence[str]) -> None:
    """Raises ToolRefused: a word that no atom has would look like an empty ledger."""
    for value in given:
        if value not in choices:
            raise ToolRefused(
                f"No atom has the {name} {value!r}: there are {', '.join(choices)}.",
                f"unknown_{name}",
            )


def _show_hit(hit: Json) -> str:
    cited_id = hit["atom_id"] or hit["passage_id"]
    conflicts = hit.get("open_contradictions") or []
    against = f" Contradicted: {', '.join(conflicts)}." if conflicts else ""
    places = "".join(
        f"\n    {'' if quote.cited_id == cited_id else f'[{quote.cited_id}] '}{place_of(quote)}:"
        f" «{quote.snippet}»"
        for quote in _cite_quotes(hit)
    )
    document_status = hit.get("document_status")
    document = f", document {document_status}" if document_status else ""
    about = f"{hit['kind']}, {hit['status']}{document}"
    return f"- [{cited_id}] {about}: {cut(hit['title'])}.{against}{places}"


def _cite_hit(hit: Json) -> list[Citation]:
    """What an answer may cite of a hit: itself, and each passage that is shown beside it, since a
    sentence of that is at another line.
    """
    cited_id = hit["atom_id"] or hit["passage_id"]
    if not hit["evidence"]:
        return [cite_quote(cited_id, {"snippet": hit["title"]})]
    first, *others = _cite_quotes(hit)
    head = first.model_copy(update={"cited_id": cited_id})
    return [head, *(citation for citation in (first, *others) if citation.cited_id != cited_id)]


def _cite_quotes(hit: Json) -> list[Citation]:
    """The places of a hit: those of its atom under its id, each other passage under its own."""
    cited_id = hit["atom_id"] or hit["passage_id"]
    return [cite_quote(_id_of_quote(quote, cited_id), quote) for quote in hit["evidence"]]


def _id_of_quote(quote: Json, cited_id: str) -> str:
    own = str(quote.get("evidence_id") or "")
    return own if own.startswith(PASSAGE) else cited_id
