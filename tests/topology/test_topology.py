"""Every topic has a writer and a reader, and released names do not change."""

from schemas.events import EVENT_TYPES
from schemas.topics import BY_NAME, TOPICS
from streams.pipeline import HYGIENE, HYGIENE_INPUT, pipeline

RELEASED_STAGES = (
    "hygiene",
    "repartitioner",
    "map_preview",
    "map_deep",
    "reflect",
    "adjudicate",
    "judge",
    "publish",
    "frame",
    "run_control",
    "ledger",
    "reduce",
)
TOPOLOGY = pipeline(read=lambda request, chunk: None)  # type: ignore[arg-type,return-value]


def test_stage_names_are_those_released():
    assert TOPOLOGY.names == RELEASED_STAGES


def test_every_stage_is_of_one_part_and_beside_the_step_it_answers_for():
    parts = TOPOLOGY.parts
    assert sorted((*parts["reading"], *parts["deciding"])) == sorted(RELEASED_STAGES)
    part_of = {stage: part for part in ("reading", "deciding") for stage in parts[part]}
    for step in TOPOLOGY.steps:
        if step.then is not None:
            assert part_of[step.name] == part_of[step.then.name]
    assert {part_of[writer.name] for writer in TOPOLOGY.writers} == {"deciding"}


def test_every_stage_reads_topics_of_the_table_that_name_it():
    read: dict[str, tuple[str, ...]] = {HYGIENE: (HYGIENE_INPUT,)}
    read |= {step.name: step.inputs for step in TOPOLOGY.steps}
    read |= {writer.name: writer.inputs for writer in TOPOLOGY.writers}
    for stage, topics in read.items():
        for topic in topics:
            assert stage in BY_NAME[topic].consumers, f"{topic} does not name {stage}"


def test_every_topic_names_a_writer_a_reader_and_its_events():
    stages = set(RELEASED_STAGES)
    outside = {"cli", "feeder", "connectors", "projections", "downstream", "operators"}
    outside |= {"all stages", "webhooks", "intake", "vault", "jobs", "models"}
    for topic in TOPICS:
        assert topic.producers and topic.consumers and topic.events
        assert set(topic.producers) | set(topic.consumers) <= stages | outside
        assert set(topic.events) <= set(EVENT_TYPES)


def test_a_writers_output_has_no_other_producer():
    for writer in TOPOLOGY.writers:
        assert BY_NAME[writer.output].producers == (writer.name,)


def test_topics_that_meet_in_a_writer_have_one_key():
    for writer in TOPOLOGY.writers:
        keys = {BY_NAME[topic].key for topic in (*writer.inputs, writer.output)}
        assert keys == {"project_id"}
