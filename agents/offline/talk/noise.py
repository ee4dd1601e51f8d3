"""What stands in a remark and is not said by its speaker: it is made blank, in place.

Quotes of others, signatures, machines' remarks, forms to fill in, traces and logs. Blanks instead
of a shorter text, so that every place in the text stays where it is and evidence is exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from schemas.talk import RemarkSpan, remarks_in

_BOT_ROLES = frozenset({"bot", "app", "integration"})
_BOT_NAME = re.compile(
    r"\[bot\]$|(?:^|[-_ ])(?:bot|robot|ci|jenkins|hudson)$|"
    r"^(?:dependabot|renovate|codecov|github-actions|greenkeeper|coveralls|sonarcloud|snyk|mergify|"
    r"netlify|vercel|googlebot|cla-assistant|hudson|jenkins|slackbot|changeset-bot)\b",
    re.IGNORECASE,
)
_QUOTING = re.compile(
    r"(?:on .{4,120} wrote|am .{4,120} schrieb .{0,60}|.{3,60} wrote):\s*$", re.IGNORECASE
)
_REST_IS_OLD = re.compile(
    r"(?:--$|-{2,}\s*original message\s*-{2,}|_{10,}\s*$|sent from my \w+|"
    r"(?:you are receiving this|reply to this email|unsubscribe|view it on github)\b|—\s*$)",
    re.IGNORECASE,
)
_REGARDS = re.compile(
    r"(?:best|kind|warm|many)? ?(?:regards|wishes|cheers|thanks(?: in advance)?|thank you|"
    r"sincerely|br|vg|mfg)[,.!]?\s*$",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"(?:(?:signed-off|co-authored|reviewed|acked|tested|reported|suggested|helped)-by:|"
    r"(?:change-id|cc|fixes|closes|resolves|refs?|related|see also|part of|depends on|blocked by)"
    r":?\s+(?:[#@\[<]|https?:|\w+[-/]\w*#?\d)|/\w[\w-]*(?:\s+[@\w-]+){0,4}\s*$|"
    r"@[\w-]+ (?:rebase|merge|retest|run|test|squash)\b|\+1\W*$|:\+1:|(?:bump|ping|following)\W*$|"
    r"(?:_no response_|n/?a|none|release-note)\W*$)",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"(?:[-*] \[[ xX]\][ \t]*)?(?:\W*)(?:"
    r"i(?:'ve| have| agree| am| confirm| understand| would| searched| checked| read)\b.*"
    r"(?:search|read|agree|follow|check|test|document|guideline|code of conduct|contribut|"
    r"latest version|sign|willing|help|reproduc|duplicate|review)|"
    r"(?:my|this|the) (?:code|change|pr|pull request|commit|contribution)s? (?:follow|require|"
    r"include|has|have|generate|is (?:ready|a))|"
    r"(?:bug ?fix|new feature|breaking change|documentation(?: update)?|refactor\w*)\s*(?:\(|$)|"
    r"(?:unit |e2e |integration )?tests? (?:have been |were |are )?(?:added|updated|passing)|"
    r"(?:is your feature request|describe the (?:bug|solution|alternatives?|feature|issue|problem)|"
    r"a clear and concise|please (?:describe|provide|include|fill|make sure|add any|read|check|"
    r"complete|delete)|what (?:did you (?:expect|do|see)|happened instead)|"
    r"thank(?:s| you) for (?:your|the|contributing|opening|submitting|taking)|"
    r"how has this been tested|what (?:does|this) (?:this )?pr do|does this pr introduce|"
    r"which issue|special notes for your reviewer|add a release note|if applicable, add|"
    r"add any other context|if you (?:have|want|are) .{0,60}(?:please|pull request)))",
    re.IGNORECASE,
)
_FORM_LEAD = re.compile(
    r"(?:\W*)(?:.{0,40}check ?list|type of (?:change|pr|pull request)|what (?:type|kind) of|"
    r"before (?:submitting|merging|requesting|opening|you)|i'?m submitting|please (?:review|check|"
    r"tick|mark)|tick (?:all|the)|pre-?flight|requirements for (?:a|this) p)",
    re.IGNORECASE,
)
_TASK = re.compile(r"[-*+] \[[ xX]\]")
_TRACE = re.compile(
    r"(?:at [\w$.<>/\[\] ]+\(.*\)|at (?:async )?[\w$./<>:-]+:\d+|(?:\.\.\. )?\d+ (?:more|"
    r"common frames omitted)|caused by: |traceback \(most recent|file \"[^\"]+\", line \d+|"
    r"exception in thread|goroutine \d+ \[|panic: |#\d+ +(?:0x|\w+\()|"
    r"[\w./$-]+\.(?:go|py|js|ts|rb|rs|java|c|cc|cpp):\d+(?::\d+)?\b|(?:[a-z_]\w*\.)+[A-Z]\w*(?:Exception|Error)\b|"
    r"[A-Z]\w*(?:Exception|Error|Warning): |\d+: +0x[0-9a-f]+|stack ?trace:|error\[E\d+\]|"
    r"npm (?:err|warn)|\[(?:info|error|warn(?:ing)?|debug|fatal)\])",
    re.IGNORECASE,
)
_LOG = re.compile(
    r"[\[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[.,]?\d*|"
    r"[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|[IWEF]\d{4} \d\d:\d\d)"
)
_PYTHON_TRACE = re.compile(r"traceback \(most recent call last\)", re.IGNORECASE)
_MARKS_ALONE = re.compile(r"[\"“”]{3}|'{3}")
_FENCE = re.compile(r"(```+|~~~+)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DETAILS = re.compile(r"<details\b.*?(?:</details>|\Z)", re.DOTALL | re.IGNORECASE)
LONGEST_FAREWELL = 12  # lines
LOOKED_AT = 240  # characters of a line: what it is shows at its beginning
_NOT_BLANK = re.compile(r"[^\n]")


def is_machine(speaker: str, role: str | None) -> bool:
    """Whether a remark is a program's: what it reports is in the log it reports from."""
    return (role or "").lower() in _BOT_ROLES or bool(_BOT_NAME.search(speaker))


def blank_unspoken(text: str, remarks: list[RemarkSpan] | None = None) -> str:
    """``text`` with blanks where nobody says anything; the length and every line stay.

    ``remarks`` are those of the text; what stands before the first is its head or the rest of a
    remark that began in the part before.
    """
    remarks = remarks_in(text) if remarks is None else remarks
    kept = [(0, remarks[0].start)] if remarks and not text.startswith("# ") else []
    kept += [(it.body, it.end) for it in remarks if not is_machine(it.speaker, it.role)]
    if not remarks:
        kept = [(0, len(text))]
    pieces, read = [], 0
    for start, end in kept:
        pieces += [_blank(text[read:start]), _own_words(text[start:end])]
        read = end
    return "".join((*pieces, _blank(text[read:])))


def _own_words(body: str) -> str:
    body = _COMMENT.sub(lambda it: _blank(it[0]), body)
    body = _DETAILS.sub(lambda it: _blank(it[0]), body)
    return "".join(_lines(body))


def _lines(body: str) -> Iterator[str]:
    """The lines of one remark, those that are not its speaker's made blank."""
    lines = body.splitlines(keepends=True)
    heads = [line.strip()[:LOOKED_AT] for line in lines]
    fence, in_trace, ended, is_form = "", False, False, _is_form(heads)
    pasted = _pasted(heads)
    for number, (line, head) in enumerate(zip(lines, heads, strict=True)):
        if mark := _FENCE.match(head):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = ""
        if fence or mark or not head:
            in_trace = in_trace and not mark and bool(head)
            yield line
            continue
        ended = ended or _REST_IS_OLD.match(head) is not None or _is_farewell(heads, number)
        in_trace = _goes_on(line, head, in_trace)
        other = number in pasted or head[0] == ">" or _QUOTING.match(head) or _TRAILER.match(head)
        form = _FORM.match(head) or (is_form and _TASK.match(head))
        machine = in_trace or _TRACE.match(head) or _LOG.match(head)
        yield _blank(line) if ended or other or form or machine else line


def _pasted(heads: list[str]) -> set[int]:
    """The lines of texts of others between two lines of nothing but three quotation marks."""
    marks = [number for number, head in enumerate(heads) if _MARKS_ALONE.fullmatch(head)]
    return {
        number
        for first, last in zip(marks[::2], marks[1::2], strict=False)
        for number in range(first, last + 1)
    }


def _goes_on(line: str, head: str, in_trace: bool) -> bool:
    """Python's trace: indented lines; the one that names the error is one by itself."""
    return _PYTHON_TRACE.match(head) is not None or (in_trace and line[0] in " \t")


def _is_farewell(heads: list[str], number: int) -> bool:
    """A greeting at the end with nothing but a name or two after it."""
    if not _REGARDS.match(heads[number]) or len(heads) - number > LONGEST_FAREWELL:
        return False
    after = [head for head in heads[number + 1 :] if head]
    return len(after) <= 4 and all(len(head.split()) <= 5 for head in after)


def _is_form(heads: list[str]) -> bool:
    """Boxes of which some are a form's, or that a form's words announce: then all of them are."""
    return any(_FORM.match(head) if _TASK.match(head) else _FORM_LEAD.match(head) for head in heads)


def _blank(text: str) -> str:
    return _NOT_BLANK.sub(" ", text)
