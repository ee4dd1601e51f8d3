"""The quality gate by rule: four criteria for each dimension, a tier, pass or not.

A pure function of the statements that a reader sees first and of the atoms and open contradictions
behind them. A dimension passes when half of its sections say something sure, and most of its
statements are evident and clear. It judges and does not revise: a rule cannot word a weak section
better than the rules that wrote it, so one evaluation is all it makes of those a mode allows.
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
from streams.reduce.placed_atoms import FOR_A_PART, voice_of
from streams.reduce.sections import SHOWN
from streams.reduce.vocabulary import find_wordings
from streams.reduce.wording import content_words

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
REPEATS = 0.6  # shared words of two statements of which one is too many
_DEPENDENT = frozenset({"unfinished", "work_on_it", "how_to", "to_reader", "setting"})
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
    shown = [one for section in sections for one in section.statements[:SHOWN]]
    cited = sorted({citation.atom_id for one in shown for citation in one.citations})
    meagre = [one.section_id for one in sections if not _has_substance(one)]
    clear = _find_clear(shown)
    scores = {
        "completeness": round(3 * (len(sections) - len(meagre)) / max(len(sections), 1), 6),
        "consistency": float(max(0, 3 - len(grounds.contradictions_of(cited)))),
        "evidence_coverage": _by_share(shown, lambda one: _is_evident(one, grounds)),
        "clarity": _by_share(shown, lambda one: one.statement_id in clear),
    }
    tier = _tier_of(list(scores.values())) if shown else 0
    weak = [key for key, score in scores.items() if score < PASS]
    return DimensionScore(
        name=name,
        tier=tier,
        **scores,
        critique=_critique(weak, meagre),
        failing_sections=_list_failing(sections, grounds, clear) if tier < PASS else [],
    )


def _tier_of(scores: Sequence[float]) -> int:
    """The mean, but not above the lowest and a half: none of the others makes good for it."""
    return int(min(sum(scores) / len(scores), min(scores) + 0.5))


def _has_substance(section: Section) -> bool:
    """Whether the section says something that does not rest on drafts alone."""
    return any(not one.provisional for one in section.statements[:SHOWN])


def _by_share(statements: Sequence[Statement], holds: Callable[[Statement], bool]) -> float:
    share = sum(holds(one) for one in statements) / len(statements) if statements else 0.0
    return float(next((score for least, score in _BY_SHARE if share >= least), 0))


def _is_evident(statement: Statement, grounds: Grounds) -> bool:
    """Whether an active atom with direct evidence is behind it, from a document that speaks for
    the product.
    """
    atoms = [grounds.atoms.get(citation.atom_id) for citation in statement.citations]
    return any(
        one and one.status == "active" and one.direct_evidence_count and voice_of(one) >= FOR_A_PART
        for one in atoms
    )


def _find_clear(statements: Sequence[Statement]) -> frozenset[str]:
    """The statements that are definite, can stand alone, and repeat none before them."""
    clear: set[str] = set()
    said: list[frozenset[str]] = []
    for one in statements:
        words = content_words(one.text)
        repeats = any(len(words & known) >= REPEATS * len(words | known) for known in said)
        said.append(words)
        if not (repeats or _VAGUE.search(one.text) or find_wordings(one.text) & _DEPENDENT):
            clear.add(one.statement_id)
    return frozenset(clear)


def _list_failing(
    sections: Sequence[Section], grounds: Grounds, clear: frozenset[str]
) -> list[str]:
    """The sections of whose statements at most half are evident and clear, and empty ones."""
    return [
        section.section_id
        for section in sections
        if 2
        * sum(
            _is_evident(one, grounds) and one.statement_id in clear
            for one in section.statements[:SHOWN]
        )
        <= len(section.statements[:SHOWN])
    ]


def _critique(weak: Sequence[str], meagre: Sequence[str]) -> str:
    said = {
        "completeness": f"nothing sure is known of: {', '.join(meagre)}",
        "consistency": "open contradictions touch it",
        "evidence_coverage": "too few statements rest on active atoms with direct evidence",
        "clarity": "too many statements are vague, repeat others or do not stand alone",
    }
    return "; ".join(said[name] for name in weak)
