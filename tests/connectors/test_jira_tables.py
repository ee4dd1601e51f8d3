"""Exported tables as they are after a spreadsheet, a locale and a person: read, or named."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from connectors.connector import SourceRefused
from connectors.jira.export import records_in
from connectors.jira.times import time_written
from connectors.records import Records, lines_of
from connectors.rendering import render
from connectors.service_items import TIME_OF_NONE, ServiceItem

HEADS = "Summary,Issue key,Created,Updated,Reporter,Description"
AT = datetime(2025, 1, 14, 9, 5, tzinfo=UTC)
NONE: tuple[str, ...] = ()


def read(folder: Path, content: str | bytes) -> Records:
    path = folder / "issues.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return records_in(path, "acme")


def items(read: Records) -> list[ServiceItem]:
    return read.items


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("before", ["", "sep={}\r\n", "\r\n\r\n"])
def test_every_usual_separator_is_found(tmp_path: Path, separator: str, before: str):
    row = [
        "Büro; (a, b)",
        "SHOP-1",
        "2025-01-14 09:05",
        "2025-01-14 09:05",
        "ana",
        "It must, log; all.",
    ]
    lines = [HEADS.replace(",", separator), separator.join(f'"{it}"' for it in row)]
    (item,) = items(read(tmp_path, before.format(separator) + "\r\n".join(lines)))
    assert (item.title, item.changed_at) == ("SHOP-1: Büro; (a, b)", AT)
    assert "It must, log; all." in render(item).decode()


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
def test_every_usual_encoding_is_found(tmp_path: Path, encoding: str):
    at = "2025-01-14 09:05"
    rows = f"{HEADS}\nGröße – „groß“,SHOP-1,{at},{at},Zoë,Cela doit être journalisé.\n"
    (item,) = items(read(tmp_path, rows.encode(encoding)))
    assert item.title == "SHOP-1: Größe – „groß“"
    assert "être journalisé" in render(item).decode() and "## Zoë" in render(item).decode()


def test_lines_of_two_encodings_are_each_read_in_theirs(tmp_path: Path):
    first = f"{HEADS}\nGröße,SHOP-1,2025-01-14 09:05,2025-01-14 09:05,ana,a\n".encode()
    second = "Größe,SHOP-2,2025-01-14 09:05,2025-01-14 09:05,ana,a\n".encode("cp1252")
    assert [it.title for it in items(read(tmp_path, first + second))] == [
        "SHOP-1: Größe", "SHOP-2: Größe",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("encoding", "words"),
    [("cp1251", "Печать этикеток"), ("cp1250", "wałek żółty źle"), ("shift_jis", "印刷の再試行")],
)
def test_letters_of_an_encoding_that_is_not_known_are_refused_and_not_guessed(
    tmp_path: Path, encoding: str, words: str
):
    rows = f"{HEADS}\n{words},SHOP-1,2025-01-14 09:05,2025-01-14 09:05,ana,{words}\n"
    with pytest.raises(SourceRefused, match="UTF-8"):
        read(tmp_path, rows.encode(encoding))


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("14/Jan/25 9:05 AM", AT),
        ("14/janv./25 9:05 AM", AT),
        ("14/ene/25 9:05 a. m.", AT),
        ("14.01.25 09:05", AT),
        ("14. Januar 2025 09:05", AT),
        ("14/янв/25 9:05 AM", AT),
        ("2025/01/14 9:05", AT),
        ("2025年1月14日 午前9:05", AT),
        ("14/1월/25 9:05 오전", AT),
        ("01/14/2025 9:05 AM", AT),
        ("14/01/2025 09:05", AT),
        ("2025-01-14T14:35:00.000+0530", AT),
        ("2025-01-14T09:05:00Z", AT),
        ("2025-01-14 09:05:00.0", AT),
        ("Tue, 14 Jan 2025 09:05:00 +0000", AT),
        ("Jan 14, 2025, 9:05 AM", AT),
        ("14/Dez/25 12:05 nachm.", datetime(2025, 12, 14, 12, 5, tzinfo=UTC)),
        ("14/Mai/25", datetime(2025, 5, 14, tzinfo=UTC)),
        ("1/Feb/25 12:05 AM", datetime(2025, 2, 1, 0, 5, tzinfo=UTC)),
        ("03/02/25 9:05", None),
        ("31/Feb/25 9:05 AM", None),
        ("soon", None),
        ("45671.378", None),
        ("version 3.2.1", None),
        ("1/2", None),
        ("", None),
    ],
)
def test_a_time_is_read_in_the_form_of_a_locale_or_is_unknown(written: str, at: datetime | None):
    assert time_written(written) == at


def test_the_times_of_a_file_show_the_order_of_day_and_month(tmp_path: Path):
    day_first = "A,SHOP-1,03/02/25 9:05,03/02/25 9:05,ana,a\nB,SHOP-2,{0},{0},ana,b\n"
    for other, month in (("14/02/25 9:05", 2), ("02/14/25 9:05", 3)):
        first, _ = items(read(tmp_path, f"{HEADS}\n{day_first.format(other)}"))
        assert first.changed_at.month == month
    first, _ = items(read(tmp_path, f"{HEADS}\n{day_first.format('01/03/25 9:05')}"))
    assert (first.changed_at, len(first.flaws)) == (TIME_OF_NONE, 2)
    assert "time unknown" in render(first).decode()


def test_a_row_that_is_none_is_named_and_its_neighbours_are_read(tmp_path: Path):
    rows = [
        "A,SHOP-1,14/Jan/25 9:05 AM,14/Jan/25 9:05 AM,ana,a",
        "B,none,14/Jan/25 9:05 AM,14/Jan/25 9:05 AM,ana,b",
        "only words",
        "C,SHOP-3,14/Jan/25 9:05 AM,,ana,c",
        "D,SHOP-4,14/Jan/25 9:05 AM,14/Jan/25 9:05 AM,ana,d,and,more",
    ]
    found = read(tmp_path, "\n".join([HEADS, *rows]))
    assert [it.path for it in items(found)] == ["SHOP-1", "SHOP-3", "SHOP-4"]
    assert found.lost == 2
    assert lines_of(found.notices) == [
        "not read: it has no key (line 4)",
        "not read: key is not an issue key (none)",
        "read, but it has more cells than headings (SHOP-4)",
        "read, but updated is missing (SHOP-3)",
    ]


def test_a_table_without_times_is_read_without_them(tmp_path: Path):
    found = read(tmp_path, "Key,Summary,Description\nSHOP-1,Exports,They must be resumable.\n")
    (item,) = items(found)
    assert item.changed_at == TIME_OF_NONE and "They must be resumable." in render(item).decode()
    assert {it.reason for it in found.notices} == {"created is missing", "updated is missing"}


@pytest.mark.parametrize(
    "heads",
    [
        "Zusammenfassung;Vorgangsschlüssel;Erstellt;Aktualisiert;Autor;Beschreibung",
        "Résumé;Clé de ticket;Création;Mise à jour;Rapporteur;Description",
        "Resumen;Clave de incidencia;Creada;Actualizada;Informador;Descripción",
        "要約;課題キー;作成日;更新日;報告者;説明",
        "Titre;Clé;Créé le;Mis à jour le;Rapporteur;Descriptif",
    ],
)
def test_headings_in_other_languages_are_known_and_keys_by_their_form(tmp_path: Path, heads: str):
    row = "Exports;SHOP-1;14.01.25 09:05;14.01.25 09:05;ana;They must be resumable."
    (item,) = items(read(tmp_path, f"{heads}\n{row}\n"))
    assert (item.path, item.changed_at) == ("SHOP-1", AT)
    assert "They must be resumable." in render(item).decode()


def test_without_a_known_heading_the_summary_is_the_first_column_of_several_words(tmp_path: Path):
    rows = "1;SHOP-1;Ποιος τυπώνει;Νέο\n2;SHOP-2;Δεύτερο θέμα εδώ;Νέο"
    found = read(tmp_path, f"Αριθμός;Κλειδί;Τίτλος;Κατάσταση\n{rows}")
    assert [it.title for it in items(found)] == [
        "SHOP-1: Ποιος τυπώνει", "SHOP-2: Δεύτερο θέμα εδώ",
    ]  # fmt: skip


def test_of_rows_with_one_key_the_newest_is_read_and_the_others_are_named(tmp_path: Path):
    rows = [
        "New,SHOP-1,14/Jan/25 9:05 AM,15/Jan/25 9:05 AM,ana,It must log.",
        "Old,SHOP-1,14/Jan/25 9:05 AM,14/Jan/25 9:05 AM,ana,It must sign.",
        "Same,SHOP-2,14/Jan/25 9:05 AM,14/Jan/25 9:05 AM,ana,It must print.",
        "Same,SHOP-2,14/Jan/25 9:05 AM,14/Jan/25 9:05 AM,ana,It must print.",
    ]
    found = read(tmp_path, "\n".join([HEADS, *rows]))
    assert [it.title for it in items(found)] == ["SHOP-1: New", "SHOP-2: Same"]
    assert [it.key for it in found.notices] == ["SHOP-1"]


def test_comments_keep_their_words_whatever_their_form(tmp_path: Path):
    comments = [
        "14/Jan/25 9:05 AM;ben;We will use a queue; or two.",
        "2025-01-15T09:05:00.000+0000;cy;It must be fast.",
        "16.01.25 09:05;cy;It must be small.",
        "03/02/25 9:05;dan;Which day is this?",
        "No time, no author.",
        "first; second; third",
    ]
    heads = "Summary,Issue key,Created,Updated" + ",Comment" * len(comments)
    cells = ",".join(f'"{it}"' for it in comments)
    row = f"A,SHOP-1,14/Jan/25 9:05 AM,14/Jan/25 9:05 AM,{cells}"
    (item,) = items(read(tmp_path, f"{heads}\n{row}\n"))
    text = render(item).decode()
    for words in ("## ben, 2025-01-14T09:05:00Z\n\nWe will use a queue; or two.",
                  "## cy, 2025-01-15T09:05:00Z\n\nIt must be fast.",
                  "## cy, 2025-01-16T09:05:00Z\n\nIt must be small.",
                  "## dan, time unknown\n\nWhich day is this?",
                  "## unknown, time unknown\n\nNo time, no author.",
                  "## unknown, time unknown\n\nfirst; second; third"):  # fmt: skip
        assert words in text


def test_columns_of_the_site_that_hold_sentences_are_read_by_name(tmp_path: Path):
    columns = [
        ("Custom field (Acceptance Criteria)", "* It must log."),
        ("Custom field (Rank)", "0|i0001:"),
        ("Custom field (Due)", "15/Jan/25 9:05 AM"),
        ("Custom field (Steps)", "Open the page."),
        ("Custom field (Steps)", "Press the button."),
        ("Benutzerdefiniertes Feld (Nutzen)", "Spart Zeit beim Druck."),
        ("Environment", "It runs on the old server in the cellar."),
        ("Assignee", "Ben Okri"),
    ]
    heads = ",".join([HEADS, *(head for head, _ in columns)])
    row = ",".join(["A,SHOP-1,,,ana,Exports.", *(value for _, value in columns)])
    (item,) = items(read(tmp_path, f"{heads}\n{row}\n"))
    body = item.remarks[0].body
    assert "### Acceptance Criteria\n\n- It must log." in body
    assert "### Steps\n\nOpen the page.\n\nPress the button." in body
    assert "### Nutzen\n\nSpart Zeit beim Druck." in body
    assert "### Environment\n\nIt runs on" in body
    assert "Rank" not in body and "Due" not in body and "Okri" not in body


def test_an_issue_with_a_security_level_is_marked(tmp_path: Path):
    (item,) = items(
        read(tmp_path, f"{HEADS},Security Level\nA,SHOP-1,,,ana,It must log.,Internal\n")
    )
    assert "Restricted to: Internal." in render(item).decode()
    assert "## ana (reporter, restricted), time unknown" in render(item).decode()


def test_a_file_of_which_nothing_is_an_issue_is_refused_by_name(tmp_path: Path):
    with pytest.raises(SourceRefused, match=r"issues\.csv.*keys of issues"):
        read(tmp_path, "Name,Price\nMARK,3\n")
    with pytest.raises(SourceRefused, match=r"issues\.csv.*none is an issue") as refused:
        read(tmp_path, f"{HEADS}\nMARK,none,,,,\n")
    assert "MARK" not in str(refused.value)
