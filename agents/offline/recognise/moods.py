"""The mood of a statement: whether it binds, lets somebody do a thing, asks, or only tells.

Words know their project, moods do not: «members can see all offers» lets somebody do something
wherever it is said. So a mood shifts the probability that trained weights give to a kind.
"""

from __future__ import annotations

import re
from typing import Literal

from agents.offline.recognise.needs import find_requirement

Need = Literal["binds", "lets", "acts", "foretells", "describes", "mentions", "tells", "defines"]
Asking = Literal["asks", "requests", "leaves open", "doubts", "tells"]

SUBJECT_CHARS = 60  # what a statement is about stands in its beginning
_QUOTED = re.compile(r"[“\"]\w+(?: \w+)?[”\"]")  # a word that is spoken of
_ADDRESS = re.compile(r"\S*(?:://|\bwww\.)\S*")
_WHO = (
    r"(?:users?|customers?|administrators?|admins?|members?|visitors?|guests?|players?|students?|"
    r"teachers?|patients?|doctors?|vendors?|sellers?|buyers?|subscribers?|employees?|staff|"
    r"managers?|operators?|people|persons?)"
)
_IT_MUST = re.compile(
    r"\W*(?:it|they) (?:must|shall|should|needs? to|ha(?:s|ve) to)\b", re.IGNORECASE
)
_LETS = re.compile(
    r"\W*(?:(?:can|able to|ability to|be(?! (?:careful|sure|aware)))\b|"
    r"(?:(?:an?|the|all|each|every|any|only)\s)?(?:(?!(?:that|who|which|where|when|if)\b)"
    rf"[\w'/-]+\s){{0,3}}?(?:\w+-)?{_WHO}(?:[\s/](?!(?:that|who|which)\b)[\w']+){{0,2}}?\s"
    r"(?:(?:can|may|will|could|cannot)\b|(?:is|are) (?:not )?(?:able|allowed)\b))",
    re.IGNORECASE,
)
# What somebody does with a product; what a maker does to it is no need but a task.
_ACTS = re.compile(
    r"\W*(?:view|browse|search|log ?in|log ?out|register|sign (?:up|in)|select|choose|enter|"
    r"display|print|buy|order|purchase|pay|book|reserve|cancel|rate|upload|download|keep track|"
    r"navigat\w+|filter|sort|subscribe|vote|visit|consult|contact|control|manage)\b",
    re.IGNORECASE,
)
_WILL = re.compile(r"\bwill\b", re.IGNORECASE)
# What will be changed is decided, what will come of it is feared; what is left is behaviour.
_WILL_CHANGE = re.compile(
    r"\b(?:we|i)(?: will|'ll)\b|\bwill (?:(?:not|now|also|only|then|be|\w+ly) ){0,3}(?:"
    r"need to|introduc|adopt|merg|remov|replac|migrat|mov|deprecat|add|renam|extend|implement|"
    r"refactor|redesign|re-?writ|split|chang|modif|convert|switch|favou?r|drop|delet|creat|buil|"
    r"develop|defin|releas|deploy|propos|chos|decid|reject|accept|turn|expos|hav|requir|want|"
    r"still|continu|becom|break|fail|caus|lead|result|increas|decreas|reduc|affect|ma[dk]e|take|"
    r"slow|los[et])",
    re.IGNORECASE,
)
_PRODUCT = re.compile(
    r"\b(?:the|this|our) (?:[\w'-]+ ){0,2}?"
    r"(?:systems?|products?|applications?|web ?sites?|software|apps?|programs?)\b",
    re.IGNORECASE,
)
_NEED_WORD = re.compile(
    r"\b(?:must|shall|should|will|needs?|needed|(?<!not )(?<!n't )requir\w+|ha(?:s|ve) to|"
    r"able to|allow\w*|enabl\w+|encourag\w+|discourag\w+|minimi[sz]e|support|provide|ensure|"
    r"avoid|ought)\b",
    re.IGNORECASE,
)
_OF_THE_TEXT = re.compile(
    r".*\bkey ?words?\b.*\b(?:interpreted|used)\b|\W*(?:this|the (?:following|next|previous)) "
    r"(?:section|document|chapter|appendix|page)\b(?! (?:must|shall|should))",
    re.IGNORECASE,
)
_REQUESTS = re.compile(
    r"\W*(?:@\S+ )?(?:can|could|would|will) (?:you|somebody|someone|anybody|anyone)\b|"
    r".*\bplease\b[^.?]*\?",
    re.IGNORECASE | re.DOTALL,
)
_OPEN = re.compile(
    r"\b(?:(?:i|we) (?:do not|don't|did not|didn't) (?:yet |really )?know|"
    r"(?:is|are|remains?) (?:still |yet )?(?:unclear|unknown|undecided|"
    r"not (?:yet )?(?:clear|known|decided|sure))|am not sure|tbd|open questions?|"
    r"to be (?:decided|determined|discussed|clarified)|"
    r"we(?:'ll)? (?:\w+ )?(?:still )?need to "
    r"(?:find|figure out|determine|decide|identify|clarify|discuss))\b",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\W*(?:how|what|which|where|who|why|when|should|can|could|is|are|do|does|will|would)\b|"
    r".*?\b(?:whether|unclear|unsure|undecided|unresolved|unknown|wonder\w*|questions?|"
    r"open (?:issue|point)s?|perhaps|maybe|possib\w+|seem(?:s|ed)?|might|could|cannot|can't|"
    r"couldn't|consider\w*|revisit\w*|should (?:we|it)|unfortunately|sadly|"
    r"(?:the|main|another|one|only) (?:problem|issue|difficulty)|"
    r"(?:further|more) (?:discussion|investigation|thought|research)|"
    r"(?:needs?|has|have|try|want|remains?) to "
    r"(?:find|figure|decide|determine|clarify|discuss|think|investigate|identify|see))\b",
    re.IGNORECASE | re.DOTALL,
)


def need_of(words: str) -> Need:
    """How far a plain text asks something of somebody or something."""
    words = _QUOTED.sub("it", words)
    if words.endswith("?"):
        return "tells"
    if _OF_THE_TEXT.match(words):
        return "defines"
    if _IT_MUST.match(words) or find_requirement(words, named=True):
        return "binds"
    if _LETS.match(words):
        return "lets"
    if _ACTS.match(words):
        return "acts"
    if _WILL.search(words) and not _WILL_CHANGE.search(words):
        return "foretells"
    if _PRODUCT.search(words[:SUBJECT_CHARS]):
        return "describes"
    return "mentions" if _NEED_WORD.search(words) else "tells"


def asking_of(words: str) -> Asking:
    """How far a plain text asks; a request is polite for an order."""
    words = _ADDRESS.sub("", words)
    if "?" in words:
        return "requests" if _REQUESTS.match(words) else "asks"
    if _OPEN.search(words):
        return "leaves open"
    return "doubts" if _DOUBTS.match(words) else "tells"
