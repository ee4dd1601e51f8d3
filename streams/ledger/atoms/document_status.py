"""How the document an atom comes from stands: what is proposed, or holds no more, is a draft.

An atom keeps its confidence when it is read again, so a record that is superseded
would go on being believed. Of several sources the one that stands best counts.
"""

from __future__ import annotations

from typing import Any

from schemas.events.atom import DOCUMENT_STATUS
from schemas.events.ledger import AtomRecord
from schemas.features import keep_feature
from schemas.worth import keep_best_role

OVER = ("rejected", "superseded")
HOLDS_NOT = (*OVER, "proposed")  # from the worst on
_RANK = {status: rank for rank, status in enumerate((*HOLDS_NOT, None, "accepted"))}


def holds(atom: AtomRecord) -> bool:
    """Whether some document it comes from says of itself that it holds, or says nothing."""
    return atom.attributes.get(DOCUMENT_STATUS) not in HOLDS_NOT


def is_unquoted(atom: AtomRecord) -> bool:
    """Whether a draft rests on no quote: concluded, or told by an order to a model alone."""
    return atom.status == "draft" and atom.evidence_count > 0 and not atom.direct_evidence_count


def is_over(atom: AtomRecord) -> bool:
    """Whether each document it comes from says that it was turned down or replaced."""
    return atom.attributes.get(DOCUMENT_STATUS) in OVER


def derive_standing(
    atom: AtomRecord, told_attributes: dict[str, str], *, new_source: bool
) -> dict[str, Any]:
    """The fields that change because a document of the atom stands otherwise than before.

    A source that is one of several cannot take away what the others give. The role of its documents
    is the best one that any of them plays, whichever was read first; so is the feature that they
    introduce.
    """
    alone = atom.source_count == 1 and not new_source
    attributes = keep_best_role(atom.attributes, told_attributes)
    attributes = keep_feature(attributes, told_attributes, renewed=alone)
    known = atom.attributes.get(DOCUMENT_STATUS)
    told = told_attributes.get(DOCUMENT_STATUS)
    if told == known or not (alone or _RANK.get(told, 0) > _RANK.get(known, 0)):
        return {} if attributes == atom.attributes else {"attributes": attributes}
    attributes = {k: v for k, v in attributes.items() if k != DOCUMENT_STATUS}
    changed = {"attributes": attributes | ({DOCUMENT_STATUS: told} if told else {})}
    if told in HOLDS_NOT and atom.status == "active" and not atom.verified_by:
        return changed | {"status": "draft", "status_reason": f"document_{told}"}
    return changed
