"""Documents become Markdown in a child process, or say why they cannot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from connectors.documents import Documents, Unread
from schemas.source_kinds import RENDERED_SUFFIXES
from tests.connectors.documents import a_docx, a_paragraph, a_pdf, locked


@pytest.fixture(scope="module")
def documents() -> Iterator[Documents]:
    with Documents() as opened:
        yield opened


def text(documents: Documents, path: str, content: str | bytes) -> str:
    raw = content.encode() if isinstance(content, str) else content
    return documents.text_of(path, raw).decode()


def refusal(documents: Documents, path: str, content: str | bytes) -> tuple[str, str]:
    with pytest.raises(Unread) as refused:
        text(documents, path, content)
    return refused.value.reason, refused.value.detail


def a_notebook(*cells: tuple[str, Any]) -> str:
    made = [{"cell_type": kind, "metadata": {}, "source": source} for kind, source in cells]
    named = {"kernelspec": {"language": "python"}}
    return json.dumps({"cells": made, "metadata": named, "nbformat": 4, "nbformat_minor": 5})


def test_cells_of_a_notebook_are_told_in_order_with_their_numbers(documents: Documents):
    notebook = a_notebook(
        ("markdown", ["# Plan\n", "\n", "Loads must finish within 5 s."]),
        ("code", "def load():\n    '''```'''\n"),
        ("markdown", ""),
        ("raw", "as it is"),
    )
    assert text(documents, "a.ipynb", notebook) == (
        "<!-- cell 1 -->\n\n# Plan\n\nLoads must finish within 5 s.\n\n"
        "<!-- cell 2 -->\n\n````python\ndef load():\n    '''```'''\n````\n\n"
        "<!-- cell 4 -->\n\n```\nas it is\n```\n"
    )


def test_a_notebook_of_the_old_format_has_its_headings(documents: Documents):
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Goals"]},
        {"cell_type": "code", "language": "python", "input": ["x = 1"]},
    ]
    old = json.dumps({"worksheets": [{"cells": cells}], "metadata": {}, "nbformat": 3})
    assert "## Goals" in text(documents, "a.ipynb", old)
    assert "x = 1" in text(documents, "a.ipynb", old)


@pytest.mark.parametrize(
    "content",
    [
        'id,text\nR-1,"One, two | three"\nR-2,"First\nline"\n',
        'id;text\nR-1;One, two | three\nR-2;"First\nline"\n',
        'sep=;\nid;text\nR-1;One, two | three\nR-2;"First\nline"\n',
        'id\ttext\nR-1\tOne, two | three\nR-2\t"First\nline"\n',
        '\ufeffid,text\r\nR-1,"One, two | three"\r\nR-2,"First\r\nline"\r\n',
    ],
)
def test_a_table_has_its_cells_whatever_divides_them(documents: Documents, content: str):
    assert text(documents, "reqs.csv", content) == (
        "| id | text |\n| --- | --- |\n| R-1 | One, two \\| three |\n| R-2 | First line |\n"
    )


def test_each_part_of_a_long_table_has_the_heading(documents: Documents):
    rows = "".join(f"R-{number},Text {number}\n" for number in range(100))
    parts = text(documents, "reqs.csv", "id,text\n" + rows).split("<!-- from row")
    assert len(parts) == 3
    assert all("| id | text |" in part for part in parts)


def test_a_table_in_windows_1252_is_read_exactly(documents: Documents):
    content = "id;Text\nR-1;Größe “genau” prüfen – für Übergaben\n".encode("cp1252")
    assert "| R-1 | Größe “genau” prüfen – für Übergaben |" in text(documents, "a.csv", content)


def test_cues_of_one_speaker_are_one_passage_with_its_time(documents: Documents):
    captions = (
        "WEBVTT - Stand-up\n\nNOTE not said\n\nSTYLE\n::cue { color: red }\n\n"
        "1\n00:00:01.000 --> 00:00:03.000 align:start\n<v Ana Bell>We decided to use\n\n"
        "2\n00:00:03.000 --> 00:00:04.500\n<v Ana Bell>the <i>second</i>"
        " queue &amp; no other.</v>\n\n"
        "3\n00:00:05.000 --> 00:00:07.000\n<v Bob>Who takes the on-call?\n"
    )
    assert text(documents, "a.vtt", captions) == (
        "<!-- 00:00:01.000 Ana Bell -->\n\nWe decided to use the second queue & no other.\n\n"
        "<!-- 00:00:05.000 Bob -->\n\nWho takes the on-call?\n"
    )


def test_subtitles_with_names_in_front_are_told_apart(documents: Documents):
    captions = (
        "1\r\n00:00:01,000 --> 00:00:03,000\r\nAna: We ship on\r\nMonday.\r\n\r\n"
        "2\r\n00:00:03,200 --> 00:00:05,000\r\nBob: Backups run first.\r\n"
    )
    told = text(documents, "a.srt", captions)
    assert "<!-- 00:00:01,000 Ana -->\n\nWe ship on Monday.\n" in told
    assert "<!-- 00:00:03,200 Bob -->\n\nBackups run first.\n" in told


def test_live_captions_that_repeat_themselves_are_told_once(documents: Documents):
    captions = (
        "WEBVTT\nKind: captions\n\n00:00.000 --> 00:02.000\nwe<00:00:00.400><c> keep</c>"
        "<c> all</c>\n\n"
        "00:02.000 --> 00:02.010\nwe keep all\n\n00:02.010 --> 00:04\nwe keep all\nlogs\n"
    )
    assert text(documents, "a.vtt", captions) == "<!-- 00:00.000 -->\n\nwe keep all logs\n"


@pytest.mark.parametrize(
    ("path", "content", "told"),
    [
        ("a.csv", "rule\nThe importer, when asked, must stop.\nIt logs.\n", "when asked, must"),
        ("a.csv", "id;limit\n1;2,5\n2;3,5\n", "| 1 | 2,5 |"),
        ("a.ipynb", a_notebook(("code", None), ("markdown", "It must stop.")), "It must stop."),
        ("a.eml", "\n\nFrom: Kim\nSubject: Plan\n\nIt must stop.\n", "It must stop."),
        ("a.html", "<form><p>It must stop.</p><input value=x></form>", "It must stop."),
        ("a.wiki", "== R ==\nSee [https://a.example it]: it must stop.\n", "it must stop."),
    ],
)
def test_odd_forms_of_a_format_are_read(documents: Documents, path: str, content: str, told: str):
    assert told in text(documents, path, content)


def test_what_a_page_hides_from_its_readers_is_not_read(documents: Documents):
    page = "<p>Seen.</p><p style='display: none'>Ignored.</p><div hidden><p>Too.</p></div>"
    assert text(documents, "a.html", page) == "Seen.\n"


def test_a_mail_is_talk_of_its_sender_without_what_it_quotes(documents: Documents):
    mail = (
        "From: =?utf-8?q?J=C3=BCrgen_Vo=C3=9F?= <j@acme.example>\r\nTo: b@acme.example\r\n"
        "Subject: =?utf-8?b?R3LDtsOfZQ==?=\r\nDate: Mon, 02 Feb 2026 10:00:00 +0100\r\n"
        "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: "
        "quoted-printable\r\n\r\nWe decided to use A6 paper for the gr=F6=DFe labels.\r\n\r\n"
        "On 1 Feb 2026 at 9:00, Bob <b@acme.example> wrote:\r\n> We must use A5.\r\n> Bob\r\n"
        "--=20\r\nJ. Vo=DF, Acme\r\n"
    )
    assert text(documents, "a.eml", mail) == (
        "# Größe\n\n## Jürgen Voß, 2026-02-02T09:00:00Z\n\n"
        "We decided to use A6 paper for the größe labels.\n"
    )


def test_cells_over_columns_and_rows_are_repeated_in_a_page(documents: Documents):
    page = (
        '<table><tr><th rowspan="2">Dock</th><th colspan="2">Open</th></tr><tr><th>Mon</th>'
        '<th>Sun</th></tr><tr><td rowspan="2">East</td><td>7 h</td><td>2 h</td></tr>'
        '<tr><td colspan="2">8 h</td></tr></table>'
    )
    told = text(documents, "a.html", page)
    assert "| Dock | Open Mon | Open Sun |" in told
    assert "| East | 7 h | 2 h |" in told
    assert "| East | 8 h | 8 h |" in told


def test_a_mail_of_html_alone_is_read_and_its_attachments_are_named(documents: Documents):
    mail = (
        "From: a@acme.example\nSubject: Plan\nMIME-Version: 1.0\n"
        'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/html\n\n'
        "<p>The label must be <b>white</b>.</p>\n--b\nContent-Type: application/pdf\n"
        'Content-Disposition: attachment; filename="plan.pdf"\n\nxx\n--b--\n'
    )
    assert text(documents, "a.eml", mail) == (
        "# Plan\n\nThe label must be **white**.\n\nAttachments, not read: plan.pdf\n"
    )


def test_a_page_has_headings_lists_tables_and_code_and_no_trimmings(documents: Documents):
    page = (
        "<html><head><title>T</title><style>p{}</style></head><body><nav>Home</nav><h1>Guide</h1>"
        "<!-- hidden --><p>The service must <s>not</s> answer\n within 5 ms.</p><ul><li>One<li>Two"
        "</ul><table><tr><th>id</th><th>text</th></tr><tr><td>R-1</td><td>A | B</td></tr></table>"
        "<pre>x &lt; 1</pre><script>bad()</script></body></html>"
    )
    told = text(documents, "a.html", page)
    for part in (
        "# Guide\n",
        "The service must ~~not~~ answer\nwithin 5 ms.",
        "- One\n- Two\n",
        "| R-1 | A \\| B |",
        "```\nx < 1\n```",
    ):
        assert part in told
    assert not any(word in told for word in ("hidden", "bad()", "Home", "p{}"))


def test_a_wiki_page_has_headings_items_and_the_words_of_links(documents: Documents):
    page = (
        "{{Infobox|a=1}}\n== Requirements ==\n* The '''importer''' must read [[ZIP|ZIP files]].\n"
        "** And [[TAR]].\n<!-- no -->\n=== Open ===\n# Who pays?\n"
    )
    assert text(documents, "a.mediawiki", page) == (
        "## Requirements\n- The importer must read ZIP files.\n  - And TAR.\n\n"
        "### Open\n- Who pays?\n"
    )


def test_a_word_document_has_headings_lists_and_tables(documents: Documents):
    cells = "".join(f"<w:tc>{a_paragraph(cell)}</w:tc>" for cell in ("R-1", "It must print."))
    body = (
        a_paragraph("Goals", "Heading1")
        + a_paragraph("The printer must stop at once.")
        + "<w:p><w:del><w:r><w:delText>Never.</w:delText></w:r></w:del></w:p>"
        + f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    )
    told = text(documents, "a.docx", a_docx(body))
    assert told.startswith("# Goals\n\nThe printer must stop at once.\n")
    assert "R-1" in told and "It must print." in told and "Never" not in told


def test_pages_of_a_pdf_are_numbered_and_their_lines_joined(documents: Documents):
    pdf = a_pdf("The importer must read\nfiles of every size.", "Who takes the on-call?")
    assert text(documents, "a.pdf", pdf) == (
        "<!-- page 1 -->\n\nThe importer must read files of every size.\n\n"
        "<!-- page 2 -->\n\nWho takes the on-call?\n"
    )


def test_what_has_no_text_says_why(documents: Documents):
    pdf = a_pdf("The importer must read files.")
    given: dict[str, str | bytes] = {
        "locked.pdf": locked(pdf, "secret"),
        "scan.pdf": a_pdf("", "", ""),
        "damaged.pdf": pdf[:60],
        "old.docx": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
        "empty.docx": a_docx(""),
        "cut.docx": a_docx(a_paragraph("x"))[:-40],
        "a.ipynb": '{"cells": 7}',
        "a.html": "<html><body><script>run()</script></body></html>",
        "a.vtt": "WEBVTT\n",
        "a.eml": "no mail at all",
        "wide.csv": ",".join("x" * 300) + "\n",
        "data.csv": "a,b\n" + "1,2\n" * 70_000,
        "image.csv": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
    }
    found = {name: refusal(documents, name, content)[0] for name, content in given.items()}
    assert found == {
        "locked.pdf": "encrypted",
        "scan.pdf": "no_text",
        "damaged.pdf": "unreadable",
        "old.docx": "encrypted",
        "empty.docx": "no_text",
        "cut.docx": "unreadable",
        "a.ipynb": "unreadable",
        "a.html": "no_text",
        "a.vtt": "no_text",
        "a.eml": "unreadable",
        "wide.csv": "too_large",
        "data.csv": "too_large",
        "image.csv": "unreadable",
    }


def test_a_pdf_locked_with_an_empty_password_is_read(documents: Documents):
    assert "must read" in text(documents, "a.pdf", locked(a_pdf("It must read files of us."), ""))


def test_a_hostile_document_is_refused_and_the_next_is_read(documents: Documents):
    hostile: dict[str, str | bytes] = {
        "deep.html": "<div>" * 60_000,
        "deep.ipynb": '{"cells": ' + "[" * 100_000,
        "bomb.docx": a_docx(a_paragraph("x"), **{"word/media.xml": "a" * 90_000_000}),
        "loop.docx": a_docx('<!DOCTYPE x [<!ENTITY a "b">]>'),
    }
    for path, content in hostile.items():
        try:
            documents.text_of(path, content if isinstance(content, bytes) else content.encode())
        except Unread as refused:
            assert refused.detail
    assert "must" in text(documents, "a.html", "<p>The next must be read.</p>")


def test_the_same_bytes_give_the_same_text_in_another_child(documents: Documents):
    page = "<h1>One</h1><p>Two of <a href='x'>three</a>.</p>"
    with Documents() as other:
        assert text(other, "a.html", page) == text(documents, "a.html", page)


def test_other_files_and_empty_ones_are_passed_on_as_they_are(documents: Documents):
    assert documents.text_of("a.md", b"\xff# x") == b"\xff# x"
    assert {documents.text_of(f"a{suffix}", b" \n") for suffix in RENDERED_SUFFIXES} == {b" \n"}
