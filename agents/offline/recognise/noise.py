"""What is not a statement, however well formed: the reasons why a sentence is left out.

The ledger is read by people; one line of a licence among the first fifty atoms costs more trust
than a missed sentence. So every rule here errs towards leaving out.
"""

from __future__ import annotations

import functools
import re

_LOWER_WORD = re.compile(r"[a-z]+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LEGAL = re.compile(
    r"\b(?:licensed under|copyright|all rights reserved|spdx|without warrant|warranties|"
    r"as[- ]is\b.*basis|"
    r"permission is hereby|redistribut|apache license|mit license|gnu (?:general|lesser)|"
    r"terms of the license|this (?:program and the accompanying|software is provided|"
    r"file is part of)|"
    r"under the terms|initial api and implementation|eclipse public|liable|trademark|"
    r"developer certificate of origin|contributor license|code of conduct)\b",
    re.IGNORECASE,
)
_GENERATED = re.compile(
    r"\b(?:auto-?generated|generated (?:by|from|file)|do not edit|do not modify|this file (?:is|"
    r"was) "
    r"(?:generated|created)|eslint-|noqa|nolint|pylint|type: ignore|prettier-ignore|@generated|"
    r"yaml-language-server|vim:|-\*-|coverage:|istanbul|sonar|checkstyle|suppresswarnings)",
    re.IGNORECASE,
)
_READER = re.compile(
    r"^(?:see|refer|click|run|open|type|enter|press|choose|download|clone|install|visit|follow|"
    r"check ?out|take a look|have a look|navigate|copy|paste|try|go to|read|find|feel free|let's|"
    r"let us|"
    r"please|execute|start by|to (?:install|run|build|start|use|get|see|do this|learn|create|test|"
    r"set ?up|try|enable|add|check|verify|configure|deploy|generate|update|upgrade|begin|do so)|"
    r"once you|if you|when you|before you|after you|you|your|we'll|we've|i|i'm|i've|my|"
    r"in this (?:section|tutorial|guide|document|chapter|article|example|page|post|step|file|"
    r"directory|"
    r"rfc|kep|proposal|folder|case|repo\w*)|"
    r"this (?:section|tutorial|guide|document|chapter|article|example|page|post|step|rfc|kep|"
    r"proposal|"
    r"file|directory|folder|table|diagram|figure|list|appendix|spec|decision record|adr|readme|"
    r"enhancement|paper|text|doc|template|command|script will|issue|pr|pull request|commit)|"
    r"the (?:following|above|below|next|previous|first|last|rest of|output|result|remainder|"
    r"example|"
    r"examples|command|table|figure|diagram|snippet|code|section|document|listing|screenshot|"
    r"image|"
    r"picture|remaining)|here|below|above|as (?:shown|described|mentioned|noted|discussed|seen|"
    r"stated|"
    r"explained|above|you|we|outlined|an example|follows)|for (?:example|instance|more|further|"
    r"details|"
    r"information|a (?:full|complete|list|detailed)|now|simplicity|brevity|reference|"
    r"completeness)|"
    r"e\.?g|i\.?e|figure|table|listing|step \d|tl;?dr|hint|tip|"
    r"example|examples|thanks|thank|welcome|congratulations|hello|hi|great|nice|ok|okay|yes|no|"
    r"yep|sure|following|note how|be (?:sure|careful|aware)|"
    r"imagine|suppose|consider|assume|assuming|recall|say|given|back to|same|similar|ditto|"
    r"date|author|authors|status|version|updated?|created|deciders|owners?|reviewers?|approvers?|"
    r"editor|state|start date|feature name|rfc pr|rust issue|tracking issue|superseded|"
    r"deprecated by|"
    r"(?:returns?|raises?|yields?|throws|param(?:eter)?s?|arg(?:ument)?s?)(?=:)|"
    r"accepted|proposed|rejected|implemented|links?|source|related|title|number|type|category)\b"
    r"(?![-/.]\w)",
    re.IGNORECASE,
)
_ANAPHORIC = re.compile(
    r"^(?:it|its|this|that|these|those|they|their|them|he|she|his|her|there|both|neither|either|"
    r"another|others?|some|such|which|who|where|one|"
    r"the (?:former|latter|same|other|two|three|"
    r"second|1st|2nd|3rd|\dth|"
    r"third|idea|reason|problem|issue|point|question|goal|intention|intent|purpose|aim|motivation|"
    r"difference|alternative|advantage|disadvantage|downside|upside|drawback|benefit|trade-?off|"
    r"answer|"
    r"solution|proposal|approach|change|changes|decision|only|main|most|key|fact|thing|above|"
    r"proposed|"
    r"current|new|old|existing|original|initial|resulting|corresponding|respective)|"
    r"(?:currently|today|now|usually|often|typically|sometimes|initially|previously|practically),? "
    r"(?:it|this|that|they|these|those)|"
    r"doing|having|being|all of (?:this|these|those)|each of (?:these|those)|in (?:this|that|"
    r"these|those|"
    r"such|either|both|all|any)|at (?:this|that)|with (?:this|that|these|those)|by (?:this|that|"
    r"doing)|"
    r"because of (?:this|that)|due to (?:this|that)|for (?:this|that|these|those|each|both)|"
    r"from (?:this|"
    r"that|these|here)|on (?:this|that)|to (?:this|that)|under (?:this|that)|after (?:this|that)|"
    r"as such|"
    r"if (?:it|this|that|they|so|not)|when (?:it|this|that|they)|since (?:it|this|that|they)|"
    r"because (?:it|this|that|they)|while (?:it|this|that|they)|although|even|otherwise|"
    r"instead(?! of\b)|"
    r"rather(?! than\b)|"
    r"again|besides|yet|still|meanwhile|alternatively|then|too|else|or|nor|until|unless|whereas)\b"
    r"(?![-/.]\w)",
    re.IGNORECASE,
)
_CHAT = re.compile(
    r"(?:^|\s)(?:I|I'm|I've|I'd|I'll|imo|imho|afaik|lol|btw|fyi|wdyt|lgtm|nit|hmm|haha|my|we'd|"
    r"you'd|"
    r"we'll see|thx|ping|cc|guess)(?=[\s,.;:!?]|$)",
)
_LOG_LINE = re.compile(
    r"^(?:\[?\d{4}-\d\d-\d\d|\d\d:\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|v?\d+\.\d+(?:\.\d+)?[ :-]|"
    r"(?:INFO|WARN|ERROR|DEBUG|TRACE)\b|#\d+\b|\$ |> )"
)
_CHANGE_LINE = re.compile(
    r"^(?:bump|upgrade[ds]?|update[ds]?|fix(?:e[ds])?|add(?:ed)?|remove[ds]?|merge[ds]?|"
    r"revert(?:ed)?|"
    r"refactor(?:ed)?|chore|feat|docs|ci|build|test|style|perf)\b(?:\([^)]*\))?(?::|"
    r" .*\bfrom [\dv][\w.]* to "
    r"|.*\(?#\d+\)?\.?$)",
    re.IGNORECASE,
)
_CREDITED = re.compile(r"#\d+\W{1,3}(?:by |from )?@[A-Za-z]")  # a change and who made it
_CODE_SIGNS = re.compile(r"[{}]|;\s*$|=>|->|::|\(\)|\b\w+\(\w*[,)]|==|!=|&&|\|\||\+=|</|/>|\$\{|:=")
_CODE_LINE = re.compile(
    r"^(?:(?:public|private|protected|static|final|const|let|var|def|func|fn|import|return|"
    r"package|"
    r"class|struct|enum|type|export|async|await|if \(|for \(|while \(|else|switch|case|try|throw|"
    r"new|"
    r"curl|git|npm|yarn|docker|kubectl|make|go|cargo|pip|python|sudo|cd|mkdir|apt|brew|helm|ls|"
    r"cat|"
    r"select|insert|create table)\s+\S.*[(){};=$]|[\w.]+\s*[:+-]?=\s*\S|[\w.$]+\([^)]*\);?$|"
    r"[-\w./]+$)"
)


_LEGAL_WORDS = frozenset(
    {"licensed", "license", "licence", "copyright", "reserved", "spdx", "warranty", "warranties"}
    | {"permission", "redistribution", "redistribute", "redistributed", "accompanying", "basis"}
    | {"software", "terms", "liable", "trademark", "trademarks", "certificate", "contributor"}
    | {"conduct", "eclipse", "initial", "file"}
)
_TOOL_WORDS = frozenset(
    {
        "generated",
        "autogenerated",
        "edit",
        "modify",
        "created",
        "noqa",
        "nolint",
        "pylint",
        "ignore",
    }
    | {"eslint", "prettier", "yaml", "vim", "coverage", "istanbul", "sonar", "checkstyle"}
    | {"suppresswarnings"}
)


@functools.lru_cache(maxsize=256)
def words_of(text: str) -> tuple[str, ...]:
    """The words of two letters or more, in order."""
    return tuple(_WORD.findall(text))


@functools.lru_cache(maxsize=256)
def spoken(text: str) -> frozenset[str]:
    """The words of ``text`` in lower case. A word that must occur is looked up before a pattern
    runs: that is ten times cheaper than the search."""
    return frozenset(_LOWER_WORD.findall(text.lower()))


def is_noise(text: str) -> bool:
    """Whether plain ``text`` is no statement of any kind: legal text, code, log, list of names."""
    words = text.split()
    if not text or not 2 <= len(words) <= 120:
        return True
    letters = sum(map(str.isalpha, text))
    if letters < 0.6 * len(text) or len(words_of(text)) < 0.55 * len(words):
        return True
    if len(text) > 12 * len(words) or text.isupper():
        return True
    signs = len(_CODE_SIGNS.findall(text))
    if signs >= 3 or (signs and 12 * signs > len(words) + 6):
        return True
    heard = spoken(text)
    return bool(
        _CODE_LINE.match(text)
        or text.endswith(": ?")  # nobody's name yet
        or (not heard.isdisjoint(_LEGAL_WORDS) and _LEGAL.search(text))
        or (not heard.isdisjoint(_TOOL_WORDS) and _GENERATED.search(text))
        or _LOG_LINE.match(text)
        or _CHANGE_LINE.match(text)
        or ("#" in text and _CREDITED.search(text))
    )


def addresses_reader(text: str) -> bool:
    """Whether it leads a reader through something: instruction, pointer, meta text, label line."""
    return bool(_READER.match(text))


def needs_context(text: str) -> bool:
    """Whether its first words point back at something that stood before."""
    return bool(_ANAPHORIC.match(text))


_PRESENTS = re.compile(
    r"it(?:['’]s| (?:is|was|has been|remains|must|should|shall|will|needs to|has to))"
    r"(?: still| yet| also)?"
    r"(?: not| never)?(?: be| yet| been)* (?:clear|unclear|unknown|open|undecided|decided|agreed|"
    r"resolved|"
    r"possible|impossible|required|forbidden|mandatory|to be (?:seen|decided|clarified|checked)) "
    r"(?:whether|if|that|how|who|which|what|when|where|why|to|for)\b|"
    r"there (?:is|are|remains?|exists?)(?: still| also)? (?:an?|the|some) (?:\w+ )?"
    r"(?:risk|danger|chance) (?:that|of)\b|"
    r"there (?:must|shall|should|has to|needs to) (?:not )?be (?:an?|no|at|one|only|exactly|\d)\b|"
    r"there (?:may|might|could|would)(?: also| still)? be "
    r"(?!no\b|other\b|more\b|some\b|several\b|multiple\b|different\b|an?other\b|cases\b|times\b)|"
    r"some (?:\w+ ){0,2}[a-z]{3,}s (?!of\b)|"
    r"(?:the|an?other|one|a) (?:\w+ )?(?:risk|drawback|downside|danger) "
    r"(?:is|of|in|with|for|around|here|would)\b|"
    r"(?:which|who|where|what)\b[^.]*\?$",
    re.IGNORECASE,
)  # «it» and «there» that point at nothing before


def presents(text: str) -> bool:
    """Whether its first word only looks as if it pointed back: «It is not clear whether …»."""
    return bool(_PRESENTS.match(text))


def is_chatter(text: str) -> bool:
    return bool(_CHAT.search(text))


def is_truncated(text: str) -> bool:
    """Whether it announces something else or is cut off."""
    if text.endswith(
        (
            ":",
            ",",
            "(",
            "…",
            "...",
            "-",
            "—",
            " this",
            " that",
            " and",
            " or",
            " the",
            " a",
            ";",
            "|",
            "=",
        )
    ):
        return True
    return text.count("(") != text.count(")") or text.count('"') % 2 == 1


_ORDERS = (
    r"(?:configure|install|specify|refer|choose|invoke|execute|declare|ensure|consider|prefer)\b|"
    r"(?:apply|append|assign|attach|build|call|change|check|connect|convert|copy|declare|define|"
    r"delete|deploy|describe|export|expose|follow|have|head|import|include|inject|insert|look|"
    r"make|mark|mount|move|open|override|pass|point|put|read|register|remove|replace|run|save|see|"
    r"select|send|set|start|stop|switch|take|turn|use|wait|wrap|write) "
    r"(?:an?|all|any|at|both|each|every|for|from|how|in|into|it|on|one|only|over|sure|that|the|this|"
    r"these|to|whether|with|you|your|`)\b"
)
_INSTRUCTS = re.compile(
    rf"(?:(?:please|simply|just|always|never|also|then) )?(?:{_ORDERS})|"
    r"(?:for|to|if|when|in|on|by|with|once|after|before|as|since|because)\b[^.]{3,110}?"
    rf"(?:, (?:(?:please|simply|just|then|you can|you should) )?(?:{_ORDERS})|"
    r" (?:use|see|call|run|set|add) the )",
    re.IGNORECASE,
)


def instructs(text: str) -> bool:
    """Whether it tells a reader what to do, at once or after a condition; it may be an order too,
    where a document gives orders to the project."""
    return bool(_INSTRUCTS.match(text))


_POINTER = re.compile(
    r"^(?:see|refer|for example|for instance|e\.?g|i\.?e|as (?:shown|described|mentioned|noted|"
    r"discussed|"
    r"stated|outlined)|in this (?:section|document|chapter|example|rfc|kep|proposal)|"
    r"this (?:section|"
    r"document|chapter|table|figure|diagram|list|rfc|kep|proposal|decision record|adr)|"
    r"the (?:following|"
    r"above|below)|figure|table|date|status|version|n/?a|none|tbd|note to|please|click|thanks|"
    r"example|"
    r"examples|more (?:details|information)|details|(?:was |is |has been )?(?:implemented|accepted|"
    r"approved|merged|released|rejected|superseded|withdrawn) (?:and|in|by|on|with|to|as|since)"
    r")\b(?![-/.]\w)",
    re.IGNORECASE,
)


def is_pointer(text: str) -> bool:
    """Whether it only points elsewhere or labels something; holds under a telling heading too."""
    return bool(_POINTER.match(text))
