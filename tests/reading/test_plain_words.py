"""What teams say in plain words, without a heading or label, is read as what it is."""

from __future__ import annotations

import pytest

from tests.reading.documents import read

NOTES = "docs/architecture/notes.md"

SAID = [
    ("decision", "It was decided that all lanes log in JSON."),
    ("decision", "We're going with gRPC for the calls between lanes."),
    ("decision", "We opted for one depot."),
    ("decision", "Labels move to PostgreSQL: it moves them there instead of to files of our own."),
    ("decision", "The steering committee approved the migration of all lanes to Azure."),
    ("decision", "We won't support old labels any longer."),
    ("decision", "We picked SQLite for the small depots since they have no network."),
    ("risk", "If the key of the vault is lost, the labels can no longer be read."),
    ("risk", "There is a risk that the broker drops parcels during a replay."),
    ("risk", "A malicious clerk could read the labels of other depots."),
    ("decision", "Rather than build a sorter of our own, we opted to use Airflow for the lanes."),
    ("decision", "Kafka was rejected in favour of plain queues for the labels of all lanes."),
    ("decision", "It has been resolved that the ledger of parcels shall be built in-house."),
    ("decision", "We're keeping the old sorter and splitting it into two lanes."),
    ("risk", "Downside of the approach: every merge blocks the lane and may delay labels."),
    ("unknown", "It's still unclear whether the depot wants a lane of its own."),
    ("unknown", "Not sure whether the labels on old lanes were ever read."),
    ("unknown", "The cause of the lost labels in the night lane remains unexplained."),
    ("requirement", "The weight of a parcel may not exceed 5 kg."),
    ("action_item", "@jonas write up the outage of last night for all clerks."),
    ("claim", "The behaviour of lanes is driven by rules in text files."),
    ("claim", "Labels of old parcels end up in a lane of their own."),
    ("claim", "Feature flags live in a table that each depot has."),
    ("domain_signal", "About 70 percent of shoppers leave their basket before they pay."),
    ("risk", "The main downside is the size of the labels that all lanes would keep."),
    ("risk", "There may be a delay of the labels when two lanes are merged."),
    ("risk", "Some clerks may experience outages of their lanes."),
    ("unknown", "It is not clear whether we need a second lane."),
    ("unknown", "It remains to be seen whether the index fits into memory."),
    ("unknown", "Needs clarification: does the depot expect hourly labels?"),
    ("unknown", "To be decided: the name of the public lane."),
    ("unknown", "Which lanes must be supported at launch?"),
    ("requirement", "Only clerks of the depot may delete parcels."),
    ("requirement", "It must be possible to undo a merge of two lanes."),
    ("requirement", "There must be at most one open label for each parcel."),
    ("requirement", "Support for German and French labels is required."),
    ("action_item", "@anna will write the guide for old depots by Friday."),
    ("action_item", "Maria to check the licence of the label font until next week."),
    ("claim", "Our mobile app is written in Flutter."),
    ("claim", "Sessions expire after 30 minutes."),
    ("claim", "Each depot has its own lane for heavy parcels."),
    ("requirement", "The public lane is rate limited to 100 requests per minute."),
    ("claim", "There are three lanes: light, heavy and lost."),
    ("domain_signal", "80 % of our users are on mobile."),
]


@pytest.mark.parametrize(("kind", "said"), SAID)
def test_it_is_read(kind: str, said: str) -> None:
    assert [it for it, _ in read(f"{said}\n", NOTES)] == [kind]


NOT_SAID = [
    ("risk", "There may be other ways to sort the labels in a non-breaking manner."),
    ("action_item", "Access to the depot is given by the clerk before March."),
    ("unknown", "We are sure that the labels on old lanes were read by nobody."),
    ("requirement", "How we should name the lane of the label of each parcel"),
    ("unknown", "It is clear that whether lanes are open matters to no clerk of the depot."),
    ("requirement", "Labels not marked as optional by the depot are required."),
    ("decision", "We picked up the labels that the old depot had left behind."),
    ("decision", "Our choice is between two lanes for the heavy parcels."),
    ("risk", "If the key of the vault is rotated, the old labels can no longer be read."),
    ("action_item", "Maria will be the clerk of the depot until next week."),
    ("domain_signal", "The lane keeps 80 % of the labels that it has read."),
]


@pytest.mark.parametrize(("kind", "said"), NOT_SAID)
def test_what_only_looks_like_it_is_not(kind: str, said: str) -> None:
    assert kind not in [it for it, _ in read(f"{said}\n", NOTES)]


def test_what_points_back_is_still_not_read_alone() -> None:
    for said in (
        "It is used by all lanes of the depot.",
        "There the labels are kept by the depot.",
    ):
        assert read(f"{said}\n", NOTES) == []


LISTS = [
    ("Some unresolved questions are:", "How lanes of old depots are named", "unknown"),
    ("The approach has these drawbacks:", "Losing labels when a lane is closed", "risk"),
    ("The next steps are:", "Write the labels of lanes to disk", "action_item"),
]


@pytest.mark.parametrize(("over", "item", "kind"), LISTS)
def test_a_list_is_what_the_sentence_over_it_says(over: str, item: str, kind: str) -> None:
    assert [it for it, _ in read(f"{over}\n\n- {item}\n", NOTES)] == [kind]
    assert kind not in [it for it, _ in read(f"Lanes:\n\n- {item}\n", NOTES)]


def test_a_list_of_what_is_done_about_risks_has_none() -> None:
    text = (
        "We avoid the risks of old lanes by:\n\n- Closing labels that were lost in failed lanes\n"
    )
    assert "risk" not in [it for it, _ in read(text, NOTES)]
