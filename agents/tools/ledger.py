"""Tools over the ledger: what is known, where it was read, what contradicts what, what is open."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from agents.project.state import Citation
from agents.tools.ports import Json, Ports
from agents.tools.show import answer, cite_atom, cite_quote, count, cut, place_of, show_list
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult

SEARCH_LEDGER = "search_ledger"
HITS_TOLD = 4
LONGEST_TOLD = 240  # characters
NOTHING = "The ledger holds nothing on this (coverage: none)."


class SearchLedger(ToolArguments):
    """``query`` is the question in words; the others leave out what is not among them."""

    query: str = Field(min_length=1, max_length=1_000)
    kinds: list[str] = Field(default=[], max_length=10)
    areas: list[str] = Field(default=[], max_length=10)
    statuses: list[str] = Field(default=[], max_length=10)
    limit: int = Field(default=10, ge=1, le=50)


class AtomArguments(ToolArguments):
    atom_id: str = Field(min_length=1, max_length=100)


class ListArguments(ToolArguments):
    limit: int = Field(default=25, ge=1, le=200)


class SearchSources(ToolArguments):
    """``words``: parts of the path; empty: all sources."""

    words: str = Field(default="", max_length=200)
    limit: int = Field(default=25, ge=1, le=200)


def ledger_tools(ports: Ports) -> list[Tool]:
    """The tools of the group, over these ports."""

    async def search_ledger(context: ToolContext, wanted: SearchLedger) -> ToolResult:
        found = await ports.search_ledger(
            context.project_id,
            wanted.query,
            kinds=wanted.kinds,
            areas=wanted.areas,
            statuses=wanted.statuses,
            limit=wanted.limit,
        )
        hits = found["hits"]
        if not hits:
            return answer([NOTHING], found)
        lines = [f"Coverage: {found['coverage']}. {count(len(hits), 'hit')}."]
        return answer(lines + [_show_hit(hit) for hit in hits], found, map(_cite_hit, hits))

    async def get_atom(context: ToolContext, wanted: AtomArguments) -> ToolResult:
        atom = await ports.read_atom(context.project_id, wanted.atom_id)
        quotes = [cite_quote(atom["atom_id"], one) for one in atom["evidence"]]
        lines = [
            f"{atom['atom_id']} ({atom['kind']}, {atom['status']}, confidence"
            f" {atom['confidence']:.2f}): {atom['title']}",
            cut(atom["body"]),
            *(f"- {place_of(one)}: «{one.snippet}»" for one in quotes),
        ]
        return answer(lines, atom, [cite_atom(atom)])

    async def list_contradictions(context: ToolContext, wanted: ListArguments) -> ToolResult:
        found = (await ports.list_contradictions(context.project_id))[: wanted.limit]
        lines = [
            f"{one['contradiction_id']} ({one['severity']}): «{one['a']['title']}»"
            f" [{one['a']['atom_id']}] against «{one['b']['title']}» [{one['b']['atom_id']}]"
            for one in found
        ]
        sides = [side for one in found for side in (one["a"], one["b"])]
        told = {"contradictions": list(found)}
        return answer(show_list("Open contradictions", lines), told, map(cite_atom, sides))

    async def list_unknowns(context: ToolContext, wanted: ListArguments) -> ToolResult:
        found = await ports.list_atoms(context.project_id, "unknown", wanted.limit)
        return show_atoms("Open questions", found)

    async def search_sources(context: ToolContext, wanted: SearchSources) -> ToolResult:
        words = wanted.words.lower().split()
        found = [
            one
            for one in await ports.list_sources(context.project_id)
            if all(word in one["path"].lower() for word in words)
        ][: wanted.limit]
        lines = [
            f"{one['path']} ({one['source_type'] or 'no source'}, {one['state']}"
            f"{', ' + one['reason'] if one['reason'] else ''})"
            for one in found
        ]
        return answer(show_list("Sources", lines), {"sources": found})

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
            "One atom with all its evidence, links and history.",
            AtomArguments,
            get_atom,
            space="ledger",
        ),
        Tool(
            "list_contradictions",
            "The open contradictions, the gravest first, with both sides.",
            ListArguments,
            list_contradictions,
            space="ledger",
        ),
        Tool(
            "list_unknowns",
            "The questions that the sources leave open.",
            ListArguments,
            list_unknowns,
            space="ledger",
        ),
        Tool(
            "search_sources",
            "Sources whose path holds all of the words: which are read, which are not and why.",
            SearchSources,
            search_sources,
            space="search",
        ),
    ]


def show_atoms(title: str, atoms: Sequence[Json]) -> ToolResult:
    lines = [f"{one['title']} [{one['atom_id']}]" for one in atoms]
    return answer(show_list(title, lines), {"atoms": list(atoms)}, map(cite_atom, atoms))


def tell_result(result: ToolResult) -> str:
    """A result for somebody who reads it: of a search the first hits, in short."""
    hits = result.data.get("hits") or []
    return "\n".join(map(tell_hit, hits[:HITS_TOLD])) or result.text


def tell_hit(hit: Json) -> str:
    """A hit for somebody who reads it: what is said, and where."""
    known = hit["atom_id"] or hit["passage_id"]
    quotes = [cite_quote(known, one) for one in hit["evidence"][:1]]
    said = hit["title"] if hit["atom_id"] or not quotes else quotes[0].snippet or hit["title"]
    kind = f" ({hit['kind']}, {hit['status']})" if hit["atom_id"] else ""
    places = ", ".join(filter(None, map(place_of, quotes)))
    against = " Contradicted by another statement." if hit.get("open_contradictions") else ""
    return f"- {cut(said, LONGEST_TOLD)}{kind}{f' [{places}]' if places else ''}{against}"


def _show_hit(hit: Json) -> str:
    known = hit["atom_id"] or hit["passage_id"]
    conflicts = hit.get("open_contradictions") or []
    against = f" Contradicted: {', '.join(conflicts)}." if conflicts else ""
    places = "".join(
        f"\n    {place_of(one)}: «{one.snippet}»"
        for one in (cite_quote(known, quote) for quote in hit["evidence"])
    )
    return f"- [{known}] {hit['kind']}, {hit['status']}: {cut(hit['title'])}.{against}{places}"


def _cite_hit(hit: Json) -> Citation:
    known = hit["atom_id"] or hit["passage_id"]
    evidence = hit["evidence"]
    return cite_quote(known, evidence[0] if evidence else {"snippet": hit["title"]})
