"""What a reader should see first, said in pairs: this before that."""

from typing import Any

import pytest

from schemas.events.ledger import AtomRecord
from schemas.worth import worth
from tests.reduce.ledgers import AT, an_atom

TITLE = "The gateway must refuse requests without a token"


def a_requirement(title: str = TITLE, **more: Any) -> AtomRecord:
    return an_atom("requirement", title, **more)


@pytest.mark.parametrize(
    ("sooner", "later"),
    [
        pytest.param(
            a_requirement(attributes={"origin": "readme"}),
            a_requirement(attributes={"origin": "code"}),
            id="what a README says before what a comment says",
        ),
        pytest.param(a_requirement(), a_requirement(status="draft"), id="active before draft"),
        pytest.param(
            a_requirement(confidence=0.75),
            a_requirement(confidence=0.91, source_count=2, evidence_count=2, title=f"It {TITLE}"),
            id="one clear source before two copies of a sentence that points back",
        ),
        pytest.param(
            a_requirement(confidence=0.75),
            a_requirement(confidence=0.8556, source_count=2, evidence_count=2, attributes={}),
            id="a surer source before two copies of a less sure one",
        ),
        pytest.param(
            a_requirement(source_count=2, confidence=0.91),
            a_requirement(source_count=1, confidence=0.70),
            id="two sources before one, where each is as sure",
        ),
        pytest.param(
            a_requirement(confidence=0.9, verified_by="ada", verified_at=AT),
            a_requirement(confidence=0.99, source_count=2),
            id="what a person has verified before what many say",
        ),
        pytest.param(
            a_requirement("Tokens expire after an hour of silence"),
            a_requirement("Explain what happens when a token expires"),
            id="a statement before a note to whoever writes the document",
        ),
    ],
)
def test_sooner_and_later(sooner: AtomRecord, later: AtomRecord):
    assert worth(sooner) > worth(later)
