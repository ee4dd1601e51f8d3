"""A moment in a question is an ISO time with its offset; everything else is refused in words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from infra.http.moments import read_moment, read_moment_or_sequence, read_place
from infra.platform.errors import Invalid
from tests.http.conftest import Called

Ask = Callable[..., Any]
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
BEFORE = "2020-01-01T00:00:00Z"


@pytest.mark.parametrize(
    "text", ["2026-05-01T12:00:00Z", "2026-05-01T14:00:00+02:00", "2026-05-01T12:00:00.000+00:00"]
)
def test_a_time_with_its_offset_is_a_moment(text):
    assert read_moment(text) == NOON


@pytest.mark.parametrize(
    "text",
    [
        *("", "yesterday", "1714564800", "2026-05-01", "2026-05-01T12:00:00"),
        *("2026-05-01T14:00:00 02:00", "2026-13-01T12:00:00Z", "0001-01-01T00:00:00+14:00"),
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(Invalid, match="with its offset") as refused:
        read_moment(text)
    assert refused.value.code == "moment_malformed"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *(("12", 12), ("2026-05-01T12:00", NOON), ("2026-05-01T12:00:00Z", NOON)),
        *(("2026-05-01T14:00:00+02:00", NOON), ("2026-05-01T07:00:00-05:00", NOON)),
    ],
)
def test_a_place_of_a_page_is_a_sequence_or_a_moment_in_utc_unless_it_says_more(text, meant):
    assert read_moment_or_sequence(text) == meant


def test_of_a_sequence_and_a_moment_one_is_given():
    assert read_place(3, None) == 3
    assert read_place(None, "2026-05-01T12:00:00Z") == NOON
    for both in ((None, None), (3, "2026-05-01T12:00:00Z")):
        with pytest.raises(Invalid, match="one of both"):
            read_place(*both)


@pytest.mark.broker
def test_the_past_is_read_over_http(called: Called, owner: httpx.Client, ask: Ask):
    now = datetime.now(UTC).isoformat()
    (prd,) = ask("/artifacts", type="prd")["items"]
    place = f"/artifacts/{prd['artifact_id']}"
    present = ask(place)

    past = ask(f"{place}/past", as_of=now)

    assert (past["version"], past["sections"]) == (present["version"], present["sections"])
    assert ask("/ledger", as_of=now, limit=5)["items"]
    open_now = {one["contradiction_id"] for one in ask("/contradictions")["items"]}
    then = ask("/contradictions/past", as_of=now)["items"]
    assert {one["contradiction_id"] for one in then} == open_now
    head = ask("/position")["ledger_seq"]
    for given in ({"as_of": now}, {"as_of_seq": head}):
        assert ask(f"{place}/past", **given)["version"] == present["version"]
        covered = ask("/coverage/past", **given)
        today = {one["area"]: one["extracted"] for one in ask("/coverage")["areas"]}
        assert {one["area"]: one["chunks_read"] for one in covered["areas"]} == today
    assert not any(one["live_atoms"] for one in ask("/coverage/past", as_of_seq=0)["areas"])
    assert ask("/ledger", as_of=BEFORE)["items"] == []
    assert ask("/contradictions/past", as_of=BEFORE)["items"] == []
    for path in (f"{place}/past", f"{place}/markdown"):
        answer = owner.get(f"/v1/projects/{called.project}{path}", params={"as_of": BEFORE})
        assert (answer.status_code, answer.json()["code"]) == (404, "no_version_yet")
        answer = owner.get(f"/v1/projects/{called.project}{path}", params={"as_of": "monday"})
        assert (answer.status_code, answer.json()["code"]) == (422, "moment_malformed")
