"""A place that an answer cites leads to its line, in its own project alone."""

from __future__ import annotations

import psycopg
import pytest

from tests.http.conftest import Called
from tests.http.console import CONSOLE, Browser

pytestmark = pytest.mark.broker
PASSAGE = """
    SELECT p.passage_id, p.source_id, p.line_start FROM cairn.passages p
    JOIN cairn.sources s USING (source_id)
    WHERE s.project_id = %s AND NOT p.obsolete ORDER BY p.passage_id LIMIT 1
"""


def test_a_cited_passage_leads_to_its_line_in_its_own_project_alone(called: Called):
    with psycopg.connect(called.cairn.settings_now().conninfo) as connection:
        found = connection.execute(PASSAGE, [called.project]).fetchone()
    assert found
    passage, source, line = found
    with Browser(called) as browser:
        home = f"{CONSOLE}/projects/{called.project}"
        shown = browser.client.get(f"{home}/passages/{passage}?line={line}")
        elsewhere = f"{CONSOLE}/projects/{called.other}/passages/{passage}"
        refused = browser.client.get(elsewhere, follow_redirects=False)
        unknown = browser.client.get(f"{home}/passages/psg_0")

    assert (shown.status_code, shown.url.path) == (200, f"{home}/sources/{source}")
    assert 'class="marked"' in shown.text
    assert (refused.status_code, "location" in refused.headers) == (404, False)
    assert unknown.status_code == 404
