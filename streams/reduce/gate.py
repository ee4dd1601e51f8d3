"""The quality gate by rule: four criteria for each dimension, a tier, pass or not.

A pure function of the sections and of the atoms and open contradictions behind them. It judges and
does not revise: a rule cannot word a weak section better than the rules that wrote it, so one
evaluation is all it makes of the iterations that a mode allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from schemas.events.artifact_parts import (
    DimensionScore,
    QualityRun,
    QualityTier,
    Section,
    Statement,
)
from schemas.ids import derive_id
from streams.reduce.inputs import Grounds

PASS = 2
TIERS: tuple[QualityTier, ...] = ("incomplete", "basic", "intermediate", "advanced")
MAX_ITERATIONS: Mapping[str, int] = {"full": 2, "light": 1}
Mode = Literal["full", "light"]
FULL: Mapping[str, tuple[str, ...]] = {
    "Scoping": ("problem", "goals", "users", "scope", "functional_requirements"),
    "Solution Design": ("solution_overview", "architecture_decisions", "data_and_integrations"),
    "Operational Design": ("non_functional_requirements", "deployment_and_operations", "risks"),
    "Overall": (),
}
LIGHT: Mapping[str, tuple[str, ...]] = {
    "Scoping": ("description", "acceptance_criteria"),
    "Overall": (),
}
_DIMENSIONS: Mapping[Mode, Mapping[str, tuple[str, ...]]] = {"full": FULL, "light": LIGHT}
_BY_SHARE = ((0.9, 3), (0.7, 2), (0.4, 1))
_VAGUE = re.compile(
    r"\b(?:etc|and so on|some(?:how|times|what|thing)?|various|several|maybe|perhaps|possibly|"
    r"probably|appropriate(?:ly)?|as needed|if needed|reasonabl[ey]|user[- ]friendly|fast|easy|"
    r"easily|simple|good|better|nice|many|few|soon|tbd|tba|as (?:far|much) as possible|and/or|"
    r"roughly|about|kind of|sort of|stuff|things?)\b",
    re.IGNORECASE,
)


def assess(
    artifact_id: str,
    version: int,
    mode: Mode,
    sections: Sequence[Section],
    grounds: Grounds,
    engine: str,
) -> QualityRun:
    """The gate's judgement of one version; passed when every dimension has tier 2 at least."""
    present = {section.section_id for section in sections}
    dimensions = [
        _dimension(name, [one for one in sections if not ids or one.section_id in ids], grounds)
        for name, ids in _DIMENSIONS[mode].items()
        if not ids or present & set(ids)
    ]
    *others, overall = [one.tier for one in dimensions]
    final = min(overall, *(tier + 1 for tier in others)) if others else overall
    passed = all(one.tier >= PASS for one in dimensions)
    scores = "\n".join(one.model_dump_json() for one in dimensions)
    return QualityRun(
        quality_run_id=derive_id("qlr", artifact_id, version, mode, scores),
        artifact_id=artifact_id,
        artifact_version=version,
        mode=mode,
        status="passed" if passed else "needs_attention",
        iteration=1,
        max_iterations=MAX_ITERATIONS[mode],
        final_tier=TIERS[final],
        dimensions=dimensions,
        engine=engine,
    )


def _dimension(name: str, sections: Sequence[Section], grounds: Grounds) -> DimensionScore:
    statements = [one for section in sections for one in section.statements]
    cited = sorted({citation.atom_id for one in statements for citation in one.citations})
    empty = [section.section_id for section in sections if not section.statements]
    scores = {
        "completeness": round(3 * (len(sections) - len(empty)) / max(len(sections), 1), 6),
        "consistency": float(max(0, 3 - len(grounds.contradictions_of(cited)))),
        "evidence_coverage": _by_share(statements, lambda one: _is_evident(one, grounds)),
        "clarity": _by_share(statements, lambda one: not _VAGUE.search(one.text)),
    }
    tier = int(sum(scores.values()) / len(scores)) if statements else 0
    weak = [key for key, score in scores.items() if score < PASS]
    return DimensionScore(
        name=name,
        tier=tier,
        **scores,
        critique=_critique(weak, empty),
        failing_sections=_list_failing(sections, grounds) if tier < PASS else [],
    )


def _by_share(statements: Sequence[Statement], holds: Callable[[Statement], bool]) -> float:
    share = sum(holds(one) for one in statements) / len(statements) if statements else 0.0
    return float(next((score for least, score in _BY_SHARE if share >= least), 0))


def _is_evident(statement: Statement, grounds: Grounds) -> bool:
    """Whether an active atom with direct evidence is behind it."""
    atoms = [grounds.atoms.get(citation.atom_id) for citation in statement.citations]
    return any(one and one.status == "active" and one.direct_evidence_count for one in atoms)


def _list_failing(sections: Sequence[Section], grounds: Grounds) -> list[str]:
    """The sections of whose statements at most half are evident and clear, and empty ones."""
    return [
        section.section_id
        for section in sections
        if 2
        * sum(
            _is_evident(one, grounds) and not _VAGUE.search(one.text) for one in section.statements
        )
        <= len(section.statements)
    ]


def _critique(weak: Sequence[str], empty: Sequence[str]) -> str:
    said = {
        "completeness": f"nothing is known of: {', '.join(empty)}",
        "consistency": "open contradictions touch it",
        "evidence_coverage": "too few statements rest on active atoms with direct evidence",
        "clarity": "too many statements are vague",
    }
    return "; ".join(said[name] for name in weak)
