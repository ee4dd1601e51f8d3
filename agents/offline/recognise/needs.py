"""Needs: what the words of a sentence ask of somebody or something, and what sort of need it is."""

from __future__ import annotations

import re

from agents.offline.recognise.cues import ANCHORED, MODAL, WEAK, Cue, has_number, in_contact_clause
from agents.offline.recognise.noise import presents, word_set, words_of
from agents.offline.segment.wording import drop_quoted

_MODAL = re.compile(
    r"\b(?:(?P<must>must|shall|needs? to|(?:is|are) required to|has to|have to|is mandatory|"
    r"are mandatory|required)|(?P<should>should|ought to|is recommended to|are recommended to|"
    r"(?:is|are) (?:strongly |highly )?(?:encouraged|advised|urged) to|"
    r"is expected to|are expected to))\b(?![-/])(?P<rest>.*)",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()]*\)")
_ONLY_CLAUSE = re.compile(r"(?:if|whether) [^,:;]*$", re.IGNORECASE)  # what a setting stands for
_EPISTEMIC = re.compile(
    r"\s*(?:have been|be noted|be (?:enough|fine|ok(?:ay)?|obvious|clear|possible|easy|"
    r"straightforward|"
    r"trivial|sufficient|rare|similar|safe|good|the case|familiar|self-explanatory|considered)|"
    r"be (?:\w+ )?(?:removed|dropped|released)|be (?:seen|thought of|regarded|viewed) as|"
    r"not be (?:confused|mistaken)|"
    r"be \w+ with (?:\w+ )?care\b|"
    r"take\b|"
    r"now\b|already\b|(?:\w+ly )?(?:barely|appear|compress|decrease|increase|usually|typically|"
    r"mostly)\b|have (?:no|little|minimal)\b|"
    r"be (?:minimal|negligible|approximately|roughly|"
    r"relatively|fairly|pretty|quite|very|mostly|no more|a (?:fairly|relatively|pretty))\b|look "
    r"like|see\b|report (?-i:[A-Z])|output|work\b|suffice|help\b|give you|come as|probably|"
    r"hopefully|not matter|"
    r"read|note|"
    r"(?:fix|solve) (?:the|this|that|most|many)\b|"
    r"mention|return something|print|display something|also (?:see|be noted))",
    re.IGNORECASE,
)
_STRANDED = re.compile(
    r"^(?:the|an?) (?:\w+ ){1,4}(?:the|an?) (?:\w+ ){1,4}should \w+ (?:on|in|to|with|from|for|at)$",
    re.IGNORECASE,
)  # «the interface the console should listen on»: a thing, no sentence
_TO_BE_DONE_WITH = re.compile(
    r"(?:in order )?(?:to consider|before (?:considering|marking|merging|accepting)) "
    r"(?:this|the|an?) ",
    re.I,
)  # what a document's own process asks
_PROPORTION = re.compile(
    r"the (?:more|less|fewer|\w+er)\b.*, the (?:more|less|fewer|\w+er)\b", re.I
)
_NOBODYS = re.compile(
    r"(?:without\b[^,]*$|(?:get|set|fetch|return|print|show|read|give|tell|take) "
    r"(?:or|and|the|an?|all|any|some|back)\b)",
    re.IGNORECASE,
)  # what happens otherwise, and an order with a need in its second half
_REMARKS = re.compile(
    r"(?:the|an?|one|another)\s(?:[\w-]+\s)?(?:challenge|problem|issue|question|difficulty|reason|trick|"
    r"idea|point)\b[^,;:]{0,40}\sis\s(?:that|whether|how|when|if)\b|"
    r"(?:before|prior to|without) (?:this|the) (?:change|enhancement|feature|patch|proposal)\b",
    re.IGNORECASE,
)  # what was so, and what somebody has to think about
_OF_PAPERS = re.compile(
    r"(?:the (?:\w+ )?(?:owner|author|editor|shepherd|champion)s? of\s)?"
    r"(?:an?|each|every|all|the)\s(?:new\s)?(?:adrs?|rfcs?|keps?|peps?|reps?|proposals?|"
    r"pull requests?|prs?|commits?|commit messages?|bug reports?)\s",
    re.IGNORECASE,
)  # how those who make the product write, not what the product needs
_DEMANDED = re.compile(
    r"(?:[\w'/-]+ ){1,8}(?:may|must|shall|can) (?:not|never) exceed \S|"
    r"(?:(?!not )[\w'/-]+ ){2,9}(?:is|are) "
    r"(?:mandatory|required|obligatory|forbidden|prohibited)\W*$|"
    r"only (?:[\w'/-]+ ){1,5}(?:may|(?:is|are) (?:allowed|permitted) to) \w+ \w",
    re.IGNORECASE,
)
_OF_NOBODY = re.compile(
    r"(?:if|when|while|where|as|since|because|although|unless|no|nothing|it|this|that|these|those|"
    r"you|we|i|one|they|what|which|who)\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(r"(?:how|what|which|who|why|whether)\b", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\s*(?:have been|be (?:noted|fine|ok(?:ay)?|obvious|clear|the case|familiar)|"
    r"(?:now )?deal with|be reasoned about)\b",
    re.IGNORECASE,
)  # what «must» says of a guess; the verbs above make advice of «should» only
_WITH_RELATIVE = re.compile(
    r"(?:an?|the|every|each|any|all|no)\s[\w -]{2,60}?\s(?:that|which|who)\s[^,;:]*$", re.IGNORECASE
)
_SPEAKER = re.compile(
    r"\b(?:you|we|i|one|they|it|this|that|these|those|there|he|she|some|many|others?)(?:\s+\w+ly|"
    r"\s+also|"
    r"\s+still|\s+then|\s+do|\s+will|\s+may|\s+might|\s+just|\s+only)?\s*$",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?:that|which|who)(?: \w+ly| also| always| still)?\s*$", re.IGNORECASE)
_LEADING_CLAUSE = re.compile(
    r"(?:in (?:most|many|some|all|such|these|those) cases,? )?"
    r"(?:if|when|whenever|while|since|because|although|though|unless|until|once|after|before|"
    r"in case|so that)\b[^,]*,\s",
    re.IGNORECASE,
)
_TO_DO = re.compile(
    r"\s*(?:also )?(?:write|document|benchmark|measure|test|profile|update|rename|"
    r"(?:add|create|include|extend) (?:the new|(?:an? |some |more |the )?(?:\w+ )?"
    r"(?:tests?|metrics?|documentation|docs|comments?|benchmarks?|logs?|logging)))\b",
    re.IGNORECASE,
)  # by those who make it: a task
_WE = re.compile(r"\bwe\b[^,.;]{0,14}$", re.IGNORECASE)
_FIGURE = re.compile(
    r"(?:\b(?:sla|latency|throughput|response time|uptime|availability)\b.*\d)|"
    r"(?:\d[\d.,]*\s?(?:ms|s|%|"
    r"seconds|minutes|hours|requests|rps|tps|qps|mb|gb|kb|users)\b.*\b(?:latency|throughput|"
    r"availability|"
    r"response)\b)",
    re.IGNORECASE,
)
_TARGET = re.compile(
    r"\b(?:at (?:most|least)|(?:less|more|fewer) than|no more than|within|below|target|maximum of|"
    r"minimum of|sla|slo|p9\d)\b|[<>≤≥]",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\b(?:decreased|increased|was|were|measured|dropped|observed|improved|reached|showed|took)\b",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"\b(?:would|might|may|could|will|(?:do|does|did)(?: not|n't)|not|doesn't|don't|no longer|"
    r"if we|just|only|simply|merely|still|likely|probably|usually|typically|often|sometimes|"
    r"\b(?:a|an|the|no)|"
    r"(?:(?:do|does|did)(?: not|n't)) \()\s*$",
    re.IGNORECASE,
)
_EMBEDDED = re.compile(
    r"\s(?:when|which|that|where|whether|how|why|what|who|if|than|as to|because|since)\s[^,;:]*$|"
    r",\s(?:as|while|but|although)\s[^,;:]*$|,\sso\s[^;:]*$",
    re.IGNORECASE,
)
_QUALITY = re.compile(
    r"\b(?:\d+\s?(?:ms|s|sec\w*|minutes?|hours?|%|mb|gb|kb|rps|tps)|latency|throughput|"
    r"performan\w+|"
    r"availab\w+|reliab\w+|scal(?:e|es|able|ability)|secur\w+|encrypt\w*|authenticat\w+|"
    r"authori[sz]\w+|"
    r"confidential\w*|privacy|usab\w+|maintain\w+|portab\w+|compatib\w+|deterministic\w*|"
    r"consisten\w+|"
    r"respon(?:d|se) (?:time|within)|memory|efficien\w+|fast|quick\w*|robust\w*|fault|toleran\w+|"
    r"recover\w*|audit\w*|complian\w+|standards?|testab\w+|test coverage|safe(?:ly|ty)?|durab\w+|"
    r"user[- ]friendly|intuitive|easy to|localiz\w+|accessib\w+|uptime|concurrent)\b",
    re.IGNORECASE,
)
_NEED_WORDS = frozenset(
    {
        "exceed",
        "mandatory",
        "obligatory",
        "forbidden",
        "prohibited",
        "only",
        "must",
        "shall",
        "should",
        "need",
        "needs",
        "has",
        "have",
        "ought",
        "required",
    }
    | {
        "recommended",
        "encouraged",
        "advised",
        "urged",
        "expected",
        "sla",
        "latency",
        "throughput",
        "uptime",
        "availability",
        "response",
    }
)


def requirement_attributes(text: str) -> dict[str, str]:
    """Type by quality words, priority by the modal."""
    modal = _MODAL.search(text)
    priority = "must" if modal and modal.group("must") else "should" if modal else "must"
    if (
        re.search(r"\b(?:may|could|optional(?:ly)?|nice to have)\b", text, re.IGNORECASE)
        and not modal
    ):
        priority = "could"
    kind = "non_functional" if _QUALITY.search(text) else "functional"
    return {"requirement_type": kind, "priority": priority}


def is_of_papers(text: str) -> bool:
    """Whether it speaks of how those who make the product write."""
    return bool(_OF_PAPERS.match(text))


def find_requirement(text: str, *, named: bool) -> Cue | None:
    """A need with somebody or something that has it, or what its makers have to do; advice to the
    reader is none.
    """
    if word_set(text).isdisjoint(_NEED_WORDS):
        return None
    modal = _MODAL.search(text)
    if modal is not None and _MODAL.search(_ASIDE.sub("", text)) is None:
        return None
    if _DEMANDED.match(text):
        return None if _OF_NOBODY.match(text) else _surer(named or has_number(text))
    if modal is None:
        target = _FIGURE.search(text) and _TARGET.search(text) and not _MEASURED.search(text)
        return Cue("requirement", ANCHORED) if target else None
    clause = _LEADING_CLAUSE.match(text)
    if clause and modal.start() <= clause.end():  # what a condition needs, nobody is asked for
        modal = _MODAL.search(text, clause.end())
        if modal is None or not text[clause.end() : modal.start()].strip():
            return None
    subject, rest = text[: modal.start()], modal.group("rest")
    if modal.group(0).lower().startswith("required") and not re.search(r"\b(?:is|are)\s$", subject):
        return None
    binding = modal.group("must") is not None
    if len(words_of(rest)) < 2 or len(words_of(subject)) < 1:
        return None
    if (_SUPPOSED if binding else _EPISTEMIC).match(rest):
        return None
    if _MODAL.search(drop_quoted(text)) is None:
        return None
    if (
        text.endswith("?")
        or _ONLY_CLAUSE.match(text)
        or _HYPOTHETICAL.search(subject)
        or _RELATIVE.search(subject)
    ):
        return None
    if _STRANDED.search(text) or _NOBODYS.match(text) or _PROPORTION.match(text):
        return None
    if _REMARKS.match(text) or _MEASURE.match(text):
        return None
    if _TO_BE_DONE_WITH.match(text):
        return None
    if _EMBEDDED.search(subject) and not (binding and _WITH_RELATIVE.match(subject)):
        return None
    if _WE.search(subject):
        if in_contact_clause(subject):
            return None
        tentative = re.match(
            r"\s*(?:probably|try|consider|revisit|think|look|also|discuss|make some|explain|"
            r"define|understand|see|distinguish|note|introduce some|recall|do this|be able|"
            r"put down|come up with|figure|find out|agree|talk|ask|wait|keep in mind|decide)",
            rest,
            re.I,
        )
        if _TO_DO.match(rest):
            return Cue("action_item", WEAK)
        return None if tentative else Cue("requirement", WEAK)
    if _SPEAKER.search(subject) and not presents(text):
        return None
    if re.search(r"\byour?\b", text, re.IGNORECASE):
        return Cue("requirement", WEAK) if binding else None
    if is_of_papers(text):
        return Cue("requirement", WEAK)
    return _surer(named or has_number(text))


def _surer(anchored: bool) -> Cue:
    return Cue("requirement", ANCHORED if anchored else MODAL)
