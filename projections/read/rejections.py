"""What reflection refused, and by which rule."""

from __future__ import annotations

from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, like_of
from schemas.events.atom import Candidate, Finding, JudgedRow

REJECTIONS = Listing(
    "rejections",
    "r.candidate_id, r.run_id, r.batch_no, r.lane, r.kind, r.title, r.rejected, s.path,"
    " r.chunk_id, r.source_id, r.findings, r.rejected_rows, r.candidate",
    "ledger_rejections r LEFT JOIN sources s USING (source_id)",
    {"coalesce(s.path, '')": "text", "r.run_id": "text", "r.candidate_id": "text"},
)
BY_RULE = """EXISTS (SELECT 1 FROM jsonb_array_elements(r.findings
    || jsonb_path_query_array(r.rejected_rows, '$[*].findings[*]')) f
    WHERE %s IN (f->>'rule', f->>'code'))"""


class Rejection(ReadModel):
    """A refused candidate, or one that lost rows; ``rejected`` says which of the two."""

    candidate_id: str
    run_id: str
    batch_no: int
    lane: str
    kind: str
    title: str
    rejected: str
    path: str | None
    chunk_id: str
    source_id: str
    findings: list[Finding]
    rejected_rows: list[JudgedRow]
    candidate: Candidate

    @property
    def codes(self) -> list[str]:
        """The codes behind the refusal, each once."""
        of_rows = (finding for refused in self.rejected_rows for finding in refused.findings)
        return list(dict.fromkeys(finding.code for finding in (*self.findings, *of_rows)))


def list_rejections(
    connection: Conn,
    project_id: str,
    *,
    code: str | None = None,
    kind: str | None = None,
    source: str | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Rejection]:
    """A page of refusals by path. Raises Refusal for a bad cursor.

    ``code`` is a rule (``R7``) or its code (``low_confidence``); ``source`` a glob over paths.
    """
    conditions: list[Condition] = [("r.project_id = %s", project_id)]
    if kind:
        conditions.append(("r.kind = %s", kind))
    if source:
        conditions.append(("s.path LIKE %s", like_of(source)))
    if code:
        conditions.append((BY_RULE, code))
    records, following = page_of(connection, REJECTIONS, conditions, cursor, limit)
    return Page(items=[Rejection(**row) for row in records], next_cursor=following)
