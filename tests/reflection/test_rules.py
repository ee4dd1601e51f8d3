"""Rules R1 to R14, each with its code, and their boundaries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.confirmations import CONFIRMED_BY
from schemas.versions import REFLECTION_VERSION
from streams.reflection import reflect
from streams.reflection.spans import find_occurrences
from tests.reading.documents import a_chunk, flagged
from tests.reflection.builders import (
    CHOSE,
    CHUNK,
    KEEPS,
    OUTAGE,
    TEXT,
    a_candidate,
    a_reading,
    a_row,
    codes,
    judged,
    reflected,
)


def test_a_well_evidenced_claim_is_accepted():
    one = judged(a_candidate())
    assert (one.status, one.confidence_after, codes(one)) == ("active", 0.72, ["accepted"])


@pytest.mark.parametrize(
    "change", [{"kind": "opinion"}, {"title": " "}, {"body": ""}, {"confidence": float("nan")}]
)
def test_r1_refuses_what_is_malformed(change):
    one = judged(a_candidate().model_copy(update=change))
    assert one.status == "rejected"
    assert codes(one)[0] == "malformed"


def test_r1_refuses_a_reading_without_provenance():
    extracted = a_reading(a_candidate())
    nameless = extracted.reading.model_copy(update={"extractor_version": ""})
    result = reflect(extracted.model_copy(update={"reading": nameless}), CHUNK)
    assert codes(result.rejected[0])[0] == "malformed"


@pytest.mark.parametrize(
    "chunk", [None, CHUNK.model_copy(update={"source_id": "src_2"})], ids=["absent", "foreign"]
)
def test_r2_rejects_rows_of_a_chunk_that_was_not_read(chunk):
    one = judged(a_candidate(), chunk)
    assert one.status == "rejected"
    assert codes(one) == ["missing_chunk", "below_evidence_floor"]
    assert one.rejected_rows[0].findings[0].rule == "R2"


@pytest.mark.parametrize("start", [-1, 999, 1_000 + len(TEXT) - 10, 50_000])
def test_r3_rejects_anchors_outside_the_chunk(start):
    one = judged(a_candidate(a_row(KEEPS, start=start)))
    assert codes(one) == ["invalid_anchor", "below_evidence_floor"]


def test_r3_rejects_an_empty_span():
    row = a_row().model_copy(update={"char_end": 1_000})
    assert "invalid_anchor" in codes(judged(a_candidate(row)))


def test_r4_nineteen_characters_fall_and_twenty_stay():
    assert "snippet_too_short" in codes(judged(a_candidate(a_row("The broker keeps ev"))))
    assert codes(judged(a_candidate(a_row("The broker keeps eve")))) == ["accepted"]


def test_r4_counts_the_trimmed_snippet():
    row = a_row("The broker keeps ev").model_copy(update={"snippet": "  The broker keeps ev  "})
    assert "snippet_too_short" in codes(judged(a_candidate(row)))


def test_r4_a_short_mention_of_an_entity_becomes_its_sentence():
    one = judged(a_candidate(a_row("cluster"), kind="entity"))
    assert one.status == "active"
    assert one.rows[0].snippet == OUTAGE
    assert one.rows[0].char_start == 1_000 + TEXT.index(OUTAGE)


def test_r5_rejects_mostly_stopwords_and_symbols():
    text = "It is what it is, and that was all of it there and then.\n"
    chunk = a_chunk(text)
    row = a_row("It is what it is, and that was all of it", chunk=chunk)
    assert codes(judged(a_candidate(row), chunk))[0] == "snippet_low_content"


def test_r5_keeps_exactly_seventy_percent():
    text = "the of and to in is it broker keeps records\n"
    chunk = a_chunk(text)
    assert codes(judged(a_candidate(a_row(text.strip(), chunk=chunk)), chunk)) == ["accepted"]


def test_r5_keeps_three_of_four_and_no_more():
    nine = "the of and to in is it at on broker keeps records\n"
    ten = f"by {nine}"
    kept, fallen = a_chunk(nine), a_chunk(ten)
    assert codes(judged(a_candidate(a_row(nine.strip(), chunk=kept)), kept)) == ["accepted"]
    assert codes(judged(a_candidate(a_row(ten.strip(), chunk=fallen)), fallen))[0] == (
        "snippet_low_content"
    )


def test_what_is_judged_names_the_rules_it_was_judged_by():
    assert reflect(a_reading(a_candidate()), CHUNK).reflection_version == REFLECTION_VERSION


def test_r5_does_not_count_symbols_in_code():
    text = "if (x > 0) { y += (z[0] * 2); } // %%\n"
    snippet = "x > 0) { y += (z[0] * 2); }"
    prose = a_chunk(text)
    code = a_chunk(text, "a.c", source_type="code", anchor_type="function")
    assert "snippet_low_content" not in codes(judged(a_candidate(a_row(snippet, chunk=code)), code))
    assert "snippet_low_content" not in codes(judged(a_candidate(a_row(KEEPS)), CHUNK))
    heavy = a_row("(((( >>>> ;;;; #### keeps ????", chunk=a_chunk("(((( >>>> ;;;; #### keeps ????"))
    assert "snippet_low_content" in codes(
        judged(a_candidate(heavy), a_chunk("(((( >>>> ;;;; #### keeps ????"))
    )
    assert prose.anchor_type == "heading"


def test_r6_moves_a_quote_to_its_only_place():
    one = judged(a_candidate(a_row(OUTAGE, start=1_003)))
    (row,) = one.rows
    assert (row.evidence_type, row.anchor_corrected) == ("direct", True)
    assert row.char_start == 1_000 + TEXT.index(OUTAGE)


def test_r6_compares_up_to_blanks():
    chunk = a_chunk("The broker keeps every\n    record for seven days.\n")
    row = a_row("The broker keeps every\n    record for seven days.", chunk=chunk)
    spoken = row.model_copy(update={"snippet": KEEPS})
    (kept,) = judged(a_candidate(spoken), chunk).rows
    assert (kept.evidence_type, kept.anchor_corrected) == ("direct", False)


@pytest.mark.parametrize("times", [0, 2])
def test_r6_a_quote_that_stands_nowhere_or_twice_is_inferred(times):
    chunk = a_chunk("Another sentence opens the text of the chunk here. " + f"{KEEPS} " * times)
    row = a_row(KEEPS, start=1_000)
    one = judged(a_candidate(row, confidence=0.9), chunk)
    assert "retyped_inferred" in codes(one)
    assert one.rows[0].evidence_type == "inferred"


@pytest.mark.parametrize(("share", "expected"), [(0.1, "direct"), (0.4, "annotation_only")])
def test_r6_evidence_whose_flagged_part_says_it_rests_on_it(share, expected):
    chunk = a_chunk("abcd efgh ijkl mnop qrst uvwx yzab cdef ghij klmn \n")
    row = a_row(chunk.text_payload[:50], chunk=chunk)
    covered = chunk.model_copy(
        update={"annotations": [flagged(1_000, 1_000 + round(50 * share), "encoded_payload")]}
    )
    (kept,) = judged(a_candidate(row, confidence=0.9), covered).rows
    assert kept.evidence_type == expected


def test_r6_a_redaction_taints_nothing():
    covered = CHUNK.model_copy(update={"annotations": [flagged(1_000, 1_100, "redaction")]})
    assert codes(judged(a_candidate(), covered)) == ["accepted"]


def test_r7_a_risk_needs_a_direct_row_that_shows_the_impact():
    shown = judged(a_candidate(a_row(OUTAGE), kind="risk", impact="an outage of the cluster"))
    assert (shown.status, shown.rows[0].impact_indicator) == ("active", True)
    inferred = a_row(OUTAGE, evidence_type="inferred")
    one = judged(a_candidate(inferred, kind="risk", impact="an outage", confidence=0.95))
    assert one.status == "rejected"
    assert "risk_without_direct_impact" in codes(one)


def test_r7_a_risk_without_an_impact_field_is_rejected():
    one = judged(a_candidate(a_row(OUTAGE), kind="risk"))
    assert "risk_without_direct_impact" in codes(one)


def test_r7_the_neighbouring_sentence_may_show_the_impact():
    assert judged(a_candidate(a_row(KEEPS), kind="risk", impact="an outage")).status == "active"
    far = a_chunk(f"{KEEPS} The records are small. {OUTAGE}\n")
    one = judged(a_candidate(a_row(KEEPS, chunk=far), kind="risk", impact="an outage"), far)
    assert one.status == "rejected"


def test_r7_a_quantity_with_a_negative_verb_is_an_impact():
    chunk = a_chunk("Each rebuild takes operators off other work and adds 3 days per release.\n")
    row = a_row(chunk.text_payload.strip(), chunk=chunk)
    assert judged(a_candidate(row, kind="risk", impact="3 days"), chunk).status == "active"


@pytest.mark.parametrize("kind", ["decision", "requirement"])
def test_r8_one_row_keeps_a_decision_or_requirement_a_draft(kind):
    one = judged(a_candidate(a_row(CHOSE), kind=kind, confidence=0.95))
    assert (one.status, codes(one)) == ("draft", ["insufficient_evidence_draft", "accepted"])
    two = judged(a_candidate(a_row(CHOSE), a_row(KEEPS), kind=kind, confidence=0.95))
    assert (two.status, codes(two)) == ("active", ["accepted"])


def test_r8_what_a_statement_stands_under_is_cited_and_confirms_nothing():
    framing = a_row(KEEPS).model_copy(update={"framing": True})
    one = judged(a_candidate(a_row(CHOSE), framing, kind="requirement", confidence=0.95))
    assert (one.status, len(one.rows)) == ("draft", 2)


@pytest.mark.parametrize("kind", ["decision", "requirement"])
def test_r8_what_its_place_confirms_needs_one_row(kind):
    place = {"attributes": {CONFIRMED_BY: "section"}, "engine": "heuristic"}
    confirmed = a_candidate(a_row(CHOSE), kind=kind, confidence=0.75).model_copy(update=place)
    one = judged(confirmed)
    assert (one.status, codes(one)) == ("active", ["second_signal", "accepted"])
    assert one.findings[0].detail == "section"
    framing = a_row(CHOSE).model_copy(update={"framing": True})
    framed = judged(a_candidate(framing, kind=kind).model_copy(update=place))
    assert (framed.status, codes(framed)[0]) == ("draft", "insufficient_evidence_draft")
    by_model = judged(confirmed.model_copy(update={"engine": "model"}))
    assert (by_model.status, codes(by_model)[0]) == ("draft", "insufficient_evidence_draft")


def test_r8_overlapping_rows_count_once():
    part = a_row("an append-only log because order matters.")
    one = judged(a_candidate(a_row(CHOSE), part, kind="decision", confidence=0.95))
    assert one.status == "draft"


def test_r9_no_remaining_row_rejects():
    one = judged(a_candidate(a_row("The broker")))
    assert codes(one) == ["snippet_too_short", "below_evidence_floor"]
    assert one.rejected_rows[0].findings[0].code == "snippet_too_short"


@pytest.mark.parametrize(
    ("evidence_type", "penalty"), [("inferred", 0.15), ("annotation_only", 0.30)]
)
def test_r10_without_a_direct_quote_confidence_falls_by_exactly_the_penalty(evidence_type, penalty):
    quoted = judged(a_candidate(confidence=0.9))
    other = judged(a_candidate(a_row(evidence_type=evidence_type), confidence=0.9))
    assert round(quoted.confidence_after - other.confidence_after, 6) == penalty
    assert "confidence_downgraded" in codes(other)


def test_r10_a_direct_row_beside_it_saves_the_confidence():
    one = judged(a_candidate(a_row(), a_row(CHOSE, evidence_type="inferred"), confidence=0.8))
    assert one.confidence_after == 0.8


def test_r11_the_offline_engine_is_capped():
    one = judged(a_candidate(confidence=0.9), engine="heuristic")
    assert (one.confidence_before, one.confidence_after) == (0.9, 0.75)
    assert codes(one) == ["engine_cap", "accepted"]


@pytest.mark.parametrize(
    ("confidence", "status", "code"),
    [
        (0.499999, "rejected", "low_confidence"),
        (0.5, "draft", "borderline"),
        (0.599999, "draft", "borderline"),
        (0.6, "active", "borderline"),
        (0.699999, "active", "borderline"),
        (0.7, "active", "accepted"),
    ],
)
def test_r12_to_r14_the_bands_and_the_fall_back_without_a_model(confidence, status, code):
    one = judged(a_candidate(confidence=confidence))
    assert (one.status, codes(one)) == (status, [code])
    assert one.adjudication == ("unavailable" if status == "draft" else None)


def test_a_penalty_does_not_fall_out_of_the_band_by_rounding():
    one = judged(a_candidate(a_row(evidence_type="inferred"), confidence=0.65))
    assert (one.confidence_after, one.status) == (0.5, "draft")


def test_with_a_model_only_the_band_waits_for_adjudication():
    for confidence, place in ((0.4, "rejected"), (0.5, "adjudicate"), (0.69, "adjudicate")):
        result = reflected(a_candidate(confidence=confidence), has_model=True)
        assert len(getattr(result, place)) == 1
    assert len(reflected(a_candidate(confidence=0.7), has_model=True).accepted) == 1


def test_all_findings_are_recorded_though_the_first_rejection_decides():
    row = a_row("The broker")
    one = judged(a_candidate(row, kind="risk", confidence=0.2))
    assert codes(one) == [
        "snippet_too_short",
        "risk_without_direct_impact",
        "below_evidence_floor",
        "low_confidence",
    ]
    assert one.findings[0].detail == "row 0: 10 characters"


def test_a_poisoned_reading_has_no_verdicts_and_keeps_its_turn():
    extracted = a_reading(a_candidate(), outcome="poison")
    result = reflect(extracted, CHUNK)
    assert (result.accepted, result.rejected, result.adjudicate) == ([], [], [])
    assert result.reading == extracted.reading


def test_the_reading_travels_unchanged():
    extracted = a_reading(a_candidate())
    assert reflect(extracted, CHUNK).reading == extracted.reading


@given(
    st.text(max_size=80),
    st.integers(-10, 2_000),
    st.integers(-10, 2_000),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from(["claim", "risk", "entity", "decision", "x"]),
)
def test_any_candidate_gets_exactly_one_verdict(snippet, start, end, confidence, kind):
    row = a_row().model_copy(update={"char_start": start, "char_end": end, "snippet": snippet})
    candidate = a_candidate(kind=kind, confidence=0.5, impact="loss").model_copy(
        update={"evidence": [row], "confidence": confidence}
    )
    result = reflected(candidate, has_model=True)
    assert len(result.accepted) + len(result.rejected) + len(result.adjudicate) == 1


@pytest.mark.parametrize(
    ("snippet", "text", "found"),
    [
        (
            "gate is shut",
            "The gate\n  is shut, the gate is\tshut.",
            ["gate\n  is shut", "gate is\tshut"],
        ),
        ("  gate ", "irrigated gates and gate", ["gate", "gate", "gate"]),
        ("abab", "abababab", ["abab", "abab", "abab"]),
        ("is shut", "is\x1cshut is\u2028\u00a0shut is-shut", ["is\x1cshut", "is\u2028\u00a0shut"]),
        ("shut", "\n\n shut", ["shut"]),
        (" \n", "a \n b", []),
        ("a", "", []),
        ("to be " * 5_000 + "kept", "to be " * 10_000, []),
    ],
)
def test_a_quote_is_found_whatever_blanks_stand_in_it(snippet, text, found):
    assert [text[start:end] for start, end in find_occurrences(snippet, text, 3)] == found
