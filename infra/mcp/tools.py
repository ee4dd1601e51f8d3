"""The seven tools: name, description, arguments, answer. All of them read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from infra.mcp import answers, results
from infra.mcp.pages import (
    DEFAULT_TOKENS,
    MOST_TOKENS,
    Cursor,
    Entry,
    Result,
    Shown,
    bad_cursor,
    fit,
    read_cursor,
    render,
    state_of,
    write_cursor,
)
from infra.mcp.text import cut
from infra.platform.errors import Invalid
from infra.service.foundation.connections import ProjectTables
from projections.read import lineage
from projections.read.artifact_list import list_artifacts, read_artifact
from projections.read.atom_detail import read_atom
from projections.read.changes import Changes, list_changes
from projections.read.contradictions import list_contradictions
from projections.read.coverage import read_coverage
from projections.read.page import Page
from projections.read.search import Filters
from schemas.areas import Area
from schemas.events.artifact_parts import ArtifactType
from schemas.events.atom import AtomKind

MOST_HITS = 50
MOST_ITEMS = 100  # of a list that are looked at for one answer
MOST_CHANGE_SETS = 2_000

Id = Annotated[str, Field(min_length=1, max_length=200)]


class Arguments(BaseModel):
    """Unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    cursor: Annotated[str, Field(max_length=400)] | None = None
    max_tokens: Annotated[int, Field(ge=DEFAULT_TOKENS, le=MOST_TOKENS)] = DEFAULT_TOKENS


class Search(Arguments):
    query: Annotated[str, Field(min_length=1, max_length=1_000)]
    kinds: list[AtomKind] = []
    areas: list[Area] = []


class GetAtom(Arguments):
    atom_id: Id


class Trace(Arguments):
    id: Id


class Contradictions(Arguments):
    status: Literal["open", "escalated", "resolved", "dismissed", "all"] = "open"


class Artifact(Arguments):
    id: Id | None = None
    type: ArtifactType | None = None


def read_iso_time(given: object) -> datetime:
    """The time that a text names; a number, which pydantic takes for seconds, is none.

    Raises ValueError.
    """
    if not isinstance(given, str):
        raise ValueError("a time is an ISO 8601 text; a ledger sequence is since_seq")
    return datetime.fromisoformat(given)


class ChangesSince(Arguments):
    """One of both. ``since`` is a time with its offset."""

    since_seq: Annotated[int, Field(ge=0, le=2**53)] | None = None
    since: Annotated[AwareDatetime, BeforeValidator(read_iso_time)] | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    text: str
    data: Mapping[str, Any]


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    arguments: type[Arguments]
    result: type[Result]
    call: Callable[[ProjectTables, Any], Awaitable[Answered]]


async def search(tables: ProjectTables, asked: Search) -> Answered:
    filters = Filters(kinds=tuple(asked.kinds), areas=tuple(asked.areas))
    found = await tables.answer(asked.query, filters, MOST_HITS)
    line, head = answers.head_of_search(found)
    return _page(
        asked,
        head,
        line,
        "hits",
        answers.show_hits(found),
    )


async def get_atom(tables: ProjectTables, asked: GetAtom) -> Answered:
    atom = await tables.ask(read_atom, asked.atom_id)
    line, head = answers.head_of_atom(atom)
    return _page(
        asked,
        head,
        line,
        "details",
        answers.show_details(atom),
    )


async def trace(tables: ProjectTables, asked: Trace) -> Answered:
    node = await tables.ask(lineage.trace, asked.id)
    return _page(asked, results.TraceResult(nodes=[]), "", "nodes", answers.show_tree(node))


async def contradictions(tables: ProjectTables, asked: Contradictions) -> Answered:
    status = None if asked.status == "all" else asked.status
    return await _pass_on(
        asked,
        results.ContradictionsResult(contradictions=[]),
        "contradictions",
        lambda limit: tables.ask(list_contradictions, status, cursor=asked.cursor, limit=limit),
        answers.show_contradictions,
    )


async def artifact(tables: ProjectTables, asked: Artifact) -> Answered:
    """One by its id; else the PRD where it is asked for; else a list."""
    if asked.id is None and asked.type != "prd":
        return await _pass_on(
            asked,
            results.ArtifactResult(artifacts=[]),
            "artifacts",
            lambda limit: tables.ask(
                list_artifacts, artifact_type=asked.type, cursor=asked.cursor, limit=limit
            ),
            answers.show_artifacts,
        )
    known_id = asked.id
    if known_id is None:
        listed = await tables.ask(list_artifacts, artifact_type="prd", limit=1)
        if not listed.items:
            raise Invalid("There is no PRD yet: one is written when a run ends.")
        known_id = listed.items[0].artifact_id
    found = await tables.ask(read_artifact, known_id)
    shown = answers.list_artifact(found)
    return _page(
        asked,
        results.ArtifactResult(artifact=shown, statements=[]),
        answers.line_of_artifact(shown),
        "statements",
        answers.show_statements(found),
    )


async def coverage(tables: ProjectTables, asked: Arguments) -> Answered:
    found = await tables.ask(read_coverage)
    head = results.CoverageResult(gaps=found.gaps, rows=[])
    line = f"gaps: {', '.join(found.gaps) or 'none'}"
    return _page(asked, head, line, "rows", answers.show_coverage(found))


async def changes_since(tables: ProjectTables, asked: ChangesSince) -> Answered:
    """Later pages end where the first did, however the ledger has grown meanwhile."""
    if (asked.since_seq is None) == (asked.since is None):
        raise Invalid("Give since_seq or since, one of both.", code="moment_ambiguous")
    since = asked.since or asked.since_seq or 0

    async def list_some(limit: int) -> Changes:
        return await tables.ask(
            list_changes, since, MOST_CHANGE_SETS, cursor=asked.cursor, limit=limit
        )

    found = await list_some(MOST_ITEMS)
    head = results.ChangesResult(
        since_seq=found.since_seq, to_seq=found.to_seq, head_seq=found.head_seq, changes=[]
    )
    line = f"changes after {found.since_seq} up to {found.to_seq} of {found.head_seq}"
    listed = answers.show_changes(found)
    taken = _fit(listed, head, line, asked)
    if len(taken) < len(listed):
        found = await list_some(len(taken))
    return _answer(head, "changes", taken, line, found.next_cursor)


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "search",
            "Ask the project's ledger: decisions, requirements, risks and passages about a"
            " question, each with status, confidence and the lines it was read from.",
            Search,
            results.SearchResult,
            search,
        ),
        Tool(
            "get_atom",
            "One statement (atm_…) with all its evidence, links and history.",
            GetAtom,
            results.AtomResult,
            get_atom,
        ),
        Tool(
            "trace",
            "Where something comes from: from a statement, artifact, atom, evidence, chunk, source"
            " or run id down to source and log, and up to what cites it.",
            Trace,
            results.TraceResult,
            trace,
        ),
        Tool(
            "contradictions",
            "Pairs of statements that cannot both hold, gravest first, with quotes of both sides.",
            Contradictions,
            results.ContradictionsResult,
            contradictions,
        ),
        Tool(
            "artifact",
            "Documents written from the ledger. With id, or type prd: its statements with"
            " citations. Else: the list, of one type if given.",
            Artifact,
            results.ArtifactResult,
            artifact,
        ),
        Tool(
            "coverage",
            "How far the project's sources are read, by area, and where the ledger has gaps.",
            Arguments,
            results.CoverageResult,
            coverage,
        ),
        Tool(
            "changes_since",
            "What was added, removed, changed and decided after a ledger sequence (since_seq; 0:"
            " from the start) or a time (since).",
            ChangesSince,
            results.ChangesResult,
            changes_since,
        ),
    )
}


def find_half_character(given: Mapping[str, Any]) -> str:
    """The first argument with half of a surrogate pair, which cannot be looked up; empty without.

    JSON can write one, and no text in UTF-8 can hold it.
    """
    for name, value in given.items():
        for text in (name, *(value if isinstance(value, list) else [value])):
            if isinstance(text, str) and any("\ud800" <= each <= "\udfff" for each in text):
                return name
    return ""


def read_arguments(tool: Tool, given: Mapping[str, Any]) -> Arguments:
    """The arguments as the tool takes them. Raises Invalid with one sentence."""
    if name := find_half_character(given):
        raise Invalid(
            f"{tool.name} cannot be called so: {cut(name, answers.WORD)} holds half of a surrogate"
            " pair.",
            code="lone_surrogate",
        )
    optional = {name for name, it in tool.arguments.model_fields.items() if not it.is_required()}
    # Many clients send null for what a model leaves out.
    meant = {n: value for n, value in given.items() if value is not None or n not in optional}
    try:
        return tool.arguments.model_validate(meant)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = cut(".".join(map(str, first["loc"])), answers.WORD)
        match first["type"]:
            case "missing":
                wrong = f"{name} is missing"
            case "extra_forbidden":
                takes = ", ".join(tool.arguments.model_fields)
                wrong = f"there is no argument {name}; it takes {takes}"
            case "value_error":
                wrong = f"{name}: {cut(first['ctx']['error'], answers.BODY)}"
            case _:
                wrong = f"{name}: {cut(first['msg'], answers.BODY)}"
        raise Invalid(
            f"{tool.name} cannot be called so: {wrong}.", code="arguments_invalid"
        ) from error


def _page(
    asked: Arguments,
    head: Result,
    line: str,
    field: str,
    entries: Iterable[Entry],
) -> Answered:
    """The entries from the cursor on that fit."""
    listed = list(entries)
    now = state_of(listed)
    cursor = read_cursor(_question(asked), asked.cursor) or Cursor(0, now)
    if cursor.state != now:
        raise bad_cursor()
    ahead = listed[cursor.position :]
    taken = _fit(ahead, head, line, asked)
    following = None
    if len(taken) < len(ahead):
        place = Cursor(cursor.position + len(taken), now)
        following = write_cursor(_question(asked), place)
    return _answer(head, field, taken, line, following)


async def _pass_on(
    asked: Arguments,
    head: Result,
    field: str,
    ask: Callable[[int], Awaitable[Page[T]]],
    show: Callable[[Sequence[T]], Iterable[Entry]],
) -> Answered:
    """A page of a list with cursors of its own, cut to what fits."""
    page = await ask(MOST_ITEMS)
    taken = _fit(list(show(page.items)), head, "", asked)
    if len(taken) < len(page.items):
        page = await ask(len(taken))
    return _answer(head, field, taken, "", page.next_cursor)


def _fit(entries: Sequence[Entry], head: Result, line: str, asked: Arguments) -> list[Entry]:
    return fit(entries, Entry(line, head), asked.max_tokens)


def _answer(
    head: Result, field: str, taken: list[Entry], line: str, next_cursor: str | None
) -> Answered:
    items: list[Shown] = [each.data for each in taken]
    data = head.model_copy(update={field: items, "next_cursor": next_cursor})
    return Answered(
        render(line, taken, next_cursor), data.model_dump(mode="json", exclude_none=True)
    )


def _question(asked: Arguments) -> str:
    """What a cursor belongs to: the arguments, but for those that say how much and from where."""
    return type(asked).__name__ + asked.model_dump_json(exclude={"cursor", "max_tokens"})
