"""Raw text to plain wording: sentences with their spans, markup taken off, titles.

Sentences are found in the raw text, so that an offset needs no mapping; only a whole sentence is
then made plain.
"""

from __future__ import annotations

import functools
import html
import re

from agents.offline.lexicons import Wording
from agents.offline.segment.passages import Span
from schemas.bounded_cache import MIB, bounded_cache
from schemas.events.atom import MAX_BODY, MAX_TITLE

_BREAK = re.compile(
    r"[.!?](?:(?<![.!?][.!?])[.!?]*+[)\"'”’*_`\]]*+"
    r"(?=\\?\s+(?:(?:\*|//[/!]?|#|--|>)\s+)?(?:[(\[\"'“*_`<]*[A-Z0-9]|`|\[|\*\*|_[A-Z]))"
    r"|(?<=[a-z]{3}\.)(?=(?:If|The|This|These|A|An|It|In|When|For|Note|All|Each|Only|However|Once|"
    r"By|To|Use|Otherwise|Defaults?) [a-z]))"
)  # it begins with signs that most places lack, so that these are passed over fast
_ABBREVIATION = Wording("sentences", "abbreviations")
LONGEST = 4_000  # characters, link targets and all, of what may be a sentence
ASIDE_WORDS = 2  # between brackets inside a sentence
_ORDINAL = re.compile(r"\d{1,2}\.$")
_MARKUP = re.compile(r"[\[\]`*_<>&\n|{}~\\^]|  |\t|https?:|''")
_RUN_IN = re.compile(
    r"^\[\[[^\]\n]{3,50}\]\([^)\n]*\)\]\s+(?=[A-Z])|"
    r"^(?:\*\*|__|\*|_)(?!(?i:the|an?|note|decision)\b)[^*_\n]{3,50}(?:\*\*|__|\*|_)\.?:?"
    r"(?:\s*\n\s*|(?<=[.:])\s+|\s+)(?=(?:The|An?|For|If|When|All|Each|To|In|We|By|Every|Any|As)\s)",
)
_TERM_LINE = Wording("sentences", "term_lines")
TERM = re.compile(r"^([^\s:`][^:`\n]{1,60}|`[^`\n]{1,60}`)::(?=\s|$)")  # AsciiDoc, of a meaning
_NEWLINE = re.compile(
    r"(?<![ \t])[ \t]*+\n[ \t]*(?:(?:>|\*(?=[ \t\n])|//[/!]?|#++(?=[ \t])|--(?=[ \t])|;++)[ \t]*)*"
)
_IMAGE = re.compile(r"!\[[^\]]*\](?:\([^()\s]*(?:\s\"[^\"]*\")?\)|\[[^\]]*\])?")
_LINK = re.compile(
    r"\[((?:[^\[\]]++|\[[^\[\]]*+\])*+)\]\((?:\{%[^%\n]*%\}|[^()\s]|\([^()\s]*\))*+(?:\s+[\"'][^\"'()]*[\"'])?\s*\)"
)
_ATTRIBUTES = re.compile(r"(?<=[)\]*_])\{(?:[:#.] ?[\w-]|[\w-]+=\")[^{}\n]*\}")  # of a link
_REFERENCE = re.compile(r"\[([^\[\]]+)\]\s?\[[^\[\]]*\]")
_SHORTCUT = re.compile(r"\[([^\[\]\n]{2,200})\]")
_FOOTNOTE = re.compile(r"\[\^[^\]]*\]|\[\d{1,3}\](?:_)?(?!\()|<sup>[^<]*</sup>")
_ROLE = re.compile(  # reStructuredText, and {role}`…` of MyST
    r"(?::[a-z]+(?::[a-z]+)?:|\{[a-z]+(?::[a-z]+)?\})`([^`<]+?)(?:\s*<[^`>]*>)?`"
)
_UNLINKED = re.compile(r"(?<=`)(?:!|~\.?(?:[\w]+\.)*)(?=\w[^`\n]*`)")  # how a role shows its target
_JOINT = re.compile(r"`\\ `|(?<=[`*_])\\ (?=\S)|(?<=\S)\\ (?=[`*_:])")  # markup within a word
_ADOC_LINK = re.compile(r"(?:link:|xref:|https?://)[^\s\[\]]+\[([^\]]*)\]|<<[^,>]+,([^>]+)>>")
_INLINE_TAG = re.compile(r"\{@\w+\s+#?([^{}\s]+)([^{}]*)\}")
_AUTOLINK = re.compile(
    r"(?P<needed>\b(?:to|of|from|in|on|at|by|via|with|for|is|see) )?"
    r"<(?P<to>(?:https?|mailto):[^<>\s]*)>"
)
_ANCHOR = re.compile(r"^\s*\[\[[\w.:-]+\]\](?=\w)")  # AsciiDoc, before a heading
_MACRO = re.compile(r"\b(?!image|icon|video)[a-z][a-z\d]*:(?!//)([\w./$-]+)\[\]")  # the same
_HEADING_ID = re.compile(r"\s*\{#[\w.:-]+\}\s*$")
_TAG = re.compile(
    r"(`[^`]+`)|</?[A-Za-z][\w-]*(?:\s[^<>]{0,300})?/?>|<!--.*?-->", re.DOTALL
)  # in a code span it is a placeholder
_CODE = re.compile(r"(?<![\w:}`])(?:``([^`]+)``|`([^`]+)`)(?![`_\w])")
_FIRST_STAND_IN, _STAND_INS = 0xA000, 0x400  # letters of a script that no code is written in
_STAND_IN = re.compile(f"[{chr(_FIRST_STAND_IN)}-{chr(_FIRST_STAND_IN + _STAND_INS - 1)}]")
_TICKS = re.compile(r"`{1,2}([^`]+)`{1,2}_?_?")
_STARS = re.compile(r"\*{1,3}(?=\S)([^*]+?)(?<=\S)\*{1,3}|~~([^~]+)~~")
_UNDERS = re.compile(r"(?<![\w/])_{1,2}(?=\S)([^_]+?)(?<=\S)_{1,2}(?!\w)")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>|~-])")
_QUOTES = re.compile(r"'{2,3}(?=\S)([^']+?)'{2,3}")  # MediaWiki
_RST_REFERENCE = re.compile(r"(?<!\w)([A-Za-z][\w-]*?[A-Za-z0-9])_(?=[\s.,;:)!?]|$)")
_BLANKS = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r" ([,.;:?!)])(?=[\s,.;]|$)")
_HARD_BREAK = re.compile(
    r"(?<=\S)(?: \+|\\)(?=\s*$)(?!\s*\n[ \t]*(?:\*|//|#|--)[ \t])", re.MULTILINE
)  # AsciiDoc's, Markdown's; in a comment a sum goes on in the next line
_ORNAMENT = re.compile(r"^[^\w\"'“‘(\[@/.$~<+-]+|^-{1,3}\s+")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”')
_CONNECTIVE = Wording("sentences", "connectives")
_CLAUSE = Wording("sentences", "clause_break")
_INSTANCES = re.compile(r" \((?:e\.g\.|i\.e\.|for example|such as|see)[^()]*\)")
_HALF_PAIR = Wording("sentences", "half_pairs")
_SUBORDINATE = Wording("sentences", "subordinate")


@functools.lru_cache(maxsize=512)  # a passage, its lead and its label are asked about twice
def split_sentences(text: str, start: int, end: int) -> tuple[Span, ...]:
    """The sentences of ``[start, end)``, in order, without outer blanks."""
    spans: list[Span] = []
    begin, ticks_from, ticks = start, start, 0
    for match in _BREAK.finditer(text, start, end):
        ticks += text.count("`", ticks_from, match.end())
        ticks_from = match.end()
        if ticks % 2 or _is_inner(text, begin, match):
            continue
        spans.append((begin, match.end()))
        begin = match.end()
        while begin < end and text[begin].isspace():
            begin += 1
    if begin < end:
        spans.append((begin, end))
    return tuple(spans)


def _is_inner(text: str, begin: int, match: re.Match[str]) -> bool:
    """Whether the mark belongs to an abbreviation, a list number or a remark «(like this!)»."""
    if text[match.start()] != ".":
        opened = text.rfind("(", begin, match.start()) if match.group().endswith(")") else -1
        return opened > begin and len(text[opened : match.start()].split()) <= ASIDE_WORDS
    tail = text[max(begin, match.start() - 8) : match.end()]
    return bool(_ABBREVIATION.says(tail) or _ORDINAL.match(text, begin, match.end()))


def strip_markup(raw: str, *, rst: bool = False) -> str:
    """``raw`` as a reader sees it: no markup, no link targets, single spaces.

    ``rst``: it is reStructuredText, where `!x` is an x without a link; elsewhere that is code.
    What is longer than any sentence keeps its markup, as taking it out may take seconds.
    """
    return _strip_rst(raw) if rst else _strip(raw)


@bounded_cache(MIB, 3)  # the same heading, label or sentence is asked about three times
def _strip(raw: str) -> str:
    return _take_off(raw, rst=False)


@bounded_cache(MIB, 3)
def _strip_rst(raw: str) -> str:
    return _take_off(raw, rst=True)


def _take_off(raw: str, *, rst: bool) -> str:
    if len(raw) > LONGEST and len(raw := _BLANKS.sub(" ", raw)) > LONGEST:
        return raw.strip()
    if raw.startswith(("*", "`", "_", "[[")):
        raw = _RUN_IN.sub("", _TERM_LINE.sub(_with_term, raw, count=1))
    if "::" in raw:
        raw = TERM.sub(r"\1:", raw)
    may_break = "\\" in raw or " +" in raw
    if not _MARKUP.search(raw):
        raw = raw.strip()
        return _ORNAMENT.sub("", _HARD_BREAK.sub("", raw) if may_break else raw)
    text = _HARD_BREAK.sub("", raw) if may_break else raw
    if "\n" in text:
        text = _NEWLINE.sub(" ", text)
    if rst and "`" in text:
        text = _JOINT.sub("", _UNLINKED.sub("", text))
    codes: list[str] = []
    if "`" in text and not _STAND_IN.search(text):
        text = _CODE.sub(lambda code: _stand_in(codes, code), text)
    if "{" in text:
        text = _HEADING_ID.sub("", _ATTRIBUTES.sub("", text))
    if "[" in text:
        text = _IMAGE.sub("", _ANCHOR.sub("", text))
        text = _MACRO.sub(r"\1", text)
        text = _FOOTNOTE.sub("", text)
        text = _LINK.sub(r"\1", text)
        text = _ADOC_LINK.sub(lambda m: m.group(1) or m.group(2) or "", text)
        text = _REFERENCE.sub(r"\1", text)
        text = _SHORTCUT.sub(r"\1", text)
    if "{@" in text:
        text = _INLINE_TAG.sub(lambda m: m.group(2).strip() or m.group(1), text)
    if "<" in text:
        text = _TAG.sub(r"\1", _AUTOLINK.sub(_show_link, text))
    if "_" in text:
        text = _RST_REFERENCE.sub(r"\1", _UNDERS.sub(r"\1", text))
    if "`" in text:
        text = _TICKS.sub(r"\1", _ROLE.sub(r"\1", text))
    if "*" in text or "~~" in text:
        text = _STARS.sub(lambda m: m.group(1) or m.group(2), text)
        text = _STARS.sub(lambda m: m.group(1) or m.group(2), text)
    if "''" in text:
        text = _QUOTES.sub(r"\1", text)
    if "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    if "&" in text:
        text = html.unescape(text)
    text = _ORNAMENT.sub("", " ".join(text.split()).strip(" \t*_|").lstrip("> "))
    text = _BEFORE_MARK.sub(r"\1", text)
    if "( " in text:
        text = text.replace("( ", "(")
    if codes:
        text = _STAND_IN.sub(lambda letter: codes[ord(letter.group()) - _FIRST_STAND_IN], text)
    return text


def _with_term(line: re.Match[str]) -> str:
    """«ttl sets how long …», and «ttl: The time …» where no verb follows."""
    return f"{line['term']} {line['does'].lower()}" if line["does"] else f"{line['term']}: "


def _show_link(link: re.Match[str]) -> str:
    """Its address where the sentence needs it: «push access to <…> is removed»."""
    return f"{link['needed']}{link['to']}" if link["needed"] else ""


def _stand_in(codes: list[str], code: re.Match[str]) -> str:
    """A letter in place of a code span, whose text is no markup; the text goes to ``codes``."""
    if len(codes) == _STAND_INS:
        return code.group()
    codes.append((code.group(1) or code.group(2)).strip())
    return chr(_FIRST_STAND_IN + len(codes) - 1)


def capitalise(text: str) -> str:
    """``text`` with its first letter in upper case, unless it opens with a name."""
    first = text.split(" ", 1)[0]
    if first.islower() and first.isalpha():
        return text[0].upper() + text[1:]
    return text


def lower_first(text: str) -> str:
    """``text`` as it stands after a colon: an ordinary first word loses its capital."""
    first = text.split(" ", 1)[0].strip(",;:")
    ordinary = first[:1].isupper() and (first[1:].islower() or first in ("A", "I"))
    owns = first.endswith(("'s", "’s"))  # «Falcon's»
    return text[0].lower() + text[1:] if ordinary and not owns and first != "I" else text


def drop_quoted(text: str) -> str:
    """``text`` without what it quotes, such as how somebody calls something."""
    return _QUOTED.sub("", text)


@bounded_cache(MIB // 2, 3)
def drop_connective(text: str) -> str:
    """``text`` without a leading word that only ties it to what stood before."""
    rest = text
    for _ in range(2):
        match = _CONNECTIVE.match(rest)
        if not match or len(rest) - match.end() < 15:
            break
        rest = rest[match.end() :]
    return capitalise(rest) if rest is not text else text


def title_of(sentence: str) -> str:
    """At most 300 characters, without final stop: a longer one loses its «(e.g. …)», then is cut
    at a clause where that leaves a statement.
    """
    text = sentence.rstrip(" .;,:")
    if len(text) > MAX_TITLE:
        text = _INSTANCES.sub("", text)
    if len(text) <= MAX_TITLE:
        return text
    cut = 0
    if not _SUBORDINATE.match(text):
        for match in _CLAUSE.finditer(text, 60, MAX_TITLE):
            mark = match.group()
            inserted = mark.strip() in "–—-" and text.count(mark) > 1
            if not inserted and not _HALF_PAIR.search(text, 0, match.start()):
                cut = match.start()
    if cut:
        return text[:cut].rstrip(" .;,:(")
    return text[: MAX_TITLE - 1].rsplit(" ", 1)[0].rstrip(" .;,:(") + "…"


def body_of(*parts: str) -> str:
    """The sentences as one text of at most 1,200 characters."""
    text = " ".join(part for part in parts if part)
    return text if len(text) <= MAX_BODY else text[: MAX_BODY - 1].rsplit(" ", 1)[0] + "…"
