"""Talk as records: each remark of a ticket, a chat thread in runs by pauses.

The form is that of ``schemas.talk``. What stands before the first remark (title, state, labels) is
a unit of its own that is not read, so that a ticket's new label leaves what was said in it alone.
A remark that stands alone has its head in its path: a part of a long one still says who speaks.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from schemas.talk import RemarkSpan, remarks_in
from streams.hygiene.chunks.units import TARGET_TOKENS, Unit, tokens_of

PAUSE = timedelta(minutes=30)
RECORD_HEAD = ("record head",)


def records(text: str, source_type: str) -> list[Unit]:
    """The units of a text that is talk; one for all of it where no remark is recognised."""
    remarks = remarks_in(text)
    if not remarks:
        return [Unit("record", 0, len(text))]
    head = text[: remarks[0].start]
    title = head.partition("\n")[0].lstrip("# ").strip()
    path = (title,) if title else ()
    units = [Unit("record", 0, remarks[0].start, path, RECORD_HEAD)] if head.strip() else []
    for run in _runs(text, remarks) if source_type == "chat_thread" else ([it] for it in remarks):
        start, end = run[0].start, run[-1].end
        alone = (text[start : run[0].body].lstrip("# "),) if len(run) == 1 else ()
        units.append(Unit("record", start, end, (*path, *alone)))
    return units


def _runs(text: str, remarks: list[RemarkSpan]) -> Iterator[list[RemarkSpan]]:
    """Remarks without a long pause between them, at most the target in one run."""
    run: list[RemarkSpan] = []
    size = 0
    for remark in remarks:
        grown = tokens_of(text[remark.start : remark.end])
        if run and (_is_late(remark, run[-1]) or size + grown > TARGET_TOKENS):
            yield run
            run, size = [], 0
        run.append(remark)
        size += grown
    if run:
        yield run


def _is_late(remark: RemarkSpan, before: RemarkSpan) -> bool:
    """Whether a long pause lies between two remarks; unknown times tell of none."""
    return bool(remark.at and before.at and remark.at - before.at > PAUSE)
