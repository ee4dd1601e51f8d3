"""Finding secrets: each rule's places in a text, overlaps included.

Every rule is tied to short literals, its anchors. Most files hold none of them, and those of keys
and tokens are looked for in the distinct long words of a file only, which are a fraction of it. An
expression runs only where an anchor stands, over a bounded number of characters: the time is
linear in the text whatever the text is.
"""

# ruff: noqa: E501 (a pattern is read as one line)
from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

from streams.hygiene.normalise import lower
from streams.hygiene.redaction.decoded import View, in_base64, unfold
from streams.hygiene.secrets.anchors import Words, list_anchors, split_words
from streams.hygiene.secrets.assigned import PROSE_LANGUAGES, end_of_value, find_assigned_secret
from streams.hygiene.secrets.entropy import (
    LONGEST_JUDGED,
    OWN_NAME,
    find_drawn_behind,
    find_near_names,
)
from streams.hygiene.secrets.finding import (
    ORDER_ASSIGN,
    ORDER_ENTROPY,
    ORDER_PREFIXED,
    ORDER_TOLD,
    Finding,
)
from streams.hygiene.secrets.forms import (
    LOWERED_ANCHORS,
    OPEN_FORMS,
    SHORT_FORMS,
    WORD_BEFORE,
    Form,
)
from streams.hygiene.secrets.manifests import find_in_manifests
from streams.hygiene.secrets.names import (
    ANY_KEY,
    WHOLE_PASSWORDS,
    is_in_a_name,
    is_no_secret_name,
    is_of_something_else,
    names_in,
)
from streams.hygiene.secrets.password_files import find_listed
from streams.hygiene.secrets.private_keys import find_private_keys
from streams.hygiene.secrets.records import find_apart
from streams.hygiene.secrets.sentences import find_codes, find_told
from streams.hygiene.secrets.tables import find_in_tables
from streams.hygiene.secrets.values import RESOURCE_NAME, SPEAKING

DEEPEST = 3  # JSON within JSON within JSON
CROSSES = re.compile("x{4,}|X{4,}")
SHORTEST_REST = 12  # characters beside crosses that can be told from words
CHANGES_OF_DRAWN = 0.4  # of the neighbouring characters; 0.62 is expected of drawn ones
PREFIXED = re.compile(r"(?<![\w./+=%&?-])[a-z][a-z0-9]{1,9}[_-][A-Za-z0-9]{24,}+(?![\w/+=-])")
TAG_OF_VERSION = 'W/"'  # of HTTP
MANY_IDS = 3
PREFIX_AND_RUN = re.compile(r"([a-z0-9]+)[_-](.*)")
LISTED_PREFIXES = tuple(
    sorted(
        {
            anchor.rstrip("_-")
            for form in SHORT_FORMS
            for anchor in form.anchors
            if anchor[-1] in "_-"
        }
    )
)
ANY_DATA = ("--from-literal",)  # takes names too
FILLERS = frozenset("xX*.0-_")
NOT_REAL = re.compile(r"not-?_?a?-?_?real|a1b2c3d4|EXAMPLEEXAMPLE|(?i:dummy|placeholder|changeme)")
STANDS_FOR_ONE = re.compile(
    r"\.{3}|(?i:x{3})|(?i:\byour)|^[A-Z]+(?:[_-][A-Z]+)+\Z|^[a-z]+(?:[_.-][a-z]+)+\Z"
)
NO_PASSWORD = re.compile(
    r"your|my_?pass|x?-oauth-basic|<|\$|example|redacted|replace|change_?me|placeholder|insert|enter|\.\.\.|%s"
)


def find_secrets(text: str, lowered: str, language: str | None) -> list[Finding]:
    """Every place where a rule finds a secret, overlaps included, unordered.

    Also in what the text says once its escapes are undone, its lines joined, its base64 decoded.
    """
    found = _find(text, lowered, language)
    views: list[View] = []
    said = text
    while len(views) < DEEPEST and (view := unfold(said)):
        views.append(view)
        said = view.text
        spans = _merge_spans(found)
        for it in _find(said, lower(said), language):
            start, end = it.start, it.end
            for each in reversed(views):
                start, end = each.span(start, end)
            if _says_more(text, start, end, spans):
                found.append(it._replace(start=start, end=end))
    return found


def _merge_spans(findings: list[Finding]) -> list[tuple[int, int]]:
    """Where something was found: in order, without overlaps."""
    spans: list[tuple[int, int]] = []
    for it in sorted(findings):
        if spans and it.start <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], it.end)
        else:
            spans.append((it.start, it.end))
    return spans


def _says_more(text: str, start: int, end: int, covered: list[tuple[int, int]]) -> bool:
    """Whether a letter or digit between ``start`` and ``end`` is not ``covered``."""
    at = max(0, bisect_right(covered, (start, len(text))) - 1)
    for begin, stop in islice(covered, at, None):
        if begin >= end:
            break
        if any(map(str.isalnum, text[start:begin])):
            return True
        start = max(start, stop)
    return any(map(str.isalnum, text[start:end]))


def _find(text: str, lowered: str, language: str | None) -> list[Finding]:
    """What stands in the text itself, or in its base64."""
    words = split_words(text)
    findings = _find_plain(text, lowered, language, words)
    if view := in_base64(text, words.long_pieces):
        said = view.text
        for it in sorted(_find_plain(said, lower(said), None, split_words(said))):
            for start, end in view.places(it.start, it.end):
                if not NOT_REAL.search(text, start, min(end, start + LONGEST_JUDGED)):
                    findings.append(it._replace(start=start, end=end, order=ORDER_ENTROPY))
    return findings


def _find_plain(text: str, lowered: str, language: str | None, words: Words) -> list[Finding]:
    """What stands in the text as it is."""
    findings = list(find_private_keys(text)) if "PRIVATE KEY" in text else []
    for order, anchor in list_anchors(words):
        findings += _of_form(SHORT_FORMS[order - 1], order, anchor, text, text)
    if words.pieces is None or any(not it.isalpha() and _changes(it) for it in words.long_pieces):
        findings += _find_prefixed(words.mixed, text)
    for order, form in enumerate(OPEN_FORMS, len(SHORT_FORMS) + 1):
        if form.beside not in text:
            continue
        for anchor in form.anchors:
            where = lowered if anchor in LOWERED_ANCHORS else text
            if anchor in where:
                findings += _of_form(form, order, anchor, where, text)
    findings += (_assigned(it) for it in find_listed(text))
    if "Secret" in text:
        findings += (_assigned(it) for it in find_in_manifests(text))
    return findings + _of_names(text, lowered, language)


def _of_names(text: str, lowered: str, language: str | None) -> list[Finding]:
    """What is a secret because of a name beside it."""
    named = [it for it in names_in(lowered) if not is_no_secret_name(lowered, it[0])]
    found = [_assigned(it) for it in find_codes(text, lowered)]
    if language in PROSE_LANGUAGES:
        found += (_told(it) for it in find_told(text, lowered, named))
    reached = 0
    for at, name in named:
        if span := find_assigned_secret(text, lowered, at, name, language):
            reached = end_of_value(text, *span, reached, language)
            found.append(_assigned((span[0], reached)))
    if named:
        found += (_assigned(it) for it in find_apart(text, lowered, named, language))
        found += (_assigned(it) for it in find_in_tables(text, lowered, named))
        named = [it for it in named if it[1] not in WHOLE_PASSWORDS]
        surely = [
            at
            for at, name in named
            if name != ANY_KEY and not is_of_something_else(lowered, at + len(name))
        ]
        found += find_near_names(text, lowered, surely, language)
        found += find_drawn_behind(text, lowered, named)
    return found


def _assigned(span: tuple[int, int]) -> Finding:
    return Finding(*span, ORDER_ASSIGN, "R-ASSIGN", "SECRET_VALUE")


def _told(span: tuple[int, int]) -> Finding:
    """What another rule finds at the same place too is called by that rule."""
    return Finding(*span, ORDER_TOLD, "R-ASSIGN", "SECRET_VALUE")


def _of_form(form: Form, order: int, anchor: str, where: str, text: str) -> Iterator[Finding]:
    read = behind = 0
    for at in _places(where, anchor):
        if at < read:
            continue
        match = _match(form, at, behind, text)
        behind = at + len(anchor)
        if match is None:
            continue
        read = match.end()  # the run is judged once: its inner anchors are not asked again
        if _plausible(form, match, text):
            yield Finding(*match.span(form.group), order, form.rule_id, form.type)


def _match(form: Form, at: int, behind: int, text: str) -> re.Match[str] | None:
    """The form around its anchor at ``at``; ``behind`` is the end of the anchor before."""
    if not form.backwards:
        return form.pattern.match(text, at)
    if form.backwards == WORD_BEFORE:
        begin = at - len(text[behind:at].rpartition("\n")[2].rpartition(" ")[2])
    else:
        begin = max(0, at - form.backwards)
    for start in range(begin, at + 1):
        match = form.pattern.match(text, start)
        if match and match.end() > at:
            return match
    return None


def _find_prefixed(words: str, text: str) -> Iterator[Finding]:
    """Tokens of services nobody listed: a short prefix, then a long run that looks drawn.

    A document with many of them, of several prefixes, speaks of objects by their ids.
    """
    values = sorted({it[0] for it in PREFIXED.finditer(words) if _may_be_token(it[0])})
    prefixes = {PREFIX_AND_RUN.findall(value)[0][0] for value in values}
    if len(values) >= MANY_IDS and len(prefixes) > 1:
        return
    for value in values:
        for at in _places(text, value):
            name = OWN_NAME.search(text, max(0, at - 70), at)
            if text.endswith(TAG_OF_VERSION, 0, at):
                continue
            if name is None or is_in_a_name(name[1].lower()):
                yield Finding(at, at + len(value), ORDER_PREFIXED, "R-VENDOR", "SERVICE_TOKEN")


def _may_be_token(value: str) -> bool:
    prefix, run = PREFIX_AND_RUN.findall(value)[0]
    listed = prefix == "diff" or prefix.endswith(LISTED_PREFIXES)
    return not listed and _changes(run) and not NOT_REAL.search(value)


def _changes(run: str) -> bool:
    """Whether letters of both cases and digits change places as often as in a drawn text."""
    kinds = ["d" if char.isdigit() else "l" if char.islower() else "u" for char in run]
    changes = sum(one != next_ for one, next_ in zip(kinds, kinds[1:], strict=False))
    return len(set(kinds)) == 3 and kinds.count("d") >= 2 and changes >= CHANGES_OF_DRAWN * len(run)


def _places(text: str, anchor: str) -> Iterator[int]:
    at = text.find(anchor)
    while at >= 0:
        yield at
        at = text.find(anchor, at + len(anchor))


def _plausible(form: Form, match: re.Match[str], text: str) -> bool:
    """Whether a form that matched is a secret: nothing repeated or spelt out, no part of a word."""
    value = match[form.group]
    if form.rule_id == "R-PEM":
        return True
    if form.rule_id == "R-BASIC":
        return _is_user_and_password(value)
    value = value[:LONGEST_JUDGED]
    if form.rule_id == "R-ASSIGN":
        of_any = form.anchors == ANY_DATA and RESOURCE_NAME.fullmatch(value)
        return _is_password(value) and value.lower() not in SPEAKING and not of_any
    if form.rule_id == "R-URL":
        return _is_password(value)
    if form.anchors == ("bearer",) and not any(map(str.isdigit, value)):
        return False
    if form.rule_id == "R-AUTH":
        is_plain = len(set(value)) <= 5 or value.isalpha() or _is_slug(value)
        return not is_plain and not STANDS_FOR_ONE.search(value)
    if NOT_REAL.search(value):
        return False
    body = value.rpartition("_")[2] if form.rule_id == "R-STRIPE" else value[5:]
    if set(body) <= FILLERS or _is_crossed_out(body) or _is_slug(body):
        return False
    return form.rule_id != "R-LLM" or not body.replace("_", "").isalpha() or len(body) == 32


def _is_user_and_password(value: str) -> bool:
    """Whether the base64 of basic authentication says ``user:password``."""
    try:
        text = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    user, colon, password = text.partition(":")
    return bool(user and colon) and text.isprintable() and _is_password(password)


def _is_crossed_out(body: str) -> bool:
    """Whether crosses stand where a token would be; a drawn one may have some by chance."""
    rest = CROSSES.sub("", body)
    return rest != body and not (len(rest) >= SHORTEST_REST and _changes(rest))


def _is_slug(body: str) -> bool:
    """Lower-case words joined by hyphens are a name, whatever their first letters."""
    return body.replace("-", "").isalpha() and body.islower() and "-" in body


def _is_password(value: str) -> bool:
    lowered = value.lower().strip("*.x%")
    spelt_out = lowered in ("", "password", "passwd", "pwd", "secret", "token", "port")
    if spelt_out or len(value) < 4 or len(set(value)) == 1:
        return False
    return not NO_PASSWORD.match(lowered)
