"""Annotating: spans that could mislead a model are marked, none is removed.

The rules look into several views of the text (``disguise``); finds are mapped back. So neither
a zero-width space inside a word nor a look-alike hides anything. Joiners between emoji or letters
of scripts that need them are no finding. Many matches of one rule in one source are drawn together
from the 500th on: still covered, but a hostile file cannot make a record without bounds.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator
from string import ascii_lowercase
from typing import NamedTuple

from schemas.events.hygiene import Annotation, AnnotationType, Redaction, Severity
from schemas.ids import annotation_id
from streams.hygiene.prompt_injection import disguise
from streams.hygiene.prompt_injection.concealed import find_in_concealed, find_made_up_turns
from streams.hygiene.prompt_injection.disguise import HIDDEN, View, joins_legitimately
from streams.hygiene.prompt_injection.likeness import (
    heads,
    is_document,
    lines_apart,
    message_parts,
    score,
)
from streams.hygiene.prompt_injection.rules import OTHER_SCRIPT, REACH, RULES

MOST_OF_ONE_RULE = 500
MOST_LINES = 2_000
READ_AHEAD = REACH // 2  # no pattern reads further than this behind its anchor
ENCODED_RUN = 200
ENCODED_PRINTABLE_SHARE = 0.9
LONGEST_HIDDEN_ELEMENT = 4_000
LETTERS = re.compile("[a-z\u0430-\u045f]{3,}")
LATIN, CYRILLIC = re.compile("[a-z]"), re.compile("[\u0430-\u045f]")
ENCODED = re.compile(rf"[A-Za-z0-9+/_-]{{{ENCODED_RUN},}}={{0,2}}")
APART = bytes(at if chr(at) in ascii_lowercase else 32 for at in range(256))
HEX = re.compile(r"[0-9a-fA-F]+")
CONCEALING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d])"
    r"|(?<![-\w])color\s*[:=]\s*[\"']?(?:white|#fff(?:fff)?|transparent)|\shidden[\s>=]"
)
TAG = re.compile(r"<([a-z]\w{0,12})[^<>]{0,400}>")
ALT_TEXT = re.compile(
    r"!\[[^\]\n]{1,600}\]\(|\balt=(?:\"[^\"\n]{1,600}\"|'[^'\n]{1,600}')"
    r"|(?:^|(?<=\n))\[(?://|comment|_)\]:[^\n]{1,600}"
)
LOWERED_IN_GUIDES = frozenset(("A-IMPER", "A-TOOL", "A-OUTPUT"))


class Span(NamedTuple):
    start: int
    end: int
    rule_id: str
    type: AnnotationType
    severity: Severity


NO_ORDERS_IN = frozenset(("agent_guide", "manifest", "entry_point", "code", "config"))
ORDERED_CODE = re.compile(r"\s{0,3}```[^`]{1,6000}```")


def annotate(
    text: str,
    lowered: str,
    source_id: str,
    source_type: str,
    sanitized_hash: str,
    redactions: tuple[Redaction, ...],
    line_starts: list[int],
) -> tuple[Annotation, ...]:
    """What is flagged in the sanitized text, by start, end and rule; offsets are the payload's."""
    plain = disguise.without_hidden(lowered)
    spans = list(_hidden(text, lowered, is_hiding=bool(plain.places)))
    spans += _find_instructions_to_a_model(plain, lowered, source_type)
    if may_order := source_type not in NO_ORDERS_IN:
        shown = disguise.without_hidden(text).text
        spans += [it for it in _like_orders(shown, plain) if not _is_known(it, spans)]
    for view in disguise.views(lowered):
        instructions = _find_instructions_to_a_model(view, lowered, source_type)
        instructions += _like_orders(view.text, view) if may_order else ()
        spans += [it for it in instructions if not _is_known(it, spans)]
    spans += _find_written_in_hidden(text)
    spans += [it for it in _find_concealed_instructions(lowered, source_type) if it not in spans]
    if max(map(len, text.split("\n"))) > ENCODED_RUN:
        spans += _find_encoded(text, line_starts)
    spans += [
        Span(it.char_start, it.char_end, "A-REDACTION", "redaction", "low") for it in redactions
    ]
    return tuple(
        Annotation(
            annotation_id=annotation_id(
                source_id, sanitized_hash, span.rule_id, span.start, span.end
            ),
            annotation_type=span.type,
            rule_id=span.rule_id,
            severity=span.severity,
            char_start=span.start,
            char_end=span.end,
            line_start=bisect_right(line_starts, span.start),
            line_end=bisect_right(line_starts, max(span.start, span.end - 1)),
        )
        for span in sorted(set(spans))
    )


def _find_instructions_to_a_model(view: View, lowered: str, source_type: str) -> list[Span]:
    """Matches of the pattern families, and A-COMMENT where one lies in a concealed element."""
    spans = [_put_back(span, view) for span in _matches(view.text)]
    if not spans:
        return []
    concealed = _find_concealed(lowered)
    found: list[Span] = []
    for span in spans:
        if source_type == "agent_guide" and span.rule_id in LOWERED_IN_GUIDES:
            span = span._replace(severity="low")
        found.append(span)
        if _inside(span, concealed):
            found.append(Span(span.start, span.end, "A-COMMENT", "hidden_markup", "high"))
    return found


def _find_concealed_instructions(lowered: str, source_type: str) -> Iterator[Span]:
    """Orders where nobody looks, and in turns that somebody made up."""
    for start, end in find_in_concealed(lowered, _find_concealed(lowered)):
        yield Span(start, end, "A-COMMENT", "prompt_injection", "high")
    if source_type not in NO_ORDERS_IN or source_type == "code":
        for start, end in find_made_up_turns(lowered):
            yield Span(start, end, "A-SYSTEM", "prompt_injection", "high")


def _put_back(span: Span, view: View) -> Span:
    start, end = view.place(span.start, span.end)
    return span._replace(start=start, end=end)


def _like_orders(shown: str, view: View) -> Iterator[Span]:
    """What the trained scorer takes for an order: lines of a document, sentences of a message.

    ``shown`` is the text of the view with its capital letters, where they are known.
    """
    for start, end in _orders_in(shown, view.text):
        yield Span(*view.place(start, end), "A-LIKE", "prompt_injection", "medium")


def _find_written_in_hidden(text: str) -> Iterator[Span]:
    """Orders that are written in characters nobody sees."""
    for start, end, told in disguise.written_in_hidden(text):
        if _matches(told.lower()) or any(True for _ in _orders_in(told, told.lower())):
            yield Span(start, end, "A-HIDDEN", "prompt_injection", "high")


def _orders_in(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    document = is_document(text)
    if document or "\n" in text:
        head = heads()["line"]
        for number, (start, end, more) in enumerate(lines_apart(text, lowered)):
            if number == MOST_LINES:  # no document that people wrote gives so many orders
                yield start, len(text)
                return
            if score(text[start:end], head, *more) >= head.cut:
                code = ORDERED_CODE.match(text, end)
                yield start, code.end() if code else end
    if not document:
        head = heads()["message"]
        whole, *sentences = message_parts(text)
        found = [it for it in sentences if score(text[slice(*it)], head) >= head.cut]
        if not found and score(text, head) >= head.cut:
            found = [whole]
        yield from found


def _is_known(span: Span, others: list[Span]) -> bool:
    return any(it.start <= span.start and span.end <= it.end for it in others)


def _matches(text: str) -> list[Span]:
    """Each rule's matches, joined where they overlap or only blanks stand between."""
    spans: list[Span] = []
    letters = text.encode("ascii", "replace").translate(APART)
    words = set(letters.decode("ascii").split())
    all_latin = text.isascii() or not OTHER_SCRIPT.search(text)
    for rule in RULES:
        if all_latin and not rule.is_latin:
            continue
        if any(needed and needed.isdisjoint(words) for needed in (rule.words, rule.also)):
            continue
        own: list[Span] = []
        for start, end in sorted(
            set(_find_at_anchors(rule.anchors, rule.back, rule.pattern, text))
        ):
            if own and (start <= own[-1].end or text[own[-1].end : start].isspace()):
                own[-1] = own[-1]._replace(end=max(end, own[-1].end))
            else:
                own.append(Span(start, end, rule.rule_id, rule.type, rule.severity))
        if len(own) > MOST_OF_ONE_RULE:
            own[MOST_OF_ONE_RULE - 1 :] = [own[MOST_OF_ONE_RULE - 1]._replace(end=own[-1].end)]
        spans += own
    return spans


def _find_at_anchors(
    anchors: tuple[str, ...], back: int, pattern: re.Pattern[str], text: str
) -> Iterator[tuple[int, int]]:
    for anchor in anchors:
        at = text.find(anchor)
        while at >= 0:
            look = pattern.search if back else pattern.match
            match = look(text, max(0, at - back), at + REACH)
            if match and match.start() <= at + len(anchor):
                start, end = match.span()
                yield start + len(match[0]) - len(match[0].lstrip()), end
                at = max(at, end - len(anchor))
            elif back and not match:  # nothing here: the next anchors lie in what was read
                at += READ_AHEAD - len(anchor)
            at = text.find(anchor, at + len(anchor))


def _find_concealed(lowered: str) -> list[tuple[int, int]]:
    """Comments, hidden elements and alt texts of HTML and Markdown, in order, without overlaps."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(_find_concealed_elements(lowered)):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _find_concealed_elements(lowered: str) -> Iterator[tuple[int, int]]:
    at = lowered.find("<!--")
    while at >= 0:
        end = lowered.find("-->", at)
        yield at, (end + 3 if end >= 0 else len(lowered))
        at = lowered.find("<!--", end) if end >= 0 else -1
    if "style" in lowered or " hidden" in lowered or "<font" in lowered:
        for tag in TAG.finditer(lowered):
            if CONCEALING_STYLE.search(tag[0]):
                end = lowered.find(f"</{tag[1]}", tag.end(), tag.end() + LONGEST_HIDDEN_ELEMENT)
                yield tag.start(), max(end, tag.end())
    for match in ALT_TEXT.finditer(lowered):
        yield match.span()


def _inside(span: Span, concealed: list[tuple[int, int]]) -> bool:
    number = bisect_right(concealed, (span.start, len(concealed) and concealed[-1][1])) - 1
    return number >= 0 and span.end <= concealed[number][1]


def _hidden(text: str, lowered: str, is_hiding: bool) -> Iterator[Span]:
    if text.isascii():
        return
    found = 0
    for match in HIDDEN.finditer(text) if is_hiding else ():
        if not joins_legitimately(text, match):
            found += 1
            if found > MOST_OF_ONE_RULE:
                yield Span(match.start(), len(text), "A-HIDDEN", "hidden_unicode", "medium")
                break
            yield Span(*match.span(), "A-HIDDEN", "hidden_unicode", "medium")
    for match in LETTERS.finditer(lowered) if CYRILLIC.search(lowered) else ():
        if LATIN.search(match[0]) and CYRILLIC.search(match[0]):
            yield Span(*match.span(), "A-HIDDEN", "hidden_unicode", "medium")


def _find_encoded(text: str, line_starts: list[int]) -> Iterator[Span]:
    """Long base64 or hex runs that decode to readable text."""
    for start, end in zip(line_starts, [*line_starts[1:], len(text)], strict=True):
        if end - start > ENCODED_RUN:
            for match in ENCODED.finditer(text, start, end):
                if _decodes_to_text(match[0]):
                    yield Span(*match.span(), "A-ENC", "encoded_payload", "medium")


def _decodes_to_text(run: str) -> bool:
    if HEX.fullmatch(run):
        decoded = bytes.fromhex(run[: len(run) // 2 * 2])
    else:
        body = run.rstrip("=").replace("-", "+").replace("_", "/")
        body = body[: len(body) // 4 * 4]
        try:
            decoded = base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            return False
    readable = decoded.decode("utf-8", "replace")
    printable = sum(char.isprintable() or char in "\n\r\t" for char in readable)
    return printable - readable.count("\ufffd") >= ENCODED_PRINTABLE_SHARE * len(readable)
