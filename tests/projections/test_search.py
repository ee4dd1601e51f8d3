"""Retrieval says by its coverage how good its ground is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from infra.measure.whole import ORDER, run_stages
from projections.read.search import Filters, search_ledger
from tests.projections.builders import PROJECT, an_atom
from tests.projections.conftest import ReadModel
from tests.projections.log import Story, a_whole_story, records_in
from tests.projections.test_folding import projected

PASSAGES = ["Callers are known.", "Auth uses JWT tokens, signed anew.", "Sessions end at night."]

# The one passage there is, in 7,000 copies: more than are looked at.
SAME = """
    project_id, chunk_id, source_id, sanitized_hash, path, title, structure_path, lead, char_start,
    char_end, line_start, line_end, text
"""
COPIES = f"""
    INSERT INTO passages (passage_id, {SAME})
    SELECT 'psg_' || md5(number::text), {SAME} FROM passages, generate_series(1, 7000) AS number
"""


@pytest.fixture
def ledger(model: ReadModel) -> ReadModel:
    return model.fold(projected(a_whole_story()))


@pytest.mark.parametrize(
    ("query", "coverage", "first"),
    [
        ("What does the gateway do?", "entity", "Gateway"),
        ("Which decisions were taken?", "metadata", "Auth uses session cookies"),
        ("How are callers authenticated?", "fulltext", "Auth uses JWT tokens"),
    ],
)
def test_the_coverage_names_the_step_that_found_something(
    ledger: ReadModel, query: str, coverage: str, first: str
):
    answer = search_ledger(ledger.connection, PROJECT, query, limit=1)
    assert answer.coverage == coverage
    assert answer.hits[0].title == first


def test_an_entity_brings_the_atoms_that_mention_it(ledger: ReadModel):
    answer = search_ledger(ledger.connection, PROJECT, "gateway", limit=2)
    assert answer.coverage == "entity"
    assert {hit.title for hit in answer.hits} == {"Gateway", "Auth uses JWT tokens"}


def test_a_kind_in_the_query_narrows_to_it(ledger: ReadModel):
    answer = search_ledger(ledger.connection, PROJECT, "decisions", limit=1)
    assert answer.coverage == "metadata"
    assert answer.hits[0].kind == "decision"


def test_words_of_the_evidence_are_found_too(ledger: ReadModel):
    answer = search_ledger(ledger.connection, PROJECT, "public entrance")
    assert answer.coverage == "fulltext"
    (row,) = answer.hits[0].evidence
    assert (row.path, row.line_start) == ("README.md", 1)


def test_nothing_found_is_a_normal_answer(ledger: ReadModel):
    answer = search_ledger(ledger.connection, PROJECT, "zeppelin maintenance")
    assert (answer.coverage, answer.hits) == ("none", [])


def test_filters_hold_in_every_step(ledger: ReadModel):
    for query in ("gateway", "auth", "decisions"):
        answer = search_ledger(ledger.connection, PROJECT, query, Filters(kinds=("claim",)))
        assert {hit.kind for hit in answer.hits} <= {"claim"}


def test_only_live_atoms_are_found_unless_asked(ledger: ReadModel):
    ledger.connection.execute("UPDATE ledger_atoms SET status = 'dismissed' WHERE kind = 'claim'")
    assert "claim" not in {
        hit.kind for hit in search_ledger(ledger.connection, PROJECT, "JWT tokens").hits
    }
    dismissed = Filters(statuses=("dismissed",))
    found = search_ledger(ledger.connection, PROJECT, "JWT tokens", dismissed)
    assert [hit.kind for hit in found.hits] == ["claim"]


def test_a_hit_names_its_open_contradictions(ledger: ReadModel):
    answer = search_ledger(ledger.connection, PROJECT, "session cookies")
    assert len(answer.hits[0].open_contradictions) == 1


def test_the_passage_that_says_what_the_title_says_comes_first(model: ReadModel):
    story = Story()
    story.project()
    story.requested(["README.md"])
    chunks = story.source("README.md", "\n\n".join(PASSAGES))
    story.run_started()
    story.planned(chunks)
    said = an_atom(chunks[0], story.run, "Auth uses JWT tokens")
    story.read(chunks[0], said)
    for chunk in chunks[1:]:
        story.read(chunk, said)
    story.committed()
    model.fold(projected(story))
    (hit,) = search_ledger(model.connection, PROJECT, "auth").hits
    assert len(hit.evidence) == len(PASSAGES)
    assert hit.evidence[0].snippet == PASSAGES[1]


def a_ledger_of(model: ReadModel, documents: Mapping[str, str]) -> ReadModel:
    """Sources that were read and gave no atom."""
    story = Story()
    story.project()
    story.requested([*documents])
    for path, text in documents.items():
        story.source(path, text)
    return model.fold(projected(story))


HANDBOOK = {
    "docs/billing.md": (
        "Invoices are sent on the first day of a month.\n\n"
        "A failed charge is retried after two days, then after a week.\n\n"
        "Invoices are archived for ten years.\n\nInvoices have numbers.\n\nInvoices are in euros."
    ),
    "docs/exports.md": (
        "Exports run at night.\n\nThe maxRetryCount of an export.job is three.\n\n"
        "Each export is encrypted before it leaves the region."
    ),
}


def test_a_question_is_answered_by_text_that_no_atom_quotes(model: ReadModel):
    a_ledger_of(model, HANDBOOK)
    answer = search_ledger(model.connection, PROJECT, "When is a failed charge retried?")
    hit = answer.hits[0]
    assert (answer.coverage, hit.kind, hit.atom_id) == ("fulltext", "passage", None)
    (quote,) = hit.evidence
    assert (quote.path, quote.line_start, quote.line_end) == ("docs/billing.md", 3, 3)
    assert quote.snippet == "A failed charge is retried after two days, then after a week."
    assert hit.title == "Top"


WALLETS = {
    "design/wallets.md": "\n\n".join(
        [
            "The wallet waits until the reports are done. " + "Customers ask for reports. " * 20,
            "A wallet keeps a balance and is built on entries. " + "Entries have amounts. " * 20,
            "The wallet that is built first has no interest. " + "Interest needs a licence. " * 20,
            "The wallet page shows ten entries. " + "A click opens all of them. " * 20,
        ]
    ),
    "team/habits.md": "A wallet of paper is built of one folded sheet.",
}


def test_the_best_places_of_a_document_are_one_hit(model: ReadModel):
    a_ledger_of(model, WALLETS | HANDBOOK)
    answer = search_ledger(model.connection, PROJECT, "Why is the wallet not built?")
    places = [[(quote.path, quote.line_start) for quote in hit.evidence] for hit in answer.hits]
    wallets = [[line for path, line in each if path == "design/wallets.md"] for each in places]
    assert sorted(map(len, wallets)) == [0, 1, 3]
    assert sorted(line for lines in wallets for line in lines) == [1, 3, 5, 7]
    assert [("team/habits.md", 1)] in places


def test_fewer_hits_are_the_first_of_more(model: ReadModel):
    a_ledger_of(model, WALLETS | HANDBOOK)
    ask = "Why is the wallet not built?"
    more = search_ledger(model.connection, PROJECT, ask).hits
    assert len(more) == 3
    assert search_ledger(model.connection, PROJECT, ask, limit=1).hits == more[:1]


def test_of_thousands_that_say_the_same_the_same_ones_are_found_wherever_they_lie(model: ReadModel):
    """A database gives rows in any order, so what takes only some of them says which."""
    a_ledger_of(model, {"notes/kept.md": "Invoices are kept."})
    model.connection.execute(COPIES.encode())

    def find() -> list[str]:
        hits = search_ledger(model.connection, PROJECT, "invoices").hits
        return [quote.evidence_id for hit in hits for quote in hit.evidence]

    found = find()
    model.connection.execute("CLUSTER passages USING passages_pkey")
    assert len(found) == 30
    assert find() == found


def test_a_passage_that_an_atom_quotes_is_shown_as_that_atom(ledger: ReadModel):
    answer = search_ledger(ledger.connection, PROJECT, "How does the API authenticate callers?")
    (tokens,) = [hit for hit in answer.hits if hit.title == "Auth uses JWT tokens"]
    assert tokens.atom_id and answer.hits[0] == tokens
    shown = [quote.snippet for hit in answer.hits for quote in hit.evidence]
    assert len(shown) == len(set(shown))


def test_a_passage_is_shown_as_a_sure_atom_before_a_draft(model: ReadModel):
    story = Story()
    story.project()
    story.requested(["docs/auth.md"])
    (chunk,) = story.source("docs/auth.md", "Sessions live in cookies for a week.")
    story.run_started()
    story.planned([chunk])
    draft = an_atom(chunk, story.run, "Sessions live in cookies for a week", status="draft")
    sure = an_atom(chunk, story.run, "Cookies live a week", body="Sessions.", kind="decision")
    story.read(chunk, draft, sure)
    story.committed()
    model.fold(projected(story))
    hits = search_ledger(model.connection, PROJECT, "How long do cookies of sessions live?").hits
    assert hits[0].atom_id == sure.atom_id


def test_rare_words_count_more_than_common_ones(model: ReadModel):
    a_ledger_of(model, HANDBOOK)
    answer = search_ledger(model.connection, PROJECT, "How long are invoices archived?")
    assert answer.hits[0].body == "Invoices are archived for ten years."


@pytest.mark.parametrize("query", ["maxRetryCount", "retry count", "export.job", "export-job"])
def test_names_are_found_by_their_parts(model: ReadModel, query: str):
    a_ledger_of(model, HANDBOOK)
    answer = search_ledger(model.connection, PROJECT, query)
    assert "maxRetryCount" in answer.hits[0].body


def test_words_of_path_and_heading_are_found(model: ReadModel):
    a_ledger_of(model, HANDBOOK)
    answer = search_ledger(model.connection, PROJECT, "billing in euros")
    assert answer.hits[0].body == "Invoices are in euros."


def test_a_question_of_which_no_text_speaks_is_not_covered(model: ReadModel):
    a_ledger_of(model, HANDBOOK)
    answer = search_ledger(model.connection, PROJECT, "Which zeppelins visit the lighthouse?")
    assert (answer.coverage, answer.hits) == ("none", [])


def test_a_question_of_which_a_text_speaks_in_part_is_weakly_covered(model: ReadModel):
    a_ledger_of(model, HANDBOOK)
    answer = search_ledger(model.connection, PROJECT, "Are invoices archived on zeppelins?")
    assert answer.coverage == "weak"
    assert answer.hits[0].body == "Invoices are archived for ten years."


def test_filters_are_about_atoms(ledger: ReadModel):
    answer = search_ledger(ledger.connection, PROJECT, "gateway", Filters(kinds=("claim",)))
    assert {hit.kind for hit in answer.hits} == {"claim"}
    assert all(hit.atom_id for hit in answer.hits)


def test_what_speaks_of_something_else_is_no_answer_of_that_kind(model: ReadModel):
    said = ["Guard patterns are parsed as patterns.", "The range pattern is closed.", "Zeppelins."]
    story = Story()
    story.project()
    story.requested(["README.md"])
    chunks = story.source("README.md", "\n\n".join(said))
    story.run_started()
    story.planned(chunks)
    rejected = {"document_status": "rejected"}
    story.read(chunks[0], an_atom(chunks[0], story.run, kind="decision", attributes=rejected))
    story.read(chunks[1], an_atom(chunks[1], story.run, kind="decision"))
    story.read(chunks[2], an_atom(chunks[2], story.run, kind="risk"))
    story.committed()
    model.fold(projected(story))

    decisions = Filters(kinds=("decision",))
    found = search_ledger(model.connection, PROJECT, "guard patterns", decisions)
    assert [(it.title, it.document_status) for it in found.hits] == [(said[0], "rejected")]
    nothing = search_ledger(model.connection, PROJECT, "zeppelins over lakes", decisions)
    assert (nothing.coverage, nothing.hits) == ("none", [])


def test_text_of_removed_sources_and_other_projects_is_not_found(model: ReadModel):
    a_ledger_of(model, HANDBOOK)
    ask = "When is a failed charge retried?"
    assert search_ledger(model.connection, "prj_other", ask).hits == []
    model.connection.execute("UPDATE sources SET removed_at = now() + interval '1 hour'")
    assert search_ledger(model.connection, PROJECT, ask).hits == []


@pytest.mark.parametrize(
    "query",
    [
        "When is a failed charge retried, and how are exports encrypted?",
        "How are exports encrypted? When is a failed charge retried?",
    ],
)
def test_each_of_two_questions_is_answered_among_the_first(model: ReadModel, query: str):
    a_ledger_of(model, HANDBOOK)
    answer = search_ledger(model.connection, PROJECT, query, limit=2)
    assert {hit.body for hit in answer.hits} == {
        "A failed charge is retried after two days, then after a week.",
        "Each export is encrypted before it leaves the region.",
    }


def test_a_question_that_says_nothing_by_itself_is_part_of_the_one_before(model: ReadModel):
    a_ledger_of(model, HANDBOOK)
    alone = search_ledger(model.connection, PROJECT, "Are exports encrypted?")
    assert search_ledger(model.connection, PROJECT, "Are exports encrypted, and why?") == alone


def test_of_a_list_of_facts_search_shows_the_newest_alone(model: ReadModel, tmp_path: Path):
    facts = [
        *(f"Mia {name} speaks the language of Ostic." for name in ("Kern", "Brandt", "Quist")),
        *(f"Mia {name} was born in the city of Alborg." for name in ("Kern", "Brandt", "Quist")),
        "Mia Kern was born in the city of Jorvik.",
    ]
    lines = "\n".join(f"{number}. {fact}" for number, fact in enumerate(facts))
    (tmp_path / "facts.md").write_text(f"Here is a list of facts:\n{lines}\n")
    model.fold(records_in(run_stages(tmp_path)))

    answer = search_ledger(model.connection, ORDER.project_id, "In which city was Mia Kern born?")

    assert answer.hits[0].title == "Mia Kern was born in the city of Jorvik"
    shown = [quote.snippet for hit in answer.hits for quote in hit.evidence]
    assert not any("Mia Kern was born in the city of Alborg" in each for each in shown)
    kept = search_ledger(model.connection, ORDER.project_id, "In which city was Mia Quist born?")
    assert kept.hits[0].title == "Mia Quist was born in the city of Alborg"
