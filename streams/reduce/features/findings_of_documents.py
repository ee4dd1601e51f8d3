"""What documents say to each other: they disagree, agree, repeat a text or tell of a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from schemas.events.ledger import AtomRecord
from schemas.features import FEATURE
from streams.lexicons import Wording
from streams.reduce.features.finding import Finding, Grounds, say, tell_about, tell_of
from streams.reduce.features.wordings import (
    ALIKE,
    are_apart,
    is_alike,
    is_copied,
    kind_of_document,
    name_document,
    sources_of,
    speaks_for_project,
)
from streams.reduce.texts.titles import lower
from streams.reduce.texts.topics import ENTITY, NAME, Topic
from streams.reduce.texts.wording import content_words, position

MOST_READ = 400  # statements, those to be seen first, whose like is looked for
LEAST_SHARED = 3
MANY_SOURCES = 3
OF_CHANGE = 0.25  # of the words of a decision that what it changes has, too
_SAYING = frozenset({"claim", "decision", "requirement", "risk", "domain_signal"})
_STILL = frozenset({"requirement", "decision", "claim"})
_DELIBERATING = frozenset({"record", "plan", "talk"})
_SERIES = frozenset({"documentation", "talk", "research"})  # documents of one kind share templates
_COUNTED = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_HELPING = frozenset({"s", "es", "been", "being", "now", "soon"})
_MOVING = Wording("reduce", "moving")
_CHANGES = Wording("reduce", "changes")
_ORDERS_CHANGE = Wording("reduce", "orders_change")
_OF_MEETING = Wording("reduce", "of_meeting")


def find_disagreements(grounds: Grounds) -> Iterator[Finding]:
    """Open contradictions between documents."""
    material = grounds.material
    for contradiction in material.shortlist.open_contradictions():
        sides = [
            material.atoms[side] for side in (contradiction.atom_a_id, contradiction.atom_b_id)
        ]
        found = material.collect_contradictions(sides[:1])
        if found.picks and len(sources_of(sides)) > 1:
            text = lower(position(sides[0], in_context=False))
            title = f"Documents disagree whether {text}"
            shared = content_words(sides[0].title) & content_words(sides[1].title)
            anchor = " ".join(sorted(shared)[:LEAST_SHARED]) or contradiction.contradiction_id
            yield Finding("conflict", anchor, anchor, title, found.picks, 1.0)


def find_agreements(grounds: Grounds) -> Iterator[Finding]:
    """The same said by documents of different kinds in words of their own, and copied text."""
    for lead in grounds.list_first(_SAYING, MOST_READ):
        if FEATURE in lead.attributes or grounds.material.is_contradicted(lead):
            continue
        near = grounds.wordings.find_near(lead, ALIKE)
        alike = [it for it in near if it.kind in _SAYING and is_alike(lead, it)]
        copies = [it for it in alike if is_copied(lead, it)]
        agreeing = [
            it
            for it in alike
            if kind_of_document(it) != kind_of_document(lead)
            and not any(is_copied(it, other) for other in (lead, *copies))
        ]
        if agreeing:
            title = f"{_name_both(lead, agreeing[0])} agree: {say(lead)}"
            yield tell_about(grounds, "pattern", title, [lead, *agreeing])
        elif told := [it for it in copies if not _is_of_series(lead, it)]:
            count = len(sources_of([lead, *told]))
            title = f"The same text stands in {_COUNTED.get(count, 'many')} documents: {say(lead)}"
            finding = tell_about(grounds, "pattern", title, [lead, *told], worth=-1.0)
            yield replace(finding, copied=True)


def _name_both(one: AtomRecord, other: AtomRecord) -> str:
    return f"{name_document(one)} and {name_document(other)}"


def _is_of_series(one: AtomRecord, other: AtomRecord) -> bool:
    kind = kind_of_document(one)
    return kind in _SERIES and kind == kind_of_document(other)


def find_changes(grounds: Grounds) -> Iterator[Finding]:
    """What a document that decides takes away or replaces, and others still build on."""
    for topic in grounds.material.find_shared_topics():
        if topic.sort in (ENTITY, NAME):
            yield from _changes_of(grounds, topic)
    for lead in grounds.list_first(frozenset({"decision"}), MOST_READ):
        decides = kind_of_document(lead) in _DELIBERATING and not _OF_MEETING.says(lead.statement)
        recorded = kind_of_document(lead) == "record" or _ORDERS_CHANGE.match(lead.statement)
        if decides and recorded and _CHANGES.says(lead.statement):
            near = grounds.wordings.find_near(lead, OF_CHANGE)
            still = [it for it in near if it.kind in _STILL and not _MOVING.says(it.statement)]
            text = say(lead, in_context=True)
            title = f"A change, decided in {name_document(lead)}: {text}"
            yield tell_about(grounds, "trend", title, [lead, *still[:2]])


def _changes_of(grounds: Grounds, topic: Topic) -> Iterator[Finding]:
    atoms = [
        atom
        for atom in grounds.material.best(topic.atom_ids, _STILL)
        if speaks_for_project(atom) and not grounds.material.is_contradicted(atom)
    ]
    moving = [it for it in atoms if _takes_away(it) and _is_of(topic, it)]
    if not moving:
        return
    still = [it for it in atoms if not _MOVING.says(it.title) and _is_apart_from_all(it, moving)]
    if len(sources_of(still)) >= MANY_SOURCES - 1:
        title = f"Other documents still build on {topic.name}: {say(moving[0])}"
        yield tell_of(grounds, topic, "trend", title, [moving[0], *still])


def _takes_away(atom: AtomRecord) -> bool:
    """Whether it decides that, or tells it in a document that decides."""
    decides = atom.kind in ("claim", "decision") and kind_of_document(atom) in _DELIBERATING
    return decides and _MOVING.says(atom.title)


def _is_apart_from_all(atom: AtomRecord, others: Sequence[AtomRecord]) -> bool:
    return all(are_apart(atom, it) for it in others)


def _is_of(topic: Topic, atom: AtomRecord) -> bool:
    """Whether what moves in the atom is the topic: its name stands close before the verb."""
    text = atom.statement.lower()
    at, verb = text.find(topic.key), _MOVING.search(text)
    if verb is None or not 0 <= at < verb.start():
        return False
    return not content_words(text[at + len(topic.key) : verb.start()]) - _HELPING
