"""Of every sentence of a chunk it is told how far the reader came with it."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.outcomes import PROPOSED, outcomes_of
from tests.reading.documents import a_chunk

TEXT = """## Retention

The archive must keep every invoice for ten years, since auditors ask for them.

- [x] Move the old invoices to the archive.

```
archive --keep 10y
```

See [the manual](manual.md).
"""


def outcomes(text: str, path: str = "docs/archive.md", **of_chunk: Any) -> dict[str, str]:
    chunk = a_chunk(text, path, **of_chunk)
    return {text[it.start : it.end]: it.why for it in outcomes_of(chunk)}


def test_each_sentence_has_the_step_at_which_the_reader_left_it():
    found = outcomes(TEXT)
    must = "The archive must keep every invoice for ten years, since auditors ask for them."
    assert found[must] == PROPOSED
    assert found["Move the old invoices to the archive."] == "a task that is done"
    assert found["Retention"] == "a heading"
    (code,) = (why for text, why in found.items() if "archive --keep" in text)
    assert code.startswith("code")


def test_what_nobody_reads_says_so():
    (skipped,) = outcomes_of(a_chunk("words").model_copy(update={"skip_reason": "boilerplate"}))
    assert skipped.why == "the chunk is not read (boilerplate)"
    assert outcomes("x = 1\n", "src/archive.py", source_type="code") == {
        "x = 1\n": "only comments are read"
    }


@pytest.mark.parametrize("text", ["", "\n\n", "###", "- \n- \n", "| a |\n|---|\n| b |\n"])
def test_places_lie_in_the_text_and_overlap_nowhere(text: str):
    end = 0
    for outcome in outcomes_of(a_chunk(text)):
        assert end <= outcome.start < outcome.end <= len(text)
        end = outcome.end
