"""Features that sources name: titles, states, groups, and what belongs to them."""

from __future__ import annotations

from typing import Any

from schemas.events.ledger import AtomRecord
from tests.reduce.ledgers import Play, a_requirement, an_atom, items_of
from tests.reduce.test_items import cited, ids


def introducing(name: str, title: str, source: str = "src_1", **more: Any) -> AtomRecord:
    marks = {"feature": name, "feature_state": "done", "feature_place": "list"}
    return an_atom("claim", title, source=source, attributes=marks | more)


SCALES = introducing(
    "Belt scales",
    "Belt scales weigh parcels while they move",
    "src_scales",
    feature_place="page",
    feature_group="Sorting",
)
AGAIN = introducing("belt scale", "A belt scale is in every depot", "src_readme")
LABELS = introducing(
    "Label printing", "Label printing: labels for each lane", feature_group="Sorting"
)
VANS = introducing("Van plans", "Van plans tell who drives where on a day", feature_state="planned")
EXACT = a_requirement("Parcels must be weighed to the gram on every belt", source="src_scales")
SLOW = an_atom("risk", "Dust on the scales stops the belts for hours", source="src_scales")
EVERY = a_requirement("Each depot must offer label printing on two floors", source="src_other")
WORLD = (SCALES, AGAIN, LABELS, VANS, EXACT, SLOW, EVERY)


def features(*atoms: AtomRecord) -> dict[str, Any]:
    return {one.title: one for one in items_of(Play().given(atoms).ends(), "feature")}


def test_a_feature_has_the_name_its_sources_give_it_and_one_name_makes_one():
    assert list(features(*WORLD)) == ["Belt scales", "Label printing", "Van plans"]


def test_what_introduces_it_describes_it_and_its_page_tells_the_rest():
    scales = features(*WORLD)["Belt scales"]

    assert ids(SCALES, AGAIN) <= cited(scales, "description")
    assert cited(scales, "acceptance_criteria") == ids(EXACT)
    assert cited(scales, "risks") == ids(SLOW)


def test_what_another_document_says_of_it_by_name_is_of_it():
    assert cited(features(*WORLD)["Label printing"], "acceptance_criteria") == ids(EVERY)


def test_what_exists_is_done_and_what_is_planned_proposed_without_points_or_dates():
    found = {title: one.feature for title, one in features(*WORLD).items()}

    assert {title: one.status for title, one in found.items()} == {
        "Belt scales": "done",
        "Label printing": "done",
        "Van plans": "proposed",
    }
    assert {(one.effort_points, one.start_date) for one in found.values()} == {(0, "")}


def test_what_one_place_says_is_there_is_done():
    shipped = introducing("Van plans", "Van plans are in all depots since spring", "src_new")

    assert features(*WORLD, shipped)["Van plans"].feature.status == "done"


def test_an_epic_has_the_name_of_the_group_its_features_stand_in():
    answer = Play().given(WORLD).ends()
    (epic,) = items_of(answer, "epic")
    names = {one.artifact_id: one.title for one in items_of(answer, "feature")}

    assert epic.epic
    assert epic.title == "Sorting"
    assert {names[key] for key in epic.epic.feature_ids} == {"Belt scales", "Label printing"}


def test_two_features_of_the_same_description_are_two():
    alike = [
        introducing(name, f"{name}: weighs parcels while they move on the belt of the depot")
        for name in ("Floor scales", "Wall scales")
    ]

    assert {"Floor scales", "Wall scales"} <= set(features(*WORLD, *alike))


def test_where_many_are_named_a_page_is_one_only_if_others_speak_of_it():
    page = introducing("Depot hours", "Depots open at noon on most days", "s", feature_place="doc")
    asked = a_requirement("Depot hours must be written on the door", source="src_other")
    many = [introducing(f"Lane {it} guard", f"Lane {it} has a guard") for it in "abcdefghijklm"]

    assert "Depot hours" in features(page)
    assert "Depot hours" not in features(page, *many)
    assert "Depot hours" in features(page, asked, *many)


def test_the_product_that_several_features_are_of_is_no_part_of_their_names():
    guards = [introducing(f"{it} in Sorter", f"{it}: a guard") for it in ("Lanes", "Vans", "Belts")]
    own = introducing("Sorter support for scales", "Scales weigh what is on them")

    assert set(features(*guards, own)) == {"Lanes", "Vans", "Belts", "Scales"}


def test_a_page_among_those_about_anything_is_a_feature_only_if_another_document_speaks_of_it():
    page = introducing("Depot hours", "Depots open at noon", "s", feature_place="topic")
    own = a_requirement("Depot hours must be written on the door", source="s")
    asked = a_requirement("Depot hours must be written on the door", source="src_other")

    assert "Depot hours" not in features(*WORLD, page, own)
    assert "Depot hours" in features(*WORLD, page, asked)


def test_what_a_thing_is_for_is_no_name_without_the_product():
    adapters = [introducing(f"Sorter for {it}", f"{it}: an adapter") for it in ("Vans", "Belts")]
    own = [introducing(f"{it} in Sorter", f"{it}: a guard") for it in ("Lanes", "Doors", "Hooks")]

    assert {"Vans", "Belts"} <= set(features(*adapters, *own))
