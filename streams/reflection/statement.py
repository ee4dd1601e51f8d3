"""Rule R15: a candidate's title and body beside what its rows quote.

What says otherwise is refused. What says more than is quoted is concluded: its rows are no longer
``direct``, and it stays a draft. Spec 02 ends its table at R14; this rule runs right after R6,
where the rows are known, and takes the next free number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from schemas.events.atom import Candidate, CandidateRow, Finding
from schemas.events.hygiene import ChunkCreated
from streams.reflection.comparing import find_differences
from streams.reflection.evidence import is_code
from streams.reflection.passage import Difference, Passage
from streams.reflection.spans import is_quoted, neighbourhood, sentence_starts

RULE = "R15"
DIFFERS = frozenset(
    {
        "figure_differs",
        "limit_differs",
        "negation_differs",
        "opposite_meaning",
        "other_thing",
        "roles_exchanged",
        "modality_differs",
        "condition_differs",
        "name_differs",
        "nothing_shared",
        "little_shared",
    }
)
CONCLUDED = "retyped_inferred"
MOST_LEAD_IN = 300  # characters of a line that leads in to a list
MOST_BACK = 2_000  # characters before a list item in which its lead-in is looked for
MOST_OF_TABLE = 20_000  # characters before a row in which the table's head is looked for
MOST_OF_SPEAKER = 40  # characters before what a body says
LEAST_OF_BODY = 20  # characters that a title and its body have in common
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|[a-z][.)])\s")
_MARK = re.compile(rf"\A{_ITEM.pattern}\s*")
_NEXT_ITEM = re.compile(rf"\n(?={_ITEM.pattern})")


def compare_with_quote(
    candidate: Candidate,
    rows: Sequence[CandidateRow],
    chunk: ChunkCreated | None,
    *,
    by_model: bool = True,
) -> tuple[list[CandidateRow], list[Finding], bool]:
    """The rows as the comparison leaves them, its findings, and whether it rejects.

    The name of an entity is only a mention: it has to stand there, and claims nothing.
    """
    direct = [row for row in rows if row.evidence_type == "direct"]
    if chunk is None or not direct:
        return list(rows), [], False
    passage = _passage_of(direct, chunk)
    if candidate.kind == "entity":
        differences = find_differences(candidate.title, passage)
        differences = [it for it in differences if it.code == "nothing_shared"]
    else:
        differences = find_differences(f"{_without_place(candidate)}\n{candidate.body}", passage)
    if not by_model:  # rules exchange no word but a subject: «this proposal» for its name
        differences = [it for it in differences if it.is_grave or it.code != "other_thing"]
    if candidate.kind == "unknown":  # a question asserts nothing: only its figures and words count
        differences = [
            it for it in differences if it.code not in ("negation_differs", "modality_differs")
        ]
    findings = [Finding(rule=RULE, code=it.code, detail=it.detail[:200]) for it in differences]
    if any(it.is_grave for it in differences):
        return list(rows), findings, True
    if differences:
        rows = [_conclude(row) for row in rows]
        findings.append(Finding(rule=RULE, code=CONCLUDED, detail=_tell(differences)))
    return list(rows), findings, False


def _without_place(candidate: Candidate) -> str:
    """The title without the place that the rules' reader puts before it, where the body follows."""
    start = candidate.body[: LEAST_OF_BODY + MOST_OF_SPEAKER].lower()
    _, colon, rest = candidate.title.partition(": ")
    while colon and rest[:LEAST_OF_BODY].lower() not in start:
        _, colon, rest = rest.partition(": ")
    return rest if colon and len(rest) >= LEAST_OF_BODY else candidate.title


def _conclude(row: CandidateRow) -> CandidateRow:
    if row.evidence_type != "direct":
        return row
    return row.model_copy(update={"evidence_type": "inferred"})


def _tell(differences: Sequence[Difference]) -> str:
    return "the statement says more than its quote: " + ", ".join(
        dict.fromkeys(it.code for it in differences)
    )


def _passage_of(rows: Sequence[CandidateRow], chunk: ChunkCreated) -> Passage:
    text = chunk.text_payload
    starts = sentence_starts(text)
    quoted = "\n\n".join(dict.fromkeys(_quote_of(row, chunk, starts) for row in rows))
    heads = dict.fromkeys(_table_head(row.char_start - chunk.anchor_start, text) for row in rows)
    places = (*chunk.structure_path, chunk.title, chunk.path, chunk.root)
    near = " \n ".join((*heads, *places))
    return Passage(quoted, near, text, is_code=is_code(chunk))


def _quote_of(row: CandidateRow, chunk: ChunkCreated, starts: Sequence[int]) -> str:
    """The whole sentences of a row, so that no «not» before it is missed, and its lead-in."""
    if not is_quoted(row, chunk):
        return row.snippet
    text = chunk.text_payload
    start, end = row.char_start - chunk.anchor_start, row.char_end - chunk.anchor_start
    around = neighbourhood(starts, len(text), start, end, reach=0)
    sentence = text[around].strip()
    lead_in = _lead_in(text, around.start)
    if not lead_in:
        return sentence
    items = _NEXT_ITEM.split(sentence)  # a row may quote several short ones
    told = "\n\n".join(f"{lead_in} {_MARK.sub('', item)}" for item in items)
    return f"{sentence}\n\n{told}"


def _table_head(at: int, text: str) -> str:
    """The first line of the table in which a row is quoted; else nothing."""
    start = text.rfind("\n", 0, max(0, at)) + 1
    if "|" not in text[start : start + MOST_LEAD_IN].split("\n", 1)[0]:
        return ""
    head = ""
    for line in reversed(text[max(0, start - MOST_OF_TABLE) : start].splitlines()):
        if "|" not in line:
            break
        head = line
    return head[:MOST_LEAD_IN]


def _lead_in(text: str, at: int) -> str:
    """The line with a colon above the list that the item at ``at`` belongs to; else nothing."""
    line_start = text.rfind("\n", 0, at + 1) + 1
    if not _ITEM.match(text, line_start):
        return ""
    above = text[max(0, line_start - MOST_BACK) : line_start].splitlines()
    for number in range(len(above) - 1, -1, -1):
        line = above[number]
        if line.rstrip().endswith(":"):
            first = number  # the width of a page may have parted the sentence
            while first and above[first - 1].strip() and not _ITEM.match(above[first]):
                first -= 1
            return (
                " ".join(above[first : number + 1])
                .strip()
                .rstrip(":")
                .lstrip("-*+• ")[-MOST_LEAD_IN:]
            )
        if line.strip() and not _ITEM.match(line) and not line.startswith((" ", "\t")):
            return ""
    return ""
