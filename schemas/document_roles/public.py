"""The roles of documents in the words that people and events use.

The words of ``roles`` tell finer and coarser: a README of a part and a folder of fixtures have no
name of their own here, while a glossary and a test plan have one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from schemas.document_roles.lexicons import Wording
from schemas.document_roles.roles import NamedRole

DocumentRole = Literal[
    "overview",
    "requirements",
    "proposal",
    "decision_record",
    "minutes",
    "user_research",
    "roadmap",
    "guide",
    "reference",
    "glossary",
    "test_plan",
    "changelog",
    "how_we_work",
    "archive",
]
DOCUMENT_ROLES: tuple[DocumentRole, ...] = get_args(DocumentRole)
ROLE_NAMES: Mapping[str, str] = {
    "overview": "vision or overview",
    "requirements": "requirements",
    "proposal": "proposal",
    "decision_record": "decision record",
    "minutes": "minutes",
    "user_research": "user research",
    "roadmap": "roadmap",
    "guide": "guide",
    "reference": "reference",
    "glossary": "glossary",
    "test_plan": "test plan",
    "changelog": "changelog",
    "how_we_work": "how we work",
    "archive": "archive",
}
_OF_ENTRY: tuple[tuple[str, str, DocumentRole], ...] = (
    ("plan", "ahead", "roadmap"),
    ("plan", "asked-for", "requirements"),
    ("reference", "terms", "glossary"),
    ("development", "test-plans", "test_plan"),
)
_WORDINGS = [
    (role, Wording("roles", role, entry=entry), public) for role, entry, public in _OF_ENTRY
]
_OF_ROLE: Mapping[str, DocumentRole] = {
    "readme": "overview",
    "overview": "overview",
    "product": "overview",
    "plan": "proposal",
    "record": "decision_record",
    "minutes": "minutes",
    "research": "user_research",
    "guide": "guide",
    "article": "guide",
    "part": "reference",
    "architecture": "reference",
    "reference": "reference",
    "changelog": "changelog",
    "development": "how_we_work",
    "agent": "how_we_work",
    "legal": "how_we_work",
    "past": "archive",
    "translation": "archive",
    "foreign": "archive",
}
# What a statement of a document counts as whose role a person has set.
ORIGIN_OF_ROLE: Mapping[DocumentRole, str] = {
    "overview": "overview",
    "requirements": "product",
    "proposal": "plan",
    "decision_record": "record",
    "minutes": "minutes",
    "user_research": "research",
    "roadmap": "plan",
    "guide": "guide",
    "reference": "reference",
    "glossary": "reference",
    "test_plan": "development",
    "changelog": "changelog",
    "how_we_work": "development",
    "archive": "past",
}
_BY = {
    "folder": "its folder “{name}”",
    "file": "its file name “{name}”",
    "title": "its title “{name}”",
    "heading": "its heading “{name}”",
}


def public_role_of(named_role: NamedRole) -> DocumentRole | None:
    """What people call it; None where nothing tells it."""
    for role, wording, public in _WORDINGS:
        if named_role.role == role and named_role.name and wording.search(named_role.name):
            return public
    return _OF_ROLE.get(named_role.role)


def describe_reason(named: NamedRole) -> str:
    """Why it has that role, as a line for people."""
    if named.name:
        return _BY[named.by].format(name=named.name)
    if named.role == "product":
        return "a page in a folder of documents, which no name tells apart"
    return "a README that introduces a folder" if named.role == "overview" else "no name tells it"
