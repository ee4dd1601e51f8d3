"""One record never stops the rest: what raises is left out, told, and decided after the mend.

Every stage and every fold gets a fault on one record. The same holds then: the other project is as
it would have been, what the record is about is told once, every run ends, and whoever waits has an
answer. After the mend the log is read again by whole stages, and what is retried enters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any
from uuid import UUID

import pytest

from infra.service.upkeep.dead_letters import facts_instead
from projections.read.dead_letters import WholeDeadLetter
from schemas.codec import decode
from schemas.envelope import Envelope, Event
from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_sections import ReviewFinding, Statement
from schemas.events.atom import AtomAdjudicated, AtomReflected, Judged, Reading
from schemas.events.dlq import DeadLetterResolved, RecordUndecidable
from schemas.events.hitl import AtomDismissed
from schemas.events.hygiene import ChunkCreated
from schemas.events.ingestion import RunStarted
from schemas.events.judgement import JudgementRequested, PairJudged, PairToJudge, StatementToJudge
from schemas.events.ledger import LedgerChanged
from schemas.events.source import SourceInfo
from schemas.ids import derive_event_id
from streams.hygiene.stage import Cleaned, clean
from streams.ledger.judging import JUDGE
from streams.ledger.turns.changes import Changes
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.fold import LedgerView
from streams.ledger.turns.state import LedgerState
from streams.ledger.upsert import apply_candidate
from streams.ledger.writer import LEDGER, Ledger
from streams.memory import Driver, MemoryLog
from streams.pipeline import Pipeline, pipeline
from streams.reduce.texts.inputs import SectionInput
from streams.reduce.texts.wording import write_section
from streams.reduce.writer import REDUCE, Reduce
from streams.reflection.adjudication import ADJUDICATE
from streams.run_control.scope import ProjectScope
from streams.run_control.steps import Steps
from streams.run_control.writer import RUN_CONTROL, RunControl
from streams.stage import Decision, Record, Step
from streams.tables import MemoryTables
from tests.ledger.story import judged
from tests.shell.stages import a_result
from tests.whole.test_faults import read
from tests.worlds import fact, ingestion

MARK = "marked"
FILES, LINES = 50, 20
ONE, OTHER = "prj_one", "prj_other"


def word(seed: str) -> str:
    """Six letters that no other seed gives."""
    digest = hashlib.sha256(seed.encode()).digest()
    return "".join("bdfgklmnprstvz"[byte % 14] + "aeiou"[byte % 5] for byte in digest[:3])


def a_line(number: int) -> str:
    one, two, three = (word(f"{number} {place}") for place in range(3))
    return f"The {one} must keep the {two} of every {three}."


def a_thousand() -> dict[str, bytes]:
    """Fifty files of twenty requirements each, no two alike; one of them is marked."""
    files: dict[str, bytes] = {}
    for number in range(FILES):
        lines = [a_line(number * LINES + at) for at in range(LINES)]
        if number == FILES // 2:
            lines[LINES // 2] = f"The {MARK} must keep the gate of every store."
        text = f"# Part {word(str(number))}\n\n" + "".join(f"- {line}\n" for line in lines)
        files[f"docs/part{number:02}.md"] = text.encode()
    return files


def a_few() -> dict[str, bytes]:
    return {
        "README.md": f"# Gate\n\n- The gate must be shut at night.\n- {a_line(9_001)}\n".encode(),
        "docs/rest.md": f"# Rest\n\n- {a_line(9_002)}\n- {a_line(9_003)}\n".encode(),
    }


def of_project(facts: Iterable[Envelope], project: str) -> list[Envelope]:
    return [
        replace(
            fact,
            project_id=project,
            event_id=derive_event_id(fact.event.type_name, project, fact.natural_key),
        )
        for fact in facts
    ]


def asked(project: str, files: dict[str, bytes], key: str = "k1") -> list[Envelope]:
    """The project's request; roots differ, and so do the ids of sources."""
    return of_project(ingestion(files, key=key, root=project), project)


def play(stages: Pipeline, facts: list[Envelope], log: MemoryLog | None = None) -> Driver:
    driver = Driver(stages, partitions=1, log=log)
    driver.publish(facts)
    driver.run()
    return driver


def letters(driver: Driver) -> list[RecordUndecidable]:
    found = (record.envelope.event for record in driver.log.of("dlq.v1"))
    return [event for event in found if isinstance(event, RecordUndecidable)]


def open_letters(driver: Driver) -> list[RecordUndecidable]:
    settled = {
        record.envelope.event.dead_letter_id
        for record in driver.log.of("dlq.v1")
        if isinstance(record.envelope.event, DeadLetterResolved)
    }
    return [each for each in letters(driver) if each.dead_letter_id not in settled]


def retry(driver: Driver) -> None:
    """As `cairn dlq retry` does with what is kept in the letters that are not settled."""
    for each in open_letters(driver):
        if each.value:
            fact = decode(each.value)
            driver.publish(facts_instead(as_read(each), fact) or [fact])
    driver.run()


def as_read(letter: RecordUndecidable) -> WholeDeadLetter:
    told = {name: getattr(letter, name) for name in RecordUndecidable.model_fields}
    known = {name: told[name] for name in told.keys() & WholeDeadLetter.model_fields.keys()}
    return WholeDeadLetter(
        **known,
        dead_letter_id=letter.dead_letter_id,
        project_id=ONE,
        recorded_at=None,
        undecidable=True,
    )


def view_of(driver: Driver) -> LedgerView:
    """The ledger as everybody folds it, who knows nothing of what raised."""
    view = LedgerView(MemoryTables())
    for record in driver.log.of("ledger.v1"):
        assert view.fold(record), "there is a gap"
    return view


def titles(driver: Driver, project: str) -> set[str]:
    return {atom.title for atom in view_of(driver).live_atoms(project)}


def all_runs_ended(driver: Driver) -> bool:
    started = {
        record.envelope.event.run_id
        for record in driver.log.of("ingestion.v1")
        if isinstance(record.envelope.event, RunStarted)
    }
    ended = {
        record.envelope.event.turn.run_id
        for record in driver.log.of("ledger.v1")
        if isinstance(record.envelope.event, LedgerChanged)
        and record.envelope.event.turn
        and record.envelope.event.turn.kind == "run_end"
    }
    return bool(started) and started == ended


@cache
def well() -> Driver:
    """Both projects without a fault."""
    return play(pipeline(read), asked(ONE, a_thousand()) + asked(OTHER, a_few()))


def raise_on_mark(ledger: CurrentLedger, reading: Reading, judged: Judged) -> Changes[str]:
    if MARK in judged.candidate.title:
        raise IndexError("words of the candidate")
    return apply_candidate(ledger, reading, judged)


def with_writer(stages: Pipeline, writer: Any) -> Pipeline:
    """The stages with ``writer`` in the place of the one of its name."""
    others = [writer if each.name == writer.name else each for each in stages.writers]
    return replace(stages, writers=tuple(others))


def test_of_a_thousand_candidates_one_raises_and_all_others_are_decided() -> None:
    sick = with_writer(pipeline(read), Ledger(raise_on_mark))
    driver = play(sick, asked(ONE, a_thousand()) + asked(OTHER, a_few()))

    whole = titles(well(), ONE)
    assert len(whole) == FILES * LINES
    [left_out] = whole - titles(driver, ONE)
    assert MARK in left_out
    assert titles(driver, OTHER) == titles(well(), OTHER)
    assert all_runs_ended(driver)
    [letter] = letters(driver)
    assert (letter.stage, letter.error_class) == ("ledger", "IndexError")
    assert letter.subject_id.startswith("cnd_") and "words" not in letter.error

    mended = play(pipeline(read), [], driver.log)
    assert [each.subject_id for each in open_letters(mended)] == [letter.subject_id]
    assert left_out not in titles(mended, ONE)  # a replay decides nothing again
    retry(mended)
    assert titles(mended, ONE) == whole
    assert open_letters(mended) == []
    retry(mended)
    assert titles(mended, ONE) == whole


class FirstOf:
    """Raises for the first fact of the project that ``is_meant``, however often it comes."""

    def __init__(self, is_meant: Callable[[Envelope], bool] = lambda fact: True) -> None:
        self._is_meant = is_meant
        self.met: UUID | None = None

    def check(self, fact: Envelope) -> None:
        if fact.project_id != ONE or not self._is_meant(fact):
            return
        self.met = self.met or fact.event_id
        if fact.event_id == self.met:
            raise IndexError("words of the fact")


def with_sick_step(stages: Pipeline, name: str, fault: FirstOf) -> Pipeline:
    """The stages, of which one raises for the first fact that it would answer."""

    def sick(step: Step) -> Step:
        def handle(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
            answers = step.handle(cause, chunk)
            if answers:
                fault.check(cause)
            return answers

        return replace(step, handle=handle) if step.name == name else step

    return replace(stages, steps=tuple(sick(step) for step in stages.steps))


FEW = asked(ONE, a_few()) + asked(OTHER, a_few())


@cache
def few_well() -> Driver:
    return play(pipeline(read), FEW)


def check_others_went_on(driver: Driver, stage: str, most: int = 1) -> RecordUndecidable:
    """What holds whatever raised on a record of the one project; a letter about it."""
    assert titles(driver, OTHER) == titles(few_well(), OTHER)
    assert all_runs_ended(driver)
    assert {letter.stage for letter in letters(driver)} == {stage}
    letter, *others = letters(driver)
    assert len(others) < most
    assert (letter.error_class, letter.attempts) == ("IndexError", 3)
    assert "words" not in letter.error and letter.stage_version
    assert letter.origin_offset >= 0
    return letter


@pytest.mark.parametrize(
    "name", ["repartitioner", "map_preview", "map_deep", "reflect", "publish", "frame"]
)
def test_a_step_that_raises_on_a_fact_goes_on_with_the_next(name: str) -> None:
    fault = FirstOf()
    driver = play(with_sick_step(pipeline(read), name, fault), FEW)

    letter = check_others_went_on(driver, name)

    assert letter.subject_id == str(fault.met)
    assert letter.value and decode(letter.value).event_id == fault.met
    mended = play(pipeline(read), [], driver.log)
    retry(mended)
    assert titles(mended, ONE) == titles(few_well(), ONE)
    assert all_runs_ended(mended)


def test_a_text_that_cannot_be_cleaned_is_skipped_and_the_others_are_read() -> None:
    def sick(source: SourceInfo, content: bytes, force_include: bool) -> Cleaned:
        if source.root == ONE and source.path == "README.md":
            raise IndexError("words of the text")
        return clean(source, content, force_include)

    driver = Driver(pipeline(read), partitions=1, clean=sick)
    driver.publish(FEW)
    driver.run()

    letter = check_others_went_on(driver, "hygiene")

    assert letter.origin_topic == "source.v1"
    read_all = titles(few_well(), ONE)
    assert titles(driver, ONE) == {title for title in read_all if title.startswith("Rest")}
    mended = play(pipeline(read), [], driver.log)
    retry(mended)
    assert titles(mended, ONE) == read_all
    assert open_letters(mended) == []


def test_borderline_candidates_become_drafts_where_the_adjudicator_raises() -> None:
    reflected = AtomReflected(
        reading=a_result("chk_1").reading,
        adjudicate=[judged("The gate is shut"), judged("The gate is open")],
        reflection_version="f1",
    )
    stages = Pipeline(steps=(ADJUDICATE,), writers=())
    facts = of_project([fact(reflected)], ONE) + of_project([fact(reflected)], OTHER)
    driver = play(with_sick_step(stages, "adjudicate", FirstOf()), facts)

    verdicts = [
        (record.envelope.project_id, record.envelope.event.judged.status)
        for record in driver.log.of("atom.validated.v1")
        if isinstance(record.envelope.event, AtomAdjudicated)
    ]
    assert sorted(verdicts) == [(ONE, "draft")] * 2 + [(OTHER, "active")] * 2
    assert [letter.stage for letter in letters(driver)] == ["adjudicate"]


def test_the_rules_stand_where_the_judge_raises() -> None:
    sides = (StatementToJudge(atom_id=it, kind="claim", title=it, body="") for it in "ab")
    pair = PairToJudge(**dict(zip("ab", sides, strict=True)))
    requested = JudgementRequested(run_id="run_1", batch_no=0, pairs=[pair])
    stages = Pipeline(steps=(JUDGE,), writers=())
    facts = of_project([fact(requested)], ONE) + of_project([fact(requested)], OTHER)
    driver = play(with_sick_step(stages, "judge", FirstOf()), facts)

    answers = [
        record.envelope.project_id
        for record in driver.log.of("ledger.control.v1")
        if isinstance(record.envelope.event, PairJudged)
    ]
    assert sorted(answers) == [ONE, OTHER]
    assert [letter.stage for letter in letters(driver)] == ["judge"]


@pytest.mark.parametrize("step", ["commit", "start", "start_dive", "start_reread", "plan", "stop"])
def test_a_run_that_cannot_go_on_ends_and_is_resumed_after_the_mend(step: str) -> None:
    def sick(scope: Any) -> Decision | None:
        if (scope.id if isinstance(scope, ProjectScope) else scope.project.id) == ONE:
            raise IndexError("words of the run")
        return whole(scope)

    whole: Callable[[Any], Decision | None] = getattr(Steps(), step)
    driver = play(with_writer(pipeline(read), RunControl(Steps(**{step: sick}))), FEW)

    assert titles(driver, OTHER) == titles(few_well(), OTHER)
    assert all_runs_ended(driver)
    assert {letter.stage for letter in letters(driver)} == {"run_control"}
    mended = play(pipeline(read), [], driver.log)
    for _ in range(3):
        retry(mended)
    assert titles(mended, ONE) == titles(few_well(), ONE)
    assert not [letter for letter in open_letters(mended) if letter.value]


def test_what_a_person_decides_is_refused_where_it_raises_and_decided_after_the_mend() -> None:
    atom = next(iter(view_of(few_well()).live_atoms(ONE)))
    seen = AtomDismissed(
        atom_id=atom.atom_id,
        expected_revision=atom.revision,
        actor_role="owner",
        rationale="It is not so.",
    )

    class Sick(Ledger):
        def decide(self, state: LedgerState) -> Decision | None:
            decision = super().decide(state)
            event = decision.commit_record.event if decision else None
            if isinstance(event, LedgerChanged) and event.hitl:
                raise IndexError("words of the decision")
            return decision

    driver = play(with_writer(pipeline(read), Sick()), FEW)
    driver.publish(of_project([fact(seen)], ONE))
    driver.run()
    check_others_went_on(driver, "ledger")
    answers = [it.hitl.refusal for it in change_sets(driver, ONE) if it.hitl]
    assert answers == ["undecidable"]

    mended = play(pipeline(read), [], driver.log)
    retry(mended)
    assert [it.hitl.refusal for it in change_sets(mended, ONE) if it.hitl] == ["undecidable", ""]
    assert atom.title not in titles(mended, ONE) and open_letters(mended) == []


def test_an_artifact_that_cannot_be_written_is_written_after_the_mend() -> None:
    def sick(artifact_id: str, given: SectionInput, found: list[ReviewFinding]) -> list[Statement]:
        if any("night" in atom.title for pick in given.picks for atom in pick.atoms):
            raise IndexError("words of the section")
        return write_section(artifact_id, given, found)

    driver = play(with_writer(pipeline(read), Reduce(sick)), FEW)

    assert all_runs_ended(driver)
    assert prd_of(driver, ONE) == prd_of(driver, OTHER) == []
    mended = play(pipeline(read), [], driver.log)
    retry(mended)
    assert prd_of(mended, ONE) == prd_of(few_well(), ONE) != []
    assert [letter for letter in open_letters(mended) if letter.value] == []


FOLDS = [
    (writer.name, topic)
    for writer in (LEDGER, RUN_CONTROL, REDUCE)
    for topic in (writer.output, *writer.inputs)
    if topic not in ("hitl.v1", "ledger.control.v1", "team.v1", "reduce.request.v1")
]


@pytest.mark.parametrize("at", ["first", "last"])
@pytest.mark.parametrize(("name", "topic"), FOLDS)
def test_a_fold_that_raises_on_a_record_goes_on_with_the_next(
    name: str, topic: str, at: str
) -> None:
    facts = [it.envelope for it in few_well().log.of(topic) if it.envelope.project_id == ONE]
    meant = facts[0 if at == "first" else -1].natural_key
    fault = FirstOf(lambda fact: fact.event.topic == topic and fact.natural_key == meant)
    [whole] = [each for each in pipeline(read).writers if each.name == name]

    class Sick(type(whole)):  # type: ignore[misc]
        def evolve(self, state: Any, record: Record) -> None:
            super().evolve(state, record)  # so that the state is half changed
            fault.check(record.envelope)

    driver = play(with_writer(pipeline(read), Sick()), FEW)

    # A record that raises whatever it says is told as a decision, and as a record that stands.
    check_others_went_on(driver, name, most=2 if topic == whole.output else 1)
    assert fault.met
    mended = play(pipeline(read), [], driver.log)
    retry(mended)
    assert titles(mended, ONE) == titles(few_well(), ONE)
    assert prd_of(mended, ONE) == prd_of(few_well(), ONE)


def change_sets(driver: Driver, project: str) -> list[LedgerChanged]:
    return [
        record.envelope.event
        for record in driver.log.of("ledger.v1")
        if isinstance(record.envelope.event, LedgerChanged)
        and record.envelope.project_id == project
    ]


def prd_of(driver: Driver, project: str) -> list[str]:
    """The statements of the project's latest PRD."""
    latest: list[str] = []
    for record in driver.log.of("reduce.v1"):
        event = record.envelope.event
        if isinstance(event, ArtifactChanged) and record.envelope.project_id == project:
            sections = event.snapshot.sections
            latest = [it.text for section in sections for it in section.statements]
    return latest
