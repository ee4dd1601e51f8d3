"""What features are made from, which of them last, and what an epic gathers."""

from __future__ import annotations

from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_parts import ArtifactChange
from schemas.ids import artifact_id
from streams.reduce.texts.wording import write_section
from streams.reduce.writer import Reduce
from tests.reduce.ledgers import (
    PROJECT,
    Play,
    a_conflict,
    a_requirement,
    an_atom,
    items_of,
    texts,
)
from tests.reduce.test_items import AUDIT, SEALED, WORLD, about

PRD_ID = artifact_id(PROJECT, "prd", "prd")


def test_a_feature_is_made_item_by_item_from_atoms_and_not_from_the_words_of_the_prd():
    def worded(artifact_id, given, findings):
        said = write_section(artifact_id, given, findings)
        if artifact_id != PRD_ID:
            return said
        return [one.model_copy(update={"text": f"As agreed: {one.text}"}) for one in said]

    conflicts = [a_conflict(AUDIT, SEALED)]
    plain = Play().given(WORLD, conflicts).ends()
    other = Play(Reduce(synthesise=worded)).given(WORLD, conflicts).ends()
    made = {
        one.artifact_id: one.made_from
        for loop in plain.loops
        for one in loop.continuations
        if loop.phase == "feature_generation"
    }
    features = items_of(plain, "feature")

    assert all("As agreed" in text for text in texts(other, "risks"))
    assert items_of(other, "feature") == features
    assert set(made) == {one.artifact_id for one in features}
    for one in features:
        assert one.feature is not None
        disputes = one.feature.contradiction_ids_considered
        assert set(made[one.artifact_id]) == {*one.feature.atom_ids, *disputes}


def test_what_a_preview_made_of_little_stays_in_the_deep_run_as_long_as_it_has_its_statement():
    signed = a_requirement("The export gateway must sign every document", source="src_9")
    told = an_atom("claim", "The export gateway is written in Go", source="src_8")
    play = Play().given([*WORLD, signed, told])
    before = about(items_of(play.ends("preview"), "feature"), "gateway")
    many = [
        a_requirement(f"The part{n}x reader must {what} the part{n}x index", source=f"src_{n}")
        for n in range(30)
        for what in ("open", "write", "close")
    ]
    answer = play.given(many).ends()

    assert before.artifact_id not in {one.snapshot.artifact_id for one in dropped(answer)}
    assert len(items_of(answer, "feature")) > 20


def test_the_same_ledger_has_the_same_features_after_every_later_ingest():
    play = Play().given(WORLD)
    play.ends("preview")
    telling = [
        a_requirement(f"The part{n}x reader must {what} the part{n}x index", source=f"src_{n}")
        for n in range(30)
        for what in ("open", "write", "close")
    ]
    meagre = [
        a_requirement(f"The gauge{n}y dial must {what} the gauge{n}y value", source=f"src_{n}")
        for n in range(9)
        for what in ("show", "keep")
    ]
    first = play.given([*telling, *meagre]).ends()

    for lane in ("preview", "deep", "preview", "deep"):
        again = play.given([]).ends(lane)
        assert again.items == []
    assert len(items_of(first, "feature")) > 20


def dropped(answer: ArtifactChanged) -> list[ArtifactChange]:
    return [
        one
        for one in answer.items
        if (fields := one.snapshot.feature) and fields.status == "dropped"
    ]


def test_an_item_whose_statements_stand_elsewhere_now_names_what_took_its_place():
    play = Play().given(WORLD)
    play.ends("preview")
    log = about(items_of(play.answers()[0], "feature"), "audit log")
    again = [
        one.model_copy(
            update={"title": one.title.replace("audit log", "guard list"), "revision": 2}
        )
        for one in (AUDIT, SEALED)
    ]
    answer = play.given(again).ends()
    successor = about(items_of(answer, "feature"), "guard list")

    (change,) = [one for one in dropped(answer) if one.snapshot.artifact_id == log.artifact_id]
    assert change.reason_codes == ["replaced"]
    assert change.snapshot.sections[0].gap == f"Replaced by: {successor.title}."


def test_features_named_with_one_word_share_an_epic_and_a_title_names_no_area_twice():
    def of(name: str, source: str):
        return [
            a_requirement(f"The {name} must {what}", source=source, area=area)
            for what, area in (
                ("keep every answer for a week", "security"),
                ("refuse requests without a token", "scope"),
            )
        ]

    answer = Play().given([*of("RPC gateway", "s1"), *of("RPC mirror", "s2")]).ends()

    (epic,) = items_of(answer, "epic")
    assert epic.title.startswith("RPC")
    assert epic.epic is not None
    assert len(epic.epic.feature_ids) == 2
