"""What beside its own words makes a statement sure enough to be active, and how that reads.

A decision or requirement needs a second passage, unless its document itself says what it is: by the
heading over it, a label in front of it, or a rule's own form. The reader notes which as an
attribute, and the ledger at the passage, so that it goes with that.
"""

from __future__ import annotations

from collections.abc import Mapping

CONFIRMED_BY = "confirmed_by"  # the attribute that names what confirms it: one of these
SECTION, LABEL, RULE, WORDING = "section", "label", "rule", "wording"
_BECAUSE = {
    SECTION: "its section says that it is one",
    LABEL: "a label in front of it says that it is one",
    RULE: "it is a plain rule, and reads like the rules that proved right",
    WORDING: "it reads like the statements that proved right",
}
_BY_REASON = {
    "two_rows": "two passages say so",
    "merged_with_active": "it was merged with one that was active",
    "found_again": "it was found again",
    "document_holds": "its document holds again",
    "reopened": "a person took back what had closed it",
    "reincluded": "a person took it in again",
    "unmerged": "a merge that it had gone into was undone",
    "wording_stands": "its words are those that a document still says",
    "answer_gone": "what answered it is gone",
}
_DRAFT_BECAUSE = {
    "judged_draft": "only its wording speaks for it",
    "insufficient_evidence_draft": "a second passage that says so is missing",
    "low_confidence": "it is not sure enough",
    "evidence_below_floor": "a passage that said so is gone",
    "unmerged": "the merge that made it active was undone",
    "document_holds": "it is not sure enough, although its document holds again",
}


def describe_status(
    status: str, status_reason: str, attributes: Mapping[str, str], *, verified_by: str | None
) -> str:
    """Why a live atom is active or a draft, as a line for people; nothing of others."""
    if status == "draft":
        because = _DRAFT_BECAUSE.get(status_reason, "")
        if not because and status_reason.startswith("document_"):
            because = f"its document is {status_reason.removeprefix('document_')}"
        return f"draft because {because}" if because else ""
    if status != "active":
        return ""
    if verified_by:
        return f"active because {verified_by} verified it"
    if status_reason in _BY_REASON:
        return f"active because {_BY_REASON[status_reason]}"
    confirmed = _BECAUSE.get(attributes.get(CONFIRMED_BY, ""))
    return f"active because {confirmed or 'its own words say what it is'}"
