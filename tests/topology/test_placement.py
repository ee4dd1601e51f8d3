"""By what key a record of each event stands on its topic, and that it is refused anywhere else."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from infra.platform.kafka import partition_of
from infra.platform.placement import Misplaced, check_place, is_tombstone
from schemas.envelope import SYSTEM, Envelope, outside_fact
from schemas.events import EVENT_TYPES
from schemas.topics import TOPICS, key_of

PARTITIONS = 3
# On topics of the family project_id: the envelope's project. Of others the parts of the event.
KEYS: dict[str, tuple[str, ...]] = {
    "vault.key_created": ("key_id",),
    "vault.key_erased": ("key_id",),
    "connector.item_received": ("connector", "external_ref"),
    "connector.sync_started": ("connector_id", "stream"),
    "connector.sync_finished": ("connector_id", "stream"),
    "connector.sync_failed": ("connector_id", "stream"),
    "connector.cursor_moved": ("connector_id", "stream"),
    "source.content_part": ("source_id",),
    "source.revised": ("source.source_id",),
    "source.sanitized": ("source_id",),
    "document.described": ("source_id",),
    "chunk.created": ("source_id",),
    "source.processed": ("source.source_id",),
    "extract.requested": ("source_id",),
    "atom.candidates_extracted": ("reading.source_id",),
    "artifact.version_published": ("snapshot.artifact_id",),
    "artifact.state_changed": ("artifact_id",),
    "artifact.rejected": ("artifact_id",),
    "artifact.section_generated": ("artifact_id",),
    "artifact.speculation_ended": ("end.artifact_id",),
    "artifact.edited": ("edit.artifact_id",),
    "artifact.change_refused": ("edit.artifact_id",),
    "artifact.latest_set": ("snapshot.artifact_id",),
    "quality.run_started": ("artifact_id",),
    "quality.dimension_scored": ("artifact_id",),
    "quality.iteration_completed": ("artifact_id",),
    "quality.section_revised": ("artifact_id",),
    "quality.run_finished": ("artifact_id",),
    "stream.frame": ("stream_id",),
    **dict.fromkeys(
        (name for name in EVENT_TYPES if name.startswith("pipeline.")), ("pipeline.pipeline_id",)
    ),
    **dict.fromkeys((name for name in EVENT_TYPES if name.startswith("job.")), ("job.job_id",)),
    **dict.fromkeys(
        (name for name in EVENT_TYPES if name.startswith("agent.")), ("conversation_id",)
    ),
    **dict.fromkeys(
        (name for name in EVENT_TYPES if name.startswith("workflow.")), ("workflow_id",)
    ),
    "consultation.completed": ("consultation_id",),
    **dict.fromkeys(
        (name for name in EVENT_TYPES if name.startswith("brainstorm.")), ("brainstorm_id",)
    ),
    "memory.stored": ("conversation_id",),
    "memory.added": ("namespace",),
    "memory.edited": ("namespace",),
    "memory.forgotten": ("namespace",),
    "assistant.workflow_saved": ("owner",),
    "assistant.workflow_removed": ("owner",),
    "dlq.recorded": ("origin_topic", "origin_key"),
    "dlq.undecidable": ("origin_topic", "origin_key"),
    "dlq.resolved": ("dead_letter_id",),
}
ON_TOPICS = [(topic, kind) for topic in TOPICS for kind in topic.events]


def a_fact(topic: str, kind: str) -> Envelope:
    """A fact of this type for this topic; each part of its key names itself."""
    of_type = {"artifact_type": topic.split(".")[1]}
    fields: dict[str, Any] = dict(of_type)
    for name in ("snapshot", "end"):
        fields[name] = SimpleNamespace(**of_type)
    for path in KEYS.get(kind, ()):
        owner, _, name = path.rpartition(".")
        if owner:
            fields[owner] = SimpleNamespace(**vars(fields.get(owner, SimpleNamespace())))
            setattr(fields[owner], name, path)
        else:
            fields[name] = path
    declared = EVENT_TYPES[kind].model_fields
    event = EVENT_TYPES[kind].model_construct(
        **{name: value for name, value in fields.items() if name in declared}
    )
    lane: Any = topic.split(".")[1] if topic.startswith("extract.") else "none"
    return outside_fact(
        event,
        project_id="prj_1",
        occurred_at=datetime(2026, 1, 1, tzinfo=UTC),
        actor=SYSTEM,
        lane=lane,
        natural_key="k",
    )


def place_of(fact: Envelope) -> tuple[int, bytes]:
    key = key_of(fact).encode()
    return partition_of(key, PARTITIONS), key


@pytest.mark.parametrize(("topic", "kind"), ON_TOPICS, ids=lambda one: getattr(one, "name", one))
def test_a_record_stands_on_its_topic_by_the_key_of_its_family_and_nowhere_else(topic, kind):
    fact = a_fact(topic.name, kind)
    assert (topic.key == "project_id") == (kind not in KEYS)
    wanted = "prj_1" if topic.key == "project_id" else "|".join(KEYS[kind])
    partition, key = place_of(fact)
    assert key.decode() == wanted
    check_place(topic.name, partition, key, fact, PARTITIONS)
    elsewhere = next(t.name for t in TOPICS if kind not in t.events)
    for code, place in {
        "topic": (elsewhere, partition, key),
        "key": (topic.name, partition, key + b"x"),
        "key ": (topic.name, partition, None),
        "partition": (topic.name, (partition + 1) % PARTITIONS, key),
    }.items():
        with pytest.raises(Misplaced) as refused:
            check_place(*place, fact, PARTITIONS)
        assert refused.value.code == code.strip()


def test_a_lane_that_has_no_topic_is_a_record_that_belongs_nowhere():
    fact = a_fact("project.v1", "extract.requested")
    with pytest.raises(Misplaced, match=r"no topic extract\.none\.v1"):
        check_place("extract.deep.v1", 0, b"source_id", fact, PARTITIONS)


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_an_empty_record_says_something_on_compacted_topics_alone(topic):
    assert is_tombstone(topic.name, None) == (topic.cleanup == "compact")
    assert not is_tombstone(topic.name, b"")
