"""Answers without a model: which tool a request means, found by words, and its result as text.

English only, as all rules of the project graph are. What no rule knows is looked for in the ledger.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agents.project.answers import add_coverage
from agents.project.confirmations import CallDeclined
from agents.project.state import AgentResult, Citation
from agents.project.topic_answers import (
    AGAINST,
    DECISION,
    Told,
    cite_topic,
    split_topic,
    tell_topic,
)
from agents.project.turn import Steps
from agents.tools.box import refuse
from agents.tools.ledger import HITS_TOLD, SEARCH_LEDGER, tell_result
from agents.tools.tool import ToolBox, ToolResult
from schemas.shortening import shorten

LONGEST_TITLE = 200  # of a task or a feature
NO_MODEL = "Answered by rules: no language model took part."
NOT_UNDERSTOOD = (
    "I did not understand what to change. Say it like 'create a task: export as CSV',"
    " 'mark task-003 as done', 'assign task-003 to Ada', 'rename task-003 to Import',"
    " 'delete task-003', 'move task-003 to sprint-002', 'set feat-001 to must' or"
    " 'close sprint-001'."
)
_KINDS = {
    "task": "task",
    "feature": "feature",
    "feat": "feature",
    "sprint": "sprint",
    "epic": "epic",
}
_STATUSES = {
    "done": "done",
    "finished": "done",
    "complete": "done",
    "completed": "done",
    "in progress": "in_progress",
    "started": "in_progress",
    "in review": "in_review",
    "blocked": "blocked",
    "todo": "todo",
    "to do": "todo",
    "open": "todo",
}
_TASK = r"(?P<task>task[- ]?\d+|«[^»]+»|\"[^\"]+\"|art_[0-9a-f]+)"
_FEATURE = r"(?P<feature>feat(?:ure)?[- ]?\d+|feature (?:«[^»]+»|\"[^\"]+\"))"
_SPRINT = r"(?P<sprint>sprint[- ]?\d+)"
_STATUS = "|".join(sorted(_STATUSES, key=len, reverse=True))
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|thanks?|thank you|good (?:morning|evening|day)|bye|ok(?:ay)?)\b"
    r"[^?]{0,20}$",
    re.IGNORECASE,
)
# «Remind me what we decided» asks, «remind me to ask» orders.
_OF_WHAT = (
    r"\s+(?:me|us|everybody|everyone|the team)\s+(?:(?:again|please)\s+)?(?:(?:of|about)\s+)?"
    r"(?:what|who|whom|whose|why|how|where|which|when (?:we|did)"
    r"|(?:the|our) (?:decision|agreement)s?)\b"
)
_CHANGE = re.compile(
    r"^\W*(?:please\s+)?(?:create|add|make|open|close|delete|remove|rename|update|change|set|mark|move"
    rf"|assign|generate|write|schedule|remind(?!{_OF_WHAT}))\b",
    re.IGNORECASE,
)

_NEXT_QUESTION = re.compile(
    r"[?;]|(?:,|\band\b)\s+(?:and )?(?:what|who|why|how|where|when)\b", re.IGNORECASE
)
LONGEST_READ = 1_000  # characters: a pattern can take time in the square of what it looks through

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A request that the pattern fits means this tool; ``arguments`` come from the match."""

    pattern: str
    tool: str
    arguments: Callable[[re.Match[str]], Arguments] = lambda _: {}

    def match(self, request: str) -> re.Match[str] | None:
        return re.search(self.pattern, request, re.IGNORECASE)


def _named(match: re.Match[str]) -> Arguments:
    return {"task": _bare(match["task"])}


def _status(match: re.Match[str]) -> Arguments:
    return _named(match) | {"status": _STATUSES[match["status"].lower()]}


def _title(match: re.Match[str]) -> Arguments:
    said = _bare(match["title"])
    return {"title": shorten(said[:1].upper() + said[1:], LONGEST_TITLE)}


def _rename(match: re.Match[str]) -> Arguments:
    return _named(match) | _title(match)


def _assign(match: re.Match[str]) -> Arguments:
    return _named(match) | {"assignee": _bare(match["who"])}


def _reference(match: re.Match[str]) -> Arguments:
    return {"reference": _bare(match["ref"])}


def _feature(match: re.Match[str]) -> Arguments:
    return {"feature": re.sub(r"^feature (?=[«\"])", "", _bare(match["feature"])).strip('«»"')}


def _priority(match: re.Match[str]) -> Arguments:
    return _feature(match) | {"priority": re.sub("['’]", "", match["priority"].lower())}


def _sprint(match: re.Match[str]) -> Arguments:
    return {"sprint": _bare(match["sprint"])}


def _search(match: re.Match[str], *kinds: str) -> Arguments:
    """What is asked about, without a second question behind it."""
    about = _NEXT_QUESTION.split(match["about"], maxsplit=1)[0] or match["about"]
    return {"query": _bare(about), "kinds": [*kinds], "limit": HITS_TOLD}


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(" .!?«»\"'")


def _decided(words: str) -> str:
    """A list of what is called so, of which somebody says that it was decided: «show the features
    that we agreed on», and not «what did we decide about features».
    """
    return (
        r"\b(?:list|show|which|what|give me|see)\b"
        rf"(?:\s+(?!deci|agree|(?:about|on|for|did|do|does)\b)[\w'-]{{1,30}}){{0,4}}?\s+(?:{words})\b"
        r".{0,60}?\b(?:decided?|agreed?|settled)\b"
    )


def _rules() -> tuple[Rule, ...]:
    get = [
        Rule(rf"\b(?P<ref>{word}[- ]?\d+)\b", f"get_{kind}", _reference)
        for word, kind in _KINDS.items()
    ]
    found = (
        ("contradictions?|conflicts?|contradicts?", "list_contradictions"),
        ("unknowns?|open questions?|unanswered", "list_unknowns"),
    )
    listed = (
        ("workload|capacity|overloaded|how busy", "get_member_workload"),
        ("members?|team|who works", "list_members"),
        *found,
        ("jobs?|queue", "list_jobs"),
        ("costs?|spent|spend|budget", "get_cost_report"),
    )
    lists = [Rule(rf"\b(?:{words})\b", tool) for words, tool in listed]
    about = r"\s\W*(?P<about>\w.*)"
    asking = r"\b(?:list|show|which|what|all|give me|see)\b"
    items = [(f"{kind}s", f"list_{kind}s") for kind in ("task", "feature", "sprint", "epic")]
    many = [Rule(rf"{asking}.{{0,40}}\b{words}\b|^\W*{words}\W*$", tool) for words, tool in items]
    decided = [Rule(_decided(words), tool) for words, tool in (*items, *found)]
    return (
        Rule(
            r"\b(?:create|add|make|open|file)\s+(?:a |an |one |the )?(?:new )?(?:task|ticket)\b\s*"
            r"(?:called|named|titled|that says|saying|for|to|about|:)?\s*[:«\"]*(?P<title>\S.*)",
            "create_task",
            _title,
        ),
        Rule(rf"\b(?:delete|remove|drop)\s+(?:the )?{_FEATURE}", "delete_feature", _feature),
        Rule(rf"\b(?:delete|remove|drop)\s+(?:the )?{_SPRINT}", "delete_sprint", _sprint),
        Rule(rf"\b(?:delete|remove|drop)\b.*?{_TASK}", "delete_task", _named),
        Rule(
            r"\b(?:create|add|make)\s+(?:a |one |the )?(?:new )?feature\b\s*"
            r"(?:called|named|titled|for|to|:)?\s*[:«\"]*(?P<title>\S.*)",
            "create_feature",
            _title,
        ),
        Rule(
            rf"\bclose\s+(?:the )?{_SPRINT}",
            "update_sprint",
            lambda m: _sprint(m) | {"closed": True},
        ),
        Rule(
            rf"\b(?:mark|set|make|change)\s+(?:the )?{_FEATURE}\s+(?:a |as |to |is )*"
            r"(?P<priority>must|should|could|won['’]?t)\b",
            "update_feature",
            _priority,
        ),
        Rule(
            rf"\b(?:move|put)\b.*?{_TASK}\s+(?:in|into|to)\s+{_SPRINT}",
            "update_task",
            lambda m: _named(m) | _sprint(m),
        ),
        Rule(rf"\brename\b.*?{_TASK}\s+(?:to|into|as)\s+(?P<title>.+)", "update_task", _rename),
        Rule(rf"\bassign\b.*?{_TASK}\s+to\s+(?P<who>.+)", "update_task", _assign),
        Rule(
            rf"\b(?:mark|set|move|change)\b.*?{_TASK}\s+(?:as|to|is)\s+(?P<status>{_STATUS})\b",
            "update_task",
            _status,
        ),
        Rule(r"\bstand-?up\b|\bdaily\b", "generate_standup"),
        Rule(r"\bretro(?:spective)?\b", "generate_retro"),
        Rule(r"\bsprint report\b|\breport\b.{0,30}\bsprint\b", "generate_sprint_report"),
        Rule(
            r"\bforecast\b|\bwhen\b.{0,40}\b(?:done|ready|finish\w*|deliver\w*)",
            "forecast_delivery",
        ),
        Rule(r"\bwho\b.{0,30}\b(?:do|take|work on)\b|\bassign\w*\b", "suggest_assignments"),
        Rule(r"\bprioriti[sz]\w*\b|\bpriorit(?:y|ies)\b", "prioritize_features"),
        Rule(
            r"\b(?:list|show|analy[sz]e|what|which|main|biggest)\b.{0,30}\brisks?\b",
            "analyze_risks",
        ),
        *decided,
        Rule(
            rf"\b(?:deci(?:ded?|sions?)|agreed?)\b.{{0,20}}?\b(?:about|on|for|regarding|concerning){about}",
            SEARCH_LEDGER,
            lambda m: _search(m, DECISION),
        ),
        Rule(
            rf"\b(?:speaks?|argues?|counts?) against{about}",
            SEARCH_LEDGER,
            lambda m: _search(m, *AGAINST),
        ),
        Rule(r"\b(?P<atom>atm_[0-9a-f]+)\b", "get_atom", lambda m: {"atom_id": m["atom"]}),
        Rule(r"\b(?P<ref>art_[0-9a-f]+)\b", "get_artifact", _reference),
        *get,
        *many,
        *lists,
        Rule(r"\b(?:list|show|which)\b.{0,20}\bsources?\b", "search_sources"),
        Rule(
            r"\b(?:show|read|give me)\b.{0,20}\bprd\b",
            "get_artifact",
            lambda _: {"reference": "prd"},
        ),
        Rule(
            r"\b(?:status|progress|overview)\b|\bhow (?:is|are) (?:the )?(?:project|things|we)\b",
            "get_project_status",
        ),
    )


RULES = _rules()


def concerns_project(request: str) -> bool:
    """Whether the ledger is looked into first: all but greetings and orders."""
    return not (_GREETING.match(request) or _CHANGE.match(request))


def choose_call(request: str) -> tuple[str, Arguments]:
    """The tool that the request means by its first words, and its arguments; the search where no
    rule fits.
    """
    said = request[:LONGEST_READ]
    for rule in RULES:
        if match := rule.match(said):
            return rule.tool, rule.arguments(match)
    return SEARCH_LEDGER, {"query": said, "limit": HITS_TOLD}


async def run_rules(
    steps: Steps, tools: ToolBox, began: datetime, *, because: str = ""
) -> AgentResult:
    """Make the call that the request means, and tell its result. Raises WaitsForConfirmation."""
    name, arguments = choose_call(steps.turn.request)
    if name == SEARCH_LEDGER and _CHANGE.match(steps.turn.request):
        return await _ask_back(steps, began)
    if arguments.get("kinds"):
        said = await _answer_topic(steps, tools, arguments)
    else:
        said = _tell(arguments, await _call(steps, tools, name, arguments), name == SEARCH_LEDGER)
    why = f"{NO_MODEL} {because}".strip()
    return AgentResult(
        agent=steps.turn.node,
        result_type="answer",
        output={
            "stop_reason": "answered",
            "rounds": 0,
            "coverage": said.coverage,
            "tool_calls": [
                {"tool": name, "args": dict(args), "is_error": one.is_error}
                for args, one in said.calls
            ],
        },
        response=f"{add_coverage(said.text, said.coverage)}\n\n{why}",
        citations=said.citations,
        engine="rules",
        error=said.error,
        started_at=began,
        finished_at=await steps.read_clock(),
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """An answer and the calls behind it, all of one tool; ``coverage``: of searches alone."""

    text: str
    citations: tuple[Citation, ...]
    calls: Sequence[tuple[Mapping[str, Any], ToolResult]]
    coverage: str | None

    @property
    def error(self) -> str | None:
        return next((str(it.data.get("error")) for _, it in self.calls if it.is_error), None)


def _tell(arguments: Arguments, result: ToolResult, is_search: bool) -> _Said:
    calls = [(arguments, result)]
    if not is_search or result.is_error:
        return _Said(result.text, result.citations, calls, None)
    coverage = "some" if result.citations else "none"
    return _Said(tell_result(result), result.citations, calls, coverage)


async def _answer_topic(steps: Steps, tools: ToolBox, first: Arguments) -> _Said:
    """Each part by a search of its own; what comes nearest, where the first has found nothing."""
    told = []
    for part in split_topic(steps.turn.request, first):
        result = await _call(steps, tools, SEARCH_LEDGER, part.arguments)
        if result.is_error:
            return _tell(first, result, is_search=True)
        told.append(Told(part, result))
    calls = [(one.part.arguments, one.result) for one in told]
    nearest = None
    if not told[0].hits:
        of_any_kind = {"query": first["query"], "limit": HITS_TOLD}
        nearest = await _call(steps, tools, SEARCH_LEDGER, of_any_kind)
        calls.append((of_any_kind, nearest))
    citations = cite_topic(told, nearest)
    return _Said(tell_topic(told, nearest), citations, calls, "some" if citations else "none")


async def _ask_back(steps: Steps, began: datetime) -> AgentResult:
    """An order that no rule understands is not looked for in the ledger like a question."""
    return AgentResult(
        agent=steps.turn.node,
        result_type="answer",
        output={"stop_reason": "not_understood", "rounds": 0, "coverage": None, "tool_calls": []},
        response=f"{NOT_UNDERSTOOD}\n\n{NO_MODEL}",
        engine="rules",
        started_at=began,
        finished_at=await steps.read_clock(),
    )


async def _call(
    steps: Steps, tools: ToolBox, name: str, arguments: Mapping[str, Any]
) -> ToolResult:
    """A rule reads the user's own words, so only what always asks is confirmed."""
    tool = tools.find(name)
    if tool is None:
        return refuse(f"There is no tool {name}.", "unknown_tool")
    if not tool.confirm:
        return await steps.call(tool, arguments)
    try:
        return await steps.call_confirmed(tool, arguments)
    except CallDeclined as declined:
        why = "Not done"
        if declined.is_expired:
            why = "Nobody confirmed it in time, so it is not done"
        elif declined.reason:
            why = f"Not done ({declined.reason})"
        return ToolResult(f"{why}: {declined}", {"declined": True})
