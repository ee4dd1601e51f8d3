"""The sections of a PRD and which of them an atom may stand in.

Rules over an atom's fields and the headings it was found under, so that a reader of the PRD can see
why a statement is where it is. An atom has at most one section of its own, and others that take it
when they are short of material; it never stands in two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemas.events.ledger import AtomRecord


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """One section: how many statements it holds at most, and what is said when it has none."""

    section_id: str
    title: str
    limit: int
    missing: str


SECTIONS: tuple[SectionPlan, ...] = (
    SectionPlan("problem", "Problem", 6, "statements about the problem and what the product is"),
    SectionPlan("goals", "Goals", 8, "goals or objectives"),
    SectionPlan("users", "Users", 8, "statements about users and their needs"),
    SectionPlan("scope", "Scope", 10, "statements of what is in or out of scope"),
    SectionPlan(
        "functional_requirements", "Functional requirements", 20, "functional requirements"
    ),
    SectionPlan(
        "solution_overview", "Solution overview", 12, "statements about the parts of the solution"
    ),
    SectionPlan("architecture_decisions", "Architecture decisions", 15, "decisions"),
    SectionPlan(
        "data_and_integrations",
        "Data and integrations",
        12,
        "statements about data and integrations",
    ),
    SectionPlan(
        "non_functional_requirements",
        "Non-functional requirements",
        15,
        "non-functional requirements",
    ),
    SectionPlan(
        "deployment_and_operations",
        "Deployment and operations",
        12,
        "statements about deployment and operation",
    ),
    SectionPlan("risks", "Risks", 15, "risks"),
    SectionPlan("success_metrics", "Success metrics", 8, "measurable targets"),
    SectionPlan("open_questions", "Open questions", 15, "open questions"),
)
PLANS: dict[str, SectionPlan] = {plan.section_id: plan for plan in SECTIONS}


@dataclass(frozen=True, slots=True)
class SectionFit:
    """A section an atom fits in; ``fit`` is added to its score there."""

    section_id: str
    fit: float = 0.0


@dataclass(frozen=True, slots=True)
class SectionFits:
    """The atom's own section, if any, and those that may take it when they are short."""

    own: SectionFit | None = None
    others: tuple[SectionFit, ...] = ()


_GOAL = re.compile(
    r"\b(?:(?<!not a )(?<!non-)goals?|objectives?|aims? (?:to|at|for)|mission|vision|we want|"
    r"make it (?:easy|easier|possible)|designed to be)\b",
    re.IGNORECASE,
)
_PROBLEM = re.compile(
    r"\b(?:problems?|pain points?|lack(?:s|ing)?|no way to|difficult to|hard to|challeng\w+|"
    r"need for|purpose of)\b",
    re.IGNORECASE,
)
_WHAT_IT_IS = re.compile(r"^(?:The |An? )?[\w.@/-]+(?: [\w.@/-]+){0,4} (?:is|are) (?:an?|the) ")
_PURPOSE = re.compile(r"\b(?:designed|intended|meant|built|aims?) (?:to|for|at)\b", re.IGNORECASE)
_ACTORS = (
    r"(?:end[- ]users?|users?|customers?|developers?|operators?|administrators?|personas?|"
    r"stakeholders?|integrators?|buyers?|engineers?|teams?|"
    r"managers?|analysts?|reviewers?|auditors?|organi[sz]ations?|companies|enterprises?|"
    r"community|adopters?|researchers?|maintainers?)"
)
_PEOPLE = re.compile(rf"\b{_ACTORS}\b", re.IGNORECASE)
_ACTING = re.compile(
    rf"^(?:(?:the|an?|our|many|most|some|all|several|every|each) )?(?:[\w-]+ ){{0,2}}?{_ACTORS} "
    r"(?:\w+ly |often |also |will |who )?(?:"
    r"can|may|must|should|will|want|wants|needs?|expects?|asks?|"
    r"ha(?:s|ve)|(?:is|are) (?:not |also )?(?:to|able|expected|responsible|interested|required|"
    r"allowed|supposed|asking|switching|moving)|uses?|runs?|sees?|gets?|works?|complains?|"
    r"prefers?|benefits?|relies|rely|"
    r"builds?|writes?|reads?|buy|buys|manages?|operates?|chooses?|cannot|configures?|deploys?)\b",
    re.IGNORECASE,
)
_SERVED = re.compile(
    rf"\b(?:built|made|designed|intended|aimed|meant|targeted|tool|service|platform|system|"
    rf"software|"
    rf"shows|helps|gives) (?:at |for )?(?:[\w-]+ ){{0,2}}?{_ACTORS}\b",
    re.IGNORECASE,
)
_STORY = re.compile(r"^as an? \w", re.IGNORECASE)
_OUT_OF_SCOPE = re.compile(
    r"\b(?:out of scope|not in scope|non-?goals?|not a goal|beyond the scope|outside the scope)\b",
    re.IGNORECASE,
)
_GOAL_HEADING = re.compile(r"\b(?:goals?|objectives?|vision|mission|aims?)\b", re.IGNORECASE)
_PROBLEM_HEADING = re.compile(
    r"\b(?:motivation|problem(?: statement)?|introduction|overview|about|purpose|why|what is)\b",
    re.IGNORECASE,
)
_WHY_HEADING = re.compile(
    r"\b(?:motivation|problem(?: statement)?|rationale|context|background|why)\b", re.IGNORECASE
)
_AS_IT_IS = re.compile(
    r"\b(?:problems?|cannot|can't|difficult|hard to|currently|no longer|lacks?|limited|only|"
    r"does not|do not|not possible|error-prone|slow|expensive|complex|challenge\w*|need for)\b",
    re.IGNORECASE,
)
_RESULTS_HEADING = re.compile(
    r"\b(?:measured|measurements?|benchmarks?|evaluation|accuracy|"
    r"(?:test|benchmark|experimental|quality) (?:results|figures))\b",
    re.IGNORECASE,
)
_SCOPE_HEADING = re.compile(r"\bscope\b", re.IGNORECASE)
_IN_SCOPE = re.compile(
    r"\b(?:(?:in|within|part of) (?:the )?scope(?! of)|the scope (?:is|includes|covers))\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"\d\s?(?:[kKM] )?(?:%|percent\b|ms\b|milliseconds?\b|s\b|secs?\b|seconds?\b|minutes?\b|"
    r"hours?\b|days?\b|"
    r"[kmgt]i?b\b|rps\b|tps\b|qps\b|requests?\b|transactions?\b|users?\b|(?:x|times) faster\b|"
    r"(?:[\w-]+ ){1,3}(?:per|an?|each|every) (?:second|minute|hour|day)\b)",
    re.IGNORECASE,
)
_TARGET = re.compile(
    r"\b(?:at least|at most|less than|more than|fewer than|within|under|below|above|up to|"
    r"exceed\w*|latency|throughput|availability|uptime|coverage|response time|performance|"
    r"minimum|maximum|reduc\w+|increas\w+|faster|improv\w+)\b",
    re.IGNORECASE,
)
_SPEAKS_FOR_ALL = (None, "readme", "overview")  # origins that tell of the project as a whole
_RUN = frozenset({"deployment_constraints", "operations"})
_DATA = frozenset({"data_model", "integrations"})
_QUALITY = frozenset({"non_functional", "security"})


def is_excluded(atom: AtomRecord) -> bool:
    """Whether the atom says what the product does not do."""
    marked = atom.attributes.get("scope") == "out" or "non-goal" in atom.tags
    return marked or bool(_OUT_OF_SCOPE.search(f"{atom.statement} {atom.body}"))


def _is_measured(atom: AtomRecord) -> bool:
    return bool(_MEASURE.search(atom.statement) and _TARGET.search(atom.statement))


def _claim(atom: AtomRecord, headings: str) -> SectionFits:
    what = 0.1 if _WHAT_IT_IS.match(atom.statement) else 0.0
    overview = SectionFit("solution_overview", what)
    if _RESULTS_HEADING.search(headings):  # remarks on how it was measured describe no part
        return SectionFits(None, (SectionFit("success_metrics"),) if _is_measured(atom) else ())
    if _is_measured(atom):
        return SectionFits(SectionFit("success_metrics"), (overview,))
    if _ACTING.match(atom.statement):
        return SectionFits(SectionFit("users"), (overview,))
    if why := _why(atom, headings):
        users = (SectionFit("users"),) if _SERVED.search(atom.statement) else ()
        return SectionFits(SectionFit("problem", round(what + why, 6)), (*users, overview))
    told = atom.attributes.get("origin") in _SPEAKS_FOR_ALL
    goals = (SectionFit("goals"),) if told and _GOAL.search(atom.statement) else ()
    if not told and _AS_IT_IS.search(atom.statement) and _WHY_HEADING.search(headings):
        goals = (*goals, SectionFit("problem", -0.1))
    if atom.area in _RUN:
        return SectionFits(SectionFit("deployment_and_operations"), (*goals, overview))
    if atom.area in _DATA:
        return SectionFits(SectionFit("data_and_integrations", -0.1), (*goals, overview))
    if atom.area in ("architecture_decisions", "scope"):
        return SectionFits(overview, goals)
    if atom.area in _QUALITY:
        return SectionFits(
            None, (*goals, SectionFit("non_functional_requirements", -0.1), overview)
        )
    return SectionFits(None, (*goals, overview, SectionFit("deployment_and_operations", -0.1)))


def _why(atom: AtomRecord, headings: str) -> float:
    """How much a claim says what the project is or what it is for; 0 for all that does not."""
    if _is_about_project(atom):
        return 0.3 if _WHAT_IT_IS.match(atom.statement) else 0.1
    if atom.attributes.get("origin") not in _SPEAKS_FOR_ALL:
        return 0.0
    if _WHAT_IT_IS.match(atom.statement) and _PURPOSE.search(atom.statement):
        return 0.1
    return 0.1 * bool(_PROBLEM.search(atom.statement)) * bool(_PROBLEM_HEADING.search(headings))


def _is_about_project(atom: AtomRecord) -> bool:
    return atom.attributes.get("about") == "project"


def _decision(atom: AtomRecord, headings: str) -> SectionFits:
    architecture = SectionFit("architecture_decisions")
    if is_excluded(atom):
        return SectionFits(SectionFit("scope", 0.2), (architecture,))
    if atom.area in _RUN:
        return SectionFits(SectionFit("deployment_and_operations", 0.1), (architecture,))
    overview = SectionFit("solution_overview")
    if atom.area in _DATA:
        return SectionFits(architecture, (SectionFit("data_and_integrations", 0.1), overview))
    in_scope = _IN_SCOPE.search(atom.statement) or _SCOPE_HEADING.search(headings)
    return SectionFits(architecture, (SectionFit("scope"), overview) if in_scope else (overview,))


def _requirement(atom: AtomRecord, headings: str) -> SectionFits:
    quality = atom.attributes.get("requirement_type") == "non_functional"
    sort = SectionFit("non_functional_requirements" if quality else "functional_requirements")
    if is_excluded(atom):
        return SectionFits(SectionFit("scope", 0.2))
    if _GOAL_HEADING.search(headings) and atom.polarity != "negate":
        return SectionFits(SectionFit("goals", 0.2), (sort,))
    if _IN_SCOPE.search(atom.statement) or _SCOPE_HEADING.search(headings):
        return SectionFits(SectionFit("scope", 0.1), (sort,))
    if _is_measured(atom):
        return SectionFits(SectionFit("success_metrics", 0.1), (sort,))
    others = [SectionFit("goals")] if _GOAL.search(atom.statement) else []
    if atom.area in _RUN:
        others.append(SectionFit("deployment_and_operations"))
    if atom.area in _DATA:
        others.append(SectionFit("data_and_integrations"))
    if _STORY.match(atom.statement) or _ACTING.match(atom.statement):
        others.append(SectionFit("users", -0.05))
    return SectionFits(sort, tuple(others))


def _entity(atom: AtomRecord) -> SectionFits:
    what = atom.attributes.get("entity_type", "other")
    known = min(atom.evidence_count, 6) * 0.03 + (0.1 if len(atom.body.split()) >= 6 else -0.3)
    known = round(known, 6)
    if (
        atom.attributes.get("origin") == "manifest"
    ):  # «X is a declared dependency» describes nothing
        return SectionFits(None, (SectionFit("data_and_integrations", round(known - 0.2, 6)),))
    if what == "team" or _PEOPLE.fullmatch(atom.title.strip()):
        return SectionFits(SectionFit("users", known))
    if what in ("integration", "dataset"):
        return SectionFits(SectionFit("data_and_integrations", known))
    if _is_about_project(atom):
        return SectionFits(
            SectionFit("problem", round(known + 0.2, 6)), (SectionFit("solution_overview", known),)
        )
    if what in ("system", "product"):
        return SectionFits(SectionFit("solution_overview", known))
    if what == "component":
        return SectionFits(
            SectionFit("solution_overview", known), (SectionFit("data_and_integrations", known),)
        )
    return SectionFits(None, (SectionFit("data_and_integrations", known - 0.1),))


def _signal(atom: AtomRecord) -> SectionFits:
    if atom.attributes.get("signal_type", "user") == "user":
        return SectionFits(SectionFit("users", 0.1), (SectionFit("problem", 0.1),))
    return SectionFits(SectionFit("problem", 0.1), (SectionFit("users"),))


_ASSISTANT = re.compile(
    r"(?:the |an? |ai |coding )*(?:assistant|agent|llm|copilot|claude)s? "
    r"(?:must|should|shall|needs? to|is expected to)\b",
    re.IGNORECASE,
)
_FOR_CODE = frozenset(
    ("functional_requirements", "non_functional_requirements", "solution_overview")
    + ("data_and_integrations", "deployment_and_operations", "risks", "open_questions")
)


def places(atom: AtomRecord, headings: str = "") -> SectionFits:
    """Where the atom may stand; ``headings`` are those nearest to its evidence.

    What only a comment in code says fills sections that documents leave short, and never those that
    speak of people, purpose or scope. Action items stand nowhere: they are plan, not product; so do
    orders to a coding assistant.
    """
    if _ASSISTANT.match(atom.statement):
        return SectionFits()
    fits = _by_kind(atom, headings)
    if atom.attributes.get("origin") != "code":
        return fits
    own = (fits.own,) if fits.own else ()
    found = tuple(place for place in (*own, *fits.others) if place.section_id in _FOR_CODE)
    return SectionFits(None, found)


def _by_kind(atom: AtomRecord, headings: str) -> SectionFits:
    match atom.kind:
        case "claim":
            return _claim(atom, headings)
        case "decision":
            return _decision(atom, headings)
        case "requirement":
            return _requirement(atom, headings)
        case "entity":
            return _entity(atom)
        case "domain_signal":
            return _signal(atom)
        case "risk":
            return SectionFits(
                SectionFit("risks", {"critical": 0.2, "high": 0.1}.get(atom.severity or "", 0.0))
            )
        case "unknown":
            return SectionFits(SectionFit("open_questions", 0.15 * atom.statement.endswith("?")))
        case _:
            return SectionFits()
