"""What of a message are the user's own words, and what is quoted or pasted.

What somebody else wrote is data: it may hold orders, and none of them is the user's. Where the two
cannot be told apart it counts as data, and a person is asked before anything changes. Short quotes
that name something, as in «delete "Oil the gate"», are the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from agents.project.imperatives import (
    GREETING,
    asks_for_change,
    names_kind_before,
)
from agents.project.scheduling_patterns import take_recurrences

CUT = "…"  # stands for what is left out
DATA = f" {CUT} "
LONGEST_NAME = 160  # characters of a quote that names something
LONGEST_PARAGRAPH = 400  # of a line that somebody types
LONGEST_LINE = 1_000
LONGEST_TYPED = 2_000  # of a message; what is longer was pasted
LOOKED_BACK = 250  # characters before a quote, which tell what it is
_MATERIAL = (
    r"(?:e-?mails?|mails?|messages?|texts?|letters?|tickets?|issues?|comments?|notes?|posts?|threads?"
    r"|transcripts?|logs?|quotes?|documents?|docs?|files?|attachments?|articles?|paragraphs?"
    r"|snippets?|excerpts?|chats?|reviews?|conversations?|minutes|pages?|outputs?|results?|requests?"
    r"|prompts?|replies|reply|answers?|statements?|sentences?|lines?|words?|passages?|content|input"
    r"|customer|client|colleague|boss|manager|nachricht|mail|correo|mensaje|texto)"
)
_SAYS = (
    r"(?:says?|said|saying|writes?|wrote|reads|states?|asks?|asked|tells?|told|goes|wants?|requests?"
    r"|demands?|reports?|replied|answered|sent|suggests?|proposes?|schreibt|sagt|dice|escribe)"
)
_HAS_SAID = (
    r"(?:says|said|writes|wrote|reads|states|asks|asked|tells|told|wants|wanted|requests|demands"
    r"|reports|replied|answered|sent|suggests|proposes|schreibt|sagt|dice|escribe)"
)
_READS = (
    r"(?:summari[sz]e|sum up|translate|explain|proofread|rephrase|paraphrase|rewrite|shorten|read"
    r"|analy[sz]e|interpret|look at|check|review|classify|answer|reply to|respond to|reformat"
    r"|format|correct|quote|repeat|tl;?dr|fyi|what|who|why|how|thoughts|is|are|does|do|see|extract|note"
    r"|here(?:'s| is| are| comes)|below|got|received|fasse|resume|traduce|übersetze)"
)
_FENCE = re.compile(r"(`{3,}|~{3,}|\"{3}|'{3})[\s\S]*?(?:\1|\Z)")
_TAG = re.compile(  # a tag such as <b> may stand in a title
    r"<((?:e-?)?mail|message|msg|documents?|doc|text|(?:block)?quote|ticket|issue|comment|note|content"
    r"|data|input|context|attachment|file|article|source|tool\w*|result|system|user|assistant"
    r"|conversation|transcript|pre|code|body|html)(?: [^<>]{0,200})?>[\s\S]*?(?:</\1>|\Z)",
    re.IGNORECASE,
)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|\|).*$", re.MULTILINE)
_PASTED = re.compile(
    r"^[ \t]*(?:[-=_*]{2,}[ \t]*(?:begin |end )?\w*[ \t]*(?:forwarded|original|weitergeleitete?|"
    r"urspr\w+|mensaje)\b.*"
    r"|.{0,40}\b(?:forwarded (?:message|mail|e-?mail)|original message|begin forwarded)\b.*"
    r"|(?:from|von|de|to|an|para|subject|betreff|asunto|sent|gesendet|date|datum|fecha|cc|reply-to)"
    r"[ \t]*:[ \t]*\S.*"
    r"|\[?(?:system|assistant|user|human|tool|function|developer|ai|bot|attachment|attached|file"
    r"|document|source|context|tool result|search result)s?\]?[ \t]*:.*"
    r"|(?:on|am|el) .{4,80}(?:wrote|schrieb|escribió)\b.{0,80}:?[ \t]*"
    r"|[-=_*#]{3,}[ \t]*|\[\d{1,2}:\d{2}.*|\d{1,2}:\d{2}(?::\d{2})?[ \t]+\S+[: ].*"
    r"|\{.*|\[\{.*|<\|.*|#{1,6} \S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(r"\bforwarded (?:message|mail|e-?mail)\b|<\|", re.IGNORECASE)
_LEAD_IN = re.compile(
    rf"\b(?:{_MATERIAL}|{_SAYS}|following|below|this|these|that)\b[^.!?:;\n]{{0,60}}[:>](?!\d)",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(  # also in a title: «create a task for this mail: …»
    rf"\b(?:(?:this|these|that|those) (?:following |attached |forwarded |pasted )*"
    rf"(?:{_MATERIAL})|the following|following|below|this|these)\s*:(?!\d)",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"\b(?:called|named|titled)\b(?P<title>[^\n]*)|"
    r"(?:create|add|make|open|file)\s+(?:a |an |one |another |the )?(?:new )?"
    r"(?:task|ticket|feature|to-?do)\s*(?::|to\b|for\b|about\b)(?P<rest>[^\n]*)"
    r"|\brename\b[^\n]{1,80}? to\b(?P<new>[^\n]*)",
    re.IGNORECASE,
)
_READS_THIS = re.compile(
    rf"(?:^|[.!?\n]\s*)(?:please |can you |could you |so |ok |okay )*{_READS}\b[^.!?:\n]{{0,80}}"
    rf"(?:\b(?:this|these|that|following|below|it)\b[^.!?:\n]{{0,30}}|\b{_MATERIAL}\b[^.!?:\n]{{0,30}})"
    r"[.!?:\n]",
    re.IGNORECASE,
)
_READS_COLON = re.compile(
    rf"(?:^|[.!?\n]\s*)(?:please |can you |could you )*{_READS}\b[^.!?:\n]{{0,80}}:(?!\d)",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    rf"\b(?:{_MATERIAL}|he|she|they|[A-Z]\w+)(?: \w+){{0,3}} {_HAS_SAID}\b[,:]?(?: that| to)?\b"
)
_SPEAKER = re.compile(r"^[ \t]*[@\w.'-]{1,30}(?: [\w.'-]{1,30}){0,2}:[ \t]+\S")
_QUOTES = (("“", "”"), ("„", "“"), ("«", "»"), ("»", "«"), ("‹", "›"), ("「", "」"), ('"', '"'))
_NAMES = re.compile(
    r"(?:\b(?:called|named|titled|labell?ed|name|title|as|into|to|of|about|for|from|in|with|and|or|by"
    r"|feature|sprint|task|story|epic|item|todo|ticket|delete|remove|drop|discard|rename|close"
    r"|reopen|finish|complete|start|assign|move|mark|set|put|block|unblock|estimate|update|change"
    r"|edit|create|add|open|show|nennen|namens|llamad[ao]),?|[:,])\s*$",
    re.IGNORECASE,
)
_SAYS_BEFORE = re.compile(
    rf"(?:\b(?:{_MATERIAL}|{_SAYS}|following|below|this|these|that|answer|reply)\b[\s,:–-]*)$",
    re.IGNORECASE,
)
_POINTS_TO = re.compile(
    rf"\b(?:this|these|that|those|following|below)(?: \w+)?(?: {_MATERIAL})?[\s,:–-]*$",
    re.IGNORECASE,
)


def take_own_words(message: str) -> str:
    """The message without what is quoted or pasted; names in quotes stay."""
    text = message[:LONGEST_TYPED].replace("’", "'").replace("\r", "\n")
    text = _TAG.sub(DATA, _FENCE.sub(DATA, text))
    text = _QUOTED_LINE.sub(DATA, text)
    for pattern in (_PASTED, _INLINE):
        if match := pattern.search(text):
            text = text[: match.start()] + DATA
    text = _cut_quotes(text)
    text = _cut_lead_ins(text)
    return _keep_typed(text).strip()


def _cut_quotes(text: str) -> str:
    """Without quotes that name nothing; one that does not end goes on to the end."""
    for opening, closing in _QUOTES:
        text = _cut_quote(text, opening, closing)
    text = re.sub(r"(?<!\w)`([^`\n]{1,160})`", r'"\1"', text)
    return _single_quotes().sub(_keep_name, text)


def _cut_quote(text: str, opening: str, closing: str) -> str:
    kept, at, before = [], 0, ""
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start + 1)
        inner = text[start + 1 : end] if end >= 0 else text[start + 1 :]
        kept.append(text[at:start])
        before = (before + kept[-1])[-LOOKED_BACK:]
        kept.append(f'"{inner}"' if end >= 0 and _is_name(before, inner) else DATA)
        before += kept[-1]
        at = end + 1 if end >= 0 else len(text)
        if opening == '"' and kept[-1] == DATA and end < 0:
            return "".join(kept)
    return "".join(kept) + text[at:]


def _keep_name(match: re.Match[str]) -> str:
    inner = match[1]
    before = match.string[max(0, match.start() - LOOKED_BACK) : match.start()]
    return f'"{inner}"' if _is_name(before, inner) else DATA


def _is_name(before: str, inner: str) -> bool:
    """Whether a quote names something of the user's own order."""
    if not inner.strip() or len(inner) > LONGEST_NAME or "\n" in inner:
        return False
    if names_kind_before(before):
        return True
    if _TITLE.search(before.rpartition("\n")[2]):
        return not _POINTS_TO.search(before)
    return bool(_NAMES.search(before)) and not _SAYS_BEFORE.search(before.rstrip(" ,:–-"))


def _cut_lead_ins(text: str) -> str:
    """Without what follows «this mail:», «the ticket says …» and the like, up to the end."""
    titles = [match.span(match.lastgroup or 0) for match in _TITLE.finditer(text)]

    def ends_of(pattern: re.Pattern[str], *, spares: bool = True) -> Iterator[int]:
        for match in pattern.finditer(text):
            is_title = any(start < match.end() <= end for start, end in titles)
            if not (spares and is_title) and not names_kind_before(text[: match.end()]):
                yield match.end()
                return

    ends = [*ends_of(_FOLLOWS, spares=False)]
    for pattern in (_LEAD_IN, _READS_THIS, _READS_COLON, _REPORTED):
        ends += ends_of(pattern)
    return text[: min(ends)] + DATA if ends else text


def _keep_typed(text: str) -> str:
    """The lines from the first on that somebody types: greetings and orders, and one more.

    Behind a line that orders nothing comes what was pasted, as far as anybody can tell.
    """
    kept: list[str] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        if _is_spoken(line):
            break
        if len(line) > LONGEST_PARAGRAPH:  # typed at most up to its first end of a sentence
            kept += [] if kept else [re.split(r"(?<=[.!?])\s", line, maxsplit=1)[0][:LONGEST_LINE]]
            break
        kept.append(line)
        if not GREETING.fullmatch(line.strip()) and not asks_for_change(line):
            break
    return "\n".join(kept)


def _is_spoken(line: str) -> bool:
    """Whether it is a line of a chat: a name, a colon, what that person said."""
    match = _SPEAKER.match(line)
    if match is None or asks_for_change(line):
        return False
    return not take_recurrences(match.group())[0]  # «every monday: sweep the yard» names nobody


@cache
def _single_quotes() -> re.Pattern[str]:
    """Quotes that are no apostrophes."""
    return re.compile(r"(?<!\w)['‘‚]((?:[^'‘’\n]|(?<=\w)['’](?=\w)){1,2000})['’](?!\w)")
