"""Orders to a model where readers do not look, and turns of a conversation that nobody had.

In a comment, an alt text or a hidden element it is enough that a model is spoken to, or a task of a
model named, and told to do something: nobody else would read it there. The same holds for a comment
in code that names its reader. A turn that somebody made up is told by what it promises or orders:
examples of messages are everywhere in documents about assistants.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST_TEXT = 4_000  # of one element
_AI = (
    r"(?:(?:ai|coding|llm|code|language|large language)[ -]+(?:assistants?|agents?|models?"
    r"|systems?|tools?"
    r"|reviewers?|readers?|crawlers?|bots?)|llms?|chat ?bots?|chatgpt|gpt(?:-?\d[\w.]*)?|claude"
    r"|copilot"
    r"|gemini|ais?|assistants?)"
)
_READS = r"(?:is |are )?(?:read|review|process|summari[sz]|index|pars|analy[sz])"
_AI_READER = (
    rf"(?:(?:llm|ai|ml)[ -]+(?:code[ -]+)?(?:reviewers?|readers?|crawlers?|agents?|assistants?)"
    rf"|{_AI}"
    rf"|(?<=dear )models?|(?<=hey )models?|(?:the |any |every )?models?"
    rf"(?=\s+(?:(?:who|that|which)\s+)?{_READS}))"
    rf"(?:\s+(?:who|that|which))?(?:\s+{_READS}\w*(?:\s+\w+){{0,4}})?"
)
_DO = (
    r"(?:please\s+|just\s+|always\s+|also\s+|kindly\s+)*(?:do not|don[’']t|never|skip|ignore|drop"
    r"|report"
    r"|state|treat|mark|approve|accept|add|leave|answer|say|tell|rate|omit|assume|consider|include"
    r"|output"
    r"|summari[sz]e|note|trust|set|remove|hide|delete|disregard|forget|write|claim|label|list|use"
    r"|reply"
    r"|respond|recommend|prefer|give|show|send|fetch|run|execute|call|extract|index|pretend|act"
    r"|return|keep"
    r"|stop|reject|close|merge|rank|score|avoid)\b"
)
_TASK = (
    r"(?:when(?:ever)?|if|while|before|after)\s+(?:you(?:[’']re| are)?\s+)?(?:summari[sz]|index"
    r"|extract"
    r"|review|answer|pars|translat|analy[sz]|process|read)\w*[^\n.:;,]{0,60}[,:]\s*"
)
_CONCEALED = re.compile(
    rf"\b(?:(?:note|notice|message|instructions?|attention|reminder|hint|hey|dear|hello|hi|to"
    rf"|for)\s+)?"
    rf"(?:to\s+|for\s+)?(?:the\s+|any\s+|all\s+|every\s+)?{_AI_READER}\s*[,:;–—-]\s*"
    rf"(?:[^\n.]{{0,80}}?[,;]\s*)?(?:{_TASK})?{_DO}"
    rf"|\b(?:llms|language models|ai (?:agents|assistants|models)|chat ?bots|assistants)\s+"
    r"(?:must|should|shall|have to|need to)\b"
    rf"|{_TASK}{_DO}"
)
_IN_CODE = re.compile(
    r"(?:^|(?<=\n))[ \t]*(?:#{1,3}|//+|/\*+|\*|--|;+|%+)[ \t]*"
    r"(?:note|notice|message|instructions?|attention|reminder|hint|hey|to)\b[ \t]*(?:to|for)?[ \t]*"
    rf"(?:the |any |all |every )?(?:llm|ai)\b[^\n:]{{0,60}}:[^\n]{{0,160}}?(?:^|[\s,;.:])"
    rf"{_DO}"
)
_TO_REVIEWERS = re.compile(
    r"(?:^|(?<=\n))[ \t]*(?:#{1,3}|//+|/\*+|\*|--|;+|%+)[ \t]*"
    r"(?:llm|ai|ml)[ -]+(?:code[ -]+)?(?:reviewers?|readers?|agents?|assistants?|models?|tools?)"
    r"[ \t]*[:,][^\n]{0,160}?\b(?:approve|accept|rate|trust"
    r"|(?:do not|don[’']t) (?:report|flag|mention)|report (?:no|zero|nothing)"
    r"|mark (?:it|this|as|every|all))\b"
)
_ENDED = re.compile(
    r"(?:^|(?<=\n))[^\w\n]{0,10}(?:end|close) (?:of )?(?:the )?(?:system |user |source )?"
    r"(?:document|file|context|input|text|data|content|message|report)s?[^\w\n]{0,10}\n[\s]{0,6}"
    r"[\[(*#<]{0,3}(?:system|developer|admin(?:istrator)?|assistant|instructions?)\b[\])*>]{0,3}:"
)
_OF_DOCUMENTS = (
    r"(?:treat|mark|approve|accept|report|rate|verify|verified|ignore|skip|index|extract|consider"
    r"|trust"
    r"|label|follow|obey|reveal|leak|fetch|forward|disregard|overrid\w+|exfiltrat\w+|send|upload)\b"
)
_TURN = re.compile(
    r"(?:^|(?<=\n))[ \t>*_]*(?:assistant|ai|bot|model|chatgpt|claude)[*_]{0,2}:[*_]{0,2}[ \t]+"
    r"(?:(?:sure|ok(?:ay)?|of course|understood|certainly|yes|got it|absolutely)[,.!]*\s+)?"
    r"(?:(?:from (?:here|now) on|for the rest[^,\n]{0,40}),?\s+)?"
    rf"i(?:[’']ll|[’']ve|\s+(?:will|have|shall|am going to|won[’']t"
    rf"|now))\s[^\n]{{0,100}}?{_OF_DOCUMENTS}"
)
_MESSAGE = re.compile(
    r"[\"']?role[\"']?\s*[:=]\s*[\"']?(?:system|developer|assistant)[\"']?\s*+(?:,\s*+)?"
    r"[\"']?(?:content|text|message)[\"']?\s*[:=]\s*+(?:[\"'|>]\s*+)?"
    rf"(?:(?:please )?{_OF_DOCUMENTS}[^\n\"']{{0,60}}?\b(?:all|any|every|each|no|this|these|as)\b"
    r"|[^\n\"']{0,120}?"
    rf"\b(?:must|will|always|never|from now on|now|have to|shall"
    rf"|should)\b[^\n\"']{{0,60}}?{_OF_DOCUMENTS})"
)
_KEY = re.compile(
    r"(?:^|(?<=[\n{,]))[ \t\"']*(?:(?:assistant|ai|llm|agent|model|system"
    r"|bot)[_ -](?:instructions?|prompt"
    r"|message|directives?|orders?)|instructions?[_ -]for[_ -](?:ai|llms?|agents?|models?"
    r"|assistants?))"
    r"[\"']?[ \t]*[:=][ \t]*+[|>]?[+-]?[\"']?\s*+"
    rf"(?=[^\n]{{0,200}}?\b(?:when|whenever|from now on|always|never|also|you must|do not"
    rf"|before)\b)"
    rf"[^\n]{{0,200}}?{_OF_DOCUMENTS}"
)
_MADE_UP = (
    (_IN_CODE, ":"),
    (_TO_REVIEWERS, ":"),
    (_TURN, ":"),
    (_ENDED, "end"),
    (_MESSAGE, "role"),
    (_KEY, ":"),
)


def find_in_concealed(lowered: str, elements: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What speaks to a model in the ``elements`` that nobody sees: the whole of each."""
    for start, end in elements:
        if _CONCEALED.search(lowered, start, min(end, start + LONGEST_TEXT)):
            yield start, end


def find_made_up_turns(lowered: str) -> Iterator[tuple[int, int]]:
    """Comments of code, turns, messages and keys with orders to a model, each to its line's end."""
    for pattern, hint in _MADE_UP:
        if hint in lowered:
            for match in pattern.finditer(lowered):
                end = lowered.find("\n", match.end())
                start = match.start() + len(match[0]) - len(match[0].lstrip())
                yield start, len(lowered) if end < 0 else end
