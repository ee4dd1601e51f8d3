"""Insights: what the documents say together and none of them says alone.

What has changed, what is contested, what nobody has decided, what only one voice says, and where
documents of different kinds agree in words of their own. The title of each states what was found.
Decided against: gathering all risks or questions that share a word, whose titles told no finding;
and taking for agreement what is copied, or what documents of one kind repeat.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from schemas.shortening import shorten
from streams.reduce.features.candidates import Candidate
from streams.reduce.features.clusters import AT_HOME
from streams.reduce.features.finding import Finding, Grounds
from streams.reduce.features.findings_of_documents import (
    find_agreements,
    find_changes,
    find_disagreements,
)
from streams.reduce.features.findings_of_features import find_of_features, find_wishes
from streams.reduce.features.findings_of_questions import find_lone_decisions, find_questions
from streams.reduce.features.material import Material
from streams.reduce.features.wordings import Wordings, is_repeated, speaks_for_project
from streams.reduce.texts.inputs import ItemInput, ListInput
from streams.reduce.texts.titles import capitalize

MAX_TITLE = 140
MOST = {"conflict": 10, "risk": 8, "gap": 8, "opportunity": 6, "trend": 5, "pattern": 5}
MOST_COPIES = 2
PER_SOURCE = {"trend": 1, "opportunity": 1}  # of one category, led by one document
PER_SOURCE_ELSE = 2
KINDS = frozenset({"claim", "decision", "requirement", "risk", "domain_signal", "unknown"})


def insight_clusters(
    material: Material, named: Sequence[Candidate], standing: frozenset[str] = frozenset()
) -> ListInput:
    """The insights, category by category, those of most worth first.

    ``standing`` are the keys of those the last preview had. No statement stands in two insights of
    one category, but for those that introduce a feature.
    """
    atoms = material.best(material.topics.scores, KINDS)
    wordings = Wordings.of(it for it in atoms if speaks_for_project(it))
    by_category: dict[str, list[Finding]] = defaultdict(list)
    for one in _find_all(Grounds(material, named, wordings)):
        by_category[one.category].append(one)
    items = [
        _insight(one)
        for category, most in MOST.items()
        for one in _choose(by_category[category], most, standing)
    ]
    return ListInput(items=items, eligible=len(atoms), kinds=sorted(KINDS))


def _find_all(grounds: Grounds) -> Iterator[Finding]:
    yield from find_disagreements(grounds)
    yield from find_of_features(grounds)
    yield from find_wishes(grounds)
    yield from find_questions(grounds)
    yield from find_lone_decisions(grounds)
    yield from find_agreements(grounds)
    yield from find_changes(grounds)


def _choose(findings: Iterable[Finding], most: int, standing: frozenset[str]) -> list[Finding]:
    ranked = sorted(
        findings, key=lambda one: (-one.worth - AT_HOME * (one.key in standing), one.key, one.title)
    )
    used: set[str] = set()
    anchors: set[str] = set()
    led_by: dict[str, int] = defaultdict(int)
    copies = 0
    chosen: list[Finding] = []
    for one in ranked:
        lead = one.atoms[0]
        source = lead.first_provenance.source_id
        if one.anchor in anchors or used & one.own_ids or len(chosen) == most:
            continue
        if one.category == "gap" and any(is_repeated(lead, it.atoms[0]) for it in chosen):
            continue
        if (
            led_by[source] == PER_SOURCE.get(one.category, PER_SOURCE_ELSE)
            or copies + one.copied > MOST_COPIES
        ):
            continue
        copies += one.copied
        anchors.add(one.anchor)
        used |= one.own_ids
        led_by[source] += 1
        chosen.append(one)
    return chosen


def _insight(finding: Finding) -> ItemInput:
    section_id = "open_questions" if finding.category == "conflict" else "description"
    section = {"section_id": section_id, "picks": list(finding.picks)}
    return ItemInput.model_validate(
        {
            "artifact_type": "insight",
            "area": min(atom.area for atom in finding.atoms),
            "anchor": finding.anchor,
            "name": finding.name,
            "title": shorten(capitalize(finding.title), MAX_TITLE),
            "category": finding.category,
            "sections": [section],
        }
    )
