"""What is the last of the drafts: by its form, or as it is hardly good where it stands."""

from __future__ import annotations

from itertools import permutations

import pytest

from agents.offline.reader import extract
from agents.offline.recognise.cues import LIKELY, WEAK
from tests.reading.documents import a_chunk

RECORD = "docs/adr/0007-lanes.md"


def sure(kind: str, said: str, path: str, *headings: str) -> float:
    """How sure the atom of ``kind`` is that ``said`` gives; 0 where it gives none."""
    atoms = extract(a_chunk(f"{said}\n", path, headings=headings))
    return max((it.confidence for it in atoms if it.kind == kind), default=0.0)


def both(
    kind: str, said: str, one: str, other: str, path: str, *headings: str
) -> tuple[float, float]:
    """How sure ``said`` is with ``one`` in it, and with ``other``."""
    first, second = (sure(kind, said.format(it), path, *headings) for it in (one, other))
    return first, second


@pytest.mark.parametrize(
    ("said", "refused_in"),
    [
        ("In many cases such labels of parcels can be lost if a disk is full", ("lanes.md",)),
        ("## Risks\n\n- In many cases such labels can be lost if a disk is full", ()),
        ("The lane can be slow in many cases, so that others may need to wait", ("lanes.md",)),
        ("## Next steps\n\n- [ ] Check that the labels display correctly", ("lanes.md",)),
        ("The others use it in the same way", ()),
        ("The others must use it in the same way", ()),
    ],
)
def test_without_headings_only_stray_risks_and_tasks_are_refused_where_nobody_deliberates(
    said: str, refused_in: tuple[str, ...]
) -> None:
    assert _refused_in(f"# Lanes\n\n{said}.\n") == refused_in


@pytest.mark.parametrize(
    ("said", "refused_in"),
    [
        (
            "The others use it in the same way as all of the clerks do by now",
            ("adr/0003-lanes.md", "lanes.md"),
        ),
        ("The DepotServer uses Kafka", ()),
        ("The DepotServer must keep the labels of each lane", ()),
    ],
)
def test_under_headings_what_leans_on_others_is_refused_the_sooner_where_nobody_deliberates(
    said: str, refused_in: tuple[str, ...]
) -> None:
    assert _refused_in(f"{said}.\n", "Parcels", "Store") == refused_in


def _refused_in(text: str, *headings: str) -> tuple[str, ...]:
    def sure(path: str) -> float:
        return extract(a_chunk(text, f"docs/{path}", headings=headings))[-1].confidence

    return tuple(path for path in ("adr/0003-lanes.md", "lanes.md") if sure(path) <= LIKELY)


def test_what_is_refused_does_not_depend_on_a_document_s_name() -> None:
    things = ("backlog", "billing", "cache", "depot", "gateway", "queue", "scanner", "tracker")
    said = [
        f"The {one} uses the {other} of each {third} that has waited for {number} hours.\n"
        for number, (one, other, third) in enumerate(permutations(things, 3))
    ][::5]

    def kept(path: str, source_type: str) -> list[str]:
        chunks = [a_chunk(it, path, source_type=source_type, headings=("Part 1",)) for it in said]
        return [it.title for chunk in chunks for it in extract(chunk) if it.confidence > LIKELY]

    at_the_top = kept("README.md", "readme")
    assert 0 < len(at_the_top) < len(said)
    assert kept("docs/scanner.md", "doc") == at_the_top


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("{} requires a seal of the DepotServer before a parcel enters the lane.", "SHA256"),
        ("{} stores the label of each parcel in the DepotServer for a year.", "Kai"),
    ],
)
def test_what_is_said_of_a_symbol_is_refused(said: str, known: str) -> None:
    def kept(subject: str) -> bool:
        chunk = a_chunk(f"{said.format(subject)}\n", "docs/lanes.md", headings=("Depot lanes",))
        return any(it.confidence > LIKELY for it in extract(chunk))

    assert not kept("INV3")
    assert not kept("P")
    assert not kept("ACCURACY")
    assert kept("DepotStore")
    assert kept(known)


@pytest.mark.parametrize(
    "said",
    [
        "The DepotServer provides unmatched speed and many labels for the parcels of a lane.",
        "The DepotServer uses different kinds of lanes which have different labels for parcels.",
        "The DepotServer notes contain 30 findings of all lanes that clerks have opened.",
        "The LaneSealer is one of the LaneSealers that are running in the depot at night.",
        "Each lane of the DepotServer stores the pair in its own table for a whole year.",
        "The required changes of the DepotServer to handle parcels with two labels are minimal.",
    ],
)
def test_praise_and_what_says_only_that_things_differ_are_refused(said: str) -> None:
    atoms = extract(a_chunk(f"{said}\n", "docs/lanes.md", headings=("Lanes",)))
    assert [it.title for it in atoms if it.kind == "claim" and it.confidence > LIKELY] == []


def test_a_record_s_could_is_an_option() -> None:
    def kept(verb: str) -> bool:
        said = f"DepotServer {verb} its own LabelStore and acts as a proxy to the lanes.\n"
        chunk = a_chunk(said, "docs/adr/7-lanes.md", headings=("DepotServer",))
        return any(it.confidence > LIKELY for it in extract(chunk))

    assert kept("exposes")
    assert not kept("could expose")


@pytest.mark.parametrize(
    ("said", "one", "other"),
    [
        ("We should {} the labels of lanes are stored.", "change the way", "see to it that"),
        ("We will {} the labels of lanes are stored.", "rethink how", "test whether"),
        ("The intended {} of the DepotServer are clerks, who open lanes.", "audience", "store"),
        ("According to {}, the DepotServer will store its labels in Kafka.", "that", "law"),
        ("We should {} it, as the DepotServer keeps its labels in lanes.", "rename", "seal"),
        ("Seal {} in the DepotServer, which should be kept.", "them", "labels"),
        ("We would like to {} a new sealing method.", "suggest", "add"),
        ("Special {} must be done for each lane.", "handling", "labelling"),
    ],
)
def test_what_says_nothing_is_refused_whatever_heading_is_over_it(
    said: str, one: str, other: str
) -> None:
    first, second = both("decision", said, one, other, RECORD, "Lanes", "Decision")
    assert (first <= LIKELY, second >= WEAK) == (True, True)


@pytest.mark.parametrize(
    ("said", "one", "other"),
    [
        ("{} uses the DepotServer to store all labels.", "An alternative approach", "Each depot"),
        ("One {} way is that the DepotServer stores all labels.", "possible", "lane"),
        ("In the lanes we will {} the labels of the DepotServer.", "present", "keep"),
        ("We consider Kafka {} the store of all labels.", "as", "to be"),
        ("In the {} we could store the labels of the DepotServer in Kafka.", "future", "lanes"),
        ("{} the labels of the DepotServer are stored in Kafka.", "Originally", "In Kafka"),
        ("{} the labels of the DepotServer are stored in lanes.", "In the past", "In Kafka"),
        ("{} the DepotServer stores all labels in Kafka.", "Previously", "At night"),
        ("{} the DepotServer stores all labels in Kafka.", "Historically", "At night"),
        ("{} the DepotServer uses Kafka to store labels.", "Until now", "At night"),
        ("In {} lanes, the DepotServer stores all labels in Kafka.", "most parcel", "parcel"),
        ("The labels of the DepotServer are {} for its lanes.", "no longer valid", "stored"),
        ("The labels of lanes are considered {} for the DepotServer.", "too heavy", "good"),
        ("{} all labels in Kafka will help the DepotServer.", "Storing", "All lanes store"),
        ("The {} DepotServer uses Kafka to store labels.", "current", "own"),
        ("Labels of lanes are {} in the DepotServer.", "currently implemented", "implemented"),
        ("{} a store for labels in Kafka.", "Now each lane has", "At night each lane has"),
        ("{} the DepotServer uses Kafka to store labels.", "Abstractly,", "At night,"),
        ("We {} labels of lanes and store parcels in Kafka.", "omit", "seal"),
        ("We {} labels of lanes and store parcels in Kafka.", "skip", "seal"),
        ("We {} the labels of lanes and store parcels in Kafka.", "ignore here", "ignore"),
        ("We {} labels of lanes and store parcels in Kafka.", "leave out", "seal"),
        ("We can {} store labels of lanes in Kafka.", "just", "surely"),
    ],
)
def test_what_is_weighed_or_how_it_was_is_no_more_than_a_weak_decision(
    said: str, one: str, other: str
) -> None:
    first, second = both("decision", said, one, other, RECORD, "Lanes", "Decision")
    assert (first <= WEAK, second > WEAK) == (True, True)


@pytest.mark.parametrize(
    ("said", "one", "other"),
    [
        ("The LabelPrinter {} which label each lane has.", "documents", "stores"),
        ("The DepotServer {} acts as a proxy for all labels.", "RFC", "store"),
        ("DepotServer supports {} labels with different lanes by default.", "different", "sealed"),
        ("The DepotServer delivers {} store and writes all labels.", "a robust", "a sealed"),
        ("The DepotServer stores labels and gives {} view of lanes.", "an excellent", "a sealed"),
        ("The validate methods {} labels using the LabelEngine.", "validates", "stores"),
        (
            "The [DepotServer {}](it.md) defines how lanes use Kafka and contains their labels.",
            "specification",
            "store",
        ),
        ("The DepotServer {} serves as an index of all labels.", "document", "store"),
        ("The DepotServer {} contain the labels of all lanes that it opened.", "docs", "stores"),
    ],
)
def test_what_tells_that_something_is_told_is_refused(said: str, one: str, other: str) -> None:
    first, second = both("claim", said, one, other, "docs/lanes.md", "Lanes")
    assert (first < WEAK, second >= WEAK) == (True, True)


@pytest.mark.parametrize(
    ("said", "one", "other"),
    [
        ("What {} made between both lanes of the DepotServer?", "changes were", "is to be"),
        ("{} the clerk of the DepotServer slow for the lane?", "Was", "Is"),
        ("Which clerk of the DepotServer {} of a lane?", "did open doors", "has the DID"),
        ("{} whether the DepotServer answers each lane?", "One typical example is", "Unsure"),
    ],
)
def test_what_was_asked_once_is_no_open_question(said: str, one: str, other: str) -> None:
    first, second = both("unknown", said, one, other, RECORD, "Lanes", "Open questions")
    assert (first < WEAK, second >= WEAK) == (True, True)


@pytest.mark.parametrize(
    ("one", "kept"),
    [("SDK", False), ("framework", False), ("library", True), ("DepotServer", True)],
)
def test_what_is_said_of_a_thing_named_before_is_refused(one: str, kept: bool) -> None:
    said = f"All lanes use Kafka. The {one} is written in Go for Linux."
    assert (sure("claim", said, RECORD, "Lanes", "Discussion") >= WEAK) is kept
