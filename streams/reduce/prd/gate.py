"""The quality gate by rule: four criteria for each dimension, a tier, what each section lacks.

A pure function of the statements that a reader sees first and of the atoms and open contradictions
behind them. A dimension passes when half of its sections say something sure, and most of its
statements are evident and clear. The writer judges by it in passing, as its condition for
``stable``; the gate's graph is handed it as its evaluator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from schemas.events.artifact_quality import DimensionScore, QualityMode, QualityRun, SectionCritique
from schemas.events.artifact_sections import Section, Statement
from schemas.ids import derive_id
from schemas.quality_gate import (
    DIMENSIONS,
    MAX_ITERATIONS,
    PASS,
    final_tier,
    passes,
    select_dimensions,
)
from schemas.shortening import shorten
from streams.lexicons import Wording
from streams.reduce.prd.placed_atoms import FOR_A_PART, voice_of
from streams.reduce.texts.inputs import Grounds
from streams.reduce.texts.sections import PLANS, SHOWN
from streams.reduce.texts.vocabulary import find_wordings
from streams.reduce.texts.wording import content_words

REPEATS = 0.6  # shared words of two statements of which one is too many
QUOTED = 80  # characters of a statement in a critique
_DEPENDENT = frozenset({"unfinished", "work_on_it", "how_to", "to_reader", "setting"})
_BY_SHARE = ((0.9, 3), (0.7, 2), (0.4, 1))
_VAGUE = Wording("reduce", "vague")


def assess(
    artifact_id: str,
    version: int,
    mode: QualityMode,
    sections: Sequence[Section],
    grounds: Grounds,
    engine: str,
) -> QualityRun:
    """One judgement of a version; passed when every dimension has tier 2 at least."""
    dimensions = evaluate(mode, sections, grounds)
    scores = "\n".join(dimension.model_dump_json() for dimension in dimensions)
    return QualityRun(
        quality_run_id=derive_id("qlr", artifact_id, version, mode, scores),
        artifact_id=artifact_id,
        artifact_version=version,
        mode=mode,
        status="passed" if passes(dimensions) else "needs_attention",
        iteration=1,
        max_iterations=MAX_ITERATIONS[mode],
        final_tier=final_tier(dimensions),
        dimensions=dimensions,
        engine=engine,
    )


def evaluate(
    mode: QualityMode, sections: Sequence[Section], grounds: Grounds
) -> list[DimensionScore]:
    """The scores of the mode's dimensions, and of each that fails what its sections lack."""
    return [
        _score(
            name, [section for section in sections if not ids or section.section_id in ids], grounds
        )
        for name in select_dimensions(mode, [section.section_id for section in sections])
        for ids in [DIMENSIONS[mode][name]]
    ]


def _score(name: str, sections: Sequence[Section], grounds: Grounds) -> DimensionScore:
    shown = [statement for section in sections for statement in section.statements[:SHOWN]]
    cited = _list_cited(shown)
    meagre = [section.section_id for section in sections if not _has_substance(section)]
    clear = find_clear(shown)
    scores = {
        "completeness": round(3 * (len(sections) - len(meagre)) / max(len(sections), 1), 6),
        "consistency": float(max(0, 3 - len(grounds.contradictions_of(cited)))),
        "evidence_coverage": _by_share([is_evident(one, grounds) for one in shown]),
        "clarity": _by_share([one.statement_id in clear for one in shown]),
    }
    tier = tier_of(list(scores.values())) if shown else 0
    weak = [key for key, score in scores.items() if score < PASS]
    critiques = list(_criticise(sections, grounds, clear, weak)) if tier < PASS else []
    return DimensionScore(
        name=name,
        tier=tier,
        **scores,
        critique=_critique(weak, meagre),
        failing_sections=[critique.section_id for critique in critiques],
        critiques=critiques,
    )


def _list_cited(statements: Sequence[Statement]) -> list[str]:
    return sorted(
        {citation.atom_id for statement in statements for citation in statement.citations}
    )


def tier_of(scores: Sequence[float]) -> int:
    """The mean, but not above the lowest and a half: none of the others makes good for it."""
    return int(min(sum(scores) / len(scores), min(scores) + 0.5))


def _has_substance(section: Section) -> bool:
    """Whether the section says something that does not rest on drafts alone."""
    return any(not statement.provisional for statement in section.statements[:SHOWN])


def _by_share(holds: Sequence[bool]) -> float:
    share = sum(holds) / len(holds) if holds else 0.0
    return float(next((score for least, score in _BY_SHARE if share >= least), 0))


def is_evident(statement: Statement, grounds: Grounds) -> bool:
    """Whether an active atom with direct evidence is behind it, from a document that speaks for
    the product.
    """
    atoms = [grounds.atoms.get(citation.atom_id) for citation in statement.citations]
    return any(
        atom
        and atom.status == "active"
        and atom.direct_evidence_count
        and voice_of(atom) >= FOR_A_PART
        for atom in atoms
    )


def find_clear(statements: Sequence[Statement]) -> frozenset[str]:
    """The statements that are definite, can stand alone, and repeat none before them."""
    repeated = find_repeats(statements)
    return frozenset(
        statement.statement_id
        for statement in statements
        if statement.statement_id not in repeated
        and not (_VAGUE.says(statement.text) or find_wordings(statement.text) & _DEPENDENT)
    )


def find_repeats(statements: Sequence[Statement]) -> frozenset[str]:
    """The statements that say in other words what one before them says."""
    repeated: set[str] = set()
    said: list[frozenset[str]] = []
    for statement in statements:
        words = content_words(statement.text)
        if any(len(words & known) >= REPEATS * len(words | known) for known in said):
            repeated.add(statement.statement_id)
        said.append(words)
    return frozenset(repeated)


def _criticise(
    sections: Sequence[Section], grounds: Grounds, clear: frozenset[str], weak: Sequence[str]
) -> Iterator[SectionCritique]:
    """What each section lacks that keeps one of the ``weak`` criteria low."""
    for section in sections:
        lacks = _list_lacks(section, grounds, clear)
        if any(name in lacks for name in weak):
            text = "; ".join(lacks.values())
            yield SectionCritique(section_id=section.section_id, critique=text)


def _list_lacks(section: Section, grounds: Grounds, clear: frozenset[str]) -> dict[str, str]:
    """What a section lacks, by criterion."""
    shown = section.statements[:SHOWN]
    disputes = grounds.contradictions_of(_list_cited(shown))
    lacks = {
        "completeness": "" if _has_substance(section) else f"missing: {_name_missing(section)}",
        "consistency": ", ".join(
            f"open contradiction {dispute.contradiction_id}" for dispute in disputes
        ),
        "evidence_coverage": _tell_share(
            "rest on no active atom with direct evidence from a document that speaks for the"
            " product",
            shown,
            [one for one in shown if not is_evident(one, grounds)],
        ),
        "clarity": _tell_share(
            "are vague, repeat another or do not stand alone",
            shown,
            [one for one in shown if one.statement_id not in clear],
        ),
    }
    return {name: said for name, said in lacks.items() if said}


def _name_missing(section: Section) -> str:
    plan = PLANS.get(section.section_id)
    wanted = plan.missing if plan else section.title.lower()
    return f"{wanted} that rest on more than drafts" if section.statements else wanted


def _tell_share(what: str, shown: Sequence[Statement], at_fault: Sequence[Statement]) -> str:
    """How many are at fault, if they are too many, with the first of them."""
    if not shown or _by_share([statement not in at_fault for statement in shown]) >= PASS:
        return ""
    quote = shorten(at_fault[0].text, QUOTED)
    return f"{len(at_fault)} of {len(shown)} statements {what}, as «{quote}»"


def _critique(weak: Sequence[str], meagre: Sequence[str]) -> str:
    said = {
        "completeness": f"nothing sure is known of: {', '.join(meagre)}",
        "consistency": "open contradictions touch it",
        "evidence_coverage": "too few statements rest on active atoms with direct evidence",
        "clarity": "too many statements are vague, repeat others or do not stand alone",
    }
    return "; ".join(said[name] for name in weak)
