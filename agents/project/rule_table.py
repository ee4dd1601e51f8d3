"""Which tool a request means without a model: patterns over the user's own words, in their order.

English only, as all rules of the project graph are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents.project.lexicons import Wording
from agents.project.topic_answers import AGAINST, DECISION
from agents.tools.ledger import SEARCH_LEDGER
from agents.tools.search_answers import HITS_TOLD
from schemas.shortening import shorten

FORECAST = "forecast_delivery"
REPORTS = ("generate_", "forecast_")
CHANGES = ("create_", "update_", "delete_", "save_", *REPORTS)
LONGEST_TITLE = 200  # of a task or a feature
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
_NEXT_QUESTION = Wording("answers", "next_question")
LONGEST_READ = 1_000  # characters: a pattern can take time in the square of what it looks through

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A request that the pattern fits means this tool; ``arguments`` come from the match."""

    pattern: str
    tool: str
    arguments: Callable[[re.Match[str]], Arguments] = lambda _: {}

    @property
    def changes(self) -> bool:
        return self.tool.startswith(CHANGES)

    @property
    def reports(self) -> bool:
        """Whether it has something written, and changes nothing that is there."""
        return self.tool.startswith(REPORTS)

    def match(self, request: str) -> re.Match[str] | None:
        return re.search(self.pattern, request, re.IGNORECASE)


def _named(match: re.Match[str]) -> Arguments:
    return {"task": _bare(match["task"])}


def _status(match: re.Match[str]) -> Arguments:
    return _named(match) | {"status": _STATUSES[match["status"].lower()]}


def _title(match: re.Match[str]) -> Arguments:
    title = _bare(match["title"])
    return {"title": shorten(title[:1].upper() + title[1:], LONGEST_TITLE)}


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


# «The risks of seals» is about seals; «the risks of the project» asks for all there are.
_OF_KIND = (
    ("risks?|dangers?|threats?", "risk"),
    (
        r"(?:open|unanswered|unresolved) (?:questions?|points?|issues?)|unknowns?"
        r"|questions? (?:are|is|remain|remains|stay)(?: still)? (?:open|unanswered|unresolved)",
        "unknown",
    ),
    ("requirements?", "requirement"),
    ("action items?|follow-?ups?", "action_item"),
)
_ALL_OF_IT = (
    r"(?:(?:the|this|that|our|your|my|all|whole|entire|next|current|coming)\s+)*"
    r"(?:projects?|plans?|products?|backlog|sprints?|releases?|features?|tasks?|team|ledger|prd"
    r"|us|it|me|them|now|general|total|moment|order)\b"
    r"|(?:task|feat|sprint|epic|art)\w*[-_ ]?\d"
)


def _about_a_topic(words: str, kind: str) -> Rule:
    """Asks for what is of this kind and about something."""
    return Rule(
        rf"\b(?:{words})\b(?:\s+(?:are|is) there|\s+(?:do )?we have)?\s+"
        rf"(?:about|of|for|in|with|regarding|concerning|around|on)\s+(?!{_ALL_OF_IT})(?P<about>\w.*)",
        SEARCH_LEDGER,
        lambda match: _search(match, kind),
    )


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


_HANDED = (
    r"^\W*(?:please\s+)?(?:here(?:'s| is| are)|(?:save|keep|store|add|record|take|ingest)\b)"
    r"[^\n:]{0,40}?\b(?:documents?|texts?|notes?|minutes|transcript|mail|e-?mail|message|memo"
    r"|letter|ticket|spec(?:ification)?|source|file|paper|this(?= as\b|\s*:|\s*\n))\b"
    r"(?P<title>[^\n:«“\"]{0,80})"
    r"(?::|\n|(?=[«“\"]))\s*(?P<text>\S[\s\S]*)"
)


def _handed(match: re.Match[str]) -> Arguments:
    """A text that is pasted behind «here is a document:»; it is asked about before it is kept."""
    title = re.sub(r"^\s*(?:called|named|titled|as a source|of|from|about)?\s*", "", match["title"])
    return {"title": _bare(title), "text": match["text"].strip(' \t\r\n«»“”"')}


_ABOUT = r"\s\W*(?P<about>\w.*)"
_ASKING = r"\b(?:list|show|which|what|how many|all|give me|see)\b"
_ITEMS = tuple((f"{kind}s", f"list_{kind}s") for kind in ("task", "feature", "sprint", "epic"))
_OPEN_POINTS = (
    ("contradictions?|conflicts|contradicts?", "list_contradictions"),
    ("unknowns?|open questions?|unanswered", "list_unknowns"),
)
_LISTED = (
    ("workload|capacity|overloaded|how busy", "get_member_workload"),
    ("members?|team|who works", "list_members"),
    *_OPEN_POINTS,
    ("jobs?|queue", "list_jobs"),
    ("costs?|spent|spend|budget", "get_cost_report"),
)
_GAPS = (
    Rule(
        r"\b(?:what(?:'s| is| are| else is)?|anything|something|which|list|show|tell|where)\b"
        r".{0,40}\b(?:missing|lacking|gaps?|incomplete|not covered|uncovered)\b"
        r"(?!\s+(?:in|of|from|about|for|on|with|at)\s+"
        rf"(?!{_ALL_OF_IT}|(?:the |our )?coverage\b)"
        r"|\s+(?:\w+\s+)?(?:task|feat|sprint)\w*[- ]?\d)|^\W*gaps?\W*$",
        "list_gaps",
    ),
)
_CHANGES = (
    Rule(
        r"\b(?:create|add|make|open|file)\s+(?:a |an |one |the )?(?:new )?(?:task|ticket)\b"
        r"(?![- ]?\d)\s*"
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
        rf"\b(?:mark|set|move|change|make)\b.*?{_TASK}\s+(?:(?:as|to|is)\s+)?"
        rf"(?P<status>{_STATUS})\b",
        "update_task",
        _status,
    ),
    Rule(
        rf"\b(?:close|finish|complete)\s+(?:the )?(?:task )?{_TASK}",
        "update_task",
        lambda m: _named(m) | {"status": "done"},
    ),
)
_REPORTS = (
    Rule(r"\bstand-?up\b|\bdaily\b", "generate_standup"),
    Rule(r"\bretro(?:spective)?\b", "generate_retro"),
    Rule(r"\bsprint report\b|\breport\b.{0,30}\bsprint\b", "generate_sprint_report"),
    Rule(
        r"\bforecast\b|\bwhen\b.{0,40}\b(?:done|ready|finish\w*|deliver\w*)",
        FORECAST,
    ),
)
_ADVICE = (
    Rule(r"\bwho\b.{0,30}\b(?:do|take|work on)\b|\bassign\w*\b", "suggest_assignments"),
    Rule(r"\bprioriti[sz]\w*\b|\bpriorit(?:y|ies)\b", "prioritize_features"),
)
_TOPICS = (
    *(Rule(_decided(words), tool) for words, tool in (*_ITEMS, *_OPEN_POINTS)),
    Rule(
        rf"\b(?:deci(?:ded?|sions?)|agreed?)\b.{{0,20}}?\b(?:about|on|for|regarding|concerning){_ABOUT}",
        SEARCH_LEDGER,
        lambda m: _search(m, DECISION),
    ),
    Rule(
        rf"\b(?:speaks?|argues?|counts?) against{_ABOUT}",
        SEARCH_LEDGER,
        lambda m: _search(m, *AGAINST),
    ),
    *(_about_a_topic(words, kind) for words, kind in _OF_KIND),
    Rule(
        r"\b(?:list|show|analy[sz]e|what|which|main|biggest)\b.{0,30}\brisks?\b",
        "analyze_risks",
    ),
)
_NAMED = (
    Rule(r"\b(?P<atom>atm_[0-9a-f]+)\b", "get_atom", lambda m: {"atom_id": m["atom"]}),
    Rule(r"\b(?P<ref>art_[0-9a-f]+)\b", "get_artifact", _reference),
    *(
        Rule(rf"\b(?P<ref>{word}[- ]?\d+)\b", f"get_{kind}", _reference)
        for word, kind in _KINDS.items()
    ),
)
_LISTS = (
    *(Rule(rf"{_ASKING}.{{0,40}}\b{words}\b|^\W*{words}\W*$", tool) for words, tool in _ITEMS),
    *(Rule(rf"\b(?:{words})\b", tool) for words, tool in _LISTED),
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
HANDED = Rule(_HANDED, "save_source", _handed)
RULES = (*_GAPS, *_CHANGES, *_REPORTS, *_ADVICE, *_TOPICS, *_NAMED, *_LISTS)
