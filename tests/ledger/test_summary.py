"""The working summary: small, ordered, and the same for the same ledger."""

from __future__ import annotations

import json

from schemas.areas import AREAS
from schemas.events.working_summary import WorkingSummary
from streams.ledger.writer import LEDGER
from tests.ledger.story import Batch, Chunk, Run, Story, a_row, a_run, judged, story


def summary_of(told: Story) -> WorkingSummary:
    found = told.change_sets[-1].summary
    assert found
    return found


def many(kind: str, count: int) -> Run:
    noun = "abcdefghijklmnopqrstuvwxyz"
    accepted = [
        judged(
            f"{noun[n % 26] * 9}{n} belongs to {noun[(n * 7) % 26] * 9}{n}",
            kind=kind,
            confidence=round(0.5 + n / 1000, 3),
            rows=[a_row(start=0), a_row(start=100)],
        )
        for n in range(count)
    ]
    return a_run(Chunk("c1", accepted))


def test_it_comes_with_the_turns_that_commit_and_with_the_end():
    told = story(Run([Batch([Chunk("c1"), Chunk("c2")]), Batch([Chunk("c3")])]))
    assert [each.summary is not None for each in told.change_sets] == [False, True, True, True]


def test_it_lists_the_surest_first_and_counts_all():
    summary = summary_of(story(many("decision", 40)))
    (count,) = summary.counts_by_kind
    assert (count.kind, count.active, count.draft) == ("decision", 40, 0) or count.draft
    told = story(many("decision", 40))
    ranks = [told.view.atoms[f"prj_test|{each.atom_id}"].confidence for each in summary.decisions]
    assert ranks == sorted(ranks, reverse=True)


def test_it_fits_the_budget_of_the_lane_by_cutting_the_longest_list():
    run = many("risk", 200)
    deep = summary_of(story(run))
    preview = summary_of(story(Run(run.batches, lane="preview")))
    assert preview.token_estimate <= 800 < deep.token_estimate <= 2_000
    assert [each.atom_id for each in deep.risks][: len(preview.risks)] == [
        each.atom_id for each in preview.risks
    ]
    shown = preview.model_dump(exclude={"risks": {"__all__": {"only_source"}}})
    assert len(json.dumps(shown)) / 4 < 850


def test_entities_come_by_evidence_and_contradictions_while_open():
    shop, intake = (judged(name, kind="entity") for name in ("Web shop", "Intake"))
    told = story(
        a_run(
            Chunk("c1", [shop, intake]),
            Chunk("c2", [intake], source_id="src_b"),
            Chunk("c3", [judged("Auth uses JWT tokens")]),
            Chunk("c4", [judged("Auth uses session cookies")], source_id="src_b"),
        )
    )
    summary = summary_of(told)
    assert [each.title for each in summary.entities] == ["Intake", "Web shop"]
    (dispute,) = summary.open_contradictions
    assert {dispute.title_a, dispute.title_b} == {
        "Auth uses JWT tokens",
        "Auth uses session cookies",
    }


def test_gaps_are_the_areas_with_fewer_than_two_active_atoms():
    two = [judged(f"{name} is encrypted", area="security") for name in ("Transport", "Storage")]
    told = story(a_run(Chunk("c1", [*two, judged("Goals are clear", area="scope")])))
    assert summary_of(told).gaps == [area for area in AREAS if area != "security"]


def test_a_state_folded_again_gives_the_same_summary_bytes():
    runs = [a_run(Chunk(f"c{n}", many("risk", 30).batches[0].chunks[0].accepted)) for n in (1,)]
    told = story(*runs)
    again = a_run(Chunk("c9", [judged("One more")]), trigger="t2")
    told.refold()
    told.given(again)
    assert told.bytes() == story(*runs, again).bytes()


def test_a_version_names_the_content():
    one, other = story(many("risk", 3)), story(many("risk", 4))
    assert summary_of(one).state_version != summary_of(other).state_version
    assert len(summary_of(one).state_version) == 64
    assert LEDGER.decide(one.state) is None


def test_what_rests_on_one_source_alone_names_it():
    said, repeated = "The crane may lose its load.", "The bridge may lose its bolts."
    first = a_run(Chunk("c1", [judged(said, kind="risk"), judged(repeated, kind="risk")]))
    other = Chunk("c2", [judged(repeated, kind="risk")], source_id="src_b")
    told = story(first, a_run(other, trigger="t2"))
    named = {each.title: each.only_source for each in summary_of(told).risks}
    assert named[repeated] == ""
    assert named[said] == "src_a"
