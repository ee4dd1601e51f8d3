"""Ids and fingerprints are those of recorded test vectors, on every machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import ids
from schemas.fingerprint import atom_fingerprint, canonical_json, norm_text

V1 = "f5e3fdb70fda0cae3d5f94b52d6e61f53739cdb3e89c46671fd1ee02f7b3b095"
V3 = "1a436b5c63fee9494f440c31b56c4d974ec5526bab468e4f643f5ba3f3035711"
V4 = "55dbab8047e802bdef86730ceb41ba019e471d3f3d8245a8c93113b994b26a83"


def test_a_chunk_id_is_derived_from_its_identity_tuple():
    chunk = ids.chunk_id("src_demo", "ab" * 32, "heading", 0, 120, "c1")
    assert chunk == "chk_dc292f435185f93b0d6712c22ee6f6b7"


def test_an_event_id_is_derived_from_type_project_and_natural_key():
    key = "00000000-0000-5000-8000-000000000001|chk_0123456789abcdef0123456789abcdef"
    derived = ids.derive_event_id("chunk.created", "prj_demo", key)
    assert str(derived) == "fdb2454e-03fc-512a-a7f4-0f80882c735f"


def test_the_pair_id_does_not_depend_on_the_order_of_the_pair():
    assert ids.pair_id("ctr", "p", "atm_a", "atm_b") == ids.pair_id("ctr", "p", "atm_b", "atm_a")


@pytest.mark.parametrize(
    ("title", "body", "tags"),
    [
        (
            "Auth uses JWT tokens",
            "The API authenticates callers with JWT tokens.",
            ["Security", "auth"],
        ),
        (
            "AUTH  uses: JWT tokens!",
            "the api authenticates callers\n with `JWT` tokens",
            ["auth", "security"],
        ),
    ],
)
def test_wording_that_differs_in_form_only_has_one_fingerprint(title, body, tags):
    assert atom_fingerprint("claim", title, body, "affirm", tags=tags) == V1


def test_severity_and_impact_enter_the_fingerprint():
    body, impact = "A single broker outage stops ingestion", "Ingestion stops for all projects"
    found = atom_fingerprint("risk", "Single broker", body, "affirm", "high", impact, ["kafka"])
    assert found == V3


def test_numbers_keep_their_punctuation():
    body = "p95 must stay under 1.5 s"
    assert atom_fingerprint("requirement", "Response time", body, "affirm") == V4


def test_the_canonical_json_has_exactly_the_seven_keys():
    assert canonical_json(
        "claim",
        "Auth uses JWT tokens",
        "The API authenticates callers with JWT tokens.",
        "affirm",
        tags=["Security", "auth"],
    ) == (
        '{"body": "the api authenticates callers with jwt tokens", "impact": "", "kind": "claim", '
        '"polarity": "affirm", "severity": "", "tags": ["auth", "security"], '
        '"title": "auth uses jwt tokens"}'
    )


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Timeout: 1.5 s", "timeout 1.5 s"),
        ("C# and C++ (v2.0)", "c# and c++ v2.0"),
        ("drop by -5%", "drop by -5%"),
        ("a - b", "a b"),
    ],
)
def test_punctuation_stays_where_it_carries_meaning(text, normal):
    assert norm_text(text) == normal
    assert norm_text(normal) == normal


@given(st.text(alphabet=st.characters(categories=["L", "N", "Z"]), max_size=80))
def test_normalising_words_twice_changes_nothing(text):
    assert norm_text(norm_text(text)) == norm_text(text)
