"""Redacting: secrets become numbered placeholders before anybody downstream sees them (spec 01 §3).

Every rule is tied to short literals, its anchors. Most files hold none of them, so a file costs a
substring search for each anchor, and an expression runs only where an anchor stands, over a
bounded number of characters: the time is linear in the text whatever the text is. ``R-VENDOR``
adds published key prefixes of further services to the rules of the specification.

Personal data is not handled here: the project setting ``redact_pii`` and chat threads need 07
§4.2.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from schemas.events.hygiene import Redaction
from schemas.ids import derive_id
from streams.hygiene.assigned import NAMES, assigned_secret, entropy

BASE64_ENTROPY = 4.5  # bits per character
HEX_ENTROPY = 3.0
ENTROPY_OF_AWS = 3.5
LONGEST_LINE_PART = 4_000  # characters around a name that R-ENTROPY looks at
ENTROPY_LANGUAGE_EXEMPT = frozenset(("gomod",))
PLACEHOLDER = re.compile(r"\[REDACTED:([A-Z_]+):([0-9]{1,9})\]")


class Rule(NamedTuple):
    """A secret that shows itself by its form; the pattern starts matching at an anchor."""

    rule_id: str
    type: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    group: int = 0


class Finding(NamedTuple):
    """A secret's place in the normalised text. ``order`` is the rule's place in the table."""

    start: int
    end: int
    order: int
    rule_id: str
    type: str


def _rule(rule_id: str, kind: str, anchors: str, pattern: str, group: int = 0) -> Rule:
    return Rule(rule_id, kind, tuple(anchors.split()), re.compile(pattern), group)


END = r"(?![A-Za-z0-9])"
RULES = (
    _rule("R-AWS-ID", "AWS_ACCESS_KEY_ID", "AKIA ASIA", rf"A[KS]IA[A-Z0-9]{{16}}{END}"),
    _rule("R-GH", "GITHUB_TOKEN", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _rule("R-GH", "GITHUB_TOKEN", "github_pat_", r"github_pat_[A-Za-z0-9_]{40,255}"),
    _rule("R-GL", "GITLAB_TOKEN", "glpat-", r"glpat-[A-Za-z0-9_.-]{20,255}"),
    _rule(
        "R-SLACK", "SLACK_TOKEN", "xoxa- xoxb- xoxp- xoxr- xoxs- xoxe. xoxe-",
        r"xox[abprse][-.](?=[A-Za-z0-9.-]{0,60}[0-9]{6})[A-Za-z0-9.-]{16,250}",
    ),
    _rule("R-SLACK", "SLACK_TOKEN", "xapp-", r"xapp-[0-9A-Za-z/-]{20,255}"),
    _rule(
        "R-SLACK", "SLACK_TOKEN", "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{20,200})", 1,
    ),
    _rule("R-ATL", "ATLASSIAN_TOKEN", "ATATT ATCTT", r"AT[AC]TT[A-Za-z0-9_=-]{20,400}"),
    _rule("R-GOOG", "GOOGLE_API_KEY", "AIza", rf"AIza[A-Za-z0-9_-]{{35}}{END}"),
    _rule("R-LLM", "MODEL_API_KEY", "sk-", r"sk-(?:(?:ant|or|proj)-[\w-]{8,300}|[\w-]{20,300})"),
    _rule("R-LLM", "MODEL_API_KEY", "gsk_ xai- csk- pplx-", r"(?:gsk_|xai-|csk-|pplx-)\w{20,300}"),
    _rule(
        "R-STRIPE", "STRIPE_KEY", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_",
        r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{10,250}",
    ),
    _rule(
        "R-JWT", "JWT", "eyJ",
        r"(?<![\w-])eyJ[\w-]{6,4000}+\.[\w-]{4,8000}+\.[\w-]{4,2000}+",
    ),
    _rule(
        "R-URL", "URL_CREDENTIAL", "://",
        r"://[^\s/:@\"'<>`\[\]{}()$]{0,120}:([^\s/@\"'<>`{}$][^\s/\"'<>`{}$]{0,198})@"
        r"(?=[\w.\[-])", 1,
    ),
    _rule(
        "R-AUTH", "AUTH_HEADER", "authorization",
        r"(?i:authorization)[\"'\])]{0,3}[ \t]{0,4}[:=,(][ \t]{0,4}[\"'`]?"
        r"(?i:bearer|basic|token)[ \t]{1,4}([A-Za-z0-9_+/=.~-]{8,4000})", 1,
    ),
    _rule(
        "R-VENDOR", "SERVICE_TOKEN", "hvs. hvb. dckr_pat_ npm_ pypi-AgE glsa_ lin_api_ dop_v1_ hf_",
        r"(?:hv[sb]\.[\w-]{24,300}|dckr_pat_[\w-]{20,60}|npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{40,300}"
        r"|glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|lin_api_[A-Za-z0-9]{32,60}|dop_v1_[0-9a-f]{64}"
        r"|hf_[A-Za-z0-9]{30,60})",
    ),
    _rule(
        "R-VENDOR", "SERVICE_TOKEN",
        "SG. shpat_ sq0 EAAA tskey- NRAK- PMAK- rubygems_ ops_eyJ figd_",
        rf"(?:SG\.[\w-]{{16,40}}\.[\w-]{{16,60}}|shpat_[0-9a-fA-F]{{32}}|"
        rf"sq0[a-z]{{3}}-[\w-]{{22,60}}"
        rf"|EAAA[A-Za-z0-9+=_-]{{56,300}}|tskey-[a-z]{{2,12}}-[A-Za-z0-9-]{{16,80}}|"
        rf"NRAK-[A-Z0-9]{{27}}"
        rf"|PMAK-[0-9a-f]{{24}}-[0-9a-f]{{34}}|rubygems_[0-9a-f]{{48}}|ops_eyJ[\w+/=-]{{80,4000}}"
        rf"|figd_[\w-]{{36,60}}){END}",
    ),
)  # fmt: skip
ANCHORS_OF_LOWERED = frozenset(("authorization",))
AWS_SECRET = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])")
PEM_BORDER = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
PEM_BODY = re.compile(r"[ \t\"'+>|*#]*+[A-Za-z0-9+/=\\:, -]*+[\"',+; \t]*+")
BASE64_RUN = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{32,2000}+={0,2}")
HEX_RUN = re.compile(r"(?<![A-Za-z0-9])[0-9a-fA-F]{32,2000}(?![A-Za-z0-9])")
HASH_WORDS = re.compile(
    r"commit|checksum|sha-?(?:1|224|256|384|512)|md5|digest|integrity|fingerprint|"
    r"revision|/blob/|/tree/"
)
ORDER_PEM, ORDER_AWS_SEC, ORDER_ASSIGN, ORDER_ENTROPY = 0, 2, 90, 91


def redact(
    text: str, lowered: str, source_id: str, language: str | None
) -> tuple[str, tuple[Redaction, ...]]:
    """The text with its secrets replaced, and what was replaced; the line count is unchanged.

    ``lowered`` is the text in lower case, character for character.
    """
    findings = _without_overlaps(find_secrets(text, lowered, language), text)
    return _replaced(text, source_id, findings) if findings else (text, ())


def find_secrets(text: str, lowered: str, language: str | None) -> list[Finding]:
    """Every place where a rule finds a secret, overlaps included, unordered."""
    found = list(_private_keys(text)) if "PRIVATE KEY" in text else []
    for order, rule in enumerate(RULES, 1):
        for anchor in rule.anchors:
            where = lowered if anchor in ANCHORS_OF_LOWERED else text
            if anchor not in where:
                continue
            read = 0
            for at in _places(where, anchor):
                match = rule.pattern.match(text, at) if at >= read else None
                if match and _plausible(rule, match, text):
                    found.append(Finding(*match.span(rule.group), order, rule.rule_id, rule.type))
                    read = match.end()
    named = [(at, name) for name in NAMES if name in lowered for at in _places(lowered, name)]
    for at, name in named:
        if span := assigned_secret(text, lowered, at, name, language):
            found.append(Finding(*span, ORDER_ASSIGN, "R-ASSIGN", "SECRET_VALUE"))
    if named:
        found += _near_names(text, lowered, sorted(at for at, _ in named), language)
    return found


def _places(text: str, anchor: str) -> Iterator[int]:
    at = text.find(anchor)
    while at >= 0:
        yield at
        at = text.find(anchor, at + len(anchor))


def _plausible(rule: Rule, match: re.Match[str], text: str) -> bool:
    """Whether a form that matched is a secret: nothing repeated or spelt out, no part of a word."""
    value, start = match[rule.group], match.start()
    if rule.rule_id == "R-URL":
        return _is_password(value)
    if rule.rule_id == "R-AUTH":
        return len(set(value)) > 5 and not value.isalpha()
    if start and (text[start - 1].isalnum() and rule.anchors[0] in ("sk-", "hvs.", "SG.")):
        return False
    body = value.rpartition("_")[2] if rule.rule_id == "R-STRIPE" else value[5:]
    return len(set(body)) > 5 and "xxxx" not in value.lower() and not _is_slug(body)


def _is_slug(body: str) -> bool:
    """Lower-case words joined by hyphens are a name, whatever their first letters."""
    return body.replace("-", "").isalpha() and body.islower() and "-" in body


def _is_password(value: str) -> bool:
    lowered = value.lower().strip("*.x%")
    spelt_out = lowered in ("", "password", "pass", "passwd", "pwd", "secret", "token", "port")
    return not spelt_out and not lowered.startswith(("your", "<", "$", "example", "redacted"))


def _private_keys(text: str) -> Iterator[Finding]:
    """Each line from BEGIN to END; a key without END reaches as far as its lines look like one."""
    open_at: tuple[int, int] | None = None
    for match in PEM_BORDER.finditer(text):
        if match[1] == "BEGIN":
            if open_at:
                stop = min(_as_far_as_a_body(text, open_at[1]), match.start())
                yield Finding(open_at[0], stop, ORDER_PEM, "R-PEM", "PRIVATE_KEY")
            open_at = match.span()
        elif open_at:
            yield Finding(open_at[0], match.end(), ORDER_PEM, "R-PEM", "PRIVATE_KEY")
            open_at = None
    if open_at:
        stop = _as_far_as_a_body(text, open_at[1])
        yield Finding(open_at[0], stop, ORDER_PEM, "R-PEM", "PRIVATE_KEY")


def _as_far_as_a_body(text: str, at: int) -> int:
    """The end of the last line after ``at`` that could belong to a key's text."""
    stop = at
    while body := PEM_BODY.match(text, at):
        line_end = text.find("\n", at)
        if (at > stop and not body[0].strip()) or " " in body[0].strip() and ":" not in body[0]:
            return stop
        stop = body.end()
        if line_end < 0 or stop != line_end:
            return stop
        at = line_end + 1
    return stop


def _near_names(
    text: str, lowered: str, named: list[int], language: str | None
) -> Iterator[Finding]:
    """High-entropy runs on lines with a secret's name (R-ENTROPY), AWS secrets near theirs."""
    done = -1
    for at in named:
        if at < done:
            continue
        start = text.rfind("\n", max(0, at - LONGEST_LINE_PART), at) + 1 or max(
            0, at - LONGEST_LINE_PART
        )
        end = text.find("\n", at, at + LONGEST_LINE_PART)
        done = end = min(len(text), at + LONGEST_LINE_PART) if end < 0 else end
        line = lowered[start:end]
        if "aws" in line and "secret" in line:
            for match in AWS_SECRET.finditer(text, start, end):
                if entropy(match[0]) >= ENTROPY_OF_AWS:
                    yield Finding(*match.span(), ORDER_AWS_SEC, "R-AWS-SEC", "AWS_SECRET")
        if language not in ENTROPY_LANGUAGE_EXEMPT and not HASH_WORDS.search(line):
            yield from _high_entropy(text, start, end)


def _high_entropy(text: str, start: int, end: int) -> Iterator[Finding]:
    for match in BASE64_RUN.finditer(text, start, end):
        if entropy(match[0]) < BASE64_ENTROPY or _is_part_of_a_name(text, *match.span()):
            continue
        if _mixes_classes(match[0]):
            yield Finding(*match.span(), ORDER_ENTROPY, "R-ENTROPY", "HIGH_ENTROPY")
    for match in HEX_RUN.finditer(text, start, end):
        if entropy(match[0]) >= HEX_ENTROPY and not match[0].isdigit():
            yield Finding(*match.span(), ORDER_ENTROPY, "R-ENTROPY", "HIGH_ENTROPY")


def _is_part_of_a_name(text: str, start: int, end: int) -> bool:
    """Whether the run is called, or stands in a path, an address or a dotted name."""
    return text[end : end + 1] in ("(", ".") or text[start - 1 : start] in (".", "/", "#")


def _mixes_classes(run: str) -> bool:
    kinds = (str.isdigit, str.islower, str.isupper)
    return all(any(map(kind, run)) for kind in kinds)


def _without_overlaps(found: list[Finding], text: str) -> list[Finding]:
    """Earlier start first, then the longer, then the rule's order; placeholders are left alone.

    What a later finding has beyond an earlier one stays a finding: no tail of a secret stays.
    """
    if not found:
        return []
    taken = [match.span() for match in PLACEHOLDER.finditer(text)] if "[REDACTED:" in text else []
    starts, ends = [start for start, _ in taken], [end for _, end in taken]
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda item: (item.start, -item.end, item.order)):
        if bisect_right(ends, finding.start) != bisect_left(starts, finding.end):
            continue
        start = max(finding.start, kept[-1].end) if kept else finding.start
        if start < finding.end:
            kept.append(finding._replace(start=start))
    return kept


def _replaced(
    text: str, source_id: str, findings: list[Finding]
) -> tuple[str, tuple[Redaction, ...]]:
    numbers: dict[str, dict[str, int]] = {}
    last: Counter[str] = Counter()
    for match in PLACEHOLDER.finditer(text) if "[REDACTED:" in text else ():
        last[match[1]] = max(last[match[1]], int(match[2]))
    pieces: list[str] = []
    redactions: list[Redaction] = []
    read = length = line = 0
    for finding in findings:
        before, secret = text[read : finding.start], text[finding.start : finding.end]
        known = numbers.setdefault(finding.type, {})
        if secret not in known:
            last[finding.type] += 1
            known[secret] = last[finding.type]
        placeholder = f"[REDACTED:{finding.type}:{known[secret]}]"
        pieces.append(before)
        length += len(before)
        line += before.count("\n")
        for at, part in enumerate(secret.split("\n")):
            if at:
                pieces.append("\n")
                length += 1
                line += 1
            if not part and at:
                continue
            redactions.append(_redaction(source_id, finding, line + 1, length, placeholder))
            pieces.append(placeholder)
            length += len(placeholder)
        read = finding.end
    pieces.append(text[read:])
    return "".join(pieces), tuple(redactions)


def _redaction(
    source_id: str, finding: Finding, line: int, start: int, placeholder: str
) -> Redaction:
    return Redaction(
        redaction_id=derive_id("red", source_id, finding.rule_id, start, placeholder),
        rule_id=finding.rule_id,
        type=finding.type,
        line=line,
        char_start=start,
        char_end=start + len(placeholder),
        placeholder=placeholder,
    )
