"""A model behind a scripted provider, a project in front of it, and answers in a few words."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.models.call import ChatModel, ModelAnswer, ModelRequest, StreamPart
from agents.models.chain import ask_model
from infra.service.writing.synthesis import Report, Writer, WriterPorts
from infra.service.writing.synthesis_pass import word_document, word_project
from projections.read.quality import AssessedArtifact, CitedDocument
from projections.read.wording import ListedItem
from schemas.events.artifact_parts import ArtifactSnapshot, ArtifactType
from schemas.events.change import ChangeRequested
from tests.extraction.asking import AnsweringModel
from tests.models.asking import Asking
from tests.models.provider import Request
from tests.reduce.ledgers import PROJECT, Play
from tests.reduce.test_edits import edit_of

_SECTION = re.compile(r"^Section `(\w+)`: .*? Statements: ([\d, ]+)\.", re.MULTILINE)
_ATOM = re.compile(r"^\[(\d+)\] [\w, ]+: (.*)$", re.MULTILINE)
GO_ON = {
    "should_continue": True,
    "confidence": 0.2,
    "coverage_assessment": "there is more",
    "gaps_remaining": [],
}


@dataclass(frozen=True)
class ServedModel:
    """A model that is asked as it is in a service: over the loop of providers and the worker."""

    asking: Asking

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        given = self.asking
        client, clock = given.worker.client, given.clock
        return await ask_model(request, given.configuration, client, given.book, clock, 20.0)

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart, None]:
        raise NotImplementedError


@dataclass
class Scripted:
    """A model without a network whose answers are a function of what a provider would get."""

    script: Callable[[Request], Any]
    requests: list[Request] = field(default_factory=list)

    @property
    def model(self) -> AnsweringModel:
        return AnsweringModel(self._answer)

    def _answer(self, request: ModelRequest) -> Any:
        messages = [one.model_dump() for one in request.messages]
        schema = {"json_schema": {"schema": request.answer_schema}}
        body = {"model": request.tier, "messages": messages, "response_format": schema}
        self.requests.append(Request("", {}, body, 0.0))
        return self.script(self.requests[-1])


def wanted(request: Request) -> dict[str, list[int]]:
    """The sections that a request asks for, with the numbers that they may rest on."""
    return {
        name: [int(one) for one in numbers.split(",")]
        for name, numbers in _SECTION.findall(request.text)
    }


def words_of(request: Request) -> dict[str, Any]:
    """Each section in the words of its statements, in one sentence each."""
    said = {int(number): text for number, text in _ATOM.findall(request.text)}
    return {
        name: [{"text": f"In short: {said[one]}", "atoms": [one]} for one in numbers]
        for name, numbers in wanted(request).items()
    }


def is_decision(request: Request) -> bool:
    return "should_continue" in str(request.body.get("response_format"))


def answer(request: Request) -> dict[str, Any]:
    """What a good model answers: its words, and that the list goes on."""
    return GO_ON if is_decision(request) else words_of(request)


@dataclass
class Project:
    """A play of the writer of artifacts as the ports of a synthesis."""

    play: Play
    handed: list[ChangeRequested] = field(default_factory=list)

    def artifact(self, name: str) -> ArtifactSnapshot | None:
        written = self.play.state.written_of(PROJECT)
        if written.prd and name in ("prd", written.prd.artifact_id):
            return written.prd
        return self.play.state.items_of(PROJECT).get(name)

    @property
    def prd(self) -> ArtifactSnapshot:
        found = self.artifact("prd")
        assert found
        return found

    def items(self, artifact_type: str) -> list[ArtifactSnapshot]:
        found = self.play.state.items_of(PROJECT).values()
        listed = [one for one in found if one.artifact_type == artifact_type and one.number]
        return sorted(listed, key=lambda one: one.number)

    async def find(self, name: str) -> AssessedArtifact | None:
        snapshot = self.artifact(name)
        return self.assessed(snapshot) if snapshot else None

    def assessed(self, snapshot: ArtifactSnapshot) -> AssessedArtifact:
        cited = {
            one.atom_id
            for section in snapshot.sections
            for said in section.statements
            for one in said.citations
        }
        artifacts = {
            one
            for section in snapshot.sections
            for said in section.statements
            for one in said.artifact_ids
        }
        ledger = self.play.state.ledger
        disputes = [one for _, one in ledger.contradictions.items()]
        return AssessedArtifact(
            artifact_id=snapshot.artifact_id,
            artifact_type=snapshot.artifact_type,
            number=snapshot.number,
            title=snapshot.title,
            version=snapshot.version,
            ledger_seq=snapshot.input_ledger_seq,
            sections=snapshot.sections,
            atoms=[ledger.atoms[f"{PROJECT}|{one}"] for one in sorted(cited)],
            contradictions=[one for one in disputes if {one.atom_a_id, one.atom_b_id} & cited],
            documents=[self._document(one) for one in sorted(artifacts)],
        )

    def _document(self, artifact_id: str) -> CitedDocument:
        found = self.artifact(artifact_id)
        assert found
        return CitedDocument(
            artifact_id=artifact_id,
            artifact_type=found.artifact_type,
            number=found.number,
            title=found.title,
            sections=found.sections,
            own=found.own.model_dump(mode="json") if found.own else {},
        )

    async def list_items(self, artifact_type: ArtifactType) -> Sequence[ListedItem]:
        return [
            ListedItem(artifact_id=one.artifact_id, title=one.title)
            for one in self.items(artifact_type)
        ]

    async def hand_over(self, change: ChangeRequested, key: str) -> str | None:
        self.handed.append(change)
        return edit_of(self.play.asks(change)).refusal

    async def is_cancelled(self) -> bool:
        return False

    def writer(self, model: ChatModel) -> Writer:
        ports = WriterPorts(self.find, self.list_items, self.hand_over, self.is_cancelled)
        return Writer(model, PROJECT, ports)

    async def document_worded_by(self, model: ChatModel, artifact_id: str) -> Report:
        return await word_document(self.writer(model), artifact_id)

    async def worded_by(self, model: ChatModel) -> Report:
        return await word_project(self.writer(model))
