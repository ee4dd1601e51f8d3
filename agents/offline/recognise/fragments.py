"""Whether a sentence stands alone: whole, with a verb, and clear to who has not read its page.

The last question before a sentence becomes an atom, asked of its final wording. Repairing a
fragment was decided against, beyond taking a leading label or connective off: what is missing
cannot be known.
"""

from __future__ import annotations

import re

from agents.offline.recognise.antecedents import lacks_antecedent
from agents.offline.recognise.noise import word_set
from agents.offline.recognise.stand_ins import speaks_of_stand_ins

_OPENS_ODD = re.compile(r"[()\]}>,;:./|*=~-]|\d+[).]\s|[a-z]\)\s|[ivx]{1,4}[.)]\s", re.IGNORECASE)
_ENDS_OPEN = re.compile(
    r"\b(?:of|into|and|or|the|an?|that|which|iff?|than|as|its|their|"
    r"special|namely|including|when|where|into|such|because|however|e\.g|i\.e|eg|ie|vs|between|have|would|will|"
    r"must|(?:must|shall|should|may|can|will|do|does) (?:not|never)|"
    r"to (?:avoid|ensure|prevent|enable|allow|make|use|get))\W*$",
    re.IGNORECASE,
)
_ENDS_WITH_PREPOSITION = re.compile(
    r"^(?!.*\b(?:that|which|who|what|whom|how|where|than|as|there|it)\b.*$).*"
    r"\b(?:for|to|with|by|from|is|are|was|were|be|been|can|may|should|shall)\W*$",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\bthe (?:following|above|below|aforementioned|latter|former|previous (?:one|section|step|"
    r"example|paragraph|approach|case))\b|"
    r"\b(?:as|is|are|was|were|been|described|mentioned|discussed|shown|listed|defined|noted|"
    r"outlined|explained|stated|see|given|introduced|presented|documented|summari[sz]ed) "
    r"(?:above|below|earlier|later|next|previously|here)\b|"
    r"\bas (?:already )?(?:pointed out|\w+ed) (?:above|below|before|earlier)\b|"
    r"\blooks? (?:\w+ )?like this\b|"
    r"\b(?:above|below|as follows|the following)(?:-mentioned)?\W*$|"
    r"\bsee (?-i:[A-Z])|\bfor (?:this|that|these|those) reasons?\b|"
    r"\b(?:do(?:es)?|implements?|achieves?|handles?|supports?|solves?|prevents?|avoids?) this "
    r"(?:by|with|via|in|through|for|when|using)\b|\b(?:in|of|by|from|to|step) \(\d\)|"
    r"\battached\W*$|"
    r"\bkeep (?:this|that|these) in mind\b|\blet(?:['’]s| us) (?:say|assume|suppose|imagine|see)\b|"
    r"\b(?:using|do|doing|for|of|with|like|from|by|on|about|than|achieve|solve|avoid|"
    r"prevent|support|enable|address|implement|handle) (?:this|these)(?:[,.;]|$)|"
    r"\bnext (?:section|point|paragraph|chapter|step)\b|\b(?:described|discussed|outlined|"
    r"explained|"
    r"detailed|specified|proposed|presented) in (?:the|section|our) .*\b(?:section|document|design|"
    r"proposal|adr|rfc|chapter)\b|\(see\b|\bsee (?:section|"
    r"also|figure|table|appendix)\b|\b(?:figure|table|listing|section|appendix|step|case|item) "
    r"(?:\d|[ivx]+\b)|"
    r"\bthis (?:commit|section|document|page|guide|tutorial|adr|rfc|change|pr|issue|proposal|"
    r"plot|graph|chart|case|example|record|file|article|refactoring|approach|step)\b|"
    r"\b(?:in|with) our (?:solution|case|example|setup|experiments?|tests?)\b|\bthe respective\b|"
    r"\bhere(?:\W*$|:)|"
    r"\bbefore (?:stating|discussing|describing|explaining)\b|"
    r"\bwe first\b|\bwe (?:call|denote|mark|define|say|assume|write|refer|will (?:first )?"
    r"(?:see|make|discuss|describe|detail|explain|outline|call|assume|now))\b",
    re.IGNORECASE,
)
_LABELLED_CLAUSE = re.compile(r"[^:]{1,50}: (?:is|are|was|will|[a-z]+s) ")
_POINTS_EARLY = re.compile(
    r"\b(?:all|both|some|each|none|one|any|many|most) of (?:them|these|those)\b|"
    r"\b(?:in|of|for|with|by|from|on|to|as|uses?|using|provides?|supports?|"
    r"offers?|handles?|implements?) (?:this|these|those|such an?) "
    r"(?!project|system|product|repository|service|software|library|tool|release|proposal|rfc|kep|"
    r"adr|enhancement|feature)\w+",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:the|all|any|each|every|both|these) (?:\w+ ){1,3}(?:above|below)\b(?! \d)", re.IGNORECASE
)
_FIELD_LABEL = re.compile(
    r"\"[^\"]{1,40}\"\s*:|[a-z][\w.-]*(?: \([^)]*\))?: (?!must\b|should\b|shall\b)"
)
EARLY = 50  # characters before which «these» can have nothing in its own sentence to stand for
_NOTATION = re.compile(
    r"^\w+\([^)]*\)|\blocalhost\b|127\.0\.0\.1|\s\|\s.*\s\|\s|^\||\|\w{1,2}\||[∈∀∃≤≥⊇⊆∧∨→⇒∑√±]|\$[^$]+\$|"
    r"\b\w+\([a-z](?:,\s?[a-z])+\)|\b[A-Z]_\w|"
    r"\b[a-z]_[a-z0-9]\b|"
    r"\b[a-z]{2} [+-] \d|\b[A-Z]\d-[A-Z]?\d\b|\b[a-z] (?:=|<|>|<=|>=|\+|-) \w|\w\^\w|\\[a-z]+\{|"
    r"\b(?:iff|lemma|theorem|corollary|w\.?l\.?o\.?g|q\.?e\.?d|predicate|plot|gradient|"
    r"x-axis|y-axis)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"[a-z]{2}\.[A-Z][a-z]+ [a-z]|[a-z],[a-z]+ |"
    r"[a-z]{3} (?:(?:This|These|It|However|Therefore) [a-z]|(?:In|If|When|For) (?:the|a|an|this) )|"
    r"(?<!etc)(?<!resp)(?<!incl)(?<!approx)(?<=[a-z]{3})\. [a-z]|"
    r"\(\s*\)|\?\?|\b(\w{3,}) \1\b"
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|do|did|can|could|may|might|must|shall|should|"
    r"will|would|needs?|isn't|aren't|won't|can't|cannot|doesn't|don't|(?:we|they)'re|uses?|\w{3,}(?:ed|ize|ise|"
    r"ify)|(?<!^)(?:gets?|goes|expires?|keeps?|runs?|sends?|sets?|takes?|makes?|gives?|holds?|reads?|"
    r"writes?|leads?|stores?|causes?|costs?|means|shows?|tells?|finds?|puts?|loses|lost|becomes?|"
    r"comes?|begins?|knows?|sees?|wants?|asks?|helps?|lets?|allows?|works|stays?|remains?|breaks?|"
    r"stops?|starts?|builds?|changes|moves|adds|owns|lies|stands?|chose|went|kept|made|built|sent|"
    r"wrote|took|gave|held|led|became|came|began|knew|saw|told|found|"
    r"[a-z]{3,}(?:[^aeious\W]es|[^s\W]s)(?= (?:the|an?|to|on|in|all|no|any|only|as|its|their|"
    r"\w+s?\b))))\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"^(?:so (?!that\b)|however\b|"
    r"hence\b|thus\b|therefore\b|but\b|though\b|and\b|because\b|eliminated\b|"
    r"except\b|nor\b|or\b|as by\b|as of\b|as one of\b|that is\b|namely\b|in (?:this|that|these|"
    r"those|such) |since (?:at|it|this|that|we|no)\b|compared to (?:this|that)|"
    r"of (?:these|those)|all of (?:them|these|those)|none of (?:them|these)|both of\b|"
    r"if (?:not|someone|somebody|one|we|you)\b|at the same time\b|that way\b|this way\b|"
    r"based on (?:this|that)|"
    r"an?other (?:\w+ )?(?:problem|issue|option|advantage|approach|way|aspect|idea)\b|"
    r"the list is\b|for examples?\b|the requirements? (?:for|of|are)\b|the decision\b|"
    r"\S{1,40}(?: \([\w ]{1,20}\))? --? (?-i:[A-Z])|\S{1,40} [-–—] (?:the|an?|"
    r"all|"
    r"everything|contains?|is)\b|to \w+ (?!.*, (?:the|an?|we|all|each|every|our|"
    r"(?-i:[A-Z`]))[\w` ])|in practice\b|at the (?:moment|end)\b|"
    r"on top of (?:this|that))",
    re.IGNORECASE,
)
_ONLY_IF = re.compile(r"if [^,]+(?:, (?:but|and|or) [^,]+)+$", re.IGNORECASE)
_NO_SUBJECT = re.compile(
    r"(?:is|are|was|were|has|have|had|will|would|can|could|may|might|must|shall|should)\b(?!.*\?$)",
    re.IGNORECASE,
)
_NO_CLAUSE = re.compile(r"(?:whether|what|which)\b(?!.*\?$)", re.IGNORECASE)
ORDERS = (  # verbs that open one
    r"use|adopt|keep|store|move|replace|introduce|split|switch|add|remove|make|build|write|"
    r"support(?! for\b)|create|drop|deprecate|rename|extend|implement|provide|refactor|publish|run|"
    r"improve|enable|disable|reduce|simplify|migrate|enforce|investigate|"
    r"ensure|avoid|allow|define|validate|verify|check|follow|include|return|handle|require"
)
_IMPERATIVE_DECISION = re.compile(rf"^(?:{ORDERS})\b", re.IGNORECASE)


def stands_alone(text: str, *, structural: bool) -> bool:
    """Whether ``text`` is a whole statement; under a telling heading it needs no verb."""
    if _OPENS_ODD.match(text) or _unbalanced(text):
        return False
    is_question = text.endswith("?")  # «What is it made of?»
    if not is_question and (_ENDS_OPEN.search(text) or _ENDS_WITH_PREPOSITION.match(text)):
        return False
    if not structural and (
        _NO_CLAUSE.match(text)
        or _NO_SUBJECT.match(text)
        or _FIELD_LABEL.match(text)
        or lacks_antecedent(text)
        or _LABELLED_CLAUSE.match(text.lower())
    ):
        return False
    if _LABELLED_CLAUSE.match(text):
        return False
    if (
        _DANGLING.match(text)
        or _ONLY_IF.match(text)
        or _JOINED.search(text)
        or _NOTATION.search(text)
    ):
        return False
    if not word_set(text).isdisjoint(("above", "below")) and _ELSEWHERE.search(text):
        return False
    if _POINTS.search(text) or _POINTS_EARLY.search(text, 0, EARLY):
        return False
    return (structural or has_verb(text)) and not speaks_of_stand_ins(text)


def has_verb(text: str) -> bool:
    """Whether a finite verb is in sight; English only, and generous."""
    return bool(_VERB.search(text))


def is_decisive(text: str) -> bool:
    """Whether what opens a decision section is a sentence or an order, not a heading in prose."""
    return has_verb(text) or is_order(text)


def is_order(text: str) -> bool:
    """Whether ``text`` begins with a verb that tells somebody to do it."""
    return bool(_IMPERATIVE_DECISION.match(text))


def _unbalanced(text: str) -> bool:
    pairs = (("(", ")"), ("[", "]"), ("{", "}"))
    return any(text.count(a) != text.count(b) for a, b in pairs) or text.count('"') % 2 == 1


def asks(text: str) -> bool:
    """Whether ``text`` names something that is not known or not decided."""
    if text.endswith("?") or re.match(r"(?:whether|how|which|who|when|what|where)\b", text, re.I):
        return True
    heard = word_set(text)
    return not heard.isdisjoint(_UNSURE) or (
        not heard.isdisjoint(_ONCE_DONE) and bool(_NOT_DONE.search(text))
    )


_UNSURE = frozenset(
    {"unclear", "unknown", "undecided", "unresolved", "tbd", "decide", "whether", "clarify"}
    | {"investigate", "open", "unsure", "investigation", "discussion", "question", "clarification"}
    | {"revisit"}
)
_ONCE_DONE = frozenset({"determined", "decided", "discussed", "clarified", "defined", "revisited"})
_NOT_DONE = re.compile(
    r"\b(?:be|being|not|never|yet|until|once)(?: yet| been?| \w+ly)* "
    r"(?:determined|decided|discussed|clarified|defined|revisited)\b",
    re.IGNORECASE,
)
