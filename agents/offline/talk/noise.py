"""What stands in a remark and is not said by its speaker: it is made blank, in place.

Quotes of others, signatures, machines' remarks, forms to fill in, traces and logs. Blanks instead
of a shorter text, so that every place in the text stays where it is and evidence is exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.offline.lexicons import Wording, load_words
from schemas.talk import RemarkSpan, remarks_in

_BOT_ROLES = load_words("unspoken", "bot_roles")
_BOT_NAME = Wording("unspoken", "bot_names")
_QUOTING = Wording("unspoken", "quoting")
_REST_IS_OLD = Wording("unspoken", "rest_is_old")
_REGARDS = Wording("unspoken", "regards")
_TRAILER = Wording("unspoken", "trailers")
_FORM = Wording("unspoken", "forms")
_FORM_LEAD = Wording("unspoken", "form_leads")
_TASK = re.compile(r"[-*+] \[[ xX]\]")
_TRACE = Wording("unspoken", "traces")
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
    return (role or "").lower() in _BOT_ROLES or _BOT_NAME.says(speaker)


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
    pasted = _find_pasted(heads)
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


def _find_pasted(heads: list[str]) -> set[int]:
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
