"""Every figure that a labelled set gives, with its rule, baseline and target.

``held_out`` is the figure of rows that the rules' weights have not seen; `measure/RESULTS.md`
says which command made it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from infra.measure.measures import alarms, calibration, labels, neighbours, pairs, places, sections
from infra.measure.measures.calibration import Answered
from infra.measure.measures.counting import Pairs
from infra.measure.rows import Options


@dataclass(frozen=True, slots=True)
class Baseline:
    """What something trivial gives: a recorded figure, or a rule over the same rows."""

    value: float | Callable[[Pairs], float]
    what: str = "floor"


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure. ``over`` keeps the answers that it rests on; ``at_most`` when less is better.

    ``is_precision`` asks for the interval too, since it may rest on few answers.
    """

    name: str
    value: Callable[[Pairs], float]
    baseline: Baseline
    target: float
    held_out: float | None = None
    over: Callable[[Pairs], Pairs] = lambda pairs: pairs
    at_most: bool = False
    is_precision: bool = False


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """The rows of a file, the task that answers them, and the figures of the answers.

    ``grade`` keeps the rows of one grade; ``units`` names the file with the documents' units.
    ``calibrated`` gives what was said with which confidence, where labels can judge it.
    """

    source: str
    task: str
    measures: tuple[Measure, ...]
    options: Options = Options()
    fields: tuple[str, ...] = ("text",)
    grade: str | None = None
    units: str | None = None
    masked: bool = False
    calibrated: Callable[[Pairs], Iterable[Answered]] = lambda pairs: ()

    @property
    def heading(self) -> str:
        """How a report names it among others."""
        return f"{self.source}, {self.task}{', headings masked' if self.masked else ''}"


KEYWORDS = "keywords on the same rows"
PAIR = ("a", "b")

STATEMENTS = (
    LabelledSet(
        "sections/units",
        "classify",
        (Measure("strong units, macro-F1 of 6", labels.macro_f1, Baseline(0.40), 0.55, 0.595),),
        grade="strong",
        calibrated=calibration.of_statements,
    ),
    LabelledSet(
        "decisions/condec_sentences",
        "classify",
        (
            Measure("decision F1", labels.kind_f1("decision"), Baseline(0.40), 0.60, 0.684),
            Measure("unknown F1", labels.kind_f1("unknown"), Baseline(0.91), 0.92, 0.923),
            Measure(
                "worth recording F1",
                labels.worth_f1,
                Baseline(labels.worth_always, "always yes"),
                0.85,
                0.898,
            ),
        ),
        calibrated=calibration.of_statements,
    ),
    LabelledSet(
        "requirements/spec_rdfa",
        "classify",
        (Measure("requirement F1", labels.kind_f1("requirement"), Baseline(0.83), 0.90, 0.900),),
        calibrated=calibration.of_statements,
    ),
    LabelledSet(
        "requirements/promise_exp",
        "classify",
        (
            Measure("requirement recall", labels.requirement_recall, Baseline(0.86), 0.94, 0.942),
            Measure(
                "requirement type, macro-F1", labels.type_macro_f1, Baseline(0.36), 0.80, 0.817
            ),
        ),
    ),
    LabelledSet(
        "risks/technical_debt",
        "classify",
        (Measure("debt as risk or action item, F1", labels.debt_f1, Baseline(0.50), 0.65, 0.684),),
    ),
)

DOCUMENTS = (
    LabelledSet(
        "sections/docs",
        "extract",
        (
            Measure("spans, macro-F1", sections.macro_f1, Baseline(0.39), 0.72, 0.781),
            Measure("spans, weakest kind", sections.weakest_f1, Baseline(0.178, KEYWORDS), 0.60),
        ),
        units="sections/gold",
        calibrated=calibration.of_evidence,
    ),
    LabelledSet(
        "sections/docs",
        "extract",
        (
            Measure(
                "spans, headings masked, macro-F1", sections.macro_f1, Baseline(0.39), 0.52, 0.530
            ),
        ),
        units="sections/gold",
        masked=True,
        calibrated=calibration.of_evidence,
    ),
)

PAIRS = (
    LabelledSet(
        "duplicates/issue_corpus",
        "similar",
        (
            Measure(
                "similar issues, recall@10",
                neighbours.recall_at_10,
                Baseline(0.86),
                0.93,
                over=neighbours.with_a_duplicate,
            ),
            Measure(
                "similar issues, MRR",
                neighbours.mean_reciprocal_rank,
                Baseline(0.72),
                0.80,
                over=neighbours.with_a_duplicate,
            ),
        ),
    ),
    LabelledSet(
        "duplicates/issues",
        "duplicate",
        (
            Measure(
                "duplicate issues, best F1", pairs.best_duplicate_f1, Baseline(0.56), 0.65, 0.658
            ),
            Measure(
                "automatic merges, precision",
                pairs.duplicates,
                Baseline(pairs.duplicates, "merging all"),
                0.98,
                over=pairs.merged,
                is_precision=True,
            ),
        ),
        fields=PAIR,
    ),
    LabelledSet(
        "duplicates/sts_stackexchange",
        "duplicate",
        (Measure("same answer, F1", labels.kind_f1("duplicate"), Baseline(0.68), 0.78, 0.798),),
        fields=PAIR,
    ),
    LabelledSet(
        "contradictions/breaking_nli",
        "duplicate",
        (
            Measure(
                "automatic merges of other wordings, precision",
                pairs.entailed,
                Baseline(pairs.entailed, "merging all"),
                0.98,
                over=pairs.differently_merged,
                is_precision=True,
            ),
        ),
        fields=PAIR,
    ),
    LabelledSet(
        "contradictions/requirements_perturbed",
        "duplicate",
        (
            Measure(
                "contrary requirements merged",
                pairs.merged_share,
                Baseline(pairs.alike_share, "by similarity alone"),
                0.02,
                over=pairs.contrary,
                at_most=True,
            ),
        ),
        fields=PAIR,
    ),
    LabelledSet(
        "contradictions/negation_nli",
        "contradict",
        (
            Measure(
                "contradiction F1", labels.kind_f1("contradiction"), Baseline(0.60), 0.72, 0.607
            ),
            Measure(
                "severity high, precision",
                pairs.contradictions,
                Baseline(pairs.contradictions, "always high"),
                0.90,
                72 / 74,
                over=pairs.grave,
                is_precision=True,
            ),
        ),
        fields=PAIR,
    ),
    LabelledSet(
        "contradictions/requirements_perturbed",
        "contradict",
        (
            Measure(
                "perturbed requirements, F1", labels.kind_f1("contradiction"), Baseline(0.90), 0.97
            ),
        ),
        fields=PAIR,
    ),
)

GUARDS = (
    LabelledSet(
        "secrets/snippets",
        "redact",
        (
            Measure("secrets, rows F1", places.row_f1, Baseline(0.56), 0.90),
            Measure("secrets, characters", places.characters, Baseline(0.48), 0.92),
            Measure(
                "secrets, characters, of addresses the password",
                places.secret_characters,
                Baseline(0.48),
                0.92,
                held_out=0.906,
            ),
        ),
    ),
    LabelledSet(
        "sections/docs",
        "redact",
        (
            Measure(
                "redactions per 100 kB",
                alarms.redactions_per_100_kb,
                Baseline(0.64, "detect-secrets"),
                1.0,
                at_most=True,
            ),
        ),
    ),
    LabelledSet(
        "pii/sentences",
        "redact",
        (
            Measure(
                "e-mail and phone F1", places.span_f1(places.CONTACTS), Baseline(0.80), 0.93, 1.0
            ),
            Measure(
                "structured types F1",
                places.span_f1(places.STRUCTURED),
                Baseline(0.85),
                0.90,
                0.918,
            ),
        ),
        options=Options(pii=True),
    ),
    LabelledSet(
        "injection/prompts",
        "inject",
        (Measure("injections F1", labels.kind_f1("injection"), Baseline(0.26), 0.80, 0.867),),
    ),
    LabelledSet(
        "injection/documents",
        "inject",
        (
            Measure("planted orders, rows F1", places.row_f1, Baseline(0.68), 0.85, 0.973),
            Measure("planted orders, characters", places.characters, Baseline(0.31), 0.70, 0.979),
        ),
    ),
    LabelledSet(
        "injection/hard_negatives",
        "inject",
        (
            Measure(
                "false alarms on trigger words",
                alarms.flagged,
                Baseline(0.11),
                0.03,
                2 / 338,
                at_most=True,
            ),
        ),
    ),
    LabelledSet(
        "sections/docs",
        "inject",
        (
            Measure(
                "ordinary documents flagged",
                alarms.flagged,
                Baseline(alarms.flagged_by_words, "trigger words"),
                0.02,
                8 / 673,
                at_most=True,
            ),
        ),
    ),
)

SETS = (*STATEMENTS, *DOCUMENTS, *PAIRS, *GUARDS)
