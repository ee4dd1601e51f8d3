"""What a model has to answer when it reads chunks, as JSON Schema and as the values read from it.

Extra fields are a list of names and values, since a server that keeps to a schema writes out every
property it names. The names are fixed: an answer cannot set what the rules decide from.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from schemas.areas import AREAS, Area
from schemas.events.atom import KINDS, AtomKind, AtomSeverity, Polarity

EXTRA_FIELDS: dict[AtomKind, tuple[str, ...]] = {
    "decision": ("rationale", "alternatives"),
    "requirement": ("requirement_type", "priority"),
    "unknown": ("question",),
    "entity": ("entity_type", "aliases"),
    "action_item": ("owner_hint", "due_hint"),
    "domain_signal": ("signal_type", "category"),
}
CLOSED_VALUES = {
    "requirement_type": ("functional", "non_functional"),
    "priority": ("must", "should", "could"),
    "entity_type": ("system", "component", "team", "integration", "product", "dataset", "other"),
    "signal_type": ("market", "user", "competitive"),
}


class Quote(BaseModel):
    """Words of the chunk behind an atom, and the numbers of the sentences they stand in."""

    model_config = ConfigDict(frozen=True)

    sentences: list[int]
    anchor: str


class ExtraField(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    value: str


class ReadAtom(BaseModel):
    model_config = ConfigDict(frozen=True)

    kind: AtomKind
    title: str
    body: str
    polarity: Polarity | None = None
    severity: AtomSeverity | None = None
    impact: str | None = None
    area: Area
    confidence: float
    tags: list[str] = []
    entities: list[str] = []
    attributes: list[ExtraField] = []
    evidence: list[Quote]


class ReadChunk(BaseModel):
    """What was read in the chunk that has this number in the question."""

    model_config = ConfigDict(frozen=True)

    chunk: int
    atoms: list[ReadAtom]
    gaps: list[Area] = []


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True)

    chunks: list[ReadChunk]


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _one_of(*values: str | None) -> dict[str, Any]:
    return {"enum": list(values)}


_TEXT = {"type": "string"}
_ATOM = _object(
    kind=_one_of(*KINDS),
    title=_TEXT,
    body=_TEXT,
    evidence=_list(_object(sentences=_list({"type": "integer"}), anchor=_TEXT)),
    polarity=_one_of("affirm", "negate", None),
    severity=_one_of("low", "medium", "high", "critical", None),
    impact={"type": ["string", "null"]},
    area=_one_of(*AREAS),
    confidence={"type": "number", "minimum": 0, "maximum": 1},
    tags=_list(_TEXT),
    entities=_list(_TEXT),
    attributes=_list(
        _object(
            name=_one_of(*(name for names in EXTRA_FIELDS.values() for name in names)), value=_TEXT
        )
    ),
)
ANSWER_SCHEMA: dict[str, Any] = _object(
    chunks=_list(
        _object(chunk={"type": "integer"}, atoms=_list(_ATOM), gaps=_list(_one_of(*AREAS)))
    )
)
