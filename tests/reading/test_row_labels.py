"""A row of a table is told with all cells that name it, also those that go over several rows."""

import pytest

from agents.offline.reader import drafts_of
from tests.reading.documents import a_chunk

HEAD = "| Site | Kind | Rule |\n|--|--|--|\n| Quay | Van | The bar must lift within 6 seconds. |\n"


@pytest.mark.parametrize("mark", ["^^", "", '"', "″", "ditto", "do."])
def test_a_repeated_label_is_that_of_the_row_above(mark):
    assert _is_told(f"{HEAD}| {mark} | Cart | The bar must lift within 9 seconds. |\n")


@pytest.mark.parametrize("span", ["rowspan=2", 'rowspan="2"'])
def test_a_label_of_html_goes_over_its_rows(span):
    assert _is_told(
        f"<table>\n<tr><th>Site</th><th>Kind</th><th>Rule</th></tr>\n<tr><td {span}>Quay</td>"
        "<td>Van</td><td>The bar must lift within 6 seconds.</td></tr>\n"
        "<tr><td>Cart</td><td>The bar must lift within 9 seconds.</td></tr>\n</table>\n"
    )


def _is_told(table):
    told = [it.title for it in drafts_of(a_chunk(f"# Port\n\n{table}"))]
    return any("Quay" in it and "Cart" in it and "9 seconds" in it for it in told)


@pytest.mark.parametrize(
    ("table", "path"),
    [
        ("| Dock | Depth | Width |\n|--|--|--|\n| East | 7 m | 30 m |\n", "docs/a.md"),
        (
            "| Dock | Size | |\n|--|--|--|\n| | Depth | Width |\n| East | 7 m | 30 m |\n",
            "docs/a.md",
        ),
        (
            '<table>\n<tr><th rowspan="2">Dock</th><th colspan="2">Size</th></tr>\n'
            "<tr><th>Depth</th><th>Width</th></tr>\n"
            "<tr><td>East</td><td>7 m</td><td>30 m</td></tr>\n</table>\n",
            "docs/a.md",
        ),
        ("|===\n|Dock |Depth |Width\n\n|East |7 m |30 m\n|===\n", "docs/a.adoc"),
        (
            "+------+-------+-------+\n| Dock | Depth | Width |\n+======+=======+=======+\n"
            "| East | 7 m   | 30 m  |\n+------+-------+-------+\n",
            "docs/a.rst",
        ),
        (
            ".. list-table::\n   :header-rows: 1\n\n   * - Dock\n     - Depth\n     - Width\n"
            "   * - East\n     - 7 m\n     - 30 m\n",
            "docs/a.rst",
        ),
    ],
)
def test_a_row_of_values_is_one_statement_with_its_columns(table, path):
    title = (
        "= Port\n\n"
        if path.endswith("adoc")
        else "Port\n====\n\n"
        if "rst" in path
        else "# Port\n\n"
    )
    told = [it.title for it in drafts_of(a_chunk(f"{title}{table}", path=path))]
    assert any("East" in it and "depth 7 m" in it and "width 30 m" in it for it in told), told


@pytest.mark.parametrize(
    "table",
    [
        "| Parameter | Type | Default |\n|--|--|--|\n| lanes | int | 50 ms |\n",
        "| Name | Phone | Room |\n|--|--|--|\n| Ida Holm | 5512 | 4.12 |\n",
        "| Version | Date |\n|--|--|\n| Harbour 2 | 12 May 2024 |\n",
    ],
)
def test_rows_of_interfaces_people_and_dates_are_no_values(table):
    assert not [it for it in drafts_of(a_chunk(f"# Port\n\n{table}")) if it.attributes == {}]


@pytest.mark.parametrize(
    ("table", "path"),
    [
        (
            "|===\n|Site |Kind |Rule\n\n.2+|Quay |Van |The bar must lift within 6 seconds.\n"
            "|Cart |The bar must lift within 9 seconds.\n|===\n",
            "docs/a.adoc",
        ),
        (
            "+------+------+-------------------------------------+\n"
            "| Site | Kind | Rule                                |\n"
            "+======+======+=====================================+\n"
            "| Quay | Van  | The bar must lift within 6 seconds. |\n"
            "|      +------+-------------------------------------+\n"
            "|      | Cart | The bar must lift within 9 seconds. |\n"
            "+------+------+-------------------------------------+\n",
            "docs/a.rst",
        ),
    ],
)
def test_a_label_goes_over_its_rows_in_other_formats(table, path):
    title = "= Port\n\n" if path.endswith("adoc") else "Port\n====\n\n"
    told = [it.title for it in drafts_of(a_chunk(f"{title}{table}", path=path))]
    assert any("Quay" in it and "Cart" in it and "9 seconds" in it for it in told), told


def test_a_label_may_stand_after_its_statement():
    table = "| Rule | Zone |\n|--|--|\n| The bar must lift within 6 seconds. | Gate 4 |\n"
    [told] = [it.title for it in drafts_of(a_chunk(f"# Port\n\n{table}")) if "bar" in it.title]
    assert "Gate 4: the bar" in told


@pytest.mark.parametrize("above", ["7", "R-4", "REQ-12", "2.1"])
def test_a_blank_below_an_id_repeats_nothing(above):
    table = (
        f"| ID | Rule |\n|--|--|\n| {above} | The bar must lift within 6 seconds. |\n"
        "| | The bar must ring before it falls. |\n"
    )
    told = [it.title for it in drafts_of(a_chunk(f"# Port\n\n{table}"))]
    assert any("ring" in it and above not in it for it in told), told


def test_a_blank_after_an_empty_row_repeats_nothing():
    table = f"{HEAD}| | | |\n| | Cart | The bar must ring before it falls. |\n"
    told = [it.title for it in drafts_of(a_chunk(f"# Port\n\n{table}"))]
    assert any("Cart" in it and "ring" in it and "Quay" not in it for it in told), told
