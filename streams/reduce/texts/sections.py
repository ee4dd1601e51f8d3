"""The sections of a PRD, in its order, and what each says when nothing can fill it."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.events.ledger import AtomRecord
from streams.lexicons import Wording
from streams.reduce.texts.vocabulary import find_wordings

SHOWN = 10  # statements of a section that a reader sees at once
HELD = 25  # statements of a section in all; the rest of them is behind «more»


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """One section: how many statements it holds at most, and what is said when it has none."""

    section_id: str
    title: str
    missing: str
    limit: int = HELD


SECTIONS: tuple[SectionPlan, ...] = (
    SectionPlan(
        "problem",
        "Problem and purpose",
        "statements of the problem or of what the product is for",
        SHOWN,
    ),
    SectionPlan("goals", "Goals", "goals or objectives of the product", SHOWN),
    SectionPlan("users", "Users", "statements about users and their needs", SHOWN),
    SectionPlan("scope", "Scope", "statements of what is in or out of scope"),
    SectionPlan("functional_requirements", "Functional requirements", "functional requirements"),
    SectionPlan(
        "solution_overview", "Solution overview", "statements about the parts of the solution"
    ),
    SectionPlan("architecture_decisions", "Architecture decisions", "decisions that were taken"),
    SectionPlan(
        "data_and_integrations", "Data and integrations", "statements about data and integrations"
    ),
    SectionPlan(
        "non_functional_requirements",
        "Non-functional requirements",
        "non-functional requirements",
    ),
    SectionPlan(
        "deployment_and_operations",
        "Deployment and operations",
        "statements about deployment and operation",
    ),
    SectionPlan("risks", "Risks", "risks to the product"),
    SectionPlan("success_metrics", "Success metrics", "measures of success", SHOWN),
    SectionPlan("open_questions", "Open questions", "open questions"),
)
PLANS: dict[str, SectionPlan] = {plan.section_id: plan for plan in SECTIONS}
_OUT_OF_SCOPE = Wording("reduce", "out_of_scope")


def is_excluded(atom: AtomRecord) -> bool:
    """Whether the atom says what the product does not do."""
    marked = atom.attributes.get("scope") == "out" or "non-goal" in atom.tags
    return marked or _OUT_OF_SCOPE.says(f"{atom.statement} {atom.body}")


def says_no(atom: AtomRecord) -> bool:
    """Whether the atom tells a reader of the scope what there is not."""
    return (
        is_excluded(atom) or atom.polarity == "negate" or "limit" in find_wordings(atom.statement)
    )
