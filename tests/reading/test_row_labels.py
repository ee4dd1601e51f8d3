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
