"""A retracted atom leaves every artifact in one pass; what does not rest on it keeps its bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import Section
from schemas.events.ledger import LIVE, AtomRecord
from streams.reduce.artifacts.validator import errors, validate
from streams.reduce.texts.inputs import Grounds
from tests.reduce.ledgers import Play, a_conflict, a_requirement, an_atom

THINGS = ("delivery queue", "audit log", "order archive", "customs gateway")
ACTS = (
    "repeat every failed order",
    "hold a week of work",
    "name its reader",
    "answer within a day",
)
SAYING = {
    "requirement": "The {} must {}",
    "decision": "We will let the {} {}",
    "risk": "A slow {} may not {} and lose orders",
    "claim": "The {} is known to {}",
    "unknown": "How does the {} {}?",
    "domain_signal": "Users ask that the {} can {}",
}


@st.composite
def worlds(draw):
    """Atoms that share things, so that clusters form, and contradictions between them."""
    drawn = draw(
        st.lists(
            st.tuples(
                st.sampled_from(sorted(SAYING)), st.sampled_from(THINGS), st.sampled_from(ACTS)
            ),
            min_size=4,
            max_size=24,
            unique=True,
        )
    )
    atoms = [
        (
            a_requirement
            if kind == "requirement"
            else lambda title, k=kind, **m: an_atom(k, title, **m)
        )(SAYING[kind].format(thing, act), source=f"src_{at % 4}")
        for at, (kind, thing, act) in enumerate(drawn)
    ]
    numbers = st.integers(0, len(atoms) - 1)
    pairs = draw(st.lists(st.tuples(numbers, numbers), max_size=3))
    conflicts = {
        one.contradiction_id: one
        for a, b in pairs
        if a != b
        for one in [a_conflict(atoms[a], atoms[b], severity=draw(st.sampled_from(["high", "low"])))]
    }
    return atoms, list(conflicts.values())


def standing(answers: Iterable[ArtifactChanged]) -> dict[str, ArtifactSnapshot]:
    """Every artifact as the answers so far left it."""
    found: dict[str, ArtifactSnapshot] = {}
    for answer in answers:
        for snapshot in (answer.snapshot, *(one.snapshot for one in answer.items)):
            found[snapshot.artifact_id] = snapshot
    return found


def sections(artifacts: Mapping[str, ArtifactSnapshot]) -> dict[tuple[str, str], Section]:
    return {
        (artifact_id, section.section_id): section
        for artifact_id, artifact in artifacts.items()
        for section in artifact.sections
    }


def rests_on(section: Section, atom_ids: set[str]) -> bool:
    return any(one.atom_id in atom_ids for said in section.statements for one in said.citations)


def fields_of(artifact: ArtifactSnapshot) -> set[str]:
    own = artifact.insight or artifact.epic or artifact.feature
    return set(own.atom_ids) if own else set()


@settings(max_examples=60)
@given(worlds(), st.data())
def test_one_pass_after_a_retraction_no_statement_rests_on_the_atom(world, data):
    atoms, conflicts = world
    play = Play().given(atoms, conflicts)
    play.ends()
    before = sections(standing(play.answers()))
    gone = data.draw(st.sampled_from(atoms))
    status = data.draw(st.sampled_from(["dismissed", "obsolete", "superseded", "merged"]))

    (answer,) = play.decided([gone.model_copy(update={"status": status, "revision": 2})])

    after = standing(play.answers())
    assert not any(rests_on(one, {gone.atom_id}) for one in sections(after).values())
    assert not any(gone.atom_id in fields_of(one) for one in after.values())
    assert answer.outcome != "rejected"
    recomputed = {
        (change.snapshot.artifact_id, section_id)
        for change in answer.items
        for section_id in change.recomputed_sections
    }
    recomputed |= {(answer.snapshot.artifact_id, one) for one in answer.recomputed_sections}
    affected = {place for place, section in before.items() if rests_on(section, {gone.atom_id})}
    assert affected <= recomputed


@settings(max_examples=60)
@given(worlds(), st.data())
def test_a_section_with_the_same_input_keeps_its_bytes(world, data):
    atoms, conflicts = world
    play = Play().given(atoms, conflicts)
    play.ends()
    before = sections(standing(play.answers()))
    touched = data.draw(st.sampled_from(atoms))
    play.decided([touched.model_copy(update={"confidence": 0.71, "revision": 2})])

    after = sections(standing(play.answers()))

    for place in before.keys() & after.keys():
        if before[place].input_hash == after[place].input_hash:
            assert before[place] == after[place]
        if rests_on(before[place], {touched.atom_id}):
            assert before[place].input_hash != after[place].input_hash


@settings(max_examples=60)
@given(worlds())
def test_whatever_is_published_of_any_world_passes_the_validator(world):
    atoms, conflicts = world
    answer = Play().given(atoms, conflicts).ends()
    grounds = Grounds(live(atoms), conflicts)

    for snapshot in standing([answer]).values():
        assert errors(validate(snapshot.sections, grounds, "deep")) == []


def live(atoms: Iterable[AtomRecord]) -> list[AtomRecord]:
    return [atom for atom in atoms if atom.status in LIVE]
