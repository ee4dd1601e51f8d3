"""How bad a risk is and what it leads to, read from its strongest consequence term.

Reflection judges by a wider list of its own (``streams/reflection/words.py``): who proposes and who
checks share no code. A test holds that reflection knows every term here.
"""

from __future__ import annotations

import functools
import re

from schemas.events.atom import AtomSeverity

_TERMS: tuple[tuple[AtomSeverity, str], ...] = (
    (
        "critical",
        r"data[- ]loss|los(?:s|e|ing) (?:of )?(?:\w+ ){0,2}(?:data|funds|money|messages)|"
        r"breach\w*|"
        r"leak(?:s|ed|ing)? (?:\w+ ){0,3}(?:secret|credential|key|password|token|data)\w*|"
        r"corrupt\w*|unrecoverable|irrecoverable|compromis\w*|exploit\w*|hijack\w*|stolen|"
        r"steal\w*|"
        r"impersonat\w*|tamper\w*|double[- ]spend\w*|unauthori[sz]ed",
    ),
    (
        "high",
        r"outages?|downtime|crash\w*|unavailab\w*|deadlock\w*|halt(?:s|ed|ing)?|vulnerab\w*|"
        r"attack(?:s|ed|er|ers)?|security (?:risk|issue|problem|hole)s?|leak(?:s|ed|ing|age)?|"
        r"fail(?:s|ed|ing|ure|ures)?|loss(?:es)?|lost|losing|violat\w*|panic\w*|single points?|"
        r"denial|exhaust\w*|stuck|overflow\w*|malicious|unsound\w*|unsafe|penalt(?:y|ies)|"
        r"insecure",
    ),
    (
        "medium",
        r"delay\w*|degrad\w*|blocked|(?:can|could|may|might|will|would|to) block|blocks (?:the|"
        r"all|other|any)|slow(?:s|ed|"
        r"er|ing|down|downs)?|timeouts?|exceed\w*|break(?:s|ing|age|ages)?|broken|conflict(?:s|"
        r"ed|ing)|"
        r"inconsisten\w*|incompatib\w*|regress\w*|overload\w*|overwhelm\w*|lock-?in|churn|costs?|"
        r"costly|"
        r"expensive|starv\w*|contention|bottlenecks?|misconfigur\w*|misus\w*|errors?|incorrect\w*|"
        r"wrong(?:ly)?|unable|disrupt\w*|race conditions?|unexpected\w*|instabilit\w*|unstable|"
        r"unpredictab\w*|undefined behaviou?r|missed|missing|misses|bugs?|spam\w*|throttl\w*|"
        r"stale|abus\w*|orphan\w*|hang(?:s|ing)?|races|exposure|flood\w*|collisions?|escalat\w*|"
        r"unreliab\w*|unresponsive|overhead|latency|inability|revert(?:s|ed|ing)?|drift\w*|"
        r"diverg\w+|unusable|misbehav\w*|livelock\w*|unschedulable|interrupt(?:s|ed|ions?)",
    ),
    (
        "low",
        r"complex\w*|confus\w*|burden\w*|harder|difficult\w*|problems?|problematic|troubles?|"
        r"surpris\w*|"
        r"duplicat\w*|limit(?:s|ed|ing|ation|ations)?|wast\w*|fragil\w*|fragment\w*|mislead\w*|"
        r"mistakes?|inefficien\w*|inaccura\w*|deprecat\w*|unsupported|drawbacks?|downsides?|"
        r"risk\w*|"
        r"worse|undesir\w*|uninten\w*|reject(?:s|ed|ing)?|drop(?:s|ped|ping)?|hurts?|suffers?|"
        r"danger\w*|"
        r"threat\w*|invalid\w*|unbounded|damag\w*|harm\w*|mismatch\w*|flaky|technical debt|"
        r"discrepan\w*|weaken\w*|hazard\w*|infeasib\w*|den(?:y|ies|ied)",
    ),
)
_COMPILED = tuple(
    (level, re.compile(rf"\b(?:{terms})\b", re.IGNORECASE)) for level, terms in _TERMS
)
_ANY = re.compile(rf"\b(?:{'|'.join(terms for _, terms in _TERMS)})\b", re.IGNORECASE)
# What a drawback costs without harm to anybody. Each stands two to twenty times as often in what
# authors list as risks and drawbacks as elsewhere in their documents (3,168 and 11,802 passages
# without a term of the table).
_BURDENS = re.compile(
    r"\b(?:additional|ambigu\w*|annoy\w*|barriers?|bloat\w*|boilerplate|can(?:not|'t)|"
    r"challeng(?:e|es|ing)|clutter\w*|complicat\w*|cumbersome|efforts?|extra|foot-?guns?|"
    r"frustrat\w*|hard to|impacts?|impacted|impossible|inadvertent\w*|inconvenien\w*|"
    r"increas(?:e|es|ed|ing)|lack\w*|larger|learning curve|longer|lose|maint(?:ain\w*|enance)|"
    r"manual(?:ly)?|more (?:code|effort|memory|requests|resources|space|time|work)|"
    r"no (?:longer|way)|not (?:be )?(?:able|available|compatible|possible|supported)|one more|"
    r"opaque|pain(?:s|ful\w*)?|redundan\w*|requires? (?:changes?|more)|tedious|trade-?offs?|ugly|"
    r"unclear|verbos\w*)\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[,;:()]\s+|\s[—–-]\s|\s(?:which|because|but|although|while|so that)\s")
_CONJUNCTION = re.compile(
    r"^\s*(?:because|since|so that|so|which|as|and|but|that|or) (?!\w+ $)", re.IGNORECASE
)
_NO_RISK = re.compile(
    r"\b(?:no|not any|without|minimal|few|avoid\w*|prevent\w*|reduc\w*|mitigat\w*|eliminat\w*|"
    r"protect\w*|guard\w*|resilien\w*|tolera\w*|withstand\w*|surviv\w*|monitor\w*|detect\w*|"
    r"handl\w*|recover\w*|instead of|"
    r"unlikely|"
    r"remov\w*|fix\w*|address\w*|solv\w*|never|cannot|can't|won't|doesn't|does not|do not|less|"
    r"lower|"
    r"low|ensur\w*|helps?|(?:may|must|should|shall) not (?:result|lead|cause))\b"
    r"(?:\s+\S+){0,5}?\s+[\"'(«]?$",
    re.IGNORECASE,
)


# Words of the terms that are more than one word: only beside one of them the patterns must run.
_PARTS = frozenset(
    """
    loss lose losing leak leaks leaked leaking spend spends spending security single block blocks
    race undefined lock technical
    """.split()  # noqa: SIM905  # as a list it would take twenty lines
)
_PHRASE = re.compile(
    r"\b(?:(?:data|los\w+|leak\w*|double|single|security|blocks|race|undefined|lock|technical)\W|"
    r"(?:can|could|may|might|will|would|to) block\b)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"\w+")


def severity_of(text: str) -> AtomSeverity | None:
    """The level of the strongest consequence term in ``text``; None when there is none.

    Most terms are one word, and a word's level is remembered: ten times cheaper than the patterns.
    """
    words = _WORDS.findall(text.lower())
    if not _PARTS.isdisjoint(words) and _PHRASE.search(text):
        return next((level for level, terms in _COMPILED if terms.search(text)), None)
    strongest = min(map(_rank_of, words), default=len(_COMPILED))
    return _COMPILED[strongest][0] if strongest < len(_COMPILED) else None


@functools.lru_cache(maxsize=32_768)
def _rank_of(word: str) -> int:
    """The place of a word's level, 0 for the worst; one too many for a word without one."""
    ranks = (rank for rank, (_, terms) in enumerate(_COMPILED) if terms.fullmatch(word))
    return next(ranks, len(_COMPILED))


def impact_of(text: str) -> str:
    """The clause around the strongest consequence term, or nothing."""
    level = severity_of(text)
    if level is None:
        return ""
    return _clause(text, dict(_COMPILED)[level])


def burden_of(text: str) -> str:
    """The clause that says what a drawback costs, or nothing."""
    return _clause(text, _BURDENS) if _BURDENS.search(text) else ""


def _clause(text: str, terms: re.Pattern[str]) -> str:
    for clause in _CLAUSES.split(text):
        if terms.search(clause):
            clause = _CONJUNCTION.sub("", clause)
            return clause.strip(" .,;:") if clause.count(" ") >= 2 else text.strip(" .,;:")
    return text.strip(" .,;:")


def is_averted(text: str) -> bool:
    """Whether the first consequence is named only as something avoided or absent."""
    first = _ANY.search(text)
    return bool(first and _NO_RISK.search(text[max(0, first.start() - 70) : first.start()]))
