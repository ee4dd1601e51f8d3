"""A short claim is told with the sentence that only goes on with what it speaks of."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from schemas.events.atom import Candidate
from tests.reading.documents import a_chunk, sure

OPENING = "Skipper stores what another Skipper returns for later requests."
LONG = (
    "Skipper stores what another Skipper returns for later requests of the same depot, and serves "
    "it to each clerk who asks for the label of a parcel of that depot in the same week."
)
SUMMARY = "Keeps the weights of parcels until the clerk of the depot deletes them."


def claims(text: str, path: str = "docs/filters.md") -> list[Candidate]:
    return [it for it in sure(a_chunk(text, path)) if it.kind == "claim"]


def of_type(comment: str) -> list[Candidate]:
    lines = "\n".join(f" * {line}" for line in comment.split("\n"))
    text = f"/**\n{lines}\n */\npublic class ParcelLedger {{\n}}\n"
    chunk = a_chunk(
        text,
        "src/main/java/ParcelLedger.java",
        source_type="code",
        headings=("ParcelLedger",),
        anchor_type="class",
    )
    return [it for it in extract(chunk) if it.kind == "claim"]


@pytest.mark.parametrize(
    "further",
    [
        "It evicts the oldest response once the parcel store is full",
        "These are kept until the depot of the parcel closes its last lane",
    ],
)
def test_a_sentence_without_a_name_is_told_with_the_short_claim_before_it(further: str) -> None:
    (claim,) = claims(f"# Skipper\n\n{OPENING} {further}.\n")
    assert claim.title == f"{OPENING} {further}"
    assert claim.body == f"{OPENING} {further}."
    assert [row.snippet for row in claim.evidence] == [OPENING, f"{further}."]


@pytest.mark.parametrize(
    ("opening", "further"),
    [
        (LONG, "It evicts the oldest response once the parcel store is full."),
        (OPENING, "It is configured as shown in the section below."),
        (OPENING, "It takes these two options:"),
        (OPENING, "You can find it in the store."),
        (OPENING, "This method is not called while the store is being opened."),
        (OPENING, "It must evict the oldest response once the parcel store is full."),
        (OPENING, "A clerk of the depot prints the labels of its parcels every Monday."),
    ],
    ids=["long", "points", "announces", "reader", "another noun", "need", "another subject"],
)
def test_what_says_enough_or_is_led_elsewhere_is_told_alone(opening: str, further: str) -> None:
    first, *_ = claims(f"# Skipper\n\n{opening} {further}\n")
    assert first.title == opening.rstrip(".")
    assert len(first.evidence) == 1


def test_a_sentence_of_another_paragraph_is_not_told_with_it() -> None:
    first, *_ = claims(
        f"# Skipper\n\n{OPENING}\n\nIt evicts the oldest response once it is full.\n"
    )
    assert first.title == OPENING.rstrip(".")


def test_a_type_is_told_with_the_second_sentence_of_its_comment() -> None:
    (claim,) = of_type(
        "Keeps the weights of parcels for each depot.\n"
        "Note that the weight of a returned parcel is not kept."
    )
    assert claim.title == (
        "ParcelLedger keeps the weights of parcels for each depot. "
        "The weight of a returned parcel is not kept"
    )


def test_a_second_sentence_that_begins_with_its_verb_gets_a_subject() -> None:
    (claim,) = of_type(
        "Keeps the weights of parcels for each depot.\n"
        "Allows clerks to correct a weight until the lane closes."
    )
    assert claim.title.endswith(". It allows clerks to correct a weight until the lane closes")


def test_what_only_tells_how_a_type_is_declared_is_not_told() -> None:
    (claim,) = of_type(
        "Keeps the weights of parcels for each depot.\nThis class extends the generic ledger."
    )
    assert claim.title == "ParcelLedger keeps the weights of parcels for each depot"


def test_a_condition_in_front_keeps_the_sequel() -> None:
    text = (
        "# Lanes\n\n- If the depot is closed:\n"
        "  - Skipper stores what another Skipper returns. It evicts the oldest response daily.\n"
    )
    (claim,) = claims(text)
    assert claim.title == (
        "Lanes: if the depot is closed, Skipper stores what another Skipper returns. "
        "It evicts the oldest response daily"
    )


def test_a_type_whose_comment_says_hardly_more_than_its_name_is_a_draft() -> None:
    (thin,) = of_type("Manages the ledgers that hold the weights of all parcels.")
    (telling,) = of_type(
        "Reads the weights that clerks enter by hand when the scale of a lane is broken, and "
        "provides them to the printer, which creates corrected labels for each parcel."
    )
    assert (thin.proposed_status, telling.proposed_status) == ("draft", "active")


def test_the_second_sentence_may_stand_in_the_next_paragraph() -> None:
    (claim,) = of_type(
        "Keeps the weights of parcels for each depot.\n<p>\n"
        "Weights of returned parcels are deleted every Monday."
    )
    assert claim.title.endswith(". Weights of returned parcels are deleted every Monday")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "src/ledger.rs",
            f"/// {SUMMARY}\nconst KEEP: bool = true;\n\npub struct ParcelLedger {{}}\n",
        ),
        (
            "src/ledger.ts",
            f"export interface ParcelLedger {{\n  /** {SUMMARY} */\n  keep: boolean;\n}}\n",
        ),
        (
            "src/ledger.py",
            f'class ParcelLedger:\n    keep = True\n    def all(self):\n        """{SUMMARY}"""\n',
        ),
    ],
)
def test_a_comment_of_something_else_tells_nothing_of_the_type(path: str, text: str) -> None:
    chunk = a_chunk(text, path, source_type="code", headings=("ParcelLedger",), anchor_type="class")
    assert [it for it in extract(chunk) if it.kind == "claim"] == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "src/ledger.rs",
            f"/// {SUMMARY}\n#[derive(Debug, Clone)]\npub struct ParcelLedger {{}}\n",
        ),
        (
            "src/Ledger.java",
            f"/**\n * {SUMMARY}\n *\n"
            ' * @since 2.0\n */\n@Entity(name = "parcels")\npublic final class ParcelLedger {\n}\n',
        ),
        (
            "src/ledger.py",
            f'class ParcelLedger(Ledger):\n    """{SUMMARY}"""\n',
        ),
    ],
)
def test_annotations_may_stand_between_a_comment_and_its_type(path: str, text: str) -> None:
    chunk = a_chunk(text, path, source_type="code", headings=("ParcelLedger",), anchor_type="class")
    (claim,) = [it for it in extract(chunk) if it.kind == "claim"]
    assert claim.title.startswith("ParcelLedger keeps the weights of parcels until")


def test_a_sentence_that_names_its_type_is_told_as_it_is() -> None:
    said = "The ParcelLedger class keeps weights until clerks of the depot delete them by hand"
    (claim,) = of_type(f"{said}.")
    assert claim.title == said


def test_a_note_of_what_is_to_be_done_ends_where_a_remark_of_its_own_begins() -> None:
    text = (
        "# TODO: support heavy parcels in every lane of the depot\n"
        "# The printer never asked for the weight of a parcel\nprint_label()\n"
    )
    (task,) = extract(a_chunk(text, "src/labels.py", source_type="code", anchor_type="module"))
    assert task.title == "Support heavy parcels in every lane of the depot"


OF_WEIGHTS = "The weights of parcels are stored by the depot for seven days."
COMPARED = "The heavy weights are compared with those of the sender every Monday."
OF_ERRORS = "Errors of heavy parcels are written to the log of the lane by the gatekeeper."


def test_two_claims_of_one_subject_without_a_name_are_one() -> None:
    (claim,) = claims(f"# Night lanes\n\n{OF_WEIGHTS} {COMPARED}\n")
    assert claim.title == f"Night lanes: the{OF_WEIGHTS[3:]} {COMPARED[:-1]}"
    assert [row.snippet for row in claim.evidence] == [OF_WEIGHTS, COMPARED]
    assert claim.body == f"{OF_WEIGHTS} {COMPARED}"


@pytest.mark.parametrize(
    "further",
    [
        OF_ERRORS,
        "WeightScale compares the weights with those of the sender every Monday.",
        COMPARED.replace("sender", f"sender{' and of each of his clerks' * 8}"),
    ],
    ids=["another subject", "a name", "too long"],
)
def test_other_claims_are_told_apart(further: str) -> None:
    first, *_ = claims(f"# Night lanes\n\n{OF_WEIGHTS} {further}\n")
    assert first.title == f"Night lanes: the{OF_WEIGHTS[3:-1]}"
    assert len(first.evidence) == 1


POSSIBLE = "Skipper might return one of several errors in any of its lanes."


def test_a_claim_is_told_with_the_sentence_before_that_its_subject_stands_in() -> None:
    (claim,) = claims(f"# Night lanes\n\n{POSSIBLE} {OF_ERRORS}\n")
    assert claim.title == f"Night lanes: {POSSIBLE} {OF_ERRORS[:-1]}"
    assert [row.snippet for row in claim.evidence] == [OF_ERRORS, POSSIBLE]


@pytest.mark.parametrize(
    "opening",
    [
        "You might see one of several errors in any of its lanes.",
        "They might return one of several errors in any of its lanes.",
        "Errors: Skipper might return one of several in any of its lanes.",
    ],
    ids=["reader", "leans itself", "label"],
)
def test_what_leads_elsewhere_is_not_told_before_a_claim(opening: str) -> None:
    (claim,) = claims(f"# Night lanes\n\n{opening} {OF_ERRORS}\n")
    assert claim.title == f"Night lanes: e{OF_ERRORS[1:-1]}"
    assert len(claim.evidence) == 1


def test_a_condition_stands_before_both_sentences() -> None:
    text = f"# Night lanes\n\n- If the depot is closed:\n  - {POSSIBLE} {OF_ERRORS}\n"
    (claim,) = claims(text)
    assert claim.title.startswith("Night lanes: if the depot is closed, ")
    assert claim.title.endswith(f"several errors in any of its lanes. {OF_ERRORS[:-1]}")


def test_a_question_that_is_told_before_it_is_asked_is_one() -> None:
    told = "The handlers of a lane can be defined in two places."
    asked = "Which of them has priority over the other?"
    text = f"# Night lanes\n\n## Open questions\n\n- {told} {asked}\n"
    (question,) = [it for it in extract(a_chunk(text, "docs/lanes.md"))]
    assert (question.kind, question.title) == ("unknown", f"Night lanes: the{told[3:]} {asked}")
    assert [row.snippet for row in question.evidence] == [told, asked]
    assert question.attributes["question"] == asked


OF_OPTION = "For security reasons, the option must be given with the name of the depot."


def test_a_need_of_an_option_is_told_with_the_sentence_that_says_which() -> None:
    which = "Skipper has an option `--no-password` for depots without one."
    (need,) = [
        it
        for it in extract(a_chunk(f"# Night lanes\n\n{which} {OF_OPTION}\n", "docs/lanes.md"))
        if it.kind == "requirement"
    ]
    assert need.title == f"Night lanes: {which.replace('`', '')} {OF_OPTION[:-1]}"
    assert [row.snippet for row in need.evidence] == [OF_OPTION, which]


def test_a_need_of_an_option_that_nothing_names_is_a_draft() -> None:
    text = f"# Night lanes\n\nYou can leave it out at any time. {OF_OPTION}\n"
    (need,) = [it for it in extract(a_chunk(text, "docs/lanes.md")) if it.kind == "requirement"]
    assert (len(need.evidence), need.proposed_status) == (1, "draft")
