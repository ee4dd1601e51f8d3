"""Chips stand where a text names a cited place, and cards say what they are about."""

from __future__ import annotations

from infra.http.console.citing import cite_places, cut_headings, list_places
from projections.read.search import HitQuote


def a_citation(path: str | None, line: int | None, known: str = "atm_1") -> dict[str, object]:
    return {"cited_id": known, "path": path, "line_start": line, "snippet": "Seals are signed."}


def test_a_cited_place_in_a_text_becomes_its_chip_and_the_rest_stands_below():
    signed, stamped = a_citation("docs/a b.md", 3), a_citation("b.md", 7, "atm_2")
    nowhere = [a_citation(None, None, name) for name in ("art_1", "art_2")]
    text = "- Signed [docs/a b.md:3-5]\n- Seen [x.md:1] [docs/a b.md:3]\nDone."

    cited = cite_places(text, [signed, stamped, *nowhere])

    assert cited.pieces == [
        ("- Signed", signed),
        ("\n- Seen [x.md:1]", signed),
        ("\nDone.", None),
    ]
    assert cited.others == [stamped, *nowhere]


def test_a_line_number_of_any_length_is_text():
    text = f"Seen [a.md:{'9' * 5_000}]."

    assert cite_places(text, [a_citation("a.md", 3)]).pieces == [(text, None)]


def test_a_line_is_quoted_once_and_a_passage_does_not_repeat_its_title():
    quotes = [
        HitQuote(
            evidence_id=f"evd_{number}",
            source_id=source,
            title=None,
            path="a.md",
            line_start=line,
            line_end=line,
            snippet="Seals.",
        )
        for number, (source, line) in enumerate([("src_1", 3), ("src_1", 3), ("src_2", 3)])
    ]

    assert [it.evidence_id for it in list_places(quotes)] == ["evd_0", "evd_2"]
    assert cut_headings("## Seals\n\n### Signed\n\nBy hand.\n# Not this") == "By hand.\n# Not this"
    assert cut_headings("# Seals") == "# Seals"
