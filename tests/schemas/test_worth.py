"""What a reader should see first, said in pairs: this before that."""

from typing import Any

import pytest

from schemas.events.ledger import AtomRecord
from schemas.worth import keep_best_role, worth
from tests.reduce.ledgers import AT, an_atom

TITLE = "The gateway must refuse requests without a token"

PRODUCT, RECORD = {"origin": "product"}, {"origin": "record"}
OF_ALL = {"origin": "readme", "about": "project"}
LANES = "Depot Lanes is a service for the transport of heavy parcels"


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
        pytest.param(
            a_requirement(attributes={"origin": "product"}),
            a_requirement(attributes={"origin": "development"}),
            id="what its documentation says before how it is developed",
        ),
        pytest.param(
            a_requirement(attributes={"origin": "development"}),
            a_requirement(attributes={"origin": "agent"}),
            id="how it is developed before what a coding agent must do",
        ),
        pytest.param(
            a_requirement(status="draft", confidence=0.62, attributes={"origin": "doc"}),
            a_requirement(status="draft", confidence=0.55, attributes={"origin": "product"}),
            id="a draft that lacks a second row before a doubted one from a better document",
        ),
        pytest.param(
            an_atom(
                "claim", f"{LANES} for teams", status="draft", confidence=0.5, attributes=OF_ALL
            ),
            an_atom(
                "claim", "The flag --lane sets the lane_id", attributes={"origin": "reference"}
            ),
            id="what a README says of the product, though doubted, before a detail that is sure",
        ),
        pytest.param(
            an_atom("claim", LANES, attributes={"about": "project"}),
            an_atom("claim", LANES, attributes={"about": "part"}),
            id="the product before a part",
        ),
        pytest.param(
            an_atom("claim", LANES, attributes={"about": "part"}),
            an_atom("claim", "Avro is a format of the Apache foundation for messages"),
            id="a part before somebody else's product",
        ),
        pytest.param(
            an_atom("claim", "Depot lets teams send parcels to customers in ten countries"),
            an_atom("claim", "The field lane_id defaults to null in the payload of the request"),
            id="what it does for people before a detail inside",
        ),
        pytest.param(
            an_atom("decision", "Depot no longer takes heavy parcels", attributes=RECORD),
            an_atom("claim", "Depot has taken heavy parcels so far", attributes=RECORD),
            id="what a record decides before how it came to it",
        ),
        pytest.param(
            an_atom("requirement", "Lanes must be swept", confidence=0.55, attributes=PRODUCT),
            an_atom("requirement", "Lanes are swept", confidence=0.55, attributes=PRODUCT),
            id="a need that sounds like one before one that does not",
        ),
        pytest.param(
            an_atom("claim", "Depot keeps parcels for ten days", attributes=PRODUCT),
            an_atom("claim", "Use the back gate of the depot", attributes=PRODUCT),
            id="what is so before a step that a reader takes",
        ),
        pytest.param(
            an_atom("claim", "Depot keeps parcels for ten days", attributes=PRODUCT),
            an_atom("claim", "This page describes how parcels are kept", attributes=PRODUCT),
            id="the product before its documents",
        ),
        pytest.param(
            a_requirement(),
            a_requirement(attributes={"document_status": "superseded"}),
            id="what holds before what was replaced",
        ),
        pytest.param(
            an_atom("claim", "Depot keeps parcels for ten days"),
            an_atom(
                "claim",
                "The vendor says that Depot keeps parcels for ten days",
                attributes={"attribution": "reported"},
            ),
            id="what the project says before what others say of it",
        ),
        pytest.param(
            an_atom("claim", LANES),
            an_atom("entity", "Depot lanes", attributes={"origin": "manifest"}),
            id="a statement before a declared dependency",
        ),
    ],
)
def test_sooner_and_later(sooner: AtomRecord, later: AtomRecord):
    assert worth(sooner) > worth(later)


def test_the_best_role_of_its_sources_counts_in_any_order() -> None:
    guide, readme = {"origin": "guide", "about": "project"}, {"origin": "readme"}
    assert keep_best_role(guide, readme) == keep_best_role(readme, guide)
    assert keep_best_role(readme, guide) == {"origin": "readme", "about": "project"}
    assert keep_best_role({"scope": "in"}, {}) == {"scope": "in"}
    assert keep_best_role({}, {"origin": "agent"}) == {"origin": "agent"}
