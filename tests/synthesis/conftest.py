"""Models for the folder's tests: one without a network, and one behind a scripted provider."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from agents.models.call import ChatModel
from tests.models.asking import asking
from tests.models.provider import Request, Script, ScriptedProvider
from tests.models.worker import ModelWorker
from tests.synthesis.chat import Scripted, ServedModel


@pytest.fixture
def scripted() -> Callable[[Callable[[Request], Any]], tuple[ChatModel, Scripted]]:
    """Makes a model whose answers are a function of the request."""

    def make(script: Callable[[Request], Any]) -> tuple[ChatModel, Scripted]:
        made = Scripted(script)
        return made.model, made

    return make


@pytest.fixture
def served(
    model_worker: ModelWorker,
) -> Iterator[Callable[[Script], tuple[ChatModel, ScriptedProvider]]]:
    """The same behind a provider, with everything that is between."""
    with ExitStack() as stack:

        def make(script: Script) -> tuple[ChatModel, ScriptedProvider]:
            asked = stack.enter_context(asking(model_worker, openai=script))
            return ServedModel(asked), asked.providers["openai"]

        yield make
