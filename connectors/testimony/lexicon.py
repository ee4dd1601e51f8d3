"""The words that tell a message's risk, and technical phrases that look like them.

Each class is a table of named rules; a rule is a set of patterns, and one match is enough. Written
for English. A change here needs a new ``RISK_VERSION``: classified messages keep their version.
"""

from __future__ import annotations

import re

from schemas.events.testimony import RiskClass

RISK_VERSION = "risk/1"


def _any(*patterns: str) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns)


def _verbs(words: str) -> str:
    return "(?:" + "|".join(words.split()) + ")"


_THINGS = _verbs(
    r"process(?:es)? pods? jobs? workers? threads? tasks? containers? servers? sessions?"
    r" quer(?:y|ies) features? branch(?:es)? builds? connections? child(?:ren)? switch(?:es)?"
    r" brokers? daemons?"
)
MACHINES = _any(
    r"```.*?```",
    r"`[^`\n]+`",
    rf"\bkill(?:s|ed|ing)?\s+(?:-9\s+)?(?:(?:the|a|all|any|that|this|off)\s+){{0,2}}"
    rf"(?:\w+[ -])?{_THINGS}\b",
    r"\bkill[- ]?-?9\b|\bkill[- ]switch(?:es)?\b|\b(?:sig|oom)[- ]?kill\w*",
    r"\billegal\s*(?:argument|state|access|character|instruction|value|operation|token|input|utf"
    r"|byte|sequence|syntax|thread|monitor|reflective)\w*",
    r"\bthreat[- ](?:model\w*|actor|intelligence|vector|landscape|analysis)",
    r"\bdiscriminat(?:ed\s+union|or)s?\b",
    r"\bbus[- ]factor\b|\bdead[- ]?(?:lock|letter|code|line)\w*|\bbrute[- ]force\w*",
    r"\babuse[- ](?:of\s+the\s+)?(?:api|notation|rate|limit|detection|prevention|report)s?",
    r"\bfraud[- ](?:check|detection|score|service|rule|prevention|model)\w*",
    r"\bstupid\s+(?:question|mistake|typo)s?\b",
)

_WHOM = r"(?:you|him|her|them|<@\w+[^<>]*>|@\w+|(?-i:[A-Z][a-z]+))"
_GROUP = (
    r"(?:woman|girl|black|brown|asian|jew\w*|muslim|christian|gay|lesbian|trans|queer|pregnant"
    r"|disabled|old|foreign\w*|immigrant)"
)
_HIGH = {
    "H-SELF-HARM": _any(
        r"\b(?:kill|hurt|harm|cut)(?:ing)?\s+(?:myself|himself|herself|themselves)\b",
        r"\bsuicid\w+|\bself[- ]harm\w*|\bend\s+(?:my\s+(?:own\s+)?life|it\s+all)\b",
        r"\b(?:want|wish\w*|like)\s+(?:to\s+(?:die|be\s+dead)|(?:i\s+)?(?:was|were)\s+dead)\b",
        r"\bbetter\s+off\s+dead\b|\bno\s+reason\s+to\s+live\b|\bdon'?t\s+want\s+to\s+live\b",
    ),
    "H-THREAT": _any(
        r"\b(?:i'?ll|will|going\s+to|gonna|we'?ll|he'?ll|she'?ll|should)\s+(?:\w+\s+){0,2}?"
        rf"(?:kill|hurt|beat|shoot|stab|ruin|punch|hit)\s+{_WHOM}\b",
        rf"\bthreaten(?:s|ed|ing)?\s+(?:me|us|to\s+(?:fire|hurt|kill)|{_WHOM})\b",
        r"\b(?:death|bomb)\s+threats?\b|\bbring\s+a\s+(?:gun|knife|weapon)\b|\bkill\s+you\b",
        r"\byou(?:'ll|\s+will)\s+regret\s+(?:this|it)\b|\bwatch\s+your\s+back\b|\bblackmail\w*",
    ),
    "H-HARASSMENT": _any(
        r"\bharass\w*|\bbull(?:y|ied|ies|ying)\b|\bstalk(?:s|ed|ing)\s+(?:me|her|him|us)\b",
        r"\bgrop(?:e|ed|ing)\b|\bmolest\w*|\brap(?:e|ed|ist)\b|\btouch(?:es|ed|ing)\s+me\b",
        r"\bsexual(?:ly)?\s+(?:assault|advance|comment|remark|joke|explicit|abus)\w*|\bnudes?\b",
        r"\bunwanted\s+(?:touch|advance)\w*|\bassault(?:ed|s)?\s+(?:me|her|him|us|by)\b",
        r"\babus(?:es|ed|ing)\s+(?:me|her|him|us)\b"
        r"|\babusive\s+(?:boss|manager|colleague|language|behaviou?r)\b",
    ),
    "H-DISCRIMINATION": _any(
        r"\braci(?:s[mt]|al\s+)\w*|\bsexis[mt]\w*|\bageis[mt]\w*|\bslurs?\b",
        r"\b(?:homo|trans|xeno|islamo)phob\w+|\bantisemit\w+",
        r"\bdiscriminat(?:es?|ed|ing|ion)\s+(?:against|me|us|because|based|on)\b",
        rf"\bbecause\s+(?:i|she|he|they)(?:'?m|'?s|'?re|\s+am|\s+is|\s+are)\s+(?:an?\s+)?{_GROUP}\b",
        r"\b(?:women|girls|blacks|jews|muslims|gays|immigrants|foreigners|old\s+people)\s+"
        r"(?:can'?t|cannot|shouldn'?t|are\s+(?:all\s+)?(?:bad|too|stupid|lazy|inferior))\b",
    ),
    "H-ILLEGAL": _any(
        r"\bbrib(?:e|es|ed|ery|ing)\b|\bembezzl\w+|\bmoney\s+launder\w+|\binsider\s+trad\w+",
        r"\btax\s+(?:fraud|evasion)\b|\bkickbacks?\b|\bfraud(?:ulent)?\b|\billegal(?:ly)?\b",
        r"\bfalsif(?:y|ied|ying)\s+(?:the\s+)?"
        r"(?:books|records|reports?|invoices?|numbers|accounts|data)\b",
        r"\bst(?:ole|ealing|eals)\s+(?:money|from|customer|company)|\bsell(?:s|ing)?\s+drugs\b",
    ),
}

_MENTION = r"(?:<@\w+[^<>]*>|(?<!\w)@[\w.-]+)"
_SOMEBODY = (
    rf"(?:{_MENTION}|\b(?:he|she|they|you|(?:my|our)\s+(?:boss|manager|lead|po|cto|ceo|team))\b)"
)
_NAMED = rf"(?:{_SOMEBODY}|(?-i:\b[A-Z][a-z]{{2,}}\b))"
_BEING = r"(?:'s|'re|\s+is|\s+are|\s+was|\s+were|\s+has\s+been|\s+being)\s+(?:\w+\s+){0,3}?"
_NASTY = (
    r"(?:incompetent|useless|lazy|stupid|an?\s+idiot|idiots|a\s+moron|arrogant|rude|clueless"
    r"|an?\s+(?:liar|jerk|asshole|micromanager)|lying|dishonest|unprofessional|childish|selfish"
    r"|impossible\s+to\s+work\s+with|spiteful|toxic|a\s+bully)"
)
_POOR = (
    r"(?:terrible|awful|horrible|difficult|careless|hopeless|unreliable|hostile|mean|a\s+joke"
    r"|a\s+nightmare|playing\s+favou?rites|against\s+(?:me|us))"
)
_HURTS = _verbs(
    r"yell\w* shout\w* scream\w* insult\w* humiliat\w* belittl\w* mock\w* lied lies gossip\w*"
    r" undermin\w* micromanag\w* sabotag\w* badmouth\w* harangu\w*"
)
_MEDIUM = {
    "M-PERSON": _any(
        rf"{_NAMED}{_BEING}{_NASTY}\b",
        rf"{_SOMEBODY}{_BEING}{_POOR}\b",
        rf"{_NAMED}\s+(?:\w+\s+){{0,8}}?"
        r"(?:out\s+of\s+spite|to\s+annoy|behind\s+(?:my|our|his|her|their)\s+backs?)\b",
        r"\b(?:blam(?:e|es|ed|ing)|hat(?:e|es|ing)|can'?t\s+stand|despise\w*|fed\s+up\s+with|tired\s+of"
        rf"|sick\s+of)\s+{_NAMED}",
    ),
    "M-CONDUCT": _any(
        rf"{_NAMED}\s+(?:\w+\s+){{0,2}}?{_HURTS}\b",
        rf"{_NAMED}\s+(?:\w+\s+)?(?:ignor\w+|exclud\w+|interrupt\w+|blam\w+|attack\w*)\s+"
        r"(?:me|us|him|her|them|my|our|everyone|everybody)\b",
        rf"{_NAMED}\s+(?:takes?|took|taking)\s+(?:all\s+)?(?:the\s+)?credit\b",
        rf"{_NAMED}\s+(?:\w+\s+)?(?:turn(?:s|ed)?\s+down|reject(?:s|ed)?|block(?:s|ed)?)\s+"
        r"(?:every|all|each|my|our)\b",
        rf"{_NAMED}\s+(?:never|refuses?\s+to)\s+(?:help|review|answer|listen|repl|talk|show\s+up)\w*",
        rf"{_NAMED}\s+always\s+(?:complain\w*|blam\w*|late|delegat\w*|disappear\w*)",
    ),
    "M-INSULT": _any(
        r"\b(?:idiot|moron|asshole|bastard|bitch|jerk|imbecile|cretin|dumbass|prick)s?\b",
        r"\bshut\s+up\b|\b(?:screw|f\W?u?\W?c?k)\w*\s+(?:you|him|her|them|off)\b",
    ),
    "M-CONFLICT": _any(
        r"\b(?:fight|quarrel|feud|tension)s?\s+(?:between|with|among)\s+(?:us|me|the\s+team|people|"
        rf"{_NAMED})",
        r"\bnot\s+(?:on\s+speaking\s+terms|speaking\s+to\s+each)\b|\bpassive[- ]aggressive\b",
        r"\bsilent\s+treatment\b|\bcold\s+shoulder\b|\boffice\s+politics\b|\bbackstab\w+"
        r"|\bfavou?ritism\b|\bunfair(?:ly)?\b",
    ),
    "M-BURNOUT": _any(
        r"\bburn(?:ed|t|ing)?[- ]?out\b|\b(?:i'?m|am|is|are|be|feel\w*)\s+(?:\w+\s+)?exhausted\b",
        r"\boverwork\w*|\bcan'?t\s+(?:\w+\s+){0,3}any\s*(?:more|longer)\b|\bbreak(?:ing)?\s+down\s+"
        r"(?:in|at|because)\b|\bbreakdown\b|\banxiety\b|\bdepress(?:ed|ion)\b|\bpanic\s+attack",
        r"\bcr(?:y|ied|ying)\s+(?:at|in|after|because)\b|\bhaven'?t\s+slept\b|\bmental\s+health\b",
        r"\bquit(?:ting)?\s+(?:my\s+job|this\s+job|the\s+company)\b|\bresign(?:ing|ed)\b"
        r"|\bat\s+(?:my|the)\s+(?:limit|breaking\s+point)\b|\bsick\s+leave\b",
        r"\bwork(?:ing|ed)?\s+(?:every|all|the\s+whole)\s+(?:weekend|night)s?\b",
    ),
    "M-STANDING": _any(
        r"\blaid\s+off\b|\blayoffs?\b|\bgot\s+fired\b|\b(?:be|been|being|getting)\s+fired\b",
        r"\bperformance\s+(?:improvement\s+plan|review)\b|\bsalar(?:y|ies)\b|\bpay\s*rise\b"
        r"|\b(?:my|his|her|their|for\s+a)\s+promotion\b",
    ),
}
_LOW = {
    "L-FRUSTRATION": _any(
        r"\bfrustrat\w+|\bannoy\w+|\b(?:fed\s+up|sick|tired)\s+(?:of|with)\b|\bu+gh+\b|\bgr{2,}\b",
        r"\bridiculous\w*|\babsurd\w*|\bpointless\b|\bwaste\s+of\s+time\b|\bpain\s+in\s+the\b",
        r"\bsucks?\b|\bwtf\b|\bdamn\b|\bcrap\b|\b(?:bull)?shit\w*|\bf\W?u\W?c\W?k\w*|\bnightmare\b",
        r"\bdisappoint\w+|\bangry\b|\bupset\b|\bunhappy\b|\bstress(?:ed|ful|ing\s+me)\b|\bhate\b",
    ),
    "L-PROCESS": _any(
        r"\b(?:reviews?|meetings?|approvals?|planning|stand-?ups?|retros?|process|builds?|releases?)"
        r"\s+(?:\w+\s+){0,3}?tak(?:e|es|ing)\s+(?:\w+\s+){0,2}?(?:long|forever|ages|weeks|days)",
        r"\btoo\s+(?:many|much)\s+(?:meetings?|process|overhead|bureaucracy|context\s+switch\w*)\b",
        r"\bno(?:body|-one|\s+one)\s+(?:\w+\s+)?(?:answer|review|care|read|respond|listen|t[eo]l[ld])\w*",
        r"\b(?:always|again)\s+(?:late|last[- ]minute)\b|\bnever\s+(?:\w+\s+)?enough\s+time\b",
        r"\bunderstaffed\b|\bcrunch\s+time\b|\bovertime\b",
    ),
}


def _compile(rules: dict[str, str]) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in rules.items()}


# The highest class first: who asks takes the first that finds something.
RULES: dict[RiskClass, dict[str, re.Pattern[str]]] = {
    "high": _compile(_HIGH),
    "medium": _compile(_MEDIUM),
    "low": _compile(_LOW),
}
