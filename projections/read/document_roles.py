"""The role and status of a document: what its names and text tell, and what a person has said."""

from __future__ import annotations

from projections.read.session import ReadModel

# Of a source ``{source}``: ``d`` is what stage 0 has told of it, ``g`` what a person has last said.
JOINED = (
    " LEFT JOIN document_descriptions d ON d.source_id = {source}"
    " LEFT JOIN ledger_document_roles g ON g.source_id = {source}"
)
ROLE = "coalesce(g.role, d.role)"
COLUMNS = f"""
    {ROLE} AS role, d.role AS told_role,
    CASE WHEN g.role IS NULL THEN coalesce(d.role_reason, '') ELSE 'set by ' || g.decided_by
        || CASE WHEN g.rationale = '' THEN '' ELSE ': ' || g.rationale END END AS role_reason,
    d.status AS document_status, coalesce(d.status_reason, '') AS status_reason,
    coalesce(g.revision, 0) AS role_revision,
    CASE WHEN g.role IS NOT NULL THEN g.hitl_event_id END AS role_decision
"""


class DocumentState(ReadModel):
    """``role`` is what the document is to the product, None where nobody knows, which is so of all
    but prose and of what was read before roles were told. ``role_reason`` says what tells it:
    a name, or the person who has set it; then ``told_role`` is what its names tell, and
    ``role_decision`` the decision, which can be taken back. ``role_revision`` counts what people
    have said of it. ``document_status`` is the document's own, or else its folder's.
    """

    role: str | None = None
    told_role: str | None = None
    role_reason: str = ""
    document_status: str | None = None
    status_reason: str = ""
    role_revision: int = 0
    role_decision: str | None = None
